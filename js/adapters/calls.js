// @ts-check
'use strict'

const { ToolError, describe, invalidInput } = require('../tool-error.js')
const { requireOptions } = require('../unknown-options.js')
const { grantsOf } = require('./grants.js')

/**
 * @typedef {import('../../index.d.ts').AgentTool<any, any>} AgentTool
 * @typedef {import('../../index.d.ts').AgentToolResult<any>} AgentToolResult
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {{ content: AgentToolResult['content'], details: any, isError: boolean }} Outcome what a model is shown, errors too
 * @typedef {import('../../index.d.ts').ApprovalRequest} Question what a user is shown of a call that requires approval
 * @typedef {object} CallOptions
 * @property {string} [toolCallId]
 * @property {boolean} [isAskedById] whether the framework says which call it asks its user about; default: true
 * @property {AbortSignal | null} [signal]
 * @property {(partial: any) => void} [onUpdate]
 * @property {boolean} [isGated]
 */

/** What a model reads of a call that its user did not approve. */
const REJECTED = 'The user did not approve this call. Do not repeat it; ask the user what to do instead.'

/**
 * The toolkit that an adapter was given.
 *
 * @param {string} where the function that was called
 * @param {any} toolkit
 * @returns {Toolkit}
 */
function requireToolkit(where, toolkit) {
  if (typeof toolkit?.listTools === 'function' && typeof toolkit.execute === 'function') return toolkit
  throw invalidInput(where, 'The first argument must be a toolkit.')
}

/**
 * The tools of a toolkit, or those of these names.
 *
 * @param {Toolkit} toolkit
 * @param {readonly string[] | undefined} names
 * @returns {readonly AgentTool[]}
 */
function toolsOf(toolkit, names) {
  return toolkit.tools(names)
}

/**
 * The tools with whether the model is to search for each. `'searched'`: those that `find_tools` would find, which the search of the provider
 * finds in its place.
 *
 * @param {Toolkit} toolkit
 * @param {readonly string[] | undefined} names
 * @param {boolean | 'searched'} deferLoading
 * @returns {{ tool: AgentTool, isDeferred: boolean }[]}
 */
function deferrableTools(toolkit, names, deferLoading) {
  if (deferLoading !== 'searched') return toolsOf(toolkit, names).map((tool) => ({ tool, isDeferred: deferLoading }))
  const shown = toolsOf(toolkit, names).filter(({ metadata }) => !(/** @type {any} */ (metadata)?.mcpSearch))
  const searched = serversOf(toolkit)?.hiddenTools() ?? []
  return [...shown.map((tool) => ({ tool, isDeferred: false })), ...searched.map((tool) => ({ tool, isDeferred: true }))]
}

/**
 * Whether a call of this name is for the toolkit: of a tool that it shows, or of one that is searched for.
 *
 * @param {Toolkit} toolkit
 * @param {string} name
 */
function hasTool(toolkit, name) {
  return toolkit.getTool(name) !== undefined || serversOf(toolkit)?.isHidden(name) === true
}

/** @param {Toolkit} toolkit */
function serversOf(toolkit) {
  const { connectionOf } = require('../toolkit.js')
  return connectionOf(toolkit)?.host.mcp
}

/**
 * Runs a tool of a toolkit, with the approval of the framework where it gave one.
 *
 * @param {Toolkit} toolkit
 * @param {string} name
 * @param {unknown} params
 * @param {CallOptions} [options]
 * @returns {Promise<AgentToolResult>}
 */
async function run(toolkit, name, params, { toolCallId, isAskedById = true, signal, onUpdate, isGated = false } = {}) {
  const approval = await grantsOf(toolkit).take(name, params, isAskedById ? toolCallId : undefined, isGated)
  return toolkit.execute(name, params, { toolCallId, signal: signal ?? undefined, onUpdate, ...approval })
}

/**
 * Runs a tool; its failure is a result for the model. What is aborted, and what is a fault of this package, is thrown.
 *
 * @param {Toolkit} toolkit
 * @param {string} name
 * @param {unknown} params
 * @param {CallOptions} [options]
 * @returns {Promise<Outcome>}
 */
function outcomeOf(toolkit, name, params, options = {}) {
  return settled(() => run(toolkit, name, params, options), options.signal)
}

/**
 * What came of a call, a failure too.
 *
 * @param {() => Promise<AgentToolResult | Outcome>} call
 * @param {AbortSignal | null | undefined} signal
 * @returns {Promise<Outcome>}
 */
async function settled(call, signal) {
  try {
    const result = await call()
    return { content: result.content, details: result.details, isError: 'isError' in result && result.isError }
  } catch (error) {
    if (signal?.aborted) throw error
    return failed(error)
  }
}

/**
 * A failure as a result.
 *
 * @param {unknown} error
 * @returns {Outcome}
 */
function failed(error) {
  if (!ToolError.is(error)) throw error
  return { content: [{ type: 'text', text: error.message }], details: error.details, isError: true }
}

/**
 * Runs one of the calls that a model made, by what the approvals of its user say.
 *
 * @param {Toolkit} toolkit
 * @param {{ id: string, name: string, params: unknown, answerId?: string }} call `answerId`: the call of the model that it is a part of
 * @param {{ signal?: AbortSignal, onUpdate?: (update: any) => void, approvals?: Record<string, boolean | string> }} options
 * @returns {Promise<Outcome>}
 */
async function answeredOutcome(toolkit, { id, name, params, answerId = id }, { signal, onUpdate, approvals = {} }) {
  const answer = [id, answerId].flatMap((key) => (Object.hasOwn(approvals, key) ? [approvals[key]] : []))[0]
  if (answer === false) return { content: [{ type: 'text', text: REJECTED }], details: { code: 'not_approved' }, isError: true }
  const listener = onUpdate && ((/** @type {any} */ partial) => onUpdate({ toolCallId: id, tool: name, partial }))
  const options = { toolCallId: id, signal, onUpdate: listener }
  if (answer === true) return outcomeOf(toolkit, name, params, { ...options, isGated: true })
  // Nobody asked the user so far, whatever was shown: policy decides, and the approver of the toolkit.
  return settled(() => toolkit.execute(name, params, { ...options, ...(answer !== undefined && { approved: 'once', digest: answer }) }), signal)
}

/**
 * Those of the calls that a model made which require approval, with what their user has to be shown: for a call of one of our tools, and for
 * one of a provider's tools all of what it does.
 *
 * @param {Parameters<typeof grantsOf>[0]} toolkit
 * @param {readonly { id: string, name: string, params: unknown }[]} calls
 * @returns {Promise<Question[]>}
 */
async function questionsOf(toolkit, calls) {
  const judged = await Promise.all(calls.map(({ id, name, params }) => grantsOf(toolkit).judge(name, params, id)))
  return judged.flatMap(({ request }, index) => (request ? [{ ...request, toolCallId: calls[index].id }] : []))
}

/**
 * The arguments of a call as a model wrote them. What is not JSON is handed on as it is: the call then says what is wrong.
 *
 * @param {unknown} text
 */
function argumentsOf(text) {
  if (typeof text !== 'string') return text ?? {}
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * What a model reads of an error.
 *
 * @param {unknown} error
 */
function messageOf(error) {
  return describe(error)
}

module.exports = {
  REJECTED,
  answeredOutcome,
  argumentsOf,
  deferrableTools,
  failed,
  hasTool,
  messageOf,
  outcomeOf,
  questionsOf,
  requireOptions,
  requireToolkit,
  run,
  settled,
  toolsOf,
}
