// @ts-check
'use strict'

const { createHash } = require('node:crypto')

const { serverEntries } = require('./config.js')
const { schemaOf } = require('../mcp/sdk-schema.js')
const { invalidInput } = require('../tool-error.js')

/** Most pages of a list. */
const MAX_PAGES = 1000

/**
 * A client of `@modelcontextprotocol/sdk` 1 or `@modelcontextprotocol/client` 2, or anything with `listTools` and `callTool`,
 * as a source of tools.
 *
 * @param {any} client
 * @param {any} options
 */
function registered(client, options) {
  const { id, ...others } = options ?? {}
  if (typeof id !== 'string' || id === '') throw invalidInput('registerMcpClient', 'The second argument must be an object with the `id` of the server.')
  if (typeof client?.listTools !== 'function' || typeof client?.callTool !== 'function') {
    throw invalidInput('registerMcpClient', 'The first argument must be a client of MCP: an object with `listTools` and `callTool`.')
  }
  const [entry] = serverEntries({ [id]: { ...others, url: 'https://client.invalid/' } }, process.cwd())
  const identity = createHash('sha256')
    .update(JSON.stringify(['client', id]))
    .digest('hex')
  return { serverEntry: { ...entry, url: undefined, identity }, source: new ClientSource(client) }
}

/** The first revision with subscriptions. */
const SUBSCRIBES_SINCE = '2026-07-28'

class ClientSource {
  #client
  /** @type {any} */
  #subscription
  #isClosed = false
  /** Called when the list of tools changed. @type {() => void} */
  onChange = () => {}

  /** @param {any} client */
  constructor(client) {
    this.#client = client
    if (typeof client.setNotificationHandler !== 'function') return
    const method = 'notifications/tools/list_changed'
    // The second version takes the name of the method, the first one a schema.
    for (const named of [method, schemaOf(method)]) {
      try {
        client.setNotificationHandler(named, () => this.onChange())
        break
      } catch {
        // Then the other way; a client that knows neither reports changes to its own host only.
      }
    }
    this.#listen()
  }

  /** Since 2026-07-28 a server reports changes only to those who subscribe. */
  async #listen() {
    const client = this.#client
    if (typeof client.listen !== 'function' || !(client.getNegotiatedProtocolVersion?.() >= SUBSCRIBES_SINCE)) return
    try {
      const subscription = await client.listen({ toolsListChanged: true })
      this.#subscription = subscription
      if (this.#isClosed) this.close()
    } catch {
      // A server without changes to report has no subscriptions.
    }
  }

  /** The client stays open: it is the host's. */
  close() {
    this.#isClosed = true
    void Promise.resolve(this.#subscription?.close()).catch(() => {})
  }

  async start() {
    return this.status()
  }

  async listTools() {
    const tools = []
    const seen = new Set()
    /** @type {any} */
    let cursor
    for (let page = 0; page < MAX_PAGES; page++) {
      const listed = await this.#client.listTools(cursor === undefined ? undefined : { cursor })
      tools.push(...(listed?.tools ?? []))
      cursor = listed?.nextCursor
      if (cursor === undefined || cursor === null || seen.has(cursor)) break
      seen.add(cursor)
    }
    return /** @type {any} */ ({ tools })
  }

  /**
   * @param {string} name
   * @param {any} args
   * @param {{ signal?: AbortSignal, onProgress?: (progress: any) => void }} options
   */
  call(name, args, { signal, onProgress }) {
    const params = { name, arguments: args }
    const options = { signal, onprogress: onProgress, resetTimeoutOnProgress: true }
    // The first version takes a schema of the result before the options, with a default; so its function counts one parameter.
    return this.#client.callTool.length === 1 ? this.#client.callTool(params, undefined, options) : this.#client.callTool(params, options)
  }

  status() {
    const server = typeof this.#client.getServerVersion === 'function' ? this.#client.getServerVersion() : undefined
    const instructions = typeof this.#client.getInstructions === 'function' ? this.#client.getInstructions() : undefined
    return { state: 'ready', server: server ?? null, instructions }
  }
}

module.exports = { registered }
