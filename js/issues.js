// @ts-check
'use strict'

const { invalidInput } = require('./tool-error.js')

/** @typedef {import('../index.d.ts').Validation} Validation */
/** @typedef {import('../index.d.ts').ValidationIssue} Issue */

/** @param {Issue[]} faults */
function sentences(faults) {
  return faults.map(({ param, message }) => (message.includes(`\`${param}\``) || param === '' ? message : `\`${param}\`: ${message}`)).join(' ')
}

/**
 * @param {string} tool
 * @param {Issue[]} errors
 */
function invalidParams(tool, errors) {
  const lead = errors.length === 1 ? '' : `${errors.length} parameters of \`${tool}\` are not valid. `
  return invalidInput(tool, lead + sentences(errors), errors)
}

/**
 * What JSON cannot represent, and the faults that the core finds in the rest, apart from those of the same places.
 *
 * @param {Issue[]} faults
 * @param {Validation} validation
 */
function merged(faults, validation) {
  const touches = (/** @type {string} */ one, /** @type {string} */ other) => one.startsWith(other) || other.startsWith(one)
  const others = (validation.errors ?? []).filter((error) => !faults.some((fault) => touches(fault.param, error.param)))
  return [...faults, ...others]
}

module.exports = { invalidParams, merged, sentences }
