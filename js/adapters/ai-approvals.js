// @ts-check
'use strict'

/**
 * @typedef {(input: any, call: { toolCallId?: string }) => Promise<import('./calls.js').Question[]>} Questions what a user has to be asked about a call
 */

/** The questions behind the functions that the AI SDK is given. @type {WeakMap<Function, Questions>} */
const known = new WeakMap()

/**
 * What the AI SDK calls of a tool to know whether to ask its user.
 *
 * @param {Questions} questions
 */
function needsApproval(questions) {
  const needs = async (/** @type {any} */ input, /** @type {any} */ call) => (await questions(input, { toolCallId: call?.toolCallId })).length > 0
  known.set(needs, questions)
  return needs
}

/**
 * Why a call of one of our tools needs approval, or nothing where it needs none; `undefined` for a tool of somebody else.
 *
 * @param {any} tool as the AI SDK has it
 * @param {any} input
 * @param {string | undefined} toolCallId
 * @returns {Promise<string[]> | undefined}
 */
function reasonsOf(tool, input, toolCallId) {
  const questions = typeof tool?.needsApproval === 'function' ? known.get(tool.needsApproval) : undefined
  return questions?.(input, { toolCallId }).then((asked) => [...new Set(asked.map(({ reason }) => reason))])
}

module.exports = { needsApproval, reasonsOf }
