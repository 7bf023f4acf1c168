// @ts-check
'use strict'

const { isDeepStrictEqual } = require('node:util')

const { McpServer } = require('../mcp/server.js')
const { McpService } = require('../mcp/service.js')
const { connectionOf } = require('../toolkit.js')
const { requireOptions, requireToolkit, run, toolsOf } = require('./calls.js')
const { grantsOf, isElsewhere } = require('./grants.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/** What a name of a tool of an MCP server begins with. */
const PREFIX = 'mcp__'
/** Where Claude Code says which call of its model a call of a tool is. */
const TOOL_USE_ID = 'claudecode/toolUseId'

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
      if (key === 'execute')
        return (/** @type {string} */ name, /** @type {any} */ params, /** @type {any} */ options) => runAsked(target, has(name) ? name : '', params, options)
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/**
 * Runs a call with what its user approved: by its id, or by its arguments where Claude Code does not say which call it is.
 *
 * @param {Toolkit} toolkit
 * @param {string} name
 * @param {any} params
 * @param {any} options
 */
function runAsked(toolkit, name, params, options) {
  const grants = grantsOf(toolkit)
  const isAskedById = grants.isJudged(name, params, options?.toolCallId)
  if (isAskedById) grants.forget(name, params)
  return run(toolkit, name, params, { ...options, isAskedById })
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
    const send = (/** @type {any} */ message) => void Promise.resolve(transport.send(message)).catch(() => {})
    const server = new McpServer(this.#service, send, undefined, ({ _meta }) => (typeof _meta?.[TOOL_USE_ID] === 'string' ? _meta[TOOL_USE_ID] : undefined))
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
    const id = context?.toolUseID
    const { verdict, reason, request } = await grants.judge(name, input, id)
    // Not every version says with the call which one it is.
    const keys = [...new Set([id, undefined])]
    for (const key of keys) grants.forget(name, input, key)
    if (verdict === 'deny') return { behavior: 'deny', message: reason }
    if (!request) return { behavior: 'allow', updatedInput: input }
    // Without somebody to ask here, the toolkit asks its own approver when the call runs.
    if (!ask) return { behavior: 'allow', updatedInput: input }
    const result = resultOf(await ask({ ...request, toolCallId: context?.toolUseID ?? request.toolCallId }, { ...context, toolName, input }), input, reason)
    if (result.behavior === 'allow') {
      const approved = result.updatedInput ?? input
      // Who changed the call approved what it does now; who did not, what was shown.
      const digest = isDeepStrictEqual(approved, input) ? request.digest : undefined
      for (const key of keys) await grants.approve(name, approved, digest, key)
    }
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
