// @ts-check
'use strict'

const { resultOf } = require('./results.js')
const { clean } = require('./text.js')

/** The calls of tools of servers that are in flight. */
class ServerCalls {
  #connection
  #host
  #count = 0
  /** Those that may hear of progress. @type {Map<string, (progress: any) => void>} */
  #progress = new Map()
  /** Calls of the toolkit within which a server works now, by the server: what it asks belongs to one of them. @type {Map<string, Set<string>>} */
  #working = new Map()

  /**
   * @param {import('../connection.js').Connection} connection
   * @param {any} host the functions of the host
   */
  constructor(connection, host) {
    this.#connection = connection
    this.#host = host
  }

  /**
   * Calls a tool; returns the content and details of its result.
   *
   * @param {import('./source.js').Server} server
   * @param {any} tool as the server lists it
   * @param {any} args
   * @param {{ signal: AbortSignal, onUpdate: (partial: any) => void, hasResources: () => boolean }} options `hasResources`: whether the model can read what the server links to
   */
  async call({ entry, source }, tool, args, { signal, onUpdate, hasResources }) {
    const call = `${++this.#count}`
    const onProgress = (/** @type {any} */ { progress, total, message }) => {
      // A task says what it does, and not how far it is.
      const share = typeof progress !== 'number' ? '' : typeof total === 'number' && total > 0 ? `(${progress}/${total})` : `(${progress})`
      onUpdate([clean(message, 500), share].filter(Boolean).join(' '))
    }
    this.#progress.set(call, onProgress)
    try {
      const { readOnlyHint, idempotentHint } = tool.annotations ?? {}
      const again = readOnlyHint === true && idempotentHint === true
      const result = await this.opening(entry.id, signal, () => source.call(tool.name, args, { call, signal, again, onProgress }))
      return await resultOf(result, {
        limit: entry.outputLimitBytes,
        keep: (text) => this.#connection.keepOutput(text),
        outputSchema: tool.outputSchema,
        hasResources: hasResources(),
      })
    } finally {
      this.#progress.delete(call)
    }
  }

  /** @param {any} event progress that a server reports */
  report(event) {
    this.#progress.get(event.call)?.(event)
  }

  /**
   * Runs what a server does for a call of the toolkit.
   *
   * @template T
   * @param {string} toolCallId
   * @param {string} id of the server
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async during(toolCallId, id, work) {
    const calls = this.#working.get(id) ?? new Set()
    this.#working.set(id, calls.add(toolCallId))
    try {
      return await work()
    } finally {
      calls.delete(toolCallId)
    }
  }

  /**
   * The calls of the toolkit within which a server works now.
   *
   * @param {string} id of the server
   */
  within(id) {
    return [...(this.#working.get(id) ?? [])]
  }

  /**
   * Requests something of a server. Addresses that the user has to open first are shown to them.
   *
   * @param {string} id of the server
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<any>} request
   */
  async opening(id, signal, request) {
    try {
      return await request()
    } catch (error) {
      throw await require('./elicit.js').withAddresses(this.#host, id, error, signal ?? new AbortController().signal)
    }
  }
}

module.exports = { ServerCalls }
