// @ts-check
'use strict'

const { randomUUID } = require('node:crypto')

const { jsonText } = require('../json-text.js')
const { INVALID_REQUEST, LEGACY_REVISIONS, MODERN_REVISIONS, PARSE_ERROR, SERVER_ERROR, failure, isModern } = require('./protocol.js')
const { principalOf } = require('./principal.js')
const { McpServer } = require('./server.js')
const { McpService, SERVICE_OPTIONS } = require('./service.js')
const { describe } = require('../tool-error.js')
const { requireOptions } = require('../unknown-options.js')

/** Longest body of a request. */
const BODY_MAX_BYTES = 64 * 1024 * 1024
/** Most clients with a session at a time; beyond it the one that was idle longest is ended. */
const SESSIONS_MAX = 100
const SESSION = 'mcp-session-id'
/** How long the rest of a request that was refused is read and dropped, in milliseconds. */
const LINGER_MS = 5000
/** How often a stream on which nothing happens says that it is alive, in milliseconds: proxies close those that are silent. */
const KEEP_ALIVE_MS = 20_000
/** Hosts and origins that are this machine: a web page must not reach the tools by another name of it. */
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])$/
const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 */

/** A request that is refused, with its status. */
class Refused extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {number} [code]
   */
  constructor(status, message, code = SERVER_ERROR) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The clients of one endpoint. */
class Endpoint {
  #service
  #allowedHosts
  #principalOf
  #keepAliveMs
  #isClosed = false
  /** Clients of legacy revisions, in the order of their last use. @type {Map<string, McpServer>} */
  #sessions = new Map()
  /** Where those clients take what belongs to no request of theirs. @type {WeakMap<McpServer, ServerResponse>} */
  #streams = new WeakMap()
  /** Who began the session of such a client. @type {WeakMap<McpServer, string>} */
  #principals = new WeakMap()
  /** Requests of modern revisions, which need no session. @type {Set<McpServer>} */
  #requests = new Set()

  /**
   * @param {import('../../index.d.ts').Toolkit<any>} toolkit
   * @param {import('../../index.d.ts').McpHttpOptions} options
   */
  constructor(toolkit, { allowedHosts = [], principal = principalOfRequest, keepAliveMs = KEEP_ALIVE_MS, ...options }) {
    this.#service = new McpService(toolkit, options, 'mcpHttpHandler')
    this.#allowedHosts = allowedHosts
    this.#principalOf = principal
    this.#keepAliveMs = keepAliveMs
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  async answer(request, response) {
    requireLocal(request, this.#allowedHosts)
    if (this.#isClosed) throw new Refused(503, 'This server has been closed.')
    if (request.method === 'DELETE') return this.#ended(request, response)
    if (request.method === 'GET') return this.#listen(request, response)
    if (request.method !== 'POST') throw new Refused(405, 'Send messages by POST.')
    requireJson(request)
    const message = await messageOf(request)
    const version = request.headers['mcp-protocol-version']?.toString().trim()
    const isNamed = version !== undefined && MODERN_REVISIONS.includes(version)
    const isOfModern = !Array.isArray(message) && (isModern(message) || (isNamed && message?.method !== undefined))
    if (isOfModern) return this.#modern(message, request, response)
    if (version !== undefined && !isNamed && !LEGACY_REVISIONS.includes(version))
      throw new Refused(400, `The protocol version \`${version}\` is not supported here. Use ${[...MODERN_REVISIONS, ...LEGACY_REVISIONS].join(', ')}.`)
    return this.#legacy(message, request, response)
  }

  close() {
    this.#isClosed = true
    this.#service.subscriptions.close()
    // What has ended by now is still sent.
    setImmediate(() => {
      for (const server of [...this.#sessions.values(), ...this.#requests]) this.#close(server, 'The server is closing.')
      this.#sessions.clear()
    })
  }

  /**
   * @param {any} message
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  async #modern(message, request, response) {
    const server = new McpServer(this.#service, () => {}, this.#callerOf(request))
    this.#requests.add(server)
    // A client that closes the response cancels the request.
    response.once('close', () => server.close())
    try {
      await this.#exchange(server, message, response, {}, { headers: request.headers, isModern: true })
    } finally {
      this.#requests.delete(server)
    }
  }

  /**
   * @param {any} message
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  async #legacy(message, request, response) {
    const { server } = this.#sessionOf(request)
    if (server) return this.#exchange(server, message, response, {})
    const isBeginning = [message].flat().some((one) => one?.method === 'initialize')
    if (!isBeginning) throw new Refused(400, `The header ${SESSION} is missing. Begin with \`initialize\`.`)
    this.#makeRoom()
    const id = randomUUID()
    const fresh = new McpServer(this.#service, (message) => sendEvent(this.#streams.get(fresh), message))
    this.#sessions.set(id, fresh)
    this.#principals.set(fresh, this.#callerOf(request))
    return this.#exchange(fresh, message, response, { [SESSION]: id })
  }

  /**
   * A stream for what belongs to no request of a client of a legacy revision; a newer one takes the place of the one before.
   *
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  #listen(request, response) {
    const { server } = this.#sessionOf(request)
    if (!server) throw new Refused(405, 'Send messages by POST; only sessions of revisions before 2026-07-28 have a stream.')
    this.#streams.get(server)?.end()
    this.#streams.set(server, response)
    response.writeHead(200, STREAM)
    response.flushHeaders()
    const alive = this.#keptAlive(response, () => {})
    return new Promise((resolve) => {
      response.once('close', () => {
        clearInterval(alive)
        if (this.#streams.get(server) === response) this.#streams.delete(server)
        resolve(undefined)
      })
    })
  }

  /**
   * Says on a silent stream that it is alive.
   *
   * @param {ServerResponse} response
   * @param {() => void} begin
   */
  #keptAlive(response, begin) {
    const alive = setInterval(() => {
      if (response.destroyed || response.writableNeedDrain) return
      begin()
      response.write(': keep-alive\n\n')
    }, this.#keepAliveMs)
    return alive.unref()
  }

  /**
   * Ends a client, and its stream.
   *
   * @param {McpServer | undefined} server
   * @param {string} why
   */
  #close(server, why) {
    if (!server) return
    server.close(why)
    this.#streams.get(server)?.end()
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  #ended(request, response) {
    const { id, server } = this.#sessionOf(request)
    if (id === undefined) throw new Refused(405, 'There is no session to end.')
    this.#close(server, 'The session has ended.')
    this.#sessions.delete(id)
    response.writeHead(204).end()
  }

  #makeRoom() {
    if (this.#sessions.size < SESSIONS_MAX) return
    const all = [...this.#sessions]
    const [id, server] = all.find(([, server]) => !server.isBusy) ?? all[0] ?? []
    this.#close(server, 'The session has ended: there are too many sessions. Begin another one with `initialize`.')
    this.#sessions.delete(String(id))
  }

  /** @param {IncomingMessage} request */
  #callerOf(request) {
    const principal = this.#principalOf(request) ?? ''
    if (typeof principal === 'string' || typeof principal === 'number') return String(principal)
    // As a text, every object and every promise is the same caller.
    throw new TypeError('The option `principal` of `mcpHttpHandler` must return a text that names the caller, or nothing. Return an id of the user.')
  }

  /**
   * The session that a request belongs to, if it names one.
   *
   * @param {IncomingMessage} request
   */
  #sessionOf(request) {
    const given = request.headers[SESSION]
    if (given === undefined) return {}
    const id = String(given)
    const server = this.#sessions.get(id)
    // The client starts a new session then. So does one who names the session of another caller.
    if (!server || this.#principals.get(server) !== this.#callerOf(request)) throw new Refused(404, 'There is no such session, or it has ended.')
    this.#sessions.delete(id)
    this.#sessions.set(id, server)
    return { id, server }
  }

  /**
   * A message or a batch, and its response: JSON when nothing comes before it, else a stream of events.
   *
   * @param {McpServer} server
   * @param {any} message
   * @param {ServerResponse} response
   * @param {Record<string, string>} headers
   * @param {{ headers?: import('node:http').IncomingHttpHeaders, isModern?: boolean }} [carried]
   */
  async #exchange(server, message, response, headers, carried) {
    const stream = () => {
      if (!response.headersSent) response.writeHead(200, { ...STREAM, ...headers })
    }
    const alive = this.#keptAlive(response, stream)
    try {
      await server.take(
        message,
        (sent, how) => {
          if (response.destroyed || response.writableEnded || (how?.isDroppable && response.writableNeedDrain)) return
          if (how && 'status' in how && !response.headersSent) return void sendJson(response, statusOf(sent, how.status, carried), sent, headers)
          stream()
          sendEvent(response, sent)
        },
        carried,
      )
    } finally {
      clearInterval(alive)
    }
    if (!response.headersSent) response.writeHead(202, headers)
    response.end()
  }
}

/**
 * Serves the tools of a toolkit over the streamable HTTP transport of the Model Context Protocol: a listener for
 * `http.createServer`, any number of clients.
 *
 * @param {import('../../index.d.ts').Toolkit<any>} toolkit
 * @param {import('../../index.d.ts').McpHttpOptions} [options]
 * @returns {import('../../index.d.ts').McpHttpHandler}
 */
function mcpHttpHandler(toolkit, options = {}) {
  requireOptions('mcpHttpHandler', options, ['allowedHosts', 'principal', 'keepAliveMs', ...SERVICE_OPTIONS])
  const endpoint = new Endpoint(toolkit, options)
  const handler = async (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
    // A client that is gone is no error.
    response.on('error', () => {})
    try {
      await endpoint.answer(request, response)
    } catch (error) {
      const { status, code } = error instanceof Refused ? error : { status: 500, code: -32603 }
      if (response.headersSent) return void response.end()
      if (!request.complete) drop(request)
      sendJson(response, status, failure(null, code, describe(error)))
    }
  }
  return Object.assign(handler, { close: () => endpoint.close() })
}

/**
 * Reads and forgets what is still on its way, for a moment: a connection that is cut while its client writes loses the response.
 *
 * @param {IncomingMessage} request
 */
function drop(request) {
  const limit = setTimeout(() => request.destroy(), LINGER_MS)
  limit.unref()
  request.once('close', () => clearTimeout(limit))
  request.resume()
}

/**
 * The status of a response. To clients of legacy revisions 404 means that their session has ended, so what fails in a request
 * of theirs is a response like all.
 *
 * @param {any} response
 * @param {number | undefined} status
 * @param {{ isModern?: boolean }} [carried]
 */
function statusOf(response, status = 200, carried) {
  return carried?.isModern || response.id === null ? status : 200
}

/**
 * @param {ServerResponse | undefined} response
 * @param {object} message
 */
function sendEvent(response, message) {
  if (response && !response.destroyed && !response.writableEnded) response.write(`event: message\ndata: ${jsonText(message)}\n\n`)
}

/**
 * @param {ServerResponse} response
 * @param {number} status
 * @param {object} body
 * @param {Record<string, string>} [headers]
 */
function sendJson(response, status, body, headers) {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers })
  response.end(jsonText(body))
}

/**
 * A web page that reaches this server by a name of its own (DNS rebinding) has that name in `Host` and `Origin`.
 *
 * @param {IncomingMessage} request
 * @param {readonly string[]} allowed
 */
function requireLocal({ headers: { host = '', origin } }, allowed) {
  const names = [host, ...(origin === undefined ? [] : [origin.replace(/^[a-z]+:\/\//i, '')])].map((name) => name.replace(/:\d+$/, '').toLowerCase())
  const foreign = names.find((name) => !LOCAL.test(name) && !allowed.includes(name))
  if (foreign !== undefined) throw new Refused(403, `\`${foreign}\` is not a name of this machine. If it is, add it to \`allowedHosts\`.`)
}

/** @param {IncomingMessage} request */
function requireJson({ headers: { 'content-type': type } }) {
  if (type !== undefined && !/^application\/json\s*(?:;|$)/i.test(type)) throw new Refused(415, 'A message must be sent as `application/json`.')
}

/** @param {any} request */
function principalOfRequest({ auth, headers: { authorization } }) {
  return principalOf(auth, authorization)
}

/**
 * @param {IncomingMessage} request
 * @returns {Promise<any>}
 */
async function messageOf(request) {
  // A parser of the host may have read it.
  const parsed = /** @type {any} */ (request).body
  if (typeof parsed === 'object' && parsed !== null && !(parsed instanceof Uint8Array)) return parsed
  const bytes = await bodyOf(request)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new Refused(400, `The message is not valid JSON in UTF-8: ${describe(error)}.`, PARSE_ERROR)
  }
}

/**
 * @param {IncomingMessage} request
 * @returns {Promise<Buffer>}
 */
function bodyOf(request) {
  const tooLong = () => new Refused(413, `A message may have at most ${BODY_MAX_BYTES} bytes.`, INVALID_REQUEST)
  if (Number(request.headers['content-length']) > BODY_MAX_BYTES) return Promise.reject(tooLong())
  /** @type {Buffer[]} */
  const chunks = []
  let length = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk) => {
      length += chunk.length
      if (length <= BODY_MAX_BYTES) return void chunks.push(chunk)
      // The rest is not read: the response has to reach the client first.
      request.pause().removeAllListeners('data')
      reject(tooLong())
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
    request.once('close', () => reject(new Refused(400, 'The request ended too early.')))
  })
}

module.exports = { mcpHttpHandler }
