// @ts-check
'use strict'

const { INTERNAL_ERROR, INVALID_PARAMS, META, RequestError, isObject } = require('./mcp-protocol.js')
const { connectionOf } = require('./toolkit.js')

/** Most streams of changes at a time. */
const SUBSCRIPTIONS_MAX = 1024

/** @typedef {{ id: string | number, send: import('./mcp-protocol.js').Send, end: (isGraceful: boolean) => void }} Subscription */

/** Clients that want to know when the exposed tools change. */
class Subscriptions {
  #toolkit
  /** @type {Set<Subscription>} */
  #open = new Set()
  /** Ends the watch over the toolkit, while there is one. @type {(() => void) | undefined} */
  #unwatch
  #isChanged = false

  /** @param {any} toolkit */
  constructor(toolkit) {
    this.#toolkit = toolkit
  }

  get size() {
    return this.#open.size
  }

  /**
   * Serves one subscription until it ends; whether it ended because the server closed.
   *
   * @param {string | number} id of the request
   * @param {any} wanted
   * @param {import('./mcp-protocol.js').Send} send
   * @param {AbortSignal} signal
   * @returns {Promise<boolean>}
   */
  async serve(id, wanted, send, signal) {
    if (!isObject(wanted)) throw new RequestError(INVALID_PARAMS, '`params.notifications` must be an object, such as {"toolsListChanged": true}.')
    if (this.#open.size >= SUBSCRIPTIONS_MAX) throw new RequestError(INTERNAL_ERROR, `There are already ${SUBSCRIPTIONS_MAX} subscriptions. Try again later.`)
    const honored = wanted.toolsListChanged === true ? { toolsListChanged: true } : {}
    send(notification(id, 'notifications/subscriptions/acknowledged', { notifications: honored }))
    if (!('toolsListChanged' in honored)) return true
    this.#unwatch ??= connectionOf(this.#toolkit)?.watch(() => this.#changed())
    return new Promise((resolve) => {
      const end = (/** @type {boolean} */ isGraceful) => {
        signal.removeEventListener('abort', onAbort)
        this.#open.delete(subscription)
        if (this.#open.size === 0) this.#unwatch = void this.#unwatch?.()
        resolve(isGraceful)
      }
      const onAbort = () => end(false)
      const subscription = { id, send, end }
      this.#open.add(subscription)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) end(false)
    })
  }

  close() {
    for (const { end } of this.#open) end(true)
  }

  /** Several changes at once are one. */
  #changed() {
    if (this.#isChanged) return
    this.#isChanged = true
    setImmediate(() => {
      this.#isChanged = false
      for (const { id, send } of this.#open) send(notification(id, 'notifications/tools/list_changed', {}))
    })
  }
}

/**
 * @param {string | number} id
 * @param {string} method
 * @param {object} params
 */
function notification(id, method, params) {
  return { jsonrpc: '2.0', method, params: { ...params, _meta: { [META.subscriptionId]: id } } }
}

module.exports = { Subscriptions }
