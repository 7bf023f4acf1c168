// @ts-check
'use strict'

const path = require('node:path')

const { plainName } = require('../params.js')
const { ToolError } = require('../tool-error.js')
const { Snapshot } = require('./diffs.js')
const { kindOf, titleOf } = require('./kinds.js')
const { notShown } = require('./peer.js')
const { TerminalReport } = require('./terminal-report.js')

/** At most ten updates a second. */
const UPDATE_MS = 100
/** Longest text of a call that a client is sent. */
const TEXT_CHARACTERS = 64 * 1024
/** Longest string within the parameters and the details that a client is sent. */
const RAW_CHARACTERS = 8 * 1024
const RAW_MAX_CHARACTERS = 256 * 1024
/** Kinds whose texts are shown as they are, not as Markdown. */
const VERBATIM = ['read', 'search', 'execute']
const COMMANDS = ['execute', 'run_tests']

/** What a client is shown of one call. */
class CallReport {
  #session
  #call
  #controller = new AbortController()
  /** @type {TerminalReport | undefined} */
  #terminal
  /** @type {Snapshot | undefined} */
  #snapshot
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  /** @type {any} */
  #latest
  #sentAt = 0
  /** Texts of files that the editor has and the disk has not. @type {Map<string, string>} */
  drafts = new Map()
  /** Looks again whether it may still be made, after it has waited for its approval. @type {(() => Promise<void>) | undefined} */
  recheck

  /**
   * @param {any} session
   * @param {{ tool: string, params: any, toolCallId: string, toolkit: any }} call
   */
  constructor(session, call) {
    this.#session = session
    this.#call = call
    const { operation, label, decision } = judged(call)
    this.operation = operation
    this.verdict = decision.verdict
    /** @type {import('../../index.d.ts').CallEffects} */
    this.effects = decision.effects ?? {}
    this.kind = kindOf(operation, this.effects)
    this.title = titleOf(label, this.kind, this.effects, call.params)
  }

  get id() {
    return this.#call.toolCallId
  }

  get tool() {
    return plainName(this.#call.tool)
  }

  get toolkit() {
    return this.#call.toolkit
  }

  get params() {
    return this.#call.params
  }

  /** Aborted when the client cancels the call. */
  get signal() {
    return this.#controller.signal
  }

  cancel() {
    this.#controller.abort()
  }

  /** What a client is shown of the call at any time. */
  get facts() {
    const locations = this.locations()
    return { toolCallId: this.id, title: this.title, kind: this.kind, ...(locations.length > 0 && { locations }), rawInput: rawOf(this.#call.params) }
  }

  /**
   * The files of the call.
   *
   * @param {number} [line]
   */
  locations(line) {
    const { reads = [], writes = [], deletes = [] } = this.effects
    if (this.kind === 'search' || this.kind === 'execute') return []
    const files = [...new Set([...writes, ...deletes, ...reads])].slice(0, 20)
    return files.map((file, index) => ({ path: this.absolute(file), ...(index === 0 && line !== undefined && { line }) }))
  }

  /** @param {string} file */
  absolute(file) {
    return path.resolve(this.#session.workspace, file)
  }

  begin() {
    this.#safely(() => {
      if (COMMANDS.includes(this.operation ?? '') && this.#session.terminals) this.#startTerminal()
      const { writes = [], deletes = [] } = this.effects
      if (this.verdict !== 'deny') this.#snapshot = new Snapshot([...writes, ...deletes].map((file) => this.absolute(file)))
      const status = this.verdict === 'ask' ? 'pending' : 'in_progress'
      const shown = this.#terminal && { content: this.#terminal.content, ...(this.#terminal.meta && { _meta: this.#terminal.meta }) }
      this.#session.send(this.#session.wire.begin({ ...this.facts, status, ...shown }))
      const [command] = this.effects.commands ?? []
      this.#terminal?.begin(command?.text, this.absolute(command?.directory ?? '.'))
    })
  }

  #startTerminal() {
    const send = (/** @type {any} */ update) => this.#session.send(update)
    this.#terminal = new TerminalReport({ send, toolCallId: this.id, form: this.#session.terminals })
  }

  /** The user has approved it. */
  approved() {
    this.#safely(() => {
      this.#snapshot?.renew()
      // The question has taken the place of what the call shows.
      this.#send({ status: 'in_progress', content: this.#terminal?.content ?? [] })
    })
  }

  /**
   * The file is edited in a text that is not on the disk.
   *
   * @param {string} file
   * @param {string} text
   */
  startsFrom(file, text) {
    this.#snapshot?.set(file, text)
  }

  /** @param {any} partial */
  update(partial) {
    this.#latest = partial
    if (this.#timer) return
    const wait = this.#sentAt + UPDATE_MS - performance.now()
    if (wait <= 0) return this.#flush()
    this.#timer = setTimeout(() => this.#flush(), wait)
    this.#timer.unref()
  }

  #flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const partial = this.#latest
    this.#latest = undefined
    if (partial === undefined) return
    this.#sentAt = performance.now()
    this.#safely(() => {
      if (this.#terminal) this.#terminal.show(outputOf(partial))
      else this.#send({ content: this.#contentOf(partial.content) })
    })
  }

  /** @param {any} result */
  end(result) {
    clearTimeout(this.#timer)
    this.#safely(() => {
      const changes = this.#snapshot?.changes(this.drafts) ?? []
      const diffs = this.#session.wire.diffs(changes, this.#session.workspace)
      const content = this.#terminal ? undefined : diffs.length > 0 ? diffs : this.#contentOf(result.content)
      const locations = this.locations(lineOf(result.details))
      const rawOutput = rawOf(result.details)
      this.#endTerminal(result)
      this.#send({
        status: 'completed',
        ...(content && { content }),
        ...(locations.length > 0 && { locations }),
        ...(rawOutput !== undefined && { rawOutput }),
      })
      if (this.operation === 'todo_write') this.#plan(result)
    })
  }

  /** @param {any} result */
  #endTerminal(result) {
    const { details = {} } = result
    const id = typeof details?.sessionId === 'string' && details.status === 'running' ? details.sessionId : undefined
    if (this.operation === 'execute' && id !== undefined) {
      if (!this.#terminal) return
      this.#terminal.show(outputOf(result))
      this.#session.background.set(id, this)
      this.#session.watch(this.toolkit)
      return
    }
    this.#terminal?.show(outputOf(result))
    this.#terminal?.end(exitCodeOf(result), typeof details?.signal === 'string' ? details.signal : null)
  }

  /**
   * Output of the command after it went to the background.
   *
   * @param {string} text
   */
  later(text) {
    this.#safely(() => this.#terminal?.append(text))
  }

  /**
   * @param {number | null} exitCode
   * @param {string | null} signal
   */
  exited(exitCode, signal) {
    this.#safely(() => this.#terminal?.end(exitCode, signal))
  }

  /** @param {any} error */
  fail(error) {
    clearTimeout(this.#timer)
    this.#safely(() => {
      const isAborted = error?.error_type === 'aborted' || this.signal.aborted
      const message = typeof error?.message === 'string' ? error.message : 'The call failed.'
      const output = error?.details?.output
      if (this.#terminal && typeof output === 'string') this.#terminal.show(output)
      const content = [...(this.#terminal?.content ?? []), textPart(message)]
      this.#terminal?.end(null, null)
      const details = ToolError.is(error) ? { error_type: error.error_type, ...error.details } : undefined
      this.#send({ status: isAborted ? this.#session.wire.cancelled : 'failed', content, ...(details && { rawOutput: rawOf(details) }) })
    })
  }

  /** @param {any} result */
  #plan({ details }) {
    const given = details?.items ?? details?.todos ?? this.#call.params?.todos ?? this.#call.params?.items
    if (!Array.isArray(given)) return
    const todos = given.flatMap((/** @type {any} */ item) => {
      const content = item?.content ?? item?.text ?? item?.title
      return typeof content === 'string' ? [{ content, status: String(item.status ?? 'pending'), priority: item.priority }] : []
    })
    this.#session.send(this.#session.wire.plan(todos))
  }

  /** @param {import('../../index.d.ts').AgentToolResult<any>['content']} content */
  #contentOf(content) {
    return content.map((part) => {
      if (part.type !== 'text') return { type: 'content', content: { type: 'image', data: part.data, mimeType: part.mimeType } }
      return textPart(VERBATIM.includes(this.kind) ? fenced(bounded(part.text)) : bounded(part.text))
    })
  }

  /** @param {object} fields */
  #send(fields) {
    this.#session.send(this.#session.wire.update({ toolCallId: this.id, ...fields }))
  }

  /**
   * What a client is shown never affects a call.
   *
   * @param {() => void} show
   */
  #safely(show) {
    try {
      show()
    } catch (error) {
      notShown(this.#session.peer, error)
    }
  }
}

/**
 * What is known of a call before it runs.
 *
 * @param {{ tool: string, params: any, toolkit: any }} call
 */
function judged({ tool, params, toolkit }) {
  const known = toolkit.getTool(tool)
  const name = plainName(tool)
  let decision
  try {
    decision = toolkit.decide(tool, params)
  } catch {
    // The call itself says what is wrong.
    decision = { verdict: 'deny', effects: {} }
  }
  const operation = known?.metadata?.operation ?? (name === tool ? undefined : NATIVE[name])
  return { operation, label: labelOf(name, known?.label), decision }
}

/**
 * Servers choose the titles of their tools, which may say that they are something else.
 *
 * @param {string} name
 * @param {string} [label]
 */
function labelOf(name, label = name) {
  return name.startsWith('mcp__') && label !== name ? `${name} (${label})` : label
}

/** The operations of tools that are called by their names in every vocabulary. @type {Record<string, string>} */
const NATIVE = {
  read: 'read',
  write: 'write',
  edit: 'edit',
  apply_patch: 'patch',
  ls: 'list',
  find: 'find',
  grep: 'grep',
  exec: 'execute',
  process: 'process',
  skill: 'skill',
}

/**
 * What a command has printed.
 *
 * @param {any} result
 */
function outputOf({ content, details }) {
  if (typeof details?.output === 'string') return details.output
  if (typeof details?.stdout === 'string' && !details.stderr) return details.stdout
  return content
    .map((/** @type {any} */ part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .replace(/\n*Command exited with code \d+$/, '\n')
}

/** @param {any} result */
function exitCodeOf({ content, details }) {
  const known = details?.exitCode ?? details?.exit_code
  if (typeof known === 'number') return known
  if (details?.signal) return null
  const last = content.at(-1)
  const said = /Command exited with code (\d+)$/.exec(last?.type === 'text' ? last.text : '')
  return said ? Number(said[1]) : 0
}

/** @param {any} details */
function lineOf(details) {
  const line = details?.firstChangedLine ?? details?.startLine
  return Number.isSafeInteger(line) && line > 0 ? line : undefined
}

/**
 * A value as plain JSON of a bounded size; nothing where it is none.
 *
 * @param {unknown} value
 */
function rawOf(value) {
  if (value === undefined || value === null) return undefined
  try {
    const json = JSON.stringify(value, (_, member) =>
      typeof member === 'string' && member.length > RAW_CHARACTERS ? `${whole(member.slice(0, RAW_CHARACTERS))}…` : member,
    )
    return json === undefined || json.length > RAW_MAX_CHARACTERS ? undefined : JSON.parse(json)
  } catch {
    // The call itself says what is wrong with its parameters.
    return undefined
  }
}

/** @param {string} text */
function bounded(text) {
  if (text.length <= TEXT_CHARACTERS) return text
  return `${whole(text.slice(0, TEXT_CHARACTERS))}\n[${text.length - TEXT_CHARACTERS} characters more]`
}

/** @param {string} text without half a letter at its end */
function whole(text) {
  return text.replace(/[\ud800-\udbff]$/, '')
}

/** @param {string} text */
function fenced(text) {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}

/** @param {string} text */
function textPart(text) {
  return { type: 'content', content: { type: 'text', text } }
}

module.exports = { CallReport, bounded, fenced, rawOf, textPart }
