// @ts-check
'use strict'

const { randomUUID } = require('node:crypto')

const OPTIONS = [
  { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
]

/** Questions of ours to the user of an editor. */
class Questions {
  #toEditor
  /** An agent must not be able to use an id of ours: the answer to its request would count as one to us. */
  #prefix = `tenon-${randomUUID()}-`
  #count = 0
  /** Those without an answer, by their ids. @type {Map<string, { sessionId: string, end: (answer?: string) => void, withdraw: () => void }>} */
  #open = new Map()

  /** @param {(message: any) => void} toEditor */
  constructor(toEditor) {
    this.#toEditor = toEditor
  }

  /**
   * @param {string} sessionId
   * @param {object} request the parameters of `session/request_permission` but the options
   * @param {AbortSignal} signal
   * @returns {Promise<string | undefined>} the id of the option that the user chose
   */
  ask(sessionId, request, signal) {
    if (signal.aborted) return Promise.resolve(undefined)
    this.#count += 1
    const id = `${this.#prefix}${this.#count}`
    return new Promise((resolve) => {
      const end = (/** @type {string | undefined} */ answer) => {
        this.#open.delete(id)
        signal.removeEventListener('abort', withdraw)
        resolve(answer)
      }
      const withdraw = () => {
        this.#toEditor({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: id } })
        end(undefined)
      }
      signal.addEventListener('abort', withdraw, { once: true })
      this.#open.set(id, { sessionId, end, withdraw })
      this.#toEditor({ jsonrpc: '2.0', id, method: 'session/request_permission', params: { sessionId, ...request, options: OPTIONS } })
    })
  }

  /**
   * Whether a response is to a question of ours, be it one that has ended.
   *
   * @param {any} response
   */
  take({ id, result }) {
    if (typeof id !== 'string' || !id.startsWith(this.#prefix)) return false
    this.#open.get(id)?.end(result?.outcome?.outcome === 'selected' ? result.outcome.optionId : undefined)
    return true
  }

  /**
   * The user has cancelled the turn, so the editor waits for no answer.
   *
   * @param {unknown} sessionId
   */
  cancel(sessionId) {
    for (const question of [...this.#open.values()]) if (question.sessionId === sessionId) question.end()
  }

  /**
   * Takes the questions of a session back.
   *
   * @param {string} sessionId
   */
  withdraw(sessionId) {
    for (const question of [...this.#open.values()]) if (question.sessionId === sessionId) question.withdraw()
  }
}

module.exports = { Questions }
