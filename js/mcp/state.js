// @ts-check
'use strict'

const { createHash, createHmac, randomBytes, timingSafeEqual } = require('node:crypto')

const { INVALID_PARAMS, RequestError, isObject } = require('./protocol.js')

/** How long a user may take for an answer, in milliseconds. */
const LIFETIME_MS = 3_600_000
/** Most states that are remembered as used; the oldest are forgotten first. */
const USED_MAX = 10_000

/**
 * What a call knows when it waits for answers. Clients bring it back with the answers, so it is signed.
 *
 * @typedef {object} State
 * @property {string} tool
 * @property {string} params their digest
 * @property {string} principal who called
 * @property {Record<string, any>} answers of earlier rounds
 * @property {{ digest: string, answer?: string }} [approval] what the user was shown, and what they said of it before
 */

/** Signs and checks the states of calls that wait for answers. */
class States {
  #key
  /** States that were brought back, with the time at which they expire anyway. @type {Map<string, number>} */
  #used = new Map()

  /** @param {string | Uint8Array} [key] the same in all processes that serve one endpoint */
  constructor(key = randomBytes(32)) {
    this.#key = key
  }

  /** @param {State} state */
  seal(state) {
    const body = Buffer.from(JSON.stringify({ ...state, expires: Date.now() + LIFETIME_MS, nonce: randomBytes(12).toString('base64url') })).toString(
      'base64url',
    )
    return `${body}.${this.#mac(body)}`
  }

  /**
   * The state that a client brings back. An approval in it counts once.
   *
   * @param {unknown} sealed
   * @param {Pick<State, 'tool' | 'params' | 'principal'>} call that the client makes now
   * @returns {State}
   */
  open(sealed, call) {
    const state = this.#verified(sealed)
    if (state.tool !== call.tool || state.params !== call.params || state.principal !== call.principal) {
      throw new RequestError(INVALID_PARAMS, 'The `requestState` is for another call: its tool, arguments or caller differ. Make the call again without it.')
    }
    if (state.approval && this.#isUsed(state)) delete state.approval
    return state
  }

  /** @param {unknown} sealed */
  #verified(sealed) {
    const [body = '', mac = '', ...rest] = typeof sealed === 'string' ? sealed.split('.') : []
    const [given, right] = [Buffer.from(mac), Buffer.from(this.#mac(body))]
    const isRight = rest.length === 0 && given.length === right.length && timingSafeEqual(given, right)
    const state = isRight ? JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) : undefined
    if (state && state.expires > Date.now()) return state
    throw new RequestError(INVALID_PARAMS, 'The `requestState` is not valid or has expired. Make the call again without it.')
  }

  /** @param {{ nonce: string, expires: number }} state */
  #isUsed({ nonce, expires }) {
    if (this.#used.has(nonce)) return true
    for (const [old, end] of this.#used) {
      if (end > Date.now() && this.#used.size < USED_MAX) break
      this.#used.delete(old)
    }
    this.#used.set(nonce, expires)
    return false
  }

  /** @param {string} body */
  #mac(body) {
    return createHmac('sha256', this.#key).update(`tenon/mcp/requestState\0${body}`).digest('base64url')
  }
}

/**
 * Short for any JSON, whatever the order of its names.
 *
 * @param {unknown} value
 */
function digestOf(value) {
  return createHash('sha256')
    .update(JSON.stringify(value, sorted) ?? '')
    .digest('base64url')
}

/**
 * @param {string} _name
 * @param {any} value
 */
function sorted(_name, value) {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, value[name]]),
  )
}

module.exports = { States, digestOf }
