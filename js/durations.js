// @ts-check
'use strict'

/** Longest time that an option takes, in milliseconds: what the clocks of Node and the core hold. */
const MILLIS_MAX = 2 ** 31 - 1
/** What is said of another value. */
const MILLIS_FORM = `must be a whole number of milliseconds from 1 to ${MILLIS_MAX}`

/** @param {unknown} value */
function isMillis(value) {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MILLIS_MAX
}

module.exports = { MILLIS_FORM, isMillis }
