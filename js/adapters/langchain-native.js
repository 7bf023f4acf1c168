// @ts-check
'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')

const { nativeTools } = require('./anthropic-native.js')
const { requireOptions, requireToolkit } = require('./calls.js')
const { lazily, nativeApprovals, runNative } = require('./native-calls.js')
const { requireOperations } = require('./operations.js')
const { textOf } = require('./parts.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {import('./anthropic-native.js').Approvals} Approvals
 */

/** The types of tools by which LangChain's providers define them to their models. */
const TYPES = /** @type {const} */ ({
  bash: 'bash_20250124',
  textEditor: 'text_editor_20250728',
  memory: 'memory_20250818',
  shell: 'shell',
  applyPatch: 'apply_patch',
  localShell: 'local_shell',
})

/** The approvals of the tools that were made, by their types. @type {WeakMap<object, Map<string, Approvals>>} */
const made = new WeakMap()

/** The id of the call that runs: some tools of LangChain's providers do not hand it on. @type {AsyncLocalStorage<string | undefined>} */
const current = new AsyncLocalStorage()

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
  /** @type {Map<string, Approvals>} */
  const approvals = new Map()
  /** @type {<T>(name: keyof typeof TYPES, tool: { approvals: Approvals, rest: T }) => T} */
  const kept = (name, tool) => {
    approvals.set(TYPES[name], tool.approvals)
    return tool.rest
  }
  const anthropic = nativeTools(executable)
  const native = lazily({
    bash: () => kept('bash', anthropic.bashTool(toolkit, { state })),
    textEditor: () => kept('textEditor', anthropic.textEditorTool(toolkit)),
    memory: () => kept('memory', anthropic.memoryTool(memory ?? /** @type {any} */ ({}))),
    shell: () => {
      requireOperations('shell', toolkit, ['exec'])
      const outputOf = (/** @type {any} */ { output, max_output_length: maxOutputLength }) => ({ output, ...(maxOutputLength != null && { maxOutputLength }) })
      return kept('shell', running(toolkit, 'shell_call', 'action', outputOf))
    },
    applyPatch: () => {
      requireOperations('applyPatch', toolkit, ['apply_patch'])
      return kept(
        'applyPatch',
        running(toolkit, 'apply_patch_call', 'operation', ({ output }) => output),
      )
    },
    localShell: () => {
      requireOperations('localShell', toolkit, ['exec'])
      return kept(
        'localShell',
        running(toolkit, 'local_shell_call', 'action', ({ output }) => output),
      )
    },
  })
  made.set(native, approvals)
  return native
}

/**
 * The approvals of a tool that a provider made of one of ours.
 *
 * @param {object | undefined} native what `toNativeTools` returned
 * @param {any} tool as LangChain has it
 */
function approvalsOf(native, tool) {
  const type = tool?.extras?.providerToolDefinition?.type
  return native && typeof type === 'string' ? made.get(native)?.get(type) : undefined
}

/**
 * A call as its tool takes it: LangChain's schema of the text editor names the lines of an insertion `new_str`, Claude names them `insert_text`.
 *
 * @param {object | undefined} native
 * @param {any} request
 */
function prepared(native, request) {
  const { tool, toolCall } = request
  const { insert_text, ...args } = toolCall.args ?? {}
  if (typeof insert_text !== 'string' || args.new_str !== undefined || args.command !== 'insert') return request
  if (tool?.extras?.providerToolDefinition?.type !== TYPES.textEditor || !approvalsOf(native, tool)) return request
  return { ...request, toolCall: { ...toolCall, args: { ...args, new_str: insert_text } } }
}

/**
 * Whether a value is what `toNativeTools` returned.
 *
 * @param {any} value
 */
function isNative(value) {
  return typeof value === 'object' && value !== null && made.has(value)
}

/**
 * Runs a call so that its tool knows its id.
 *
 * @template T
 * @param {string | undefined} toolCallId
 * @param {() => T} run
 */
function within(toolCallId, run) {
  return current.run(toolCallId, run)
}

/** @param {any} config */
function callOf(config) {
  return { toolCallId: config?.toolCall?.id ?? current.getStore(), signal: config?.signal }
}

/**
 * @param {Toolkit} toolkit
 * @param {import('./native-calls.js').NativeType} type
 * @param {'action' | 'operation'} key where the API has the input
 * @param {(answer: any) => any} outputOf
 */
function running(toolkit, type, key, outputOf) {
  const itemOf = (/** @type {any} */ input, /** @type {{ toolCallId?: string }} */ { toolCallId }) => ({ call_id: toolCallId, [key]: input })
  const execute = async (/** @type {any} */ input, /** @type {any} */ config) => {
    const call = callOf(config)
    return outputOf(await runNative(toolkit, type, itemOf(input, call), { signal: call.signal }))
  }
  return { approvals: nativeApprovals(toolkit, type, itemOf), rest: { execute } }
}

/** What such a tool throws ends the run, so failures are texts for the model. @type {import('./anthropic-native.js').Runnable} */
function executable({ max_characters: maxCharacters }, call, { close, approvals } = {}) {
  const rest = {
    ...(maxCharacters !== undefined && { maxCharacters }),
    execute: async (/** @type {any} */ input, /** @type {any} */ config) => textOf((await call(input, callOf(config))).content),
    ...(close && { close }),
  }
  return { approvals, rest }
}

module.exports = { approvalsOf, isNative, prepared, toNativeTools, within }
