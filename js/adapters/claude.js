// @ts-check
'use strict'

const { McpServer } = require('../mcp-server.js')
const { McpService } = require('../mcp-service.js')
const { connectionOf } = require('../toolkit.js')
const { requireOptions, requireToolkit, run, toolsOf } = require('./calls.js')
const { grantsOf, isElsewhere } = require('./grants.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/** What a name of a tool of an MCP server begins with. */
const PREFIX = 'mcp__'

/**
 * The options of `query` that put the tools in the place of Claude Code's own: an MCP server in this process, the names that
 * the model knows as aliases, none of its own tools, and the policy of the toolkit for their permissions. Its program works in the
 * workspace, where that is on this machine, and loads no settings from files: their hooks would run past the policy.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../claude.d.ts').ClaudeOptions} [options]
 */
function toClaudeOptions(toolkit, options = {}) {
  requireToolkit('toClaudeOptions', toolkit)
  requireOptions('toClaudeOptions', options, ['name', 'names', 'ask'])
  const { name = 'tenon', names, ask } = options
  const tools = toolsOf(toolkit, names)
  const aliases = tools.map((tool) => [tool.name, `${PREFIX}${name}__${tool.name}`])
  const directory = isElsewhere(toolkit) ? undefined : connectionOf(toolkit)?.root
  return {
    ...(directory !== undefined && { cwd: directory }),
    settingSources: [],
    mcpServers: { [name]: toSdkMcpServer(toolkit, { name, names }) },
    tools: [],
    toolAliases: Object.fromEntries(aliases),
    canUseTool: toCanUseTool(toolkit, { name, ask }),
  }
}

/**
 * A server for `mcpServers`, in this process: what `createSdkMcpServer` makes, with the schemas as they are.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../claude.d.ts').ClaudeServerOptions} [options]
 */
function toSdkMcpServer(toolkit, options = {}) {
  requireToolkit('toSdkMcpServer', toolkit)
  requireOptions('toSdkMcpServer', options, ['name', 'names', 'instructions'])
  const { name = 'tenon', names, instructions } = options
  return {
    type: /** @type {const} */ ('sdk'),
    name,
    alwaysLoad: true,
    instance: new ServerInstance(new McpService(served(toolkit, names), { name, instructions }, 'toSdkMcpServer')),
  }
}

/**
 * The part of a toolkit that is served. A call runs with what its user approved.
 *
 * @param {Toolkit} toolkit
 * @param {readonly string[] | undefined} names
 * @returns {any}
 */
function served(toolkit, names) {
  if (names) toolsOf(toolkit, names)
  const has = (/** @type {string} */ name) => names === undefined || names.includes(name)
  return new Proxy(toolkit, {
    get(target, key) {
      if (key === 'listTools') return () => target.listTools().filter((tool) => has(tool.name))
      if (key === 'definitions') return (/** @type {any} */ _, /** @type {any} */ format) => target.definitions(names, format)
      // Claude Code asks about a call by its arguments; the server does not know the id that it has there.
      if (key === 'execute')
        return (/** @type {string} */ name, /** @type {any} */ params, /** @type {any} */ options) =>
          run(target, has(name) ? name : '', params, { ...options, toolCallId: undefined })
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** As much of a server of the MCP SDK as `query` uses. */
class ServerInstance {
  #service
  /** @type {McpServer | undefined} */
  #server
  /** @type {any} */
  #transport

  /** @param {McpService} service */
  constructor(service) {
    this.#service = service
  }

  /** What callers of the SDK look at. */
  get server() {
    return this
  }

  isConnected() {
    return this.#transport !== undefined
  }

  /** @param {any} transport */
  async connect(transport) {
    const server = new McpServer(this.#service, (message) => void Promise.resolve(transport.send(message)).catch(() => {}))
    this.#server = server
    this.#transport = transport
    transport.onmessage = (/** @type {any} */ message) => void server.receive(JSON.stringify(message))
    transport.onclose = () => {
      server.close()
      this.#transport = undefined
    }
    await transport.start?.()
  }

  async close() {
    this.#server?.close()
    await this.#transport?.close?.()
    this.#transport = undefined
  }
}

/**
 * What policy says to each call, as the option `canUseTool` of `query` wants to know it.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../claude.d.ts').CanUseToolOptions} [options]
 */
function toCanUseTool(toolkit, options = {}) {
  requireToolkit('toCanUseTool', toolkit)
  requireOptions('toCanUseTool', options, ['name', 'ask'])
  const { name: server = 'tenon', ask } = options
  return async (/** @type {string} */ toolName, /** @type {Record<string, unknown>} */ input, /** @type {any} */ context) => {
    const prefix = `${PREFIX}${server}__`
    const name = toolName.startsWith(prefix) ? toolName.slice(prefix.length) : toolName
    if (!toolkit.getTool(name))
      return resultOf(ask && (await ask(undefined, { ...context, toolName, input })), input, `\`${toolName}\` is not a tool of this toolkit.`)
    const grants = grantsOf(toolkit)
    const { verdict, reason, request } = await grants.judge(name, input)
    if (verdict === 'deny') return { behavior: 'deny', message: reason }
    if (!request) return { behavior: 'allow', updatedInput: input }
    grants.forget(name, input)
    // Without somebody to ask here, the toolkit asks its own approver when the call runs.
    if (!ask) return { behavior: 'allow', updatedInput: input }
    const result = resultOf(await ask({ ...request, toolCallId: context?.toolUseID ?? request.toolCallId }, { ...context, toolName, input }), input, reason)
    if (result.behavior === 'allow') await grants.approve(name, result.updatedInput ?? input, result.updatedInput ? undefined : request.digest)
    return result
  }
}

/**
 * @param {any} answer
 * @param {Record<string, unknown>} input
 * @param {string} reason
 */
function resultOf(answer, input, reason) {
  if (answer === true) return { behavior: 'allow', updatedInput: input }
  if (answer?.behavior === 'allow' || answer?.behavior === 'deny') return answer
  return { behavior: 'deny', message: `The user did not approve this call. ${reason}` }
}

module.exports = { toCanUseTool, toClaudeOptions, toSdkMcpServer }
