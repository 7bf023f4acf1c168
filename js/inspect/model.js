// @ts-check
'use strict'

/** Most characters of the output of one process that are kept: its end. */
const OUTPUT_MAX = 256 * 1024
/** The parameters that say in a line what a call is about, the clearest first. */
const SUBJECT_PARAMS = ['command', 'cmd', 'file_path', 'path', 'filePath', 'pattern', 'query', 'url', 'objective', 'action', 'name', 'input', 'patch']
/** Most characters of such a line. */
const SUBJECT_MAX = 160

/**
 * A call, as its events describe it.
 *
 * @typedef {object} Call
 * @property {number} n its place in the session, from 0
 * @property {string} id
 * @property {string} session
 * @property {string} tool
 * @property {number} at when it arrived
 * @property {State} state
 * @property {any} params
 * @property {any[]} repairs
 * @property {any[]} hooks
 * @property {any[]} decisions
 * @property {any} [asked]
 * @property {any} [answered]
 * @property {number} [startedAt]
 * @property {string} [partial] the end of what it has printed so far
 * @property {any} [finished]
 * @property {number} [endAt]
 * @property {any} [result] what it returned in full, where that was seen
 * @property {string} [checkpoint] the state of the files before it
 *
 * @typedef {'judged' | 'waiting' | 'running' | 'done' | 'failed' | 'denied' | 'stopped' | 'lost'} State
 * @typedef {{ id: string, session: string, pid: number, command: string, startedAt: number, output: string, omitted: number, status: string, exitCode?: number, signal?: string, durationMs?: number }} Process
 */

/** What happened in a session, made of the events of its stream. */
class Model {
  /** @type {Call[]} */
  calls = []
  /** @type {Map<string, Process>} */
  processes = new Map()
  /** The sessions, the one of the toolkit first, with what is known of the sub-agents. @type {Map<string, { id: string, agent?: string, status?: string, parentCall?: string }>} */
  sessions = new Map()
  /** Lines that are not events. */
  unreadable = 0
  /** Events that the record lost. */
  lost = 0
  mode = 'default'
  isClosed = false
  /** The calls that run, by their session and id. @type {Map<string, Call>} */
  #open = new Map()
  /** Calls that have changed since `changed()` was read. @type {Set<Call>} */
  #changed = new Set()
  /** @type {Set<string>} */
  #changedProcesses = new Set()

  /** @param {any} event */
  take(event) {
    if (typeof event !== 'object' || event === null || typeof event.type !== 'string') {
      this.unreadable += 1
      return
    }
    if (event.type === 'lost') {
      this.lost += Number(event.count) || 0
      return
    }
    const session = String(event.session ?? '')
    if (!this.sessions.has(session)) this.sessions.set(session, { id: session })
    if (event.type.startsWith('process_')) return this.#process(event, session)
    if (event.type === 'mode_changed') this.mode = String(event.mode)
    if (event.type === 'closed') this.#close(session)
    if (event.type === 'run_ended') this.#run(event)
    if (typeof event.toolCallId === 'string') this.#call(event, session)
    // A call that starts an agent names its session in its details.
    if (event.type === 'finished' && typeof event.details?.agent === 'string') this.#run({ ...event.details, toolCallId: event.toolCallId })
  }

  /**
   * The result of a call in full, from where it was seen.
   *
   * @param {Call} call
   * @param {any} result
   */
  returned(call, result) {
    call.result = result
    this.#changed.add(call)
  }

  /** The call with this id that runs. @param {string} session @param {string} id */
  running(session, id) {
    return this.#open.get(`${session}\0${id}`)
  }

  /** The rows and processes that have changed since this was read. */
  changed() {
    const rows = [...this.#changed].map(rowOf)
    const processes = [...this.#changedProcesses].flatMap((id) => this.processes.get(id) ?? [])
    this.#changed.clear()
    this.#changedProcesses.clear()
    return { rows, processes }
  }

  rows() {
    return this.calls.map(rowOf)
  }

  /** @param {any} event @param {string} session */
  #call(event, session) {
    const key = `${session}\0${event.toolCallId}`
    let call = this.#open.get(key)
    // A record may begin in the middle of a call, where an older file of it is gone.
    if (!call || event.type === 'called') {
      const { toolCallId: id, tool, at, params } = event
      call = { n: this.calls.length, id, session, tool: String(tool), at: Number(at) || 0, state: 'judged', params, repairs: [], hooks: [], decisions: [] }
      this.calls.push(call)
      this.#open.set(key, call)
    }
    this.#changed.add(call)
    const { type: _type, seq: _seq, session: _session, toolCallId: _id, tool: _tool, ...said } = event
    switch (event.type) {
      case 'repaired':
        call.repairs.push(...(Array.isArray(event.repairs) ? event.repairs : []))
        break
      case 'hooked':
        call.hooks.push(said)
        break
      case 'judged':
        call.decisions.push(said)
        break
      case 'asked':
        call.asked = said
        call.state = 'waiting'
        break
      case 'answered':
        call.answered = said
        call.state = 'judged'
        break
      case 'started':
        call.startedAt = event.at
        call.state = 'running'
        break
      case 'update':
        call.partial = String(event.text ?? '')
        break
      case 'finished':
        call.finished = said
        call.endAt = Number(event.at) || call.at
        call.state = endOf(said)
        call.partial = undefined
        this.#open.delete(key)
        break
      default:
    }
  }

  /** @param {any} event */
  #run(event) {
    if (typeof event.sessionId !== 'string') return
    const { sessionId: id, agent, status, toolCallId: parentCall } = event
    this.sessions.set(id, { ...this.sessions.get(id), id, ...(agent && { agent }), ...(status && { status }), ...(parentCall && { parentCall }) })
  }

  /** @param {any} event @param {string} session */
  #process(event, session) {
    const id = String(event.sessionId)
    const key = `${session}\0${id}`
    let process = this.processes.get(key)
    if (!process) {
      process = { id, session, pid: event.pid, command: String(event.command), startedAt: event.at, output: '', omitted: 0, status: 'running' }
      this.processes.set(key, process)
    }
    this.#changedProcesses.add(key)
    if (event.type === 'process_output') {
      const output = process.output + String(event.text ?? '')
      process.omitted += (Number(event.omittedBytes) || 0) + Math.max(0, output.length - OUTPUT_MAX)
      process.output = output.slice(-OUTPUT_MAX)
      process.status = 'running'
    }
    if (event.type === 'process_waiting') process.status = 'waiting for input'
    if (event.type === 'process_exited') {
      const { status, exitCode, signal, durationMs } = event
      Object.assign(process, { status, exitCode, signal, durationMs })
    }
  }

  /** Nothing more comes of a session: calls without an end have none. @param {string} session */
  #close(session) {
    if (session === this.sessions.keys().next().value) this.isClosed = true
    for (const [key, call] of this.#open) {
      if (call.session !== session) continue
      call.state = 'lost'
      this.#changed.add(call)
      this.#open.delete(key)
    }
  }
}

/** @param {any} finished @returns {State} */
function endOf({ success, error_type: type }) {
  if (success) return 'done'
  return type === 'permission_denied' ? 'denied' : type === 'aborted' ? 'stopped' : 'failed'
}

/**
 * What a list shows of a call.
 *
 * @param {Call} call
 */
function rowOf(call) {
  const { n, id, session, tool, at, state, finished, answered, decisions, checkpoint } = call
  const changes = Array.isArray(finished?.changes) ? finished.changes.map((/** @type {any} */ change) => `${change.kind} ${change.path}`) : []
  return {
    n,
    id,
    session,
    tool,
    at,
    state,
    subject: subjectOf(call.params),
    ...(call.endAt !== undefined && { ms: finished?.durationMs ?? call.endAt - at }),
    ...(answered && { waitedMs: answered.afterMs }),
    ...(decisions.length > 0 && { verdict: decisions[decisions.length - 1].verdict }),
    ...(finished?.estimatedTokens > 0 && { tokens: finished.estimatedTokens }),
    ...(changes.length > 0 && { changes }),
    ...(checkpoint !== undefined && changes.length > 0 && { canUndo: true }),
    ...(finished?.sources?.length > 0 && { sources: finished.sources.map((/** @type {any} */ one) => `${one.from} (${one.source})`) }),
    ...(call.repairs.length > 0 && { repairs: call.repairs.length }),
  }
}

/** @param {any} params */
function subjectOf(params) {
  if (typeof params !== 'object' || params === null) return ''
  const name = SUBJECT_PARAMS.find((name) => typeof params[name] === 'string' && params[name] !== '')
  const text = name === undefined ? JSON.stringify(params) : params[name]
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > SUBJECT_MAX ? `${line.slice(0, SUBJECT_MAX)}…` : line
}

/**
 * The change that a call made, as a diff, from what is known of it.
 *
 * @param {Call} call
 * @returns {string | undefined}
 */
function diffOf({ finished, result, asked }) {
  if (!finished?.success) return asked?.preview?.diff
  const details = result?.details ?? finished.details
  const diff = [details?.patch, details?.diff, asked?.preview?.diff].find((text) => typeof text === 'string' && text !== '')
  return diff
}

module.exports = { Model, diffOf, rowOf, subjectOf }
