// @ts-check
'use strict'

const { existsSync, statSync } = require('node:fs')
const { resolve } = require('node:path')

const { Host, inPage } = require('./host.js')
const { encodeParams } = require('./params.js')
const { ToolError, invalidInput } = require('./tool-error.js')

/** Options that the core takes as they are given, and checks itself. */
const PLAIN = new Set(['workspace', 'additionalDirectories', 'dialect', 'level', 'tools', 'permissions', 'mode', 'limits'])

/** Options that are objects, and which of these may be lists as well. */
const OBJECTS = [
  ...['hooks', 'host', 'mcpServers', 'mcp', 'web', 'telemetry', 'observe', 'exec', 'session', 'sessions', 'cron', 'canvas', 'browser'],
  ...['skills', 'env', 'sandbox', 'memory', 'shell', 'undo', 'search', 'limits', 'permissions', 'lsp', 'redact', 'programs', 'edits'],
]
const LISTS = ['hooks', 'mcpServers', 'programs']
/** Objects that keep what they hold elsewhere than in members. */
const NO_OPTIONS = ['Promise', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Date', 'RegExp', 'Error']

/**
 * Separates the functions of the options from their data.
 *
 * @param {any} options
 * @param {unknown} [narrowedBy] rights beside the options, from the core
 * @returns {{ data: string, host: Host, customTools: any[], directory?: string, servers?: any, remote?: any }} the data as JSON; where commands note their state;
 *   where the engine is, if elsewhere
 */
function readOptions(options, narrowedBy) {
  const workspace = options?.workspace
  if (typeof workspace !== 'object' || workspace === null) return readHere(options, narrowedBy)
  const { RemoteWorkspace, remoteOptions } = require('./remote/workspace.js')
  if (!(workspace instanceof RemoteWorkspace)) return readHere(options, narrowedBy)
  return { ...readHere(remoteOptions(options, workspace), narrowedBy), remote: workspace }
}

/**
 * The same where the workspace is on this machine.
 *
 * @param {any} options
 * @param {unknown} [narrowedBy]
 * @returns {ReturnType<typeof readOptions>}
 */
function readHere(options, narrowedBy) {
  if (typeof options !== 'object' || options === null || options.workspace === undefined || options.workspace === null) {
    if (typeof options === 'object' && options !== null) requireKnown(options)
    throw invalidInput('toolkit', 'The option `workspace` is missing: the directory that the tools work in.')
  }
  requireKnown(options)
  requireForms(options)
  const { options: known, directory } =
    options.exec?.state == null ? { options, directory: undefined } : require('./adapters/shell-state.js').withShellState(options)
  const {
    onApproval,
    onTelemetry,
    onProcess,
    telemetry,
    customTools,
    hooks: givenHooks,
    record,
    observe,
    inspect,
    host: given,
    mcpServers,
    mcp,
    ...data
  } = known
  for (const [name, value] of Object.entries({ onApproval, onTelemetry, onProcess })) {
    if (value === undefined || value === null || typeof value === 'function') continue
    throw invalidInput('toolkit', `The option \`${name}\` must be a function; got ${typeof value}.`)
  }
  if (inspect !== undefined && inspect !== null && typeof inspect !== 'boolean') {
    throw invalidInput('toolkit', `The option \`inspect\` must be true or false; got ${typeof inspect}.`)
  }
  const { parts, web, session } = partsOf(options)
  const servers = serversOf(options)
  if (servers) parts.set('mcp', (event, context) => host.mcp?.take(event, context) ?? null)
  const hooks = givenHooks == null ? undefined : require('./hooks.js').partedHooks(givenHooks, parts)
  const own = customTools ?? []
  if (!Array.isArray(own)) throw invalidInput('toolkit', 'The option `customTools` must be a list of tools, or of names of tools.')
  const names = own.map(nameOf)
  const agents = given == null ? undefined : require('./host-callbacks.js').agentsOf(given)
  const { json, faults } = encodeParams({
    ...data,
    web,
    session,
    // Rules may name the tools that come with servers.
    customTools: servers ? [...names, 'find_tools', 'use_tool', 'list_mcp_resources', 'read_mcp_resource'] : names,
    record: recordOf(record),
    ...(hooks && { hooks }),
    ...(agents && { agents }),
    ...(parts.has('runAgent') && { timeZone: timeZone() }),
    ...channelsOf(given),
    ...(narrowedBy !== undefined && { narrowedBy }),
  })
  if (faults.length > 0) {
    throw invalidInput('toolkit', `The options are not valid. ${faults.map((fault) => fault.message).join(' ')}`, faults)
  }
  const host = new Host({
    onApproval: onApproval ?? (inspect === true ? inPage : undefined),
    onTelemetry: onTelemetry ?? undefined,
    onProcess: onProcess ?? undefined,
    tracing: tracingOf(telemetry),
    parts,
    observer: observerOf(observe),
    changesResults: hooks !== undefined && require('./hooks.js').changesResults(hooks),
    watch: { given: givenTo(options) },
  })
  return {
    data: json,
    host,
    customTools: own.filter((tool) => typeof tool !== 'string'),
    ...(directory !== undefined && { directory }),
    ...(servers && { servers }),
  }
}

/**
 * @param {any} tool of the host, or its name
 * @param {number} index
 */
function nameOf(tool, index) {
  if (typeof tool === 'string') return tool
  if (typeof tool === 'object' && tool !== null) return tool.name
  throw invalidInput('toolkit', `The option \`customTools[${index}]\` must be a tool, or the name of one; got ${tool === null ? 'null' : typeof tool}.`)
}

/**
 * The MCP servers that the options name, checked; nothing where there is none.
 *
 * @param {any} options
 */
function serversOf({ mcpServers, mcp, workspace }) {
  if (mcpServers == null && mcp == null) return undefined
  const { mcpSettings, serverEntries } = require('./mcp-client/config.js')
  const directory = typeof workspace === 'string' ? resolve(workspace) : process.cwd()
  return { settings: mcpSettings(mcp), entries: serverEntries(mcpServers, directory), workspace: directory }
}

/** @param {any} observe */
function observerOf(observe) {
  if (observe === undefined || observe === null) return undefined
  if (typeof observe.around === 'function' && [observe.opened, observe.undo].every((part) => ['undefined', 'function'].includes(typeof part))) return observe
  throw invalidInput('toolkit', 'The option `observe` must be an object with a function `around`, such as `acpSession(…).options.observe`.')
}

/**
 * Refuses what only looks like an object of options: its members would be found missing, and what they demand would not be done.
 *
 * @param {any} options
 */
function requireForms(options) {
  for (const name of OBJECTS) {
    requireForm(name, options[name], !LISTS.includes(name))
    if (name === 'hooks' && Array.isArray(options.hooks))
      options.hooks.forEach((/** @type {unknown} */ hook, /** @type {number} */ index) => requireForm(`hooks[${index}]`, hook, true))
  }
  for (const name of ['fetch', 'search']) requireForm(`web.${name}`, options.web?.[name], true)
}

/**
 * @param {string} path
 * @param {any} value
 * @param {boolean} isOne whether it is one object, and no list of them
 */
function requireForm(path, value, isOne) {
  if (typeof value !== 'object' || value === null) return
  const kind = kindOf(value)
  if (!NO_OPTIONS.includes(kind) && !(isOne && Array.isArray(value))) return
  const next = kind === 'Promise' ? 'Await it before it is given.' : 'Give a plain object.'
  throw invalidInput('toolkit', `The option \`${path}\` must be an object, not a ${kind === 'Array' ? 'list' : kind}. ${next}`)
}

/** @param {any} value */
function kindOf(value) {
  try {
    return typeof value.then === 'function' ? 'Promise' : Object.prototype.toString.call(value).slice(8, -1)
  } catch {
    // What cannot be read is named where it is read.
    return 'Object'
  }
}

/**
 * Refuses options that do not exist.
 *
 * @param {any} options
 */
function requireKnown(options) {
  if (!Object.keys(options).every((name) => PLAIN.has(name))) require('./option-names.js').requireKnown(options)
}

/**
 * What the host supplies, and the options that it was taken out of.
 *
 * @param {any} options
 * @returns {{ parts: Map<string, import('./host-callbacks.js').HostCallback>, web: any, session: any }}
 */
function partsOf(options) {
  const { host, web, session } = options
  const hasNone = host == null && web == null && typeof session?.store !== 'object'
  return hasNone ? { parts: new Map(), web, session } : require('./host-callbacks.js').hostParts(options)
}

/**
 * The options that decisions depend on, for the page that tries them.
 *
 * @param {any} options
 * @returns {import('./inspect/lab.js').Given}
 */
function givenTo({ workspace, dialect, settings, permissions, tools }) {
  return { workspace, ...(dialect && { dialect }), ...(settings && { settings }), ...(permissions && { permissions }), ...(tools && { tools }) }
}

/**
 * The channels that never change, for the schema of the tool.
 *
 * @param {any} host
 */
function channelsOf(host) {
  const listed = Array.isArray(host?.channels) && typeof host.sendMessage === 'function'
  return (
    listed && {
      channels: host.channels.map((/** @type {any} */ { id, label }) => ({ name: id, description: label === undefined || label === id ? '' : String(label) })),
    }
  )
}

/**
 * The option `record` with the path of its file from the directory of the process.
 *
 * @param {any} record
 */
function recordOf(record) {
  if (record === '' || record?.file === '') throw invalidInput('toolkit', 'The option `record` is an empty text; it must be the path of a file.')
  if (typeof record === 'string') return resolve(record)
  return typeof record?.file === 'string' ? { ...record, file: resolve(record.file) } : record
}

/** The time zone of the user, as `session_status` reports it. */
function timeZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/**
 * The spans that the option `telemetry` asks for.
 *
 * @param {any} telemetry
 */
function tracingOf(telemetry) {
  if (telemetry === undefined || telemetry === null) return undefined
  if (typeof telemetry !== 'object') throw invalidInput('toolkit', `The option \`telemetry\` must be an object with a \`tracer\`; got ${typeof telemetry}.`)
  const { tracer } = telemetry
  if (tracer === undefined || tracer === null) return undefined
  if (typeof tracer.startSpan !== 'function') {
    throw invalidInput('toolkit', 'The option `telemetry.tracer` has no `startSpan`: it must be an OpenTelemetry tracer.')
  }
  const { Tracing } = require('./tracing.js')
  return new Tracing(tracer)
}

/**
 * Why no toolkit could be created, in the words of options where the workspace is the reason.
 *
 * @param {unknown} error
 * @param {any} workspace
 */
function creationError(error, workspace) {
  if (!ToolError.is(error) || typeof workspace !== 'string') return error
  const fault = faultOf(workspace)
  if (fault === undefined) return error
  const { tool, error_type, details } = error
  return new ToolError(`The workspace \`${workspace}\` ${fault}.`, { tool, error_type, details, cause: error })
}

/** @param {string} workspace */
function faultOf(workspace) {
  try {
    if (!existsSync(workspace)) return 'does not exist'
    return statSync(workspace).isDirectory() ? undefined : 'is not a directory'
  } catch {
    // It exists and cannot be examined: the core says why.
    return undefined
  }
}

module.exports = { creationError, readOptions }
