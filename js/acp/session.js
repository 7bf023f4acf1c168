// @ts-check
'use strict'

const path = require('node:path')

const { requireOptions } = require('../adapters/calls.js')
const { canDo } = require('../mcp/calls.js')
const { questionAnswers, questionsForm } = require('../mcp/forms.js')
const { nativeName } = require('../native-names.js')
const { ToolError, describe, invalidInput } = require('../tool-error.js')
const { Approvals } = require('./approvals.js')
const { Editor } = require('./editor.js')
const { notShown, peerOf } = require('./peer.js')
const { CallReport } = require('./report.js')
const { terminalForm } = require('./terminal-report.js')
const { WIRES } = require('./wire.js')

/** Clients learn the id of a session from the response that creates it, so what belongs to it follows later. */
const ANNOUNCE_MS = 100

/**
 * What an agent says of its calls to the editor of a session.
 *
 * @implements {Pick<import('../../acp.d.ts').AcpSession, 'cancel'>}
 */
class Session {
  /** Calls that run, by their ids. @type {Map<string, CallReport>} */
  running = new Map()
  /** Commands that run in the background, by the ids that the toolkit has for them. @type {Map<string, CallReport>} */
  background = new Map()
  #approvals
  #editor
  #toolkits = new WeakSet()

  /** @param {import('../../acp.d.ts').AcpSessionOptions} options */
  constructor({ ctx, sessionId, clientCapabilities, protocolVersion = 1, files = 'disk' }) {
    if (typeof sessionId !== 'string' || sessionId === '') throw invalidInput('acpSession', 'The option `sessionId` must be the id of the session, a string.')
    if (protocolVersion !== 1 && protocolVersion !== 2) throw invalidInput('acpSession', 'The option `protocolVersion` must be 1 or 2.')
    if (files !== 'disk' && files !== 'editor') throw invalidInput('acpSession', "The option `files` must be 'disk' or 'editor'.")
    this.peer = peerOf('acpSession', ctx)
    this.sessionId = sessionId
    this.wire = WIRES[protocolVersion]
    this.capabilities = clientCapabilities ?? {}
    this.terminals = terminalForm(protocolVersion, this.capabilities)
    this.workspace = ''
    this.#approvals = new Approvals(this)
    this.#editor = files === 'editor' ? new Editor(this) : undefined
  }

  /** The options of its toolkit. */
  get options() {
    return {
      onApproval: (/** @type {any} */ request, /** @type {any} */ { signal }) => this.#approvals.ask(request, signal),
      host: { askUser: (/** @type {any} */ request, /** @type {any} */ { signal }) => this.#askUser(request, signal) },
      observe: {
        opened: (/** @type {any} */ toolkit, /** @type {string} */ workspace) => this.#opened(toolkit, workspace),
        around: (/** @type {any} */ call, /** @type {any} */ run) => this.#around(call, run),
        undo: (/** @type {string} */ id, /** @type {() => Promise<any[]>} */ run) => (this.#editor ? this.#editor.undo(id, run) : run()),
      },
    }
  }

  /**
   * Sends an update of the session. Updates arrive in the order in which they are sent.
   *
   * @param {any} update
   */
  send(update) {
    const failed = (/** @type {unknown} */ error) => notShown(this.peer, error)
    try {
      Promise.resolve(this.peer.notify('session/update', { sessionId: this.sessionId, update })).catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  /**
   * Asks the client, until nobody wants the answer any more.
   *
   * @param {string} method
   * @param {any} params
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  request(method, params, signal) {
    const options = signal && { cancellationSignal: signal, stopWaitingOnCancel: true }
    return this.peer.request(method, { sessionId: this.sessionId, ...params }, options)
  }

  /** Stops all calls. */
  cancel() {
    for (const report of this.running.values()) report.cancel()
  }

  /**
   * Stops one call, by what the client knows it by.
   *
   * @param {string} toolCallId
   */
  cancelToolCall(toolCallId) {
    const report = this.running.get(toolCallId)
    report?.cancel()
    return report !== undefined
  }

  /**
   * Stops the command in a terminal, also one in the background.
   *
   * @param {string} terminalId
   */
  async cancelTerminal(terminalId) {
    if (this.cancelToolCall(terminalId)) return true
    for (const [id, report] of this.background) {
      if (report.id !== terminalId) continue
      await report.toolkit.execute(nativeName('process'), { action: 'kill', sessionId: id })
      return true
    }
    return false
  }

  /**
   * The skills of a toolkit, as commands that the user can type.
   *
   * @param {any} toolkit
   * @returns {Promise<any[]>}
   */
  async commands(toolkit) {
    return this.wire.commands(await skillsOf(toolkit)).availableCommands
  }

  /**
   * @param {any} toolkit
   * @param {string} workspace
   */
  #opened(toolkit, workspace) {
    this.workspace = path.resolve(workspace)
    const timer = setTimeout(() => {
      skillsOf(toolkit).then(
        (skills) => skills.length > 0 && this.send(this.wire.commands(skills)),
        (error) => notShown(this.peer, error),
      )
    }, ANNOUNCE_MS)
    timer.unref()
  }

  /**
   * Commands in the background are reported while they run.
   *
   * @param {any} toolkit
   */
  watch(toolkit) {
    if (this.#toolkits.has(toolkit)) return
    this.#toolkits.add(toolkit)
    toolkit.on('process_output', (/** @type {any} */ { sessionId, text }) => this.background.get(sessionId)?.later(text))
    toolkit.on('process_exited', (/** @type {any} */ { sessionId, exitCode = null, signal = null }) => {
      this.background.get(sessionId)?.exited(exitCode, signal)
      this.background.delete(sessionId)
    })
  }

  /**
   * @param {{ tool: string, params: any, toolCallId: string, toolkit: any }} call
   * @param {(options: { onUpdate: (partial: any) => void, signal: AbortSignal }) => Promise<any>} run
   */
  async #around(call, run) {
    const report = new CallReport(this, call)
    this.running.set(call.toolCallId, report)
    try {
      report.begin()
      const work = () => run({ onUpdate: (partial) => report.update(partial), signal: report.signal })
      const result = await (this.#editor ? this.#editor.run(report, work) : work())
      report.end(result)
      return result
    } catch (error) {
      report.fail(error)
      throw error
    } finally {
      if (this.running.get(call.toolCallId) === report) this.running.delete(call.toolCallId)
    }
  }

  /**
   * @param {import('../../index.d.ts').UserQuestions} request
   * @param {AbortSignal} signal
   */
  async #askUser({ questions, toolCallId }, signal) {
    if (!canDo(this.capabilities, 'elicitation')) throw new Error('the ACP client cannot ask its user: it does not support elicitation')
    const answer = await this.request('elicitation/create', { toolCallId, mode: 'form', ...questionsForm(questions) }, signal)
    return questionAnswers(questions, answer ?? {})
  }
}

/**
 * The skills that an agent may load.
 *
 * @param {any} toolkit
 * @returns {Promise<{ name: string, description: string }[]>}
 */
async function skillsOf(toolkit) {
  try {
    const { details } = await toolkit.execute(nativeName('skill'), { action: 'list' }, { auto: true })
    return details.skills ?? []
  } catch (error) {
    // An agent without skills has no commands.
    if (ToolError.is(error)) return []
    throw new Error(`The skills could not be listed: ${describe(error)}`)
  }
}

/**
 * The editor's side of an agent: reports, approvals and questions.
 *
 * @param {import('../../acp.d.ts').AcpSessionOptions} options
 * @returns {import('../../acp.d.ts').AcpSession}
 */
function acpSession(options) {
  requireOptions('acpSession', options, ['ctx', 'sessionId', 'clientCapabilities', 'protocolVersion', 'files'])
  const session = new Session(options)
  return {
    options: session.options,
    cancel: () => session.cancel(),
    cancelToolCall: (toolCallId) => session.cancelToolCall(toolCallId),
    cancelTerminal: (terminalId) => session.cancelTerminal(terminalId),
    commands: (toolkit) => session.commands(toolkit),
  }
}

module.exports = { acpSession, skillsOf }
