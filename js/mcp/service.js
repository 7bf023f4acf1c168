// @ts-check
'use strict'

const { APPROVAL, McpCall, mcpHost } = require('./calls.js')
const { canvasApp } = require('./canvas.js')
const { approvalAnswer } = require('./forms.js')
const { INVALID_PARAMS, RequestError, isObject } = require('./protocol.js')
const { LINKING, outputLinks, outputResources } = require('./outputs.js')
const { Prompts } = require('./prompts.js')
const { Resources, checkedResource } = require('./resources.js')
const { States, digestOf } = require('./state.js')
const { Subscriptions } = require('./subscriptions.js')
const { ToolError, invalidInput } = require('../tool-error.js')
const { connectionOf } = require('../toolkit.js')

/** What the options of every endpoint may say. */
const SERVICE_OPTIONS = ['name', 'version', 'instructions', 'structured', 'contentOnly', 'links', 'resources', 'prompts', 'stateKey']
/** Longest line of progress that is sent, in characters. */
const PROGRESS_CHARACTERS = 200
/** Texts of details up to this length are sent although the content shows them, in characters; and by how much of its beginning a longer one is known. */
const REPEATED_CHARACTERS = { most: 1000, known: 200 }
/** Operations that every agent needs: clients that defer the definitions of tools load those of these at once. */
const ALWAYS_LOADED = ['read', 'write', 'edit', 'execute', 'grep', 'find']
/** Operations with results of up to 50 KB and what is said about them, and how many characters of them a client is to show its model. */
const LONG_RESULTS = ['read', 'execute', 'process', 'grep', 'find', 'list', 'lsp', 'skill', 'web_fetch', 'web_request', 'run_tests']
const LONG_CHARACTERS = 100_000

/**
 * @typedef {import('../../index.d.ts').AgentToolResult<any>} AgentToolResult
 * @typedef {import('./protocol.js').About} About
 */

/** What all clients of one endpoint share: the tools, the resources, and what the server says of itself. */
class McpService {
  #links
  #resources

  /**
   * @param {any} toolkit
   * @param {Pick<import('../../index.d.ts').McpOptions, 'name' | 'version' | 'instructions' | 'structured' | 'contentOnly' | 'links' | 'resources' | 'prompts' | 'stateKey'>} options
   * @param {string} tool that was called, for errors
   */
  constructor(
    toolkit,
    {
      name = 'tenon',
      version = require('../../package.json').version,
      instructions,
      structured = false,
      contentOnly = false,
      links,
      resources = [],
      prompts = [],
      stateKey,
    },
    tool,
  ) {
    if (typeof toolkit?.execute !== 'function') throw invalidInput(tool, 'The first argument must be a toolkit.')
    for (const [option, list] of Object.entries({ resources, prompts })) {
      if (!Array.isArray(list)) throw invalidInput(tool, `The option \`${option}\` of \`${tool}\` must be a list; got ${typeof list}.`)
    }
    if (structured && contentOnly) throw invalidInput(tool, 'The options `structured` and `contentOnly` exclude each other.')
    if (links && contentOnly) throw invalidInput(tool, 'The options `links` and `contentOnly` exclude each other.')
    this.toolkit = toolkit
    this.isContentOnly = contentOnly
    this.#links = contentOnly ? false : links
    /** @type {About} */
    this.about = { name, version, ...(instructions !== undefined && { instructions }), isStructured: structured }
    this.#resources = resources.map(checkedResource)
    this.prompts = new Prompts(prompts)
    this.states = new States(stateKey)
    this.subscriptions = new Subscriptions(toolkit, () => this.resourcesFor(undefined))
  }

  get serverInfo() {
    const { name, version } = this.about
    return { name, version }
  }

  /**
   * Whether the results of a client have links to what they leave out.
   *
   * @param {unknown} client its name
   */
  linksFor(client) {
    return this.#links ?? (typeof client === 'string' && LINKING.includes(client))
  }

  /**
   * What a client with these capabilities can read.
   *
   * @param {any} client its capabilities
   */
  resourcesFor(client) {
    return new Resources([...this.#resources, ...outputResources(this.toolkit), ...(canvasApp(this.toolkit, client)?.resources() ?? [])])
  }

  /**
   * What the server says of itself to a client with these capabilities.
   *
   * @param {any} client its capabilities
   */
  capabilitiesFor(client) {
    const resources = this.resourcesFor(client)
    return {
      tools: { listChanged: true },
      logging: {},
      ...(!resources.isEmpty && { resources: resources.isWatched ? { subscribe: true } : {} }),
      ...(!this.prompts.isEmpty && { prompts: {} }),
      ...((resources.isCompleted || this.prompts.isCompleted) && { completions: {} }),
      ...(canvasApp(this.toolkit, client) && { extensions: canvasApp(this.toolkit, client)?.extensions }),
    }
  }

  /**
   * @param {any} client its capabilities
   * @returns {any[]}
   */
  list(client) {
    const canvases = canvasApp(this.toolkit, client)
    const tools = new Map(this.toolkit.listTools().map((/** @type {any} */ tool) => [tool.name, tool]))
    return this.toolkit.definitions(undefined, 'mcp').map((/** @type {any} */ definition) => {
      const tool = tools.get(definition.name)
      const ofServer = tool?.metadata?.mcp?.outputSchema
      // The protocol accepts schemas of objects only, not of a choice between several.
      const isDescribed = this.about.isStructured && tool?.outputSchema?.type === 'object'
      const outputSchema = ofServer ?? (isDescribed ? tool.outputSchema : undefined)
      const meta = metaOf(tool, canvases?.toolMeta(tool))
      return { ...definition, ...(outputSchema && { outputSchema }), ...(meta && { _meta: meta }) }
    })
  }

  /**
   * Whether the details of a tool are structured content: where the host wants it, and where the server that the tool is of said so.
   *
   * @param {string} name
   */
  #isStructured(name) {
    if (this.about.isStructured) return true
    if (!name.startsWith('mcp__')) return false
    const tool = this.toolkit.listTools().find((/** @type {any} */ listed) => listed.name === name)
    return tool?.metadata?.mcp?.outputSchema !== undefined
  }

  /**
   * A call of a modern revision, with what its user has answered in earlier rounds of it.
   *
   * @param {any} params
   * @param {any} capabilities of the client
   * @param {string} principal
   * @param {Pick<ConstructorParameters<typeof McpCall>[0], 'readsLinks' | 'log' | 'client' | 'id'>} [more] what it takes
   */
  modernCall({ name, arguments: input = {}, inputResponses = {}, requestState }, capabilities, principal, more = {}) {
    if (!isObject(inputResponses)) throw new RequestError(INVALID_PARAMS, '`params.inputResponses` must be an object.')
    if (requestState === undefined) return new McpCall({ capabilities, answers: { ...inputResponses }, ...more })
    const { approval, answers } = this.states.open(requestState, { tool: name, params: digestOf(input), principal })
    const { [APPROVAL]: said, ...responses } = inputResponses
    const isAnswered = approval?.answer !== undefined || typeof said?.action === 'string'
    const answered = approval && isAnswered && (approval.answer === undefined ? approvalAnswer(said) : {})
    return new McpCall({
      capabilities,
      answers: { ...answers, ...responses },
      approval: answered ? { ...approval, ...answered } : undefined,
      ...more,
    })
  }

  /**
   * Runs a call to its result, or to what must be asked before it has one.
   *
   * @param {string} name
   * @param {unknown} input
   * @param {{ call: McpCall, principal: string, onUpdate?: (partial: AgentToolResult) => void }} context
   * @returns {Promise<any>} nothing where the client wants none any more
   */
  run(name, input, { call, principal, onUpdate }) {
    return this.inRounds(name, input, { call, principal }, async () => {
      const grant = await this.#grantOf(name, input, call)
      if (call.isWaiting) return undefined
      const { id: toolCallId, controller } = call
      try {
        const result = resultOf(
          await this.toolkit.execute(name, input, { toolCallId, signal: controller.signal, onUpdate, ...grant }),
          this.#isStructured(name),
        )
        const shown = canvasApp(this.toolkit, call.capabilities)?.resultMeta(name, result)
        if (call.readsLinks) result.content = [...result.content, ...outputLinks(result.structuredContent ?? result._meta?.['tenon/details'])]
        return this.#sent(shown ? { ...result, _meta: { ...result._meta, ...shown } } : result)
      } catch (error) {
        if (!ToolError.is(error) || call.isCancelled || call.isWaiting || (!call.ask && call.fault)) throw error
        if (/** @type {any} */ (error.details)?.code === 'unknown_tool') throw new RequestError(INVALID_PARAMS, error.message)
        return this.#sent(failedCall(error))
      }
    })
  }

  /**
   * A result as clients get it: without details where the host wants none. What a page shows stays.
   *
   * @param {any} result
   */
  #sent({ _meta, ...result }) {
    const { 'tenon/details': details, ...meta } = _meta ?? {}
    if (!this.isContentOnly && details !== undefined) meta['tenon/details'] = details
    return Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result
  }

  /**
   * Does what a client requests, or returns what must be asked before it can be done: the client then requests it again with the answers.
   *
   * @param {string} subject what is requested, for the state that it brings back
   * @param {unknown} input
   * @param {{ call: McpCall, principal: string }} context
   * @param {() => Promise<any>} work
   * @returns {Promise<any>} nothing where the client wants none any more
   */
  async inRounds(subject, input, { call, principal }, work) {
    try {
      const result = await work()
      return result === undefined && call.isWaiting ? this.#inputRequired(subject, input, call, principal) : result
    } catch (error) {
      if (call.isCancelled) return undefined
      if (!call.ask && call.fault) throw call.fault
      if (call.isWaiting) return this.#inputRequired(subject, input, call, principal)
      throw error
    } finally {
      call.end()
    }
  }

  /**
   * @param {string} subject
   * @param {unknown} input
   * @param {McpCall} call
   * @param {string} principal
   */
  #inputRequired(subject, input, { inputs, answers, approval, shown }, principal) {
    const state = { tool: subject, params: digestOf(input), principal, answers, approval: shown === undefined ? approval : { digest: shown } }
    return { resultType: 'input_required', inputRequests: inputs, requestState: this.states.seal(state) }
  }

  /**
   * What the user has approved of this call before. What policy wants to have approved and was not is asked first, while nothing
   * has run yet; where that cannot be known before, the approver asks in the middle.
   *
   * @param {string} name
   * @param {unknown} input
   * @param {McpCall} call
   * @returns {Promise<object | undefined>}
   */
  async #grantOf(name, input, call) {
    const connection = connectionOf(this.toolkit)
    if (call.ask || connection?.approver !== mcpHost.onApproval) return undefined
    let request
    try {
      request = await this.toolkit.promises.approvalRequest(name, input)
    } catch {
      // The call itself fails with what is wrong.
    }
    if (!request || call.mustAsk(request)) return undefined
    const isApproved = call.approval?.answer === 'once' && call.approval.digest === request.digest
    return isApproved ? { approved: 'once', digest: request.digest } : undefined
  }
}

/**
 * What clients get of a tool beside its definition.
 *
 * @param {any} tool
 * @param {object} [app] of the page that shows its results
 */
function metaOf(tool, app) {
  const isAlwaysLoaded = ALWAYS_LOADED.includes(tool?.metadata?.operation ?? '')
  const isLong = LONG_RESULTS.includes(tool?.metadata?.operation ?? '')
  const meta = {
    ...(isAlwaysLoaded && { 'anthropic/alwaysLoad': true }),
    ...(isLong && { 'anthropic/maxResultSizeChars': LONG_CHARACTERS }),
    ...app,
    ...tool?._meta,
  }
  return Object.keys(meta).length > 0 ? meta : undefined
}

/**
 * Sends the updates of a call to a client that asked for them.
 *
 * @param {(params: { progressToken: string | number, progress: number, total?: number, message?: string }) => void} send
 * @param {unknown} progressToken
 */
function progressTo(send, progressToken) {
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined
  let progress = 0
  return (/** @type {AgentToolResult} */ partial) => {
    progress += 1
    const message = lastLine(partial)
    send({ progressToken, progress, ...(message !== undefined && { message }) })
  }
}

/**
 * The content is for the model. Many clients hand it the structured content in place of the text where there is some, so
 * details are metadata unless the host wants it otherwise.
 *
 * @param {AgentToolResult & { parts?: any[] }} result
 * @param {boolean} isStructured
 */
function resultOf({ content, details, parts = content }, isStructured) {
  const isObject = typeof details === 'object' && details !== null && !Array.isArray(details)
  if (isStructured && isObject) return { content: parts, structuredContent: details }
  return details === undefined ? { content: parts } : { content: parts, _meta: { 'tenon/details': withoutRepeated(details, content) } }
}

/**
 * Details without the long texts that the content shows as well, whole or their ends: many clients hand both to their model.
 *
 * @param {any} details
 * @param {AgentToolResult['content']} content
 * @returns {any}
 */
function withoutRepeated(details, content) {
  const texts = content.map((part) => (part.type === 'text' ? part.text : ''))
  const isRepeated = (/** @type {unknown} */ value) =>
    typeof value === 'string' && value.length > REPEATED_CHARACTERS.most && texts.some((text) => text.includes(value.slice(0, REPEATED_CHARACTERS.known)))
  if (!isObject(details) || !Object.values(details).some(isRepeated)) return details
  return Object.fromEntries(Object.entries(details).filter(([, value]) => !isRepeated(value)))
}

/** @param {any} error */
function failedCall({ message, error_type, details }) {
  return { content: [{ type: 'text', text: message }], isError: true, _meta: { 'tenon/error_type': error_type, 'tenon/details': details } }
}

/** @param {AgentToolResult} partial */
function lastLine({ content }) {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  return line === '' ? undefined : Array.from(line).slice(0, PROGRESS_CHARACTERS).join('')
}

module.exports = { McpService, SERVICE_OPTIONS, progressTo }
