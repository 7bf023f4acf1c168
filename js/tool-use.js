// @ts-check
'use strict'

const { ToolError, describe } = require('./tool-error.js')

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602

/** Ways to say that a call shall be stopped: of this protocol, of LSP, of MCP. */
const CANCELLATIONS = ['tools/cancel', '$/cancelRequest', 'notifications/cancelled']

/**
 * @typedef {{ sessionId: string, toolCallId: string, toolName: string, input?: unknown }} Use
 * @typedef {{ controller: AbortController, id: unknown, use: Use }} Running
 * @typedef {(use: Use, signal: AbortSignal) => Promise<import('../index.d.ts').AgentToolResult<any>>} Execute
 */

/** Answers `tools/use` messages of JSON-RPC, many at a time. */
class ToolUse {
  /** @type {Set<Running>} */
  #running = new Set()
  #execute

  /** @param {Execute} execute */
  constructor(execute) {
    this.#execute = execute
  }

  /**
   * Answers one message, a batch of them, or the text of either. Nothing is answered to a cancellation. Never rejects.
   *
   * @param {unknown} message
   * @returns {Promise<any>}
   */
  async handle(message) {
    if (typeof message === 'string') {
      try {
        return await this.handle(JSON.parse(message))
      } catch (error) {
        return failure(null, PARSE_ERROR, `The message is no JSON: ${describe(error)}.`)
      }
    }
    if (!Array.isArray(message)) return this.#one(message)
    if (message.length === 0) return failure(null, INVALID_REQUEST, 'The batch is empty.')
    const answers = await Promise.all(message.map((one) => this.#one(one)))
    const told = answers.filter((answer) => answer !== undefined)
    return told.length === 0 ? undefined : told
  }

  /** @param {any} message */
  async #one(message) {
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      return failure(null, INVALID_REQUEST, 'A message is an object with `jsonrpc`, `method` and `params`.')
    }
    const { jsonrpc, id, method, params } = message
    const isId = id === undefined || id === null || typeof id === 'string' || typeof id === 'number'
    if (!isId) return failure(null, INVALID_REQUEST, '`id` has to be a text or a number.')
    if (jsonrpc !== undefined && jsonrpc !== '2.0') return failure(id, INVALID_REQUEST, '`jsonrpc` has to be "2.0".')
    if (typeof method !== 'string') return failure(id, INVALID_REQUEST, '`method` is missing or no text.')
    if (CANCELLATIONS.includes(method)) return this.#cancel(id, params)
    if (method !== 'tools/use') return failure(id, METHOD_NOT_FOUND, `There is no method \`${method}\`; there is \`tools/use\`.`)
    return this.#use(id, params)
  }

  /**
   * @param {any} id
   * @param {any} params
   */
  async #use(id, params) {
    const fault = faultOf(params)
    if (fault) return failure(id, INVALID_PARAMS, fault)
    const { sessionId, toolCallId } = params
    const isSame = (/** @type {Running} */ { use }) => use.sessionId === sessionId && use.toolCallId === toolCallId
    if ([...this.#running].some(isSame)) return failure(id, INVALID_PARAMS, `The call \`${toolCallId}\` of this session runs already.`)
    const running = { controller: new AbortController(), id, use: params }
    this.#running.add(running)
    try {
      const { content, details } = await this.#execute(params, running.controller.signal)
      return answer(id, { sessionId, toolCallId, content: [...content.map(partOf), ...diffOf(details)], isError: false })
    } catch (error) {
      const text = ToolError.is(error) ? error.message : describe(error)
      return answer(id, { sessionId, toolCallId, content: [{ type: 'text', text }], isError: true })
    } finally {
      this.#running.delete(running)
    }
  }

  /**
   * Stops calls, by session and call or by the id of their message. What they answer says so.
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
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return '`params` has to be an object.'
  for (const name of ['sessionId', 'toolCallId', 'toolName']) {
    if (typeof params[name] !== 'string' || params[name] === '') return `\`params.${name}\` has to be a text.`
  }
  const { input } = params
  if (input !== undefined && input !== null && (typeof input !== 'object' || Array.isArray(input))) return '`params.input` has to be an object.'
  return undefined
}

/** @param {import('../index.d.ts').AgentToolResult['content'][number]} part */
function partOf(part) {
  if (part.type === 'text') return { type: 'text', text: part.text }
  return { type: 'image', source: { type: 'base64', mediaType: part.mimeType, data: part.data } }
}

/**
 * The change that a call made to a file, where its details tell one.
 *
 * @param {any} details
 */
function diffOf(details) {
  const diff = typeof details?.patch === 'string' ? details.patch : details?.diff
  const path = details?.path ?? (details?.results?.length === 1 ? details.results[0].path : undefined)
  return typeof diff === 'string' && diff !== '' ? [{ type: 'diff', path: typeof path === 'string' ? path : '', diff }] : []
}

/**
 * A response, or, where nobody asked for one by an `id`, a message of its own.
 *
 * @param {any} id
 * @param {object} result
 */
function answer(id, result) {
  return id === undefined ? { jsonrpc: '2.0', method: 'tools/result', params: result } : { jsonrpc: '2.0', id, result }
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
