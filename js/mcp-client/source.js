// @ts-check
'use strict'

const { createHash } = require('node:crypto')
const { pathToFileURL } = require('node:url')

/**
 * @typedef {import('./config.js').ServerEntry} ServerEntry
 * @typedef {object} Source who speaks with a server
 * @property {(signal?: AbortSignal) => Promise<any>} start returns its status
 * @property {() => Promise<any[]>} listTools
 * @property {(tool: string, args: any, options: { call: string, signal?: AbortSignal, again: boolean, onProgress?: (progress: any) => void }) => Promise<any>} call
 * @property {() => any} status
 * @property {() => void} [close]
 * @typedef {{ entry: ServerEntry, source: Source, tools: any[] | undefined, capabilities?: any, ready: Promise<void> | undefined, error?: any, cut?: string, timer?: NodeJS.Timeout, isListing?: Promise<void>, isStale?: boolean }} Server
 */

/**
 * What the core is given of a server.
 *
 * @param {ServerEntry} entry
 * @param {string} workspace
 * @param {ReturnType<typeof import('./config.js').mcpSettings>} settings
 * @param {any} host the functions of the host
 */
function specOf(entry, workspace, { credentials, exposeRoots }, host) {
  const { id, command, args, env, cwd, sandbox, url, headers, oauth, protocol, startMs, callMs, maxCallMs } = entry
  const place = typeof credentials?.file === 'string' ? { file: require('node:path').resolve(credentials.file) } : credentials ? { host: true } : {}
  const elicits = typeof host.elicit === 'function' || typeof host.askUser === 'function'
  return {
    id,
    ...(url === undefined ? { command, args, env, cwd, sandbox } : { url, headers, ...(oauth && { oauth: { ...oauth, ...place } }) }),
    protocol,
    startMs,
    callMs,
    maxCallMs,
    elicits,
    opensUrls: typeof host.openUrl === 'function',
    samples: typeof host.sample === 'function',
    roots: exposeRoots ? [pathToFileURL(workspace).href] : [],
  }
}

/** Speaks with a server through the core. */
class NativeSource {
  #connection
  #entry
  #spec
  /** @type {Promise<any> | undefined} */
  #added
  /** Names this configuration. */
  key

  /**
   * @param {import('../connection.js').Connection} connection
   * @param {ServerEntry} entry
   * @param {any} spec
   */
  constructor(connection, entry, spec) {
    this.#connection = connection
    this.#entry = entry
    this.#spec = spec
    this.key = createHash('sha256').update(JSON.stringify(spec)).digest('hex')
  }

  /**
   * @param {any} request
   * @param {AbortSignal} [signal]
   */
  async request(request, signal) {
    this.#added ??= this.#connection.mcp({ op: 'add', server: this.#spec })
    await this.#added
    return this.#connection.mcp(request, signal)
  }

  /** @param {AbortSignal} [signal] */
  start(signal) {
    return this.request({ op: 'start', id: this.#entry.id }, signal)
  }

  restart() {
    return this.request({ op: 'restart', id: this.#entry.id })
  }

  /** @returns {Promise<any>} */
  async listTools() {
    const { capabilities } = await this.start()
    if (!capabilities?.tools) return { tools: [], capabilities }
    const { entries, ttlMs, cut } = await this.request({ op: 'tools', id: this.#entry.id })
    return { tools: entries, ttlMs, cut, capabilities }
  }

  /**
   * @param {string} name
   * @param {any} args
   * @param {{ call: string, signal?: AbortSignal, again: boolean }} options
   */
  call(name, args, { call, signal, again }) {
    return this.request({ op: 'call', id: this.#entry.id, name, arguments: args ?? null, call, again }, signal)
  }

  status() {
    const own = this.#connection.mcpStatus().find((/** @type {any} */ status) => status.id === this.#entry.id)
    return own ?? { state: 'configured' }
  }
}

module.exports = { NativeSource, specOf }
