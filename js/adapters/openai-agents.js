// @ts-check
'use strict'

const { parametersOf } = require('../definitions.js')
const { deferrableTools, failed, messageOf, outcomeOf, requireOptions, requireToolkit, run } = require('./calls.js')
const { grantsOf } = require('./grants.js')
const { nameOf, patchOf, requireOperations } = require('./operations.js')
const { textOf, textOrParts } = require('./parts.js')
const { commandCall, shellOutput } = require('./shell.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 */

/**
 * The adapter, over the function of the SDK that makes tools: it knows which arguments were parsed, and by whom.
 *
 * @param {{ tool: (options: any) => any, toolSearchTool?: () => any, loadSandbox?: () => Promise<any> }} sdk
 */
function adapterOver({ tool: define, toolSearchTool, loadSandbox }) {
  /**
   * The tools as an agent of the OpenAI Agents SDK takes them. Calls that require approval interrupt the run.
   *
   * @param {Toolkit} toolkit
   * @param {import('../../openai-agents.d.ts').AgentsToolOptions} [options]
   */
  function toAgentsTools(toolkit, options = {}) {
    requireToolkit('toAgentsTools', toolkit)
    requireOptions('toAgentsTools', options, ['names', 'strict', 'deferLoading', 'needsApproval', 'onUpdate'])
    const { names, strict = false, deferLoading = false, needsApproval = true, onUpdate } = options
    const marked = deferrableTools(toolkit, names, deferLoading)
    const tools = marked.map(({ tool, isDeferred }) =>
      define({
        name: tool.name,
        description: tool.description,
        parameters: objectSchema(parametersOf(toolkit, tool, strict ? 'openai-strict' : 'openai')),
        strict,
        ...(isDeferred && { deferLoading: true }),
        needsApproval:
          needsApproval &&
          (async (/** @type {any} */ _, /** @type {any} */ input, /** @type {string} */ callId) =>
            (await grantsOf(toolkit).judge(tool.name, input, callId)).verdict === 'ask'),
        errorFunction: (/** @type {any} */ _, /** @type {unknown} */ error) => messageOf(error),
        execute: executing(toolkit, tool.name, needsApproval, onUpdate),
      }),
    )
    return deferLoading === 'searched' && toolSearchTool && marked.some(({ isDeferred }) => isDeferred) ? [...tools, toolSearchTool()] : tools
  }
  /**
   * A client of sandboxes for a `SandboxAgent`: each session is a toolkit with these options.
   *
   * @param {any} options
   */
  function sandboxClient(options) {
    const { clientOver } = require('./openai-sandbox.js')
    const { Toolkit } = require('../toolkit.js')
    return clientOver(
      (given) => /** @type {any} */ (new Toolkit(given)),
      options,
      toEditor,
      loadSandbox ?? (() => Promise.reject(new Error('`@openai/agents/sandbox` is not installed.'))),
    )
  }
  return { sandboxClient, toAgentsTools, toEditor, toShell }
}

/**
 * @param {Toolkit} toolkit
 * @param {string} name
 * @param {boolean} isGated
 * @param {((update: any) => void) | undefined} listener
 */
function executing(toolkit, name, isGated, listener) {
  return async (/** @type {unknown} */ input, /** @type {any} */ _, /** @type {any} */ details) => {
    const toolCallId = details?.toolCall?.callId
    const onUpdate = listener && ((/** @type {any} */ partial) => listener({ tool: name, toolCallId, partial }))
    const { content } = await outcomeOf(toolkit, name, input, { toolCallId, signal: details?.signal, onUpdate, isGated })
    return textOrParts(content, 'openai-agents')
  }
}

/**
 * With the words that the SDK expects, which say no more than their absence.
 *
 * @param {any} schema
 */
function objectSchema(schema) {
  return { required: [], additionalProperties: true, ...schema }
}

/**
 * Runs the commands of `shellTool`: `shellTool(toShell(toolkit))`.
 *
 * @param {Toolkit} toolkit
 * @param {{ signal?: AbortSignal }} [options] the SDK hands its shells no signal
 */
function toShell(toolkit, options = {}) {
  requireToolkit('toShell', toolkit)
  requireOptions('toShell', options, ['signal'])
  const { signal } = options
  requireOperations('toShell', toolkit, ['exec'])
  const shell = {
    run: async (/** @type {any} */ action) => {
      const limit = action.maxOutputLength
      const output = await Promise.all(
        action.commands.map(async (/** @type {string} */ command) => {
          const { name, params } = commandCall(toolkit, command, action)
          const { stdout, stderr, outcome } = shellOutput(await outcomeOf(toolkit, name, params, { signal, isGated: true }), limit)
          return { stdout, stderr, outcome: outcome.type === 'exit' ? { type: 'exit', exitCode: outcome.exit_code } : outcome }
        }),
      )
      return { output, ...(limit !== undefined && { maxOutputLength: limit }) }
    },
  }
  const needsApproval = async (/** @type {any} */ _, /** @type {any} */ action) =>
    (await Promise.all(action.commands.map((/** @type {string} */ command) => asks(toolkit, commandCall(toolkit, command, action))))).includes(true)
  return { environment: { type: 'local' }, shell, needsApproval }
}

/**
 * Changes the files of `applyPatchTool`: `applyPatchTool(toEditor(toolkit))`.
 *
 * @param {Toolkit} toolkit
 */
function toEditor(toolkit) {
  requireToolkit('toEditor', toolkit)
  requireOperations('toEditor', toolkit, ['apply_patch'])
  const change = async (/** @type {any} */ operation) => {
    try {
      const { name, params } = patchCall(toolkit, operation)
      return { status: 'completed', output: textOf((await run(toolkit, name, params, { isGated: true })).content) }
    } catch (error) {
      return { status: 'failed', output: textOf(failed(error).content) }
    }
  }
  const needsApproval = async (/** @type {any} */ _, /** @type {any} */ operation) => {
    try {
      return await asks(toolkit, patchCall(toolkit, operation))
    } catch (error) {
      // It fails by itself, with what is wrong with it.
      failed(error)
      return false
    }
  }
  return { editor: { createFile: change, updateFile: change, deleteFile: change }, needsApproval }
}

/**
 * @param {Toolkit} toolkit
 * @param {any} operation
 */
function patchCall(toolkit, operation) {
  return { name: nameOf(toolkit, 'apply_patch'), params: { input: patchOf(operation) } }
}

/**
 * @param {Toolkit} toolkit
 * @param {{ name: string, params: any }} call
 */
async function asks(toolkit, { name, params }) {
  return (await grantsOf(toolkit).judge(name, params)).verdict === 'ask'
}

module.exports = { adapterOver }
