// @ts-check
'use strict'

const { Listener } = require('./listener.js')
const { migrationOf, quoted, statementsOf } = require('./pg-schema.js')
const { checkNames, checkOperations, checkScan, entriesPageOf, folded, markOf, pageOf, stringsOf } = require('./rules.js')

/**
 * @typedef {import('../../store-pg.d.ts').PgPool} PgPool
 * @typedef {import('../../index.d.ts').StoreOperation} Operation
 * @typedef {import('../../index.d.ts').StoreKey} Key
 */

/** The longest name of a schema, and of a channel: one byte less than `NAMEDATALEN`, less the `tenon:` of the channel. */
const SCHEMA_MAX_BYTES = 57
/** The server ended a commit in favour of another one: nothing was written. */
const RETRIED = new Set(['40001', '40P01'])
const ATTEMPTS = 10
/** Behind every name that begins with the same text: 128 characters of 4 bytes are the longest name. */
const LAST = '\u{10ffff}'.repeat(128)
/** What of a found entry is shown. */
const SNIPPET_CHARS = 200

/**
 * A store in PostgreSQL, over a pool of `pg` that the host gives. The tables are in docs/store.md; the pool stays the
 * host's and is never ended.
 */
class PgStore {
  #pool
  #schema
  #statements
  #migrates
  #notifies
  #channel
  #lastTime = 0
  #isClosed = false
  /** @type {Promise<void> | undefined} */
  #ready
  /** @type {Listener | undefined} */
  #listener
  /** What ends each watch. @type {Set<() => void>} */
  #watches = new Set()

  /**
   * @param {PgPool} pool
   * @param {import('../../store-pg.d.ts').PgStoreOptions} [options]
   */
  constructor(pool, { schema = 'tenon', migrate = true, watch = true } = {}) {
    if (typeof pool?.query !== 'function') throw new TypeError('`PgStore` takes a pool of `pg`: an object with the function `query`.')
    checkSchema(schema)
    this.#pool = pool
    this.#schema = schema
    this.#channel = `tenon:${schema}`
    this.#statements = statementsOf(schema)
    this.#migrates = migrate
    this.#notifies = watch
    if (watch && canListen(pool)) this.#listener = listenerOf(pool, this.#channel)
    // Without notifications it has no `watch`, and is read every second.
    else this.watch = /** @type {any} */ (undefined)
  }

  /**
   * The statements that make the tables, for those who run migrations by themselves.
   *
   * @param {string} [schema]
   */
  static migration(schema = 'tenon') {
    checkSchema(schema)
    return migrationOf(schema)
  }

  /** @param {Operation[]} operations */
  async commit(operations) {
    checkOperations(operations)
    await this.#prepared()
    const values = [...columnsOf(operations), this.#notifies ? this.#channel : null]
    for (let attempt = 1; ; attempt++) {
      try {
        const [{ result }] = await this.#query(this.#statements.commit, values)
        const numbers = result.map(Number)
        if (numbers[0] < 0) return { ok: /** @type {const} */ (false), conflict: -numbers[0] - 1 }
        return { ok: /** @type {const} */ (true), versions: numbers }
      } catch (error) {
        if (attempt === ATTEMPTS || !RETRIED.has(/** @type {any} */ (error).code)) throw error
      }
    }
  }

  /** @param {Key[]} keys */
  async get(keys) {
    for (const { space, key } of keys) checkNames({ space, key })
    await this.#prepared()
    const rows = await this.#query(this.#statements.get, [keys.map(({ space }) => space), keys.map(({ key }) => key)])
    return rows.map((row) => (row.key === null ? null : asRow(row)))
  }

  /** @param {any} query */
  async scan({ space, prefix = '', order, log, after, before, limit }) {
    const most = checkScan({ space, log, limit })
    await this.#prepared()
    if (log !== undefined) return this.#entries(log, after, before, most)
    const { byKey, byNumber } = this.#statements
    const { number, key } = after === undefined ? { number: Number.MIN_SAFE_INTEGER, key: '' } : markOf(after, order !== undefined)
    const range = [space, prefix, prefix + LAST]
    const rows = order
      ? await this.#query(byNumber, [...range, bound(order.from, Number.MIN_SAFE_INTEGER), bound(order.to, Number.MAX_SAFE_INTEGER), number, key, most + 1])
      : await this.#query(byKey, [...range, key, most + 1])
    return pageOf(rows.map(asRow), most, order !== undefined)
  }

  async now() {
    await this.#prepared()
    const [{ now }] = await this.#query(this.#statements.now, [])
    this.#lastTime = Math.max(this.#lastTime, Number(now))
    return this.#lastTime
  }

  /**
   * @param {string[]} names
   * @param {() => void} changed
   */
  watch(names, changed) {
    this.#check()
    const end = /** @type {Listener} */ (this.#listener).watch(names, changed)
    this.#watches.add(end)
    return () => {
      this.#watches.delete(end)
      end()
    }
  }

  /** @param {{ logs: string, text: string, limit: number }} query */
  async search({ logs, text, limit }) {
    const words = folded(text).split(/\s+/).filter(Boolean).map(withoutNul)
    if (words.length === 0) return []
    await this.#prepared()
    const rows = await this.#query(this.#statements.search, [logs, logs + LAST, words, limit])
    return rows.map(({ log, seq, id, value }) => ({ log, seq: Number(seq), id, snippet: stringsOf(JSON.parse(value)).slice(0, SNIPPET_CHARS) }))
  }

  /** @param {string} log */
  async clear(log) {
    checkNames({ log })
    await this.#prepared()
    this.#check()
    const { rowCount } = await this.#pool.query(this.#statements.clear, [log])
    return Number(rowCount) > 0
  }

  /** Ends watching. The pool is the host's and stays open. */
  async close() {
    this.#isClosed = true
    for (const end of this.#watches) end()
    this.#watches.clear()
  }

  #check() {
    if (this.#isClosed) throw new Error('The store was closed.')
  }

  /** The tables are there. A failure is not kept: the next call tries again. */
  async #prepared() {
    this.#check()
    this.#ready ??= this.#prepare().catch((error) => {
      this.#ready = undefined
      throw error
    })
    await this.#ready
  }

  async #prepare() {
    const [{ ready }] = await this.#query(this.#statements.isReady, [this.#statements.commitName])
    if (ready) return
    if (!this.#migrates)
      throw new Error(
        `The tables of the store are missing in the schema "${this.#schema}". Run the text of \`PgStore.migration()\`, or leave out \`migrate: false\`.`,
      )
    // Several statements in one text are one transaction, and a lock lets one process at a time do it.
    await this.#pool.query(migrationOf(this.#schema))
  }

  /**
   * @param {string} log
   * @param {number | undefined} after
   * @param {number | undefined} before
   * @param {number} most
   */
  async #entries(log, after, before, most) {
    const isBackwards = before !== undefined && after === undefined
    const statement = isBackwards ? this.#statements.backwards : this.#statements.forwards
    const found = await this.#query(statement, [log, bound(after, 0), bound(before, Number.MAX_SAFE_INTEGER), most + 1])
    const entries = found.map(({ seq, id, value, at }) => ({ seq: Number(seq), id, value: JSON.parse(value), at: Number(at) }))
    return entriesPageOf(entries, most, isBackwards)
  }

  /**
   * @param {string} text
   * @param {unknown[]} values
   * @returns {Promise<any[]>}
   */
  async #query(text, values) {
    this.#check()
    return (await this.#pool.query(text, values)).rows
  }
}

/** What listens over each pool, by its channel: all stores over one pool share a connection. @type {WeakMap<object, Map<string, Listener>>} */
const listeners = new WeakMap()

/**
 * Whether a pool has a connection to spare for listening. Of a single one nothing would be left for the store.
 *
 * @param {PgPool & { options?: { max?: number } }} pool
 */
function canListen(pool) {
  return typeof pool.connect === 'function' && !(Number(pool.options?.max) <= 1)
}

/**
 * @param {PgPool} pool
 * @param {string} channel
 */
function listenerOf(pool, channel) {
  const ofPool = listeners.get(pool) ?? new Map()
  listeners.set(pool, ofPool)
  const known = ofPool.get(channel)
  if (known) return known
  const listener = new Listener((events) => listen(pool, channel, events))
  ofPool.set(channel, listener)
  return listener
}

/**
 * @param {PgPool} pool
 * @param {string} channel
 * @param {Parameters<import('./listener.js').Open>[0]} events
 */
async function listen(pool, channel, { ready, changed, lost }) {
  const client = await /** @type {any} */ (pool).connect()
  client.on('error', lost)
  client.on('end', lost)
  client.on('notification', (/** @type {any} */ event) => void (event.channel === channel && changed(event.payload)))
  // The connection listens from now on, so that it is closed and does not go back to the pool.
  const close = () => client.release(true)
  await client.query(`listen ${quoted(channel)}`).catch((/** @type {unknown} */ error) => {
    close()
    throw error
  })
  ready()
  return close
}

/** @param {unknown} schema */
function checkSchema(schema) {
  const bytes = typeof schema === 'string' ? Buffer.byteLength(schema) : 0
  if (bytes < 1 || bytes > SCHEMA_MAX_BYTES) throw new TypeError(`The \`schema\` of a \`PgStore\` is a name of 1 to ${SCHEMA_MAX_BYTES} bytes.`)
}

/**
 * The operations as columns: kinds, names of spaces or logs, keys or ids, values, words to search, numbers, ends, expectations.
 *
 * @param {any[]} operations
 */
function columnsOf(operations) {
  const parts = operations.map(({ put, delete: gone, append, expect }) => {
    if (append) return ['append', append.log, append.id, JSON.stringify(append.value), withoutNul(folded(stringsOf(append.value))), null, null, null]
    const { space, key } = put ?? gone
    if (gone) return ['delete', space, key, null, null, null, null, expected(expect)]
    return ['put', space, key, JSON.stringify(put.value), null, put.order ?? null, put.expiresAt ?? null, expected(expect)]
  })
  return Array.from({ length: 8 }, (_, column) => parts.map((part) => part[column]))
}

/**
 * What the version must be: 0 where there must be no row; null where nothing is expected.
 *
 * @param {number | null | undefined} expect
 */
function expected(expect) {
  if (expect === undefined) return null
  if (expect === null) return 0
  // Versions begin with 1: what cannot be one fits no row.
  return Number.isSafeInteger(expect) && expect > 0 ? expect : -1
}

/**
 * @param {number | undefined} number
 * @param {number} edge
 */
function bound(number, edge) {
  if (number === undefined) return edge
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Math.trunc(number), Number.MAX_SAFE_INTEGER))
}

/** @param {string} text */
function withoutNul(text) {
  return text.replaceAll('\0', ' ')
}

/** @param {any} row */
function asRow({ key, value, version, number, updated_at: updatedAt }) {
  const order = number === null ? {} : { order: Number(number) }
  return { key, value: JSON.parse(value), version: Number(version), ...order, updatedAt: Number(updatedAt) }
}

module.exports = { PgStore }
