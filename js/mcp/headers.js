// @ts-check
'use strict'

const { HEADER_MISMATCH, META, RequestError } = require('./protocol.js')

/** Where the value stands that `Mcp-Name` repeats, by method. */
const NAMED_BY = /** @type {Record<string, string>} */ ({ 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' })
const ENCODED = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** @typedef {import('node:http').IncomingHttpHeaders} Headers */

/**
 * The headers of a modern request repeat parts of its body, for proxies; a request whose headers say something else than its
 * body is refused.
 *
 * @param {Headers} headers
 * @param {any} message
 */
function requireHeaders(headers, { method, params }) {
  requireSame('MCP-Protocol-Version', headers['mcp-protocol-version'], params?._meta?.[META.protocolVersion])
  requireSame('Mcp-Method', headers['mcp-method'], method)
  const value = params?.[NAMED_BY[method] ?? '']
  if (value !== undefined) requireSame('Mcp-Name', decoded('Mcp-Name', headers['mcp-name']), value)
}

/**
 * The headers of the parameters that the schema of a tool marks with `x-mcp-header`.
 *
 * @param {Headers} headers
 * @param {any} schema
 * @param {any} input
 */
function requireParamHeaders(headers, schema, input) {
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    const value = input?.[name]
    if (value === undefined || value === null) continue
    const header = property?.['x-mcp-header']
    if (typeof header !== 'string') {
      if (property?.properties) requireParamHeaders(headers, property, value)
      continue
    }
    const label = `Mcp-Param-${header}`
    const given = decoded(label, headers[label.toLowerCase()])
    const isSameNumber = typeof value === 'number' && given !== undefined && given.trim() !== '' && Number(given) === value
    if (!isSameNumber) requireSame(label, given, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
}

/**
 * @param {string} name
 * @param {string | string[] | undefined} given
 * @param {unknown} expected
 */
function requireSame(name, given, expected) {
  if (given === undefined) throw new RequestError(HEADER_MISMATCH, `The header \`${name}\` is missing. It must repeat what the body says.`)
  if (String(given).trim() === expected) return
  throw new RequestError(HEADER_MISMATCH, `The header \`${name}\` is \`${String(given)}\`, but the body says \`${String(expected)}\`. They must be the same.`)
}

/**
 * @param {string} name
 * @param {string | string[] | undefined} header
 */
function decoded(name, header) {
  const value = header === undefined ? undefined : String(header).trim()
  const text = value === undefined ? undefined : ENCODED.exec(value)?.[1]
  if (text === undefined) return value
  try {
    if (BASE64.test(text)) return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'))
  } catch {
    // Not UTF-8.
  }
  throw new RequestError(HEADER_MISMATCH, `The header \`${name}\` is not valid Base64 of a UTF-8 text.`)
}

module.exports = { requireHeaders, requireParamHeaders }
