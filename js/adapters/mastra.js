// @ts-check
'use strict'

const { describe } = require('../tool-error.js')
const { requireOptions, requireToolkit, run, toolsOf } = require('./calls.js')
const { grantsOf } = require('./grants.js')
const { partsOf } = require('./parts.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/**
 * The tools as an agent of Mastra takes them. Calls that require approval suspend the run.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../mastra.d.ts').MastraToolOptions} [options]
 */
function toMastraTools(toolkit, options = {}) {
  requireToolkit('toMastraTools', toolkit)
  requireOptions('toMastraTools', options, ['names', 'progress'])
  const { names, progress = true } = options
  return Object.fromEntries(
    toolsOf(toolkit, names).map(({ name, label, description, parameters }) => [
      name,
      {
        // Else Mastra takes it for a tool of the AI SDK, which gets no writer.
        [Symbol.for('mastra.core.tool.Tool')]: true,
        id: name,
        title: label,
        description,
        inputSchema: parameters,
        // Mastra does not say which call it asks about.
        requireApproval: async (/** @type {unknown} */ input) => (await grantsOf(toolkit).judge(name, input)).verdict === 'ask',
        execute: (/** @type {unknown} */ input, /** @type {any} */ context) => {
          const toolCallId = context?.agent?.toolCallId
          const write = progress && context?.writer ? serialised(context.writer) : undefined
          const onUpdate = write && ((/** @type {any} */ partial) => write({ type: 'data-tenon-progress', data: { tool: name, toolCallId, partial } }))
          return run(toolkit, name, input, { toolCallId, isAskedById: false, signal: context?.abortSignal, onUpdate, isGated: true })
        },
        toModelOutput,
      },
    ]),
  )
}

/**
 * What the model sees. Mastra hands its own failures of validation over, too.
 *
 * @param {any} output
 */
function toModelOutput(output) {
  if (Array.isArray(output?.content)) return { type: 'content', value: partsOf(output.content, 'ai-sdk-6').map(media) }
  if (output?.error === true) return { type: 'error-text', value: describe(output) }
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null }
}

/** @param {any} part */
function media(part) {
  return part.type === 'image-data' ? { type: 'media', data: part.data, mediaType: part.mediaType } : part
}

/**
 * Writes one chunk after the other: a writer of streams is locked while it writes. What cannot be written is progress only.
 *
 * @param {any} writer
 */
function serialised(writer) {
  let last = Promise.resolve()
  return (/** @type {any} */ chunk) => {
    last = last.then(() => writer.custom?.(chunk)).catch(() => {})
  }
}

module.exports = { toMastraTools }
