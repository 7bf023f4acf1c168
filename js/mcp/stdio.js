// @ts-check
'use strict'

const { jsonText } = require('../json-text.js')
const { mcpHost } = require('./calls.js')
const { INVALID_REQUEST, PARSE_ERROR, failure } = require('./protocol.js')
const { McpServer } = require('./server.js')
const { McpService, SERVICE_OPTIONS } = require('./service.js')
const { invalidInput } = require('../tool-error.js')
const { requireOptions } = require('../unknown-options.js')

/** Longest message. */
const LINE_MAX_BYTES = 64 * 1024 * 1024
const NEW_LINE = 0x0a

/**
 * Serves the tools of a toolkit over streams, one message a line, until the input ends.
 *
 * @param {Pick<import('../../index.d.ts').Toolkit<any>, 'listTools' | 'definitions' | 'execute'>} toolkit
 * @param {import('../../index.d.ts').McpOptions} [given]
 * @returns {import('../../index.d.ts').McpConnection}
 */
function serveMcp(toolkit, given = {}) {
  requireOptions('serveMcp', given, ['input', 'output', ...SERVICE_OPTIONS])
  const { input = process.stdin, output = process.stdout, ...options } = given
  if (typeof input?.on !== 'function') throw invalidInput('serveMcp', `The option \`input\` of \`serveMcp\` must be a stream to read; got ${typeof input}.`)
  if (typeof output?.write !== 'function')
    throw invalidInput('serveMcp', `The option \`output\` of \`serveMcp\` must be a stream to write; got ${typeof output}.`)
  const service = new McpService(toolkit, options, 'serveMcp')
  const send = sender(output)
  const server = new McpServer(service, send)
  const onData = lines((line) => {
    let text
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(line)
    } catch {
      return send(failure(null, PARSE_ERROR, 'The message is not valid UTF-8.'))
    }
    if (text.trim() !== '') void server.receive(text)
  }, send)
  let close = () => {}
  const closed = /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      close = () => {
        input.off('data', onData)
        input.pause()
        service.subscriptions.close()
        server.close()
        resolve()
      }
    })
  )
  input.on('data', onData)
  for (const event of ['end', 'close', 'error']) input.once(event, close)
  // A client that is gone reads nothing.
  output.once('error', close)
  return { closed, close, askUser: mcpHost.host.askUser }
}

/**
 * Writes messages. While nobody reads them, those that may be lost are not kept.
 *
 * @param {import('../../index.d.ts').OutputStream} output
 * @param {(message: object) => string | undefined} [textOf]
 * @returns {import('./protocol.js').Send}
 */
function sender(output, textOf = jsonText) {
  let isFull = false
  return (message, how) => {
    if (isFull && how?.isDroppable) return
    if (output.write(`${textOf(message)}\n`) !== false || isFull) return
    isFull = true
    output.once('drain', () => {
      isFull = false
    })
  }
}

/**
 * A listener that hands on each line. One that is too long is refused and skipped.
 *
 * @param {(line: Uint8Array) => void} take
 * @param {import('./protocol.js').Send} send
 */
function lines(take, send) {
  /** Pieces of a line that is not complete. @type {Uint8Array[]} */
  let pieces = []
  let length = 0
  const add = (/** @type {Uint8Array} */ piece) => {
    const wasShort = length <= LINE_MAX_BYTES
    length += piece.length
    if (length <= LINE_MAX_BYTES) return void pieces.push(piece)
    pieces = []
    if (wasShort) send(failure(null, INVALID_REQUEST, `A message may have at most ${LINE_MAX_BYTES} bytes.`))
  }
  return (/** @type {Uint8Array | string} */ chunk) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    let start = 0
    for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, start)) {
      add(bytes.subarray(start, end))
      const line = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
      const isWhole = length <= LINE_MAX_BYTES
      pieces = []
      length = 0
      start = end + 1
      if (isWhole && line) take(line)
    }
    if (start < bytes.length) add(bytes.subarray(start))
  }
}

module.exports = { lines, sender, serveMcp }
