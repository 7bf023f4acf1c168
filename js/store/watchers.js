// @ts-check
'use strict'

/** Who is called when a space or a log changes. */
class Watchers {
  /** @type {Set<{ names: string[], changed: () => void }>} */
  #all = new Set()

  get isEmpty() {
    return this.#all.size === 0
  }

  /**
   * @param {string[]} names
   * @param {() => void} changed
   * @returns {() => void} ends it
   */
  add(names, changed) {
    const watcher = { names: [...names], changed }
    this.#all.add(watcher)
    return () => void this.#all.delete(watcher)
  }

  /** @param {string[]} names the spaces and logs that changed */
  notify(names) {
    for (const watcher of [...this.#all]) {
      if (watcher.names.some((name) => names.includes(name))) watcher.changed()
    }
  }

  notifyAll() {
    for (const { changed } of [...this.#all]) changed()
  }

  clear() {
    this.#all.clear()
  }
}

module.exports = { Watchers }
