// @ts-check
'use strict'

const { nameOf } = require('../adapters/operations.js')
const { INVALID_PARAMS, RequestError } = require('./protocol.js')
const { ToolError } = require('../tool-error.js')

/** The address of an output that was too long for its result, as details name it. */
const ADDRESS = /^output:\/\/\d+$/
/**
 * Clients that show links to resources as such, by the names that they give. Others hand them to a model: some providers refuse them, which ends the run (LangChain,
 * Continue), some clients then make JSON of the whole result (Pydantic AI). The text names the address in any case.
 */
const LINKING = ['claude-code', 'Visual Studio Code', 'Visual Studio Code - Insiders']
/** Operations that keep the whole of a long output. */
const KEEPING = ['execute', 'process']

/**
 * The outputs of commands that were too long for a result, page by page: for people and for models whose client offers resources. The tools
 * `read` and `grep` open the same addresses.
 *
 * @param {any} toolkit
 * @returns {import('../../index.d.ts').McpResource[]}
 */
function outputResources(toolkit) {
  if (!toolkit.listTools().some((/** @type {any} */ { metadata }) => KEEPING.includes(metadata?.operation)) || !canRead(toolkit)) return []
  return [
    {
      uriTemplate: 'output://{number}{?offset}',
      name: 'output',
      title: 'A long output',
      description: 'The whole output of a command whose result shows its beginning and end, in pages; `offset` is the first line.',
      mimeType: 'text/plain',
      read: (_, { number, offset }) => page(toolkit, number, offset),
    },
  ]
}

/** @param {any} toolkit */
function canRead(toolkit) {
  try {
    nameOf(toolkit, 'read')
    return true
  } catch {
    return false
  }
}

/**
 * @param {any} toolkit
 * @param {string} number
 * @param {string | undefined} offset
 */
async function page(toolkit, number, offset) {
  const address = `output://${number}`
  const from = offset === undefined ? 1 : Number(offset)
  if (!Number.isInteger(from) || from < 1) throw new RequestError(INVALID_PARAMS, '`offset` must be the number of a line, from 1 on.', { uri: address })
  try {
    const { content, details } = await toolkit.execute(nameOf(toolkit, 'read'), { file_path: address, offset: from })
    const text = content.map((/** @type {any} */ part) => part.text ?? '').join('\n')
    if (!details?.hasMore) return { text }
    const next = `${address}?offset=${details.endLine + 1}`
    return { text: `${text}\n\n[Next page: ${next}]`, _meta: { 'tenon/next': next } }
  } catch (error) {
    if (!ToolError.is(error)) throw error
    throw new RequestError(INVALID_PARAMS, /** @type {Error} */ (error).message, { uri: address })
  }
}

/**
 * A link to the whole output, where a result does not have all of it.
 *
 * @param {unknown} details
 * @returns {object[]}
 */
function outputLinks(details) {
  if (typeof details !== 'object' || details === null) return []
  const addresses = Object.values(details).filter((value) => typeof value === 'string' && ADDRESS.test(value))
  return [...new Set(addresses)].map((uri) => ({ type: 'resource_link', uri, name: uri, title: 'The whole output', mimeType: 'text/plain' }))
}

module.exports = { LINKING, outputLinks, outputResources }
