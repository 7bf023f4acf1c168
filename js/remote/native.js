// @ts-check
'use strict'

// What `Connection` has in place of the native class where the engine is elsewhere. It speaks the same words: calls go out as the model wrote
// them, and everything that comes back is delivered as the addon delivers it. What the addon answers at once and only the engine knows is
// answered by a promise.

const { ToolError } = require('../tool-error.js')
const { denies, judgeOf } = require('./judge.js')
const { Session } = require('./session.js')

/** What the core reports, as `js/host.js` numbers it. */
const [ANSWER, FAILURE, UPDATE, REQUEST, TELEMETRY, CLOSED, WITHDRAWN, WARNING, EVENT] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
const KINDS = /** @type {Record<string, number>} */ ({ telemetry: TELEMETRY, event: EVENT, warning: WARNING })
/** How long closing waits for a connection that is broken. */
const CLOSE_PATIENCE_MS = 5000
/** As many calls as the engine keeps in its history. */
const HISTORY_MAX = 1000
/** What only runs for a call that this side has made. */
const OF_CALLS = ['check', 'question', 'run', 'askUser', 'summarise', 'sendMessage', 'showCanvas']

/**
 * @typedef {(kind: number, key: number, json: string, content: any) => void} Deliver
 * @typedef {{ tool: string, params: any, hasRun?: boolean }} Made a call that runs
 * @typedef {{ catalog: string, mode: string, notices: string[] }} Facts the catalog as the addon answers it
 */

class RemoteNative {
  #session
  /** Held weakly by nobody: it has the scope of an inbox only. @type {Deliver} */
  #deliver
  /** @type {Facts | undefined} */
  #facts
  /** Calls that run. @type {Map<number, Made>} */
  #made = new Map()
  /** Questions that wait, and closings. @type {Map<string, { resolve: (value: any) => void, reject: (error: any) => void }>} */
  #asked = new Map()
  /** Requests of the engine for which the process need not stay alive. @type {Set<string>} */
  #endless = new Set()
  /** Checkpoints by the names that this side has given them. @type {Map<string, Promise<string>>} */
  #checkpoints = new Map()
  /** Tools of the host: their definitions as JSON. @type {Map<string, string>} */
  #tools = new Map()
  #lastQuestion = 0
  #isClosed = false
  #mode
  #hasHooks
  /** Whether this side has to look at calls at all: reading their parameters takes its time. */
  #mayRefuse
  #options
  #parts
  /** The calls so far, as the engine reported them. @type {any[]} */
  #history = []
  /** What this side refuses by itself, once it is needed; nothing where there is no addon. @type {any} */
  #judge
  #listens = false
  /** What became of a registration, for the table of tools. @type {((name: string, entry: any) => void) | undefined} */
  onRegistered

  /**
   * @param {import('./workspace.js').RemoteWorkspace} workspace
   * @param {string} options JSON
   * @param {Deliver} deliver
   * @param {readonly string[]} partNames
   */
  constructor(workspace, options, deliver, partNames) {
    const open = JSON.parse(options)
    this.#deliver = deliver
    this.#mode = open.mode ?? 'default'
    const hasTerminal = process.stdin.isTTY && process.stdout.isTTY
    const parts = partNames.flatMap((name) => (name !== 'terminal' ? [name] : hasTerminal ? ['askUser'] : []))
    this.#hasHooks = parts.includes('hooks')
    // Hooks may make another call of one.
    this.#mayRefuse = !this.#hasHooks && denies(open)
    this.#options = open
    this.#parts = parts
    this.#session = new Session(
      workspace.transport,
      { options: open, parts, mirrors: true },
      { message: (message) => this.#take(message), ended: (error) => this.#ended(error) },
    )
    const learned = this.#session.ready.then((facts) => this.#learn(facts))
    learned.catch(() => {})
    // Not the facts themselves: each session would keep a catalog of its own.
    this.#session.ready = learned
  }

  /** Resolves when the engine has opened the toolkit. */
  async ready() {
    this.#session.hold()
    try {
      await this.#session.ready
    } catch (error) {
      throw this.#errorOf('toolkit', error)
    } finally {
      this.#session.release()
    }
  }

  get isReady() {
    return this.#facts !== undefined
  }

  /** @param {{ catalog: any[], mode: string, notices: string[] }} facts */
  #learn({ catalog, mode, notices }) {
    this.#facts = { catalog: shared(envelope(catalog)), mode, notices }
  }

  /** @param {string} what */
  #known(what) {
    if (this.#facts) return this.#facts
    const { fault } = this.#session
    if (fault) throw this.#errorOf(what, fault)
    throw new ToolError(`\`${what}\` needs what the engine knows, which is elsewhere. Wait for \`await toolkit.ready()\` before.`, {
      tool: what,
      error_type: 'execution_failed',
      details: { code: 'not_ready' },
    })
  }

  catalog() {
    return this.#known('tools').catalog
  }

  notices() {
    return envelope(this.#facts?.notices ?? [])
  }

  mode() {
    return this.#facts?.mode ?? this.#mode
  }

  /** @param {string} mode JSON */
  async setMode(mode) {
    this.#learn(await this.#ask('setMode', { mode: JSON.parse(mode) }))
    return envelope(null)
  }

  /**
   * @param {number} key
   * @param {string} tool
   * @param {string} id
   * @param {string} json
   * @param {boolean} listens
   * @param {boolean} [automatic]
   * @param {string} [approved]
   * @param {number} [maxTokens]
   * @param {string} [faults] JSON
   * @param {string} [lineage]
   */
  call(key, tool, id, json, listens, automatic, approved, maxTokens, faults, lineage) {
    if (this.#refuse(key, tool)) return null
    const judge = this.#mayRefuse ? this.#judging() : undefined
    if (judge?.refuses(tool, json, faults)) return this.#refused(judge, key, tool, id, json)
    this.#made.set(key, { tool, params: this.#tools.has(tool) ? JSON.parse(json) : undefined })
    this.#session.hold()
    const more = `${listens ? ',"listens":true' : ''}${automatic ? ',"automatic":true' : ''}${approved === undefined ? '' : `,"approved":${JSON.stringify(approved)}`}${maxTokens === undefined ? '' : `,"maxTokens":${maxTokens}`}${faults === undefined ? '' : `,"faults":${faults}`}${lineage === undefined ? '' : `,"lineage":"${lineage}"`}`
    this.#session.send(
      `0.${key}`,
      `"id":"0.${key}","method":"call","params":{"tool":${JSON.stringify(tool)},"toolCallId":${JSON.stringify(id)}${more},"params":${json}}}`,
    )
    return null
  }

  /** What calls are refused by on this side: by their words alone, before anything is sent. */
  #judging() {
    if (this.#judge === undefined) {
      this.#judge = judgeOf(this.#options, this.#parts, (kind, key, json, content) => this.#judged(kind, key, json, content)) ?? null
      if (this.#listens) this.#judge?.listen(true)
      for (const definition of this.#tools.values()) this.#judge?.register(definition)
    }
    return this.#judge
  }

  /**
   * Its end comes as that of every other call, events and telemetry included.
   *
   * @param {any} judge
   * @param {number} key
   * @param {string} tool
   * @param {string} id
   * @param {string} json
   */
  #refused(judge, key, tool, id, json) {
    const end = judge.call(key, tool, id, json, false)
    if (end) this.#rememberRefused()
    return end
  }

  /** @type {Deliver} */
  #judged(kind, key, json, content) {
    if (kind === FAILURE) this.#rememberRefused()
    this.#deliver(kind, key, json, content)
  }

  #rememberRefused() {
    this.#remember(JSON.parse(this.#judge.history()).value.slice(-1))
  }

  /** @param {any[]} calls */
  #remember(calls) {
    this.#history.push(...calls)
    if (this.#history.length > HISTORY_MAX) this.#history.splice(0, this.#history.length - HISTORY_MAX)
  }

  /** @param {number} key */
  cancel(key) {
    this.#session.send(`0.${key}`, `"method":"cancel","params":{"id":"0.${key}"}}`)
  }

  /**
   * @param {number} request
   * @param {boolean} ok
   * @param {string} text
   * @param {string | string[]} [content]
   */
  answer(request, ok, text, content) {
    if (this.#endless.delete(`${request}`)) this.#session.hold()
    this.#session.send('', `"id":"r0.${request}","result":${JSON.stringify({ ok, text, content })}}`)
  }

  /**
   * @param {number} request
   * @param {string} text
   * @param {string | string[]} [content]
   */
  progress(request, text, content) {
    this.#session.send('', `"method":"progress","params":{"id":"r0.${request}","reply":${JSON.stringify({ ok: true, text, content })}}}`)
  }

  /**
   * Takes a tool of the host in. The engine says later whether it does.
   *
   * @param {string} definition
   */
  register(definition) {
    const given = JSON.parse(definition)
    const replaced = this.#tools.has(given.name)
    this.#tools.set(given.name, definition)
    this.#judge?.register(definition)
    this.#ask('register', { definition: given }).then(
      ({ entry, notices }) => {
        this.#enter(given.name, entry)
        for (const notice of notices) process.emitWarning(notice, 'TenonWarning')
      },
      (error) => {
        this.#tools.delete(given.name)
        this.#enter(given.name, null)
        if (!this.#isClosed) process.emitWarning(`The tool \`${given.name}\` was not registered: ${error.message}`, 'TenonWarning')
      },
    )
    const entry = entryOf(given)
    if (this.#facts) this.#enter(given.name, entry)
    return envelope({ entry, replaced, notices: [] })
  }

  /** The catalog. @returns {any[]} */
  #entries() {
    return this.#facts ? JSON.parse(this.#facts.catalog).value : []
  }

  /**
   * @param {string} name
   * @param {any} entry
   */
  #enter(name, entry) {
    if (this.#facts) this.#facts.catalog = shared(envelope([...this.#entries().filter((tool) => tool.name !== name), ...(entry ? [entry] : [])]))
    this.onRegistered?.(name, entry)
  }

  /** @param {string} tool */
  unregister(tool) {
    const all = this.#entries()
    const isKnown = this.#tools.delete(tool) || all.some(({ name }) => name === tool)
    if (this.#facts) this.#facts.catalog = shared(envelope(all.filter(({ name }) => name !== tool)))
    this.#judge?.unregister(tool)
    this.#ask('unregister', { tool }).catch(() => {})
    return isKnown
  }

  /** Names it by itself: the engine is asked meanwhile. */
  checkpoint() {
    const name = `checkpoint-${this.#checkpoints.size + 1}`
    const own = this.#ask('checkpoint', {})
    own.catch(() => {})
    this.#checkpoints.set(name, own)
    return envelope(name)
  }

  /**
   * @param {number} key
   * @param {string} id
   * @param {boolean} force
   * @param {string} [lineage]
   */
  rollback(key, id, force, lineage) {
    this.#later(
      key,
      'rollback',
      Promise.resolve(this.#checkpoints.get(id) ?? id).then((own) => this.#ask('rollback', { id: own, force, lineage })),
    )
  }

  /** @param {number} key @param {string} call @param {string} [lineage] */
  undo(key, call, lineage) {
    this.#later(key, 'undo', this.#ask('undo', { call, lineage }))
  }

  /** @param {number} key @param {string | null} since */
  diff(key, since) {
    const own = since === null ? Promise.resolve(null) : Promise.resolve(this.#checkpoints.get(since) ?? since)
    this.#later(
      key,
      'diff',
      own.then((known) => this.#ask('diff', { since: known })),
    )
  }

  /**
   * @param {number} key
   * @param {number | null} before
   * @param {number} limit
   */
  storedCalls(key, before, limit) {
    this.#later(key, 'storedCalls', this.#ask('storedCalls', { before, limit }))
  }

  /** @param {number} key */
  sources(key) {
    this.#later(key, 'sources', this.#ask('sources', {}))
  }

  /** @param {number} key @param {string} source @param {string} from */
  addSource(key, source, from) {
    this.#later(key, 'addSource', this.#ask('addSource', { source, from }))
  }

  /**
   * @param {number} key
   * @param {string | null} session
   */
  forget(key, session) {
    this.#later(key, 'forget', this.#ask('forget', { session }))
  }

  /**
   * @param {number} key
   * @param {string} text
   */
  keepOutput(key, text) {
    this.#later(key, 'keepOutput', this.#ask('keepOutput', { text }))
  }

  /** @param {boolean} listens */
  listen(listens) {
    this.#listens = listens
    this.#judge?.listen(listens)
    this.#ask('listen', { listens }).catch(() => {})
  }

  /** @param {string} id */
  background(id) {
    return this.#ask('background', { id })
  }

  /** @param {string} tool @param {string} params @param {string} [faults] */
  repair(tool, params, faults) {
    return this.#answered('repair', { tool, ...written(params, faults) })
  }

  /** @param {string} tool @param {string} params @param {string} [faults] */
  validate(tool, params, faults) {
    const judge = this.#judging()
    return judge ? judge.validate(tool, params, faults) : this.#answered('validate', { tool, ...written(params, faults) })
  }

  /** Whether parameters are checked on this side. */
  get validates() {
    return Boolean(this.#judging())
  }

  /** @param {string} tool @param {string} params @param {string} [question] @param {string} [faults] */
  decide(tool, params, question, faults) {
    return this.#answered('decide', { tool, ...written(params, faults), question: question === undefined ? null : JSON.parse(question) })
  }

  /** @param {string} tool @param {string} params @param {string} [question] @param {string} [faults] */
  explain(tool, params, question, faults) {
    return this.#answered('explain', { tool, ...written(params, faults), question: question === undefined ? null : JSON.parse(question) })
  }

  /** @param {string} tool @param {string} params @param {string} [question] @param {string} [faults] */
  approvalRequest(tool, params, question, faults) {
    return this.#answered('approvalRequest', { tool, ...written(params, faults), question: question === undefined ? null : JSON.parse(question) })
  }

  /** @param {string} calls @param {string} permissions */
  simulate(calls, permissions) {
    return this.#answered('simulate', { calls: JSON.parse(calls), permissions: JSON.parse(permissions) })
  }

  lint() {
    return this.#answered('lint', {})
  }

  history() {
    return envelope(this.#history)
  }

  canvases() {
    return this.#answered('canvases', {})
  }

  /** @param {string} uri */
  canvas(uri) {
    return this.#answered('canvas', { uri })
  }

  /** @param {string} path @param {string} text */
  holdDraft(path, text) {
    return this.#answered('holdDraft', { path, text })
  }

  /** @param {string} path */
  releaseDraft(path) {
    return this.#answered('releaseDraft', { path })
  }

  mcpStatus() {
    return envelope([])
  }

  /** @param {number} key */
  close(key) {
    this.#isClosed = true
    this.#judge?.endNow()
    this.#session.hold()
    const { fault } = this.#session
    // Without a connection the engine ends the session by itself, after a while.
    const patience = setTimeout(() => this.#session.isConnected || this.#session.abandon(), CLOSE_PATIENCE_MS)
    // What could not be reached has nothing to clear away here.
    const closing = fault ? Promise.resolve(null) : this.#ask('close', {})
    const ended = (/** @type {string} */ json) => {
      clearTimeout(patience)
      this.#session.end()
      this.#session.release()
      this.#deliver(CLOSED, key, json, '')
    }
    closing.then(
      () => ended(''),
      (error) => ended(error instanceof ToolError && error.details.code !== 'unreachable' ? jsonOf('close', error) : ''),
    )
  }

  /**
   * @param {string} method
   * @param {any} params
   * @returns {Promise<any>}
   */
  #ask(method, params) {
    // Not the numbers of calls: those are of the inbox.
    const id = `0.${2 ** 31 + (this.#lastQuestion++ % 2 ** 30)}`
    const { fault } = this.#session
    if (fault) return Promise.reject(this.#errorOf(method, fault))
    this.#session.hold()
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject })
      this.#session.send('', `"id":"${id}","method":"${method}","params":${JSON.stringify(params)}}`)
    }).finally(() => this.#session.release())
  }

  /**
   * @param {string} method
   * @param {any} params
   * @returns {Promise<string>} as the addon answers at once
   */
  async #answered(method, params) {
    return envelope(await this.#ask(method, params))
  }

  /**
   * @param {number} key
   * @param {string} name
   * @param {Promise<any>} work
   */
  #later(key, name, work) {
    work.then(
      (value) => this.#deliver(ANSWER, key, JSON.stringify(value ?? null), ''),
      (error) => this.#deliver(FAILURE, key, jsonOf(name, error), ''),
    )
  }

  /**
   * Fails a call at once where there is no engine any more.
   *
   * @param {number} key
   * @param {string} tool
   */
  #refuse(key, tool) {
    const { fault } = this.#session
    if (!fault) return false
    // Not before the call waits for it.
    queueMicrotask(() => this.#deliver(FAILURE, key, jsonOf(tool, this.#errorOf(tool, fault)), ''))
    return true
  }

  /** @param {any} message */
  #take(message) {
    const { id, method, params } = message
    if (method === undefined) return this.#end(String(id), message)
    switch (method) {
      case 'update':
        return this.#deliver(UPDATE, keyOf(params.id), JSON.stringify(params.details), params.content)
      case 'ask':
      case 'callback':
        return this.#request(keyOf(id), params)
      case 'withdraw':
        return this.#deliver(WITHDRAWN, keyOf(params.id), '', '')
      case 'history':
        return this.#remember(params.value)
      case 'warning':
        return this.#deliver(WARNING, 0, params.value, '')
      case 'telemetry':
      case 'event':
        return this.#deliver(KINDS[method], 0, JSON.stringify(params.value), '')
    }
  }

  /**
   * @param {string} id
   * @param {any} message
   */
  #end(id, { result, error }) {
    const question = this.#asked.get(id)
    if (question) {
      this.#asked.delete(id)
      if (error) question.reject(toolError(error))
      else question.resolve(result)
      return
    }
    const key = keyOf(id)
    if (!this.#made.delete(key)) return
    this.#session.release()
    if (error) this.#deliver(FAILURE, key, JSON.stringify(error.data), '')
    else this.#deliver(ANSWER, key, JSON.stringify(result.details), result.content)
  }

  /**
   * The engine asks a part of the host. What runs on this side runs for calls that this side has made, as it has made them.
   *
   * @param {number} key
   * @param {any} params
   */
  #request(key, { part, endless, request }) {
    const fault = this.#faultOf(part, request)
    if (fault !== undefined) return this.answer(key, false, JSON.stringify({ message: fault, error_type: 'permission_denied' }))
    if (endless) {
      // A user answers: that alone is no reason for the process to stay.
      this.#endless.add(`${key}`)
      this.#session.release()
    }
    this.#deliver(REQUEST, key, JSON.stringify(request), part)
  }

  /**
   * @param {string} part
   * @param {any} request
   */
  #faultOf(part, request) {
    if (!OF_CALLS.includes(part)) return undefined
    const call = this.#made.get(request?.ticket)
    if (!call) return `The engine has asked for \`${part}\`, which belongs to no call of this host.`
    if (!['check', 'question', 'run'].includes(part)) return undefined
    if (call.tool !== request.tool) return `The engine has asked for the tool \`${request.tool}\`, which this call is not for.`
    if (part === 'run' && call.hasRun) return `The engine has asked for the tool \`${request.tool}\` a second time.`
    if (part === 'run') call.hasRun = true
    // Hooks of the host may have changed them.
    const isOwn = this.#hasHooks || call.params === undefined || part !== 'check' || isEqual(call.params, request.params)
    return isOwn ? undefined : `The engine has changed the parameters of \`${request.tool}\`, a tool of the host. Send them exactly as its schema has them.`
  }

  /** @param {import('./session.js').RemoteError} fault */
  #ended(fault) {
    for (const { reject } of this.#asked.values()) reject(this.#errorOf('toolkit', fault))
    this.#asked.clear()
    for (const [key, { tool }] of this.#made) {
      this.#session.release()
      const error = this.#errorOf(tool, fault)
      error.message += ` Whether \`${tool}\` was run to its end is not known.`
      this.#deliver(FAILURE, key, jsonOf(tool, error), '')
    }
    this.#made.clear()
  }

  /**
   * @param {string} tool
   * @param {any} error
   */
  #errorOf(tool, error) {
    if (error instanceof ToolError) return error
    const { data, message, code } = error
    if (code === -32000 && data) return toolError({ data })
    return new ToolError(message, { tool, error_type: 'execution_failed', details: { code: 'unreachable' }, cause: error.cause })
  }
}

/** @param {any} error of JSON-RPC */
function toolError({ data, message }) {
  return new ToolError(data?.message ?? message, { tool: data?.tool ?? 'toolkit', error_type: data?.error_type ?? 'execution_failed', details: data?.details })
}

/**
 * @param {string} tool
 * @param {any} error
 */
function jsonOf(tool, error) {
  const { message, error_type = 'execution_failed', details = { code: 'internal' } } = error
  return JSON.stringify({ tool: error.tool ?? tool, error_type, message, details })
}

/**
 * Parameters and what is wrong with them, as the engine is asked about them.
 *
 * @param {string} params JSON
 * @param {string} [faults] JSON
 */
function written(params, faults) {
  return { params: JSON.parse(params), faults: faults === undefined ? null : JSON.parse(faults) }
}

/** @param {unknown} value */
function envelope(value) {
  return JSON.stringify({ ok: true, value: value ?? null })
}

/** Texts of catalogs, the oldest first: toolkits with the same tools share one. @type {Set<string>} */
const catalogs = new Set()
const CATALOGS_MAX = 8

/**
 * The same text, the first one of it.
 *
 * @param {string} catalog
 */
function shared(catalog) {
  for (const known of catalogs) if (known === catalog) return known
  const [oldest] = catalogs
  if (catalogs.size >= CATALOGS_MAX && oldest !== undefined) catalogs.delete(oldest)
  catalogs.add(catalog)
  return catalog
}

/** @param {string} id such as `0.17` or `r0.17` */
function keyOf(id) {
  return Number(id.slice(id.indexOf('.') + 1))
}

/**
 * A tool of the host as the engine will show it, until it does.
 *
 * @param {any} definition
 */
function entryOf({
  name,
  label = name,
  description,
  parameters,
  category = 'utility',
  group = 'foreign',
  annotations = {},
  metadata,
  executionMode = 'parallel',
  replay = 'never',
  resultContentSource,
}) {
  return {
    name,
    label,
    description: description.trimEnd(),
    parameters: parameters ?? { type: 'object', properties: {} },
    category,
    group,
    annotations: { title: label, readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true, ...annotations },
    metadata: { operation: 'foreign', ...metadata },
    executionMode,
    replay,
    ...(resultContentSource && { resultContentSource: 'network' }),
  }
}

/**
 * Whether two values of JSON are the same.
 *
 * @param {any} one
 * @param {any} other
 * @returns {boolean}
 */
function isEqual(one, other) {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
}

module.exports = { RemoteNative }
