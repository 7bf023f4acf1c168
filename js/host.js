// @ts-check
'use strict'

const { describe } = require('./tool-error.js')

/** What an approver may say. */
const APPROVALS = ['once', 'always', 'never']

/** Listeners that have failed before; one warning is enough. */
const failed = new WeakSet()

/**
 * Tells a function of the host something. What it throws, now or later, is its own failure: it is
 * told as a warning and touches neither the call nor the process.
 *
 * @param {Function} listener
 * @param {unknown} value
 * @param {string} name
 */
async function notify(listener, value, name) {
  try {
    await listener(value)
  } catch (error) {
    if (failed.has(listener)) return
    failed.add(listener)
    process.emitWarning(`\`${name}\` failed: ${describe(error)}. The tools go on without it.`, 'TenonWarning')
  }
}

/**
 * What the host says to a question. Whatever is not a clear answer is the reason of a refusal.
 *
 * @param {Function} onApproval
 * @param {string} request JSON
 * @returns {Promise<string>}
 */
async function approval(onApproval, request) {
  try {
    const said = await onApproval(JSON.parse(request))
    if (APPROVALS.includes(said)) return said
    return `The approver answered ${show(said)} where \`once\`, \`always\` or \`never\` is expected.`
  } catch (error) {
    return `The approver failed: ${describe(error)}.`
  }
}

/** @param {unknown} value */
function show(value) {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100))
  return `a value of type ${value === null ? 'null' : typeof value}`
}

module.exports = { approval, notify }
