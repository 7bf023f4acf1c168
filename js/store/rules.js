// @ts-check
'use strict'

/** What every store checks and computes in the same way (docs/store.md). */

/** Longest name, in bytes; most operations of a commit; most rows of a page. */
const NAME_MAX_BYTES = 512
const OPERATIONS_MAX = 1000
const PAGE_MAX_ROWS = 1000

const encoder = new TextEncoder()

/** @param {Record<string, unknown>} names */
function checkNames(names) {
  for (const [what, name] of Object.entries(names)) {
    const bytes = typeof name === 'string' ? encoder.encode(name).length : 0
    if (bytes < 1 || bytes > NAME_MAX_BYTES) throw new RangeError(`The \`${what}\` has ${bytes} bytes; 1 to ${NAME_MAX_BYTES} are allowed.`)
    if (/** @type {string} */ (name).includes('\0')) throw new RangeError(`The \`${what}\` contains U+0000.`)
  }
}

/**
 * What JSON has no form for would be lost, or would be another value when it is read.
 *
 * @param {unknown} value
 */
function checkValue(value) {
  if (['undefined', 'function', 'symbol'].includes(typeof value))
    throw new TypeError(`The \`value\` is ${typeof value}, which JSON has no form for. Use \`null\`, or delete the row.`)
}

/** @param {any[]} operations */
function checkOperations(operations) {
  if (operations.length > OPERATIONS_MAX) throw new RangeError(`There are ${operations.length} operations; at most ${OPERATIONS_MAX} are taken.`)
  const named = new Set()
  for (const { put, delete: gone, append } of operations) {
    if (append) {
      checkNames({ log: append.log, id: append.id })
      checkValue(append.value)
      continue
    }
    const { space, key, order = 0, expiresAt = 0 } = put ?? gone
    checkNames({ space, key })
    if (put) checkValue(put.value)
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

/**
 * The number of rows that a page may have.
 *
 * @param {{ space?: string, log?: string, limit: number }} query
 */
function checkScan({ space, log, limit }) {
  checkNames(log === undefined ? { space } : { log })
  if (!(limit > 0)) throw new RangeError('The `limit` must be at least 1.')
  return Math.min(Math.floor(limit), PAGE_MAX_ROWS)
}

/**
 * Where a page begins: `next` of the page before it.
 *
 * @param {string} mark
 * @param {boolean} isOrdered
 */
function markOf(mark, isOrdered) {
  if (!isOrdered) return { number: 0, key: mark }
  const [, number, key] = /^(-?\d+):(.*)$/s.exec(mark) ?? []
  if (number === undefined) throw new TypeError('The `after` was not returned as `next` by a scan with `order`.')
  return { number: Number(number), key }
}

/**
 * A page of the rows that were found: one more than it may have says that there is a next one.
 *
 * @param {any[]} found
 * @param {number} most
 * @param {boolean} isOrdered
 */
function pageOf(found, most, isOrdered) {
  const rows = found.slice(0, most)
  const last = rows.at(-1)
  return { rows, ...(found.length > most && { next: isOrdered ? `${last.order}:${last.key}` : last.key }) }
}

/**
 * A page of the entries that were found, of which the last ones come first when a log is read backwards.
 *
 * @param {any[]} found
 * @param {number} most
 * @param {boolean} isBackwards
 */
function entriesPageOf(found, most, isBackwards) {
  const rows = found.slice(0, most)
  const next = found.length > most && String(rows.at(-1).seq)
  if (isBackwards) rows.reverse()
  return { rows, ...(next && { next }) }
}

module.exports = { checkNames, checkOperations, checkScan, entriesPageOf, folded, markOf, pageOf, stringsOf }
