// @ts-check
'use strict'

const { outcomeOf, questionsOf } = require('./calls.js')
const { grantsOf } = require('./grants.js')
const { NATIVE, nativeCalls, outcomesOf } = require('./openai-native.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {'shell_call' | 'apply_patch_call' | 'local_shell_call'} NativeType
 */

/**
 * Runs a call of one of OpenAI's own tools for a framework that hands it to a function. Returns the item that answers it.
 *
 * @param {Toolkit} toolkit
 * @param {NativeType} type
 * @param {any} item as the Responses API has it
 * @param {{ signal?: AbortSignal, isGated?: boolean }} options
 * @returns {Promise<any>}
 */
async function runNative(toolkit, type, item, { signal, isGated = false }) {
  const { calls, answer } = NATIVE[type]
  const outcomes = await outcomesOf(
    () => calls(toolkit, item),
    ({ id, name, params }) => outcomeOf(toolkit, name, params, { toolCallId: id, signal, isGated }),
  )
  return answer(item, outcomes)
}

/**
 * The approvals of one of these tools. All parts of a call are judged, for each to be what its user was shown.
 *
 * @param {Toolkit} toolkit
 * @param {NativeType} type
 * @param {(input: any, call: { toolCallId?: string }) => any} itemOf
 * @returns {import('./anthropic-native.js').Approvals}
 */
function nativeApprovals(toolkit, type, itemOf) {
  const callsOf = (/** @type {any} */ input, /** @type {{ toolCallId?: string }} */ call) => nativeCalls(toolkit, { ...itemOf(input, call), type })
  return {
    questions: async (input, call) => questionsOf(toolkit, callsOf(input, call)),
    forget: (input, call) => callsOf(input, call).forEach(({ id, name, params }) => grantsOf(toolkit).forget(name, params, id)),
  }
}

/**
 * What a framework writes in camel case, as the Responses API has it.
 *
 * @param {any} action
 */
function actionOf({ timeoutMs, maxOutputLength, workingDirectory, ...action } = /** @type {any} */ ({})) {
  return {
    ...action,
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(maxOutputLength !== undefined && { max_output_length: maxOutputLength }),
    ...(workingDirectory !== undefined && { working_directory: workingDirectory }),
  }
}

/**
 * An object whose members are made when they are asked for, once: what a toolkit hides is no reason not to offer the others.
 *
 * @template {Record<string, () => any>} T
 * @param {T} makers
 * @returns {{ readonly [K in keyof T]: ReturnType<T[K]> }}
 */
function lazily(makers) {
  /** @type {Map<string, any>} */
  const made = new Map()
  const get = (/** @type {string} */ name) => {
    if (!made.has(name)) made.set(name, makers[name]())
    return made.get(name)
  }
  const members = Object.keys(makers).map((name) => [name, { enumerable: true, get: () => get(name) }])
  return Object.defineProperties(/** @type {any} */ ({}), Object.fromEntries(members))
}

module.exports = { actionOf, lazily, nativeApprovals, runNative }
