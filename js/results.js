// @ts-check
'use strict'

const { jsonText } = require('./json-text.js')
const { describe } = require('./tool-error.js')

/** @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool */
/** @typedef {import('../index.d.ts').AgentToolResult<any>} AgentToolResult */

/**
 * What a tool of the host returned, in one form.
 *
 * @typedef {object} Normalised
 * @property {AgentToolResult['content']} content
 * @property {unknown} details
 * @property {boolean} [isError]
 * @property {Map<string, object>} [others] parts of other kinds (audio, resources), by the text that stands for them in the content
 */

/**
 * A string, an AgentToolResult (or the result of an MCP tool), or any other value: its text is JSON then, and it is the
 * details.
 *
 * @param {any} answer
 * @returns {Normalised}
 */
function normalise(answer) {
  if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }], details: answer }
  if (!isResult(answer)) return jsonResult(answer)
  const details = answer.details !== undefined ? answer.details : answer.structuredContent
  const given = answer.content ?? []
  /** @type {AgentToolResult['content']} */
  const content = given.map(partOf)
  const others = given.flatMap((/** @type {any} */ given, /** @type {number} */ index) => {
    const part = content[index]
    return part?.type === 'text' && given.type !== 'text' ? [[part.text, given]] : []
  })
  return { content, details, ...(answer.isError === true && { isError: true }), ...(others.length > 0 && { others: new Map(others) }) }
}

/** What a result has. One without content has nothing else; any other object without it is data. */
const RESULT = ['content', 'details', 'structuredContent', 'isError', '_meta']

/**
 * Whether a value has the content of a result: parts that name their type.
 *
 * @param {any} answer
 */
function isResult(answer) {
  if (typeof answer !== 'object' || answer === null) return false
  // A failure needs to say no more than that it is one.
  const { content = answer.isError === true ? [] : undefined } = answer
  if (!Array.isArray(content) || !content.every((part) => typeof part?.type === 'string')) return false
  return content.length > 0 || Object.keys(answer).every((name) => RESULT.includes(name))
}

/**
 * @param {any} part
 * @returns {AgentToolResult['content'][number]}
 */
function partOf(part) {
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  if (part.type === 'image' && typeof part.data === 'string' && typeof part.mimeType === 'string') {
    return { type: 'image', data: part.data, mimeType: part.mimeType }
  }
  return { type: 'text', text: jsonText(part, 2) ?? 'null' }
}

/**
 * A result whose text is the payload as JSON and whose details are the payload.
 *
 * @template T
 * @param {T} payload
 * @returns {import('../index.d.ts').AgentToolResult<T>}
 */
function jsonResult(payload) {
  return { content: [{ type: 'text', text: jsonText(payload, 2) ?? 'null' }], details: payload }
}

/**
 * The same tools for hosts that want results instead of rejections, with the arguments of `execute`
 * in their order. An error becomes `jsonResult({status: 'error', tool, error})`, but is thrown when
 * the signal is aborted.
 *
 * @param {AgentTool[]} tools
 * @returns {import('../index.d.ts').ToolDefinition[]}
 */
function toToolDefinitions(tools) {
  // The result of an error does not fit the schema of the details.
  return tools.map(({ outputSchema: _, ...tool }) => ({
    ...tool,
    async execute(toolCallId, params, onUpdate, _context, signal) {
      try {
        return await tool.execute(toolCallId, params, signal, onUpdate)
      } catch (error) {
        if (signal?.aborted) throw error
        return jsonResult({ status: 'error', tool: tool.name, error: describe(error) })
      }
    },
  }))
}

module.exports = { jsonResult, normalise, toToolDefinitions }
