// @ts-check
'use strict'

const { spawn } = require('node:child_process')
const { randomUUID } = require('node:crypto')
const { appendFileSync, closeSync, constants, openSync } = require('node:fs')
const path = require('node:path')

const { failure } = require('../mcp/protocol.js')
const { sender } = require('../mcp/stdio.js')
const { ToolError, describe } = require('../tool-error.js')
const { questioned } = require('./approvals.js')
const { GUARDED, HARMLESS, NAMESPACES, OF_TERMINALS, denialOf, judgeGuarded } = require('./guards.js')
const { code } = require('./kinds.js')
const { acpMcpServer } = require('./mcp.js')
const { reader, written } = require('./messages.js')
const { CANCELLED, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, WireError, noTerminal } = require('./peer.js')
const { allowingOnce, judge } = require('./permissions.js')
const { Questions } = require('./questions.js')
const { rawOf, textPart } = require('./report.js')
const { WIRES } = require('./wire.js')

/** The name under which an agent has our tools. */
const SERVER = 'tenon'
/** The requests that open a session. */
const OPENING = ['session/new', 'session/load', 'session/resume', 'session/fork']
/** Those whose answer names the session. */
const NAMING = ['session/new', 'session/fork']
const CLOSING = ['session/close', 'session/delete']
/** What is not written down of a secret that a title names. */
const SECRET = /\b([\w-]*(?:token|secret|passw(?:or)?d|api[_-]?key|authorization)[\w-]*["']?\s*[=:]\s*)(?:bearer\s+)?\S+/gi
const TITLE_CHARACTERS = 500
/** An agent that does not end is killed. */
const END_MS = 3000

/**
 * @typedef {{ toolkit: any, server: any, session: { id?: string }, directory: string }} Room what a session has of ours
 * @typedef {object} ProxyOptions
 * @property {string[]} command of the agent
 * @property {(workspace: string, more: readonly string[], onApproval: any) => any} open makes the toolkit of a session
 * @property {string} [record] the file of the audit
 * @property {NodeJS.ReadableStream} [input]
 * @property {NodeJS.WritableStream} [output]
 */

/** Stands between an editor and an agent: answers by policy, gives the agent the tools, and keeps the record. */
class AgentProxy {
  #options
  #child
  /** @type {(message: any) => void} */
  #toEditor
  /** @type {(message: any) => void} */
  #toAgent
  /** By the ids of requests of the editor whose answers are read. @type {Map<unknown, { method: string, room?: Room, sessionId?: string }>} */
  #pending = new Map()
  /** @type {Map<string, Room>} */
  #rooms = new Map()
  /** By the ids of sessions. @type {Map<unknown, Set<string>>} */
  #terminals = new Map()
  /** Requests of the agent that the editor has. @type {Map<unknown, { method: string, sessionId: unknown }>} */
  #handedOn = new Map()
  /** Requests of the agent about which the user is asked. @type {Map<unknown, AbortController>} */
  #asking = new Map()
  #questions
  #version = 1
  /** Whether the agent starts MCP servers: every one of version 1 does, one of version 2 says so. */
  #startsServers = true
  /** @type {any} */
  #capabilities = {}
  /** @param {ProxyOptions} options */
  constructor(options) {
    this.#options = options
    const { command, output = process.stdout } = options
    // A group of its own, so that nothing that it starts is left.
    this.#child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'], detached: process.platform !== 'win32' })
    this.#toEditor = sender(/** @type {any} */ (output), written)
    this.#toAgent = sender(/** @type {any} */ (this.#child.stdin), written)
    this.#questions = new Questions(this.#toEditor)
    this.#child.stdin.on('error', () => {})
  }

  /** Runs until the agent ends. @returns {Promise<number>} its exit code */
  async run() {
    const { input = process.stdin } = this.#options
    const stop = () => this.#end()
    const fromEditor = reader((message) => this.#fromEditor(message), this.#toEditor)
    const fromAgent = reader((message) => this.#fromAgent(message), this.#toAgent)
    input.on('data', fromEditor)
    for (const event of ['end', 'close']) input.once(event, stop)
    this.#child.stdout.on('data', fromAgent)
    const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
    for (const signal of signals) process.once(signal, stop)
    const code = await /** @type {Promise<number>} */ (
      new Promise((resolve, reject) => {
        this.#child.once('error', (error) => reject(new Error(`The agent \`${this.#options.command[0]}\` could not be started: ${error.message}`)))
        this.#child.once('close', (exitCode, signal) => resolve(exitCode ?? (signal ? 1 : 0)))
      })
    ).finally(async () => {
      for (const signal of signals) process.off(signal, stop)
      input.off('data', fromEditor)
      input.pause()
      this.#kill('SIGKILL')
      const opening = [...this.#pending.values()].flatMap(({ room }) => room ?? [])
      await Promise.all([...this.#rooms.values(), ...opening].map(closed))
    })
    return code
  }

  #end() {
    this.#child.stdin.end()
    setTimeout(() => this.#kill('SIGTERM'), END_MS).unref()
    setTimeout(() => this.#kill('SIGKILL'), 2 * END_MS).unref()
  }

  /** @param {NodeJS.Signals} signal */
  #kill(signal) {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      if (process.platform === 'win32') this.#child.kill(signal)
      else process.kill(-pid, signal)
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'ESRCH') process.stderr.write(`tenon: the agent could not be ended: ${describe(error)}\n`)
    }
  }

  /** @param {any} message */
  #fromEditor(message) {
    const { id, method, params } = message
    if (method == null) return this.#answeredByEditor(message)
    if (method === 'initialize') this.#capabilities = params?.clientCapabilities ?? params?.capabilities ?? {}
    if (method === 'session/cancel') this.#questions.cancel(params?.sessionId)
    if (id !== undefined && OPENING.includes(method)) return this.#open(message)
    if (id !== undefined && ['initialize', ...CLOSING].includes(method)) this.#pending.set(id, { method, sessionId: params?.sessionId })
    this.#toAgent(message)
  }

  /** What the editor answers to requests of the agent, and to questions of ours. @param {any} message */
  #answeredByEditor(message) {
    if (this.#questions.take(message)) return
    const request = this.#handedOn.get(message.id)
    this.#handedOn.delete(message.id)
    const terminalId = message.result?.terminalId
    if (request?.method === 'terminal/create' && typeof terminalId === 'string') this.#terminalsOf(request.sessionId).add(terminalId)
    this.#toAgent(message)
  }

  /** The terminals that the editor has made for a session. @param {unknown} sessionId */
  #terminalsOf(sessionId) {
    const known = this.#terminals.get(sessionId) ?? new Set()
    if (this.#roomOf(sessionId)) this.#terminals.set(sessionId, known)
    return known
  }

  /** Gives the tools to a session that the editor opens. @param {any} message */
  #open(message) {
    const { id, method, params } = message
    let room
    try {
      requireOpening(params)
      room = this.#room(params)
    } catch (error) {
      return this.#toEditor(failure(id, error instanceof WireError ? error.code : INTERNAL_ERROR, `tenon: ${describe(error)}`))
    }
    if (!NAMING.includes(method)) room.session.id = params.sessionId
    this.#pending.set(id, { method, room, sessionId: room.session.id })
    const servers = (params.mcpServers ?? []).filter((/** @type {any} */ server) => server?.name !== SERVER)
    if (this.#startsServers) servers.push({ ...room.server })
    else process.stderr.write('tenon: the agent starts no MCP servers, so it has its own tools only. Its requests for permission are judged.\n')
    this.#toAgent({ ...message, params: { ...params, mcpServers: servers } })
  }

  /**
   * The tools of a session.
   *
   * @param {any} params
   * @returns {Room}
   */
  #room({ cwd, additionalDirectories }) {
    const place = { session: { id: /** @type {string | undefined} */ (undefined) }, directory: path.resolve(cwd) }
    const onApproval = (/** @type {any} */ request, /** @type {any} */ { signal }) => this.#question(place, request, signal)
    const toolkit = this.#options.open(cwd, additionalDirectories ?? [], onApproval)
    const server = acpMcpServer(toolkit, { name: SERVER, protocolVersion: this.#version === 2 ? 2 : 1 })
    return { ...place, toolkit, server }
  }

  /**
   * What judges a session: also one that is being loaded, whose agent may read files before it has answered.
   *
   * @param {unknown} sessionId
   * @returns {Room | undefined}
   */
  #roomOf(sessionId) {
    if (typeof sessionId !== 'string') return undefined
    return this.#rooms.get(sessionId) ?? [...this.#pending.values()].find(({ room }) => room?.session.id === sessionId)?.room
  }

  /**
   * @param {string} sessionId
   * @param {Room} room
   */
  #keep(sessionId, room) {
    const old = this.#rooms.get(sessionId)
    if (old) void closed(old)
    room.session.id = sessionId
    this.#rooms.set(sessionId, room)
  }

  /** @param {string} sessionId */
  #close(sessionId) {
    const room = this.#rooms.get(sessionId)
    this.#rooms.delete(sessionId)
    this.#terminals.delete(sessionId)
    this.#questions.withdraw(sessionId)
    if (room) void closed(room)
  }

  /** @param {any} message */
  #fromAgent(message) {
    const { id, method, params } = message
    if (method == null) {
      this.#answered(message)
      return this.#toEditor(message)
    }
    if (method === '$/cancel_request') return this.#cancelled(message)
    if (method === 'session/request_permission' && id !== undefined) return this.#permission(message)
    if (Object.hasOwn(GUARDED, method) || NAMESPACES.test(method)) return this.#guarded(message)
    const denial = HARMLESS.includes(method) ? undefined : denialOf(this.#placesOf(params?.sessionId), params)
    if (denial) return this.#refuse(message, { title: code(method), kind: 'other' }, denial)
    this.#handOn(message)
  }

  /** @param {unknown} sessionId */
  #placesOf(sessionId) {
    if (sessionId == null) return [...this.#rooms.values()]
    const room = this.#roomOf(sessionId)
    return room ? [room] : []
  }

  /** @param {any} message of the agent */
  #handOn(message) {
    const { id, method, params } = message
    if (id !== undefined) this.#handedOn.set(id, { method, sessionId: params?.sessionId })
    this.#toEditor(message)
  }

  /** The agent does not want an answer any more. What never reached the editor is not cancelled there. @param {any} message */
  #cancelled(message) {
    const requestId = message.params?.requestId
    this.#asking.get(requestId)?.abort()
    if (this.#handedOn.has(requestId)) this.#toEditor(message)
  }

  /** What the agent answers to requests of the editor. @param {any} message */
  #answered({ id, result, error }) {
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#pending.delete(id)
    const { method, room } = pending
    const isDone = result !== undefined && error == null
    if (method === 'initialize') return isDone && this.#agreed(result ?? {})
    const sessionId = NAMING.includes(method) ? result?.sessionId : pending.sessionId
    if (!room && isDone) this.#close(sessionId)
    // What was refused changes nothing about a session that is open.
    else if (room && (!isDone || typeof sessionId !== 'string')) void closed(room)
    else if (room) this.#keep(sessionId, room)
  }

  /** @param {any} result of `initialize` */
  #agreed({ protocolVersion = this.#version, capabilities }) {
    this.#version = protocolVersion
    this.#startsServers = protocolVersion !== 2 || Boolean(capabilities?.session?.mcp?.stdio)
  }

  /** @param {any} message */
  #permission(message) {
    const { id, params } = message
    const room = this.#roomOf(params?.sessionId)
    const options = Array.isArray(params?.options) ? params.options : []
    const decision = room ? judge(room.toolkit, params, SERVER) : { verdict: 'ask', reason: 'The session is not known.' }
    const optionOf = (/** @type {string} */ kind) => options.find((/** @type {any} */ option) => option?.kind === kind)?.optionId
    const chosen =
      decision.verdict === 'allow' ? allowingOnce(options) : decision.verdict === 'deny' ? (optionOf('reject_once') ?? optionOf('reject_always')) : undefined
    this.#note(params, decision, chosen)
    if (decision.verdict === 'deny') this.#notice(params, decision.reason)
    if (chosen !== undefined) return this.#toAgent({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId: chosen } } })
    if (decision.verdict === 'deny') return this.#toAgent(refusal(id, decision.reason))
    this.#handOn(message)
  }

  /** Files and commands of the editor that the agent wants to use. @param {any} message */
  async #guarded(message) {
    const { id, method, params } = message
    const room = this.#roomOf(params?.sessionId)
    let call
    try {
      if (!Object.hasOwn(GUARDED, method) && !OF_TERMINALS.includes(method)) throw new WireError(METHOD_NOT_FOUND, 'The method is not known.')
      if (id === undefined) throw new Error('A request must have an id.')
      if (!room) throw new Error('The session is not known.')
      if (OF_TERMINALS.includes(method)) {
        if (!this.#terminalsOf(params.sessionId).has(params.terminalId)) throw noTerminal(params.terminalId)
        return this.#handOn(message)
      }
      call = judgeGuarded(room, method, params)
    } catch (error) {
      const denial = /** @type {const} */ ({ verdict: 'deny', reason: describe(error) })
      return this.#refuse(message, { title: code(method), kind: 'other' }, denial, error instanceof WireError ? error.code : undefined)
    }
    if (call.verdict === 'deny') return this.#refuse(message, call, call)
    if (call.verdict === 'ask') {
      const stop = new AbortController()
      this.#asking.set(id, stop)
      const answer = await this.#askAbout(params, call, stop.signal).finally(() => this.#asking.delete(id))
      this.#note({ ...call, sessionId: params.sessionId }, call, answer ?? 'reject_once')
      if (stop.signal.aborted) return this.#toAgent(failure(id, CANCELLED, 'The request was cancelled.'))
      if (answer !== 'allow_once') return this.#toAgent(refusal(id, 'The user declined it.'))
    }
    this.#handOn(message)
  }

  /**
   * @param {any} params
   * @param {ReturnType<typeof judgeGuarded>} call
   * @param {AbortSignal} signal
   */
  #askAbout({ sessionId, ...params }, { title, kind, reason, show }, signal) {
    const content = [textPart(reason), ...show()]
    const toolCall = { toolCallId: `tenon-${randomUUID()}`, title, kind, status: 'pending', rawInput: rawOf(params), content }
    return this.#ask(sessionId, toolCall, title, reason, signal)
  }

  /**
   * @param {any} message of the agent that is not handed on
   * @param {{ title: string, kind: string }} call
   * @param {import('./permissions.js').Verdict} decision
   * @param {number} [code]
   */
  #refuse({ id, params }, { title, kind }, decision, code) {
    const request = { sessionId: params?.sessionId, title, kind }
    this.#note(request, decision, 'reject_once')
    this.#notice(request, decision.reason)
    if (id !== undefined) this.#toAgent(refusal(id, decision.reason, code))
  }

  /**
   * What policy wants to have approved of a call of our own tools.
   *
   * @param {Pick<Room, 'session' | 'directory'>} room
   * @param {import('../../index.d.ts').ApprovalRequest} request
   * @param {AbortSignal} signal
   */
  async #question({ session, directory }, request, signal) {
    if (session.id === undefined) throw new Error('the session is not known yet')
    const { toolCallId, tool, params, reason } = request
    const content = questioned(request, WIRES[this.#version === 2 ? 2 : 1], directory)
    const toolCall = { toolCallId, title: tool, kind: 'other', status: 'pending', rawInput: rawOf(params), content }
    const answer = await this.#ask(session.id, toolCall, `Allow ${tool}?`, reason, signal)
    if (answer === 'allow_once') return 'once'
    throw new ToolError('the user declined it', { tool, error_type: 'permission_denied', details: { code: 'approval_denied' } })
  }

  /**
   * @param {string} sessionId
   * @param {any} toolCall
   * @param {string} title
   * @param {string} description
   * @param {AbortSignal} signal
   */
  #ask(sessionId, toolCall, title, description, signal) {
    const shown = this.#version === 2 ? { title, description, subject: { type: 'tool_call', toolCall } } : { toolCall }
    return this.#questions.ask(sessionId, shown, signal)
  }

  /**
   * Lets the user see what was refused.
   *
   * @param {any} params
   * @param {string} reason
   */
  #notice({ sessionId, title, toolCall }, reason) {
    const what = title ?? toolCall?.title
    const isKnown = this.#roomOf(sessionId) && (this.#version === 2 || this.#capabilities?.session?.notices)
    const update = { sessionUpdate: 'notice', severity: 'warning', title: `Not permitted${typeof what === 'string' ? `: ${what}` : ''}`, description: reason }
    if (isKnown) return this.#toEditor({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } })
    process.stderr.write(`tenon: not permitted: ${JSON.stringify(what ?? '')}: ${reason}\n`)
  }

  /**
   * Keeps an answer in the record.
   *
   * @param {any} params
   * @param {{ verdict: string, reason: string, matched_rule?: string | null }} decision
   * @param {string | undefined} answer `undefined`: the user is asked
   */
  #note(params, { verdict, reason, matched_rule }, answer) {
    const { record } = this.#options
    if (record === undefined) return
    const call = params?.toolCall ?? params?.subject?.toolCall
    const title = params?.title ?? call?.title ?? params?.subject?.command ?? ''
    const line = {
      at: Date.now(),
      type: 'permission',
      session: params?.sessionId,
      kind: params?.kind ?? call?.kind,
      title: String(title).replace(SECRET, '$1[secret]').slice(0, TITLE_CHARACTERS),
      verdict,
      reason: reason.replace(SECRET, '$1[secret]').slice(0, TITLE_CHARACTERS),
      matched_rule: matched_rule ?? null,
      answer: answer ?? 'user',
    }
    try {
      const file = openSync(record, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600)
      try {
        appendFileSync(file, `${JSON.stringify(line)}\n`)
      } finally {
        closeSync(file)
      }
    } catch (error) {
      process.stderr.write(`tenon: the record \`${record}\` could not be written: ${describe(error)}\n`)
    }
  }
}

/**
 * Refuses a session of which it cannot be said where it is: it would be judged by another place.
 *
 * @param {any} params
 */
function requireOpening(params) {
  const { cwd, mcpServers, additionalDirectories } = params ?? {}
  if (typeof cwd !== 'string' || cwd === '') throw new WireError(INVALID_PARAMS, '`cwd` must be the path of a directory, a string.')
  for (const [name, value] of Object.entries({ mcpServers, additionalDirectories }))
    if (value != null && !Array.isArray(value)) throw new WireError(INVALID_PARAMS, `\`${name}\` must be a list.`)
}

/** @param {Room} room */
async function closed({ toolkit, server }) {
  await server.close()
  await toolkit.close()
}

/**
 * @param {any} id
 * @param {string} reason
 * @param {number} [code]
 */
function refusal(id, reason, code = INTERNAL_ERROR) {
  return failure(id, code, `Not permitted: ${reason}`)
}

/**
 * @param {ProxyOptions} options
 * @returns {Promise<number>} the exit code of the agent
 */
function runProxy(options) {
  return new AgentProxy(options).run()
}

module.exports = { runProxy }
