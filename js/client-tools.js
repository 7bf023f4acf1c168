// @ts-check
'use strict'

const { jsonResult, normalise } = require('./results.js')
const { ToolError, describe, invalidInput } = require('./tool-error.js')

/** Most calls that may wait for their client at once; beyond it the oldest is dropped. */
const MAX_PENDING = 1000

/**
 * @typedef {{ tool: string, resolve?: (result: unknown) => void, reject?: (error: unknown) => void }} Pending
 * @typedef {import('../index.d.ts').AgentToolResult<any>} AgentToolResult
 */

/** Calls of tools that a client runs: a call returns before the client has the result, or waits for it. */
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
    const { name, description, parameters } = declarationOf(given, 'registerClientTool')
    const { wait = given.wait ?? false, timeoutMs, onCall, effects = 'converse' } = options
    return {
      name,
      description,
      parameters,
      effects,
      ...(timeoutMs !== undefined && { timeoutMs }),
      metadata: { client: true },
      execute: (toolCallId, params, signal) => {
        if (this.#pending.get(toolCallId)?.resolve) throw new Error(`A call with the id \`${toolCallId}\` is already waiting for its client.`)
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
    return pendingResult(tool)
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
    reject?.(new Error(`More than ${MAX_PENDING} calls are waiting for their clients, so the oldest one, of \`${tool}\`, was dropped.`))
  }

  /**
   * Takes the result of the client.
   *
   * @param {string} toolCallId
   * @param {unknown} result an error is the failure of the call
   * @returns {AgentToolResult}
   */
  resolve(toolCallId, result) {
    const pending = this.#pending.get(toolCallId)
    if (!pending) {
      throw new ToolError(`No call with the id \`${toolCallId}\` is waiting for its client: it was never made, has its result, or was dropped.`, {
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

/**
 * Client tools as definitions for a host that registers them itself: a call returns at once as pending.
 *
 * @param {readonly import('../index.d.ts').ClientTool[]} tools
 * @param {Pick<import('../index.d.ts').ClientToolOptions, 'onCall'>} [options]
 * @returns {import('../index.d.ts').ClientToolDefinition[]}
 */
function toClientToolDefinitions(tools, { onCall } = {}) {
  return tools.map((given) => {
    const { name, description = '', parameters = { type: 'object', properties: {} } } = declarationOf(given, 'toClientToolDefinitions')
    return {
      name,
      label: name,
      description,
      parameters,
      async execute(toolCallId, params) {
        onCall?.({ tool: name, toolCallId, params })
        return pendingResult(name)
      },
    }
  })
}

/**
 * @param {any} given
 * @param {string} who
 */
function declarationOf(given, who) {
  const declaration = given?.function ?? given
  if (typeof declaration?.name === 'string') return declaration
  throw invalidInput(who, 'A client tool must be `{function: {name, description, parameters}}`.')
}

/**
 * @param {string} tool
 * @returns {import('../index.d.ts').AgentToolResult<{ status: 'pending', tool: string, message: string }>}
 */
function pendingResult(tool) {
  return jsonResult({ status: 'pending', tool, message: 'Tool execution delegated to client' })
}

module.exports = { ClientTools, toClientToolDefinitions }
