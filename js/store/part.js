// @ts-check
'use strict'

const { onAbort } = require('../signal.js')
const { describe, invalidInput } = require('../tool-error.js')

/** What a store must have; the rest is optional. */
const METHODS = ['commit', 'get', 'scan', 'now']

/**
 * The part of the host that keeps what sessions know, where `session.store` is an object, and the rest of the options
 * `session`. Values cross the border as strings that hold their JSON (`store.rs` is the other side).
 *
 * @param {any} session
 * @param {Map<string, import('../host-callbacks.js').HostCallback>} parts
 */
function partedSession(session, parts) {
  if (typeof session !== 'object' || session === null) return session
  const { store, ...rest } = session
  if (typeof store !== 'object' || store === null) return session
  const missing = METHODS.find((name) => typeof store[name] !== 'function')
  if (missing !== undefined) {
    throw invalidInput('toolkit', `The option \`session.store\` has no function \`${missing}\`; a store has ${METHODS.join(', ')}.`)
  }
  parts.set('store', (request) => ask(store, request))
  if (typeof store.search === 'function') parts.set('storeSearch', ({ query }) => store.search(query))
  if (typeof store.watch === 'function') parts.set('storeWatch', ({ names }, { signal, onUpdate }) => watched(store, names, signal, () => onUpdate(null)))
  return rest
}

/**
 * @param {any} store
 * @param {any} request
 */
async function ask(store, { method, operations, keys, query, log }) {
  switch (method) {
    case 'commit':
      return store.commit(operations.map(withValue))
    case 'get':
      return list(await store.get(keys)).map((row) => row && rowOf(row))
    case 'scan': {
      const { rows, next } = await store.scan(query)
      return { rows: list(rows).map(rowOf), next: next ?? null }
    }
    case 'clear':
      // Null says that it has none.
      return typeof store.clear === 'function' ? (await store.clear(log)) === true : null
    default:
      return store.now()
  }
}

/**
 * Watches until nobody wants to hear of changes any more. A store that cannot watch is polled.
 *
 * @param {any} store
 * @param {string[]} names
 * @param {AbortSignal} signal
 * @param {() => void} changed
 */
async function watched(store, names, signal, changed) {
  if (signal.aborted) return null
  const ended = new Promise((resolve) => onAbort(signal, () => resolve(undefined)))
  try {
    const end = await store.watch(names, changed)
    await ended
    if (typeof end === 'function') await end()
  } catch (error) {
    process.emitWarning(`\`session.store.watch\` failed: ${describe(error)}. Changes by other processes are searched every second.`, 'TenonWarning')
  }
  return null
}

/**
 * An operation with its value as the store takes it.
 *
 * @param {any} operation
 */
function withValue(operation) {
  for (const name of ['put', 'append']) {
    const part = operation[name]
    if (part) return { ...operation, [name]: { ...part, value: JSON.parse(part.value) } }
  }
  return operation
}

/** @param {any} row */
function rowOf(row) {
  let value
  try {
    value = JSON.stringify(row.value)
  } catch (error) {
    throw new Error(`a value that it returned is not JSON (${describe(error)})`)
  }
  if (value === undefined) throw new Error('it returned a row without a `value`')
  return { ...row, value }
}

/**
 * @param {any} value
 * @returns {any[]}
 */
function list(value) {
  if (Array.isArray(value)) return value
  throw new Error('it returned something else than a list of rows')
}

module.exports = { partedSession }
