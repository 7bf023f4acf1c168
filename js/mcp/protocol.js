// @ts-check
'use strict'

/** Revisions that begin with `initialize`, the newest first. Tools are the same in all of them. */
const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
/** Revisions in which every request says for itself which revision it is of and what its client can do. */
const MODERN_REVISIONS = ['2026-07-28']

/** Codes of errors: those of JSON-RPC, then those of the protocol. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
const SERVER_ERROR = -32000
const HEADER_MISMATCH = -32020
const MISSING_CAPABILITY = -32021
const UNSUPPORTED_VERSION = -32022

/** The status that a fault has over HTTP; any other is a response like all. */
const STATUS = /** @type {Record<number, number>} */ ({
  [METHOD_NOT_FOUND]: 404,
  [INVALID_REQUEST]: 400,
  [HEADER_MISMATCH]: 400,
  [MISSING_CAPABILITY]: 400,
  [UNSUPPORTED_VERSION]: 400,
})

/** Keys of `_meta` that the protocol has for itself. */
const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  logLevel: 'io.modelcontextprotocol/logLevel',
}

/** Levels of log messages, the least important first. */
const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** How long a client may keep a list, in milliseconds: it learns of changes by a subscription. */
const LIST_TTL_MS = 3_600_000

/**
 * @typedef {{ status?: number, isDroppable?: boolean }} How over HTTP, the status of a response; whether a message may be lost
 * @typedef {(message: object, how?: How) => void} Send takes a message to the client
 * @typedef {{ name: string, version: string, instructions?: string, isStructured: boolean }} About what a server says of itself
 * @typedef {object} Modern what a request of a modern revision says of its client
 * @property {unknown} name
 * @property {any} capabilities
 * @property {string} [logLevel] the least important messages that it wants; without it none
 */

/** A fault of a request itself, as JSON-RPC reports it. */
class RequestError extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {object} [data]
   */
  constructor(code, message, data) {
    super(message)
    this.code = code
    this.data = data
    /** The status of the response over HTTP. @type {number | undefined} */
    this.status = STATUS[code]
  }
}

/**
 * @param {string | number | null} id
 * @param {number} code
 * @param {string} message
 * @param {object} [data]
 */
function failure(id, code, message, data) {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Whether a message says of itself that it is of a modern revision.
 *
 * @param {any} message
 */
function isModern(message) {
  return message?.params?._meta?.[META.protocolVersion] !== undefined
}

/**
 * What a modern request says of its client; anything that is missing or wrong is a fault of the request.
 *
 * @param {any} params
 * @returns {Modern}
 */
function modernOf(params) {
  const meta = params?._meta
  const version = meta?.[META.protocolVersion]
  if (typeof version !== 'string') throw incomplete(`\`params._meta\` must have \`${META.protocolVersion}\`, such as "${MODERN_REVISIONS[0]}".`)
  if (!MODERN_REVISIONS.includes(version)) {
    const supported = [...MODERN_REVISIONS]
    throw new RequestError(UNSUPPORTED_VERSION, `The protocol version \`${version}\` is not supported here. Use ${supported.join(' or ')}.`, {
      supported,
      requested: version,
    })
  }
  const capabilities = meta[META.clientCapabilities]
  if (!isObject(capabilities)) throw incomplete(`\`params._meta\` must have \`${META.clientCapabilities}\`, an object.`)
  return { capabilities, name: meta[META.clientInfo]?.name, ...(LOG_LEVELS.includes(meta[META.logLevel]) && { logLevel: meta[META.logLevel] }) }
}

/** @param {string} message */
function incomplete(message) {
  return Object.assign(new RequestError(INVALID_PARAMS, message), { status: 400 })
}

module.exports = {
  HEADER_MISMATCH,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  LEGACY_REVISIONS,
  LIST_TTL_MS,
  LOG_LEVELS,
  META,
  METHOD_NOT_FOUND,
  MISSING_CAPABILITY,
  MODERN_REVISIONS,
  PARSE_ERROR,
  RequestError,
  SERVER_ERROR,
  failure,
  isModern,
  isObject,
  modernOf,
}
