// @ts-check
'use strict'

const { Model } = require('./model.js')

/** Most characters of a text of one result that are kept in full. */
const TEXT_MAX = 256 * 1024
/** Most characters of all results that are kept in full: those of the oldest calls go first. */
const KEPT_MAX = 32 * 1024 * 1024
/** Updates of the page are sent together, at most this often in milliseconds. */
const TOGETHER_MS = 100
const ANSWERS = ['once', 'always', 'never']

/**
 * A call that was seen from both sides: its events, and what it returned.
 *
 * @typedef {{ checkpoint?: string, call?: import('./model.js').Call, result?: any }} Seen
 */

/** Watches a running toolkit, and answers what its policy asks for the user of the page. */
class Inspection {
  model = new Model()
  /** @type {Map<string, { request: any, answer: (answer: string) => void, refuse: (error: Error) => void }>} */
  #inbox = new Map()
  /** @type {Map<any, Map<string, Seen>>} */
  #seen = new Map()
  /** @type {(() => void)[]} */
  #ends = []
  /** @type {Set<() => void>} */
  #watchers = new Set()
  /** @type {{ call: import('./model.js').Call, size: number }[]} */
  #kept = []
  #keptSize = 0
  #lastRequest = 0
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** Takes the events of a toolkit, of a sub-agent's too. @param {any} connection */
  follow(connection) {
    this.#seen.set(connection, new Map())
    this.#ends.push(connection.on('*', (/** @type {any} */ event) => this.#take(connection, event), 'inspect'))
  }

  /**
   * Before a call: the state of the files is one to come back to.
   *
   * @param {any} connection
   * @param {string} id
   */
  before(connection, id) {
    try {
      this.#seen.get(connection)?.set(id, { checkpoint: connection.checkpoint() })
    } catch {
      // The toolkit is closed: the call itself says so.
    }
  }

  /**
   * What a call returned, in full.
   *
   * @param {any} connection
   * @param {string} id
   * @param {any} result
   */
  after(connection, id, result) {
    const seen = this.#seen.get(connection)?.get(id)
    if (!seen) return
    seen.result = keptOf(result)
    this.#attach(connection, id, seen)
  }

  /**
   * Asks the user of the page and the approver of the host; the first answer counts.
   *
   * @param {Function | undefined} own
   * @returns {(request: any, context: { signal: AbortSignal }) => Promise<string>}
   */
  approver(own) {
    return async (request, { signal }) => {
      const id = String((this.#lastRequest += 1))
      const answered = new AbortController()
      /** @type {Promise<string>} */
      const asked = new Promise((resolve, reject) => {
        this.#inbox.set(id, { request, answer: resolve, refuse: reject })
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
      this.#change()
      try {
        const elsewhere = own && Promise.resolve(own(request, { signal: AbortSignal.any([signal, answered.signal]) }))
        // The later answer may fail: nobody waits for it.
        elsewhere?.catch(() => {})
        asked.catch(() => {})
        // A page that is closed leaves the question to the approver of the host.
        return await (elsewhere ? Promise.race([asked.catch((error) => (signal.aborted ? Promise.reject(error) : elsewhere)), elsewhere]) : asked)
      } finally {
        answered.abort()
        this.#inbox.delete(id)
        this.#change()
      }
    }
  }

  inbox() {
    return [...this.#inbox].map(([id, { request }]) => ({ id, request }))
  }

  /** @param {string} id @param {string} answer @returns {boolean} whether the question was still open */
  answer(id, answer) {
    const open = this.#inbox.get(id)
    if (!open || !ANSWERS.includes(answer)) return false
    open.answer(answer)
    return true
  }

  /** @param {() => void} changed @returns {() => void} */
  watch(changed) {
    this.#watchers.add(changed)
    return () => void this.#watchers.delete(changed)
  }

  close() {
    for (const end of this.#ends.splice(0)) end()
    for (const { refuse } of this.#inbox.values()) refuse(new Error('the page that answers was closed'))
    clearTimeout(this.#timer)
    this.#watchers.clear()
  }

  /** @param {any} connection @param {any} event */
  #take(connection, event) {
    // The stream of a toolkit has those of its sub-agents too, whose connections are followed by themselves.
    if (event.parent !== undefined) return
    this.model.take(event)
    const id = event.toolCallId
    const seen = typeof id === 'string' ? this.#seen.get(connection)?.get(id) : undefined
    if (seen && event.type === 'called') {
      seen.call = this.model.running(event.session, id)
      if (seen.call) seen.call.checkpoint = seen.checkpoint
    }
    if (seen) this.#attach(connection, id, seen)
    if (event.type === 'finished' && !event.success) this.#seen.get(connection)?.delete(id)
    if (event.type === 'closed') this.#seen.delete(connection)
    this.#change()
  }

  /** @param {any} connection @param {string} id @param {Seen} seen */
  #attach(connection, id, { call, result }) {
    if (!call?.finished || result === undefined) return
    this.#seen.get(connection)?.delete(id)
    this.model.returned(call, result)
    const size = JSON.stringify(result).length
    this.#kept.push({ call, size })
    this.#keptSize += size
    while (this.#keptSize > KEPT_MAX && this.#kept.length > 1) {
      const oldest = /** @type {any} */ (this.#kept.shift())
      oldest.call.result = undefined
      this.#keptSize -= oldest.size
    }
    this.#change()
  }

  #change() {
    if (this.#timer || this.#watchers.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      for (const watcher of this.#watchers) watcher()
    }, TOGETHER_MS)
    this.#timer.unref()
  }
}

/** A result within bounds. @param {any} result */
function keptOf({ content, details }) {
  const parts = content.map((/** @type {any} */ part) => {
    if (part.type === 'text' && part.text.length > TEXT_MAX) return { type: 'text', text: part.text.slice(0, TEXT_MAX), omitted: part.text.length - TEXT_MAX }
    if (part.type === 'image' && part.data.length > 4 * TEXT_MAX) return { type: 'text', text: `[${part.mimeType}, ${part.data.length} characters of base64]` }
    return part
  })
  const size = JSON.stringify(details)?.length ?? 0
  return { content: parts, details: size > TEXT_MAX ? `[${size} characters]` : details }
}

module.exports = { Inspection }
