// @ts-check
'use strict'

const { definition } = require('../definitions.js')
const { invalidInput } = require('../tool-error.js')
const { answeredOutcome, argumentsOf, deferrableTools, hasTool, messageOf, questionsOf, requireOptions, requireToolkit, run, toolsOf } = require('./calls.js')
const { imagesOf, partsOf, textOf, textOrParts } = require('./parts.js')
const { customCall, customTool } = require('./openai-custom.js')
const { NATIVE, nativeCalls, nativeOutput } = require('./openai-native.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {import('../../index.d.ts').AgentTool<any, any>} AgentTool
 */

/**
 * The tools as Chat Completions take them, with the functions that `runTools` runs.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../openai.d.ts').OpenAIToolOptions} [options]
 */
function toOpenAITools(toolkit, options = {}) {
  requireToolkit('toOpenAITools', toolkit)
  requireOptions('toOpenAITools', options, ['names', 'strict', 'onUpdate'])
  const { names, strict = false, onUpdate } = options
  return toolsOf(toolkit, names).map((tool) => ({
    type: 'function',
    function: { ...functionOf(toolkit, tool, strict), parse: argumentsOf, function: runnable(toolkit, tool, onUpdate) },
  }))
}

/**
 * A function of `runTools`. What it throws would end the run, so failures are texts.
 *
 * @param {Toolkit} toolkit
 * @param {AgentTool} tool
 * @param {((update: any) => void) | undefined} listener
 */
function runnable(toolkit, { name }, listener) {
  return async (/** @type {unknown} */ params, /** @type {any} */ runner) => {
    const signal = runner?.controller?.signal
    try {
      const onUpdate = listener && ((/** @type {any} */ partial) => listener({ tool: name, partial }))
      return textOf((await run(toolkit, name, params, { signal, onUpdate })).content)
    } catch (error) {
      if (signal?.aborted) throw error
      return messageOf(error)
    }
  }
}

/**
 * The tools as the Responses API takes them.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../openai.d.ts').ResponsesToolOptions} [options]
 */
function toResponsesTools(toolkit, options = {}) {
  requireToolkit('toResponsesTools', toolkit)
  requireOptions('toResponsesTools', options, ['names', 'strict', 'deferLoading', 'custom'])
  const { names, strict = false, deferLoading = false, custom = [] } = options
  const missing = custom.find((name) => !toolkit.getTool(name))
  if (missing !== undefined) throw invalidInput('toResponsesTools', `There is no tool \`${missing}\` for \`custom\`.`)
  // The API decides by the schema then.
  const prefers = strict === 'prefer'
  const tools = deferrableTools(toolkit, names, deferLoading).map(({ tool, isDeferred }) => ({
    ...(custom.includes(tool.name) ? customTool(tool) : { type: 'function', strict: prefers ? null : false, ...functionOf(toolkit, tool, strict === true) }),
    ...(isDeferred && { defer_loading: true }),
  }))
  return deferLoading === 'searched' && tools.some((tool) => 'defer_loading' in tool) ? [...tools, { type: 'tool_search' }] : tools
}

/**
 * @param {Toolkit} toolkit
 * @param {AgentTool} tool
 * @param {boolean} isStrict
 */
function functionOf(toolkit, tool, isStrict) {
  return definition(toolkit, tool, isStrict ? 'openai-strict' : 'openai').function
}

/**
 * Runs the tool calls of a message of Chat Completions, and returns the messages that answer them, in their order. Such
 * messages have no place for images; these follow in a message of the user.
 *
 * @param {Toolkit} toolkit
 * @param {any} message
 * @param {import('../../openai.d.ts').OpenAICallOptions} [options]
 */
async function runChatCalls(toolkit, message, options = {}) {
  requireToolkit('runChatCalls', toolkit)
  requireOptions('runChatCalls', options, CALL_OPTIONS)
  const calls = chatCalls(toolkit, message)
  const outcomes = await Promise.all(calls.map((call) => answeredOutcome(toolkit, call, options)))
  const answers = calls.map(({ id }, index) => ({ role: 'tool', tool_call_id: id, content: textOf(outcomes[index].content) }))
  const images = outcomes.flatMap(({ content }, index) => {
    const shown = partsOf(imagesOf(content), 'openai-chat')
    return shown.length > 0 ? [{ type: 'text', text: `Images of the call ${calls[index].id}:` }, ...shown] : []
  })
  return images.length > 0 ? [...answers, { role: 'user', content: images }] : answers
}

/**
 * @param {Toolkit} toolkit
 * @param {any} message
 * @returns {{ id: string, name: string, params: unknown }[]}
 */
function chatCalls(toolkit, message) {
  const calls = Array.isArray(message) ? message : (message?.tool_calls ?? [])
  return calls
    .filter((/** @type {any} */ call) => call?.type === 'function' && hasTool(toolkit, call.function?.name))
    .map((/** @type {any} */ { id, function: { name, arguments: text } }) => ({ id, name, params: argumentsOf(text) }))
}

const CALL_OPTIONS = ['signal', 'onUpdate', 'approvals']

/**
 * Runs the calls in the output of a response, side by side, and returns the items that answer them, in their order. Calls
 * of functions that the toolkit does not have are left to the application.
 *
 * @param {Toolkit} toolkit
 * @param {any} output
 * @param {import('../../openai.d.ts').OpenAICallOptions} [options]
 */
async function runResponsesCalls(toolkit, output, options = {}) {
  requireToolkit('runResponsesCalls', toolkit)
  requireOptions('runResponsesCalls', options, CALL_OPTIONS)
  const items = itemsOf(output).filter((item) => isOurs(toolkit, item))
  return Promise.all(items.map((item) => (Object.hasOwn(NATIVE, item.type) ? nativeOutput : calledOutput)(toolkit, item, options)))
}

/**
 * The calls of a message or of the output of a response that require approval, with what their user has to be shown. For
 * `approvals` of `runChatCalls` and `runResponsesCalls`.
 *
 * @param {Toolkit} toolkit
 * @param {any} output
 */
function pendingApprovals(toolkit, output) {
  requireToolkit('pendingApprovals', toolkit)
  const calls = itemsOf(output)
    .filter(({ type }) => !Object.hasOwn(NATIVE, type))
    .flatMap((item) => callOf(toolkit, item) ?? [])
  const natives = itemsOf(output)
    .filter(({ type }) => Object.hasOwn(NATIVE, type))
    .flatMap((item) => nativeCalls(toolkit, item))
  return questionsOf(toolkit, [...calls, ...natives, ...chatCalls(toolkit, output)])
}

/**
 * @param {any} output
 * @returns {any[]}
 */
function itemsOf(output) {
  const items = Array.isArray(output) ? output : (output?.output ?? [])
  return items.filter((/** @type {any} */ item) => typeof item?.type === 'string')
}

/**
 * @param {Toolkit} toolkit
 * @param {any} item
 */
function isOurs(toolkit, item) {
  return Object.hasOwn(NATIVE, item.type) || callOf(toolkit, item) !== undefined
}

/**
 * The call of a tool of the toolkit that an item is, if it is one: with arguments, or with a text.
 *
 * @param {Toolkit} toolkit
 * @param {any} item
 */
function callOf(toolkit, item) {
  if (item.type === 'custom_tool_call') return customCall(toolkit, item)
  if (item.type !== 'function_call' || !hasTool(toolkit, item.name)) return undefined
  return { id: item.call_id, name: item.name, params: argumentsOf(item.arguments) }
}

/**
 * @param {Toolkit} toolkit
 * @param {any} item
 * @param {any} options
 */
async function calledOutput(toolkit, item, options) {
  const { type, call_id, namespace, caller } = item
  const { content } = await answeredOutcome(toolkit, /** @type {any} */ (callOf(toolkit, item)), options)
  const output = textOrParts(content, 'openai-responses')
  const isFunction = type === 'function_call'
  return { type: `${type}_output`, call_id, output, ...(isFunction && namespace !== undefined && { namespace }), ...(caller !== undefined && { caller }) }
}

module.exports = { pendingApprovals, runChatCalls, runResponsesCalls, toOpenAITools, toResponsesTools }
