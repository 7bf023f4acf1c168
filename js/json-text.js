// @ts-check
'use strict'

/** Deepest nesting that is written: the core and most clients read little more. */
const MAX_DEPTH = 64
/** How the first or second half of a surrogate pair that stands alone is written by `JSON.stringify`. */
const LONE_HALF = /\\ud[89a-f]/i
/** One surrogate without its other half. */
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/**
 * Any value of the host as JSON that everybody can read. Never throws: half of a surrogate pair becomes U+FFFD, a BigInt its digits,
 * and what refers back to itself, is nested too deep or cannot be read becomes null.
 *
 * @param {unknown} value
 * @param {number} [space]
 * @returns {string | undefined} undefined where JSON has nothing to say
 */
function jsonText(value, space) {
  try {
    const json = JSON.stringify(value, null, space)
    if (json === undefined || (!LONE_HALF.test(json) && !isDeep(json))) return json
  } catch {
    // It is written with what can be read of it.
  }
  return JSON.stringify(readable(value, '', []), null, space)
}

/**
 * A text without halves of surrogate pairs.
 *
 * @param {string} text
 */
function wellFormed(text) {
  return text.replace(LONE_SURROGATE, '\uFFFD')
}

/** @param {string} json */
function isDeep(json) {
  let depth = 0
  for (let at = 0; at < json.length; at += 1) {
    const letter = json[at]
    if (letter === '"') at = endOfText(json, at)
    else if (letter === '{' || letter === '[') depth += 1
    else if (letter === '}' || letter === ']') depth -= 1
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/**
 * @param {string} json
 * @param {number} start where its first quote is
 */
function endOfText(json, start) {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let slashes = 0
    while (json[end - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return end
  }
  return json.length
}

/**
 * A copy that `JSON.stringify` can write.
 *
 * @param {any} given
 * @param {string} name that it has in its owner
 * @param {object[]} within what it is part of
 * @returns {any}
 */
function readable(given, name, within) {
  try {
    const isObject = typeof given === 'object' && given !== null
    const value = isObject && typeof given.toJSON === 'function' ? given.toJSON(name) : given
    if (typeof value === 'string') return wellFormed(value)
    if (typeof value === 'bigint') return String(value)
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof String || value instanceof Number || value instanceof Boolean) return readable(value.valueOf(), name, within)
    if (within.includes(value) || within.length >= MAX_DEPTH) return null
    const inside = [...within, value]
    if (Array.isArray(value)) return Array.from(value, (_, index) => member(value, index, inside))
    return Object.fromEntries(Object.keys(value).map((key) => [wellFormed(key), member(value, key, inside)]))
  } catch {
    return null
  }
}

/**
 * @param {any} owner
 * @param {string | number} name
 * @param {object[]} within
 */
function member(owner, name, within) {
  try {
    return readable(owner[name], String(name), within)
  } catch {
    return null
  }
}

module.exports = { endOfText, jsonText, wellFormed }
