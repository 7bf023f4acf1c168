// @ts-check
'use strict'

/** A schema that takes everything, as version 1 of the official SDK reads schemas: tenon checks for itself. */
const ANYTHING = { safeParse: (/** @type {unknown} */ data) => ({ success: true, data }) }

/**
 * A schema of every message of a method, for version 1 of the SDK, which finds the method in it.
 *
 * @param {string} method
 */
function schemaOf(method) {
  return { ...ANYTHING, shape: { method: { value: method } } }
}

module.exports = { ANYTHING, schemaOf }
