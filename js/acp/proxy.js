// @ts-check
'use strict'

const { spawn } = require('node:child_process')
const { appendFileSync, closeSync, constants, openSync } = require('node:fs')

const { lines, sender } = require('../mcp-stdio.js')
const { nativeName } = require('../native-names.js')
const { ToolError, describe } = require('../tool-error.js')
const { acpMcpServer } = require('./mcp.js')
const { INTERNAL_ERROR } = require('./peer.js')
const { judge } = require('./permissions.js')
const { commandLine } = require('./terminals.js')

/** The name under which an agent has our tools. */
const SERVER = 'tenon'
/** The requests that open a session. */
const OPENING = ['session/new', 'session/load', 'session/resume', 'session/fork']
const CLOSING = ['session/close', 'session/delete']
/** What an agent asks of its client, as a call of ours. @type {Record<string, (params: any) => { name: string, params: any, kind: string, title: string }>} */
const GUARDED = {
  'fs/read_text_file': ({ path }) => ({ name: nativeName('read'), params: { file_path: path }, kind: 'read', title: `Read \`${path}\`` }),
  'fs/write_text_file': ({ path, content }) => ({ name: nativeName('write'), params: { file_path: path, content }, kind: 'edit', title: `Write \`${path}\`` }),
  'terminal/create': ({ command, args = [], env = [], cwd }) => {
    const line = commandLine(command, args ?? [])
    const variables = Object.fromEntries((env ?? []).map((/** @type {any} */ { name, value }) => [name, value]))
    return { name: nativeName('exec'), params: { command: line, env: variables, ...(cwd && { workdir: cwd }) }, kind: 'execute', title: `\`${line}\`` }
  },
}
const OPTIONS = [
  { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
]
/** What is not written down of a secret that a title names. */
const SECRET = /\b([\w-]*(?:token|secret|passw(?:or)?d|api[_-]?key|authorization)[\w-]*["']?\s*[=:]\s*)(?:bearer\s+)?\S+/gi
const TITLE_CHARACTERS = 500
/** An agent that does not end is killed. */
const END_MS = 3000

/**
 * @typedef {{ toolkit: any, server: any }} Room what a session has of ours
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
  /** By the ids of requests of the editor that open or close sessions. @type {Map<unknown, { method: string, room?: Room, sessionId?: string }>} */
  #pending = new Map()
  /** @type {Map<string, Room>} */
  #rooms = new Map()
  /** Questions of ours to the editor. @type {Map<string, (message: any) => void>} */
  #questions = new Map()
  #asked = 0
  #version = 1
  /** Whether the agent starts MCP servers: every one of version 1 does, one of version 2 says so. */
  #startsServers = true
  /** @type {any} */
  #capabilities = {}
  /** The request of the editor that agrees on a version. @type {unknown} */
  #initialize

  /** @param {ProxyOptions} options */
  constructor(options) {
    this.#options = options
    const { command, output = process.stdout } = options
    // A group of its own, so that nothing that it starts is left.
    this.#child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'], detached: process.platform !== 'win32' })
    this.#toEditor = sender(/** @type {any} */ (output))
    this.#toAgent = sender(/** @type {any} */ (this.#child.stdin))
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
      await Promise.all([...this.#rooms.values()].map(closed))
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
  async #fromEditor(message) {
    const { id, method, params } = message
    if (method === undefined && this.#questions.has(id)) {
      this.#questions.get(id)?.(message)
      return
    }
    if (method === 'initialize') this.#initialize = id
    if (method === 'initialize') this.#capabilities = params?.clientCapabilities ?? params?.capabilities ?? {}
    if (method === 'session/cancel') this.#cancelled(params?.sessionId)
    if (CLOSING.includes(method)) this.#pending.set(id, { method, sessionId: params?.sessionId })
    if (!OPENING.includes(method)) return this.#toAgent(message)
    let room
    try {
      room = this.#room(params)
    } catch (error) {
      return this.#toEditor({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: `tenon: ${describe(error)}` } })
    }
    this.#pending.set(id, { method, room, sessionId: params?.sessionId })
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
  #room({ cwd, additionalDirectories = [], sessionId }) {
    const session = { id: /** @type {string | undefined} */ (sessionId) }
    const onApproval = (/** @type {any} */ request, /** @type {any} */ { signal }) => this.#question(session.id, request, signal)
    const toolkit = this.#options.open(cwd, additionalDirectories ?? [], onApproval)
    const server = acpMcpServer(toolkit, { name: SERVER, protocolVersion: this.#version === 2 ? 2 : 1 })
    const room = { toolkit, server, session }
    if (sessionId !== undefined) this.#keep(sessionId, room)
    return room
  }

  /**
   * @param {string} sessionId
   * @param {any} room
   */
  #keep(sessionId, room) {
    const old = this.#rooms.get(sessionId)
    if (old && old !== room) void closed(old)
    room.session.id = sessionId
    this.#rooms.set(sessionId, room)
  }

  /** @param {any} message */
  async #fromAgent(message) {
    const { id, method } = message
    if (method === 'session/request_permission' && id !== undefined) return this.#permission(message)
    if (typeof method === 'string' && Object.hasOwn(GUARDED, method)) return this.#guarded(message)
    if (method === undefined) this.#answered(message)
    this.#toEditor(message)
  }

  /** What the agent answers to requests of the editor. @param {any} message */
  #answered({ id, result }) {
    if (id === this.#initialize && result?.protocolVersion !== undefined) {
      this.#version = result.protocolVersion
      this.#startsServers = this.#version !== 2 || Boolean(result.capabilities?.session?.mcp?.stdio)
    }
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#pending.delete(id)
    const sessionId = result?.sessionId ?? pending.sessionId
    if (pending.room) {
      if (result !== undefined && typeof sessionId === 'string') this.#keep(sessionId, pending.room)
      else {
        if (typeof sessionId === 'string' && this.#rooms.get(sessionId) === pending.room) this.#rooms.delete(sessionId)
        void closed(pending.room)
      }
    }
    const room = this.#rooms.get(sessionId)
    if (CLOSING.includes(pending.method) && room && result !== undefined) {
      this.#rooms.delete(sessionId)
      void closed(room)
    }
  }

  /** @param {any} message */
  #permission(message) {
    const { id, params } = message
    const room = this.#rooms.get(params?.sessionId)
    const options = Array.isArray(params?.options) ? params.options : []
    const decision = room ? judge(room.toolkit, params, SERVER) : { verdict: 'ask', reason: 'The session is not known.' }
    const optionOf = (/** @type {string} */ kind) => options.find((/** @type {any} */ option) => option?.kind === kind)?.optionId
    const chosen =
      decision.verdict === 'allow' ? optionOf('allow_once') : decision.verdict === 'deny' ? (optionOf('reject_once') ?? optionOf('reject_always')) : undefined
    this.#note(params, decision, chosen)
    if (decision.verdict === 'deny') this.#notice(params, decision.reason)
    if (chosen !== undefined) return this.#toAgent({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId: chosen } } })
    if (decision.verdict === 'deny') return this.#toAgent(refusal(id, decision.reason))
    this.#toEditor(message)
  }

  /** Files and commands of the editor that the agent wants to use. @param {any} message */
  async #guarded(message) {
    const { id, method, params } = message
    const room = this.#rooms.get(params?.sessionId)
    if (!room) return this.#toEditor(message)
    let call
    try {
      call = GUARDED[method](params ?? {})
    } catch (error) {
      return this.#toAgent(refusal(id, describe(error)))
    }
    const { verdict, reason, matched_rule, issues = [] } = room.toolkit.decide(call.name, call.params)
    const request = { sessionId: params.sessionId, title: call.title, kind: call.kind }
    if (verdict === 'deny' && !isMissing(method, reason, issues)) {
      this.#note(request, { verdict, reason, matched_rule }, 'reject_once')
      this.#notice(params, reason)
      return this.#toAgent(refusal(id, reason))
    }
    if (verdict === 'ask') {
      const toolCall = { toolCallId: `tenon-${method}-${id}`, title: call.title, kind: call.kind, status: 'pending' }
      const answer = await this.#ask(params.sessionId, toolCall, call.title, reason, undefined)
      this.#note(request, { verdict, reason, matched_rule }, answer)
      if (answer !== 'allow_once') return this.#toAgent(refusal(id, 'The user declined it.'))
    }
    this.#toEditor(message)
  }

  /**
   * What policy wants to have approved of a call of our own tools.
   *
   * @param {string | undefined} sessionId
   * @param {any} request
   * @param {AbortSignal} signal
   */
  async #question(sessionId, { toolCallId, tool, params, reason, preview }, signal) {
    if (sessionId === undefined) throw new Error('the session is not known yet')
    const { diff } = preview
    const text = typeof diff === 'string' && diff !== '' ? `${reason}\n\n\`\`\`diff\n${diff}\n\`\`\`` : reason
    const toolCall = {
      toolCallId,
      title: tool,
      kind: 'other',
      status: 'pending',
      rawInput: params,
      content: [{ type: 'content', content: { type: 'text', text } }],
    }
    const answer = await this.#ask(sessionId, toolCall, `Allow ${tool}?`, reason, signal)
    if (answer === 'allow_once') return 'once'
    throw new ToolError('the user declined it', { tool, error_type: 'permission_denied', details: { code: 'approval_denied' } })
  }

  /**
   * @param {string} sessionId
   * @param {any} toolCall
   * @param {string} title
   * @param {string} description
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<string | undefined>}
   */
  #ask(sessionId, toolCall, title, description, signal) {
    this.#asked += 1
    const id = `tenon-${process.pid}-${this.#asked}`
    const shown = this.#version === 2 ? { title, description, subject: { type: 'tool_call', toolCall } } : { toolCall }
    return new Promise((resolve) => {
      const end = (/** @type {string | undefined} */ answer) => {
        this.#questions.delete(id)
        this.#sessions.delete(id)
        signal?.removeEventListener('abort', cancel)
        resolve(answer)
      }
      this.#questions.set(id, ({ result }) => end(result?.outcome?.outcome === 'selected' ? result.outcome.optionId : undefined))
      const cancel = () => {
        this.#toEditor({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: id } })
        end(undefined)
      }
      signal?.addEventListener('abort', cancel, { once: true })
      this.#sessions.set(id, sessionId)
      this.#toEditor({ jsonrpc: '2.0', id, method: 'session/request_permission', params: { sessionId, ...shown, options: OPTIONS } })
    })
  }

  /** The sessions of questions of ours. @type {Map<string, string>} */
  #sessions = new Map()

  /** @param {string} sessionId */
  #cancelled(sessionId) {
    for (const [id, session] of [...this.#sessions]) {
      if (session !== sessionId) continue
      this.#questions.get(id)?.({ result: undefined })
    }
  }

  /**
   * Lets the user see what was refused.
   *
   * @param {any} params
   * @param {string} reason
   */
  #notice({ sessionId, title, toolCall }, reason) {
    const what = title ?? toolCall?.title
    const isKnown = this.#version === 2 || this.#capabilities?.session?.notices
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
 * An editor reads files that are not there to see that they are not.
 *
 * @param {string} method
 * @param {string} reason
 * @param {readonly unknown[]} issues
 */
function isMissing(method, reason, issues) {
  return method === 'fs/read_text_file' && issues.length === 0 && /does not exist/.test(reason)
}

/** @param {Room} room */
async function closed({ toolkit, server }) {
  await server.close()
  await toolkit.close()
}

/**
 * @param {unknown} id
 * @param {string} reason
 */
function refusal(id, reason) {
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: `Not permitted: ${reason}` } }
}

/**
 * A listener that hands on each message, in order.
 *
 * @param {(message: any) => unknown} take
 * @param {(message: any) => void} refuse
 */
function reader(take, refuse) {
  return lines((line) => {
    const text = Buffer.from(line).toString('utf8')
    if (text.trim() === '') return
    let message
    try {
      message = JSON.parse(text)
    } catch {
      // Programs that print something else do not speak to the other side.
      process.stderr.write(`tenon: a line that is not a message was skipped: ${text.slice(0, 200)}\n`)
      return
    }
    if (typeof message !== 'object' || message === null) return
    Promise.resolve(take(message)).catch((error) => process.stderr.write(`tenon: ${describe(error)}\n`))
  }, refuse)
}

/**
 * @param {ProxyOptions} options
 * @returns {Promise<number>} the exit code of the agent
 */
function runProxy(options) {
  return new AgentProxy(options).run()
}

module.exports = { runProxy }
