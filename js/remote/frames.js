// @ts-check
'use strict'

// Bytes as frames: `u32` length (big-endian, of what follows), `u8` kind, payload. `crates/serve/src/frame.rs` is the other side.

const { Buffer } = require('node:buffer')

/** A JSON-RPC message. */
const JSON_FRAME = 1
/** A chunk of a larger one: the number of the transfer (`u32`), then bytes. */
const CHUNK_FRAME = 2
/** What a peer may send at most in one frame. The answer to `attach` has the whole catalog. */
const MAX_BYTES = 16 * 1024 * 1024

/** @typedef {{ kind: number, payload: Buffer }} Frame */

/** Bytes that are no frame: the connection has to be closed. */
class FrameFault extends Error {}

/** @param {string} json */
function jsonFrame(json) {
  const length = Buffer.byteLength(json)
  const frame = Buffer.allocUnsafe(5 + length)
  frame.writeUInt32BE(1 + length, 0)
  frame[4] = JSON_FRAME
  frame.write(json, 5)
  return frame
}

/**
 * @param {number} transfer
 * @param {Buffer} bytes
 */
function chunkFrame(transfer, bytes) {
  const head = Buffer.allocUnsafe(9)
  head.writeUInt32BE(5 + bytes.length, 0)
  head[4] = CHUNK_FRAME
  head.writeUInt32BE(transfer, 5)
  return Buffer.concat([head, bytes])
}

/** What may stand before the first frame, and how much of it is shown. */
const PREAMBLE_MAX_BYTES = 64 * 1024
const PREAMBLE_SHOWN = 200

/**
 * Reads frames from bytes that come in pieces of any size. A shell that starts the engine may greet before: no text has a NUL, and the length of the
 * first frame, which is below 16 MiB, begins with one.
 */
class Decoder {
  /** @type {Buffer[]} */
  #pieces = []
  #size = 0
  #skipped = 0

  /** Whether a frame has come, or the beginning of one. */
  hasBegun = false

  /** The beginning of what was said before the first frame, on one line. */
  preamble = ''

  /** @param {Buffer} bytes */
  push(bytes) {
    if (!this.hasBegun) {
      const start = bytes.indexOf(0)
      const text = start < 0 ? bytes : bytes.subarray(0, start)
      this.#skipped += text.length
      const shown = text
        .subarray(0, PREAMBLE_SHOWN)
        .toString('utf8')
        .replace(/\p{C}+/gu, ' ')
      this.preamble = (this.preamble + shown).slice(0, PREAMBLE_SHOWN)
      if (this.#skipped > PREAMBLE_MAX_BYTES) throw new FrameFault('it is text and no engine')
      if (start < 0) return
      this.hasBegun = true
      bytes = bytes.subarray(start)
    }
    if (bytes.length === 0) return
    this.#pieces.push(bytes)
    this.#size += bytes.length
  }

  /**
   * The next frame that has come in whole.
   *
   * @returns {Frame | undefined}
   */
  next() {
    if (this.#size < 5) return undefined
    const head = this.#joined(5)
    const length = head.readUInt32BE(0)
    if (length === 0) throw new FrameFault('a frame is empty')
    if (length > MAX_BYTES) throw new FrameFault(`a frame has ${length} bytes, more than the maximum of ${MAX_BYTES}`)
    const kind = head[4]
    if (kind !== JSON_FRAME && kind !== CHUNK_FRAME) throw new FrameFault(`there is no kind ${kind} of frames`)
    if (this.#size < 4 + length) return undefined
    const all = this.#joined(4 + length)
    const rest = all.subarray(4 + length)
    this.#pieces = rest.length > 0 ? [rest] : []
    for (const later of this.#later) this.#pieces.push(later)
    this.#later = []
    this.#size -= 4 + length
    return { kind, payload: all.subarray(5, 4 + length) }
  }

  /** Pieces behind those that were joined. @type {Buffer[]} */
  #later = []

  /**
   * The first piece, with at least so many bytes.
   *
   * @param {number} bytes
   */
  #joined(bytes) {
    if (this.#pieces[0].length < bytes) {
      let [count, size] = [0, 0]
      while (size < bytes) size += this.#pieces[count++].length
      this.#pieces = [Buffer.concat(this.#pieces.slice(0, count)), ...this.#pieces.slice(count)]
    }
    this.#later = this.#pieces.slice(1)
    return this.#pieces[0]
  }
}

module.exports = { CHUNK_FRAME, Decoder, chunkFrame, jsonFrame }
