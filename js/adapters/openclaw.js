// @ts-check
'use strict'

const { plainText, sectionsOf } = require('../approval-text.js')
const { Toolkit } = require('../toolkit.js')
const { requireOptions, run } = require('./calls.js')
const { grantsOf } = require('./grants.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} ToolkitOf */

/** OpenClaw has tools of its own by the names `read`, `exec`, `web_search` and more; those that clash would be dropped. */
const PREFIX = 'tenon_'
/**
 * Operations whose tools the model sees at once. Behind the search of OpenClaw a result arrives as JSON with its details: twice what a command
 * said, pictures as base64, and the end cut off. Tools of its own by these names stand beside the search, too.
 */
const DIRECT = ['read', 'write', 'edit', 'patch', 'execute', 'process', 'list', 'grep', 'find', 'lsp', 'skill', 'web_fetch', 'web_request', 'browser', 'canvas']
/** What OpenClaw shows of a prompt. */
const LONGEST = { title: 80, description: 512 }

/**
 * A plugin of OpenClaw: the default export of its entry.
 *
 * @param {import('../../openclaw.d.ts').OpenClawOptions} [options]
 */
function openclawPlugin(options = {}) {
  const { id, name, description, prefix, toolkitOptions } = read('openclawPlugin', options)
  return {
    id,
    name,
    description,
    register(/** @type {any} */ api) {
      /** One for each workspace: agents of a gateway have their own. @type {Map<string, ToolkitOf>} */
      const toolkits = new Map()
      /** Where calls run, for the hook that is asked before. */
      const toolkitFor = (/** @type {string | undefined} */ directory) => {
        const workspace = toolkitOptions.workspace ?? directory ?? process.cwd()
        const toolkit = toolkits.get(workspace) ?? new Toolkit({ ...toolkitOptions, workspace })
        toolkits.set(workspace, /** @type {any} */ (toolkit))
        return /** @type {ToolkitOf} */ (toolkit)
      }
      for (const tool of namesOf(toolkitOptions)) {
        api.registerTool((/** @type {any} */ context) => openclawTool(toolkitFor(context?.workspaceDir), tool, prefix), { name: prefix + tool })
      }
      api.on('before_tool_call', (/** @type {any} */ event, /** @type {any} */ context) => beforeToolCall(toolkitFor(context?.workspaceDir), prefix, event))
    },
  }
}

/**
 * The manifest of that plugin: `openclaw.plugin.json`.
 *
 * @param {import('../../openclaw.d.ts').OpenClawOptions} [options] those of `openclawPlugin`
 */
function openclawManifest(options = {}) {
  const { id, name, description, prefix, toolkitOptions } = read('openclawManifest', options)
  const tools = namesOf(toolkitOptions).map((tool) => prefix + tool)
  return {
    id,
    name,
    description,
    categories: ['developer-tools'],
    contracts: { tools },
    // Else agents with a profile, as most have one, do not get them.
    toolMetadata: Object.fromEntries(tools.map((tool) => [tool, { profiles: ['coding'] }])),
    activation: { onStartup: true },
    configSchema: { type: 'object', additionalProperties: false },
  }
}

/**
 * @param {string} where
 * @param {any} options
 */
function read(where, options) {
  requireOptions(where, options, ['id', 'name', 'description', 'prefix', 'toolkit'])
  const { id = 'tenon', name = 'tenon', description = 'Files, search and commands behind one policy.', prefix = PREFIX, toolkit = {} } = options
  return { id, name, description, prefix, toolkitOptions: toolkit }
}

/**
 * The tools that a toolkit of these options has, wherever it works.
 *
 * @param {any} options
 */
function namesOf(options) {
  const toolkit = new Toolkit({ ...options, workspace: options.workspace ?? process.cwd() })
  const names = toolkit.listTools().map(({ name }) => name)
  void toolkit.close()
  return names
}

/**
 * @param {ToolkitOf} toolkit
 * @param {string} name
 * @param {string} prefix
 */
function openclawTool(toolkit, name, prefix) {
  const tool = toolkit.getTool(name)
  // What this workspace does not have.
  if (!tool) return null
  return {
    ...tool,
    ...textsOf(tool, new Set(toolkit.listTools().map((one) => one.name)), prefix),
    name: prefix + name,
    ...(DIRECT.includes(tool.metadata?.operation ?? '') && { catalogMode: 'direct-only' }),
    execute: (/** @type {string} */ toolCallId, /** @type {unknown} */ params, /** @type {AbortSignal} */ signal, /** @type {any} */ onUpdate) =>
      run(toolkit, name, params, { toolCallId, signal, onUpdate }),
  }
}

/**
 * The texts of a tool, where other tools have the names that OpenClaw has for them. A value of its own parameters is no tool (`write` of `process`).
 *
 * @param {import('../../index.d.ts').AgentTool<any, any>} tool
 * @param {ReadonlySet<string>} names
 * @param {string} prefix
 */
function textsOf({ description, parameters }, names, prefix) {
  const text = JSON.stringify(parameters)
  /** @type {Set<unknown>} */
  const values = new Set()
  JSON.parse(text, (key, value) => {
    for (const one of key === 'enum' ? value : key === 'const' ? [value] : []) values.add(one)
    return value
  })
  const named = (/** @type {string} */ said) =>
    said.replace(/`(\w+)`/g, (whole, name) => (names.has(name) && !values.has(name) ? `\`${prefix}${name}\`` : whole))
  const shown = JSON.parse(text, (key, value) => (key === 'description' && typeof value === 'string' ? named(value) : value))
  return { description: named(description), parameters: shown }
}

/**
 * What policy says to a call, in the words of OpenClaw.
 *
 * @param {ToolkitOf} toolkit
 * @param {string} prefix
 * @param {any} event
 */
async function beforeToolCall(toolkit, prefix, { toolName, toolCallId, params }) {
  const name = toolName.startsWith(prefix) ? toolName.slice(prefix.length) : undefined
  if (name === undefined || !toolkit.getTool(name)) return undefined
  const grants = grantsOf(toolkit)
  const { verdict, reason, request } = await grants.judge(name, params, toolCallId)
  if (verdict === 'deny') return { block: true, blockReason: reason }
  if (!request) return undefined
  return {
    requireApproval: {
      title: cut(`${request.tool}: ${subjectOf(request)}`, LONGEST.title),
      description: cut([reason, plainText(sectionsOf(request), LONGEST.description)].filter(Boolean).join('\n'), LONGEST.description),
      severity: request.danger === 'high' ? 'critical' : 'warning',
      allowedDecisions: ['allow-once', 'deny'],
      onResolution: (/** @type {string} */ decision) => {
        if (decision !== 'allow-once' && decision !== 'allow-always') grants.forget(name, params, toolCallId)
      },
    },
  }
}

/** @param {import('../../index.d.ts').ApprovalRequest} request */
function subjectOf({ preview: { commands = [], writes = [], deletes = [], reads = [], urls = [] } }) {
  return [...commands.map(({ text }) => text), ...deletes, ...writes, ...urls, ...reads].join(', ')
}

/**
 * @param {string} text
 * @param {number} limit
 */
function cut(text, limit) {
  const characters = Array.from(text)
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`
}

module.exports = { openclawManifest, openclawPlugin }
