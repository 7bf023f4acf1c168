// @ts-check
'use strict'

const { mkdirSync } = require('node:fs')
const path = require('node:path')

const { invalidInput } = require('../tool-error.js')
const { questionsOf, run } = require('./calls.js')
const { grantsOf } = require('./grants.js')

/** `memory_20250818` over the operation `memory`, in a toolkit of its own over its directory. */
class MemoryTool {
  #dir
  /** @type {any} */
  #toolkit
  #options

  /** @param {import('../../anthropic.d.ts').MemoryToolOptions} options */
  constructor({ dir, ...options }) {
    if (typeof dir !== 'string' || dir === '') throw invalidInput('memoryTool', 'The option `dir` must be the path of a directory.')
    this.#dir = path.resolve(dir)
    this.#options = options
  }

  async close() {
    await this.#toolkit?.close()
    this.#toolkit = undefined
  }

  /**
   * @param {any} input
   * @param {{ toolCallId?: string, signal?: AbortSignal, isGated?: boolean }} call
   */
  run(input, call) {
    return run(this.#opened(), 'memory', input ?? {}, call)
  }

  /** @type {import('./anthropic-native.js').Approvals} */
  approvals = {
    questions: (input, { toolCallId }) => questionsOf(this.#opened(), [{ id: /** @type {string} */ (toolCallId), name: 'memory', params: input ?? {} }]),
    forget: (input, { toolCallId }) => grantsOf(this.#opened()).forget('memory', input ?? {}, toolCallId),
  }

  #opened() {
    if (!this.#toolkit) {
      const { Toolkit } = require('../toolkit.js')
      // For nobody else, as notes about a user are.
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
      this.#toolkit = new Toolkit({ workspace: this.#dir, memory: { directory: '.' }, tools: { allow: ['memory'] }, ...this.#options })
    }
    return this.#toolkit
  }
}

module.exports = { MemoryTool }
