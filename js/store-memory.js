// @ts-check
'use strict'

/**
 * @typedef {import('../index.d.ts').StoreOperation} Operation
 * @typedef {import('../index.d.ts').StoreKey} Key
 */

/** Longest name, in bytes; most operations of a commit; most rows of a page. */
const NAME_MAX_BYTES = 512
const OPERATIONS_MAX = 1000
const PAGE_MAX_ROWS = 1000

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
  /** @type {Set<{ names: string[], changed: () => void }>} */
  #watchers = new Set()

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
    this.#notify(names)
    return { ok: /** @type {const} */ (true), versions }
  }

  /** @param {string[]} names */
  #notify(names) {
    for (const watcher of [...this.#watchers]) {
      if (watcher.names.some((name) => names.includes(name))) watcher.changed()
    }
  }

  /** @param {Key[]} keys */
  async get(keys) {
    this.#check()
    for (const { space, key } of keys) checkNames({ space, key })
    const now = this.#time()
    return keys.map((key) => this.#rowOf(key, now) ?? null).map((kept) => kept && told(kept))
  }

  /** @param {any} query */
  async scan({ space, prefix = '', order, log, after, before, limit }) {
    this.#check()
    checkNames(log === undefined ? { space } : { log })
    if (!(limit > 0)) throw new RangeError('The `limit` must be at least 1.')
    const most = Math.min(limit, PAGE_MAX_ROWS)
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
    const watcher = { names: [...names], changed }
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
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
    if (wasThere) this.#notify([log])
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
    const rows = rest.slice(0, limit)
    const last = rows.at(-1)
    const next = rest.length > limit ? (order ? `${last.order}:${last.key}` : last.key) : undefined
    return { rows: rows.map(told), ...(next !== undefined && { next }) }
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
    const rows = isBackwards ? wanted.slice(-limit) : wanted.slice(0, limit)
    const edge = isBackwards ? rows[0] : rows.at(-1)
    const next = wanted.length > limit ? String(edge.seq) : undefined
    return { rows: structuredClone(rows), ...(next !== undefined && { next }) }
  }
}

/**
 * @param {any} row
 * @returns {any}
 */
function told({ key, json, version, order, updatedAt }) {
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

/**
 * @param {string} mark
 * @param {boolean} isOrdered
 */
function markOf(mark, isOrdered) {
  if (!isOrdered) return { number: 0, key: mark }
  const [, number, key] = /^(-?\d+):(.*)$/s.exec(mark) ?? []
  if (number === undefined) throw new TypeError('The `after` was not returned as `next` by a scan with `order`.')
  return { number: Number(number), key }
}

/** @param {Record<string, unknown>} names */
function checkNames(names) {
  for (const [what, name] of Object.entries(names)) {
    const bytes = typeof name === 'string' ? encoder.encode(name).length : 0
    if (bytes < 1 || bytes > NAME_MAX_BYTES) throw new RangeError(`The \`${what}\` has ${bytes} bytes; 1 to ${NAME_MAX_BYTES} are allowed.`)
    if (/** @type {string} */ (name).includes('\0')) throw new RangeError(`The \`${what}\` contains U+0000.`)
  }
}

/** @param {any[]} operations */
function checkOperations(operations) {
  if (operations.length > OPERATIONS_MAX) throw new RangeError(`There are ${operations.length} operations; at most ${OPERATIONS_MAX} are taken.`)
  const named = new Set()
  for (const { put, delete: gone, append } of operations) {
    if (append) {
      checkNames({ log: append.log, id: append.id })
      continue
    }
    const { space, key, order = 0, expiresAt = 0 } = put ?? gone
    checkNames({ space, key })
    if (!Number.isSafeInteger(order) || !Number.isSafeInteger(expiresAt)) throw new RangeError('`order` and `expiresAt` are safe integers.')
    const name = JSON.stringify([space, key])
    if (named.has(name)) throw new RangeError(`The commit names \`${key}\` in \`${space}\` twice.`)
    named.add(name)
  }
}

/** @param {string} text */
function folded(text) {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/**
 * All strings in a value.
 *
 * @param {any} value
 * @returns {string}
 */
function stringsOf(value) {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(stringsOf).filter(Boolean).join('\n')
}

module.exports = { MemoryStore }
