// @ts-check
'use strict'

/** More different texts than this are not remembered: they would fill the memory of a long process. */
const MOST = 1000
/** @type {Set<string>} */
const emitted = new Set()

/**
 * Emits each text as a warning of the process, once, however many toolkits bring it.
 *
 * @param {readonly string[]} notices
 */
function warnOnce(notices) {
  for (const notice of notices) {
    if (emitted.has(notice)) continue
    if (emitted.size >= MOST) emitted.clear()
    emitted.add(notice)
    process.emitWarning(notice, 'TenonWarning')
  }
}

module.exports = { warnOnce }
