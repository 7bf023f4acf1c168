// @ts-check
'use strict'

const { requireOptions, requireToolkit } = require('../adapters/calls.js')
const { Files, codeOf } = require('../adapters/files.js')
const { ToolError, describe, invalidInput } = require('../tool-error.js')
const { INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, WireError, absolutePath } = require('./peer.js')
const { allowingOnce, judge } = require('./permissions.js')
const { Terminals } = require('./terminals.js')

/** The requests of an agent, by the names of the handlers. */
const METHODS = {
  readTextFile: 'fs/read_text_file',
  writeTextFile: 'fs/write_text_file',
  createTerminal: 'terminal/create',
  terminalOutput: 'terminal/output',
  waitForTerminalExit: 'terminal/wait_for_exit',
  killTerminal: 'terminal/kill',
  releaseTerminal: 'terminal/release',
  requestPermission: 'session/request_permission',
}
/** What agents of version 2 ask for. */
const METHODS_2 = ['requestPermission']

/** A client's side of an agent: its files, its commands and its requests for permission go the way of every call. */
class Client {
  #toolkit
  #terminals
  #ask
  #notice
  #server
  /** Questions that wait for the user, by sessions. @type {Map<string, Set<() => void>>} */
  #asking = new Map()

  /**
   * @param {any} toolkit
   * @param {import('../../acp.d.ts').AcpClientOptions} options
   */
  constructor(toolkit, { ask, notice, server }) {
    for (const [name, value] of Object.entries({ ask, notice }))
      if (value !== undefined && typeof value !== 'function') throw invalidInput('acpClient', `The option \`${name}\` must be a function.`)
    this.#toolkit = toolkit
    this.#ask = ask
    this.#notice = notice
    this.#server = server
    this.#terminals = new Terminals(toolkit)
  }

  /**
   * @param {any} params
   * @param {AbortSignal} [signal]
   */
  async readTextFile({ path: file, line, limit }, signal) {
    absolutePath('path', file)
    const first = countOf('line', line)
    const most = countOf('limit', limit)
    const text = await new Files(this.#toolkit, { signal }).text(file)
    if (first === undefined && most === undefined) return { content: text }
    const start = Math.max(1, first ?? 1) - 1
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
    return { content: lines.slice(start, most === undefined ? undefined : start + most).join('') }
  }

  /**
   * @param {any} params
   * @param {AbortSignal} [signal]
   */
  async writeTextFile({ path: file, content }, signal) {
    absolutePath('path', file)
    if (typeof content !== 'string') throw new WireError(INVALID_PARAMS, '`content` must be a string.')
    await new Files(this.#toolkit, { signal }).write(file, content)
    return {}
  }

  get terminals() {
    return this.#terminals
  }

  /**
   * @param {any} request
   * @param {AbortSignal} [signal]
   */
  async requestPermission(request, signal) {
    const options = optionsOf(request)
    const decision = judge(this.#toolkit, request, this.#server)
    const allow = allowingOnce(options)
    if (decision.verdict === 'allow' && allow !== undefined) return selected(allow)
    if (decision.verdict === 'deny') return this.#rejected(request, decision, options)
    const answer = await this.#asked(request, decision, signal)
    if (answer === 'cancelled') return { outcome: { outcome: 'cancelled' } }
    const option = options.find(({ optionId }) => optionId === answer)
    return option ? selected(option.optionId) : this.#rejected(request, decision, options)
  }

  /**
   * @param {any} request
   * @param {import('./permissions.js').Verdict} decision
   * @param {{ optionId: string, kind: string }[]} options
   */
  #rejected(request, decision, options) {
    const reject = chosen(options, 'reject_once') ?? chosen(options, 'reject_always')
    this.#notice?.({ ...decision, request })
    // Without an answer that refuses, an error is one; the turn goes on.
    if (reject === undefined) throw new WireError(INTERNAL_ERROR, `Not permitted: ${decision.reason}`)
    return selected(reject)
  }

  /**
   * What the user chose; nothing when they chose nothing.
   *
   * @param {any} request
   * @param {import('./permissions.js').Verdict} decision
   * @param {AbortSignal} [signal]
   * @returns {Promise<string | null | undefined>}
   */
  async #asked(request, decision, signal) {
    if (signal?.aborted) return 'cancelled'
    if (!this.#ask) return undefined
    const stop = new AbortController()
    const cancelled = /** @type {Promise<string>} */ (
      new Promise((resolve) => stop.signal.addEventListener('abort', () => resolve('cancelled'), { once: true }))
    )
    const cancel = () => stop.abort()
    const waiting = this.#asking.get(request.sessionId) ?? new Set()
    this.#asking.set(request.sessionId, waiting.add(cancel))
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const answer = Promise.resolve(this.#ask({ ...decision, request }, { signal: stop.signal }))
      return await Promise.race([answer, cancelled])
    } catch (error) {
      process.emitWarning(`\`ask\` of \`acpClient\` failed: ${describe(error)}. The agent was refused.`, 'TenonWarning')
      return undefined
    } finally {
      signal?.removeEventListener('abort', cancel)
      waiting.delete(cancel)
      if (waiting.size === 0) this.#asking.delete(request.sessionId)
    }
  }

  /** @param {string} sessionId */
  cancel(sessionId) {
    for (const cancel of this.#asking.get(sessionId) ?? []) cancel()
  }
}

/**
 * @param {any} request
 * @returns {{ optionId: string, kind: string }[]}
 */
function optionsOf({ options }) {
  if (!Array.isArray(options)) throw new WireError(INVALID_PARAMS, '`options` must be a list.')
  return options.filter((option) => typeof option?.optionId === 'string' && typeof option.kind === 'string')
}

/**
 * @param {{ optionId: string, kind: string }[]} options
 * @param {string} kind
 */
function chosen(options, kind) {
  return options.find((option) => option.kind === kind)?.optionId
}

/** @param {string} optionId */
function selected(optionId) {
  return { outcome: { outcome: 'selected', optionId } }
}

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {number | undefined}
 */
function countOf(name, value) {
  if (value === undefined || value === null) return undefined
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value)
  throw new WireError(INVALID_PARAMS, `\`${name}\` must be a positive integer.`)
}

/**
 * The requests of an agent, answered by a toolkit.
 *
 * @param {any} toolkit
 * @param {import('../../acp.d.ts').AcpClientOptions} [options]
 * @returns {import('../../acp.d.ts').AcpClientHandlers}
 */
function acpClient(toolkit, options = {}) {
  requireToolkit('acpClient', toolkit)
  requireOptions('acpClient', options, ['ask', 'notice', 'server', 'RequestError'])
  const client = new Client(toolkit, options)
  const { terminals } = client
  const { RequestError = WireError } = options
  const answering = (/** @type {(params: any, signal?: AbortSignal) => any} */ answer) => async (/** @type {any} */ context) => {
    const { params, signal } = context ?? {}
    try {
      if (typeof params !== 'object' || params === null) throw new WireError(INVALID_PARAMS, 'The parameters must be an object.')
      return await answer(params, signal)
    } catch (error) {
      const { code, message, data } = wireError(error)
      throw new RequestError(code, message, data)
    }
  }
  const handlers = {
    readTextFile: answering((params, signal) => client.readTextFile(params, signal)),
    writeTextFile: answering((params, signal) => client.writeTextFile(params, signal)),
    createTerminal: answering((params, signal) => terminals.create(params, signal)),
    terminalOutput: answering((params, signal) => terminals.output(params, signal)),
    waitForTerminalExit: answering((params, signal) => terminals.wait(params, signal)),
    killTerminal: answering((params) => terminals.kill(params)),
    releaseTerminal: answering((params) => terminals.release(params)),
    requestPermission: answering((params, signal) => client.requestPermission(params, signal)),
  }
  return /** @type {any} */ ({
    ...handlers,
    capabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    register: (/** @type {any} */ app, { protocolVersion = 1 } = {}) => {
      for (const [name, method] of Object.entries(METHODS)) {
        if (protocolVersion === 1 || METHODS_2.includes(name)) app.onRequest(method, /** @type {any} */ (handlers)[name])
      }
      return app
    },
    cancel: (/** @type {string} */ sessionId) => client.cancel(sessionId),
    close: () => terminals.close(),
  })
}

/** @param {any} error */
function wireError(error) {
  if (error instanceof WireError) return error
  if (!ToolError.is(error)) throw error
  const { error_type, message, details } = error
  const code = codeOf(error) === 'not_found' ? RESOURCE_NOT_FOUND : error_type === 'invalid_input' ? INVALID_PARAMS : INTERNAL_ERROR
  return new WireError(code, message, { error_type, code: details.code })
}

module.exports = { acpClient, wireError }
