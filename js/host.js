// @ts-check
'use strict'

// The host, and what the core says to it: one file, since each takes its time to load.

/** @typedef {import('../index.d.ts').AgentToolResult<any>} AgentToolResult */

/**
 * @typedef {{ ok: boolean, json: string, content?: string | string[] }} Reply what goes back to the core
 * @typedef {{ signal: AbortSignal, progress: (reply: Reply) => void, call?: Running }} Asked
 *   aborted when nobody wants the answer any more; takes partial answers; the call of this side that it is for
 */

/**
 * What the page of `toolkit.inspect()` has to do with a toolkit and its sub-agents.
 *
 * @typedef {{ inspection?: import('./inspect/live.js').Inspection, given?: import('./inspect/lab.js').Given }} Watch
 */

/** The approver of a toolkit whose approvals are given in the page: nobody answers before it is opened. */
function inPage() {
  throw new Error('the page that answers is not open; call `toolkit.inspect()` first')
}

/** The parts that the host supplies: its functions, and the tools that it has registered. */
class Host {
  /** @param {{ onApproval?: Function, onTelemetry?: Function, onProcess?: Function, tracing?: import('./tracing.js').Tracing, parts: Map<string, import('./host-callbacks.js').HostCallback>, observer?: import('../index.d.ts').CallObserver, changesResults?: boolean, watch?: Watch }} functions */
  constructor({ onApproval, onTelemetry, onProcess, tracing, parts, observer, changesResults = false, watch = {} }) {
    this.onApproval = onApproval
    this.onTelemetry = onTelemetry
    this.onProcess = onProcess
    this.tracing = tracing
    this.observer = observer
    this.watch = watch
    this.changesResults = changesResults
    /** @type {import('./events.js').Stream | undefined} who listens to the stream of events */
    this.stream = undefined
    this.parts = parts
    /** The toolkit whose host this is: sub-agents get theirs from it. @type {any} */
    this.toolkit = undefined
    /** @type {Map<string, import('./custom-tool.js').CustomTool>} */
    this.tools = new Map()
    /** In which format models were last shown each tool. @type {Map<string, string>} */
    this.formats = new Map()
    /** The MCP servers, where there are some. @type {import('./mcp-client/clients.js').McpClients | undefined} */
    this.mcp = undefined
  }

  /**
   * Parameters of a call as the host has registered them, of a tool of its own: models are shown some in other words.
   *
   * @param {string} tool
   * @param {unknown} params
   */
  asRegistered(tool, params) {
    const custom = this.tools.get(tool)
    return custom ? require('./schemas/shown.js').readAs(custom.definition.parameters, this.formats.get(tool), params) : params
  }

  /** The same functions for the toolkit of a sub-agent. */
  forChild() {
    const { onApproval, onTelemetry, tracing, parts, observer, changesResults, watch } = this
    return new Host({ onApproval, onTelemetry, tracing, parts, observer, changesResults, watch })
  }

  /** The names of all that the core may ask for, as `host_callbacks.rs` knows them. The user at a terminal is asked there, if there is one. */
  get partNames() {
    const functions = [this.onApproval && 'onApproval', this.onTelemetry && 'onTelemetry']
    const terminal = this.parts.has('askUser') ? [] : ['terminal']
    return [...functions.filter((name) => name !== undefined), ...this.parts.keys(), ...terminal]
  }

  /**
   * Serves a request of the core, as `host_requests.rs` names it. Never rejects.
   *
   * @param {string} port
   * @param {any} request
   * @param {Asked} asked
   * @returns {Promise<Reply>}
   */
  answer(port, request, asked) {
    return require('./host-requests.js').answer(this, port, request, asked)
  }
}

// Which call of a tool of the host a call is made within: the files that the outer one has locked must be free for it, or
// the handler would wait for itself.

/** Of this copy of the package: the names of its calls must not be those of another thread. */
const TAG = Math.random().toString(36).slice(2, 10)
let last = 0

/** Made with the first handler that runs. @type {import('node:async_hooks').AsyncLocalStorage<string> | undefined} */
let current

/**
 * The names of the calls that a call is made within, outermost first, and its own behind them: empty where it has no handler.
 *
 * @param {unknown} handler
 * @returns {string | undefined}
 */
function lineageOf(handler) {
  const outer = current?.getStore()
  if (outer === undefined && !handler) return undefined
  const own = handler ? `${TAG}${++last}` : ''
  return outer === undefined ? own : `${outer}/${own}`
}

/**
 * @template T
 * @param {string | undefined} lineage of the call whose handler works
 * @param {() => T} work
 * @returns {T}
 */
function within(lineage, work) {
  if (lineage === undefined) return work()
  current ??= new (require('node:async_hooks').AsyncLocalStorage)()
  return current.run(lineage, work)
}

/** What the core reports, as `channel.rs` numbers it. */
const ANSWER = 0
const FAILURE = 1
const UPDATE = 2
const REQUEST = 3
const TELEMETRY = 4
const CLOSED = 5
const WITHDRAWN = 6
const WARNING = 7
const EVENT = 8

/**
 * @typedef {{ json: string, content?: string | string[] | null, columns?: string[] | null }} End
 * @typedef {object} Running a call whose end was not reported yet
 * @property {object} owner what holds the native toolkit and the host; kept until then
 * @property {(end: End) => void} [settle]
 * @property {Function} [listener]
 * @property {AbortSignal} [signal] the caller's
 * @property {import('./custom-tool.js').CustomTool} [custom] the tool of the host that it is for
 * @property {import('node:async_hooks').AsyncResource} [scope] where the caller's asynchronous context lives on
 * @property {string} [lineage] the calls that it is made within, and itself
 * @property {{ value: unknown }} [checked] its parameters as the tool takes them
 * @property {import('./results.js').Normalised} [result] what the tool answered
 * @property {unknown} [thrown] what the tool threw
 */

/**
 * Where everything arrives that the core reports of one toolkit.
 *
 * The core's queue holds `deliver`, and with it all that is in this scope, for as long as the toolkit
 * exists. So neither the native toolkit nor the host, whose functions may well refer to it, are in it,
 * or they would never be collected: only running calls hold them, and the inbox itself weakly.
 */
class Inbox {
  /** @type {Map<number, Running>} */
  #running = new Map()
  /** @type {Map<number, { controller: AbortController, call?: Running }>} requests of the core that are being answered */
  #requests = new Map()
  #lastKey = 0
  /** @type {WeakRef<any> | undefined} */
  #native
  #host

  /** @param {Host} host */
  constructor(host) {
    this.#host = new WeakRef(host)
  }

  /** @param {any} native the toolkit whose messages arrive here */
  belongTo(native) {
    this.#native = new WeakRef(native)
  }

  /** A number for a call that no running one has. */
  nextKey() {
    do this.#lastKey = (this.#lastKey % 0xffffffff) + 1
    while (this.#running.has(this.#lastKey))
    return this.#lastKey
  }

  /**
   * How a call that was started will end.
   *
   * @param {number} key
   * @param {Running} call
   * @returns {Promise<End>}
   */
  endOf(key, call) {
    return new Promise((settle) => {
      call.settle = settle
      this.#running.set(key, call)
    })
  }

  /**
   * Takes one message. Never throws.
   *
   * @param {number} kind
   * @param {number} key
   * @param {string} json
   * @param {any} content
   * @param {string[] | null} [columns] the long lists of an answer or an update
   */
  deliver(kind, key, json, content, columns) {
    switch (kind) {
      case ANSWER:
        return this.#settle(key, { json, content, columns })
      case CLOSED:
        // Nobody is left who wants an answer.
        for (const request of [...this.#requests.keys()]) this.#withdraw(request)
        return this.#settle(key, { json })
      case FAILURE:
        return this.#settle(key, { json })
      case UPDATE:
        return this.#update(this.#running.get(key)?.listener, { json, content, columns })
      case REQUEST:
        return this.#request(key, content, json)
      case TELEMETRY:
        return this.#telemetry(json)
      case WITHDRAWN:
        return this.#withdraw(key)
      case WARNING:
        process.emitWarning(json, 'TenonWarning')
        return
      case EVENT:
        this.#host.deref()?.stream?.take(JSON.parse(json))
    }
  }

  /**
   * @param {number} key
   * @param {End} end
   */
  #settle(key, end) {
    const call = this.#running.get(key)
    this.#running.delete(key)
    call?.settle?.(end)
  }

  /**
   * @param {Function | undefined} listener
   * @param {End} update
   */
  #update(listener, update) {
    if (!listener) return
    const partial = { content: contentOf(update.content ?? ''), details: payloadOf(update) }
    require('./host-requests.js').notify(listener, partial, 'onUpdate')
  }

  /**
   * @param {number} request
   * @param {string} port
   * @param {string} json
   */
  async #request(request, port, json) {
    const host = this.#host.deref()
    if (!host) return
    const asked = JSON.parse(json)
    const call = this.#running.get(asked.ticket)
    const controller = new AbortController()
    this.#requests.set(request, { controller, call })
    const native = () => this.#native?.deref()
    const {
      ok,
      json: said,
      content,
    } = await host.answer(port, asked, {
      call,
      signal: controller.signal,
      progress: (partial) => native()?.progress(request, partial.json, partial.content),
    })
    this.#requests.delete(request)
    native()?.answer(request, ok, said, content)
  }

  /** @param {number} request */
  #withdraw(request) {
    const open = this.#requests.get(request)
    if (!open) return
    const { controller, call } = open
    controller.abort(call?.signal?.aborted ? call.signal.reason : new DOMException('The call was stopped.', 'AbortError'))
  }

  /** @param {string} json */
  #telemetry(json) {
    const onTelemetry = this.#host.deref()?.onTelemetry
    if (onTelemetry) require('./host-requests.js').notify(onTelemetry, JSON.parse(json), 'onTelemetry')
  }
}

/**
 * Content as the core sends it: the text of the only part, or pairs of media type and data.
 *
 * @param {string | string[]} content
 * @returns {AgentToolResult['content']}
 */
function contentOf(content) {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  /** @type {AgentToolResult['content']} */
  const parts = []
  for (let index = 0; index < content.length; index += 2) {
    const [mimeType, data] = [content[index], content[index + 1]]
    parts.push(mimeType === '' ? { type: 'text', text: data } : { type: 'image', data, mimeType })
  }
  return parts
}

/**
 * What the JSON of a message says, with its long lists.
 *
 * @param {End} end
 * @returns {any}
 */
function payloadOf({ json, columns }) {
  const payload = JSON.parse(json)
  return columns ? require('./columns.js').withLists(payload, columns) : payload
}

/**
 * A result whose details hosts also find as `structuredContent`, by whose schema some of them check it. It is not
 * enumerable: what is sent or stored of a result has its details once. Nor are its `parts`, for protocols that know more kinds
 * of content than texts and images.
 *
 * @param {AgentToolResult['content']} content
 * @param {any} details
 * @param {Map<string, object>} [others]
 * @returns {AgentToolResult}
 */
function resultOf(content, details, others) {
  const result = Object.defineProperty({ content, details }, 'structuredContent', { value: details, writable: true, configurable: true })
  if (!others) return result
  const parts = content.map((part) => (part.type === 'text' ? (others.get(part.text) ?? part) : part))
  return Object.defineProperty(result, 'parts', { value: parts, writable: true, configurable: true })
}

module.exports = { inPage, Host, Inbox, contentOf, lineageOf, payloadOf, resultOf, within }
