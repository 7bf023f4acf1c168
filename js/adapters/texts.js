// @ts-check
'use strict'

const { ToolError } = require('../tool-error.js')

/** @typedef {import('./calls.js').Outcome} Outcome */

/**
 * A text as what came of a call.
 *
 * @param {string} text
 * @returns {Outcome}
 */
function said(text) {
  return { content: [{ type: 'text', text }], details: undefined, isError: false }
}

/**
 * A failure in the words that a model was trained on.
 *
 * @param {string} text
 */
function refusal(text) {
  return new ToolError(text, { tool: 'native', error_type: 'invalid_input', details: { code: 'invalid_params' } })
}

/**
 * Lines as `cat -n` numbers them.
 *
 * @param {readonly string[]} lines
 * @param {number} first
 */
function numbered(lines, first) {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join('\n')
}

/**
 * Where a text occurs: the numbers of the lines in which it begins.
 *
 * @param {string} content
 * @param {string} text
 */
function linesOf(content, text) {
  const lines = []
  for (let at = content.indexOf(text); at !== -1; at = content.indexOf(text, at + text.length)) lines.push(content.slice(0, at).split('\n').length)
  return lines
}

module.exports = { linesOf, numbered, refusal, said }
