// @ts-check
'use strict'

const { ToolError, invalidInput } = require('./tool-error.js')

/** Contexts of vm and jest on Node 20 lack the well-known symbol. */
const asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')

/** @type {typeof import('./unknown-options.js').requireOptions} loaded where it is needed */
const requireOptions = (...args) => require('./unknown-options.js').requireOptions(...args)

/** The smallest budget of a result, as in `contract::limits`. */
const LEAST_TOKENS = 200

/** @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool */

/** In place of options: the run of a sub-agent, and the toolkit of the session that has started it. */
class Descent {
  /**
   * @param {import('./connection.js').Connection} connection
   * @param {readonly string[]} names of the tools that there may be
   */
  constructor(connection, names) {
    this.connection = connection
    this.names = names
  }
}

/** For other files of this package. @type {WeakMap<object, import('./connection.js').Connection>} */
const connections = new WeakMap()

/** The tools of one dialect over one workspace, with their policy and running processes. */
class Toolkit {
  /** @type {import('./connection.js').Connection} */
  #connection
  /** @type {import('./tool-table.js').ToolTable | undefined} */
  #table
  /** The functions of the host, as it gave them. @type {any} */
  #functions
  /** Whether its commands note the state in which they end. */
  #hasState = false
  /** What was noticed when tools were registered. @type {Set<string>} */
  #notices = new Set()
  /** @type {import('./client-tools.js').ClientTools | undefined} */
  #clientTools
  /** @type {import('./tool-use.js').ToolUse | undefined} */
  #toolUse
  /** Tools of the host that were registered before the others were known. @type {{ entry: any, custom: import('./custom-tool.js').CustomTool }[]} */
  #early = []
  /** @type {Promise<{ url: string, close: () => Promise<void> }> | undefined} the page that shows it */
  #page

  /**
   * @param {import('../index.d.ts').ToolkitOptions<any>} options
   * @param {unknown} [narrowedBy] rights of those on whose behalf calls are made, as the core has given them
   */
  constructor(options, narrowedBy) {
    if (options instanceof Descent) {
      this.#connection = options.connection
      this.#descend(options)
      return
    }
    // Loaded with the first toolkit: loading the package itself costs next to nothing.
    const { Connection } = require('./connection.js')
    const { creationError, readOptions } = require('./options.js')
    const { data, host, customTools, directory, servers, remote } = readOptions(options, narrowedBy)
    if (directory !== undefined) require('./adapters/shell-state.js').keepDirectory(this, directory)
    this.#hasState = directory !== undefined
    this.#functions = options.host
    try {
      this.#connection = new Connection(data, host, undefined, remote)
    } catch (error) {
      throw creationError(error, options.workspace)
    }
    this.#connection.host.toolkit = this
    this.#connection.root = remote ? remote.path : directoryOf(options.workspace)
    this.#connection.onRegistered((name, entry) => this.#registered(name, entry))
    connections.set(this, this.#connection)
    warn(this.#connection.notices())
    for (const tool of customTools) this.registerTool(tool)
    if (servers) this.#clients(servers.settings).begin(servers.entries, servers.workspace)
    if (options.cron?.run) require('./cron.js').keepRunning(this, options.cron)
    host.observer?.opened?.(/** @type {any} */ (this), typeof options.workspace === 'string' ? options.workspace : options.workspace.path)
  }

  /**
   * The toolkit of a sub-agent: at most the tools of this one, those of the host included.
   *
   * @param {Descent} descent
   */
  #descend({ connection, names }) {
    connections.set(this, connection)
    connection.host.toolkit = this
    for (const { name } of this.#connection.catalog()) if (!names.includes(name)) this.unregisterTool(name)
  }

  /**
   * The toolkit of a run that `host.runAgent` works on. Not for callers: they get it with the run.
   *
   * @param {string} run
   * @returns {Toolkit}
   */
  childOf(run) {
    const names = this.#connection.catalog().map(({ name }) => name)
    const child = new Toolkit(/** @type {any} */ (new Descent(this.#connection.child(run), names)))
    child.#connection.root = this.#connection.root
    const { mcp } = this.#connection.host
    for (const custom of this.#connection.host.tools.values()) child.#register(custom, { isHidden: mcp?.isHidden(custom.name) })
    child.#connection.host.mcp = mcp
    return child
  }

  /** The exposed tools, which calls by name do not need. */
  get #tools() {
    if (!this.#table) {
      const { ToolTable } = require('./tool-table.js')
      this.#table = new ToolTable(this.#connection)
      for (const { entry, custom } of this.#early.splice(0)) this.#table.set(entry, custom)
    }
    this.#table.update()
    return this.#table
  }

  /** @param {unknown} tool */
  registerTool(tool) {
    return this.#register(require('./custom-tool.js').customTool(tool))
  }

  /** @param {string} name */
  unregisterTool(name) {
    this.#table?.delete(name)
    return this.#connection.unregister(name)
  }

  /**
   * @param {unknown} tool
   * @param {import('../index.d.ts').ClientToolOptions} [options]
   */
  registerClientTool(tool, options = {}) {
    requireOptions('registerClientTool', options, ['wait', 'timeoutMs', 'onCall', 'effects'])
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

  /**
   * @param {unknown} message
   * @param {import('../index.d.ts').ToolUseOptions} [options]
   */
  handleToolUse(message, options) {
    const { ToolUse } = require('./tool-use.js')
    const connection = this.#connection
    this.#toolUse ??= new ToolUse(({ toolName, toolCallId, input }, signal) => connection.call({ tool: toolName, toolCallId, params: input, signal }))
    return this.#toolUse.handle(message, options)
  }

  /** The MCP servers: what is known of them, and what only the host does with them. */
  get mcp() {
    return this.#clients(require('./mcp-client/config.js').mcpSettings(undefined))
  }

  /**
   * @param {unknown} client
   * @param {any} options
   */
  registerMcpClient(client, options) {
    return this.mcp.register(client, options)
  }

  /** @param {any} settings */
  #clients(settings) {
    const own = this.#connection.host
    if (!own.mcp) {
      const { McpClients } = require('./mcp-client/clients.js')
      const toolkit = {
        connection: this.#connection,
        register: (/** @type {any} */ custom, /** @type {boolean} */ isHidden) => this.#register(custom, { isHidden, isQuiet: true }),
        unregister: (/** @type {string} */ name) => this.unregisterTool(name),
        arrange: (/** @type {readonly string[]} */ names) => this.#tools.arrange(names),
        hiddenOnes: (/** @type {readonly string[]} */ names) => this.#tools.hiddenOnes(names),
      }
      own.mcp = new McpClients(toolkit, settings, this.#functions)
    }
    return own.mcp
  }

  /**
   * @param {import('./custom-tool.js').CustomTool} custom
   * @param {{ isHidden?: boolean, isQuiet?: boolean }} [how] whether it is called by name only; whether it may take the place of another
   */
  #register(custom, { isHidden = false, isQuiet = false } = {}) {
    if (!this.#connection.isReady) return this.#registerEarly(custom)
    // Before the registration, which adds to the catalog.
    const tools = this.#tools
    if (isHidden) tools.hide(custom.name)
    const { entry, replaced, notices } = this.#connection.register(custom)
    const overwritten = replaced && !isQuiet ? [`The tool \`${custom.name}\` was replaced by the one that was registered now.`] : []
    const all = [...overwritten, ...custom.notices, ...notices]
    for (const notice of all) this.#notices.add(notice)
    warn(all)
    if (!entry || isHidden) {
      tools.delete(custom.name)
      return undefined
    }
    tools.set(entry, custom)
    return tools.get(custom.name)
  }

  /**
   * Where the engine is elsewhere and has not said what it has.
   *
   * @param {import('./custom-tool.js').CustomTool} custom
   */
  #registerEarly(custom) {
    const { entry } = this.#connection.register(custom)
    this.#early.push({ entry, custom })
    return require('./agent-tool.js').agentTool(entry, this.#connection, custom)
  }

  /**
   * What an engine that is elsewhere says of a registration.
   *
   * @param {string} name
   * @param {any} entry
   */
  #registered(name, entry) {
    const custom = this.#connection.host.tools.get(name)
    if (entry && custom) this.#table?.set(entry, custom)
    else if (!entry) this.#table?.delete(name)
  }

  /** Resolves when the tools are known: at once, unless the workspace is elsewhere. */
  ready() {
    return this.#connection.ready()
  }

  /** What is answered at once and needs the engine, by promises: it may be elsewhere. */
  get promises() {
    return require('./promises.js').promisesOf(this.#connection)
  }

  /** @param {string} method */
  #requireHere(method) {
    if (this.#connection.isRemote) throw require('./promises.js').elsewhere(method)
  }

  /** @param {readonly string[]} [names] */
  tools(names) {
    if (names === undefined) return this.#tools.all()
    requireNames('tools', names)
    return names.map((name) => this.tool(name))
  }

  /** @param {string} name */
  tool(name) {
    const tool = this.#tools.get(name)
    if (tool) return tool
    const exposed = this.#tools.names.map((known) => `\`${known}\``).join(', ')
    throw new ToolError(`There is no tool \`${name}\` in this toolkit. Available: ${exposed || 'none'}.`, {
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
    const { FORMATS, definition } = require('./definitions.js')
    if (!Object.hasOwn(FORMATS, format)) {
      throw invalidInput('definitions', `There is no format \`${format}\`. Formats: ${Object.keys(FORMATS).join(', ')}.`)
    }
    if (allowed !== undefined) requireNames('definitions', allowed)
    return this.listTools()
      .filter((tool) => allowed === undefined || allowed.includes(tool.name))
      .map((tool) => definition(this, tool, format))
  }

  /**
   * @param {string} name
   * @param {unknown} params
   * @param {import('../index.d.ts').ExecuteOptions<any>} [options]
   */
  async execute(name, params, options = {}) {
    if (typeof name !== 'string') throw invalidInput('execute', `The name of a tool must be a string; got ${name === null ? 'null' : typeof name}.`)
    if (typeof options !== 'object' || options === null) throw invalidInput('execute', 'The options of `execute` must be an object.')
    const { toolCallId, signal, onUpdate, auto, approved, digest, maxTokens } = options
    const grant = grantOf(approved, digest)
    return this.#connection.call({ tool: name, params, toolCallId, signal, onUpdate, auto, approved: grant, maxTokens: budgetOf(name, maxTokens) })
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
    return this.#tools.all()
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
    if (!this.#connection.validates) this.#requireHere('validateParams')
    return this.#connection.validate(name, params)
  }

  /**
   * @param {string} name
   * @param {unknown} params
   */
  decide(name, params) {
    this.#requireHere('decide')
    return this.#connection.decide(name, params)
  }

  /**
   * @param {string} name
   * @param {unknown} params
   */
  explain(name, params) {
    this.#requireHere('explain')
    return this.#connection.explain(name, params)
  }

  /**
   * @param {string} name
   * @param {unknown} params
   */
  approvalRequest(name, params) {
    this.#requireHere('approvalRequest')
    return this.#connection.approvalRequest(name, params)
  }

  /** @param {string} uri */
  canvas(uri) {
    this.#requireHere('canvas')
    if (typeof uri !== 'string') throw invalidInput('canvas', `The address of a canvas must be a string; got ${typeof uri}.`)
    return this.#connection.canvas(uri)
  }

  canvases() {
    this.#requireHere('canvases')
    return this.#connection.canvases()
  }

  lint() {
    this.#requireHere('lint')
    return this.#connection.lint()
  }

  /** The permission mode. */
  get mode() {
    return this.#connection.mode()
  }

  /** @param {import('../index.d.ts').PermissionMode} mode */
  setMode(mode) {
    this.#requireHere('setMode')
    this.#connection.setMode(mode)
  }

  /**
   * @param {any} type
   * @param {(event: any) => void} listener
   */
  on(type, listener) {
    return this.#connection.on(type, listener)
  }

  /** @param {string} toolCallId */
  background(toolCallId) {
    this.#requireHere('background')
    if (typeof toolCallId === 'string') return this.#connection.background(toolCallId)
    throw invalidInput('background', 'The id of a call must be a string.')
  }

  history() {
    return this.#connection.history()
  }

  notices() {
    return [...new Set([...this.#connection.notices(), ...this.#notices])]
  }

  /** @param {{ limit?: number, before?: number }} [options] */
  async storedCalls({ limit = 100, before, ...unknown } = {}) {
    const [other] = Object.keys(unknown)
    if (other !== undefined) throw invalidInput('storedCalls', `The option \`${other}\` of \`storedCalls\` does not exist. There are \`limit\` and \`before\`.`)
    for (const [name, value] of Object.entries({ limit, before })) {
      if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue
      throw invalidInput('storedCalls', `The option \`${name}\` must be a positive integer.`)
    }
    return this.#connection.storedCalls(before, Math.min(limit, 1000))
  }

  /** Where the text comes from that the agents have read and the user did not write. */
  async sources() {
    return this.#connection.sources()
  }

  /**
   * @param {unknown} source
   * @param {{ from?: unknown }} [options]
   */
  async addSource(source, { from = 'the application', ...unknown } = {}) {
    const [other] = Object.keys(unknown)
    if (other !== undefined) throw invalidInput('addSource', `Unknown option \`${other}\` of \`addSource\`. Known option: \`from\`.`)
    if (typeof source !== 'string' || typeof from !== 'string') {
      throw invalidInput('addSource', "Name the source and where the text comes from: `addSource('network', { from: 'example.com' })`.")
    }
    await this.#connection.addSource(source, from)
  }

  /** @param {string} [sessionId] */
  async forget(sessionId) {
    if (sessionId === undefined || (typeof sessionId === 'string' && sessionId !== '')) return this.#connection.forget(sessionId)
    throw invalidInput('forget', 'The id of a session must be a string that is not empty; without one the own session is removed.')
  }

  /**
   * @param {unknown} calls
   * @param {unknown} permissions
   */
  simulate(calls, permissions) {
    this.#requireHere('simulate')
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
    if (other !== undefined) throw invalidInput('rollback', `Unknown option \`${other}\` of \`rollback\`. Known option: \`force\`.`)
    if (typeof id !== 'string') throw invalidInput('rollback', 'The id of a checkpoint must be the string that `checkpoint()` returned.')
    return this.#connection.rollback(id, force === true)
  }

  /** @param {string} toolCallId */
  async undo(toolCallId) {
    if (typeof toolCallId === 'string' && toolCallId !== '') return this.#connection.undo(toolCallId)
    throw invalidInput('undo', 'The id of a call must be the string that the call was made with. `history()` lists them.')
  }

  /** @param {string} [since] */
  async diff(since) {
    if (since === undefined || (typeof since === 'string' && since !== '')) return this.#connection.diff(since)
    throw invalidInput('diff', 'Pass the id of a checkpoint or of a call, or nothing for all changes that are kept.')
  }

  /** @param {{ port?: number }} [options] */
  inspect(options) {
    if (!this.#page) {
      const forget = () => void (this.#page = undefined)
      this.#page = require('./inspect/index.js').inspectLive(this, this.#connection, options, forget)
      this.#page.catch(forget)
    }
    return this.#page
  }

  async close() {
    require('./cron.js').release(this)
    await this.#connection.host.mcp?.close()
    await this.#connection.close()
    // A page that did not open has said so.
    await this.#page?.then(
      (page) => page.close(),
      () => {},
    )
    if (this.#hasState) require('./adapters/shell-state.js').removeDirectory(this)
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

/** @param {readonly string[]} notices */
function warn(notices) {
  if (notices.length > 0) require('./notices.js').warnOnce(notices)
}

/**
 * The digest of an approval that was given elsewhere. One without a digest would be for whatever the call does by then.
 *
 * @param {unknown} approved
 * @param {unknown} digest
 */
function grantOf(approved, digest) {
  if (approved === undefined) return undefined
  if (approved === 'once' && typeof digest === 'string' && digest !== '') return digest
  throw invalidInput('execute', "`approved` must be 'once', together with the `digest` of `approvalRequest(name, params)`.")
}

/**
 * The budget of one result.
 *
 * @param {string} tool
 * @param {unknown} maxTokens
 */
function budgetOf(tool, maxTokens) {
  if (maxTokens === undefined) return undefined
  if (Number.isInteger(maxTokens) && /** @type {number} */ (maxTokens) >= LEAST_TOKENS) return Math.min(/** @type {number} */ (maxTokens), 0xffffffff)
  throw invalidInput(tool, `\`maxTokens\` must be an integer of at least ${LEAST_TOKENS}.`)
}

/**
 * The directory of a workspace on this machine.
 *
 * @param {unknown} workspace
 */
function directoryOf(workspace) {
  return typeof workspace === 'string' ? require('node:path').resolve(workspace) : undefined
}

/**
 * The connection of a toolkit; none of what only looks like one.
 *
 * @param {object} toolkit
 */
function connectionOf(toolkit) {
  return connections.get(toolkit)
}

/**
 * @param {string} where
 * @param {unknown} names
 */
function requireNames(where, names) {
  if (!Array.isArray(names)) throw invalidInput(where, `The names of tools must be a list; got ${names === null ? 'null' : typeof names}.`)
}

module.exports = { Toolkit, asyncDispose, connectionOf, createTools }
