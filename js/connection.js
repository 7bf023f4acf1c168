// @ts-check
'use strict'

const { loadNative } = require('./load.js')
const { encodeParams } = require('./params.js')
const { isSignal, onAbort } = require('./signal.js')
const { abortedError, describe, internalError, invalidInput, toolError } = require('./tool-error.js')

/** What the core tells, as `channel.rs` numbers it. */
const ANSWER = 0
const FAILURE = 1
const UPDATE = 2
const QUESTION = 3
const TELEMETRY = 4
const CLOSED = 5

/** What an approver may say. */
const APPROVALS = ['once', 'always', 'never']

/**
 * @typedef {import('../index.d.ts').AgentToolResult<any>} AgentToolResult
 * @typedef {(partial: AgentToolResult) => unknown} Listener
 * @typedef {{ json: string, content?: string | string[] | null }} End
 * @typedef {{ settle: (end: End) => void, listener?: Listener, native: any }} Running
 * @typedef {{ onApproval?: Function, onTelemetry?: Function }} HostFunctions
 * @typedef {ReturnType<typeof connect>} Connection
 */

/**
 * Makes a native toolkit and everything that is said between it and JavaScript.
 *
 * @param {string} options JSON
 * @param {HostFunctions} host
 */
function connect(options, host) {
  /** @type {Map<number, Running>} calls whose end was not told yet; they keep the toolkit alive */
  const running = new Map()
  let lastKey = 0
  /** @type {Promise<void> | undefined} */
  let closing

  const native = createNative(options, deliver, host)
  // The queue that calls `deliver` lives as long as the process: it must not keep the toolkit alive.
  const self = new WeakRef(native)

  /**
   * @param {number} kind
   * @param {number} key
   * @param {string} json
   * @param {string | string[]} content
   */
  function deliver(kind, key, json, content) {
    switch (kind) {
      case ANSWER:
        return settle(key, { json, content })
      case FAILURE:
      case CLOSED:
        return settle(key, { json })
      case UPDATE:
        return update(running.get(key)?.listener, json, content)
      case QUESTION:
        return ask(key, json)
      case TELEMETRY:
        return notify(/** @type {Function} */ (host.onTelemetry), JSON.parse(json), 'onTelemetry')
    }
  }

  /**
   * @param {number} key
   * @param {End} end
   */
  function settle(key, end) {
    const call = running.get(key)
    running.delete(key)
    call?.settle(end)
  }

  /**
   * @param {number} question
   * @param {string} request JSON
   */
  async function ask(question, request) {
    const said = await approval(/** @type {Function} */ (host.onApproval), request)
    self.deref()?.answerQuestion(question, said)
  }

  function nextKey() {
    do lastKey = (lastKey % 0xffffffff) + 1
    while (running.has(lastKey))
    return lastKey
  }

  /**
   * @param {number} key
   * @param {Listener} [listener]
   * @returns {Promise<End>}
   */
  function endOf(key, listener) {
    return new Promise((resolve) => running.set(key, { settle: resolve, listener, native }))
  }

  /**
   * Runs a tool.
   *
   * @param {string} tool
   * @param {unknown} toolCallId
   * @param {unknown} params
   * @param {unknown} [signal]
   * @param {unknown} [onUpdate]
   * @returns {Promise<AgentToolResult>}
   */
  async function call(tool, toolCallId, params, signal, onUpdate) {
    const abort = checkSignal(tool, signal)
    if (abort?.aborted) throw abortedError(tool, abort.reason)
    const listener = typeof onUpdate === 'function' ? /** @type {Listener} */ (onUpdate) : undefined
    const json = encode(tool, params)
    const key = nextKey()
    const id = typeof toolCallId === 'string' ? toolCallId : `call_${key}`
    /** @type {End | null} */
    let end = start(native, key, tool, id, json, listener !== undefined)
    if (end === null) {
      const release = abort && onAbort(abort, () => native.cancel(key))
      end = await endOf(key, listener)
      release?.()
    }
    if (end.content == null) throw failureOf(tool, end.json, abort)
    return { content: contentOf(end.content), details: JSON.parse(end.json) }
  }

  /**
   * @param {string} tool
   * @param {unknown} params
   */
  function encode(tool, params) {
    const { json, faults } = encodeParams(params)
    if (faults.length === 0) return json
    throw invalidParams(tool, faults, open(native.validate(tool, json)))
  }

  return {
    call,
    /** @returns {any[]} */
    catalog: () => open(native.catalog()),
    /** @returns {any[]} */
    history: () => open(native.history()),
    /**
     * @param {string} tool
     * @param {unknown} params
     * @returns {import('../index.d.ts').Validation}
     */
    validate(tool, params) {
      const { json, faults } = encodeParams(params)
      const told = open(native.validate(tool, json))
      return faults.length === 0 ? told : { valid: false, errors: merge(faults, told) }
    },
    /**
     * @param {string} tool
     * @param {unknown} params
     */
    decide: (tool, params) => open(native.decide(tool, encode(tool, params))),
    /**
     * @param {string} tool
     * @param {unknown} params
     */
    approvalRequest: (tool, params) => open(native.approvalRequest(tool, encode(tool, params))),
    close() {
      closing ??= (async () => {
        const key = nextKey()
        native.close(key)
        await endOf(key)
      })()
      return closing
    },
  }
}

/**
 * @param {string} options
 * @param {Function} deliver
 * @param {HostFunctions} host
 */
function createNative(options, deliver, host) {
  const { NativeToolkit } = loadNative()
  let made
  try {
    made = NativeToolkit.create(options, deliver, host.onApproval !== undefined, host.onTelemetry !== undefined)
  } catch (error) {
    throw internalError('toolkit', error)
  }
  if (typeof made === 'string') throw toolError(JSON.parse(made))
  return made
}

/**
 * @param {any} native
 * @param {number} key
 * @param {string} tool
 * @param {string} id
 * @param {string} json
 * @param {boolean} listens
 */
function start(native, key, tool, id, json, listens) {
  try {
    return native.call(key, tool, id, json, listens)
  } catch (error) {
    throw internalError(tool, error)
  }
}

/**
 * Opens what a synchronous method of the core answered.
 *
 * @param {string} envelope
 */
function open(envelope) {
  const { ok, value, error } = JSON.parse(envelope)
  if (!ok) throw toolError(error)
  return value
}

/**
 * @param {string} tool
 * @param {unknown} signal
 */
function checkSignal(tool, signal) {
  if (signal === undefined || signal === null) return undefined
  if (isSignal(signal)) return signal
  throw invalidInput(tool, `The \`signal\` of the call is no AbortSignal; the call to \`${tool}\` could not be aborted by it.`)
}

/**
 * @param {string} tool
 * @param {string} json
 * @param {AbortSignal} [signal]
 */
function failureOf(tool, json, signal) {
  const told = JSON.parse(json)
  return toolError(told, told.error_type === 'aborted' && signal?.aborted ? signal.reason : undefined)
}

/**
 * @param {string | string[]} content the text of the only part, or pairs of media type and data
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
 * @param {Listener | undefined} listener
 * @param {string} json
 * @param {string | string[]} content
 */
function update(listener, json, content) {
  if (listener) notify(listener, { content: contentOf(content), details: JSON.parse(json) }, 'onUpdate')
}

/** Listeners that have failed before; one warning is enough. */
const failed = new WeakSet()

/**
 * Tells a function of the host something. What it throws, now or later, is its own failure: it is
 * told as a warning and touches neither the call nor the process.
 *
 * @param {Function} listener
 * @param {unknown} value
 * @param {string} name
 */
async function notify(listener, value, name) {
  try {
    await listener(value)
  } catch (error) {
    if (failed.has(listener)) return
    failed.add(listener)
    process.emitWarning(`\`${name}\` failed: ${describe(error)}. The tools go on without it.`, 'TenonWarning')
  }
}

/**
 * What the host says to a question. Whatever is not a clear answer is the reason of a refusal.
 *
 * @param {Function} onApproval
 * @param {string} request JSON
 * @returns {Promise<string>}
 */
async function approval(onApproval, request) {
  try {
    const said = await onApproval(JSON.parse(request))
    return APPROVALS.includes(said) ? said : `The approver answered ${show(said)} where \`once\`, \`always\` or \`never\` is expected.`
  } catch (error) {
    return `The approver failed: ${describe(error)}.`
  }
}

/** @param {unknown} value */
function show(value) {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : `a value of type ${value === null ? 'null' : typeof value}`
}

/**
 * @param {string} tool
 * @param {import('../index.d.ts').ValidationIssue[]} faults
 * @param {import('../index.d.ts').Validation} told what the core says to the rest of the parameters
 */
function invalidParams(tool, faults, told) {
  const errors = merge(faults, told)
  const lead = errors.length === 1 ? '' : `${errors.length} parameters of \`${tool}\` cannot be used. `
  return invalidInput(tool, lead + errors.map((error) => error.message).join(' '), errors)
}

/**
 * Both kinds of faults, without what the core says of places that could not be sent.
 *
 * @param {import('../index.d.ts').ValidationIssue[]} faults
 * @param {import('../index.d.ts').Validation} told
 */
function merge(faults, told) {
  const touches = (/** @type {string} */ one, /** @type {string} */ other) => one.startsWith(other) || other.startsWith(one)
  const others = (told.errors ?? []).filter((error) => !faults.some((fault) => touches(fault.param, error.param)))
  return [...faults, ...others]
}

module.exports = { connect }
