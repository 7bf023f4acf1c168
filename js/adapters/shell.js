// @ts-check
'use strict'

const { bounded, nameOf } = require('./operations.js')

/**
 * @typedef {import('./calls.js').Outcome} Outcome
 * @typedef {{ stdout: string, stderr: string, outcome: { type: 'exit', exit_code: number } | { type: 'timeout' } }} ShellOutput
 */

/** The code of a command that did not run, as shells have it for one that may not be executed. */
const NOT_RUN = 126

/**
 * A command of OpenAI's `shell` as a call of ours.
 *
 * @param {import('../../index.d.ts').Toolkit<any>} toolkit
 * @param {string} command
 * @param {{ timeout_ms?: number | null, timeoutMs?: number | null }} action
 */
function commandCall(toolkit, command, { timeout_ms, timeoutMs }) {
  const time = timeout_ms ?? timeoutMs
  return { name: nameOf(toolkit, 'exec'), params: { command, ...(typeof time === 'number' && { timeout: time / 1000 }) } }
}

/**
 * What came of a command. Both of its streams are in `stdout`, in the order in which it wrote them; `stderr` says why a
 * command did not run.
 *
 * @param {Outcome} outcome
 * @param {number | null | undefined} limit
 * @returns {ShellOutput}
 */
function shellOutput({ content, details, isError }, limit) {
  if (!isError) {
    const { output = '', exitCode, signal } = details ?? {}
    const stderr = signal ? `Killed by ${signal}.` : ''
    return { stdout: bounded(output, limit), stderr, outcome: { type: 'exit', exit_code: exitCode ?? NOT_RUN } }
  }
  if (details?.code === 'timeout') return { stdout: bounded(details.output ?? '', limit), stderr: '', outcome: { type: 'timeout' } }
  const message = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  return { stdout: '', stderr: message, outcome: { type: 'exit', exit_code: NOT_RUN } }
}

module.exports = { commandCall, shellOutput }
