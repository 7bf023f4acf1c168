// @ts-check
'use strict'

const { createHash } = require('node:crypto')

const { Listener } = require('./listener.js')
const scripts = require('./redis-scripts.js')
const { checkNames, checkOperations, checkScan, entriesPageOf, markOf, pageOf } = require('./rules.js')

/**
 * @typedef {import('../../store-redis.d.ts').RedisClient} RedisClient
 * @typedef {import('../../index.d.ts').StoreOperation} Operation
 * @typedef {import('../../index.d.ts').StoreKey} Key
 * @typedef {{ text: string, hash: string }} Script
 */

const SCRIPTS = Object.fromEntries(Object.entries(scripts).map(([name, text]) => [name, { text, hash: createHash('sha1').update(text).digest('hex') }]))

/** Behind every name that begins with the same text: 128 characters of 4 bytes are the longest name. */
const LAST = '\u{10ffff}'.repeat(128)

/**
 * A store in Redis, over a client of `ioredis` or `redis` that the host gives. The client stays the host's and is never
 * closed. The layout is in `store-redis-scripts.js`.
 */
class RedisStore {
  #client
  #prefix
  #channel
  #lastTime = 0
  #isClosed = false
  /** @type {Listener | undefined} */
  #listener

  /**
   * @param {RedisClient} client
   * @param {import('../../store-redis.d.ts').RedisStoreOptions} [options]
   */
  constructor(client, { name = 'tenon', watch = true } = {}) {
    const { call, sendCommand } = /** @type {any} */ (client ?? {})
    if (typeof call !== 'function' && typeof sendCommand !== 'function') {
      throw new TypeError('`RedisStore` takes a client of `ioredis` or `redis`: an object with the function `call` or `sendCommand`.')
    }
    if (typeof name !== 'string' || !/^[^{}\0]{1,64}$/.test(name)) throw new TypeError('The `name` of a `RedisStore` has 1 to 64 characters, without braces.')
    this.#client = client
    // The braces keep all keys of a store in one slot of a cluster.
    this.#prefix = `{${name}}:`
    this.#channel = `{${name}}:changes`
    if (watch && typeof client.duplicate === 'function') this.#listener = new Listener((events) => this.#listen(events))
    // Without a second connection it has no `watch`, and is read every second.
    else this.watch = /** @type {any} */ (undefined)
  }

  /** @param {Operation[]} operations */
  async commit(operations) {
    checkOperations(operations)
    const values = operations.flatMap(argumentsOf)
    /** @type {string[]} */
    const result = await this.#run(SCRIPTS.COMMIT, [this.#channel, ...values])
    const numbers = result.map(Number)
    if (numbers[0] < 0) return { ok: /** @type {const} */ (false), conflict: -numbers[0] - 1 }
    return { ok: /** @type {const} */ (true), versions: numbers }
  }

  /** @param {Key[]} keys */
  async get(keys) {
    for (const { space, key } of keys) checkNames({ space, key })
    /** @type {(string | null)[]} */
    const rows = await this.#run(
      SCRIPTS.GET,
      keys.flatMap(({ space, key }) => [space, key]),
    )
    return rows.map((row, place) => (row === null ? null : rowOf(keys[place].key, row)))
  }

  /** @param {any} query */
  async scan({ space, prefix = '', order, log, after, before, limit }) {
    const most = checkScan({ space, log, limit })
    if (log !== undefined) return this.#entries(log, after, before, most)
    const found = order
      ? await this.#byNumber(space, prefix, order, after, most + 1)
      : await this.#run(SCRIPTS.BY_KEY, [space, firstOf(prefix, after), prefix === '' ? '+' : `[${prefix}${LAST}`, most + 1])
    return pageOf(
      pairs(found).map(([key, row]) => rowOf(key, row)),
      most,
      order !== undefined,
    )
  }

  async now() {
    this.#lastTime = Math.max(this.#lastTime, Number(await this.#run(SCRIPTS.TIME, [])))
    return this.#lastTime
  }

  /**
   * @param {string[]} names
   * @param {() => void} changed
   */
  watch(names, changed) {
    this.#check()
    return /** @type {Listener} */ (this.#listener).watch(names, changed)
  }

  /** @param {string} log */
  async clear(log) {
    checkNames({ log })
    return Number(await this.#run(SCRIPTS.CLEAR, [log])) > 0
  }

  /** Ends watching. The client is the host's and stays open. */
  async close() {
    this.#isClosed = true
    this.#listener?.close()
  }

  #check() {
    if (this.#isClosed) throw new Error('The store was closed.')
  }

  /** @type {import('./listener.js').Open} */
  async #listen({ ready, changed, lost }) {
    const client = /** @type {any} */ (this.#client).duplicate()
    const close = () => void (typeof client.destroy === 'function' ? client.destroy() : client.disconnect())
    // Both clients connect again by themselves and subscribe again before they are ready.
    client.on('error', () => {})
    client.on('end', lost)
    const isIo = typeof client.call === 'function'
    try {
      if (!isIo) await client.connect()
      if (isIo) client.on('message', (/** @type {string} */ _, /** @type {string} */ name) => changed(name))
      await client.subscribe(this.#channel, ...(isIo ? [] : [changed]))
    } catch (error) {
      close()
      throw error
    }
    client.on('ready', ready)
    ready()
    return close
  }

  /**
   * @param {string} space
   * @param {string} prefix
   * @param {{ from?: number, to?: number }} range
   * @param {string | undefined} after
   * @param {number} most
   */
  #byNumber(space, prefix, { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER }, after, most) {
    const { number, key } = after === undefined ? { number: Number.MIN_SAFE_INTEGER, key: '' } : markOf(after, true)
    return this.#run(SCRIPTS.BY_NUMBER, [space, prefix, from, to, number, key, most])
  }

  /**
   * @param {string} log
   * @param {number | undefined} after
   * @param {number | undefined} before
   * @param {number} most
   */
  async #entries(log, after, before, most) {
    const isBackwards = before !== undefined && after === undefined
    const last = before ?? Number.MAX_SAFE_INTEGER
    const found = await this.#run(SCRIPTS.ENTRIES, [log, after ?? 0, last, most + 1, isBackwards ? 1 : 0])
    return entriesPageOf(
      pairs(found).map(([id, entry]) => entryOf(id, entry)),
      most,
      isBackwards,
    )
  }

  /**
   * Runs a script by its hash; Redis is given its text once.
   *
   * @param {Script} script
   * @param {(string | number)[]} values
   * @returns {Promise<any>}
   */
  async #run({ text, hash }, values) {
    this.#check()
    const rest = ['1', this.#prefix, ...values.map(String)]
    try {
      return await this.#send(['EVALSHA', hash, ...rest])
    } catch (error) {
      if (!String(/** @type {any} */ (error)?.message).startsWith('NOSCRIPT')) throw error
      return this.#send(['EVAL', text, ...rest])
    }
  }

  /** @param {string[]} command */
  #send(command) {
    const client = /** @type {any} */ (this.#client)
    // `ioredis` has `call`. The others have `sendCommand`, which in a cluster asks for the key first.
    if (typeof client.call === 'function') return client.call(...command)
    return client.sendCommand.length > 2 ? client.sendCommand(this.#prefix, false, command) : client.sendCommand(command)
  }
}

/** @param {any} operation */
function argumentsOf({ put, delete: gone, append, expect }) {
  if (append) return ['append', append.log, append.id, JSON.stringify(append.value), '-', '-', '-']
  const { space, key } = put ?? gone
  if (gone) return ['delete', space, key, '', '-', '-', expected(expect)]
  return ['put', space, key, JSON.stringify(put.value), put.order ?? '-', put.expiresAt ?? '-', expected(expect)]
}

/** @param {number | null | undefined} expect */
function expected(expect) {
  if (expect === undefined) return '-'
  if (expect === null) return '0'
  // Versions begin with 1: what cannot be one fits no row.
  return Number.isSafeInteger(expect) && expect > 0 ? String(expect) : 'none'
}

/**
 * The lower bound of a range by key.
 *
 * @param {string} prefix
 * @param {string | undefined} after
 */
function firstOf(prefix, after) {
  if (after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0) return `(${after}`
  return prefix === '' ? '-' : `[${prefix}`
}

/**
 * @param {string[]} list
 * @returns {[string, string][]}
 */
function pairs(list) {
  return Array.from({ length: list.length / 2 }, (_, place) => [list[place * 2], list[place * 2 + 1]])
}

/**
 * @param {string} key
 * @param {string} row
 */
function rowOf(key, row) {
  const [, version, order, , updatedAt, value] = /** @type {string[]} */ (/^(\d+) (\S+) (\S+) (\d+) (.*)$/s.exec(row))
  return { key, value: JSON.parse(value), version: Number(version), ...(order !== '-' && { order: Number(order) }), updatedAt: Number(updatedAt) }
}

/**
 * @param {string} id
 * @param {string} entry
 */
function entryOf(id, entry) {
  const [, seq, at, value] = /** @type {string[]} */ (/^(\d+) (\d+) (.*)$/s.exec(entry))
  return { seq: Number(seq), id, value: JSON.parse(value), at: Number(at) }
}

module.exports = { RedisStore }
