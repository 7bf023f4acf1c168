// @ts-check
'use strict'

const { questionOf } = require('./host-requests.js')
const { ToolError } = require('./tool-error.js')

/**
 * What `decide` says of a call that names no tool of a server: it would fail. Any other failure is thrown.
 *
 * @param {unknown} error
 * @returns {import('../index.d.ts').PolicyExplanation}
 */
function failing(error) {
  if (!ToolError.is(error) || !['invalid_input', 'not_found'].includes(error.error_type)) throw error
  return { verdict: 'deny', reason: error.message, matched_rule: null, danger: 'low', effects: {} }
}

/**
 * What a tool of the host wants to have asked, as JSON. One that does not answer at once asks without its own words.
 *
 * @param {import('./custom-tool.js').CustomTool} custom
 * @param {string} json
 */
function questionBefore(custom, json) {
  if (!custom.approvalRequest) return undefined
  try {
    const asked = custom.approvalRequest(JSON.parse(json))
    if (typeof asked?.then !== 'function') return questionOf(asked)
    asked.then(undefined, () => {})
  } catch {
    // It asks without its own words, as the call does.
  }
  return 'true'
}

module.exports = { failing, questionBefore }
