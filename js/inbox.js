// @ts-check
'use strict'

const { approval, notify } = require('./host.js')
const { contentOf } = require('./results.js')

/** What the core tells, as `channel.rs` numbers it. */
const ANSWER = 0
const FAILURE = 1
const UPDATE = 2
const QUESTION = 3
const TELEMETRY = 4
const CLOSED = 5

/**
 * @typedef {{ json: string, content?: string | string[] | null }} End
 * @typedef {{ settle: (end: End) => void, listener?: Function, owner: object }} Running
 * @typedef {{ onApproval?: Function, onTelemetry?: Function }} HostFunctions
 */

/**
 * Where everything arrives that the core tells of one toolkit.
 *
 * The core's queue holds `deliver`, and with it all that is in this scope, for as long as the toolkit
 * exists. So neither the native toolkit nor the functions of the host, which may well refer to it, are
 * in it, or they would never be collected: only running calls hold them, and the inbox itself weakly.
 */
class Inbox {
  /** @type {Map<number, Running>} calls whose end was not told yet */
  #running = new Map()
  #lastKey = 0
  /** @type {WeakRef<any> | undefined} */
  #native
  #host

  /** @param {HostFunctions} host */
  constructor(host) {
    this.#host = new WeakRef(host)
  }

  /** @param {any} native the toolkit whose messages arrive here */
  belongTo(native) {
    this.#native = new WeakRef(native)
  }

  /** A number for a call that no running one has. */
  nextKey() {
    do this.#lastKey = (this.#lastKey % 0xffffffff) + 1
    while (this.#running.has(this.#lastKey))
    return this.#lastKey
  }

  /**
   * How a call that was started will end.
   *
   * @param {number} key
   * @param {object} owner what holds the native toolkit and the functions of the host; kept until then
   * @param {Function} [listener]
   * @returns {Promise<End>}
   */
  endOf(key, owner, listener) {
    return new Promise((settle) => this.#running.set(key, { settle, listener, owner }))
  }

  /**
   * Takes one message. Never throws.
   *
   * @param {number} kind
   * @param {number} key
   * @param {string} json
   * @param {string | string[]} content
   */
  deliver(kind, key, json, content) {
    switch (kind) {
      case ANSWER:
        return this.#settle(key, { json, content })
      case FAILURE:
      case CLOSED:
        return this.#settle(key, { json })
      case UPDATE:
        return this.#update(this.#running.get(key)?.listener, json, content)
      case QUESTION:
        return this.#ask(key, json)
      case TELEMETRY:
        return this.#telemetry(json)
    }
  }

  /**
   * @param {number} key
   * @param {End} end
   */
  #settle(key, end) {
    const call = this.#running.get(key)
    this.#running.delete(key)
    call?.settle(end)
  }

  /**
   * @param {Function | undefined} listener
   * @param {string} json
   * @param {string | string[]} content
   */
  #update(listener, json, content) {
    if (listener) notify(listener, { content: contentOf(content), details: JSON.parse(json) }, 'onUpdate')
  }

  /**
   * @param {number} question
   * @param {string} request JSON
   */
  async #ask(question, request) {
    const onApproval = this.#host.deref()?.onApproval
    if (onApproval === undefined) return
    const said = await approval(onApproval, request)
    this.#native?.deref()?.answerQuestion(question, said)
  }

  /** @param {string} json */
  #telemetry(json) {
    const onTelemetry = this.#host.deref()?.onTelemetry
    if (onTelemetry) notify(onTelemetry, JSON.parse(json), 'onTelemetry')
  }
}

module.exports = { Inbox }
