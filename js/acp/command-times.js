// @ts-check
'use strict'

/** Times of files may be this much older than the clock says. */
const CLOCK_MS = 20
const MOST_SPANS = 1000

/** When commands ran, which may have changed any file: what changed at another time was changed by the user. */
class CommandTimes {
  /** In the order in which they began. @type {{ from: number, to: number }[]} */
  #spans = []
  /** Of commands in the background. @type {Map<string, { from: number, to: number }>} */
  #running = new Map()
  /** Commands that ended before their call said that they run. @type {Set<string>} */
  #exited = new Set()
  #toolkits = new WeakSet()

  /**
   * @param {any} toolkit
   * @param {() => Promise<any>} work
   */
  async during(toolkit, work) {
    this.#watch(toolkit)
    const span = this.#begin()
    let result
    try {
      result = await work()
      return result
    } finally {
      const { status, sessionId } = result?.details ?? {}
      const isRunning = status === 'running' && typeof sessionId === 'string' && !this.#exited.has(sessionId) && !this.#running.has(sessionId)
      if (isRunning) this.#running.set(sessionId, span)
      else span.to = Date.now()
    }
  }

  #begin() {
    const span = { from: Date.now() - CLOCK_MS, to: Number.POSITIVE_INFINITY }
    this.#spans.push(span)
    if (this.#spans.length > MOST_SPANS) {
      // The time between the two oldest counts as one of commands: that only asks the user to save once more.
      const [oldest, next] = this.#spans
      if (oldest.to < next.from) {
        next.from = oldest.from
        this.#spans.shift()
      } else if (next.to !== Number.POSITIVE_INFINITY) {
        oldest.to = Math.max(oldest.to, next.to)
        this.#spans.splice(1, 1)
      }
    }
    return span
  }

  /** @param {any} toolkit */
  #watch(toolkit) {
    if (this.#toolkits.has(toolkit)) return
    this.#toolkits.add(toolkit)
    toolkit.on('process_exited', (/** @type {{ sessionId: string }} */ { sessionId }) => {
      const span = this.#running.get(sessionId)
      if (span) span.to = Date.now()
      this.#running.delete(sessionId)
      this.#exited.add(sessionId)
    })
  }

  /**
   * Whether commands ran at a time.
   *
   * @param {number} time in milliseconds
   */
  covers(time) {
    return this.#spans.some(({ from, to }) => time >= from && time <= to)
  }
}

module.exports = { CommandTimes }
