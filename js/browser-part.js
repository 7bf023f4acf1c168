// @ts-check
'use strict'

// A browser that the host brings (`host.browser.connect`): a transport for the Chrome DevTools Protocol, or the address of
// a WebSocket that speaks it. What is sent over it, and what that may do, is decided in the core.

const { randomBytes, createHash } = require('node:crypto')
const http = require('node:http')
const https = require('node:https')

const { invalidInput } = require('./tool-error.js')

/** Larger messages of a browser end the conversation: the core takes none of them. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024
const CONNECT_TIMEOUT_MS = 30_000
const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/**
 * @typedef {{ send: (message: string) => unknown, close: () => unknown, onmessage?: ((message: any) => void) | null, onclose?: ((reason?: any) => void) | null }} Transport
 * @typedef {{ transport: Transport, isLocal: boolean, received: string[], isOver: boolean, wake?: () => void }} Connection
 */

/**
 * The part `browser` of the core: `{op: 'connect'}` to `{id, isLocal}`, `{op: 'send', id, messages}`, `{op: 'receive', id}`
 * to the next messages, `{op: 'close', id}`.
 *
 * @param {any} member `host.browser`
 * @returns {import('./host-callbacks.js').HostCallback}
 */
function browserPart(member) {
  if (typeof member !== 'object' || member === null || typeof member.connect !== 'function') {
    throw invalidInput(
      'toolkit',
      'The option `host.browser` must be an object with a function `connect` that returns the WebSocket address of a browser, or a transport.',
    )
  }
  /** @type {Map<number, Connection>} */
  const connections = new Map()
  let last = 0
  return async (request, { signal }) => {
    if (request.op === 'connect') {
      const connection = await connected(await member.connect({ signal }), signal)
      connections.set(++last, connection)
      return { id: last, isLocal: connection.isLocal }
    }
    const connection = connections.get(request.id)
    if (!connection) return { over: true }
    switch (request.op) {
      case 'send':
        for (const message of request.messages) await connection.transport.send(message)
        return {}
      case 'receive':
        return await next(connection, signal)
      default:
        connections.delete(request.id)
        end(connection)
        await connection.transport.close()
        return {}
    }
  }
}

/**
 * @param {Connection} connection
 * @param {AbortSignal} signal
 */
async function next(connection, signal) {
  if (connection.received.length === 0 && !connection.isOver) {
    await new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      connection.wake = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  if (connection.received.length === 0) return connection.isOver ? { over: true } : { messages: [] }
  return { messages: connection.received.splice(0) }
}

/** @param {Connection} connection */
function end(connection) {
  connection.isOver = true
  connection.wake?.()
}

/**
 * @param {any} answer what `connect` returned
 * @param {AbortSignal} signal
 * @returns {Promise<Connection>}
 */
async function connected(answer, signal) {
  const isAddress = typeof answer === 'string' || answer instanceof URL
  const address = isAddress ? String(answer) : answer?.url
  /** @type {Connection} */
  const connection = { transport: /** @type {any} */ (answer), isLocal: answer?.local === true, received: [], isOver: false }
  const onmessage = (/** @type {any} */ message) => {
    const data = typeof message === 'object' && message !== null && 'data' in message ? message.data : message
    connection.received.push(typeof data === 'string' ? data : JSON.stringify(data))
    connection.wake?.()
  }
  const onclose = () => end(connection)
  if (typeof address === 'string') {
    const url = webSocketAddress(address)
    connection.isLocal = answer?.local ?? /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
    connection.transport = await webSocket(url, answer?.headers ?? {}, { onmessage, onclose, signal })
    return connection
  }
  if (typeof answer?.send !== 'function' || typeof answer.close !== 'function') {
    throw new Error('it must return the address of a WebSocket (`ws://…`), `{ url, headers?, local? }`, or a transport with `send` and `close`')
  }
  answer.onmessage = onmessage
  answer.onclose = onclose
  return connection
}

/** @param {string} address */
function webSocketAddress(address) {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'ws:' || url?.protocol === 'wss:') return url
  throw new Error(
    `\`${address.slice(0, 200)}\` is not the address of a WebSocket, such as \`ws://127.0.0.1:9222/devtools/browser/…\` (\`webSocketDebuggerUrl\` of \`/json/version\`)`,
  )
}

/**
 * A WebSocket (RFC 6455): Node has one of its own from version 22 on, which takes no headers.
 *
 * @param {URL} url
 * @param {Record<string, string>} headers
 * @param {{ onmessage: (message: string) => void, onclose: () => void, signal: AbortSignal }} listeners
 * @returns {Promise<Transport>}
 */
function webSocket(url, headers, { onmessage, onclose, signal }) {
  return new Promise((resolve, reject) => {
    const key = randomBytes(16).toString('base64')
    const isSecure = url.protocol === 'wss:'
    const asked = (isSecure ? https : http).request({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port || (isSecure ? 443 : 80),
      path: url.pathname + url.search,
      auth: url.username === '' ? undefined : `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`,
      headers: { ...headers, host: url.host, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key },
      timeout: CONNECT_TIMEOUT_MS,
      signal,
    })
    asked.on('timeout', () => asked.destroy(new Error(`\`${url.host}\` did not answer within ${CONNECT_TIMEOUT_MS / 1000} s`)))
    asked.on('error', reject)
    asked.on('response', (response) => {
      response.resume()
      reject(new Error(`\`${url.host}\` answered ${response.statusCode} instead of opening a WebSocket`))
    })
    asked.on('upgrade', (response, socket, head) => {
      if (
        response.headers['sec-websocket-accept'] !==
        createHash('sha1')
          .update(key + MAGIC)
          .digest('base64')
      ) {
        socket.destroy()
        return reject(new Error(`\`${url.host}\` opened something that is no WebSocket`))
      }
      socket.setTimeout(0)
      const frames = new Frames((opcode, payload) => {
        if (opcode === 1 || opcode === 2) onmessage(payload.toString('utf8'))
        else if (opcode === 9) socket.write(framed(10, payload))
        else if (opcode === 8) socket.end(framed(8, payload))
      })
      socket.on('data', (chunk) => {
        if (!frames.push(chunk)) socket.destroy()
      })
      socket.on('error', onclose)
      socket.on('close', onclose)
      if (head.length > 0) frames.push(head)
      // What ends the process must not wait for a browser of somebody else.
      if ('unref' in socket) /** @type {import('node:net').Socket} */ (socket).unref()
      resolve({
        send: (message) => void socket.write(framed(1, Buffer.from(message))),
        close: () => void socket.end(framed(8, Buffer.alloc(0))),
      })
    })
    asked.end()
  })
}

/**
 * A message as clients send it: masked.
 *
 * @param {number} opcode
 * @param {Buffer} payload
 */
function framed(opcode, payload) {
  const { length } = payload
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const frame = Buffer.allocUnsafe(6 + size + length)
  frame[0] = 0x80 | opcode
  frame[1] = 0x80 | (size === 0 ? length : size === 2 ? 126 : 127)
  if (size === 2) frame.writeUInt16BE(length, 2)
  if (size === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  const mask = randomBytes(4)
  mask.copy(frame, 2 + size)
  for (let at = 0; at < length; at++) frame[6 + size + at] = /** @type {number} */ (payload[at]) ^ /** @type {number} */ (mask[at & 3])
  return frame
}

/** Takes bytes of a server apart into messages. */
class Frames {
  /** @param {(opcode: number, payload: Buffer) => void} take */
  constructor(take) {
    this.take = take
    /** @type {Buffer[]} */
    this.chunks = []
    this.length = 0
    /** What the next step needs. */
    this.needed = 2
    /** @type {Buffer[]} */
    this.parts = []
    this.size = 0
    this.opcode = 0
  }

  /**
   * Whether it is still a conversation.
   *
   * @param {Buffer} chunk
   */
  push(chunk) {
    this.chunks.push(chunk)
    this.length += chunk.length
    while (this.length >= this.needed) {
      const bytes = this.chunks.length === 1 ? /** @type {Buffer} */ (this.chunks[0]) : Buffer.concat(this.chunks)
      this.chunks = [bytes]
      const used = this.#frame(bytes)
      if (used < 0) return false
      if (used === 0) continue
      this.chunks = [bytes.subarray(used)]
      this.length -= used
      this.needed = 2
    }
    return true
  }

  /**
   * How many bytes were used; 0 where more are needed, less where it is none.
   *
   * @param {Buffer} bytes
   */
  #frame(bytes) {
    const first = bytes.readUInt8(0)
    const second = bytes.readUInt8(1)
    const short = second & 0x7f
    const head = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0)
    // Servers do not mask, and nothing was agreed on that uses the other bits.
    if ((second & 0x80) !== 0 || (first & 0x70) !== 0) return -1
    if (bytes.length < head) return this.#more(head)
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
    if (length + this.size > MAX_MESSAGE_BYTES) return -1
    if (bytes.length < head + length) return this.#more(head + length)
    const payload = bytes.subarray(head, head + length)
    const opcode = first & 0x0f
    if (opcode >= 8) {
      this.take(opcode, Buffer.from(payload))
      return head + length
    }
    if (opcode !== 0) this.opcode = opcode
    this.parts.push(payload)
    this.size += length
    if ((first & 0x80) !== 0) {
      const whole = Buffer.concat(this.parts)
      this.parts = []
      this.size = 0
      this.take(this.opcode, whole)
    }
    return head + length
  }

  /** @param {number} needed */
  #more(needed) {
    this.needed = needed
    return 0
  }
}

module.exports = { browserPart }
