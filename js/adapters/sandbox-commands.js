// @ts-check
'use strict'

const { ToolError } = require('../tool-error.js')
const { run } = require('./calls.js')
const { CommandOutput } = require('./command-output.js')
const { nameOf } = require('./operations.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {object} Asked
 * @property {string} command
 * @property {string} [cwd]
 * @property {Record<string, string | undefined>} [env]
 * @property {number} [timeoutMs]
 * @property {boolean} [pty] whether it gets a terminal
 * @typedef {{ output: string, exitCode: number, signal?: string, timedOut: boolean, durationMs: number }} Done
 */

/** Seconds: interfaces without a time limit leave it to the caller. */
const LONGEST = 24 * 60 * 60
/** How long one look at a command waits for output. */
const LOOK_MS = 10_000
/** What shells answer for a command that a signal ended, and which. */
const SIGNALLED = 128
const SIGNALS = /** @type {Record<string, number>} */ ({ SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGPIPE: 13, SIGTERM: 15 })

/**
 * The commands of a toolkit as interfaces of sandboxes want them. Both streams of a command are in its output, in the order in which it
 * wrote them.
 */
class SandboxCommands {
  #toolkit
  #signal

  /**
   * @param {Toolkit} toolkit
   * @param {{ signal?: AbortSignal | null }} [call]
   */
  constructor(toolkit, { signal } = {}) {
    this.#toolkit = toolkit
    this.#signal = signal
  }

  /**
   * Runs a command to its end. One that did not run is an error.
   *
   * @param {Asked} asked
   * @param {(output: string) => void} [onOutput] gets what is new
   * @returns {Promise<Done>}
   */
  async run(asked, onOutput) {
    let seen = ''
    const emit = (/** @type {string} */ output) => {
      // A long output is cut in its middle: then its pieces are not known.
      if (output.startsWith(seen) && output.length > seen.length) onOutput?.(output.slice(seen.length))
      seen = output
    }
    const onUpdate = onOutput && ((/** @type {any} */ { details }) => typeof details?.output === 'string' && emit(details.output))
    try {
      const { details } = await run(this.#toolkit, nameOf(this.#toolkit, 'exec'), paramsOf(asked), { signal: this.#signal, onUpdate })
      const output = await this.#whole(details)
      if (onOutput) emit(output)
      return { output, exitCode: codeOf(details), signal: details.signal ?? undefined, timedOut: false, durationMs: details.durationMs }
    } catch (error) {
      if (!ToolError.is(error) || error.details.code !== 'timeout') throw error
      const { durationMs = 0 } = /** @type {any} */ (error.details)
      return { output: await this.#whole(error.details), exitCode: SIGNALLED + 9, timedOut: true, durationMs }
    }
  }

  /**
   * Everything that a command wrote, where the answer has only a part of it.
   *
   * @param {any} details
   */
  #whole(details) {
    return new CommandOutput(this.#toolkit, this.#signal ?? undefined).next(details)
  }

  /**
   * Starts a command that goes on.
   *
   * @param {Asked} asked
   * @returns {Promise<SandboxProcess>}
   */
  async start(asked) {
    const { timeout: _, ...params } = paramsOf(asked)
    const timeout = asked.timeoutMs === undefined ? {} : { timeout: asked.timeoutMs / 1000 }
    const started = { ...params, ...timeout, ...(asked.pty && { pty: true }), background: true }
    const { details } = await run(this.#toolkit, nameOf(this.#toolkit, 'exec'), started, { signal: this.#signal })
    return new SandboxProcess(this.#toolkit, details)
  }
}

/** A command in the background. */
class SandboxProcess {
  #toolkit
  #output
  /** @type {string | undefined} */
  #session
  /** What it wrote, until somebody listens. */
  #early = ''
  /** @type {((output: string) => void) | undefined} */
  #listener
  /** @type {Promise<Done>} */
  done
  /** @type {Done | undefined} */
  result

  /**
   * @param {Toolkit} toolkit
   * @param {any} started details of the call that has started it
   */
  constructor(toolkit, started) {
    this.#toolkit = toolkit
    this.#output = new CommandOutput(toolkit)
    this.#session = started.sessionId ?? undefined
    this.pid = started.pid ?? undefined
    this.done = this.#follow(started).then((result) => {
      this.result = result
      return result
    })
    // Who does not wait for it does not have to know.
    this.done.catch(() => {})
  }

  get id() {
    return this.#session
  }

  /**
   * @param {string} action
   * @param {object} [more]
   */
  async #process(action, more) {
    return (await run(this.#toolkit, nameOf(this.#toolkit, 'process'), { action, sessionId: this.#session, ...more })).details
  }

  /** @param {any} started */
  async #follow(started) {
    let output = ''
    let details = started
    for (;;) {
      const text = await this.#output.next(details)
      output += text
      this.#emit(text)
      if (this.#session === undefined || details.status !== 'running') break
      details = await this.#process('poll', { timeout: LOOK_MS })
    }
    const timedOut = details.endedBy === 'timeout'
    return { output, exitCode: codeOf(details), signal: details.signal ?? undefined, timedOut, durationMs: details.durationMs ?? 0 }
  }

  /** @param {string} output */
  #emit(output) {
    if (output === '') return
    if (this.#listener) this.#listener(output)
    else this.#early += output
  }

  /**
   * From now on gets what it writes, and at once what it has written.
   *
   * @param {(output: string) => void} listener
   */
  listen(listener) {
    this.#listener = listener
    const early = this.#early
    this.#early = ''
    if (early !== '') listener(early)
  }

  /**
   * @param {string} text
   * @param {boolean} [eof]
   */
  async input(text, eof = false) {
    await this.#process('write', { data: text, eof })
  }

  async kill() {
    if (this.result || this.#session === undefined) return false
    await this.#process('kill')
    return true
  }
}

/** @param {Asked} asked */
function paramsOf({ command, cwd, env, timeoutMs }) {
  const set = Object.fromEntries(Object.entries(env ?? {}).filter(([, value]) => value !== undefined))
  return {
    command,
    ...(cwd !== undefined && { workdir: cwd }),
    ...(Object.keys(set).length > 0 && { env: set }),
    timeout: timeoutMs === undefined ? LONGEST : timeoutMs / 1000,
  }
}

/** @param {any} details */
function codeOf({ exitCode, signal }) {
  return exitCode ?? SIGNALLED + (SIGNALS[signal] ?? 0)
}

module.exports = { SandboxCommands, SandboxProcess }
