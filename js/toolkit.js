// @ts-check
'use strict'

const { ToolError, invalidInput } = require('./tool-error.js')

// What only a toolkit needs is loaded with the first one: loading the package costs next to nothing.
const later = {
  agentTool: () => require('./agent-tool.js').agentTool,
  Connection: () => require('./connection.js').Connection,
  encodeParams: () => require('./params.js').encodeParams,
  hide: () => require('./schema.js').hide,
}

/** Contexts of vm and jest on Node 20 lack the well-known symbol. */
const asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')

/** Options that are functions; everything else is data and crosses as JSON. */
const HOST_FUNCTIONS = /** @type {const} */ (['onApproval', 'onTelemetry'])

/** @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool */

/** The tools of one dialect over one workspace, with their policy and running processes. */
class Toolkit {
  #connection
  /** @type {Map<string, AgentTool>} */
  #tools

  /** @param {import('../index.d.ts').ToolkitOptions<any>} options */
  constructor(options) {
    const { data, host } = splitOptions(options)
    const agentTool = later.agentTool()
    this.#connection = new (later.Connection())(data, host)
    for (const notice of this.#connection.notices()) process.emitWarning(notice, 'TenonWarning')
    const tools = this.#connection.catalog().map((entry) => agentTool(entry, this.#connection))
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]))
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

  /** @param {readonly string[]} [allowed] */
  definitions(allowed) {
    return this.listTools()
      .filter((tool) => allowed === undefined || allowed.includes(tool.name))
      .map(({ name, description, parameters }) => ({
        name,
        description,
        inputSchema: JSON.parse(JSON.stringify(parameters)),
      }))
  }

  /**
   * @param {string} name
   * @param {unknown} params
   * @param {import('../index.d.ts').ExecuteOptions<any>} [options]
   */
  execute(name, params, { toolCallId, signal, onUpdate } = {}) {
    return this.#connection.call(name, toolCallId, params, signal, onUpdate)
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
  const hide = later.hide()
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
  const { ...data } = options
  /** @type {import('./inbox.js').HostFunctions} */
  const host = {}
  for (const name of HOST_FUNCTIONS) {
    const value = data[name]
    delete data[name]
    if (value === undefined || value === null) continue
    if (typeof value !== 'function') {
      throw invalidInput('toolkit', `The option \`${name}\` is a ${typeof value} and has to be a function.`)
    }
    host[name] = value
  }
  const { json, faults } = later.encodeParams()(data)
  if (faults.length > 0) {
    throw invalidInput('toolkit', `The options cannot be used. ${faults.map((fault) => fault.message).join(' ')}`, faults)
  }
  return { data: json, host }
}

module.exports = { Toolkit, createTools }
