// @ts-check
'use strict'

// What is not lost with a connection: the messages of one session, in both directions. `crates/serve/src/link.rs` is the other side and
// says how it works.

const { Buffer } = require('node:buffer')

const { CHUNK_FRAME, chunkFrame, jsonFrame } = require('./frames.js')

const INLINE_MAX_BYTES = 64 * 1024
const CHUNK_BYTES = 64 * 1024
const CREDIT_BYTES = 256 * 1024
const MESSAGE_MAX_BYTES = 768 * 1024 * 1024
const ACKNOWLEDGE_EVERY = 32

/** What came in makes no sense: the connection has to be closed. */
class LinkFault extends Error {}

/**
 * @typedef {{ lane: string, body: string, bytes?: Buffer }} Outgoing its JSON behind `{"jsonrpc":"2.0",`; as bytes where it crosses in chunks
 * @typedef {{ number: number, sent: number, credit: number }} Transfer
 */

class Link {
  #last = 0
  /** @type {Outgoing[]} */
  #queue = []
  /** @type {{ transfer: Transfer, outgoing: Outgoing }[]} */
  #transfers = []
  /** @type {{ seq: number, outgoing: Outgoing }[]} */
  #unacknowledged = []
  /** From which of them on the other side may not have got them. */
  #again = 0
  /** @type {Transfer | undefined} */
  #againTransfer
  #lastTransfer = 0
  /** What belongs to this connection only. @type {string[]} */
  #control = []
  #acknowledged = 0
  /** @type {Map<number, Buffer[]>} */
  #incoming = new Map()
  #incomingBytes = 0

  /** The number of the last message that came in. */
  seen = 0

  /**
   * @param {string} lane messages of one lane stay in order
   * @param {string} body
   */
  send(lane, body) {
    /** @type {Outgoing} */
    const outgoing = { lane, body }
    // A character has three bytes at most.
    if (body.length * 3 > INLINE_MAX_BYTES) {
      const bytes = Buffer.from(body)
      if (bytes.length > INLINE_MAX_BYTES) outgoing.bytes = bytes
    }
    this.#queue.push(outgoing)
  }

  /** @param {string} json */
  control(json) {
    this.#control.push(json)
  }

  /**
   * Begins a new connection to a side that has seen the messages up to this number.
   *
   * @param {number} seen
   */
  begin(seen) {
    this.#acknowledge(seen)
    this.#again = 0
    this.#againTransfer = undefined
    this.#control = []
    this.#incoming.clear()
    this.#incomingBytes = 0
    this.#acknowledged = this.seen
    this.#queue.unshift(...this.#transfers.map(({ outgoing }) => outgoing))
    this.#transfers = []
  }

  /**
   * The next frame to send; nothing while there is nothing, or no credit.
   *
   * @returns {Buffer | undefined}
   */
  nextFrame() {
    const control = this.#control.shift()
    if (control !== undefined) return jsonFrame(control)
    if (this.seen - this.#acknowledged >= ACKNOWLEDGE_EVERY) return this.#acknowledgement()
    const frame = this.#again < this.#unacknowledged.length ? this.#nextAgain() : this.#nextNew()
    if (frame) return frame
    return this.seen > this.#acknowledged ? this.#acknowledgement() : undefined
  }

  #acknowledgement() {
    this.#acknowledged = this.seen
    return jsonFrame(`{"jsonrpc":"2.0","method":"ack","params":{"seq":${this.seen}}}`)
  }

  /** In order, one after the other: the other side counts. */
  #nextAgain() {
    const { seq, outgoing } = this.#unacknowledged[this.#again]
    if (!outgoing.bytes) {
      this.#again += 1
      return numbered(seq, outgoing.body)
    }
    this.#againTransfer ??= this.#transfer()
    const chunk = chunkOf(this.#againTransfer, outgoing.bytes)
    if (chunk) return chunk
    if (this.#againTransfer.sent < outgoing.bytes.length) return undefined
    const frame = whole(seq, this.#againTransfer)
    this.#againTransfer = undefined
    this.#again += 1
    return frame
  }

  #nextNew() {
    for (;;) {
      const place = this.#transfers.length === 0 ? 0 : this.#queue.findIndex(({ lane }) => this.#transfers.every(({ outgoing }) => outgoing.lane !== lane))
      const [outgoing] = place < 0 ? [] : this.#queue.splice(place, 1)
      if (!outgoing) break
      if (!outgoing.bytes) return numbered(this.#left(outgoing), outgoing.body)
      this.#transfers.push({ transfer: this.#transfer(), outgoing })
    }
    const next = this.#transfers.findIndex(({ transfer, outgoing }) => transfer.credit > 0 || transfer.sent === outgoing.bytes?.length)
    if (next < 0) return undefined
    const [{ transfer, outgoing }] = this.#transfers.splice(next, 1)
    const chunk = chunkOf(transfer, /** @type {Buffer} */ (outgoing.bytes))
    if (!chunk) return whole(this.#left(outgoing), transfer)
    // The others have their turn first.
    this.#transfers.push({ transfer, outgoing })
    return chunk
  }

  /** @returns {Transfer} */
  #transfer() {
    this.#lastTransfer = (this.#lastTransfer + 1) >>> 0
    return { number: this.#lastTransfer, sent: 0, credit: CREDIT_BYTES }
  }

  /** @param {Outgoing} outgoing */
  #left(outgoing) {
    this.#last += 1
    this.#unacknowledged.push({ seq: this.#last, outgoing })
    this.#again = this.#unacknowledged.length
    return this.#last
  }

  /**
   * Takes a frame in; the message of the session that it was or completed, if so.
   *
   * @param {import('./frames.js').Frame} frame
   * @returns {any}
   */
  take({ kind, payload }) {
    if (kind === CHUNK_FRAME) return this.#takeChunk(payload)
    const message = parsed(payload)
    const { params } = message
    switch (message.method) {
      case 'ack':
        return this.#acknowledge(params?.seq)
      case 'credit':
        return this.#credit(params?.transfer, params?.bytes)
      case 'ping':
        return this.control('{"jsonrpc":"2.0","method":"pong"}')
      case 'pong':
        return undefined
      case 'whole': {
        const pieces = this.#incoming.get(params?.transfer)
        if (!pieces) throw new LinkFault('a transfer is unknown')
        this.#incoming.delete(params.transfer)
        const bytes = Buffer.concat([Buffer.from('{"jsonrpc":"2.0",'), ...pieces])
        const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
        this.#incomingBytes -= size
        if (size !== params.bytes) throw new LinkFault('a transfer is incomplete')
        return this.#counted(params.seq, parsed(bytes))
      }
      default:
        return this.#counted(message.seq, message)
    }
  }

  /** @param {Buffer} payload */
  #takeChunk(payload) {
    if (payload.length < 4) throw new LinkFault('a chunk has no number')
    const number = payload.readUInt32BE(0)
    const bytes = payload.subarray(4)
    this.#incomingBytes += bytes.length
    if (this.#incomingBytes > MESSAGE_MAX_BYTES) throw new LinkFault('a message is too large')
    const pieces = this.#incoming.get(number)
    if (pieces) pieces.push(bytes)
    else this.#incoming.set(number, [bytes])
    this.control(`{"jsonrpc":"2.0","method":"credit","params":{"transfer":${number},"bytes":${bytes.length}}}`)
  }

  /**
   * @param {unknown} seq
   * @param {any} message
   */
  #counted(seq, message) {
    if (typeof seq !== 'number') throw new LinkFault('a message has no number')
    if (seq <= this.seen) return undefined
    if (seq !== this.seen + 1) throw new LinkFault(`message ${seq} came where ${this.seen + 1} was expected`)
    this.seen = seq
    return message
  }

  /** @param {number} seen */
  #acknowledge(seen) {
    if (typeof seen !== 'number' || seen > this.#last) throw new LinkFault(`message ${seen} is acknowledged, ${this.#last} was the last`)
    let count = 0
    while (count < this.#unacknowledged.length && this.#unacknowledged[count].seq <= seen) count += 1
    if (count === 0) return
    if (count > this.#again) this.#againTransfer = undefined
    this.#unacknowledged.splice(0, count)
    this.#again = Math.max(0, this.#again - count)
  }

  /**
   * @param {number} number
   * @param {number} bytes
   */
  #credit(number, bytes) {
    const all = [...this.#transfers.map(({ transfer }) => transfer), ...(this.#againTransfer ? [this.#againTransfer] : [])]
    const found = all.find((transfer) => transfer.number === number)
    if (found && bytes > 0) found.credit = Math.min(found.credit + bytes, CREDIT_BYTES)
  }
}

/**
 * @param {Transfer} transfer
 * @param {Buffer} bytes
 */
function chunkOf(transfer, bytes) {
  const piece = bytes.subarray(transfer.sent, transfer.sent + Math.min(CHUNK_BYTES, transfer.credit))
  if (piece.length === 0) return undefined
  transfer.sent += piece.length
  transfer.credit -= piece.length
  return chunkFrame(transfer.number, piece)
}

/**
 * @param {number} seq
 * @param {string} body
 */
function numbered(seq, body) {
  return jsonFrame(`{"jsonrpc":"2.0","seq":${seq},${body}`)
}

/**
 * @param {number} seq
 * @param {Transfer} transfer
 */
function whole(seq, { number, sent }) {
  return jsonFrame(`{"jsonrpc":"2.0","method":"whole","params":{"seq":${seq},"transfer":${number},"bytes":${sent}}}`)
}

/** @param {Buffer} bytes */
function parsed(bytes) {
  let message
  try {
    message = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new LinkFault('a message is not JSON')
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message
  throw new LinkFault('a message is not an object')
}

module.exports = { Link, LinkFault }
