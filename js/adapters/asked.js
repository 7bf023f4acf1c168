// @ts-check
'use strict'

/** As many calls are remembered that users were asked about; the oldest are forgotten first. */
const MOST = 1000

/**
 * What users were asked about, by call, until the call runs. Frameworks judge a call again when they resume; what its user saw is what was
 * asked first.
 *
 * @template T
 */
class Asked {
  /** @type {Map<string, T>} */
  #calls = new Map()

  /** @param {string | undefined} call */
  get(call) {
    return call === undefined ? undefined : this.#calls.get(call)
  }

  /**
   * @param {string | undefined} call nothing is kept without one
   * @param {T} value
   */
  keep(call, value) {
    if (call === undefined) return
    this.#calls.set(call, value)
    if (this.#calls.size > MOST) this.#calls.delete(/** @type {string} */ (this.#calls.keys().next().value))
  }

  /**
   * What was asked about a call that now runs, or never does.
   *
   * @param {string | undefined} call
   */
  take(call) {
    const value = this.get(call)
    if (call !== undefined) this.#calls.delete(call)
    return value
  }
}

module.exports = { Asked }
