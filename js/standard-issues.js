// @ts-check
'use strict'

/** @typedef {import('../index.d.ts').ValidationIssue} Issue */

/** Kinds of faults of Zod 3 and 4, as this package calls them. Others are mismatches of type. */
const CODES = /** @type {Record<string, Issue['code']>} */ ({
  unrecognized_keys: 'UNKNOWN_PARAM',
  invalid_value: 'INVALID_ENUM',
  invalid_enum_value: 'INVALID_ENUM',
  invalid_literal: 'INVALID_ENUM',
  invalid_format: 'PATTERN_MISMATCH',
  invalid_string: 'PATTERN_MISMATCH',
  not_multiple_of: 'OUT_OF_RANGE',
  not_finite: 'OUT_OF_RANGE',
})
/** What has a length, in the words of Zod 3 and 4. */
const LENGTHS = ['string', 'array', 'set', 'map', 'file']

/**
 * Faults of a Standard Schema in the form of this package.
 *
 * @param {readonly any[]} issues
 * @returns {Issue[]}
 */
function issuesOf(issues) {
  return issues.map((issue) => ({
    param: paramOf(issue.path ?? []),
    message: sentence(String(issue.message ?? 'It is not valid.')),
    code: codeOf(issue),
  }))
}

/**
 * `edits[2].oldText` from the steps to it.
 *
 * @param {readonly any[]} path
 */
function paramOf(path) {
  return path.reduce((place, step) => {
    const key = typeof step === 'object' && step !== null ? step.key : step
    if (typeof key === 'number') return `${place}[${key}]`
    return place === '' ? String(key) : `${place}.${String(key)}`
  }, '')
}

/** @param {string} text */
function sentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/**
 * @param {any} issue
 * @returns {Issue['code']}
 */
function codeOf({ code, type, origin, received, message, input }) {
  if (code === 'too_small' || code === 'too_big') return LENGTHS.includes(origin ?? type) ? 'INVALID_LENGTH' : 'OUT_OF_RANGE'
  if (code !== undefined && code in CODES) return CODES[code]
  // Zod reports what is missing as undefined of the wrong type; others only in words.
  const isMissing = received === 'undefined' || (input === undefined && /received undefined|required|missing/i.test(String(message)))
  return isMissing ? 'MISSING_REQUIRED' : 'TYPE_MISMATCH'
}

module.exports = { issuesOf }
