// @ts-check
'use strict'

const { describe, invalidInput } = require('./tool-error.js')
const { requireOptions } = require('./unknown-options.js')

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602

/** Methods that cancel a call: of this protocol, of LSP, of MCP. */
const CANCELLATIONS = ['tools/cancel', '$/cancelRequest', 'notifications/cancelled']

/**
 * @typedef {{ sessionId: string, toolCallId: string, toolName: string, input?: unknown }} Use
 * @typedef {{ controller: AbortController, id: unknown, use: Use }} Running
 * @typedef {(use: Use, signal: AbortSignal) => Promise<import('../index.d.ts').AgentToolResult<any>>} Execute
 */

/**
 * What a request is answered with: a message `tools/result` that has its id, or, for clients of plain JSON-RPC, a response.
 *
 * @type {Record<import('../index.d.ts').ToolUseWire, (id: unknown, params: object) => object>}
 */
const WIRES = {
  'tools/result': (id, params) => ({ jsonrpc: '2.0', id, method: 'tools/result', params }),
  jsonrpc: (id, result) => ({ jsonrpc: '2.0', id, result }),
}

/** Serves `tools/use` messages of JSON-RPC, many at a time. */
class ToolUse {
  /** @type {Set<Running>} */
  #running = new Set()
  #execute

  /** @param {Execute} execute */
  constructor(execute) {
    this.#execute = execute
  }

  /**
   * Serves one message, a batch of them, the bare parameters of one, or the text of any. A cancellation without an id has no
   * answer. Rejects for an option that does not exist, and for nothing else.
   *
   * @param {unknown} message
   * @param {import('../index.d.ts').ToolUseOptions} [options]
   * @returns {Promise<any>}
   */
  async handle(message, options = {}) {
    requireOptions('handleToolUse', options, ['wire'])
    const { wire = 'tools/result' } = options
    if (!Object.hasOwn(WIRES, wire)) {
      throw invalidInput('handleToolUse', `There is no \`wire\` \`${wire}\`. Known: ${Object.keys(WIRES).join(', ')}.`)
    }
    if (typeof message === 'string') {
      try {
        message = JSON.parse(message)
      } catch (error) {
        return failure(null, PARSE_ERROR, `The message is not valid JSON: ${describe(error)}.`)
      }
    }
    if (!Array.isArray(message)) return this.#one(message, WIRES[wire])
    if (message.length === 0) return failure(null, INVALID_REQUEST, 'The batch is empty.')
    const answers = (await Promise.all(message.map((one) => this.#one(one, WIRES[wire])))).filter((answer) => answer !== undefined)
    return answers.length === 0 ? undefined : answers
  }

  /**
   * @param {any} message
   * @param {(id: unknown, params: object) => object} respond
   */
  async #one(message, respond) {
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      return failure(null, INVALID_REQUEST, 'A message must be an object with `jsonrpc`, `method` and `params`.')
    }
    const { jsonrpc, id, method, params } = message
    // The parameters alone are answered with those of the result.
    if (method === undefined && jsonrpc === undefined && typeof message.toolName === 'string') return this.#use(id, message, (_, result) => result)
    const isId = id === undefined || id === null || typeof id === 'string' || typeof id === 'number'
    if (!isId) return failure(null, INVALID_REQUEST, '`id` must be a string or a number.')
    if (jsonrpc !== undefined && jsonrpc !== '2.0') return failure(id, INVALID_REQUEST, '`jsonrpc` must be "2.0".')
    if (typeof method !== 'string') return failure(id, INVALID_REQUEST, '`method` must be a string.')
    if (CANCELLATIONS.includes(method)) return this.#cancel(id, params)
    if (method !== 'tools/use') return failure(id, METHOD_NOT_FOUND, `There is no method \`${method}\`. Use \`tools/use\`.`)
    return this.#use(id, params, id === undefined ? notification : respond)
  }

  /**
   * @param {any} id
   * @param {any} params
   * @param {(id: unknown, params: object) => object} respond
   */
  async #use(id, params, respond) {
    const fault = faultOf(params)
    if (fault) return failure(id, INVALID_PARAMS, fault)
    const { sessionId, toolCallId } = params
    const isSame = (/** @type {Running} */ { use }) => use.sessionId === sessionId && use.toolCallId === toolCallId
    if ([...this.#running].some(isSame)) return failure(id, INVALID_PARAMS, `The call \`${toolCallId}\` of this session is already running.`)
    const running = { controller: new AbortController(), id, use: params }
    this.#running.add(running)
    try {
      const { content, details } = await this.#execute(params, running.controller.signal)
      return respond(id, { sessionId, toolCallId, content: contentOf(content, details), isError: false })
    } catch (error) {
      const text = `Error: ${describe(error)}`
      return respond(id, { sessionId, toolCallId, content: [{ type: 'text', text, isError: true }], isError: true })
    } finally {
      this.#running.delete(running)
    }
  }

  /**
   * Cancels calls, by session and call or by the id of their message. Their results say so.
   *
   * @param {any} id
   * @param {any} params
   */
  #cancel(id, params) {
    const { sessionId, toolCallId, requestId = params?.id } = params ?? {}
    const isMeant = (/** @type {Running} */ running) =>
      toolCallId === undefined
        ? requestId !== undefined && running.id === requestId
        : running.use.toolCallId === toolCallId && (sessionId === undefined || running.use.sessionId === sessionId)
    const meant = [...this.#running].filter(isMeant)
    for (const { controller } of meant) controller.abort()
    return id === undefined ? undefined : { jsonrpc: '2.0', id, result: { cancelled: meant.length > 0 } }
  }
}

/** @param {any} params */
function faultOf(params) {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return '`params` must be an object.'
  for (const name of ['sessionId', 'toolCallId', 'toolName']) {
    if (typeof params[name] !== 'string' || params[name] === '') return `\`params.${name}\` must be a non-empty string.`
  }
  const { input } = params
  if (input !== undefined && input !== null && (typeof input !== 'object' || Array.isArray(input))) return '`params.input` must be an object.'
  return undefined
}

/**
 * The parts of a result. A change of a file is its diff, which says what the text says.
 *
 * @param {import('../index.d.ts').AgentToolResult['content']} content
 * @param {any} details
 * @returns {import('../index.d.ts').ToolUseContent[]}
 */
function contentOf(content, details) {
  const diff = diffOf(details)
  return diff ? [diff, ...content.filter(({ type }) => type !== 'text').map(partOf)] : content.map(partOf)
}

/**
 * @param {import('../index.d.ts').AgentToolResult['content'][number]} part
 * @returns {import('../index.d.ts').ToolUseContent}
 */
function partOf(part) {
  if (part.type === 'text') return { type: 'text', text: part.text }
  return { type: 'image', source: { type: 'base64', mediaType: part.mimeType, data: part.data } }
}

/**
 * The change that a call made to a file, where its details have one: the hunks of its patch. A patch of several files is
 * none of these.
 *
 * @param {any} details
 * @returns {Extract<import('../index.d.ts').ToolUseContent, { type: 'diff' }> | undefined}
 */
function diffOf(details) {
  const patch = typeof details?.patch === 'string' ? details.patch : details?.diff
  if (typeof patch !== 'string' || (patch.match(/^--- .*\n\+\+\+ /gm) ?? []).length > 1) return undefined
  const path = details.path ?? details.file_path ?? (details.results?.length === 1 ? details.results[0].path : undefined)
  const start = patch.search(/^@@/m)
  return start === -1 ? undefined : { type: 'diff', path: typeof path === 'string' ? path : '', diff: patch.slice(start) }
}

/**
 * @param {unknown} _id
 * @param {object} params
 */
function notification(_id, params) {
  return { jsonrpc: '2.0', method: 'tools/result', params }
}

/**
 * @param {any} id
 * @param {number} code
 * @param {string} message
 */
function failure(id, code, message) {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message } }
}

module.exports = { ToolUse }
