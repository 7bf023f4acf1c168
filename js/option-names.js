// @ts-check
'use strict'

const { invalidInput } = require('./tool-error.js')

/** @typedef {import('../index.d.ts').ToolkitOptions<any>} ToolkitOptions */
/** @typedef {import('../index.d.ts').WebToolOptions} WebToolOptions */
/** @template T @typedef {Record<keyof Required<T>, true>} NamesOf the compiler holds the list and the type together */

/** @type {NamesOf<ToolkitOptions>} */
const TOOLKIT = {
  workspace: true,
  additionalDirectories: true,
  dialect: true,
  level: true,
  tools: true,
  permissions: true,
  mode: true,
  allowBypass: true,
  edits: true,
  settings: true,
  programs: true,
  customTools: true,
  mcpServers: true,
  mcp: true,
  limits: true,
  memory: true,
  shell: true,
  sandbox: true,
  redact: true,
  taint: true,
  exec: true,
  env: true,
  leftovers: true,
  onTimeout: true,
  search: true,
  lsp: true,
  web: true,
  browser: true,
  canvas: true,
  skills: true,
  session: true,
  sessions: true,
  undo: true,
  repeats: true,
  cron: true,
  hooks: true,
  record: true,
  observe: true,
  inspect: true,
  host: true,
  onProcess: true,
  onApproval: true,
  onTelemetry: true,
  telemetry: true,
}
/** @type {NamesOf<import('../index.d.ts').Host>} */
const HOST = {
  askUser: true,
  runAgent: true,
  onSessionEvent: true,
  onCron: true,
  sendMessage: true,
  channels: true,
  summarise: true,
  showCanvas: true,
  browser: true,
  agents: true,
  elicit: true,
  openUrl: true,
  sample: true,
}
/** @type {NamesOf<WebToolOptions>} */
const WEB = { fetch: true, search: true, proxy: true }
/** @type {NamesOf<NonNullable<WebToolOptions['fetch']>>} */
const WEB_FETCH = { allowPrivate: true, timeoutMs: true, maxBytes: true, cacheTtlMs: true, resolve: true }
/** @type {NamesOf<NonNullable<WebToolOptions['search']>>} */
const WEB_SEARCH = { provider: true, apiKey: true, baseUrl: true, timeoutMs: true }
/** @type {NamesOf<import('../index.d.ts').ExecToolOptions>} */
const EXEC = { changes: true, output: true, state: true }
/** @type {NamesOf<import('../index.d.ts').BrowserOptions>} */
const BROWSER = {
  executable: true,
  evaluate: true,
  writes: true,
  sandbox: true,
  allowPrivate: true,
  profile: true,
  idleMs: true,
  window: true,
}
/** @type {NamesOf<import('../index.d.ts').CronOptions>} */
const CRON = { run: true, keepAlive: true, timeZone: true }
/** @type {NamesOf<import('../index.d.ts').CanvasOptions>} */
const CANVAS = { connect: true, resources: true, browser: true }
/** @type {NamesOf<NonNullable<import('../index.d.ts').CanvasOptions['browser']>>} */
const CANVAS_BROWSER = { executable: true, sandbox: true }
/** @type {NamesOf<import('../index.d.ts').TelemetryOptions>} */
const TELEMETRY = { tracer: true }

/** What other packages call an option. */
const SYNONYMS = /** @type {Record<string, string>} */ ({
  cwd: 'workspace',
  root: 'workspace',
  rootDir: 'workspace',
  directory: 'workspace',
  workdir: 'workspace',
  workingDirectory: 'workspace',
  vocabulary: 'dialect',
  policy: 'permissions',
  rules: 'permissions',
  approve: 'onApproval',
  approver: 'onApproval',
  canUseTool: 'onApproval',
  timeout: 'limits.timeoutMs',
  timeoutMs: 'limits.timeoutMs',
  tracer: 'telemetry.tracer',
  askUser: 'host.askUser',
  runAgent: 'host.runAgent',
  onSessionEvent: 'host.onSessionEvent',
  summarise: 'host.summarise',
  'host.summarize': 'host.summarise',
  showCanvas: 'host.showCanvas',
})

/**
 * Refuses options that do not exist, with the nearest that does.
 *
 * @param {any} options
 */
function requireKnown(options) {
  const issues = [
    ...unknown(options, TOOLKIT, ''),
    ...(isPlain(options.host) ? unknown(options.host, HOST, 'host.') : []),
    ...unknown(options.web, WEB, 'web.'),
    ...unknown(options.web?.fetch, WEB_FETCH, 'web.fetch.'),
    ...unknown(options.web?.search, WEB_SEARCH, 'web.search.'),
    ...unknown(options.exec, EXEC, 'exec.'),
    ...unknown(options.browser, BROWSER, 'browser.'),
    ...unknown(options.cron, CRON, 'cron.'),
    ...unknown(options.canvas, CANVAS, 'canvas.'),
    ...unknown(options.canvas?.browser, CANVAS_BROWSER, 'canvas.browser.'),
    ...unknown(options.telemetry, TELEMETRY, 'telemetry.'),
  ]
  if (issues.length > 0) throw invalidInput('toolkit', issues.map(({ message }) => message).join(' '), issues)
}

/**
 * @param {any} given
 * @param {Record<string, true>} known
 * @param {string} path
 * @returns {import('../index.d.ts').ValidationIssue[]}
 */
function unknown(given, known, path) {
  if (typeof given !== 'object' || given === null) return []
  const names = Object.keys(given).filter((name) => !Object.hasOwn(known, name) && given[name] !== undefined)
  if (names.length === 0) return []
  const { nearest } = require('./nearest.js')
  return names.map((name) => {
    const near = Object.hasOwn(SYNONYMS, path + name) ? SYNONYMS[path + name] : withPath(path, nearest(name, Object.keys(known)))
    const next =
      near === undefined
        ? `Known options: ${Object.keys(known)
            .map((known) => `\`${path}${known}\``)
            .join(', ')}.`
        : `Did you mean \`${near}\`?`
    return { param: path + name, message: `Unknown option \`${path}${name}\`. ${next}`, code: 'UNKNOWN_PARAM' }
  })
}

/**
 * @param {string} path
 * @param {string | undefined} name
 */
function withPath(path, name) {
  return name === undefined ? undefined : path + name
}

/**
 * Whether an object is a literal: an instance of a class may have members of its own.
 *
 * @param {any} value
 */
function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  // The literals of other realms have a prototype of their own.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

module.exports = { requireKnown }
