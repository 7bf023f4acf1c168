// @ts-check
'use strict'

const { McpCall } = require('./calls.js')
const { principalOf } = require('./principal.js')
const { INVALID_PARAMS, META, RequestError } = require('./protocol.js')
const { ANYTHING, schemaOf } = require('./sdk-schema.js')
const { McpService, progressTo } = require('./service.js')
const { invalidInput } = require('../tool-error.js')
const { connectionOf } = require('../toolkit.js')

/** As long as timers can wait: users take their time. */
const PATIENCE_MS = 2 ** 31 - 1

/**
 * @typedef {(request: any, extra: any) => any} Handler
 * @typedef {object} Context what a handler of either SDK knows of its request
 * @property {AbortSignal} signal
 * @property {any} capabilities of the client
 * @property {any} [meta]
 * @property {boolean} isModern
 * @property {object} retried what came back with another round
 * @property {string} principal
 * @property {object} client whose requests have the same user
 * @property {(params: object) => void} notify
 * @property {(message: object) => boolean} log
 * @property {import('./calls.js').Ask} ask
 */

/**
 * Registers the tools of a toolkit with a server of an official SDK.
 *
 * @param {any} given
 * @param {import('../../index.d.ts').Toolkit<any>} toolkit
 * @param {import('../../mcp.d.ts').RegisterToolsOptions} [options]
 */
function registerTools(given, toolkit, { tools: names, ...options } = {}) {
  const server = typeof given?.setRequestHandler === 'function' ? given : given?.server
  if (typeof server?.setRequestHandler !== 'function')
    throw invalidInput('registerTools', 'The first argument must be a `Server` or `McpServer` of an official SDK.')
  const service = new McpService(toolkit, options, 'registerTools')
  const isOwn = (/** @type {{ name: string }} */ { name }) => names === undefined || names.includes(name)
  server.registerCapabilities({ tools: { listChanged: true } })

  const listBefore = handlerOf(server, 'tools/list')
  setHandler(server, 'tools/list', async (request, extra) => {
    const tools = service.list(undefined).filter(isOwn)
    const theirs = await listBefore?.(request, extra)
    return { ...theirs, tools: [...tools, ...(theirs?.tools ?? []).filter((/** @type {any} */ tool) => !tools.some(({ name }) => name === tool.name))] }
  })

  const callBefore = handlerOf(server, 'tools/call')
  setHandler(server, 'tools/call', async (request, extra) => {
    const { name } = request.params
    if (!toolkit.listTools().some((tool) => tool.name === name && isOwn(tool))) {
      if (callBefore) return callBefore(request, extra)
      throw new RequestError(INVALID_PARAMS, `There is no tool \`${name}\` here.`)
    }
    return run(service, request.params, contextOf(server, extra))
  })
  watch(server, toolkit)
}

/**
 * @param {McpService} service
 * @param {any} params
 * @param {Context} context
 */
async function run(service, { name, arguments: input = {} }, { signal, capabilities, meta, isModern, retried, principal, client, log, notify, ask }) {
  const call = isModern
    ? service.modernCall({ name, arguments: input, ...retried }, capabilities, principal, { log, client })
    : new McpCall({ capabilities, ask, log, client })
  const onAbort = () => call.cancel()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    const onUpdate = progressTo((params) => notify(params), meta?.progressToken)
    // What is cancelled gets no response from the SDK.
    return (await service.run(name, input, { call, principal, onUpdate })) ?? { content: [] }
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * @param {any} server
 * @param {any} extra
 * @returns {Context}
 */
function contextOf(server, extra) {
  const second = extra.mcpReq
  const authInfo = extra.authInfo ?? extra.http?.authInfo
  const envelope = second?.envelope ?? {}
  const isModern = envelope[META.protocolVersion] !== undefined
  const requestState = second?.requestState?.()
  const { signal, _meta: meta } = second ?? extra
  // A client that is gone needs no progress, and a server without the capability sends no log messages.
  const send = (/** @type {object} */ notification) =>
    void Promise.resolve()
      .then(() => (second ? second.notify(notification) : extra.sendNotification(notification)))
      .catch(() => {})
  return {
    signal,
    meta,
    isModern,
    capabilities: isModern ? envelope[META.clientCapabilities] : server.getClientCapabilities(),
    retried: { ...(second?.inputResponses && { inputResponses: second.inputResponses }), ...(requestState !== undefined && { requestState }) },
    principal: principalOf(authInfo),
    client: server,
    notify: (params) => send({ method: 'notifications/progress', params }),
    log: (params) => (send({ method: 'notifications/message', params }), true),
    ask: (method, params, signal) => {
      const options = { signal, timeout: PATIENCE_MS }
      return second ? second.send({ method, params }, options) : extra.sendRequest({ method, params }, ANYTHING, options)
    },
  }
}

/**
 * Sets a handler: by the name of its method in version 2, by a schema of the request in version 1.
 *
 * @param {any} server
 * @param {string} method
 * @param {Handler} handler
 */
function setHandler(server, method, handler) {
  try {
    server.setRequestHandler(method, handler)
  } catch {
    server.setRequestHandler(schemaOf(method), handler)
  }
}

/**
 * What the server does with a method so far.
 *
 * @param {any} server
 * @param {string} method
 * @returns {Handler | undefined}
 */
function handlerOf(server, method) {
  return server._requestHandlers?.get?.(method)
}

/**
 * Says when the tools change, as long as the server is there.
 *
 * @param {any} server
 * @param {object} toolkit
 */
function watch(server, toolkit) {
  const weak = new WeakRef(server)
  const unwatch = connectionOf(toolkit)?.watch(() => {
    const server = weak.deref()
    if (!server) return unwatch?.()
    if (server.transport) void Promise.resolve(server.sendToolListChanged?.()).catch(() => {})
  })
  const before = server.onclose
  server.onclose = () => {
    unwatch?.()
    before?.()
  }
}

module.exports = { registerTools }
