// @ts-check
'use strict'

const { toolError } = require('./tool-error.js')

/**
 * Opens what a synchronous function of the core answered: its value, or its error, which is thrown.
 *
 * @param {string} envelope
 */
function open(envelope) {
  const { ok, value, error } = JSON.parse(envelope)
  if (!ok) throw toolError(error)
  return value
}

module.exports = { open }
