// @ts-check
'use strict'

const { INTERNAL_ERROR, INVALID_PARAMS, META, RequestError, isObject } = require('./protocol.js')
const { connectionOf } = require('../toolkit.js')

/** Most streams of changes at a time. */
const SUBSCRIPTIONS_MAX = 1024
/** Most resources that one client watches. */
const WATCHED_MAX = 1000
const UPDATED = 'notifications/resources/updated'
const TOOLS_CHANGED = 'notifications/tools/list_changed'

/** Notifies clients of what changed: tools, and single resources. */
class Subscriptions {
  #toolkit
  #resources
  /** Ends each stream that is open. @type {Set<(isGraceful: boolean) => void>} */
  #open = new Set()
  /** Who wants to know that tools changed. @type {Set<() => void>} */
  #listeners = new Set()
  /** Ends the watch over the toolkit, while there is one. @type {(() => void) | undefined} */
  #unwatch
  #isChanged = false

  /**
   * @param {any} toolkit
   * @param {() => import('./resources.js').Resources} resources
   */
  constructor(toolkit, resources) {
    this.#toolkit = toolkit
    this.#resources = resources
  }

  get size() {
    return this.#open.size
  }

  /**
   * Calls a listener when the exposed tools changed, until the function that it returns is called.
   *
   * @param {() => void} listener
   */
  onTools(listener) {
    this.#unwatch ??= connectionOf(this.#toolkit)?.watch(() => this.#changed())
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#unwatch = void this.#unwatch?.()
    }
  }

  /**
   * Serves one stream of changes until it ends; whether it ended because the server closed.
   *
   * @param {string | number} id of the request
   * @param {any} wanted
   * @param {import('./protocol.js').Send} send
   * @param {AbortSignal} signal
   * @returns {Promise<boolean>}
   */
  async serve(id, wanted, send, signal) {
    if (!isObject(wanted)) throw new RequestError(INVALID_PARAMS, '`params.notifications` must be an object, such as {"toolsListChanged": true}.')
    if (this.#open.size >= SUBSCRIPTIONS_MAX) throw new RequestError(INTERNAL_ERROR, `There are already ${SUBSCRIPTIONS_MAX} subscriptions. Try again later.`)
    /** @type {string[]} */
    const uris = []
    /** @type {(() => void)[]} */
    const stops = []
    let isAcknowledged = false
    const notify = (/** @type {string} */ method, /** @type {object} */ params) => isAcknowledged && send(notification(id, method, params))
    try {
      for (const uri of new Set(listOf(wanted.resourceSubscriptions))) {
        const stop = this.#resources().watch(uri, () => notify(UPDATED, { uri }))
        if (!stop) continue
        stops.push(stop)
        uris.push(uri)
      }
      if (wanted.toolsListChanged === true) stops.push(this.onTools(() => notify(TOOLS_CHANGED, {})))
      const honored = { ...(wanted.toolsListChanged === true && { toolsListChanged: true }), ...(uris.length > 0 && { resourceSubscriptions: uris }) }
      send(notification(id, 'notifications/subscriptions/acknowledged', { notifications: honored }))
      isAcknowledged = true
      return stops.length === 0 || (await this.#untilEnd(signal))
    } finally {
      for (const stop of stops) stop()
    }
  }

  /** @param {AbortSignal} signal */
  #untilEnd(signal) {
    return new Promise((resolve) => {
      const end = (/** @type {boolean} */ isGraceful) => {
        signal.removeEventListener('abort', onAbort)
        this.#open.delete(end)
        resolve(isGraceful)
      }
      const onAbort = () => end(false)
      this.#open.add(end)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) end(false)
    })
  }

  close() {
    for (const end of this.#open) end(true)
  }

  /** Several changes at once are one. */
  #changed() {
    if (this.#isChanged) return
    this.#isChanged = true
    setImmediate(() => {
      this.#isChanged = false
      for (const listener of this.#listeners) listener()
    })
  }
}

/** @param {unknown} given */
function listOf(given = []) {
  if (Array.isArray(given) && given.length <= WATCHED_MAX) return given
  throw new RequestError(INVALID_PARAMS, `\`resourceSubscriptions\` must be a list of at most ${WATCHED_MAX} URIs.`)
}

/**
 * @param {string | number} id
 * @param {string} method
 * @param {object} params
 */
function notification(id, method, params) {
  return { jsonrpc: '2.0', method, params: { ...params, _meta: { [META.subscriptionId]: id } } }
}

module.exports = { Subscriptions, TOOLS_CHANGED, UPDATED, WATCHED_MAX }
