// @ts-check
'use strict'

const { invalidInput } = require('../tool-error.js')
const { REJECTED, requireOptions, requireToolkit, run, toolsOf } = require('./calls.js')
const { grantsOf } = require('./grants.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/**
 * The tools as an agent of pi takes them. They run what `toBeforeToolCall` let the user approve.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../pi.d.ts').PiToolOptions} [options]
 */
function toPiTools(toolkit, options = {}) {
  requireToolkit('toPiTools', toolkit)
  requireOptions('toPiTools', options, ['names', 'rename'])
  const { names, rename = {} } = options
  const tools = toolsOf(toolkit, names).map((tool) => ({
    ...tool,
    name: rename[tool.name] ?? tool.name,
    replay: ['pure', 'repeatable'].includes(tool.metadata?.repetition) ? 'safe' : 'never',
    execute: async (/** @type {string} */ toolCallId, /** @type {unknown} */ params, /** @type {AbortSignal} */ signal, /** @type {any} */ onUpdate) => {
      const { content, details } = await run(toolkit, tool.name, params, { toolCallId, signal, onUpdate })
      // What the `outputSchema` of the tool describes: pi 1.6 hands it to programs.
      return { content, details, ...(tool.outputSchema && details !== undefined && { structuredContent: details }) }
    },
  }))
  const twice = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) !== index)
  if (twice) throw invalidInput('toPiTools', `Two tools would be called \`${twice.name}\`. Change the option \`rename\`.`)
  return tools
}

/**
 * The option `beforeToolCall` of an agent: what policy denies is blocked, and `ask` decides what requires approval.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../pi.d.ts').PiAsk} ask
 * @param {import('../../pi.d.ts').PiToolOptions} [options] those of `toPiTools`
 */
function toBeforeToolCall(toolkit, ask, options = {}) {
  requireToolkit('toBeforeToolCall', toolkit)
  if (typeof ask !== 'function') throw invalidInput('toBeforeToolCall', 'The second argument must be a function that asks the user.')
  const original = new Map(Object.entries(options.rename ?? {}).map(([from, to]) => [to, from]))
  return async (/** @type {any} */ { toolCall, args }, /** @type {AbortSignal} */ signal) => {
    const name = original.get(toolCall.name) ?? toolCall.name
    if (!toolkit.getTool(name)) return undefined
    const grants = grantsOf(toolkit)
    const { verdict, reason, request } = await grants.judge(name, args, toolCall.id)
    if (verdict === 'deny') return { block: true, reason }
    if (!request) return undefined
    grants.forget(name, args, toolCall.id)
    if ((await ask({ ...request, toolCallId: toolCall.id }, { signal })) !== true) return { block: true, reason: REJECTED }
    await grants.approve(name, args, request.digest, toolCall.id)
    return undefined
  }
}

module.exports = { toBeforeToolCall, toPiTools }
