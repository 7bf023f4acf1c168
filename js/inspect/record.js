// @ts-check
'use strict'

const { closeSync, existsSync, fstatSync, openSync, readSync } = require('node:fs')
const { StringDecoder } = require('node:string_decoder')

const { Model } = require('./model.js')

const CHUNK_BYTES = 1 << 20
/** How often a record that may grow is looked at, in milliseconds. */
const LOOK_MS = 300
/** Most files that a record was renamed to which are read. */
const OLDER_MAX = 100

/** A file of recorded events, with those that it was renamed to, read as it grows. */
class RecordReader {
  model = new Model()
  #file
  #position = 0
  #inode = 0
  #rest = ''
  #decoder = new StringDecoder('utf8')
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** @param {string} file */
  constructor(file) {
    this.#file = file
    let older = 0
    while (older < OLDER_MAX && existsSync(`${file}.${older + 1}`)) older += 1
    for (; older > 0; older -= 1) this.#readWhole(`${file}.${older}`)
    this.read()
  }

  /** Whether it may be a record: it has events, or nothing yet. */
  get isRecord() {
    const { sessions, lost, unreadable } = this.model
    return sessions.size > 0 || lost > 0 || (unreadable === 0 && this.#rest.trim() === '')
  }

  /** Reads what was added since the last time. Returns whether there was something. */
  read() {
    const descriptor = openSync(this.#file, 'r')
    try {
      const { ino, size } = fstatSync(descriptor)
      const wasRenamed = this.#inode !== 0 && (ino !== this.#inode || size < this.#position)
      if (wasRenamed) {
        // What was written between the last look and the renaming is in the renamed file.
        if (existsSync(`${this.#file}.1`)) this.#readWhole(`${this.#file}.1`, this.#position)
        this.#position = 0
      }
      this.#inode = ino
      if (size <= this.#position) return wasRenamed
      this.#position = this.#readFrom(descriptor, this.#position)
      return true
    } finally {
      closeSync(descriptor)
    }
  }

  /**
   * Calls `changed` whenever the record has grown, until the returned function is called.
   *
   * @param {() => void} changed
   */
  follow(changed) {
    const look = () => {
      try {
        if (this.read()) changed()
      } catch {
        // It is being renamed, or is gone; the next look finds out.
      }
    }
    this.#timer = setInterval(look, LOOK_MS)
    this.#timer.unref()
    return () => clearInterval(this.#timer)
  }

  /** @param {string} file @param {number} [from] */
  #readWhole(file, from = 0) {
    const descriptor = openSync(file, 'r')
    try {
      this.#readFrom(descriptor, from)
    } finally {
      closeSync(descriptor)
    }
  }

  /** @param {number} descriptor @param {number} from */
  #readFrom(descriptor, from) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    let position = from
    for (;;) {
      const length = readSync(descriptor, chunk, 0, CHUNK_BYTES, position)
      if (length === 0) return position
      position += length
      this.#take(this.#decoder.write(chunk.subarray(0, length)))
    }
  }

  /** @param {string} text */
  #take(text) {
    const lines = (this.#rest + text).split('\n')
    this.#rest = /** @type {string} */ (lines.pop())
    for (const line of lines) {
      if (line.trim() === '') continue
      try {
        this.model.take(JSON.parse(line))
      } catch {
        this.model.unreadable += 1
      }
    }
  }
}

module.exports = { RecordReader }
