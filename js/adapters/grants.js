// @ts-check
'use strict'

/**
 * @typedef {import('../../index.d.ts').ApprovalRequest} ApprovalRequest
 * @typedef {Pick<import('../../index.d.ts').Toolkit<any>, 'decide' | 'approvalRequest' | 'promises'>} Judge
 */

/**
 * Whether the engine of a toolkit is elsewhere, so that it answers nothing at once.
 *
 * @param {object} toolkit
 */
function isElsewhere(toolkit) {
  return require('../toolkit.js').connectionOf(toolkit)?.isRemote === true
}

/** As many questions of one toolkit are remembered; the oldest are forgotten first. */
const MOST_QUESTIONS = 1000

/** Questions of toolkits that were put to users by the approvals of a framework. @type {WeakMap<object, Grants>} */
const grants = new WeakMap()

/**
 * What the user of a framework was shown of a call, until the call runs. A framework runs a call after its user approved
 * it; the digest of what was shown makes that approval count for exactly this, and once.
 */
class Grants {
  #toolkit
  /** By call, the digest that was shown; `null` where nothing required approval. @type {Map<string, string | null>} */
  #shown = new Map()

  /** @param {Judge} toolkit */
  constructor(toolkit) {
    this.#toolkit = toolkit
  }

  /**
   * What policy says to a call, before the framework shows it. Parameters that are not valid require no approval: such a
   * call fails by itself.
   *
   * @param {string} name
   * @param {unknown} params
   * @param {string} [toolCallId]
   * @returns {Promise<{ verdict: 'allow' | 'ask' | 'deny' | 'invalid', reason: string, request?: ApprovalRequest }>}
   */
  async judge(name, params, toolCallId) {
    const decision = await this.#decided(name, params)
    const { verdict, reason, issues = [] } = decision
    if (issues.length > 0) return { verdict: 'invalid', reason }
    const request = await this.#questionOf(decision, name, params)
    const key = keyOf(name, params, toolCallId)
    // Frameworks ask again when they resume: what the user saw is what was asked first. Without an id it is another call.
    if (toolCallId === undefined || !this.#shown.get(key)) this.#show(key, request?.digest ?? null)
    return request ? { verdict: 'ask', reason: request.reason, request } : { verdict, reason }
  }

  /**
   * Whether a call was judged that has not run so far.
   *
   * @param {string} name
   * @param {unknown} params
   * @param {string | undefined} toolCallId
   */
  isJudged(name, params, toolCallId) {
    return this.#shown.has(keyOf(name, params, toolCallId))
  }

  /**
   * The user approved a call, as it was shown or, without a digest, as it is now.
   *
   * @param {string} name
   * @param {unknown} params
   * @param {string | undefined} digest
   * @param {string} [toolCallId]
   */
  async approve(name, params, digest, toolCallId) {
    const key = keyOf(name, params, toolCallId)
    this.#show(key, digest ?? (await this.#requestOf(name, params))?.digest ?? null)
  }

  /**
   * The user did not approve a call.
   *
   * @param {string} name
   * @param {unknown} params
   * @param {string} [toolCallId]
   */
  forget(name, params, toolCallId) {
    this.#shown.delete(keyOf(name, params, toolCallId))
  }

  /**
   * How `execute` is to run a call that the framework lets run.
   *
   * @param {string} name
   * @param {unknown} params
   * @param {string | undefined} toolCallId
   * @param {boolean} isGated whether no call of this tool runs that its framework has not judged, maybe in another process
   * @returns {Promise<{ approved?: 'once', digest?: string }>}
   */
  async take(name, params, toolCallId, isGated) {
    const key = keyOf(name, params, toolCallId)
    let digest = this.#shown.get(key)
    this.#shown.delete(key)
    if (digest === undefined && isGated) digest = (await this.#requestOf(name, params))?.digest
    return digest ? { approved: 'once', digest } : {}
  }

  /**
   * @param {string} name
   * @param {unknown} params
   */
  async #requestOf(name, params) {
    return this.#questionOf(await this.#decided(name, params), name, params)
  }

  /**
   * What a user has to be shown, if anything.
   *
   * @param {{ verdict: string, provisional?: boolean }} decision
   * @param {string} name
   * @param {unknown} params
   */
  #questionOf({ verdict, provisional = false }, name, params) {
    if (verdict === 'deny') return null
    // What only the host or a language server knows may require approval where nothing else does.
    if (provisional) return this.#toolkit.promises.approvalRequest(name, params)
    return verdict === 'ask' ? this.#shownOf(name, params) : null
  }

  /**
   * What policy says, of an engine that is elsewhere too.
   *
   * @param {string} name
   * @param {unknown} params
   */
  #decided(name, params) {
    return isElsewhere(this.#toolkit) ? this.#toolkit.promises.decide(name, params) : this.#toolkit.decide(name, params)
  }

  /**
   * @param {string} name
   * @param {unknown} params
   */
  #shownOf(name, params) {
    return isElsewhere(this.#toolkit) ? this.#toolkit.promises.approvalRequest(name, params) : this.#toolkit.approvalRequest(name, params)
  }

  /**
   * @param {string} key
   * @param {string | null} digest
   */
  #show(key, digest) {
    this.#shown.delete(key)
    this.#shown.set(key, digest)
    if (this.#shown.size > MOST_QUESTIONS) this.#shown.delete(/** @type {string} */ (this.#shown.keys().next().value))
  }
}

/**
 * The questions of a toolkit, the same for all adapters.
 *
 * @param {Judge} toolkit
 */
function grantsOf(toolkit) {
  const known = grants.get(toolkit)
  if (known) return known
  const created = new Grants(toolkit)
  grants.set(toolkit, created)
  return created
}

/**
 * @param {string} name
 * @param {unknown} params
 * @param {string | undefined} toolCallId
 */
function keyOf(name, params, toolCallId) {
  return JSON.stringify([toolCallId ?? null, name, sorted(params)])
}

/**
 * A value whose JSON does not depend on the order of keys.
 *
 * @param {any} value
 * @returns {any}
 */
function sorted(value) {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  )
}

module.exports = { grantsOf, isElsewhere }
