// @ts-check
'use strict'

const { ToolError } = require('../tool-error.js')
const { duration, painter, seen, shownOn } = require('./style.js')

const FAILED = 1
/** A tool that does not exist is a mistake in the command line. */
const USAGE = 2
/** What shells report for a program that SIGINT ended. */
const INTERRUPTED = 130
/** What shells report for a program that SIGPIPE ended: its reader is gone. */
const UNREAD = 141
/** After this time a call shows that it is still at work, in milliseconds. */
const PATIENCE_MS = 1000
/** Commands in the background end with their toolkit. */
const ENDED = {
  error_type: 'tool_error',
  message: 'The command was still running, and was killed when `tenon call` ended: nothing could reach it any more. Run it in the foreground.',
  details: { code: 'ended_with_program' },
}

/**
 * Runs a tool for a user who waits for it.
 *
 * @param {any} toolkit
 * @param {string} name
 * @param {Record<string, unknown>} params
 * @param {{ json: boolean, color?: string, approvals?: string }} options
 * @returns {Promise<number>} the exit code
 */
async function call(toolkit, name, params, { json, color, approvals }) {
  const interrupt = new AbortController()
  const onInterrupt = () => interrupt.abort()
  process.once('SIGINT', onInterrupt)
  // Nobody reads the rest, as in `… | head -1`: a command that goes on for ever would keep the pipeline.
  let isUnread = false
  const onWriteError = (/** @type {NodeJS.ErrnoException} */ { code }) => {
    if (code !== 'EPIPE') return
    isUnread = true
    interrupt.abort()
  }
  process.stdout.on('error', onWriteError)
  const output = new Output(json || toolkit.getTool(name)?.metadata.operation !== 'execute')
  const progress = new Progress(name, json)
  try {
    const grant = await approval(toolkit, name, params, approvals, color, interrupt)
    // From now on: a clock would erase what the user is asked.
    progress.begin()
    const onUpdate = (/** @type {any} */ partial) => (output.isWhole ? progress.update(partial) : output.update(partial))
    const result = await toolkit.execute(name, params, { toolCallId: 'command-line', signal: interrupt.signal, onUpdate, ...grant })
    progress.end()
    if (json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    else output.end(shown(result), diffOf(result.details, painter(process.stdout, color)))
    if (isRunning(result.details)) {
      report({ ...ENDED, tool: name }, json, painter(process.stderr, color))
      return FAILED
    }
    return hasFailed(result.details) ? FAILED : 0
  } catch (error) {
    progress.end()
    if (isUnread) return UNREAD
    output.end('')
    if (!ToolError.is(error)) throw error
    report(error, json, painter(process.stderr, color))
    if (interrupt.signal.aborted) return INTERRUPTED
    return error.details?.code === 'unknown_tool' ? USAGE : FAILED
  } finally {
    process.off('SIGINT', onInterrupt)
    process.stdout.off('error', onWriteError)
  }
}

/**
 * What a rule asks is asked here, before the call. What no rule asks a user approves by typing it.
 *
 * @param {any} toolkit
 * @param {string} name
 * @param {Record<string, unknown>} params
 * @param {string | undefined} how
 * @param {string | undefined} color
 * @param {AbortController} interrupt
 */
async function approval(toolkit, name, params, how, color, interrupt) {
  const isAnswered = how === 'allow' || (how !== 'deny' && process.stdin.isTTY && process.stderr.isTTY)
  if (!isAnswered || toolkit.decide(name, params).verdict !== 'ask') return {}
  const request = toolkit.approvalRequest(name, params)
  if (!request) return {}
  const grant = { approved: 'once', digest: request.digest }
  if (how === 'allow') return grant
  const { terminalApprover } = require('../terminal-approver.js')
  const ask = terminalApprover({ output: process.stderr, color })
  // For one call there is nothing to remember.
  const answer = await ask({ ...request, remembers: [] }, { signal: interrupt.signal }).catch((error) => {
    if (interrupt.signal.aborted || error.code === 'INTERRUPTED') interrupt.abort()
    return 'never'
  })
  if (answer === 'once') return grant
  const message = `\`${name}\` was not run: it was refused at the terminal.`
  throw new ToolError(message, { tool: name, error_type: 'permission_denied', details: { code: 'declined' } })
}

/** The text of a command, written as it comes. */
class Output {
  #printed = ''
  #isBroken = false

  /** @param {boolean} isWhole written at the end only */
  constructor(isWhole) {
    this.isWhole = isWhole
  }

  /** @param {any} partial all that is known so far */
  update(partial) {
    const text = partial.content[0]?.type === 'text' ? partial.content[0].text : ''
    // Of much output the middle is missing: the rest comes with the result.
    if (this.#isBroken || !text.startsWith(this.#printed)) {
      this.#isBroken = true
      return
    }
    process.stdout.write(shownOn(text.slice(this.#printed.length), process.stdout))
    this.#printed = text
  }

  /** @param {string} text all of the result @param {string} [after] */
  end(text, after = '') {
    let same = 0
    while (same < this.#printed.length && this.#printed[same] === text[same]) same += 1
    const isCut = same < this.#printed.length && text !== ''
    const rest = `${isCut && !this.#printed.endsWith('\n') ? '\n' : ''}${text.slice(same)}`
    if (rest !== '') process.stdout.write(shownOn(rest, process.stdout))
    else if (this.#printed !== '' && !this.#printed.endsWith('\n')) process.stdout.write('\n')
    if (after !== '') process.stdout.write(after)
  }
}

/** A line at the terminal that says that a call is still at work. */
class Progress {
  #line = ''
  #started = 0
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** @param {string} name @param {boolean} isSilent */
  constructor(name, isSilent) {
    this.name = name
    this.isShown = !isSilent && process.stderr.isTTY && process.stdout.isTTY
  }

  begin() {
    this.#started = Date.now()
    if (!this.isShown) return
    this.#timer = setInterval(() => this.#show(), PATIENCE_MS)
    this.#timer.unref()
  }

  /** @param {any} partial */
  update(partial) {
    const text = partial.content[0]?.type === 'text' ? partial.content[0].text.trimEnd() : ''
    this.#line = seen(text.slice(text.lastIndexOf('\n') + 1)).slice(0, 100)
  }

  end() {
    if (!this.#timer) return
    clearInterval(this.#timer)
    process.stderr.write('\r\u001b[K')
  }

  #show() {
    const width = (process.stderr.columns ?? 80) - 1
    const text = `${this.name}: ${duration(Date.now() - this.#started)}${this.#line ? `  ${this.#line}` : ''}`
    process.stderr.write(`\r\u001b[K${text.slice(0, width)}`)
  }
}

/**
 * @param {any} error
 * @param {boolean} json
 * @param {ReturnType<typeof painter>} colours
 */
function report({ tool, error_type, message, details }, json, { paint }) {
  if (json) process.stderr.write(`${JSON.stringify({ tool, error_type, message, details }, null, 2)}\n`)
  else process.stderr.write(`tenon: ${paint('red', error_type)}: ${seen(message)}\n`)
}

/** Whether a command that was waited for has failed: one that a signal has ended has no code. @param {any} details */
function hasFailed(details) {
  const code = details?.exitCode === undefined ? details?.exit_code : details.exitCode
  return code !== undefined && code !== 0
}

/** Whether a command goes on in the background. @param {any} details */
function isRunning(details) {
  return details?.status === 'running' || typeof details?.background_id === 'string'
}

/**
 * The change of files, where a tool reports one beside its text.
 *
 * @param {any} details
 * @param {ReturnType<typeof painter>} colours
 */
function diffOf(details, colours) {
  const diff = [details?.patch, details?.diff].find((text) => typeof text === 'string' && /^(--- |@@ )/m.test(text))
  if (diff === undefined) return ''
  return `${colours.diff(seen(diff.trimEnd()))}\n`
}

/** @param {import('../../index.d.ts').AgentToolResult<any>} result */
function shown({ content }) {
  return content
    .map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}, ${part.data.length} characters of base64]`))
    .map((text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`))
    .join('')
}

module.exports = { INTERRUPTED, call }
