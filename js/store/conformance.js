// @ts-check
'use strict'

const assert = require('node:assert/strict')
const { clearTimeout, setTimeout } = require('node:timers')
const { inspect } = require('node:util')

const { MemoryStore } = require('./memory.js')

/**
 * @typedef {import('../../index.d.ts').Store} Store
 * @typedef {() => Store | Promise<Store>} Make makes a store that is empty
 * @typedef {{ name: string, run: () => Promise<void> }} Check
 */

/** Time for a check to end. */
const PATIENCE_MS = 60_000
/** Time for a row to end. */
const LIFE_MS = 300

/**
 * The checks that every store passes, each with a name and a function that rejects when the store fails it. For any test
 * runner: `for (const { name, run } of storeChecks(make)) test(name, run)`.
 *
 * @param {Make} make
 * @returns {Check[]}
 */
function storeChecks(make) {
  if (typeof make !== 'function') throw new TypeError('`storeChecks` takes a function that makes an empty store.')
  return Object.entries(CHECKS).map(([name, check]) => ({ name, run: () => withStore(name, make, check) }))
}

/**
 * Runs all checks, one after the other.
 *
 * @param {Make} make
 * @returns {Promise<{ passed: string[], failed: { name: string, error: unknown }[] }>}
 */
async function checkStore(make) {
  /** @type {{ passed: string[], failed: { name: string, error: unknown }[] }} */
  const report = { passed: [], failed: [] }
  for (const { name, run } of storeChecks(make)) {
    try {
      await run()
      report.passed.push(name)
    } catch (error) {
      report.failed.push({ name, error })
    }
  }
  return report
}

/**
 * @param {string} name
 * @param {Make} make
 * @param {(store: Store) => Promise<void>} check
 */
async function withStore(name, make, check) {
  const store = await make()
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not end within ${PATIENCE_MS / 1000} s: a function of the store does not settle.`)), PATIENCE_MS)
  })
  try {
    await Promise.race([check(store), late])
  } catch (error) {
    throw failed(name, error)
  } finally {
    clearTimeout(timer)
    await store.close?.()
  }
}

/**
 * What a store does not do, with what was expected where the check compares values.
 *
 * @param {string} name
 * @param {any} error
 */
function failed(name, error) {
  const { generatedMessage, operator = '', actual, expected } = error ?? {}
  const isComparison = generatedMessage === true && /^(deep|strict)/.test(operator)
  const what =
    isComparison && (actual !== undefined || expected !== undefined) ? `expected ${shown(expected)}, got ${shown(actual)}` : String(error?.message ?? error)
  const failure = new Error(`The store fails the check "${name}": ${what}`, { cause: error })
  return Object.assign(failure, 'actual' in Object(error) && { actual, expected })
}

/** @param {unknown} value */
function shown(value) {
  const text = typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 4, breakLength: Infinity, compact: 10 })
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/**
 * What a commit has returned, which has one of two forms.
 *
 * @param {Store} store
 * @param {any[]} operations
 * @returns {Promise<any>}
 */
async function committed(store, operations) {
  const result = /** @type {any} */ (await store.commit(operations))
  const isDone = result?.ok === true && Array.isArray(result.versions)
  const isConflict = result?.ok === false && Number.isSafeInteger(result.conflict)
  assert.ok(isDone || isConflict, `\`commit\` returned ${shown(result)}; expected { ok: true, versions } or { ok: false, conflict }`)
  if (isDone) assert.ok(result.versions.every(Number.isSafeInteger), `\`commit\` returned the versions ${shown(result.versions)}; expected integers`)
  return result
}

const put = (/** @type {string} */ key, /** @type {any} */ value = 1, more = {}) => ({ put: { space: 'a', key, value, ...more } })
const append = (/** @type {string} */ id, /** @type {any} */ value = 1, log = 'l') => ({ append: { log, id, value } })
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * @param {Store} store
 * @param {any[]} operations
 * @returns {Promise<number[]>}
 */
async function done(store, ...operations) {
  const result = await committed(store, operations)
  assert.ok(result.ok, `the commit is a conflict: ${JSON.stringify(result)}`)
  assert.equal(result.versions.length, operations.length, 'there is one version for each operation')
  return result.versions
}

/**
 * @param {Store} store
 * @param {string} key
 */
async function rowOf(store, key, space = 'a') {
  const rows = await store.get([{ space, key }])
  assert.ok(Array.isArray(rows) && rows.length === 1, `\`get\` of 1 key returned ${shown(rows)}; expected a list with a row or null for each key`)
  const row = rows[0] ?? null
  if (row) assert.ok(Number.isSafeInteger(row.version), `\`get\` returned a row with the version ${shown(row.version)}; expected an integer`)
  return row
}

/**
 * @param {Store} store
 * @param {any} query
 * @returns {Promise<any>}
 */
const scan = (store, query) => store.scan(query)
const keysOf = (/** @type {any} */ { rows }) => rows.map((/** @type {any} */ { key }) => key)
const idsOf = (/** @type {any} */ { rows }) => rows.map((/** @type {any} */ { id }) => id)

/** Deterministic numbers from 0 to `below - 1`. */
function numbers(/** @type {number} */ seed) {
  let state = seed
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** @type {Record<string, (store: Store) => Promise<void>>} */
const CHECKS = {
  async 'a commit is applied whole or not at all'(store) {
    const [version] = await done(store, put('1'))
    const refused = await store.commit([put('2'), append('x'), { ...put('1', 2), expect: null }, { delete: { space: 'a', key: '3' }, expect: 1 }])
    assert.deepEqual(refused, { ok: false, conflict: 2 })
    assert.equal(await rowOf(store, '2'), null)
    assert.deepEqual(idsOf(await scan(store, { log: 'l', limit: 9 })), [])
    const versions = await done(store, { ...put('1', 3), expect: version }, { delete: { space: 'a', key: 'none' } }, append('x'))
    assert.ok(versions[0] > version && versions[2] > 0)
    assert.deepEqual(await store.commit([{ delete: { space: 'a', key: '1' }, expect: version }]), { ok: false, conflict: 0 })
    assert.deepEqual(await store.commit([]), { ok: true, versions: [] })
    assert.equal(await rowOf(store, '1', 'b'), null)
  },

  async 'versions grow, past deletion too'(store) {
    let last = 0
    for (let round = 0; round < 4; round++) {
      const [version] = await done(store, { ...put('k', round), expect: null })
      assert.ok(version > last, `${version} after ${last}`)
      assert.ok(Number.isSafeInteger(version))
      assert.equal((await rowOf(store, 'k'))?.version, version)
      await done(store, { delete: { space: 'a', key: 'k' }, expect: version })
      last = version
    }
    assert.deepEqual(await store.commit([{ ...put('k'), expect: last }]), { ok: false, conflict: 0 })
  },

  async 'values come back deep-equal'(store) {
    /** @type {any[]} */
    const values = [
      null,
      false,
      0,
      -1.5,
      1e-7,
      1e21,
      2 ** 53,
      -(2 ** 53 - 1),
      '',
      'a\u0000b',
      '\ud800',
      { '\udfff': ['\ud83d', '\ude00'] },
      '\u2028 \\ " 😀',
      [],
      {},
      [[[[[{}]]]]],
      { a: null, b: [undefined === null], '': 1, constructor: 'x' },
      'ü'.repeat(500_000),
    ]
    for (const [index, value] of values.entries()) {
      await done(store, put(String(index), value), append(String(index), value))
      assert.deepEqual((await rowOf(store, String(index)))?.value, value)
    }
    const { rows } = await scan(store, { log: 'l', limit: 100 })
    assert.deepEqual(
      rows.map((/** @type {any} */ { value }) => value),
      values,
    )
  },

  async 'what is kept does not change with the object that was given or returned'(store) {
    const value = { list: [1] }
    await done(store, put('k', value))
    value.list.push(2)
    const read = /** @type {any} */ (await rowOf(store, 'k'))
    read.value.list.push(3)
    assert.deepEqual((await rowOf(store, 'k'))?.value, { list: [1] })
  },

  async 'rows are listed by the bytes of their keys'(store) {
    // U+FFFD comes before U+1F600 in UTF-8, and behind it in UTF-16.
    const keys = ['a', 'a%b', 'a_b', 'aa', 'a\u007f', 'B', 'b', 'é', '\ufffd', '\u{1f600}']
    await done(store, ...keys.map((key) => put(key)), { put: { space: 'other', key: 'a', value: 1 } })
    const sorted = [...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    const page = await scan(store, { space: 'a', limit: 100 })
    assert.deepEqual(keysOf(page), sorted)
    assert.ok(page.next === undefined || page.next === null, 'the last page has no `next`')
    for (const [prefix, found] of /** @type {[string, string[]][]} */ ([
      ['a_', ['a_b']],
      ['a%', ['a%b']],
      ['aa', ['aa']],
      ['none', []],
    ])) {
      assert.deepEqual(keysOf(await scan(store, { space: 'a', prefix, limit: 100 })), found)
    }
    assert.deepEqual(await pages(store, { space: 'a', limit: 3 }), sorted)
  },

  async 'rows are listed by their numbers'(store) {
    const order = (/** @type {number} */ number) => ({ order: number })
    await done(store, put('x', 1, order(5)), put('b', 1, order(-2)), put('a', 1, order(5)), put('none'), put('late', 1, order(2 ** 53 - 1)))
    const listed = async (/** @type {any} */ range) => keysOf(await scan(store, { space: 'a', order: range, limit: 9 }))
    assert.deepEqual(await listed({}), ['b', 'a', 'x', 'late'])
    assert.deepEqual(await listed({ from: 5, to: 5 }), ['a', 'x'])
    assert.deepEqual(await listed({ to: 4 }), ['b'])
    assert.deepEqual(await listed({ from: 6 }), ['late'])
    assert.deepEqual(await pages(store, { space: 'a', order: {}, limit: 1 }), ['b', 'a', 'x', 'late'])
    await done(store, put('b'))
    assert.deepEqual(await listed({}), ['a', 'x', 'late'])
    assert.equal((await rowOf(store, 'x'))?.order, 5)
  },

  async 'a log keeps each id once, in order'(store) {
    const first = await done(store, append('a', 1), append('b', 2), append('a', 3))
    assert.equal(first[0], first[2])
    const second = await done(store, append('c', 4), append('b', 5), append('a', 6, 'm'))
    assert.equal(second[1], first[1])
    const { rows } = await scan(store, { log: 'l', limit: 9 })
    assert.deepEqual(
      rows.map((/** @type {any} */ { id, value, seq }) => [id, value, seq]),
      [
        ['a', 1, first[0]],
        ['b', 2, first[1]],
        ['c', 4, second[0]],
      ],
    )
    assert.ok(first[0] < first[1] && first[1] < second[0])
    const listed = async (/** @type {any} */ query) => idsOf(await scan(store, { log: 'l', ...query }))
    assert.deepEqual(await listed({ after: first[0], limit: 1 }), ['b'])
    assert.deepEqual(await listed({ before: Number.MAX_SAFE_INTEGER, limit: 2 }), ['b', 'c'])
    assert.deepEqual(await listed({ before: first[1], limit: 2 }), ['a'])
    assert.deepEqual(await listed({ after: first[0], before: second[0], limit: 9 }), ['b'])
    assert.deepEqual(idsOf(await scan(store, { log: 'none', limit: 1 })), [])
    const page = await scan(store, { log: 'l', limit: 2 })
    assert.equal(page.next, String(first[1]))
    assert.deepEqual(await listed({ after: Number(page.next), limit: 2 }), ['c'])
  },

  async 'a row ends at its time'(store) {
    const now = await store.now()
    await done(store, put('lease', 1, { expiresAt: now + LIFE_MS, order: 1 }), put('past', 1, { expiresAt: now - 1 }))
    assert.equal(await rowOf(store, 'past'), null)
    assert.notEqual(await rowOf(store, 'lease'), null)
    assert.deepEqual(await store.commit([{ ...put('lease'), expect: null }]), { ok: false, conflict: 0 })
    await sleep(LIFE_MS + 100)
    assert.equal(await rowOf(store, 'lease'), null)
    assert.deepEqual(keysOf(await scan(store, { space: 'a', limit: 9 })), [])
    assert.deepEqual(keysOf(await scan(store, { space: 'a', order: {}, limit: 9 })), [])
    await done(store, { ...put('lease', 2), expect: null })
    assert.equal((await rowOf(store, 'lease'))?.value, 2)
  },

  async 'the clock does not go back'(store) {
    let last = await store.now()
    assert.ok(Number.isSafeInteger(last), `\`now\` returned ${shown(last)}; expected an integer`)
    assert.ok(Math.abs(last - Date.now()) < 24 * 60 * 60 * 1000, 'the clock counts milliseconds since 1970')
    for (let round = 0; round < 20; round++) {
      const now = await store.now()
      assert.ok(now >= last, `${now} after ${last}`)
      last = now
    }
    await done(store, put('k'))
    const updatedAt = (await rowOf(store, 'k'))?.updatedAt
    assert.ok(typeof updatedAt === 'number' && updatedAt >= last, `a row has the \`updatedAt\` ${shown(updatedAt)}; expected at least ${last}`)
  },

  async 'what no store can take is refused'(store) {
    const refused = [
      [put('')],
      [put('x'.repeat(513))],
      [put('a\0')],
      [append('')],
      [put('k'), { delete: { space: 'a', key: 'k' } }],
      [put('k', 1, { order: 2 ** 53 })],
      [put('k', 1, { order: 0.5 })],
      [put('k', 1, { value: undefined })],
      [{ append: { log: 'l', id: 'k', value: undefined } }],
      Array.from({ length: 1001 }, (_, index) => put(String(index))),
    ]
    for (const operations of refused) await assert.rejects(async () => store.commit(operations), JSON.stringify(operations).slice(0, 100))
    await assert.rejects(async () => store.scan({ space: 'a', limit: 0 }))
    assert.deepEqual(keysOf(await scan(store, { space: 'a', limit: 9 })), [])
    const longest = 'ü'.repeat(256)
    await done(store, put(longest), append(longest))
    assert.deepEqual(keysOf(await scan(store, { space: 'a', limit: 9 })), [longest])
  },

  async 'of many who claim, one wins'(store) {
    for (let round = 0; round < 10; round++) {
      const claims = Array.from({ length: 16 }, () => committed(store, [{ ...put(`claim-${round}`), expect: null }]))
      const results = await Promise.all(claims)
      assert.equal(results.filter(({ ok }) => ok).length, 1)
    }
  },

  async 'nothing is lost between those who count'(store) {
    const count = async () => {
      for (let attempt = 0; attempt < 1000; attempt++) {
        const row = await rowOf(store, 'n')
        const { ok } = await committed(store, [{ ...put('n', (row?.value ?? 0) + 1), expect: row?.version ?? null }])
        if (ok) return
      }
      assert.fail('a commit that expects the version that `get` has returned is a conflict each time')
    }
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let round = 0; round < 10; round++) await count()
      }),
    )
    assert.equal((await rowOf(store, 'n'))?.value, 80)
  },

  async 'a watch reports changes of its names, and nothing once it has ended'(store) {
    if (!store.watch) return
    let calls = 0
    const end = store.watch(['a', 'l'], () => calls++)
    const soon = async (/** @type {number} */ least) => {
      for (let wait = 0; wait < 300 && calls < least; wait++) await sleep(10)
      assert.ok(calls >= least, 'nothing was reported')
    }
    await done(store, put('k'))
    await soon(1)
    const before = calls
    await done(store, append('x'))
    await soon(before + 1)
    end()
    await sleep(100)
    const ended = calls
    await done(store, put('k', 2))
    await sleep(100)
    assert.equal(calls, ended)
  },

  async 'a search finds words of every script'(store) {
    if (!store.search) return
    await done(store, append('a', ['The CAFÉ is open'], 't/1'), append('b', { text: '東京都の天気は晴れです' }, 't/1'), append('c', 'the cafe elsewhere', 'u'))
    const found = async (/** @type {string} */ logs, /** @type {string} */ text) =>
      (await /** @type {any} */ (store).search({ logs, text, limit: 9 }))
        .map((/** @type {any} */ { id }) => id)
        .sort()
        .join('')
    assert.equal(await found('', 'cafe'), 'ac')
    assert.equal(await found('t/', 'Cafe OPEN'), 'a')
    assert.equal(await found('', '天気は'), 'b')
    for (const text of ['none', '', '"', 'none OR NOT (', '*']) assert.equal(await found('', text), '', JSON.stringify(text))
  },

  async 'a cleared log is gone, and begins again'(store) {
    if (!store.clear) return
    assert.equal(await store.clear('l'), false)
    await done(store, append('1'), append('2'), append('1', 1, 'l/a'), put('x', 1, { space: 'l' }))
    assert.equal(await store.clear('l'), true)
    assert.equal(await store.clear('l'), false)
    assert.deepEqual(idsOf(await scan(store, { log: 'l', limit: 9 })), [])
    assert.deepEqual(idsOf(await scan(store, { log: 'l/a', limit: 9 })), ['1'])
    assert.ok(await rowOf(store, 'x', 'l'))
    await done(store, append('1'))
    assert.deepEqual(idsOf(await scan(store, { log: 'l', limit: 9 })), ['1'])
  },

  async 'it does what the model does'(store) {
    const next = numbers(20261123)
    /** @type {Map<string, any>} */
    const model = new Map()
    for (let step = 0; step < 200; step++) {
      const key = String(next(6))
      const known = model.get(key)
      const expect = [undefined, null, known?.version ?? 1, (known?.version ?? 1) + 1000][next(4)]
      const holds = expect === undefined || expect === (known?.version ?? null)
      const value = { step, text: 'x'.repeat(next(50)) }
      const isPut = next(4) > 0 || expect === null
      const operation = isPut ? put(key, value) : { delete: { space: 'a', key } }
      const result = await committed(store, [expect === undefined ? operation : { ...operation, expect }])
      assert.equal(result.ok, holds, `step ${step}`)
      if (!result.ok) continue
      if (isPut) model.set(key, { key, value, version: result.versions[0] })
      else model.delete(key)
      const { rows } = await scan(store, { space: 'a', limit: 100 })
      const listed = rows.map((/** @type {any} */ row) => ({ key: row.key, value: row.value, version: row.version }))
      assert.deepEqual(
        listed,
        [...model.values()].sort((one, other) => Number(one.key) - Number(other.key)),
        `step ${step}`,
      )
    }
  },
}

/**
 * The keys of all pages.
 *
 * @param {Store} store
 * @param {any} query
 */
async function pages(store, query) {
  /** @type {string[]} */
  const keys = []
  let after
  do {
    const page = await scan(store, after === undefined ? query : { ...query, after })
    assert.ok(page.rows.length <= query.limit)
    keys.push(...keysOf(page))
    assert.ok(keys.length <= 10_000, 'the pages of a scan do not end: each begins where the one before did')
    after = page.next ?? undefined
  } while (after !== undefined)
  return keys
}

module.exports = { MemoryStore, checkStore, storeChecks }
