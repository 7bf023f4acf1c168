// @ts-check
'use strict'

/**
 * @typedef {import('../../index.d.ts').StoreOperation} Operation
 * @typedef {import('../../index.d.ts').StoreKey} Key
 */

const { checkNames, checkOperations, checkScan, entriesPageOf, folded, markOf, pageOf, stringsOf } = require('./rules.js')
const { Watchers } = require('./watchers.js')

const encoder = new TextEncoder()

/** A store in memory, in plain JavaScript: a pattern for stores of other kinds, with every rule in one place. */
class MemoryStore {
  #version = 0
  #lastTime = 0
  #isClosed = false
  /** @type {Map<string, Map<string, any>>} */
  #spaces = new Map()
  /** @type {Map<string, { entries: any[], ids: Map<string, number> }>} */
  #logs = new Map()
  #watchers = new Watchers()

  /** @param {Operation[]} operations */
  async commit(operations) {
    this.#check()
    checkOperations(operations)
    const now = this.#time()
    const conflict = operations.findIndex((operation) => !this.#holds(operation, now))
    if (conflict !== -1) return { ok: /** @type {const} */ (false), conflict }
    this.#version += 1
    const versions = operations.map((operation) => this.#write(/** @type {any} */ (operation), now))
    const names = operations.map((/** @type {any} */ { put, delete: gone, append }) => append?.log ?? (put ?? gone).space)
    this.#watchers.notify(names)
    return { ok: /** @type {const} */ (true), versions }
  }

  /** @param {Key[]} keys */
  async get(keys) {
    this.#check()
    for (const { space, key } of keys) checkNames({ space, key })
    const now = this.#time()
    return keys.map((key) => this.#rowOf(key, now) ?? null).map((kept) => kept && asRow(kept))
  }

  /** @param {any} query */
  async scan({ space, prefix = '', order, log, after, before, limit }) {
    this.#check()
    const most = checkScan({ space, log, limit })
    return log === undefined ? this.#rows(space, prefix, order, after, most) : this.#entries(log, after, before, most)
  }

  async now() {
    this.#check()
    return this.#time()
  }

  /**
   * @param {string[]} names
   * @param {() => void} changed
   */
  watch(names, changed) {
    return this.#watchers.add(names, changed)
  }

  /** @param {{ logs: string, text: string, limit: number }} query */
  async search({ logs, text, limit }) {
    this.#check()
    const words = folded(text).split(/\s+/).filter(Boolean)
    if (words.length === 0) return []
    const all = [...this.#logs].filter(([log]) => log.startsWith(logs)).flatMap(([log, { entries }]) => entries.map((entry) => ({ log, ...entry })))
    const hits = all.filter(({ value }) => words.every((word) => folded(stringsOf(value)).includes(word)))
    return hits
      .sort((one, other) => other.seq - one.seq)
      .slice(0, limit)
      .map(({ log, seq, id, value }) => ({ log, seq, id, snippet: stringsOf(value).slice(0, 200) }))
  }

  /** @param {string} log */
  async clear(log) {
    this.#check()
    checkNames({ log })
    const wasThere = this.#logs.delete(log)
    if (wasThere) this.#watchers.notify([log])
    return wasThere
  }

  async close() {
    this.#isClosed = true
    this.#spaces.clear()
    this.#logs.clear()
    this.#watchers.clear()
  }

  #check() {
    if (this.#isClosed) throw new Error('The store was closed.')
  }

  /** Never goes back. */
  #time() {
    this.#lastTime = Math.max(this.#lastTime, Date.now())
    return this.#lastTime
  }

  /**
   * @param {Key} key
   * @param {number} now
   */
  #rowOf({ space, key }, now) {
    const row = this.#spaces.get(space)?.get(key)
    return row && !(row.expiresAt <= now) ? row : undefined
  }

  /**
   * @param {any} operation
   * @param {number} now
   */
  #holds({ put, delete: gone, expect }, now) {
    if (expect === undefined) return true
    return (this.#rowOf(put ?? gone, now)?.version ?? null) === expect
  }

  /**
   * @param {any} operation
   * @param {number} now
   */
  #write({ put, delete: gone, append }, now) {
    if (append) return this.#append(append, now)
    if (gone) {
      this.#spaces.get(gone.space)?.delete(gone.key)
      return 0
    }
    const { space, key, value, order, expiresAt } = put
    const rows = this.#spaces.get(space) ?? new Map()
    this.#spaces.set(space, rows)
    // Text, so that nobody changes it from outside.
    rows.set(key, { key, json: JSON.stringify(value), version: this.#version, order, expiresAt, updatedAt: now })
    return this.#version
  }

  /**
   * @param {any} append
   * @param {number} now
   */
  #append({ log, id, value }, now) {
    const kept = this.#logs.get(log) ?? { entries: /** @type {any[]} */ ([]), ids: new Map() }
    this.#logs.set(log, kept)
    const known = kept.ids.get(id)
    if (known !== undefined) return known
    const seq = Math.max(this.#version, (kept.entries.at(-1)?.seq ?? 0) + 1)
    this.#version = seq
    kept.ids.set(id, seq)
    kept.entries.push({ seq, id, value: JSON.parse(JSON.stringify(value)), at: now })
    return seq
  }

  /**
   * @param {string} space
   * @param {string} prefix
   * @param {{ from?: number, to?: number } | undefined} order
   * @param {string | undefined} after
   * @param {number} limit
   */
  #rows(space, prefix, order, after, limit) {
    const now = this.#time()
    const all = [...(this.#spaces.get(space)?.values() ?? [])]
    const there = all.filter((row) => row.key.startsWith(prefix) && !(row.expiresAt <= now))
    const { from = -Infinity, to = Infinity } = order ?? {}
    const wanted = order ? there.filter((row) => row.order !== undefined && row.order >= from && row.order <= to) : there
    const place = (/** @type {any} */ row) => (order ? { number: row.order, key: row.key } : { number: 0, key: row.key })
    const behind = after === undefined ? undefined : markOf(after, order !== undefined)
    const sorted = wanted.sort((one, other) => compared(place(one), place(other)))
    const rest = behind ? sorted.filter((row) => compared(place(row), behind) > 0) : sorted
    return pageOf(rest.slice(0, limit + 1).map(asRow), limit, order !== undefined)
  }

  /**
   * @param {string} log
   * @param {number | undefined} after
   * @param {number | undefined} before
   * @param {number} limit
   */
  #entries(log, after, before, limit) {
    const all = this.#logs.get(log)?.entries ?? []
    const wanted = all.filter(({ seq }) => seq > (after ?? 0) && seq < (before ?? Infinity))
    // Without `after` the last ones before a number.
    const isBackwards = before !== undefined && after === undefined
    const found = isBackwards ? wanted.slice(-limit - 1).reverse() : wanted.slice(0, limit + 1)
    return entriesPageOf(structuredClone(found), limit, isBackwards)
  }
}

/**
 * @param {any} row
 * @returns {any}
 */
function asRow({ key, json, version, order, updatedAt }) {
  return { key, value: JSON.parse(json), version, ...(order !== undefined && { order }), updatedAt }
}

/**
 * By number, then by the bytes of the key in UTF-8: not by UTF-16 units, as `<` compares.
 *
 * @param {{ number: number, key: string }} one
 * @param {{ number: number, key: string }} other
 */
function compared(one, other) {
  return one.number - other.number || Buffer.compare(encoder.encode(one.key), encoder.encode(other.key))
}

module.exports = { MemoryStore }
