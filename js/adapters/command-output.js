// @ts-check
'use strict'

const { open } = require('node:fs/promises')
const { StringDecoder } = require('node:string_decoder')

const { Files } = require('./files.js')
const { isElsewhere } = require('./grants.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/** The output of a command, piece by piece and whole: what its answers leave out is read where it is kept. */
class CommandOutput {
  #toolkit
  #signal
  /** How much of the file was read, in bytes; nothing until an answer left something out. @type {number | undefined} */
  #position
  /** What came before that. Not counted in bytes: the file has those that are not UTF-8 as they were. */
  #characters = 0
  #decoder = new StringDecoder('utf8')

  /**
   * @param {Toolkit} toolkit
   * @param {AbortSignal} [signal]
   */
  constructor(toolkit, signal) {
    this.#toolkit = toolkit
    this.#signal = signal
  }

  /**
   * What is new.
   *
   * @param {any} details of an answer
   * @returns {Promise<string>}
   */
  async next({ output = '', truncated, condensed, fullOutput = condensed?.fullOutput, fullOutputPath }) {
    if (this.#position !== undefined) return this.#file(fullOutputPath, this.#position)
    const isCut = truncated && fullOutput
    const isHere = fullOutputPath && !isElsewhere(this.#toolkit)
    const whole = isCut && (isHere ? await this.#file(fullOutputPath, 0) : await this.#pages(fullOutput))
    const text = isCut ? whole.slice(this.#characters) : (output ?? '')
    this.#characters += text.length
    return text
  }

  /**
   * From another machine all of it comes by pages.
   *
   * @param {string} address
   */
  #pages(address) {
    return new Files(this.#toolkit, { signal: this.#signal }).text(address)
  }

  /**
   * What a file has from a position on.
   *
   * @param {string} path
   * @param {number} position
   */
  async #file(path, position) {
    const file = await open(path)
    try {
      const size = Math.max(0, (await file.stat()).size - position)
      const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, position)
      this.#position = position + bytesRead
      return this.#decoder.write(buffer.subarray(0, bytesRead))
    } finally {
      await file.close()
    }
  }
}

module.exports = { CommandOutput }
