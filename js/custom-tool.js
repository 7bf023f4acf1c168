// @ts-check
'use strict'

const { normalise } = require('./results.js')
const { schemaOf } = require('./tool-schema.js')
const { ToolError, invalidInput } = require('./tool-error.js')

/** What the core receives of a tool, unchanged. */
const PASSED_ON = [
  'label',
  'category',
  'group',
  'annotations',
  'metadata',
  'executionMode',
  'replay',
  'effects',
  'timeoutMs',
  'resultContentSource',
  'ruleName',
]
/** What a registration is made of; whatever else it has is handed on with the tool. */
const OWN = ['name', 'description', 'parameters', 'inputSchema', 'jsonSchema', 'execute', 'handler', 'prepareArguments', 'approvalRequest', ...PASSED_ON]

/**
 * @typedef {import('./results.js').Normalised} Normalised
 * @typedef {{ toolCallId: string, signal: AbortSignal, onUpdate: (partial: Normalised) => void, readonly workspace: any }} Context
 * @typedef {object} CustomTool a tool of the host in one form
 * @property {string} name
 * @property {Record<string, unknown>} definition what the core receives
 * @property {object | undefined} schema the schema object of the host, where frameworks take it as it is
 * @property {boolean} hasOwnCheck
 * @property {(params: unknown) => Checked | Promise<Checked>} check by the host's own schema
 * @property {((args: unknown) => unknown) | undefined} prepareArguments
 * @property {((params: unknown) => any) | undefined} approvalRequest words the question before a call, or demands one
 * @property {(input: any, context: Context) => Promise<Normalised>} run
 * @property {Record<string, unknown>} extras
 * @property {string[]} notices
 * @typedef {import('./tool-schema.js').Checked} Checked
 */

/**
 * Reads what the host registers: an AgentTool, `{parameters, handler(params)}` or
 * `{inputSchema, execute(input)}`.
 *
 * @param {any} given
 * @returns {CustomTool}
 */
function customTool(given) {
  const name = given?.name
  if (typeof given !== 'object' || given === null || typeof name !== 'string') {
    throw invalidInput('registerTool', 'A tool is an object with a `name`, a `description`, its parameters and a function.')
  }
  const { description = '', parameters, inputSchema } = given
  if (typeof description !== 'string') throw invalidInput(name, `The description of the tool \`${name}\` is a ${typeof description} and has to be a text.`)
  if (parameters && inputSchema && parameters !== inputSchema) {
    throw invalidInput(name, `The tool \`${name}\` has \`parameters\` and an \`inputSchema\`; one of them says how \`execute\` is called.`)
  }
  const { json, native, check, notices } = schemaOf(name, parameters ?? inputSchema, given.jsonSchema)
  const passed = PASSED_ON.filter((word) => given[word] !== undefined && given[word] !== null).map((word) => [word, given[word]])
  const invoke = invocation(given)
  if (given.approvalRequest !== undefined && typeof given.approvalRequest !== 'function') {
    throw invalidInput(name, `\`approvalRequest\` of the tool \`${name}\` must be a function, not a ${typeof given.approvalRequest}.`)
  }
  return {
    name,
    definition: {
      ...Object.fromEntries(passed),
      name,
      description,
      parameters: json,
      hasOwnCheck: check !== undefined,
      hasOwnQuestion: given.approvalRequest !== undefined,
    },
    schema: native,
    hasOwnCheck: check !== undefined,
    check: check ?? ((params) => ({ value: params })),
    prepareArguments: typeof given.prepareArguments === 'function' ? (args) => given.prepareArguments(args) : undefined,
    approvalRequest: given.approvalRequest && ((params) => given.approvalRequest(params)),
    run: async (input, context) => succeed(name, await settled(invoke(input, context), context)),
    extras: Object.fromEntries(Object.entries(given).filter(([word]) => !OWN.includes(word))),
    notices,
  }
}

/**
 * How the function of the host is called. It keeps its `this`.
 *
 * @param {any} given
 * @returns {(input: any, context: Context) => unknown}
 */
function invocation(given) {
  if (typeof given.handler === 'function') return (input, context) => given.handler(input, contextOf(context))
  if (typeof given.execute !== 'function') {
    throw invalidInput(given.name, `The tool \`${given.name}\` has no function: give it \`execute\` or \`handler\`.`)
  }
  if (given.inputSchema && !given.parameters) {
    return (input, context) => given.execute(input, Object.assign(contextOf(context), { abortSignal: context.signal, messages: [] }))
  }
  return (input, { toolCallId, signal, onUpdate }) => given.execute(toolCallId, input, signal, listening(onUpdate))
}

/**
 * What a function of the host is given of its call.
 *
 * @param {Context} context
 */
function contextOf(context) {
  const { toolCallId, signal, onUpdate } = context
  return {
    toolCallId,
    signal,
    onUpdate: listening(onUpdate),
    get workspace() {
      return context.workspace
    },
  }
}

/**
 * The listener that a tool is given: it takes whatever a result may be.
 *
 * @param {Context['onUpdate']} onUpdate
 */
function listening(onUpdate) {
  return (/** @type {unknown} */ partial) => onUpdate(normalise(partial))
}

/**
 * What a function answers in the end. Of a generator that is what it yields last, or returns; what it yields before
 * are partial results.
 *
 * @param {any} answer
 * @param {Context} context
 */
async function settled(answer, { onUpdate, signal }) {
  const awaited = await answer
  if (typeof awaited !== 'object' || awaited === null || typeof awaited[Symbol.asyncIterator] !== 'function') return awaited
  const iterator = awaited[Symbol.asyncIterator]()
  let last
  for (;;) {
    const { value, done } = await iterator.next()
    if (done) return value === undefined ? last : value
    if (signal.aborted) return await iterator.return?.()
    if (last !== undefined) onUpdate(normalise(last))
    last = value
  }
}

/**
 * A result in one form. One that says that it is an error is one, and so is an `Error` that is returned instead of thrown.
 *
 * @param {string} tool
 * @param {any} answer
 */
function succeed(tool, answer) {
  if (answer instanceof Error) throw answer
  const result = normalise(answer)
  if (!result.isError) return result
  const message = result.content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .trim()
  const details = typeof result.details === 'object' && result.details !== null ? result.details : { details: result.details }
  throw new ToolError(message || `The tool \`${tool}\` failed.`, { tool, error_type: 'execution_failed', details: /** @type {any} */ (details) })
}

module.exports = { customTool }
