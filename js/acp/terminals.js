// @ts-check
'use strict'

const { CommandOutput } = require('../adapters/command-output.js')
const { nameOf } = require('../adapters/operations.js')
const { commandLine, environmentOf } = require('./command-lines.js')
const { noTerminal } = require('./peer.js')

/** Output that is kept of a terminal whose client sets no limit, in bytes. */
const DEFAULT_BYTES = 1024 * 1024
const MOST_BYTES = 16 * 1024 * 1024
/** Commands that ended before anybody knew their ids. */
const MOST_ENDED = 1000

/**
 * @typedef {{ exitCode: number | null, signal: string | null }} Exit
 * @typedef {{ sessionId: string, text: string, isCut: boolean, limit: number, exit?: Exit, waiting: ((exit: Exit) => void)[], output: CommandOutput, reading: Promise<unknown> }} Terminal
 */

/** The commands that an agent runs in terminals of its client. */
class Terminals {
  #toolkit
  /** By the ids that the toolkit has for the commands. @type {Map<string, Terminal>} */
  #terminals = new Map()
  /** @type {Map<string, Exit>} */
  #ended = new Map()
  #off

  /** @param {any} toolkit */
  constructor(toolkit) {
    this.#toolkit = toolkit
    this.#off = toolkit.on('process_exited', (/** @type {any} */ { sessionId, exitCode = null, signal = null }) =>
      this.#exited(sessionId, { exitCode, signal }),
    )
  }

  /**
   * @param {any} params
   * @param {AbortSignal} [signal]
   */
  async create({ sessionId, command, args = [], env = [], cwd, outputByteLimit }, signal) {
    const limit = typeof outputByteLimit === 'number' ? Math.min(outputByteLimit, MOST_BYTES) : DEFAULT_BYTES
    const params = { command: commandLine(command, args), env: environmentOf(env), ...(cwd && { workdir: cwd }), background: true }
    const { details } = await this.#run('exec', params, signal)
    const id = details.sessionId
    /** @type {Terminal} */
    const terminal = { sessionId, text: '', isCut: false, limit, waiting: [], output: new CommandOutput(this.#toolkit), reading: Promise.resolve() }
    if (typeof id !== 'string') throw new Error('The command was not started in the background.')
    this.#terminals.set(id, terminal)
    const exit = this.#ended.get(id)
    this.#ended.delete(id)
    if (exit) this.#exited(id, exit)
    return { terminalId: id }
  }

  /**
   * @param {any} params
   * @param {AbortSignal} [signal]
   */
  async output(params, signal) {
    const terminal = this.#of(params)
    const { exit } = terminal
    await this.#read(params.terminalId, terminal, signal)
    return { output: terminal.text, truncated: terminal.isCut, ...(exit && { exitStatus: exit }) }
  }

  /**
   * @param {any} params
   * @param {AbortSignal} [signal]
   * @returns {Promise<Exit>}
   */
  wait(params, signal) {
    const terminal = this.#of(params)
    if (terminal.exit) return Promise.resolve(terminal.exit)
    return new Promise((resolve, reject) => {
      terminal.waiting.push(resolve)
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }

  /** @param {any} params */
  async kill(params) {
    const terminal = this.#of(params)
    if (!terminal.exit) await this.#run('process', { action: 'kill', sessionId: params.terminalId })
    return {}
  }

  /** @param {any} params */
  async release(params) {
    await this.kill(params)
    this.#terminals.delete(params.terminalId)
    return {}
  }

  /** Ends what an agent has left. */
  async close() {
    const left = [...this.#terminals].filter(([, { exit }]) => !exit)
    await Promise.all(left.map(([terminalId, { sessionId }]) => this.release({ terminalId, sessionId })))
    this.#terminals.clear()
    this.#off()
  }

  /** @param {any} params */
  #of({ terminalId, sessionId }) {
    const terminal = this.#terminals.get(terminalId)
    if (terminal?.sessionId === sessionId && terminal !== undefined) return terminal
    throw noTerminal(terminalId)
  }

  /**
   * Takes what the command has printed since, one reader after the other.
   *
   * @param {string} id
   * @param {Terminal} terminal
   * @param {AbortSignal} [signal]
   */
  #read(id, terminal, signal) {
    const read = async () => {
      const { details } = await this.#run('process', { action: 'poll', sessionId: id }, signal)
      // What an answer to a model leaves out is read where it is kept.
      const { text, isCut } = tailOf(terminal.text + (await terminal.output.next(details)), terminal.limit)
      terminal.text = text
      const isLost = details.truncated === true && (details.fullOutput ?? details.condensed?.fullOutput) === undefined
      terminal.isCut ||= isCut || isLost
    }
    const reading = terminal.reading.then(read, read)
    terminal.reading = reading.catch(() => {})
    return reading
  }

  /**
   * @param {string} id
   * @param {Exit} exit
   */
  #exited(id, exit) {
    const terminal = this.#terminals.get(id)
    if (!terminal) {
      this.#ended.set(id, exit)
      if (this.#ended.size > MOST_ENDED) this.#ended.delete(/** @type {string} */ (this.#ended.keys().next().value))
      return
    }
    terminal.exit = exit
    for (const resolve of terminal.waiting.splice(0)) resolve(exit)
  }

  /**
   * @param {string} operation
   * @param {object} params
   * @param {AbortSignal} [signal]
   */
  #run(operation, params, signal) {
    return this.#toolkit.execute(nameOf(this.#toolkit, operation), params, { signal })
  }
}

/**
 * The end of a text that has at most so many bytes, from the beginning of a character.
 *
 * @param {string} text
 * @param {number} limit
 */
function tailOf(text, limit) {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= limit) return { text, isCut: false }
  let start = bytes.length - limit
  while (start < bytes.length && (bytes[start] & 0xc0) === 0x80) start += 1
  return { text: bytes.subarray(start).toString('utf8'), isCut: true }
}

module.exports = { Terminals, tailOf }
