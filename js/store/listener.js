// @ts-check
'use strict'

const { Watchers } = require('./watchers.js')

/** After a lost connection: the first wait, and the longest. */
const RETRY_FIRST_MS = 100
const RETRY_MAX_MS = 30_000

/**
 * Opens a connection over which changes are reported, and returns what closes it. `ready` is called whenever it listens,
 * `changed` with the space or log that changed, `lost` when it has ended.
 *
 * @typedef {(events: { ready(): void, changed(name: string): void, lost(): void }) => Promise<() => void>} Open
 */

/**
 * Listens for the spaces and logs that changed, as long as somebody watches. Those who watch are also called whenever the
 * connection begins to listen: what changed before then was not reported.
 */
class Listener {
  #open
  #watchers = new Watchers()
  /** The connection of now: what is reported of an earlier one counts no longer. */
  #connection = 0
  /** @type {(() => void) | undefined} */
  #close
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #failures = 0

  /** @param {Open} open */
  constructor(open) {
    this.#open = open
  }

  /**
   * @param {string[]} names
   * @param {() => void} changed
   */
  watch(names, changed) {
    const isFirst = this.#watchers.isEmpty
    const end = this.#watchers.add(names, changed)
    if (isFirst) void this.#connect()
    return () => {
      end()
      if (this.#watchers.isEmpty) this.#release()
    }
  }

  close() {
    this.#watchers.clear()
    this.#release()
  }

  async #connect() {
    this.#release()
    const connection = this.#connection
    const isCurrent = () => connection === this.#connection
    try {
      const close = await this.#open({
        ready: () => {
          if (!isCurrent()) return
          this.#failures = 0
          this.#watchers.notifyAll()
        },
        changed: (name) => void (isCurrent() && this.#watchers.notify([name])),
        lost: () => void (isCurrent() && this.#retry()),
      })
      if (isCurrent()) this.#close = close
      else close()
    } catch {
      // Those who watch read at intervals all the same.
      if (isCurrent()) this.#retry()
    }
  }

  #retry() {
    this.#release()
    const wait = Math.min(RETRY_FIRST_MS * 2 ** this.#failures++, RETRY_MAX_MS)
    this.#timer = setTimeout(() => void this.#connect(), wait)
    this.#timer.unref()
  }

  #release() {
    this.#connection += 1
    clearTimeout(this.#timer)
    const close = this.#close
    this.#close = undefined
    close?.()
  }
}

module.exports = { Listener }
