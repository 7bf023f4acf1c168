// @ts-check
'use strict'

const { McpCall } = require('./calls.js')
const { requireHeaders, requireParamHeaders } = require('./headers.js')
const {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  LEGACY_REVISIONS,
  LIST_TTL_MS,
  LOG_LEVELS,
  META,
  METHOD_NOT_FOUND,
  MODERN_REVISIONS,
  PARSE_ERROR,
  RequestError,
  SERVER_ERROR,
  failure,
  isModern,
  isObject,
  modernOf,
} = require('./protocol.js')
const { progressTo } = require('./service.js')
const { TOOLS_CHANGED, UPDATED, WATCHED_MAX } = require('./subscriptions.js')
const { describe } = require('../tool-error.js')

/** How long a client may keep what changes without a word, in milliseconds. */
const NO_TTL_MS = 0
/** What clients of legacy revisions that name no level are sent. */
const LOG_LEVEL = 'info'
/** The first revision whose results may have links to resources. */
const LINKS_SINCE = '2025-06-18'
const LISTED = { ttlMs: LIST_TTL_MS, cacheScope: 'public' }

/**
 * @typedef {import('./protocol.js').Send} Send
 * @typedef {import('./protocol.js').Modern} Modern
 * @typedef {{ resolve: (result: any) => void, reject: (reason: Error) => void }} Asked
 * @typedef {object} Request a request that is served now
 * @property {string | number} id
 * @property {any} params
 * @property {Send} send
 * @property {Modern} [modern] what it says of its client, in modern revisions
 * @property {import('node:http').IncomingHttpHeaders} [headers]
 */

/** One client of the Model Context Protocol, over any way to carry messages. Every request is of the revision that it names. */
class McpServer {
  #service
  #send
  #principal
  #idOf
  /** Calls that run, by the id of their request. @type {Map<string | number, McpCall>} */
  #running = new Map()
  /** Requests to the client that have no response yet. @type {Map<string, Asked>} */
  #asked = new Map()
  #asks = 0
  /** What the client said in `initialize`. @type {any} */
  #clientCapabilities = {}
  /** @type {unknown} */
  #clientName
  /** The revision that was agreed on in `initialize`. */
  #revision = LEGACY_REVISIONS[0]
  /** The least important messages that a client of a legacy revision wants. */
  #logLevel = LOG_LEVEL
  /** What ends the watch over each resource that a client of a legacy revision watches. @type {Map<string, () => void>} */
  #watched = new Map()
  /** Ends the watch over the tools, for a client of a legacy revision. @type {(() => void) | undefined} */
  #unwatch
  /** Why this was closed, for the client. @type {string | undefined} */
  #closedBecause

  /**
   * @param {import('./service.js').McpService} service
   * @param {Send} send takes what belongs to no message of the client
   * @param {string} [principal] who the client is
   * @param {(params: any) => string | undefined} [idOf] what the client calls a call
   */
  constructor(service, send, principal = '', idOf = () => undefined) {
    this.#service = service
    this.#send = send
    this.#principal = principal
    this.#idOf = idOf
  }

  /**
   * Takes the text of a message or of a batch. Messages of running calls go the same way as the response. Never rejects.
   *
   * @param {string} text
   * @param {Send} [send]
   */
  async receive(text, send = (message, how) => this.#send(message, how)) {
    let message
    try {
      message = JSON.parse(text)
    } catch (error) {
      return send(failure(null, PARSE_ERROR, `The message is not valid JSON: ${describe(error)}.`), { status: 400 })
    }
    return this.take(message, send)
  }

  /**
   * Takes a message or a batch of them. Never rejects.
   *
   * @param {any} message
   * @param {Send} send
   * @param {{ headers?: import('node:http').IncomingHttpHeaders, isModern?: boolean }} [carried] what came with it
   */
  async take(message, send, carried = {}) {
    if (!Array.isArray(message)) {
      const { answer, status } = await this.#one(message, send, carried)
      if (answer) send(answer, { status })
      return
    }
    if (message.length === 0) return send(failure(null, INVALID_REQUEST, 'The batch is empty.'), { status: 400 })
    if (message.some(isModern)) {
      return send(failure(null, INVALID_REQUEST, `There are no batches in the protocol version ${MODERN_REVISIONS[0]}. Send each message for itself.`), {
        status: 400,
      })
    }
    const answers = (await Promise.all(message.map((one) => this.#one(one, send, carried)))).flatMap(({ answer }) => (answer ? [answer] : []))
    if (answers.length > 0) send(answers)
  }

  /** Whether anything of this client runs. */
  get isBusy() {
    return this.#running.size > 0
  }

  /**
   * Aborts what runs. Nothing is sent any more, but that to requests that run where their client is still there: it would wait for a response.
   *
   * @param {string} [why] for a client that is still there
   */
  close(why) {
    this.#closedBecause ??= why
    this.#send = () => {}
    this.#unwatch?.()
    for (const stop of this.#watched.values()) stop()
    this.#watched.clear()
    for (const call of this.#running.values()) call.cancel()
    for (const { reject } of this.#asked.values()) reject(new Error('the MCP client disconnected'))
    this.#asked.clear()
  }

  /**
   * The response to one message; none to a notification, to a response and to a call that was cancelled.
   *
   * @param {any} message
   * @param {Send} send
   * @param {{ headers?: import('node:http').IncomingHttpHeaders, isModern?: boolean }} carried
   * @returns {Promise<{ answer?: object, status?: number }>}
   */
  async #one(message, send, carried) {
    const refused = (/** @type {string} */ why) => ({ answer: failure(null, INVALID_REQUEST, why), status: 400 })
    if (!isObject(message) || message.jsonrpc !== '2.0') return refused('A message must be an object with `jsonrpc: "2.0"`.')
    const { id, method, params } = message
    if (method === undefined) return this.#answered(message)
    if (typeof method !== 'string') return refused('`method` must be a string.')
    if (id === undefined) return this.#notified(method, params)
    if (typeof id !== 'string' && typeof id !== 'number') return refused('`id` must be a string or a number.')
    try {
      const given = params ?? {}
      if (!isObject(given)) throw new RequestError(INVALID_PARAMS, '`params` must be an object.')
      const request = { id, params: given, send, headers: carried.headers }
      const result = carried.isModern || isModern(message) ? await this.#modern(request, message) : await this.#legacy(request, method)
      if (result) return { answer: { jsonrpc: '2.0', id, result } }
      if (this.#closedBecause !== undefined) throw new RequestError(SERVER_ERROR, this.#closedBecause)
      return {}
    } catch (error) {
      if (!(error instanceof RequestError)) return { answer: failure(id, INTERNAL_ERROR, describe(error)) }
      return { answer: failure(id, error.code, error.message, error.data), status: error.status }
    }
  }

  /**
   * @param {Request} request
   * @param {any} message
   */
  async #modern(request, message) {
    const { id, params, headers } = request
    if (headers && isModern(message)) requireHeaders(headers, message)
    const modern = modernOf(params)
    const result = await this.#modernResult({ ...request, modern }, message.method)
    if (!result) return undefined
    const meta = { ...result._meta, [META.serverInfo]: this.#service.serverInfo }
    if (message.method === 'subscriptions/listen') meta[META.subscriptionId] = id
    return { resultType: 'complete', ...result, _meta: meta }
  }

  /**
   * @param {Request} request
   * @param {string} method
   * @returns {Promise<any>}
   */
  async #modernResult(request, method) {
    const { about, subscriptions } = this.#service
    const { id, params, send, modern } = request
    const client = modern?.capabilities
    switch (method) {
      case 'server/discover': {
        const { instructions } = about
        const capabilities = this.#service.capabilitiesFor(client)
        return { supportedVersions: [...MODERN_REVISIONS], capabilities, ...(instructions !== undefined && { instructions }), ...LISTED }
      }
      case 'tools/list':
        return { tools: this.#service.list(client).sort((one, other) => (one.name < other.name ? -1 : 1)), ...LISTED }
      case 'tools/call':
        return this.#call(request)
      case 'subscriptions/listen': {
        const controller = new AbortController()
        const subscription = /** @type {any} */ ({ cancel: () => controller.abort() })
        return this.#whileRunning(id, subscription, async () =>
          (await subscriptions.serve(id, params.notifications, send, controller.signal)) ? {} : undefined,
        )
      }
      case 'resources/list':
      case 'resources/templates/list':
        return { ...this.#resources(client, method), ...LISTED }
      case 'resources/read':
        return this.#read(request, this.#readable(client, method))
      case 'prompts/list':
        return { prompts: this.#prompts(method).list(), ...LISTED }
      case 'prompts/get':
        return this.#prompt(request)
      case 'completion/complete':
        return this.#completion(params, client)
      default:
        throw unknownMethod(method)
    }
  }

  /**
   * @param {Request} request
   * @param {string} method
   */
  async #legacy(request, method) {
    switch (method) {
      case 'initialize':
        return this.#initialize(request.params)
      case 'ping':
        return {}
      case 'tools/list':
        return { tools: this.#service.list(this.#clientCapabilities) }
      case 'tools/call':
        return this.#call(request)
      case 'resources/list':
      case 'resources/templates/list':
        return this.#resources(this.#clientCapabilities, method)
      case 'resources/read':
        return this.#read(request, this.#readable(this.#clientCapabilities, method))
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return this.#watch(request.params, method)
      case 'prompts/list':
        return { prompts: this.#prompts(method).list() }
      case 'prompts/get':
        return this.#prompt(request)
      case 'completion/complete':
        return this.#completion(request.params, this.#clientCapabilities)
      case 'logging/setLevel':
        return this.#setLogLevel(request.params)
      default:
        throw unknownMethod(method)
    }
  }

  /** @param {string} method */
  #prompts(method) {
    const { prompts } = this.#service
    if (prompts.isEmpty) throw unknownMethod(method)
    return prompts
  }

  /** @param {Request} request */
  #prompt(request) {
    const prompts = this.#prompts('prompts/get')
    const { name, arguments: input = {} } = request.params
    return this.#inRounds(request, `prompts/get ${name}`, input, (context) => prompts.get(request.params, context))
  }

  /**
   * @param {Request} request
   * @param {import('./resources.js').Resources} resources
   */
  #read(request, resources) {
    const cached = request.modern ? { ttlMs: NO_TTL_MS, cacheScope: 'private' } : {}
    return this.#inRounds(request, `resources/read ${request.params.uri}`, {}, async (context) => ({
      ...(await resources.read(request.params, context)),
      ...cached,
    }))
  }

  /**
   * Asks the host, which may ask the client: in modern revisions the client then requests the same again, with the answers.
   *
   * @param {Request} request
   * @param {string} subject
   * @param {unknown} input
   * @param {(context: import('../../index.d.ts').McpRequestContext) => Promise<any>} work
   */
  #inRounds(request, subject, input, work) {
    const { inputResponses, requestState } = request.params
    const call = this.#callOf(request, { name: subject, arguments: input, inputResponses, requestState })
    const context = { toolCallId: call.id, signal: call.controller.signal }
    return this.#whileRunning(request.id, call, () => this.#service.inRounds(subject, input, { call, principal: this.#principal }, () => work(context)))
  }

  /**
   * @param {any} params
   * @param {any} client its capabilities
   */
  async #completion({ ref, argument, context }, client) {
    const resources = this.#service.resourcesFor(client)
    const { prompts } = this.#service
    if (!resources.isCompleted && !prompts.isCompleted) throw unknownMethod('completion/complete')
    if (typeof argument?.name !== 'string' || typeof argument.value !== 'string')
      throw new RequestError(INVALID_PARAMS, '`params.argument` must be an object with the texts `name` and `value`.')
    const others = isObject(context?.arguments) ? context.arguments : {}
    if (ref?.type === 'ref/prompt') return prompts.complete(ref.name, argument, others)
    if (ref?.type === 'ref/resource') return resources.complete(ref.uri, argument, others)
    throw new RequestError(INVALID_PARAMS, '`params.ref` must be `{ type: "ref/prompt", name }` or `{ type: "ref/resource", uri }`.')
  }

  /**
   * @param {any} params
   * @param {string} method
   */
  #watch({ uri }, method) {
    const resources = this.#readable(this.#clientCapabilities, method)
    if (!resources.isWatched) throw unknownMethod(method)
    if (method === 'resources/unsubscribe') {
      this.#watched.get(uri)?.()
      this.#watched.delete(uri)
      return {}
    }
    if (this.#watched.has(uri)) return {}
    if (this.#watched.size >= WATCHED_MAX) throw new RequestError(INTERNAL_ERROR, `There are already ${WATCHED_MAX} subscriptions. End some of them first.`)
    const stop = resources.watch(uri, () => this.#send({ jsonrpc: '2.0', method: UPDATED, params: { uri } }))
    if (!stop) throw new RequestError(INVALID_PARAMS, `There is no resource \`${uri}\` whose changes are noticed.`, { uri })
    this.#watched.set(uri, stop)
    return {}
  }

  /** @param {any} params */
  #setLogLevel({ level }) {
    if (!LOG_LEVELS.includes(level)) throw new RequestError(INVALID_PARAMS, `\`params.level\` must be one of ${LOG_LEVELS.join(', ')}.`)
    this.#logLevel = level
    return {}
  }

  /**
   * @param {any} client its capabilities
   * @param {string} method
   */
  #readable(client, method) {
    const resources = this.#service.resourcesFor(client)
    if (resources.isEmpty) throw unknownMethod(method)
    return resources
  }

  /**
   * @param {any} client its capabilities
   * @param {string} method
   */
  #resources(client, method) {
    const resources = this.#readable(client, method)
    return method === 'resources/list' ? { resources: resources.list() } : { resourceTemplates: resources.templates() }
  }

  /** @param {any} params */
  #initialize({ protocolVersion, capabilities, clientInfo }) {
    const { about, serverInfo } = this.#service
    this.#clientName = clientInfo?.name
    this.#clientCapabilities = capabilities ?? {}
    this.#revision = LEGACY_REVISIONS.includes(protocolVersion) ? protocolVersion : LEGACY_REVISIONS[0]
    return {
      protocolVersion: this.#revision,
      capabilities: this.#service.capabilitiesFor(this.#clientCapabilities),
      serverInfo,
      ...(about.instructions !== undefined && { instructions: about.instructions }),
    }
  }

  /** @param {Request} request */
  async #call(request) {
    const { id, params, send, modern, headers } = request
    const { name, arguments: input = {}, _meta: meta } = params
    if (typeof name !== 'string') throw new RequestError(INVALID_PARAMS, '`params.name` must be the name of a tool.')
    if (modern && headers) this.#requireParamHeaders(headers, name, input)
    const call = this.#callOf(request, params)
    const onUpdate = progressTo((params) => send({ jsonrpc: '2.0', method: 'notifications/progress', params }, { isDroppable: true }), meta?.progressToken)
    return this.#whileRunning(id, call, () => this.#service.run(name, input, { call, principal: this.#principal, onUpdate }))
  }

  /**
   * @param {string | number} id
   * @param {McpCall} call
   * @param {() => Promise<any>} work
   */
  async #whileRunning(id, call, work) {
    if (this.#running.has(id)) throw new RequestError(INVALID_REQUEST, `A request with the id ${JSON.stringify(id)} is already running.`)
    this.#running.set(id, call)
    try {
      return await work()
    } finally {
      this.#running.delete(id)
    }
  }

  /**
   * @param {Request} request
   * @param {any} params
   */
  #callOf({ modern, send }, params) {
    const log = logTo(modern ? modern.logLevel : this.#logLevel, send)
    const own = { log, client: this, id: this.#idOf(params) }
    if (modern) return this.#service.modernCall(params, modern.capabilities, this.#principal, { ...own, readsLinks: this.#service.linksFor(modern.name) })
    const readsLinks = this.#revision >= LINKS_SINCE && this.#service.linksFor(this.#clientName)
    const ask = (/** @type {string} */ method, /** @type {object} */ params, /** @type {AbortSignal} */ signal) => this.#ask(method, params, signal, send)
    return new McpCall({ ...own, capabilities: this.#clientCapabilities, readsLinks, ask })
  }

  /**
   * @param {import('node:http').IncomingHttpHeaders} headers
   * @param {string} name
   * @param {unknown} input
   */
  #requireParamHeaders(headers, name, input) {
    const tool = this.#service.toolkit.listTools().find((/** @type {any} */ tool) => tool.name === name)
    if (tool) requireParamHeaders(headers, tool.parameters, input)
  }

  /**
   * @param {string} method
   * @param {any} params
   */
  #notified(method, params) {
    if (method === 'notifications/cancelled') this.#running.get(params?.requestId)?.cancel()
    if (method === 'notifications/initialized')
      this.#unwatch ??= this.#service.subscriptions.onTools(() => this.#send({ jsonrpc: '2.0', method: TOOLS_CHANGED }))
    return {}
  }

  /** @param {any} message */
  #answered({ id, result, error }) {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    if (error) asked?.reject(new Error(String(error.message ?? 'the MCP client returned an error')))
    else asked?.resolve(isObject(result) ? result : {})
    return {}
  }

  /**
   * Sends a request to the client.
   *
   * @param {string} method
   * @param {object} params
   * @param {AbortSignal} signal
   * @param {Send} send
   * @returns {Promise<any>}
   */
  #ask(method, params, signal, send) {
    signal.throwIfAborted()
    this.#asks += 1
    const id = `tenon-${this.#asks}`
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject })
      const onAbort = () => {
        if (!this.#asked.delete(id)) return
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      send({ jsonrpc: '2.0', id, method, params })
    })
  }
}

/**
 * Sends the log messages that are at least that important.
 *
 * @param {string | undefined} least
 * @param {Send} send
 */
function logTo(least, send) {
  return (/** @type {import('../../mcp.d.ts').LogMessage} */ { level, logger, data }) => {
    if (least === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return false
    send({ jsonrpc: '2.0', method: 'notifications/message', params: { level, ...(logger !== undefined && { logger }), data } }, { isDroppable: true })
    return true
  }
}

/** @param {string} method */
function unknownMethod(method) {
  return new RequestError(METHOD_NOT_FOUND, `There is no method \`${method}\` here.`)
}

module.exports = { McpServer }
