// @ts-check
'use strict'

const { answeredOutcome, questionsOf, requireOptions, requireToolkit, toolsOf } = require('./calls.js')
const { imagesOf, textOf } = require('./parts.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/**
 * The tools as a `CallableTool` of the Google Gen AI SDK, which then calls them by itself.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../google.d.ts').GoogleToolOptions} [options]
 */
function toCallableTool(toolkit, options = {}) {
  requireToolkit('toCallableTool', toolkit)
  requireOptions('toCallableTool', options, ['names', 'parametersJsonSchema', 'signal', 'onUpdate', 'approvals'])
  const { names, parametersJsonSchema = false, ...callOptions } = options
  const format = parametersJsonSchema ? 'gemini-json-schema' : 'gemini'
  return {
    tool: async () => ({ functionDeclarations: toolkit.definitions(names ?? toolsOf(toolkit, names).map(({ name }) => name), format) }),
    callTool: async (/** @type {any[]} */ calls) =>
      Promise.all(
        callsOf(calls)
          .filter(({ name }) => toolkit.getTool(name) && (names === undefined || names.includes(name)))
          .map(async ({ given, ...call }) => partOf(given, call.name, await answeredOutcome(toolkit, call, callOptions))),
      ),
  }
}

/**
 * The calls of a response that require approval, with what their user has to be shown: for `approvals`.
 *
 * @param {Toolkit} toolkit
 * @param {any} response
 */
function pendingApprovals(toolkit, response) {
  requireToolkit('pendingApprovals', toolkit)
  const calls = Array.isArray(response) ? response : (response?.functionCalls ?? [])
  return questionsOf(
    toolkit,
    callsOf(calls).filter(({ name }) => toolkit.getTool(name)),
  )
}

/**
 * The calls with ids. Those that have none are named by their place among all of the response, so that an answer is for the call that it was given for,
 * whichever of them are looked at.
 *
 * @param {readonly any[]} calls
 * @returns {{ id: string, given: string | undefined, name: string, params: unknown }[]}
 */
function callsOf(calls) {
  return calls.map(({ id, name, args }, index) => ({ id: id ?? `${name}_${index}`, given: id, name, params: args ?? {} }))
}

/**
 * @param {string | undefined} id
 * @param {string} name
 * @param {import('./calls.js').Outcome} outcome
 */
function partOf(id, name, { content, isError }) {
  const parts = imagesOf(content).map((part) => ({ inlineData: { mimeType: /** @type {any} */ (part).mimeType, data: /** @type {any} */ (part).data } }))
  const text = textOf(content.filter(({ type }) => type === 'text'))
  return {
    functionResponse: { ...(id !== undefined && { id }), name, response: isError ? { error: text } : { output: text }, ...(parts.length > 0 && { parts }) },
  }
}

module.exports = { pendingApprovals, toCallableTool }
