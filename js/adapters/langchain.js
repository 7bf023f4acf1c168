// @ts-check
'use strict'

const { parametersOf } = require('../definitions.js')
const { ToolError, invalidInput } = require('../tool-error.js')
const { REJECTED, outcomeOf, questionsOf, requireOptions, requireToolkit, run, toolsOf } = require('./calls.js')
const { grantsOf, isElsewhere } = require('./grants.js')
const { toBackend } = require('./deepagents.js')
const { approvalsOf, isNative, prepared, toNativeTools, within } = require('./langchain-native.js')
const { textOrParts } = require('./parts.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {import('../../index.d.ts').AgentTool<any, any>} AgentTool
 */

const DECISIONS = ['approve', 'edit', 'reject']
/** Where LangGraph keeps the answers of a resumption by the ids of interrupts. */
const RESUMED_BY_ID = '__pregel_resume_map'

/**
 * The adapter, over LangChain's own classes.
 *
 * @param {{ DynamicStructuredTool: any, ToolMessage: any }} langchain
 */
function adapterOver({ DynamicStructuredTool, ToolMessage }) {
  /** A tool that checks arguments by itself, so that the model reads what is wrong with them. */
  class TenonTool extends DynamicStructuredTool {
    /** @type {Toolkit} */
    #toolkit
    /** @type {AgentTool} */
    #tool

    /**
     * @param {Toolkit} toolkit
     * @param {AgentTool} tool
     */
    constructor(toolkit, tool) {
      const { name, description } = tool
      super({
        name,
        description,
        schema: parametersOf(toolkit, tool),
        func: (/** @type {any} */ input, /** @type {any} */ _, /** @type {any} */ config) => this.#run(input, config),
      })
      this.#toolkit = toolkit
      this.#tool = tool
    }

    /**
     * @param {any} arg
     * @param {any} config
     * @param {any} tags
     */
    async call(arg, config, tags) {
      const isCall = typeof arg === 'object' && arg !== null && arg.type === 'tool_call'
      const args = this.#tool.prepareArguments?.(isCall ? arg.args : arg)
      const at = isElsewhere(this.#toolkit) ? this.#toolkit.promises : this.#toolkit
      const { valid } = await at.validateParams(this.#tool.name, args)
      if (!valid) return this.#run(isCall ? arg.args : arg, { ...config, toolCall: isCall ? arg : config?.toolCall })
      return super.call(isCall ? { ...arg, args } : args, config, tags)
    }

    /**
     * @param {any} input
     * @param {any} config
     */
    async #run(input, config) {
      const { name } = this.#tool
      const id = config?.toolCall?.id
      const onUpdate = config?.writer && ((/** @type {any} */ partial) => config.writer({ tool: name, toolCallId: id, partial }))
      const options = { toolCallId: id, signal: config?.signal, onUpdate }
      // Without a call there is no message to answer: the caller gets the content, or the error.
      if (!id) return textOrParts((await run(this.#toolkit, name, input, options)).content, 'langchain')
      return messageOf(ToolMessage, name, id, await outcomeOf(this.#toolkit, name, input, options))
    }
  }

  /**
   * The tools as LangChain takes them.
   *
   * @param {Toolkit} toolkit
   * @param {import('../../langchain.d.ts').LangChainToolOptions} [options]
   */
  function toLangChainTools(toolkit, options = {}) {
    requireToolkit('toLangChainTools', toolkit)
    requireOptions('toLangChainTools', options, ['names'])
    return toolsOf(toolkit, options.names).map((tool) => new TenonTool(toolkit, tool))
  }

  /**
   * Middleware of an agent: a call that requires approval interrupts the graph, as LangChain's own middleware for humans in
   * the loop does, and runs when it is resumed with that decision.
   *
   * @param {Toolkit} toolkit
   * @param {import('../../langchain.d.ts').MiddlewareOptions} [options]
   */
  function tenonMiddleware(toolkit, options = {}) {
    requireToolkit('tenonMiddleware', toolkit)
    requireOptions('tenonMiddleware', options, ['native'])
    const { native } = options
    if (native !== undefined && !isNative(native)) throw invalidInput('tenonMiddleware', 'The option `native` must be what `toNativeTools` returned.')
    return {
      [Symbol.for('AgentMiddleware')]: true,
      name: 'tenon',
      wrapToolCall: async (/** @type {any} */ request, /** @type {any} */ handler) => {
        const { toolCall, tool, runtime } = request
        const { name, args, id } = toolCall
        const run = (/** @type {any} */ given) => within(id, () => handler(prepared(native, given)))
        const questions = await approvalsFor(toolkit, native, name, tool)?.questions(args, { toolCallId: id })
        if (!questions?.length) return run(request)
        const approvalRequests = questions.map((question) => ({ ...question, toolCallId: id }))
        const asked = runtime.interrupt({
          actionRequests: [{ name, args, description: [...new Set(questions.map(({ reason }) => reason))].join(' ') }],
          reviewConfigs: [{ actionName: name, allowedDecisions: DECISIONS }],
          approvalRequest: approvalRequests[0],
          approvalRequests,
        })
        const decision = await decisionOf(asked, request, (other) => approvalsFor(toolkit, native, other.name, other.id === id ? tool : undefined))
        return decided(toolkit, native, ToolMessage, request, run, decision)
      },
    }
  }
  return { toBackend, toLangChainTools, toNativeTools, tenonMiddleware }
}

/**
 * The approvals of a tool: of a provider's, or of one of the toolkit. They may have the same name.
 *
 * @param {Toolkit} toolkit
 * @param {object | undefined} native
 * @param {string} name
 * @param {any} tool as LangChain has it
 * @returns {import('./anthropic-native.js').Approvals | undefined}
 */
function approvalsFor(toolkit, native, name, tool) {
  const own = approvalsOf(native, tool)
  if (own || !toolkit.getTool(name)) return own
  // The tool is called with parameters in its own spelling, and what was approved is found by them.
  const ready = (/** @type {any} */ params) => toolkit.getTool(name)?.prepareArguments?.(params) ?? params
  return {
    questions: (params, { toolCallId }) => questionsOf(toolkit, [{ id: /** @type {string} */ (toolCallId), name, params: ready(params) }]),
    forget: (params, { toolCallId }) => grantsOf(toolkit).forget(name, ready(params), toolCallId),
  }
}

/**
 * The decision on this call. One answer to several interrupts reaches each of them, so that it must have a decision for each
 * call of the message that asks, in their order; an answer by the id of an interrupt is about one call.
 *
 * @param {any} asked what the graph was resumed with
 * @param {any} request
 * @param {(toolCall: any) => import('./anthropic-native.js').Approvals | undefined} approvals
 */
async function decisionOf(asked, { toolCall, state, runtime }, approvals) {
  const decisions = Array.isArray(asked?.decisions) ? asked.decisions : [asked]
  const isById = runtime.configurable?.[RESUMED_BY_ID] !== undefined
  if (isById && decisions.length === 1) return decisions[0]
  const message = state?.messages?.findLast((/** @type {any} */ each) => each.tool_calls?.some((/** @type {any} */ { id }) => id === toolCall.id))
  const asking = []
  for (const call of message?.tool_calls ?? [toolCall]) {
    const questions = call.id === toolCall.id || (await approvals(call)?.questions(call.args, { toolCallId: call.id }))?.length
    if (questions) asking.push(call.id)
  }
  if (decisions.length === asking.length) return decisions[asking.indexOf(toolCall.id)]
  const count = `${decisions.length} decision${decisions.length === 1 ? '' : 's'}`
  const many = asking.length === 1 ? '1 call requires' : `${asking.length} calls require`
  throw undecided(toolCall.name, `${many} approval, and ${count} came. Resume with one for each, in the order of the calls, or by the ids of the interrupts.`)
}

/**
 * What a decision of the user makes of a call.
 *
 * @param {Toolkit} toolkit
 * @param {object | undefined} native
 * @param {any} ToolMessage
 * @param {any} request
 * @param {(request: any) => any} run
 * @param {any} decision
 */
async function decided(toolkit, native, ToolMessage, request, run, decision) {
  const { toolCall, tool } = request
  if (decision?.type === 'approve') return run(request)
  const call = { toolCallId: toolCall.id }
  approvalsFor(toolkit, native, toolCall.name, tool)?.forget(toolCall.args, call)
  if (decision?.type === 'edit' && decision.editedAction) {
    const { name, args } = decision.editedAction
    // LangChain finds the tool of another name by itself.
    const other = name === toolCall.name ? tool : undefined
    // Who wrote the call approved it.
    await approvalsFor(toolkit, native, name, other)?.questions(args, call)
    return run({ ...request, tool: other, toolCall: { ...toolCall, name, args } })
  }
  if (decision?.type === 'reject') return answerOf(ToolMessage, toolCall, decision.message ?? REJECTED)
  const names = DECISIONS.map((name) => `\`${name}\``).join(', ')
  throw undecided(toolCall.name, `The decision on \`${toolCall.name}\` must be \`{ decisions: [{ type }] }\` with one of ${names}.`)
}

/**
 * @param {string} tool
 * @param {string} message
 */
function undecided(tool, message) {
  return new ToolError(message, { tool, error_type: 'invalid_input', details: { code: 'invalid_decision' } })
}

/**
 * @param {any} ToolMessage
 * @param {any} toolCall
 * @param {string} text
 */
function answerOf(ToolMessage, { name, id }, text) {
  return messageOf(ToolMessage, name, id, { content: [{ type: 'text', text }], details: undefined, isError: true })
}

/**
 * @param {any} ToolMessage
 * @param {string} name
 * @param {string} id
 * @param {import('./calls.js').Outcome} outcome
 */
function messageOf(ToolMessage, name, id, { content, details, isError }) {
  return new ToolMessage({ content: textOrParts(content, 'langchain'), artifact: details, tool_call_id: id, name, status: isError ? 'error' : 'success' })
}

module.exports = { adapterOver, toBackend, toNativeTools }
