// @ts-check
'use strict'

const { answeredOutcome, failed } = require('./calls.js')
const { nameOf, patchOf, quoted } = require('./operations.js')
const { textOf } = require('./parts.js')
const { commandCall, shellOutput } = require('./shell.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {import('./calls.js').Outcome} Outcome
 * @typedef {{ id: string, name: string, params: any, answerId?: string }} Call
 */

/**
 * The tools that OpenAI's models were trained on: the calls of ours that each is, and the item that answers it.
 *
 * @type {Record<string, { calls: (toolkit: Toolkit, item: any) => Call[], answer: (item: any, outcomes: Outcome[]) => object }>}
 */
const NATIVE = {
  shell_call: {
    calls: (toolkit, { call_id, action }) => {
      const commands = action.commands ?? []
      return commands.map((/** @type {string} */ command, /** @type {number} */ index) => ({
        ...commandCall(toolkit, command, action),
        id: commands.length === 1 ? call_id : `${call_id}#${index}`,
        answerId: call_id,
      }))
    },
    answer: ({ call_id, action, caller }, outcomes) => ({
      type: 'shell_call_output',
      call_id,
      ...(action?.max_output_length !== undefined && { max_output_length: action.max_output_length }),
      output: outcomes.map((outcome) => shellOutput(outcome, action?.max_output_length)),
      ...(caller !== undefined && { caller }),
    }),
  },
  apply_patch_call: {
    calls: (toolkit, { call_id, operation }) => [{ id: call_id, name: nameOf(toolkit, 'apply_patch'), params: { input: patchOf(operation ?? {}) } }],
    answer: ({ call_id, caller }, [{ content, isError }]) => ({
      type: 'apply_patch_call_output',
      call_id,
      status: isError ? 'failed' : 'completed',
      output: textOf(content),
      ...(caller !== undefined && { caller }),
    }),
  },
  local_shell_call: {
    calls: (toolkit, { call_id, action }) => {
      const { command = [], env, working_directory } = action ?? {}
      const { name, params } = commandCall(toolkit, command.map(quoted).join(' '), action ?? {})
      return [{ id: call_id, name, params: { ...params, ...(working_directory && { workdir: working_directory }), ...(env && { env }) } }]
    },
    answer: ({ call_id }, [outcome]) => {
      const { stdout, stderr, outcome: end } = shellOutput(outcome, undefined)
      const output = JSON.stringify({ stdout, stderr, ...(end.type === 'exit' ? { exit_code: end.exit_code } : { timed_out: true }) })
      return { type: 'local_shell_call_output', id: call_id, output, status: end.type === 'exit' ? 'completed' : 'incomplete' }
    },
  },
}

/**
 * Runs what a call of a native tool asks for, and returns the item that answers it.
 *
 * @param {Toolkit} toolkit
 * @param {any} item
 * @param {any} options
 */
async function nativeOutput(toolkit, item, options) {
  const { calls, answer } = NATIVE[item.type]
  return answer(
    item,
    await outcomesOf(
      () => calls(toolkit, item),
      (call) => answeredOutcome(toolkit, call, options),
    ),
  )
}

/**
 * The calls of ours that a call of a native tool is; none where it cannot be understood, since it then fails by itself.
 *
 * @param {Toolkit} toolkit
 * @param {any} item
 */
function nativeCalls(toolkit, item) {
  try {
    return NATIVE[item.type].calls(toolkit, item)
  } catch (error) {
    failed(error)
    return []
  }
}

/**
 * The outcomes of calls that may not be understood in the first place.
 *
 * @param {() => Call[]} calls
 * @param {(call: Call) => Promise<Outcome>} run
 */
async function outcomesOf(calls, run) {
  let made
  try {
    made = calls()
  } catch (error) {
    return [failed(error)]
  }
  return Promise.all(made.map(run))
}

module.exports = { NATIVE, nativeCalls, nativeOutput, outcomesOf }
