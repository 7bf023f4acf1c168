// @ts-check
'use strict'

const { ToolError, invalidInput } = require('./tool-error.js')

/** Contexts of vm and jest on Node 20 lack the well-known symbol. */
const asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')

/** @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool */

/** The tools of one dialect over one workspace, with their policy and running processes. */
class Toolkit {
  #connection
  /** @type {Map<string, AgentTool>} */
  #tools
  /** @type {import('./client-tools.js').ClientTools | undefined} */
  #clientTools
  /** @type {import('./tool-use.js').ToolUse | undefined} */
  #toolUse

  /** @param {import('../index.d.ts').ToolkitOptions<any>} options */
  constructor(options) {
    // Loaded with the first toolkit: loading the package itself costs next to nothing.
    const { Connection } = require('./connection.js')
    const { agentTool } = require('./agent-tool.js')
    const { data, host, customTools } = splitOptions(options)
    this.#connection = new Connection(data, host)
    warn(this.#connection.notices())
    const tools = this.#connection.catalog().map((entry) => agentTool(entry, this.#connection))
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]))
    for (const tool of customTools) this.registerTool(tool)
  }

  /** @param {unknown} tool */
  registerTool(tool) {
    return this.#register(require('./custom-tool.js').customTool(tool))
  }

  /** @param {string} name */
  unregisterTool(name) {
    this.#tools.delete(name)
    return this.#connection.unregister(name)
  }

  /**
   * @param {unknown} tool
   * @param {import('../index.d.ts').ClientToolOptions} [options]
   */
  registerClientTool(tool, options = {}) {
    const { ClientTools } = require('./client-tools.js')
    this.#clientTools ??= new ClientTools()
    return this.registerTool(this.#clientTools.define(tool, options))
  }

  /**
   * @param {string} toolCallId
   * @param {unknown} result
   */
  resolveClientTool(toolCallId, result) {
    const { ClientTools } = require('./client-tools.js')
    this.#clientTools ??= new ClientTools()
    return this.#clientTools.resolve(toolCallId, result)
  }

  /** @param {unknown} message */
  handleToolUse(message) {
    const { ToolUse } = require('./tool-use.js')
    const connection = this.#connection
    this.#toolUse ??= new ToolUse(({ toolName, toolCallId, input }, signal) => connection.call(toolName, toolCallId, input, signal))
    return this.#toolUse.handle(message)
  }

  /** @param {import('./custom-tool.js').CustomTool} custom */
  #register(custom) {
    const { agentTool } = require('./agent-tool.js')
    const { entry, replaced, notices } = this.#connection.register(custom)
    const overwritten = replaced ? [`There was a tool \`${custom.name}\`; the one registered now takes its place.`] : []
    warn([...overwritten, ...custom.notices, ...notices])
    if (!entry) {
      this.#tools.delete(custom.name)
      return undefined
    }
    const tool = agentTool(entry, this.#connection, custom)
    this.#tools.set(custom.name, tool)
    return tool
  }

  /** @param {readonly string[]} [names] */
  tools(names) {
    return names === undefined ? [...this.#tools.values()] : names.map((name) => this.tool(name))
  }

  /** @param {string} name */
  tool(name) {
    const tool = this.#tools.get(name)
    if (tool) return tool
    const exposed = [...this.#tools.keys()].map((known) => `\`${known}\``).join(', ')
    throw new ToolError(`No tool \`${name}\` is exposed. Exposed are: ${exposed || 'none'}.`, {
      tool: name,
      error_type: 'not_found',
      details: { code: 'unknown_tool' },
    })
  }

  /**
   * @param {readonly string[]} [allowed]
   * @param {import('../index.d.ts').DefinitionFormat} [format]
   * @returns {any[]}
   */
  definitions(allowed, format = 'json-schema') {
    const { FORMATS } = require('./definitions.js')
    if (!Object.hasOwn(FORMATS, format)) {
      throw invalidInput('definitions', `There is no format \`${format}\`; there are: ${Object.keys(FORMATS).join(', ')}.`)
    }
    return this.listTools()
      .filter((tool) => allowed === undefined || allowed.includes(tool.name))
      .map(FORMATS[format])
  }

  /**
   * @param {string} name
   * @param {unknown} params
   * @param {import('../index.d.ts').ExecuteOptions<any>} [options]
   */
  execute(name, params, { toolCallId, signal, onUpdate, auto } = {}) {
    return this.#connection.call(name, toolCallId, params, signal, onUpdate, auto)
  }

  /** @param {string} name */
  getTool(name) {
    return this.#tools.get(name)
  }

  /** @param {readonly string[]} names */
  getTools(names) {
    return names.flatMap((name) => this.#tools.get(name) ?? [])
  }

  listTools() {
    return [...this.#tools.values()]
  }

  /** @param {string} category */
  getToolsByCategory(category) {
    return this.listTools().filter((tool) => tool.category === category)
  }

  /**
   * @param {string} name
   * @param {unknown} params
   */
  validateParams(name, params) {
    return this.#connection.validate(name, params)
  }

  /**
   * @param {string} name
   * @param {unknown} params
   */
  decide(name, params) {
    return this.#connection.decide(name, params)
  }

  /**
   * @param {string} name
   * @param {unknown} params
   */
  approvalRequest(name, params) {
    return this.#connection.approvalRequest(name, params)
  }

  history() {
    return this.#connection.history()
  }

  /**
   * @param {unknown} calls
   * @param {unknown} permissions
   */
  simulate(calls, permissions) {
    return this.#connection.simulate(calls, permissions)
  }

  checkpoint() {
    return this.#connection.checkpoint()
  }

  /**
   * @param {string} id
   * @param {{ force?: boolean }} [options]
   */
  async rollback(id, { force = false, ...unknown } = {}) {
    const [other] = Object.keys(unknown)
    if (other !== undefined) throw invalidInput('rollback', `The option \`${other}\` of \`rollback\` does not exist; there is \`force\`.`)
    if (typeof id !== 'string') throw invalidInput('rollback', 'The id of a checkpoint is a text, as `checkpoint()` gave it.')
    return this.#connection.rollback(id, force === true)
  }

  close() {
    return this.#connection.close()
  }

  [asyncDispose]() {
    return this.close()
  }
}

/**
 * The tools of a new toolkit: one line for the common case.
 *
 * @param {import('../index.d.ts').ToolkitOptions<any>} options
 */
function createTools(options) {
  const toolkit = new Toolkit(options)
  const tools = toolkit.tools()
  const { hide } = require('./schema.js')
  hide(tools, 'close', () => toolkit.close())
  hide(tools, asyncDispose, () => toolkit.close())
  return tools
}

/**
 * Parts the functions of the options from their data.
 *
 * @param {any} options
 */
function splitOptions(options) {
  if (typeof options !== 'object' || options === null) {
    throw invalidInput('toolkit', 'The options are missing; at least `workspace`, the folder to work in, is needed.')
  }
  const { onApproval, onTelemetry, telemetry, customTools, host: given, ...data } = options
  for (const [name, value] of Object.entries({ onApproval, onTelemetry })) {
    if (value === undefined || value === null || typeof value === 'function') continue
    throw invalidInput('toolkit', `The option \`${name}\` is a ${typeof value} and has to be a function.`)
  }
  const { parts, web } = require('./host-parts.js').hostParts({ host: given, web: data.web })
  const own = customTools ?? []
  if (!Array.isArray(own)) throw invalidInput('toolkit', 'The option `customTools` has to be a list of tools, or of names of tools.')
  const { json, faults } = require('./params.js').encodeParams({ ...data, web, customTools: own.map((tool) => (typeof tool === 'string' ? tool : tool?.name)) })
  if (faults.length > 0) {
    throw invalidInput('toolkit', `The options cannot be used. ${faults.map((fault) => fault.message).join(' ')}`, faults)
  }
  const { Host } = require('./host.js')
  const host = new Host({ onApproval: onApproval ?? undefined, onTelemetry: onTelemetry ?? undefined, tracing: tracingOf(telemetry), parts })
  return { data: json, host, customTools: own.filter((tool) => typeof tool !== 'string') }
}

/**
 * The spans that the option `telemetry` asks for.
 *
 * @param {any} telemetry
 */
function tracingOf(telemetry) {
  if (telemetry === undefined || telemetry === null) return undefined
  const unknown = typeof telemetry === 'object' ? Object.keys(telemetry).filter((name) => name !== 'tracer') : ['']
  if (unknown.length > 0) {
    throw invalidInput('toolkit', `The option \`telemetry\` is an object with a \`tracer\`${unknown[0] ? `; it knows no \`${unknown[0]}\`` : ''}.`)
  }
  const { tracer } = telemetry
  if (tracer === undefined || tracer === null) return undefined
  if (typeof tracer.startSpan !== 'function') {
    throw invalidInput('toolkit', 'The option `telemetry.tracer` has no `startSpan`; it has to be a tracer as OpenTelemetry has them.')
  }
  const { Tracing } = require('./tracing.js')
  return new Tracing(tracer)
}

/** @param {readonly string[]} notices */
function warn(notices) {
  for (const notice of notices) process.emitWarning(notice, 'TenonWarning')
}

module.exports = { Toolkit, createTools }
