// @ts-check
'use strict'

const { nativeTools } = require('./anthropic-native.js')
const { requireOptions, requireToolkit } = require('./calls.js')
const { lazily, runNative } = require('./native-calls.js')
const { requireOperations } = require('./operations.js')
const { textOf } = require('./parts.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/**
 * What the tools of `@langchain/anthropic` and `@langchain/openai` that run at the application do, over the operations of a toolkit and its
 * policy: `tools.bash_20250124(toNativeTools(toolkit).bash)`.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../langchain.d.ts').NativeToolOptions} [options]
 */
function toNativeTools(toolkit, options = {}) {
  requireToolkit('toNativeTools', toolkit)
  requireOptions('toNativeTools', options, ['memory', 'state'])
  const { memory, state } = options
  const anthropic = nativeTools(executable)
  return lazily({
    bash: () => anthropic.bashTool(toolkit, { state }),
    textEditor: () => anthropic.textEditorTool(toolkit),
    memory: () => anthropic.memoryTool(memory ?? /** @type {any} */ ({})),
    shell: () => {
      requireOperations('shell', toolkit, ['exec'])
      return running(toolkit, 'shell_call', 'action', ({ output, max_output_length: maxOutputLength }) => ({
        output,
        ...(maxOutputLength != null && { maxOutputLength }),
      }))
    },
    applyPatch: () => {
      requireOperations('applyPatch', toolkit, ['apply_patch'])
      return running(toolkit, 'apply_patch_call', 'operation', ({ output }) => output)
    },
    localShell: () => {
      requireOperations('localShell', toolkit, ['exec'])
      return running(toolkit, 'local_shell_call', 'action', ({ output }) => output)
    },
  })
}

/**
 * @param {Toolkit} toolkit
 * @param {import('./native-calls.js').NativeType} type
 * @param {'action' | 'operation'} key where the API has the input
 * @param {(answer: any) => any} outputOf
 */
function running(toolkit, type, key, outputOf) {
  return {
    execute: async (/** @type {any} */ input, /** @type {any} */ config) =>
      outputOf(await runNative(toolkit, type, { call_id: config?.toolCall?.id, [key]: input }, { signal: config?.signal })),
  }
}

/** What such a tool throws ends the run, so failures are texts for the model. @type {import('./anthropic-native.js').Runnable} */
function executable({ max_characters: maxCharacters }, call, { close } = {}) {
  return {
    ...(maxCharacters !== undefined && { maxCharacters }),
    execute: async (/** @type {any} */ input, /** @type {any} */ config) =>
      textOf((await call(input, { toolCallId: config?.toolCall?.id, signal: config?.signal })).content),
    ...(close && { close }),
  }
}

module.exports = { toNativeTools }
