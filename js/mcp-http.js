// @ts-check
'use strict'

const { McpServer, aboutOf } = require('./mcp-server.js')
const { invalidInput } = require('./tool-error.js')

/** Longest body of a request. */
const BODY_MAX_BYTES = 64 * 1024 * 1024
/** Most clients at a time; beyond it the session that was idle longest is ended. */
const SESSIONS_MAX = 100
const SESSION = 'mcp-session-id'
/** Hosts and origins that are this machine: a web page must not reach the tools by another name of it. */
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 */

/** A request that is refused, with its status. */
class Refused extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/**
 * Serves the tools of a toolkit over the streamable HTTP transport of the Model Context Protocol: a listener for
 * `http.createServer`, any number of clients.
 *
 * @param {import('../index.d.ts').Toolkit<any>} toolkit
 * @param {import('../index.d.ts').McpHttpOptions} [options]
 * @returns {import('../index.d.ts').McpHttpHandler}
 */
function mcpHttpHandler(toolkit, { allowedHosts = [], ...options } = {}) {
  if (typeof toolkit?.execute !== 'function') throw invalidInput('mcpHttpHandler', 'The first argument must be a toolkit.')
  const about = aboutOf(options)
  /** In the order of their last use. @type {Map<string, McpServer>} */
  const sessions = new Map()
  const end = (/** @type {string} */ id) => {
    sessions.get(id)?.close()
    sessions.delete(id)
  }
  const answer = async (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
    requireLocal(request, allowedHosts)
    const { id, server } = sessionOf(request, sessions)
    if (request.method === 'DELETE' && id !== undefined) {
      end(id)
      return void response.writeHead(204).end()
    }
    if (request.method !== 'POST') throw new Refused(405, 'Send messages by POST; this server sends none by itself.')
    const text = await bodyOf(request)
    if (server) return exchange(server, text, response, {})
    if (!/"method"\s*:\s*"initialize"/.test(text)) throw new Refused(400, `The header ${SESSION} is missing. Begin with \`initialize\`.`)
    const [oldest] = sessions.keys()
    if (sessions.size >= SESSIONS_MAX && oldest !== undefined) end(oldest)
    const made = require('node:crypto').randomUUID()
    const fresh = new McpServer(toolkit, () => {}, about)
    sessions.set(made, fresh)
    return exchange(fresh, text, response, { [SESSION]: made })
  }
  const handler = async (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
    try {
      await answer(request, response)
    } catch (error) {
      const status = error instanceof Refused ? error.status : 500
      const body = { jsonrpc: '2.0', id: null, error: { code: -32000, message: /** @type {Error} */ (error).message } }
      if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
  }
  const close = () => [...sessions.keys()].forEach(end)
  return Object.assign(handler, { close })
}

/**
 * The session that a request belongs to, if it names one.
 *
 * @param {IncomingMessage} request
 * @param {Map<string, McpServer>} sessions
 */
function sessionOf(request, sessions) {
  const given = request.headers[SESSION]
  if (given === undefined) return {}
  const id = String(given)
  const server = sessions.get(id)
  // The client starts a new session then.
  if (!server) throw new Refused(404, 'There is no such session, or it has ended.')
  sessions.delete(id)
  sessions.set(id, server)
  return { id, server }
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
async function bodyOf(request) {
  const chunks = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > BODY_MAX_BYTES) throw new Refused(413, `A message may have at most ${BODY_MAX_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * One body of messages and its response: a stream of events as soon as there is something to send, else only a status.
 *
 * @param {McpServer} server
 * @param {string} text
 * @param {ServerResponse} response
 * @param {Record<string, string>} headers
 */
async function exchange(server, text, response, headers) {
  await server.receive(text, (message) => {
    if (response.destroyed || response.writableEnded) return
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', ...headers })
    response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  })
  if (!response.headersSent) response.writeHead(202, headers)
  response.end()
}

module.exports = { mcpHttpHandler }
