// @ts-check
'use strict'

const { approvalAnswer, approvalForm, questionAnswers, questionsForm } = require('./forms.js')
const { digestOf } = require('./state.js')
const { LOG_LEVELS, MISSING_CAPABILITY, RequestError, isObject } = require('./protocol.js')
const { ToolError, invalidInput } = require('../tool-error.js')

/** What a client must declare to be asked for something. */
const NEEDS = /** @type {Record<string, string>} */ ({ 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' })
/** The keys of questions that tenon itself has. */
const QUESTIONS = 'questions'
const APPROVAL = 'approval'

/** Calls of clients that run now, by the id that the toolkit has for them. @type {Map<string, McpCall>} */
const running = new Map()
/** Makes ids that no call of the host has. */
const prefix = `mcp-${require('node:crypto').randomBytes(4).toString('hex')}`
let calls = 0

/**
 * @typedef {(method: string, params: object, signal: AbortSignal) => Promise<any>} Ask sends a request to the client and waits for its response
 * @typedef {{ digest: string, answer?: string, why?: string }} Approval what the user was shown, and what they said; without an answer why not
 */

/** A call of a client while it runs, and how its user is asked. */
class McpCall {
  /** Questions that wait for the next round, by their keys. @type {Record<string, { method: string, params: object }>} */
  inputs = {}
  /** What the question for approval that waits is about. @type {string | undefined} */
  shown
  /** A fault of the request that was noticed while it ran. @type {RequestError | undefined} */
  fault
  /** Whether the client wants no response any more. */
  isCancelled = false
  controller = new AbortController()
  #asks = 0

  /**
   * @param {object} client
   * @param {any} client.capabilities
   * @param {Ask} [client.ask] missing where answers come with the next round
   * @param {Record<string, any>} [client.answers] that came with this round and those before
   * @param {Approval} [client.approval]
   * @param {boolean} [client.readsLinks] whether it knows links to resources, and can read those of this server
   * @param {(message: import('../../mcp.d.ts').LogMessage) => boolean} [client.log] sends a log message, where the client wants it
   * @param {object} [client.client] whose call it is: calls with the same one have the same user
   * @param {string} [client.id] what the client calls it, where that is no other call that runs
   */
  constructor({ capabilities, ask, answers = {}, approval, readsLinks = false, log = () => false, client = {}, id }) {
    calls += 1
    this.id = id === undefined || running.has(id) ? `${prefix}-${calls}` : id
    this.client = client
    this.capabilities = capabilities
    this.answers = answers
    this.approval = approval
    this.ask = ask
    this.readsLinks = readsLinks
    this.log = log
    running.set(this.id, this)
  }

  get isWaiting() {
    return Object.keys(this.inputs).length > 0
  }

  /** Whether its user can be shown a form. */
  get canElicit() {
    return canDo(this.capabilities, 'elicitation')
  }

  cancel() {
    this.isCancelled = true
    this.controller.abort()
  }

  end() {
    running.delete(this.id)
  }

  /**
   * Asks the client for something. In modern revisions the answer comes with another round of the whole call: this one ends.
   *
   * @param {string} method
   * @param {object} params
   * @param {AbortSignal} signal
   * @param {string} [key]
   * @returns {Promise<any>}
   */
  async request(method, params, signal, key) {
    const needed = NEEDS[method]
    if (needed === undefined) throw new Error(`A client cannot be asked for \`${method}\`. Use one of ${Object.keys(NEEDS).join(', ')}.`)
    if (!canDo(this.capabilities, needed)) {
      this.fault ??= new RequestError(MISSING_CAPABILITY, `The call needs a client with the capability \`${needed}\`.`, {
        requiredCapabilities: { [needed]: {} },
      })
      throw new Error(`the MCP client does not support ${needed}`)
    }
    this.#asks += 1
    const name = key ?? `input_${this.#asks}`
    if (this.ask) return this.ask(method, params, signal)
    if (Object.hasOwn(this.answers, name) && isAnswer(method, this.answers[name])) return this.answers[name]
    return this.wait(name, { method, params }, signal)
  }

  /**
   * Ends this round with a question. What is asked at the same time is in the same round.
   *
   * @param {string} key
   * @param {{ method: string, params: object }} input
   * @param {AbortSignal} signal
   * @returns {Promise<never>}
   */
  wait(key, input, signal) {
    this.inputs[key] = input
    setImmediate(() => this.controller.abort())
    return new Promise((_, reject) => {
      const stop = () => reject(new Error('the call waits for an answer of the user of the MCP client'))
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      this.controller.signal.addEventListener('abort', stop, { once: true })
    })
  }

  /**
   * @param {import('../../index.d.ts').UserQuestions} request
   * @param {AbortSignal} signal
   */
  async askUser({ questions }, signal) {
    if (!this.canElicit) throw new Error('the MCP client cannot ask its user: it does not support elicitation')
    return questionAnswers(questions, await this.request('elicitation/create', questionsForm(questions), signal, QUESTIONS))
  }

  /**
   * Shows the user a form of a server behind this one. Its key is made of what is shown: an answer is good for that only.
   *
   * @param {{ server: string, message: string, schema: Record<string, any> }} form
   * @param {AbortSignal} signal
   */
  async elicit({ server, message, schema }, signal) {
    if (!this.canElicit) return { action: 'decline' }
    const params = { message: `\`${server}\`: ${message}`, requestedSchema: schema }
    return this.request('elicitation/create', params, signal, `form_${digestOf(params)}`)
  }

  /**
   * What the user says of this call.
   *
   * @param {import('../../index.d.ts').ApprovalRequest} request
   * @param {AbortSignal} signal
   */
  async approve(request, signal) {
    if (!this.canElicit) throw declined(request.tool, 'the MCP client cannot ask its user: it does not support elicitation')
    const { answer, why } = this.approval?.digest === request.digest ? this.approval : await this.#answerTo(request, signal)
    if (answer === undefined) throw declined(request.tool, why ?? 'the user declined it')
    return answer
  }

  /**
   * @param {import('../../index.d.ts').ApprovalRequest} request
   * @param {AbortSignal} signal
   * @returns {Promise<Pick<Approval, 'answer' | 'why'>>}
   */
  async #answerTo(request, signal) {
    const params = approvalForm(request)
    if (this.ask) return approvalAnswer(await this.ask('elicitation/create', params, signal))
    this.shown = request.digest
    return this.wait(APPROVAL, { method: 'elicitation/create', params }, signal)
  }

  /**
   * Asks for approval before anything runs, as `approve` does in the middle of a call. What the user has answered is compared
   * there: a tool of the host may word its question only when the call runs.
   *
   * @param {import('../../index.d.ts').ApprovalRequest} request
   */
  mustAsk(request) {
    if (this.ask || !this.canElicit || this.approval) return false
    this.shown = request.digest
    this.inputs[APPROVAL] = { method: 'elicitation/create', params: approvalForm(request) }
    return true
  }
}

/**
 * @param {any} capabilities
 * @param {string} needed
 */
function canDo(capabilities, needed) {
  const declared = capabilities?.[needed]
  if (!isObject(declared)) return false
  // A client that names the modes of elicitation names all that it has.
  return needed !== 'elicitation' || 'form' in declared || !('url' in declared)
}

/**
 * Whether an answer has the form that its question asks for. One that has not is asked for again.
 *
 * @param {string} method
 * @param {any} answer
 */
function isAnswer(method, answer) {
  if (!isObject(answer)) return false
  if (method === 'roots/list') return Array.isArray(answer.roots)
  if (method === 'sampling/createMessage') return answer.content !== undefined
  return ['accept', 'decline', 'cancel'].includes(answer.action) && (answer.action !== 'accept' || isObject(answer.content ?? {}))
}

/**
 * @param {string} tool
 * @param {string} why
 */
function declined(tool, why) {
  return new ToolError(why, { tool, error_type: 'permission_denied', details: { code: 'approval_denied' } })
}

/**
 * The parts of a host whose user is the one of the client that calls: for the options of a toolkit.
 *
 * @type {import('../../mcp.d.ts').McpHost}
 */
const mcpHost = {
  onApproval: async (request, { signal }) => {
    const call = running.get(request.toolCallId)
    if (!call) throw declined(request.tool, 'no MCP client made this call')
    return /** @type {any} */ (call.approve(request, signal))
  },
  host: {
    askUser: async (request, { signal }) => {
      const call = running.get(request.toolCallId)
      if (!call) throw new Error('no MCP client made this call, so nobody can be asked')
      return call.askUser(request, signal)
    },
    elicit: async (request, { signal }) => {
      const [call, ...others] = request.toolCallIds.map((id) => running.get(id))
      if (!call) throw new Error('no MCP client made this call, so nobody can be asked')
      // One user must not get the question of another.
      if (others.some((other) => other?.client !== call.client))
        throw new Error('calls of several MCP clients run, and the server does not say whose question it is')
      return call.elicit(request, signal)
    },
  },
}

/**
 * Asks the client of a running call for something, from within a tool of the host.
 *
 * @param {string} method
 * @param {object} params
 * @param {{ toolCallId: string, signal?: AbortSignal, key?: string }} context
 * @returns {Promise<any>}
 */
async function askClient(method, params, { toolCallId, signal, key }) {
  const call = running.get(toolCallId)
  if (!call) throw new Error('`askClient` works only while a call of an MCP client runs; pass the `toolCallId` that the tool was given.')
  return call.request(method, params, signal ?? call.controller.signal, key)
}

/**
 * Sends a log message to the client of a running call, from within a tool, a prompt or a resource of the host; whether it was sent.
 *
 * @param {import('../../mcp.d.ts').LogMessage} message
 * @param {{ toolCallId: string }} context
 */
function logToClient(message, { toolCallId }) {
  if (!LOG_LEVELS.includes(message?.level))
    throw invalidInput('logToClient', `\`level\` must be one of ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}.`)
  return running.get(toolCallId)?.log(message) ?? false
}

module.exports = { APPROVAL, McpCall, askClient, canDo, logToClient, mcpHost }
