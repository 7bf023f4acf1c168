// @ts-check
'use strict'

const { randomUUID } = require('node:crypto')

const { needsApproval: needing, reasonsOf } = require('./adapters/ai-approvals.js')
const { deferrableTools, questionsOf, run } = require('./adapters/calls.js')
const { grantsOf } = require('./adapters/grants.js')
const { partsOf } = require('./adapters/parts.js')
const { updatesOf } = require('./adapters/updates.js')
const { ToolError, invalidInput } = require('./tool-error.js')
const { requireOptions } = require('./unknown-options.js')

/**
 * @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool
 * @typedef {import('../index.d.ts').AgentToolResult<any>} AgentToolResult
 * @typedef {Pick<import('../index.d.ts').Toolkit<any>, 'listTools' | 'getTool' | 'decide' | 'approvalRequest' | 'promises' | 'execute'>} Tools
 */

/** The newest version of the AI SDK: it asks the application, not the tool, whether a call needs approval, and images are parts of the kind `file`. */
const NEWEST = 7
/** The first one that takes Standard Schemas of JSON Schema, hands `toModelOutput` more than the output, and has approvals. */
const STANDARD_SINCE = 6

/**
 * The tools as the AI SDK takes them: for `tools` of `generateText`, `streamText` and its agents.
 *
 * @param {Tools | readonly AgentTool[]} source
 * @param {import('../ai-sdk.d.ts').AISDKToolOptions} [options]
 * @returns {Record<string, any>}
 */
function toAISDKTools(source, options = {}) {
  requireOptions('toAISDKTools', options, ['version', 'progress', 'needsApproval', 'deferLoading'])
  const { version = installedVersion(), progress = true, needsApproval = false, deferLoading = false } = options
  const toolkit = Array.isArray(source) ? undefined : /** @type {Tools} */ (source)
  if (!Array.isArray(source) && typeof toolkit?.listTools !== 'function')
    throw invalidInput('toAISDKTools', 'The first argument must be a toolkit or a list of its tools.')
  if (needsApproval && !toolkit) throw invalidInput('toAISDKTools', '`needsApproval` needs the toolkit, whose policy decides: pass it in place of its tools.')
  const given = /** @type {readonly AgentTool[]} */ (source)
  const tools = toolkit
    ? deferrableTools(/** @type {any} */ (toolkit), undefined, deferLoading)
    : given.map((tool) => ({ tool, isDeferred: deferLoading === true }))
  return Object.fromEntries(
    tools.map(({ tool, isDeferred }) => [
      tool.name,
      {
        ...(isDeferred && { deferLoading: true }),
        description: tool.description,
        inputSchema: version < STANDARD_SINCE ? ownSchema(tool.parameters) : tool.parameters,
        execute: (progress ? withProgress : executed)(callOf(tool, toolkit, needsApproval)),
        toModelOutput: toModelOutputOf(version),
        ...(needsApproval && {
          needsApproval: needing((input, { toolCallId }) =>
            questionsOf(/** @type {Tools} */ (toolkit), [{ id: /** @type {string} */ (toolCallId), name: tool.name, params: input }]),
          ),
        }),
      },
    ]),
  )
}

/**
 * What policy says to a call, as the option `toolApproval` of version 7 wants to know it. Other tools decide for themselves, as they would without
 * this function; parameters that are not valid need no approval, since such a call fails with what is wrong.
 *
 * @param {Tools} toolkit
 * @returns {import('../ai-sdk.d.ts').ToolApproval}
 */
function toolApproval(toolkit) {
  if (typeof toolkit?.decide !== 'function') throw invalidInput('toolApproval', 'The first argument must be a toolkit.')
  return async ({ toolCall: { toolName, toolCallId, input }, tools, messages }) => {
    const tool = tools && Object.hasOwn(tools, toolName) ? tools[toolName] : undefined
    // A tool of a provider may have the name of one of ours.
    if (toolkit.getTool(toolName) && !isOfProvider(tool)) {
      const { verdict, reason } = await grantsOf(toolkit).judge(toolName, input, toolCallId)
      if (verdict !== 'invalid') return { type: STATUS[verdict], reason }
    }
    const reasons = await reasonsOf(tool, input, toolCallId)
    if (reasons) return reasons.length > 0 ? { type: 'user-approval', reason: reasons.join(' ') } : undefined
    const needed = tool?.needsApproval
    const isNeeded = typeof needed === 'function' ? await needed(input, { toolCallId, messages }) : needed === true
    return isNeeded ? { type: 'user-approval', reason: `\`${toolName}\` requires approval.` } : undefined
  }
}

const STATUS = /** @type {const} */ ({ allow: 'approved', ask: 'user-approval', deny: 'denied' })

/** @param {any} tool */
function isOfProvider(tool) {
  return tool?.type === 'provider'
}

/**
 * A tool of the toolkit runs with the approval that the AI SDK asked its user for; one of a list has no policy to ask.
 *
 * @param {AgentTool} tool
 * @param {Tools | undefined} toolkit
 * @param {boolean} isGated
 */
function callOf(tool, toolkit, isGated) {
  return (/** @type {any} */ input, /** @type {string} */ toolCallId, /** @type {AbortSignal} */ signal, /** @type {any} */ onUpdate) =>
    toolkit ? run(/** @type {any} */ (toolkit), tool.name, input, { toolCallId, signal, onUpdate, isGated }) : tool.execute(toolCallId, input, signal, onUpdate)
}

/** @param {ReturnType<typeof callOf>} call */
function executed(call) {
  return async (/** @type {any} */ input, /** @type {any} */ { toolCallId = `call-${randomUUID()}`, abortSignal } = {}) => {
    try {
      return await call(input, toolCallId, abortSignal, undefined)
    } catch (error) {
      throw forModel(error)
    }
  }
}

/**
 * An error as the model is to read it. Version 7 shows it as a string, which begins with the name of the error.
 *
 * @param {unknown} error
 */
function forModel(error) {
  return ToolError.is(error) ? Object.defineProperty(error, 'toString', { value: () => error.message, configurable: true }) : error
}

/**
 * A tool that yields how far it is, then its result. The AI SDK says of each call which it is; what runs its tools by itself, such as the code mode of
 * `@cloudflare/codemode`, says nothing and awaits the result.
 *
 * @param {ReturnType<typeof callOf>} call
 */
function withProgress(call) {
  const alone = executed(call)
  return (/** @type {any} */ input, /** @type {any} */ options) => (options === undefined ? alone(input) : progressOf(call, input, options))
}

/** @param {ReturnType<typeof callOf>} call @param {any} input @param {any} options */
async function* progressOf(call, input, { toolCallId, abortSignal }) {
  try {
    yield* updatesOf((signal, onUpdate) => call(input, toolCallId, signal, onUpdate), abortSignal)
  } catch (error) {
    throw forModel(error)
  }
}

/**
 * A schema as version 5 marks its own.
 *
 * @param {any} jsonSchema
 */
function ownSchema(jsonSchema) {
  return { [Symbol.for('vercel.ai.schema')]: true, [Symbol.for('vercel.ai.validator')]: true, jsonSchema, validate: undefined }
}

/**
 * What shows the model a result.
 *
 * @param {number} version
 * @returns {(given: any) => any}
 */
function toModelOutputOf(version) {
  const form = /** @type {const} */ (`ai-sdk-${version < STANDARD_SINCE ? 5 : version < NEWEST ? 6 : 7}`)
  return (given) => modelOutput(version < STANDARD_SINCE ? given : given.output, form)
}

/**
 * What the model sees of a result. One that was stored is JSON by now; what has no content is shown as it is.
 *
 * @param {any} output
 * @param {'ai-sdk-5' | 'ai-sdk-6' | 'ai-sdk-7'} form
 */
function modelOutput(output, form) {
  if (typeof output === 'string') return { type: 'text', value: output }
  if (!Array.isArray(output?.content)) return { type: 'json', value: output ?? null }
  return { type: 'content', value: partsOf(output.content, form) }
}

/**
 * The tools that models were trained on, for `@ai-sdk/anthropic` and `@ai-sdk/openai`.
 *
 * @param {import('../index.d.ts').Toolkit<any>} toolkit
 * @param {import('../ai-sdk.d.ts').NativeToolOptions & { version?: number }} [options]
 */
function toNativeTools(toolkit, { version = installedVersion(), ...options } = {}) {
  // Version 7 asks the tool itself only where the application has no `toolApproval`; version 5 asks nobody.
  const isGated = version < NEWEST && version >= STANDARD_SINCE
  return require('./adapters/ai-native.js').nativeToolsOf(toolkit, options, { toModelOutput: toModelOutputOf(version), isGated })
}

/** The major version of the AI SDK beside this package; the newest that is known where there is none. */
function installedVersion() {
  try {
    return Number.parseInt(require('ai/package.json').version, 10)
  } catch {
    return NEWEST
  }
}

module.exports = { toAISDKTools, toNativeTools, toolApproval }
