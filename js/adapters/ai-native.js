// @ts-check
'use strict'

const { ToolError } = require('../tool-error.js')
const { nativeTools } = require('./anthropic-native.js')
const { needsApproval } = require('./ai-approvals.js')
const { requireOptions, requireToolkit } = require('./calls.js')
const { actionOf, lazily, nativeApprovals, runNative } = require('./native-calls.js')
const { requireOperations } = require('./operations.js')
const { textOf } = require('./parts.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {{ toolCallId?: string, abortSignal?: AbortSignal }} Call what the AI SDK says of a call
 * @typedef {{ toModelOutput: (given: any) => any, isGated: boolean }} Version how it shows results, and whether it always asks a tool before it runs
 */

/**
 * What the tools of `@ai-sdk/anthropic` and `@ai-sdk/openai` that run at the application do, over the operations of a toolkit and its policy:
 * `anthropic.tools.bash_20250124(toNativeTools(toolkit).bash)`.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../ai-sdk.d.ts').NativeToolOptions} options
 * @param {Version} version
 */
function nativeToolsOf(toolkit, options, version) {
  requireToolkit('toNativeTools', toolkit)
  requireOptions('toNativeTools', options, ['memory', 'state'])
  const { memory, state } = options
  const { isGated } = version
  const anthropic = nativeTools(executable(version))
  return lazily({
    bash: () => anthropic.bashTool(toolkit, { state }),
    textEditor: () => anthropic.textEditorTool(toolkit),
    memory: () => anthropic.memoryTool(memory ?? /** @type {any} */ ({})),
    shell: () => {
      requireOperations('shell', toolkit, ['exec'])
      return gated(toolkit, { type: 'shell_call', isGated }, shellItem, ({ output, max_output_length: maxOutputLength }) => ({
        output: output.map((/** @type {any} */ { outcome, ...rest }) => ({
          ...rest,
          outcome: outcome.type === 'exit' ? { type: 'exit', exitCode: outcome.exit_code } : outcome,
        })),
        ...(maxOutputLength != null && { maxOutputLength }),
      }))
    },
    applyPatch: () => {
      requireOperations('applyPatch', toolkit, ['apply_patch'])
      const itemOf = (/** @type {any} */ { callId, operation }, /** @type {Call} */ { toolCallId }) => ({ call_id: toolCallId ?? callId, operation })
      return gated(toolkit, { type: 'apply_patch_call', isGated }, itemOf, ({ status, output }) => ({ status, output }))
    },
    localShell: () => {
      requireOperations('localShell', toolkit, ['exec'])
      return gated(toolkit, { type: 'local_shell_call', isGated }, shellItem, ({ output }) => ({ output }))
    },
  })
}

/**
 * @param {any} input
 * @param {Call} call
 */
function shellItem({ action }, { toolCallId }) {
  return { call_id: toolCallId, action: actionOf(action) }
}

/**
 * One of OpenAI's tools, which the AI SDK asks its user about first where policy asks.
 *
 * @param {Toolkit} toolkit
 * @param {{ type: import('./native-calls.js').NativeType, isGated: boolean }} tool
 * @param {(input: any, call: Call) => any} itemOf
 * @param {(answer: any) => object} outputOf
 */
function gated(toolkit, { type, isGated }, itemOf, outputOf) {
  return {
    execute: async (/** @type {any} */ input, /** @type {Call} */ call) =>
      outputOf(await runNative(toolkit, type, itemOf(input, call), { signal: call.abortSignal, isGated })),
    needsApproval: needsApproval(nativeApprovals(toolkit, type, /** @type {any} */ (itemOf)).questions),
  }
}

/**
 * One of Anthropic's tools.
 *
 * @param {Version} version
 * @returns {import('./anthropic-native.js').Runnable}
 */
function executable({ toModelOutput, isGated }) {
  return ({ max_characters: maxCharacters }, call, { close, approvals } = {}) => ({
    ...(maxCharacters !== undefined && { maxCharacters }),
    execute: async (/** @type {any} */ input, /** @type {Call} */ { toolCallId, abortSignal }) => {
      const { content, details, isError } = await call(input, { toolCallId, signal: abortSignal, isGated: isGated && approvals !== undefined })
      if (!isError) return { content, details }
      const error = new ToolError(textOf(content), { tool: 'tool', error_type: 'execution_failed', details: { code: 'tool_result' } })
      // Version 7 shows an error as a string, which begins with its name.
      throw Object.defineProperty(error, 'toString', { value: () => error.message })
    },
    toModelOutput,
    ...(approvals && { needsApproval: needsApproval(approvals.questions) }),
    ...(close && { close }),
  })
}

module.exports = { nativeToolsOf }
