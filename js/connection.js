// @ts-check
'use strict'

const { Inbox, contentOf, lineageOf, payloadOf, resultOf } = require('./host.js')
const { helperProgram, loadNative } = require('./load.js')
const { coreName, encodeParams, jsonOf, plainName } = require('./params.js')
const { abortedError, closedError, describe, internalError, invalidInput, open, toolError } = require('./tool-error.js')

// What the first call of a toolkit does not need is loaded where it is used: each file takes 0.1 ms and more.

/**
 * @typedef {import('../index.d.ts').AgentToolResult<any>} AgentToolResult
 * @typedef {import('../index.d.ts').Validation} Validation
 * @typedef {import('../index.d.ts').ValidationIssue} Issue
 * @typedef {{ json: string, faults: string | undefined, isSound: boolean }} Sent parameters, and what this side has found wrong with them
 */

/**
 * A call as it is made from JavaScript.
 *
 * @typedef {object} SentCall
 * @property {string} tool
 * @property {unknown} params
 * @property {unknown} [toolCallId] Default: an id of our own.
 * @property {unknown} [signal]
 * @property {unknown} [onUpdate]
 * @property {boolean} [auto] whether the host calls by itself, not for a model
 * @property {string} [approved] the digest of an approval that was given before
 * @property {number} [maxTokens] the budget of the result
 */

/** Part of the ids of calls that get none: they must not be those of another process, which stored rows may still name. */
const TAG = Math.random().toString(36).slice(2, 8)

/** A native toolkit, and everything that is said between it and JavaScript. */
class Connection {
  #host
  #inbox
  /** @type {any} */
  #native
  /** @type {Promise<void> | undefined} */
  #closing
  /** Whether the engine is elsewhere. */
  isRemote
  /** Who wants to know when the exposed tools change. @type {Set<() => void>} */
  #watchers = new Set()

  /**
   * @param {string} options JSON; of a sub-agent its run
   * @param {import('./host.js').Host} host
   * @param {any} [parent] the native toolkit that has started the sub-agent
   * @param {import('./remote/workspace.js').RemoteWorkspace} [remote] where the engine is
   */
  constructor(options, host, parent, remote) {
    /** The directory of the workspace, as the host has named it. @type {string | undefined} */
    this.root = undefined
    // Kept here: the inbox holds them weakly.
    this.#host = host
    this.#inbox = new Inbox(this.#host)
    this.isRemote = remote !== undefined
    this.#native = remote ? remoteNative(remote, options, host, deliveryTo(this.#inbox)) : createNative(options, host, deliveryTo(this.#inbox), parent)
    this.#inbox.belongTo(this.#native)
    host.watch.inspection?.follow(this)
    if (host.onProcess || host.tracing) {
      const { processListener } = require('./events.js')
      if (host.onProcess) this.on('*', ownEvents(processListener(/** @type {any} */ (host.onProcess))), 'onProcess')
      // Sub-agents trace for themselves, and their commands in the background are not those of this toolkit.
      if (host.tracing)
        this.on(
          '*',
          ownEvents((event) => host.tracing?.take(event)),
        )
    }
  }

  /**
   * Subscribes to the stream of events.
   *
   * @param {unknown} type
   * @param {(event: any) => void} listener
   * @param {string} [name] what warnings call the listener
   * @returns {() => void}
   */
  on(type, listener, name) {
    const host = this.#host
    if (!host.stream) {
      const { Stream } = require('./events.js')
      const stream = new Stream()
      const unsubscribe = stream.on(type, listener, name)
      host.stream = stream
      stream.connect((listens) => this.#native.listen(listens))
      return unsubscribe
    }
    return host.stream.on(type, listener, name)
  }

  /** @returns {import('../index.d.ts').PermissionMode} */
  mode() {
    return this.#native.mode()
  }

  /** @param {unknown} mode */
  setMode(mode) {
    return opened(this.#native.setMode(jsonOf('setMode', mode)))
  }

  /** @param {string} toolCallId */
  background(toolCallId) {
    return this.#native.background(toolCallId)
  }

  /** Who answers what policy asks. */
  get approver() {
    return this.#host.onApproval
  }

  /**
   * @param {() => void} watcher called when a tool was registered or taken out
   * @returns {() => void} ends it
   */
  watch(watcher) {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** Resolves when the tools are known. */
  async ready() {
    await this.#native.ready?.()
  }

  /** Whether the tools are known. */
  get isReady() {
    return this.#native.isReady ?? true
  }

  /**
   * Where the engine is elsewhere, it says later what became of a registration.
   *
   * @param {(name: string, entry: any) => void} listener
   */
  onRegistered(listener) {
    if (this.isRemote) this.#native.onRegistered = listener
  }

  /** Whether parameters are checked at once. */
  get validates() {
    return this.#native.validates ?? true
  }

  /** The host, for the toolkit that it belongs to. */
  get host() {
    return this.#host
  }

  /**
   * The connection of the toolkit of a sub-agent.
   *
   * @param {string} run
   */
  child(run) {
    if (this.isRemote) throw require('./remote/workspace.js').noChild()
    return new Connection(run, this.#host.forChild(), this.#native)
  }

  /**
   * Runs a tool.
   *
   * @param {SentCall} call
   * @returns {Promise<AgentToolResult>}
   */
  async call(call) {
    const { observer, toolkit, mcp } = this.#host
    if (mcp) await mcp.settle(call.tool, checkSignal(call.tool, call.signal))
    const meant = { ...call, ...this.#meant(call.tool, call.params) }
    // What the host does by itself is no call of a model.
    if (!observer || call.auto) return this.#traced(meant)
    const { tool, params } = meant
    const { onUpdate } = call
    const own = checkSignal(tool, call.signal)
    const id = this.#idOf(call)
    return observer.around({ tool, params, toolCallId: id, toolkit }, (/** @type {any} */ { onUpdate: observed, signal: other }) => {
      const listener = (/** @type {any} */ partial) => {
        observed(partial)
        return typeof onUpdate === 'function' ? onUpdate(partial) : undefined
      }
      return this.#traced({ ...meant, toolCallId: id, signal: own ? AbortSignal.any([own, other]) : other, onUpdate: listener })
    })
  }

  /**
   * A call that the observer makes for itself, to know more of one that it sees.
   *
   * @param {string} tool
   * @param {unknown} params
   * @param {AbortSignal} signal
   */
  unobserved(tool, params, signal) {
    return this.#traced({ tool, params, signal })
  }

  /**
   * The id of a call: the one it was given, else one of our own.
   *
   * @param {SentCall} call
   * @param {number} [key]
   */
  #idOf({ toolCallId }, key) {
    return typeof toolCallId === 'string' ? toolCallId : `call_${TAG}_${key ?? this.#inbox.nextKey()}`
  }

  /**
   * @param {SentCall} call
   * @returns {Promise<AgentToolResult>}
   */
  async #traced(call) {
    const { tracing } = this.#host
    if (!tracing) return this.#run(call)
    // The span and the call have to have one id.
    const toolCallId = this.#idOf(call)
    const end = tracing.start(plainName(call.tool), toolCallId)
    try {
      const result = await this.#run({ ...call, toolCallId })
      end(undefined)
      return result
    } catch (error) {
      end(error ?? new Error('The call was rejected with nothing.'))
      throw error
    }
  }

  /**
   * @param {SentCall} call
   * @returns {Promise<AgentToolResult>}
   */
  async #run(call) {
    const { tool, params, signal, onUpdate } = call
    const abort = checkSignal(tool, signal)
    if (abort?.aborted) throw abortedError(plainName(tool), abort.reason)
    const listener = typeof onUpdate === 'function' ? onUpdate : undefined
    const custom = this.#host.tools.get(tool)
    const { json, faults } = encodeParams(custom?.prepareArguments ? this.#prepared(custom, params) : params)
    const key = this.#inbox.nextKey()
    const id = this.#idOf(call, key)
    const { inspection } = this.#host.watch
    inspection?.before(this, id)
    const scope = (custom || this.#host.parts.size > 0) && new (require('node:async_hooks').AsyncResource)('TENON_CALL')
    /** @type {import('./host.js').Running} */
    const running = { owner: this, listener, signal: abort, custom, scope: scope || undefined, lineage: lineageOf(custom) }
    let end = this.#start(call, { key, id, json, faults: faultsOf(faults), listens: listener !== undefined, lineage: running.lineage })
    if (end === null) {
      const release = abort && require('./signal.js').onAbort(abort, () => this.#native.cancel(key))
      end = await this.#inbox.endOf(key, running)
      release?.()
    }
    if (end.content == null) throw failureOf(end.json, abort, running.thrown)
    const details = payloadOf(end)
    const { result } = running
    const own = result && !this.#host.changesResults ? handedBack(result.details, details) : details
    const returned = resultOf(contentOf(end.content), own, result?.others)
    inspection?.after(this, id, returned)
    return returned
  }

  /**
   * @param {SentCall} call
   * @param {{ key: number, id: string, json: string, faults?: string, listens: boolean, lineage?: string }} encoded
   * @returns {import('./host.js').End | null}
   */
  #start({ tool, auto, approved, maxTokens }, { key, id, json, faults, listens, lineage }) {
    try {
      return this.#native.call(key, coreName(tool), id, json, listens, auto === true, approved, maxTokens, faults, lineage)
    } catch (error) {
      throw internalError(plainName(tool), error)
    }
  }

  /**
   * Takes a tool of the host in.
   *
   * @param {import('./custom-tool.js').CustomTool} custom
   * @returns {{ entry: any, replaced: boolean, notices: string[] }}
   */
  register(custom) {
    const registered = open(this.#native.register(jsonOf(custom.name, custom.definition, `The tool \`${custom.name}\` cannot be registered. `)))
    this.#host.tools.set(custom.name, custom)
    for (const watcher of this.#watchers) watcher()
    return registered
  }

  /**
   * Removes a tool, also one that the host did not register.
   *
   * @param {string} tool
   * @returns {boolean} whether there was one
   */
  unregister(tool) {
    this.#host.tools.delete(tool)
    const isGone = this.#native.unregister(tool)
    if (isGone) for (const watcher of this.#watchers) watcher()
    return isGone
  }

  /**
   * Parameters in the spelling of the tool.
   *
   * @param {string} tool
   * @param {unknown} params
   */
  repair(tool, params) {
    const { json, faults } = encodeParams(params)
    return opened(this.#native.repair(coreName(tool), json, faultsOf(faults)))
  }

  /** The exposed tools. They are shared with other toolkits: not to be changed. @returns {readonly any[]} */
  catalog() {
    return require('./catalog.js').parsedCatalog(this.#native.catalog())
  }

  /**
   * @param {string} uri
   * @returns {import('../index.d.ts').CanvasDocument | undefined}
   */
  canvas(uri) {
    return whenKnown(opened(this.#native.canvas(uri)), (found) => found ?? undefined)
  }

  /** @returns {{ uri: string, title: string }[] | undefined} */
  canvases() {
    return whenKnown(opened(this.#native.canvases()), (all) => all?.map((/** @type {[string, string]} */ [uri, title]) => ({ uri, title })))
  }

  /** @returns {any[]} */
  history() {
    return opened(this.#native.history())
  }

  /**
   * @param {string} tool
   * @param {unknown} params
   * @returns {Validation}
   */
  validate(tool, params) {
    requireName('validateParams', tool)
    ;({ tool, params } = this.#meant(tool, params))
    const { json, faults } = this.#sent(tool, params)
    return opened(this.#native.validate(coreName(tool), json, faults))
  }

  /**
   * What policy says to a call; parameters that no call could be made with are denied, with all that is wrong with them.
   *
   * @param {string} tool
   * @param {unknown} params
   * @returns {import('../index.d.ts').PolicyExplanation}
   */
  decide(tool, params) {
    return this.#decision('decide', tool, params)
  }

  /**
   * The same with what each command of the call does.
   *
   * @param {string} tool
   * @param {unknown} params
   * @returns {import('../index.d.ts').PolicyExplanation}
   */
  explain(tool, params) {
    return this.#decision('explain', tool, params)
  }

  /**
   * @param {'decide' | 'explain'} kind
   * @param {string} tool
   * @param {unknown} params
   */
  #decision(kind, tool, params) {
    requireName(kind, tool)
    try {
      ;({ tool, params } = this.#meant(tool, params))
    } catch (error) {
      return require('./judging.js').failing(error)
    }
    const sent = this.#sent(tool, params)
    return opened(this.#native[kind](coreName(tool), sent.json, this.#question(tool, sent), sent.faults))
  }

  /**
   * @param {string} tool
   * @param {unknown} params
   */
  approvalRequest(tool, params) {
    requireName('approvalRequest', tool)
    ;({ tool, params } = this.#meant(tool, params))
    const sent = this.#sent(tool, params)
    return opened(this.#native.approvalRequest(coreName(tool), sent.json, this.#question(tool, sent), sent.faults))
  }

  /**
   * The same, of all that the call touches, where that takes asking somebody.
   *
   * @param {string} tool
   * @param {unknown} params
   */
  async foundApprovalRequest(tool, params) {
    if (this.isRemote) return this.approvalRequest(tool, params)
    requireName('approvalRequest', tool)
    ;({ tool, params } = this.#meant(tool, params))
    const sent = this.#sent(tool, params)
    const question = this.#question(tool, sent)
    return this.#later((key) => this.#native.foundApprovalRequest(key, coreName(tool), sent.json, question, sent.faults))
  }

  /**
   * What a tool of the host itself wants to have asked. It only sees parameters that it can run with.
   *
   * @param {string} tool
   * @param {Sent} sent
   */
  #question(tool, { json, isSound }) {
    const custom = isSound && this.#host.tools.get(tool)
    return custom ? require('./judging.js').questionBefore(custom, json) : undefined
  }

  /**
   * Holds the text of a file as an editor has it: calls edit that, and the disk stays as it is.
   *
   * @param {string} path
   * @param {string} text
   */
  holdDraft(path, text) {
    return opened(this.#native.holdDraft(path, text))
  }

  /**
   * Lets go of such a text, and returns it where it was changed.
   *
   * @param {string} path
   * @returns {string | null}
   */
  releaseDraft(path) {
    return opened(this.#native.releaseDraft(path))
  }

  /** @returns {string[]} */
  notices() {
    return open(this.#native.notices())
  }

  /** @returns {any[]} */
  lint() {
    return opened(this.#native.lint())
  }

  /**
   * @param {unknown} calls
   * @param {unknown} permissions
   */
  simulate(calls, permissions) {
    return opened(this.#native.simulate(jsonOf('simulate', calls), jsonOf('simulate', permissions)))
  }

  /** @returns {string} */
  checkpoint() {
    return open(this.#native.checkpoint())
  }

  /**
   * @param {string} id
   * @param {boolean} force
   * @returns {Promise<import('../index.d.ts').FileChange[]>}
   */
  rollback(id, force) {
    return this.#later((key) => this.#native.rollback(key, id, force, lineageOf(undefined)))
  }

  /**
   * @param {string} toolCallId
   * @returns {Promise<import('../index.d.ts').FileChange[]>}
   */
  undo(toolCallId) {
    const { observer } = this.#host
    const work = () => this.takeBack(toolCallId)
    return observer?.undo ? observer.undo(toolCallId, work) : work()
  }

  /**
   * The same, as the core does it: on the disk.
   *
   * @param {string} toolCallId
   * @returns {Promise<import('../index.d.ts').FileChange[]>}
   */
  takeBack(toolCallId) {
    return this.#later((key) => this.#native.undo(key, toolCallId, lineageOf(undefined)))
  }

  /**
   * @param {string | undefined} since
   * @returns {Promise<import('../index.d.ts').FileDifferences>}
   */
  async diff(since) {
    const { files, commandsNotEnded } = await this.#later((key) => this.#native.diff(key, since ?? null))
    // Not among the files, which hosts compare and store as a list.
    return Object.defineProperty(files, 'commandsNotEnded', { value: commandsNotEnded })
  }

  /**
   * @param {number | undefined} before
   * @param {number} limit
   * @returns {Promise<import('../index.d.ts').StoredCall[]>}
   */
  storedCalls(before, limit) {
    return this.#later((key) => this.#native.storedCalls(key, before ?? null, limit))
  }

  /** @returns {Promise<import('../index.d.ts').SourceRead[]>} */
  sources() {
    return this.#later((key) => this.#native.sources(key))
  }

  /**
   * @param {string} source
   * @param {string} from
   * @returns {Promise<null>}
   */
  addSource(source, from) {
    return this.#later((key) => this.#native.addSource(key, source, from))
  }

  /**
   * @param {string | undefined} sessionId
   * @returns {Promise<boolean>}
   */
  forget(sessionId) {
    return this.#later((key) => this.#native.forget(key, sessionId ?? null))
  }

  /**
   * Sends a request to an MCP server.
   *
   * @param {any} request
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  mcp(request, signal) {
    return this.#later((key) => this.#native.mcp(key, JSON.stringify(request)), signal)
  }

  /** What is known of the MCP servers. @returns {any[]} */
  mcpStatus() {
    return open(this.#native.mcpStatus())
  }

  /**
   * Keeps a long text in a file.
   *
   * @param {string} text
   * @returns {Promise<string | null>} a sentence that says where
   */
  keepOutput(text) {
    return this.#later((key) => this.#native.keepOutput(key, text))
  }

  /**
   * What comes of work in the background.
   *
   * @param {(key: number) => void} work
   * @param {AbortSignal} [signal] ends it
   * @returns {Promise<any>}
   */
  async #later(work, signal) {
    const key = this.#inbox.nextKey()
    try {
      work(key)
    } catch (error) {
      throw this.isClosed ? closedError('toolkit') : internalError('toolkit', error)
    }
    const release = signal && require('./signal.js').onAbort(signal, () => this.#native.cancel(key))
    if (signal?.aborted) this.#native.cancel(key)
    const end = await this.#inbox.endOf(key, { owner: this })
    release?.()
    if (end.content == null) throw failureOf(end.json, signal)
    return payloadOf(end)
  }

  /** Whether it is closed, or on its way there. */
  get isClosed() {
    return this.#closing !== undefined
  }

  close() {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close() {
    const key = this.#inbox.nextKey()
    this.#native.close(key)
    const { json } = await this.#inbox.endOf(key, { owner: this })
    if (json !== '') throw failureOf(json)
  }

  /**
   * The call that is meant: a model writes parameters in the form that it was shown, and `use_tool` stands for the tool that it names.
   *
   * @param {string} tool
   * @param {unknown} params
   */
  #meant(tool, params) {
    const { mcp } = this.#host
    const written = this.#host.asRegistered(tool, params)
    const other = mcp?.meant(tool, written)
    return other ? { tool: other.tool, params: this.#host.asRegistered(other.tool, other.params) } : { tool, params: written }
  }

  /**
   * Parameters that are only looked at: as the check of a tool of the host takes them, where it has one that answers at once, else as
   * they are. With what this side has found wrong.
   *
   * @param {string} tool
   * @param {unknown} params
   * @returns {Sent}
   */
  #sent(tool, params) {
    const { json, faults } = encodeParams(params)
    const custom = this.#host.tools.get(tool)
    // Where the engine is elsewhere it has this side check when it judges. What did not cross is not checked.
    if (!custom?.hasOwnCheck || this.isRemote || faults.length > 0) return { json, faults: faultsOf(faults), isSound: faults.length === 0 }
    const repaired = opened(this.#native.repair(coreName(tool), json))
    const checked = checkedBy(custom, repaired)
    if ('then' in checked) {
      checked.then(undefined, () => {})
      return { json, faults: undefined, isSound: true }
    }
    const issues = checked.issues ?? []
    return { json: checked.json ?? JSON.stringify(repaired), faults: faultsOf(faults, issues), isSound: issues.length === 0 }
  }

  /**
   * Raw arguments as a tool of the host wants them prepared; what it takes as it is stays as it is.
   *
   * @param {import('./custom-tool.js').CustomTool} custom
   * @param {unknown} params
   */
  #prepared({ name, prepareArguments }, params) {
    if (!this.isRemote && this.validate(name, params).valid) return params
    try {
      return /** @type {Function} */ (prepareArguments)(params)
    } catch (error) {
      throw invalidInput(name, `The arguments of \`${name}\` could not be prepared: ${describe(error)}.`)
    }
  }
}

/**
 * A listener that hears nothing of sub-agents.
 *
 * @param {(event: any) => void} listener
 */
function ownEvents(listener) {
  return (/** @type {any} */ event) => (event.parent === undefined ? listener(event) : undefined)
}

/**
 * A function that delivers to an inbox; nothing else may be in its scope (see `Inbox`).
 *
 * @param {Inbox} inbox
 */
function deliveryTo(inbox) {
  return inbox.deliver.bind(inbox)
}

/**
 * @param {import('./remote/workspace.js').RemoteWorkspace} remote
 * @param {string} options
 * @param {import('./host.js').Host} host
 * @param {any} deliver
 */
function remoteNative(remote, options, host, deliver) {
  const { RemoteNative } = require('./remote/native.js')
  return new RemoteNative(remote, options, deliver, host.partNames)
}

/**
 * What the engine answers: at once, or where it is elsewhere by a promise.
 *
 * @param {string | Promise<string>} answer
 * @returns {any}
 */
function opened(answer) {
  return typeof answer === 'string' ? open(answer) : answer.then(open)
}

/**
 * @param {string} where
 * @param {unknown} name
 */
function requireName(where, name) {
  if (typeof name !== 'string') throw invalidInput(where, `The name of a tool must be a string; got ${name === null ? 'null' : typeof name}.`)
}

/**
 * What this side has found wrong with parameters, as the engine takes it; nothing where that is nothing and no check was made.
 *
 * @param {Issue[]} json what JSON would have changed
 * @param {Issue[]} [check] what the check of a tool of the host says
 */
function faultsOf(json, check) {
  return json.length === 0 && check === undefined ? undefined : JSON.stringify({ json, check })
}

/**
 * @param {any} value or a promise of it
 * @param {(value: any) => any} then
 * @returns {any}
 */
function whenKnown(value, then) {
  return typeof value?.then === 'function' ? value.then(then) : then(value)
}

/**
 * @param {string} options
 * @param {import('./host.js').Host} host
 * @param {Function} deliver
 * @param {any} parent
 */
function createNative(options, host, deliver, parent) {
  const { NativeToolkit } = loadNative()
  let made
  try {
    const helper = helperProgram()
    const helperFile = helper && !helper.fault ? helper.file : null
    made = parent ? parent.child(options, deliver, host.partNames, helperFile) : NativeToolkit.create(options, deliver, host.partNames, helperFile)
  } catch (error) {
    throw internalError('toolkit', error)
  }
  if (typeof made === 'string') throw toolError(JSON.parse(made))
  return made
}

/**
 * @param {string} tool
 * @param {unknown} signal
 */
function checkSignal(tool, signal) {
  if (signal === undefined || signal === null) return undefined
  if (require('./signal.js').isSignal(signal)) return signal
  throw invalidInput(plainName(tool), `The \`signal\` of the call to \`${plainName(tool)}\` is not an AbortSignal.`)
}

/**
 * What the check of a tool says. One that throws has not accepted the parameters.
 *
 * @param {import('./custom-tool.js').CustomTool} custom
 * @param {unknown} params
 */
function checkedBy(custom, params) {
  try {
    return custom.check(params)
  } catch (error) {
    const message = `The parameters could not be checked: ${describe(error)}.`
    return { issues: [{ param: '', message, code: /** @type {const} */ ('TYPE_MISMATCH') }] }
  }
}

/**
 * @param {string} json
 * @param {AbortSignal} [signal]
 * @param {unknown} [thrown] what a tool of the host threw
 */
function failureOf(json, signal, thrown) {
  const fields = JSON.parse(json)
  const reason = fields.error_type === 'aborted' && signal?.aborted ? signal.reason : undefined
  return toolError(fields, reason ?? thrown)
}

/**
 * The details that a tool of the host answered, as it gave them, with what was repaired in its parameters and where its text
 * comes from.
 *
 * @param {any} given
 * @param {any} known
 */
function handedBack(given, known) {
  // A tool that answers no details gets some of their own for its sources.
  if (given === undefined || given === null) return known?.sources === undefined ? given : { sources: known.sources }
  if (typeof given !== 'object' || Array.isArray(given)) return given
  const added = ['repairs', 'sources'].filter((name) => known?.[name] !== undefined && !(name in given))
  return added.length === 0 ? given : { ...given, ...Object.fromEntries(added.map((name) => [name, known[name]])) }
}

module.exports = { Connection }
