// @ts-check
'use strict'

const path = require('node:path')

const { describe, invalidInput } = require('../tool-error.js')

/**
 * As much of a connection of the official SDK as is used, in both versions of the protocol.
 *
 * @typedef {{ request: (method: string, params: any, options?: any) => Promise<any>, notify: (method: string, params: any) => Promise<void> }} Peer
 */

/** What is sent, by the names that the connections of the SDK have for it before its version 2 (`AgentSideConnection`). @type {Record<string, string[]>} */
const OLDER_NAMES = {
  'session/update': ['sessionUpdate'],
  'session/request_permission': ['requestPermission'],
  'fs/read_text_file': ['readTextFile'],
  'fs/write_text_file': ['writeTextFile'],
  'elicitation/create': ['createElicitation', 'unstable_createElicitation'],
}
/** One peer for each such connection. @type {WeakMap<object, Peer>} */
const olderPeers = new WeakMap()

/**
 * The other side, from what the SDK gives to handlers (`client`, `agent`), from a connection, or from what they contain.
 *
 * @param {string} where
 * @param {any} given
 * @returns {Peer}
 */
function peerOf(where, given) {
  for (const peer of [given, given?.client, given?.agent]) if (typeof peer?.request === 'function' && typeof peer.notify === 'function') return peer
  if (typeof given?.sessionUpdate === 'function' && typeof given.requestPermission === 'function') return olderPeer(given)
  throw invalidInput(where, `The option \`ctx\` of \`${where}\` must be the context of a connection: what handlers of the SDK get as \`client\`.`)
}

/**
 * A connection of the SDK before its version 2. Its requests have no signal: nobody waits for one any more that is aborted.
 *
 * @param {any} connection
 * @returns {Peer}
 */
function olderPeer(connection) {
  const known = olderPeers.get(connection)
  if (known) return known
  const send = async (/** @type {string} */ method, /** @type {any} */ params) => {
    const name = OLDER_NAMES[method]?.find((one) => typeof connection[one] === 'function')
    if (name === undefined) throw new WireError(METHOD_NOT_FOUND, `This connection cannot send \`${method}\`.`)
    return connection[name](params)
  }
  /** @type {Peer} */
  const peer = {
    notify: send,
    request: (method, params, { cancellationSignal: signal } = {}) =>
      signal === undefined ? send(method, params) : Promise.race([send(method, params), aborted(signal)]),
  }
  olderPeers.set(connection, peer)
  return peer
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
function aborted(signal) {
  return new Promise((_, reject) => {
    const stop = () => reject(new WireError(CANCELLED, 'The request was cancelled.'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** What was said that did not arrive, once for each connection. @type {WeakSet<object>} */
const warned = new WeakSet()

/**
 * Something that is only shown failed. The call is not affected.
 *
 * @param {object} peer
 * @param {unknown} error
 */
function notShown(peer, error) {
  if (warned.has(peer)) return
  warned.add(peer)
  process.emitWarning(`A call could not be reported to the ACP client: ${describe(error)}. The tools are not affected.`, 'TenonWarning')
}

/** An error that goes over the wire with its code, also where the SDK is another copy or none. */
class WireError extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {unknown} [data]
   */
  constructor(code, message, data) {
    super(message)
    this.code = code
    this.data = data
  }
}

const INVALID_PARAMS = -32602
const RESOURCE_NOT_FOUND = -32002
const INTERNAL_ERROR = -32603
const METHOD_NOT_FOUND = -32601
const CANCELLED = -32800

/** @param {unknown} terminalId */
function noTerminal(terminalId) {
  return new WireError(RESOURCE_NOT_FOUND, `There is no terminal \`${String(terminalId).slice(0, 100)}\` in this session.`)
}

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {string}
 */
function absolutePath(name, value) {
  if (typeof value === 'string' && path.isAbsolute(value)) return value
  throw new WireError(INVALID_PARAMS, `\`${name}\` must be an absolute path.`)
}

module.exports = { CANCELLED, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, WireError, absolutePath, noTerminal, notShown, peerOf }
