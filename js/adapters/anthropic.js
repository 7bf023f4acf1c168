// @ts-check
'use strict'

const { definition } = require('../definitions.js')
const { ToolError } = require('../tool-error.js')
const { answeredOutcome, deferrableTools, hasTool, outcomeOf, questionsOf, requireOptions, requireToolkit } = require('./calls.js')
const { textOrParts } = require('./parts.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {import('../../index.d.ts').AgentTool<any, any>} AgentTool
 * @typedef {new (content: any) => Error} ErrorClass
 */

/**
 * The tools as the Messages API takes them.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../anthropic.d.ts').AnthropicToolOptions} [options]
 */
function toAnthropicTools(toolkit, options = {}) {
  requireToolkit('toAnthropicTools', toolkit)
  requireOptions('toAnthropicTools', options, ['names', 'strict', 'deferLoading'])
  const { names, strict = false, deferLoading = false } = options
  return withSearch(deferrableTools(toolkit, names, deferLoading), deferLoading, ({ tool, isDeferred }) => customTool(toolkit, tool, strict, isDeferred))
}

/** The search of the API, which finds tools by the words of their definitions. */
const SEARCH = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }

/**
 * @template T
 * @param {T[]} tools
 * @param {boolean | 'searched'} deferLoading
 * @param {(tool: T) => any} make
 */
function withSearch(tools, deferLoading, make) {
  const isSearched = deferLoading === 'searched' && tools.some((/** @type {any} */ { isDeferred }) => isDeferred)
  return [...tools.map(make), ...(isSearched ? [{ ...SEARCH }] : [])]
}

/**
 * @param {Toolkit} toolkit
 * @param {AgentTool} tool
 * @param {boolean} isStrict
 * @param {boolean} isDeferred
 */
function customTool(toolkit, tool, isStrict, isDeferred) {
  return { type: 'custom', ...definition(toolkit, tool, isStrict ? 'anthropic-strict' : 'anthropic'), ...(isDeferred && { defer_loading: true }) }
}

const CALL_OPTIONS = ['signal', 'onUpdate', 'approvals']

/**
 * Runs the tools that a message uses, side by side, and returns the blocks that answer them, in their order: the content of
 * the next message of the user. Uses of tools that the toolkit does not have are left to the application.
 *
 * @param {Toolkit} toolkit
 * @param {any} message
 * @param {import('../../anthropic.d.ts').AnthropicCallOptions} [options]
 */
async function runToolUses(toolkit, message, options = {}) {
  requireToolkit('runToolUses', toolkit)
  requireOptions('runToolUses', options, CALL_OPTIONS)
  return Promise.all(
    usesOf(toolkit, message).map(async (call) => {
      const { content, isError } = await answeredOutcome(toolkit, call, options)
      return { type: 'tool_result', tool_use_id: call.id, content: textOrParts(content, 'anthropic'), ...(isError && { is_error: true }) }
    }),
  )
}

/**
 * The uses of tools in a message that require approval, with what their user has to be shown: for `approvals` of `runToolUses`.
 *
 * @param {Toolkit} toolkit
 * @param {any} message
 */
function pendingApprovals(toolkit, message) {
  requireToolkit('pendingApprovals', toolkit)
  return questionsOf(toolkit, usesOf(toolkit, message))
}

/**
 * @param {Toolkit} toolkit
 * @param {any} message
 * @returns {{ id: string, name: string, params: unknown }[]}
 */
function usesOf(toolkit, message) {
  const blocks = Array.isArray(message) ? message : Array.isArray(message?.content) ? message.content : []
  return blocks
    .filter((/** @type {any} */ block) => block?.type === 'tool_use' && hasTool(toolkit, block.name))
    .map((/** @type {any} */ { id, name, input }) => ({ id, name, params: input }))
}

/**
 * The adapter, with the class of errors whose content its users' SDK hands to the model as it is.
 *
 * @param {ErrorClass | undefined} ThrownError
 */
function adapterWith(ThrownError) {
  const runnable = runnables(ThrownError)
  const native = require('./anthropic-native.js').nativeTools(runnable)

  /**
   * The tools as `toolRunner` of the SDK runs them.
   *
   * @param {Toolkit} toolkit
   * @param {import('../../anthropic.d.ts').BetaToolOptions} [options]
   */
  function betaTools(toolkit, options = {}) {
    requireToolkit('betaTools', toolkit)
    requireOptions('betaTools', options, ['names', 'strict', 'deferLoading', 'onUpdate'])
    const { names, strict = false, deferLoading = false, onUpdate } = options
    return withSearch(deferrableTools(toolkit, names, deferLoading), deferLoading, ({ tool, isDeferred }) =>
      runnable(customTool(toolkit, tool, strict, isDeferred), async (input, { toolCallId, signal }) => {
        const listener = onUpdate && ((/** @type {any} */ partial) => onUpdate({ tool: tool.name, toolCallId, partial }))
        return outcomeOf(toolkit, tool.name, input, { toolCallId, signal, onUpdate: listener })
      }),
    )
  }
  return { toAnthropicTools, runToolUses, pendingApprovals, betaTools, ...native }
}

/** @param {ErrorClass | undefined} ThrownError */
function runnables(ThrownError) {
  /** @param {any} content */
  const errorOf = (content) => {
    if (ThrownError) return new ThrownError(content)
    const text = typeof content === 'string' ? content : content.map((/** @type {any} */ part) => part.text ?? '').join('\n')
    return new ToolError(text, { tool: 'tool', error_type: 'execution_failed', details: { code: 'tool_result' } })
  }
  /**
   * @param {any} described
   * @param {(input: any, call: { toolCallId?: string, signal?: AbortSignal }) => Promise<import('./calls.js').Outcome>} call
   * @param {{ close?: () => void }} [rest]
   */
  return (described, call, { close } = {}) => ({
    ...described,
    parse: (/** @type {unknown} */ input) => input,
    run: async (/** @type {any} */ input, /** @type {any} */ context) => {
      const use = context?.toolUse ?? context?.toolUseBlock
      const { content, isError } = await call(input, { toolCallId: use?.id, signal: context?.signal ?? undefined })
      const shown = textOrParts(content, 'anthropic')
      if (isError) throw errorOf(shown)
      return shown
    },
    ...(close && { close }),
  })
}

module.exports = { adapterWith }
