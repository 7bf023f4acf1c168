// @ts-check
'use strict'

const { notify } = require('./host-requests.js')
const { invalidInput } = require('./tool-error.js')

/** The types of events, as `events.rs` names them. */
const TYPES = [
  'called',
  'repaired',
  'looping',
  'hooked',
  'judged',
  'asked',
  'answered',
  'started',
  'update',
  'finished',
  'source_added',
  'process_started',
  'process_output',
  'process_waiting',
  'process_exited',
  'tools_changed',
  'server_asked',
  'mode_changed',
  'run_ended',
  'closed',
]
/** The types of the events of `onProcess`, by the type of the event. */
const OF_PROCESSES = /** @type {Record<string, string>} */ ({
  process_started: 'started',
  process_output: 'output',
  process_waiting: 'waiting',
  process_exited: 'exit',
})

/**
 * Who listens to the stream of one toolkit.
 *
 * @typedef {{ type: string, listener: (event: any) => void, name: string }} Subscription
 */
class Stream {
  /** @type {Set<Subscription>} */
  #subscriptions = new Set()
  /** @type {(listens: boolean) => void} */
  #changed = () => {}

  /** @param {(listens: boolean) => void} changed is called when the first listener comes and when the last one has left */
  connect(changed) {
    this.#changed = changed
    if (this.#subscriptions.size > 0) changed(true)
  }

  /**
   * @param {unknown} type
   * @param {unknown} listener
   * @param {string} [name] what warnings call the listener
   * @returns {() => void} ends the subscription
   */
  on(type, listener, name = 'on') {
    if (type === 'toolsChanged') type = 'tools_changed'
    if (type !== '*' && !TYPES.includes(/** @type {string} */ (type))) {
      const { nearest } = require('./nearest.js')
      const near = typeof type === 'string' ? nearest(type, TYPES) : undefined
      const next = near ? `Did you mean \`${near}\`?` : `Types: ${TYPES.map((known) => `\`${known}\``).join(', ')}, \`*\`.`
      throw invalidInput('on', `There is no event \`${String(type).slice(0, 100)}\`. ${next}`)
    }
    if (typeof listener !== 'function') throw invalidInput('on', `The listener of \`on\` must be a function; got ${typeof listener}.`)
    const subscription = { type: /** @type {string} */ (type), listener: /** @type {any} */ (listener), name }
    this.#subscriptions.add(subscription)
    if (this.#subscriptions.size === 1) this.#changed(true)
    return () => {
      if (this.#subscriptions.delete(subscription) && this.#subscriptions.size === 0) this.#changed(false)
    }
  }

  /**
   * Hands an event to everybody who wants it, in the order in which they came.
   *
   * @param {any} event
   */
  take(event) {
    for (const { type, listener, name } of [...this.#subscriptions]) {
      if (type === '*' || type === event.type) notify(listener, event, name)
    }
  }
}

/**
 * A listener of the stream that reports to `onProcess` what becomes of background commands.
 *
 * @param {(event: any) => void} onProcess
 */
function processListener(onProcess) {
  return (/** @type {any} */ { type, session: _session, ...event }) => {
    const name = OF_PROCESSES[type]
    return name === undefined ? undefined : onProcess({ type: name, ...event })
  }
}

module.exports = { Stream, processListener }
