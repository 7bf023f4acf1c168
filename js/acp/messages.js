// @ts-check
'use strict'

// Messages of the protocol that are read and handed on.

const { randomUUID } = require('node:crypto')

const { endOfText, jsonText } = require('../json-text.js')
const { INVALID_REQUEST, failure } = require('../mcp/protocol.js')
const { lines } = require('../mcp/stdio.js')
const { describe } = require('../tool-error.js')
const { INTERNAL_ERROR } = require('./peer.js')

/** The members of a message. */
const MEMBERS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']
/** What stands before the digits of a number that JavaScript would change. Nobody else knows it. */
const EXACT = `number-${randomUUID()}:`
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/
const EXACT_NUMBERS = new RegExp(`"${EXACT}(${NUMBER.source})"`, 'g')
const IS_NUMBER = new RegExp(`^${NUMBER.source}$`)

/**
 * A text of JSON as a value. Numbers that JavaScript would change are texts until they are written again.
 *
 * @param {string} text
 */
function parsed(text) {
  const next = /"|-?\d[\d.eE+-]*/g
  let marked = ''
  let done = 0
  for (let found = next.exec(text); found; found = next.exec(text)) {
    const [token] = found
    if (token === '"') next.lastIndex = endOfText(text, found.index) + 1
    else if (isChanged(token) && !isName(text, next.lastIndex)) {
      marked += `${text.slice(done, found.index)}"${EXACT}${token}"`
      done = next.lastIndex
    }
  }
  return JSON.parse(marked + text.slice(done))
}

/** @param {string} token */
function isChanged(token) {
  return !Number.isSafeInteger(Number(token)) && String(Number(token)) !== token && IS_NUMBER.test(token)
}

/**
 * Whether what ends here is written as the name of a member, which a number cannot be.
 *
 * @param {string} text
 * @param {number} end
 */
function isName(text, end) {
  const colon = /\s*:/y
  colon.lastIndex = end
  return colon.test(text)
}

/** @param {unknown} value that `parsed` has read, or that contains such values */
function written(value) {
  return (jsonText(value) ?? 'null').replace(EXACT_NUMBERS, '$1')
}

/**
 * A member whose name differs from one of these in its case only: readers that ignore case would take it, and those that do not would not.
 *
 * @param {object} value
 * @param {readonly string[]} names
 */
function otherSpelling(value, names) {
  const folded = (/** @type {string} */ name) => name.toUpperCase().toLowerCase()
  const known = new Map(names.map((name) => [folded(name), name]))
  return Object.keys(value).find((name) => (known.get(folded(name)) ?? name) !== name)
}

/**
 * What makes that nobody can say how the other side would read a message.
 *
 * @param {any} message
 * @returns {string | undefined}
 */
function faultOf(message) {
  if (Array.isArray(message)) return 'The protocol has no batches. Send each message by itself.'
  const { id, method } = message
  if (method != null && typeof method !== 'string') return '`method` must be a string.'
  if (id != null && !isId(id)) return '`id` must be a string or a number.'
  const other = otherSpelling(message, MEMBERS)
  return other === undefined ? undefined : `The member \`${other}\` is not one of a message. Write it in small letters.`
}

/**
 * A listener that hands on each message, in order. What is no message is skipped, and the requests in it get an error.
 *
 * @param {(message: any) => unknown} take
 * @param {(message: any) => void} refuse
 */
function reader(take, refuse) {
  const fail = (/** @type {any} */ message, /** @type {number} */ code, /** @type {string} */ reason) => {
    process.stderr.write(`tenon: a message failed: ${reason}\n`)
    for (const one of [message].flat()) if (one?.method != null && isId(one.id)) refuse(failure(one.id, code, reason))
  }
  return lines((line) => {
    const text = Buffer.from(line).toString('utf8')
    if (text.trim() === '') return
    const message = objectIn(text)
    if (message === undefined) {
      // Programs that print something else do not speak to the other side.
      process.stderr.write(`tenon: a line that is not a message was skipped: ${text.slice(0, 200)}\n`)
      return
    }
    const fault = faultOf(message)
    if (fault !== undefined) return fail(message, INVALID_REQUEST, fault)
    const failed = (/** @type {unknown} */ error) => fail(message, INTERNAL_ERROR, describe(error))
    new Promise((resolve) => resolve(take(message))).catch(failed)
  }, refuse)
}

/** @param {string} text @returns {any} */
function objectIn(text) {
  try {
    const value = parsed(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** @param {unknown} id */
function isId(id) {
  return typeof id === 'string' || typeof id === 'number'
}

module.exports = { otherSpelling, reader, written }
