// @ts-check
'use strict'

const path = require('node:path')

const { describe, invalidInput } = require('../tool-error.js')

/**
 * As much of a connection of the official SDK as is used, in both versions of the protocol.
 *
 * @typedef {{ request: (method: string, params: any, options?: any) => Promise<any>, notify: (method: string, params: any) => Promise<void> }} Peer
 */

/**
 * The other side, from what the SDK gives to handlers (`client`, `agent`), from a connection, or from what they contain.
 *
 * @param {string} where
 * @param {any} given
 * @returns {Peer}
 */
function peerOf(where, given) {
  for (const peer of [given, given?.client, given?.agent]) if (typeof peer?.request === 'function' && typeof peer.notify === 'function') return peer
  throw invalidInput(where, `The option \`ctx\` of \`${where}\` must be the context of a connection: what handlers of the SDK get as \`client\`.`)
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
