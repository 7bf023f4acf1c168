// @ts-check
'use strict'

const { jsonResult, normalise } = require('./results.js')
const { ToolError, describe, invalidInput } = require('./tool-error.js')

/** Most calls that may wait for their client at once; the oldest is forgotten when there are more. */
const MAX_PENDING = 1000

/**
 * @typedef {{ tool: string, resolve?: (result: unknown) => void, reject?: (error: unknown) => void }} Pending
 * @typedef {import('../index.d.ts').AgentToolResult<any>} AgentToolResult
 */

/** Calls of tools that a client runs: the model's call is answered before, or when, the client has the result. */
class ClientTools {
  /** @type {Map<string, Pending>} by the id of the call, oldest first */
  #pending = new Map()

  /**
   * A client tool as the host would register one of its own.
   *
   * @param {any} given `{function: {name, description, parameters}}`
   * @param {import('../index.d.ts').ClientToolOptions} options
   * @returns {import('../index.d.ts').CustomTool}
   */
  define(given, options) {
    const { name, description, parameters } = given?.function ?? given ?? {}
    if (typeof name !== 'string') {
      throw invalidInput('registerClientTool', 'A client tool is `{function: {name, description, parameters}}`.')
    }
    const { wait = given.wait ?? false, timeoutMs, onCall, effects = 'converse' } = options
    return {
      name,
      description,
      parameters,
      effects,
      ...(timeoutMs !== undefined && { timeoutMs }),
      metadata: { client: true },
      execute: (toolCallId, params, signal) => {
        if (this.#pending.get(toolCallId)?.resolve) throw new Error(`A call \`${toolCallId}\` already waits for its client.`)
        const answer = wait ? this.#await(name, toolCallId, /** @type {AbortSignal} */ (signal)) : this.#defer(name, toolCallId)
        onCall?.({ tool: name, toolCallId, params })
        return answer
      },
    }
  }

  /**
   * @param {string} tool
   * @param {string} toolCallId
   */
  #defer(tool, toolCallId) {
    this.#enter(toolCallId, { tool })
    return jsonResult({ status: 'pending', tool, message: 'Tool execution delegated to client' })
  }

  /**
   * @param {string} tool
   * @param {string} toolCallId
   * @param {AbortSignal} signal
   */
  async #await(tool, toolCallId, signal) {
    const forget = () => this.#pending.delete(toolCallId)
    signal.addEventListener('abort', forget, { once: true })
    try {
      return await new Promise((resolve, reject) => this.#enter(toolCallId, { tool, resolve, reject }))
    } finally {
      signal.removeEventListener('abort', forget)
    }
  }

  /**
   * @param {string} toolCallId
   * @param {Pending} pending
   */
  #enter(toolCallId, pending) {
    this.#pending.delete(toolCallId)
    this.#pending.set(toolCallId, pending)
    if (this.#pending.size <= MAX_PENDING) return
    const [[oldest, { tool, reject }]] = this.#pending
    this.#pending.delete(oldest)
    reject?.(new Error(`More than ${MAX_PENDING} calls wait for their clients, so the oldest, of \`${tool}\`, was given up.`))
  }

  /**
   * Hands in what the client answered.
   *
   * @param {string} toolCallId
   * @param {unknown} result an error is the failure of the call
   * @returns {AgentToolResult}
   */
  resolve(toolCallId, result) {
    const pending = this.#pending.get(toolCallId)
    if (!pending) {
      throw new ToolError(`No call \`${toolCallId}\` waits for its client: it was never made, was answered, or was given up.`, {
        tool: 'resolveClientTool',
        error_type: 'not_found',
        details: { code: 'unknown_call' },
      })
    }
    this.#pending.delete(toolCallId)
    if (result instanceof Error) {
      pending.reject?.(result)
      return jsonResult({ status: 'error', tool: pending.tool, error: describe(result) })
    }
    pending.resolve?.(result)
    const { content, details } = normalise(result)
    return { content, details }
  }
}

module.exports = { ClientTools }
