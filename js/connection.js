// @ts-check
'use strict'

const { open } = require('./envelope.js')
const { Inbox } = require('./inbox.js')
const { helperProgram, loadNative } = require('./load.js')
const { encodeParams } = require('./params.js')
const { contentOf } = require('./results.js')
const { isSignal, onAbort } = require('./signal.js')
const { abortedError, internalError, invalidInput, toolError } = require('./tool-error.js')

/**
 * @typedef {import('../index.d.ts').AgentToolResult<any>} AgentToolResult
 * @typedef {import('../index.d.ts').Validation} Validation
 * @typedef {import('../index.d.ts').ValidationIssue} Issue
 */

/** A native toolkit, and everything that is said between it and JavaScript. */
class Connection {
  #host
  #inbox
  #native
  /** @type {Promise<void> | undefined} */
  #closing

  /**
   * @param {string} options JSON
   * @param {import('./inbox.js').HostFunctions} host
   */
  constructor(options, host) {
    // Kept here: the inbox holds them weakly.
    this.#host = host
    this.#inbox = new Inbox(this.#host)
    this.#native = createNative(options, host, deliveryTo(this.#inbox))
    this.#inbox.belongTo(this.#native)
  }

  /**
   * Runs a tool.
   *
   * @param {string} tool
   * @param {unknown} toolCallId
   * @param {unknown} params
   * @param {unknown} [signal]
   * @param {unknown} [onUpdate]
   * @returns {Promise<AgentToolResult>}
   */
  async call(tool, toolCallId, params, signal, onUpdate) {
    const abort = checkSignal(tool, signal)
    if (abort?.aborted) throw abortedError(tool, abort.reason)
    const listener = typeof onUpdate === 'function' ? onUpdate : undefined
    const json = this.#encode(tool, params)
    const key = this.#inbox.nextKey()
    const id = typeof toolCallId === 'string' ? toolCallId : `call_${key}`
    let end = start(this.#native, key, tool, id, json, listener !== undefined)
    if (end === null) {
      const release = abort && onAbort(abort, () => this.#native.cancel(key))
      end = await this.#inbox.endOf(key, this, listener)
      release?.()
    }
    if (end.content == null) throw failureOf(end.json, abort)
    return { content: contentOf(end.content), details: JSON.parse(end.json) }
  }

  /** @returns {any[]} */
  catalog() {
    return open(this.#native.catalog())
  }

  /** @returns {any[]} */
  history() {
    return open(this.#native.history())
  }

  /**
   * @param {string} tool
   * @param {unknown} params
   * @returns {Validation}
   */
  validate(tool, params) {
    const { json, faults } = encodeParams(params)
    const told = open(this.#native.validate(tool, json))
    return faults.length === 0 ? told : { valid: false, errors: merge(faults, told) }
  }

  /**
   * @param {string} tool
   * @param {unknown} params
   */
  decide(tool, params) {
    return open(this.#native.decide(tool, this.#encode(tool, params)))
  }

  /**
   * @param {string} tool
   * @param {unknown} params
   */
  approvalRequest(tool, params) {
    return open(this.#native.approvalRequest(tool, this.#encode(tool, params)))
  }

  /** @returns {string[]} */
  notices() {
    return open(this.#native.notices())
  }

  /**
   * @param {unknown} calls
   * @param {unknown} permissions
   */
  simulate(calls, permissions) {
    return open(this.#native.simulate(this.#encode('simulate', calls), this.#encode('simulate', permissions)))
  }

  /** @returns {string} */
  checkpoint() {
    return open(this.#native.checkpoint())
  }

  /**
   * @param {string} id
   * @param {boolean} force
   * @returns {Promise<import('../index.d.ts').FileChange[]>}
   */
  async rollback(id, force) {
    const key = this.#inbox.nextKey()
    this.#native.rollback(key, id, force)
    const end = await this.#inbox.endOf(key, this)
    if (end.content == null) throw failureOf(end.json)
    return JSON.parse(end.json)
  }

  close() {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close() {
    const key = this.#inbox.nextKey()
    this.#native.close(key)
    const { json } = await this.#inbox.endOf(key, this)
    if (json !== '') throw failureOf(json)
  }

  /**
   * @param {string} tool
   * @param {unknown} params
   */
  #encode(tool, params) {
    const { json, faults } = encodeParams(params)
    if (faults.length === 0) return json
    throw invalidParams(tool, merge(faults, open(this.#native.validate(tool, json))))
  }
}

/**
 * A function that delivers to an inbox; nothing else may be in its scope (see `Inbox`).
 *
 * @param {Inbox} inbox
 */
function deliveryTo(inbox) {
  return inbox.deliver.bind(inbox)
}

/**
 * @param {string} options
 * @param {import('./inbox.js').HostFunctions} host
 * @param {Function} deliver
 */
function createNative(options, host, deliver) {
  const { NativeToolkit } = loadNative()
  let made
  try {
    const helper = helperProgram()
    const helperFile = helper && !helper.fault ? helper.file : null
    made = NativeToolkit.create(options, deliver, host.onApproval !== undefined, host.onTelemetry !== undefined, helperFile)
  } catch (error) {
    throw internalError('toolkit', error)
  }
  if (typeof made === 'string') throw toolError(JSON.parse(made))
  return made
}

/**
 * @param {any} native
 * @param {number} key
 * @param {string} tool
 * @param {string} id
 * @param {string} json
 * @param {boolean} listens
 * @returns {import('./inbox.js').End | null}
 */
function start(native, key, tool, id, json, listens) {
  try {
    return native.call(key, tool, id, json, listens)
  } catch (error) {
    throw internalError(tool, error)
  }
}

/**
 * @param {string} tool
 * @param {unknown} signal
 */
function checkSignal(tool, signal) {
  if (signal === undefined || signal === null) return undefined
  if (isSignal(signal)) return signal
  throw invalidInput(tool, `The \`signal\` of the call is no AbortSignal; the call to \`${tool}\` could not be aborted by it.`)
}

/**
 * @param {string} json
 * @param {AbortSignal} [signal]
 */
function failureOf(json, signal) {
  const told = JSON.parse(json)
  return toolError(told, told.error_type === 'aborted' && signal?.aborted ? signal.reason : undefined)
}

/**
 * @param {string} tool
 * @param {Issue[]} errors
 */
function invalidParams(tool, errors) {
  const lead = errors.length === 1 ? '' : `${errors.length} parameters of \`${tool}\` cannot be used. `
  return invalidInput(tool, lead + errors.map((error) => error.message).join(' '), errors)
}

/**
 * What JSON cannot say, and what the core says to the rest, without what it says of the same places.
 *
 * @param {Issue[]} faults
 * @param {Validation} told
 */
function merge(faults, told) {
  const touches = (/** @type {string} */ one, /** @type {string} */ other) => one.startsWith(other) || other.startsWith(one)
  const others = (told.errors ?? []).filter((error) => !faults.some((fault) => touches(fault.param, error.param)))
  return [...faults, ...others]
}

module.exports = { Connection }
