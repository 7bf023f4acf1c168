// @ts-check
'use strict'

const { canvasApp } = require('./mcp-canvas.js')
const { ToolError, describe, invalidInput } = require('./tool-error.js')

/** Revisions of the Model Context Protocol that are spoken, the newest first. Tools are the same in all of them. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
const RESOURCE_NOT_FOUND = -32002

/** Longest line of progress that is sent, in characters. */
const PROGRESS_CHARACTERS = 200
/** Operations that every agent needs: clients that defer the definitions of tools load those of these at once. */
const ALWAYS_LOADED = ['read', 'write', 'edit', 'execute', 'grep', 'find']

/**
 * @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool
 * @typedef {import('../index.d.ts').AgentToolResult<any>} AgentToolResult
 * @typedef {Pick<import('../index.d.ts').Toolkit<any>, 'listTools' | 'definitions' | 'execute'>} Tools
 * @typedef {{ name: string, version: string, instructions?: string, isStructured: boolean }} About
 * @typedef {(message: object) => void} Send takes a message to the client
 * @typedef {{ resolve: (result: any) => void, reject: (reason: Error) => void }} Asked
 */

/** A fault of a request itself, as JSON-RPC reports it. */
class RequestError extends Error {
  /**
   * @param {number} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

/** The tools of a toolkit for one client of the Model Context Protocol, over any way to carry messages. */
class McpServer {
  #tools
  #send
  #about
  /** Calls that run, by the id of their request. @type {Map<string | number, { controller: AbortController, send: Send }>} */
  #running = new Map()
  /** Requests to the client that have no response yet. @type {Map<string, Asked>} */
  #asked = new Map()
  #asks = 0
  /** @type {any} */
  #clientCapabilities = {}

  /**
   * @param {Tools} tools
   * @param {Send} send takes what belongs to no message of the client
   * @param {About} about
   */
  constructor(tools, send, about) {
    this.#tools = tools
    this.#send = send
    this.#about = about
  }

  /**
   * Takes the text of a message or of a batch. Messages of running calls go the same way as the response. Never rejects.
   *
   * @param {string} text
   * @param {Send} [send]
   */
  async receive(text, send = (message) => this.#send(message)) {
    let message
    try {
      message = JSON.parse(text)
    } catch (error) {
      return send(failure(null, PARSE_ERROR, `The message is not valid JSON: ${describe(error)}.`))
    }
    if (!Array.isArray(message)) {
      const answer = await this.#one(message, send)
      if (answer) send(answer)
      return
    }
    if (message.length === 0) return send(failure(null, INVALID_REQUEST, 'The batch is empty.'))
    const answers = (await Promise.all(message.map((one) => this.#one(one, send)))).filter((answer) => answer !== undefined)
    if (answers.length > 0) send(answers)
  }

  /**
   * Asks the user of the client by elicitation, as `host.askUser` does.
   *
   * @param {import('../index.d.ts').UserQuestions} request
   * @param {import('../index.d.ts').HostContext} context
   */
  async askUser({ questions, toolCallId }, { signal }) {
    if (!this.#clientCapabilities.elicitation) throw new Error('the MCP client cannot ask its user: it does not support elicitation')
    const fields = questions.map(({ question, options, multiSelect }, index) => [`q${index + 1}`, fieldOf(question, options, multiSelect)])
    const message = questions
      .map(({ question, options }) => [question, ...options.map(({ label, description }) => `- ${label}: ${description}`)].join('\n'))
      .join('\n\n')
    const schema = { type: 'object', properties: Object.fromEntries(fields), required: fields.map(([name]) => name) }
    const call = [...this.#running].find(([id]) => String(id) === toolCallId)?.[1]
    const send = call?.send ?? ((/** @type {object} */ message) => this.#send(message))
    const { action, content } = await this.#ask('elicitation/create', { message, requestedSchema: schema }, signal, send)
    if (action !== 'accept') return null
    const answers = questions.map(({ question }, index) => [question, [content?.[`q${index + 1}`]].flat().map(String).join(', ')])
    return { answers: Object.fromEntries(answers) }
  }

  /** Aborts what runs; nothing is sent any more. */
  close() {
    this.#send = () => {}
    for (const { controller } of this.#running.values()) controller.abort()
    for (const { reject } of this.#asked.values()) reject(new Error('the MCP client disconnected'))
    this.#asked.clear()
  }

  /**
   * The response to one message; none to a notification, to a response and to a call that was cancelled.
   *
   * @param {any} message
   * @param {Send} send
   * @returns {Promise<object | undefined>}
   */
  async #one(message, send) {
    if (typeof message !== 'object' || message === null || Array.isArray(message) || message.jsonrpc !== '2.0') {
      return failure(null, INVALID_REQUEST, 'A message must be an object with `jsonrpc: "2.0"`.')
    }
    const { id, method, params } = message
    if (method === undefined) return this.#answered(message)
    if (id === undefined) return this.#notified(method, params)
    if (typeof id !== 'string' && typeof id !== 'number') return failure(null, INVALID_REQUEST, '`id` must be a string or a number.')
    try {
      const result = await this.#request(id, method, params ?? {}, send)
      return result && { jsonrpc: '2.0', id, result }
    } catch (error) {
      return error instanceof RequestError ? failure(id, error.code, error.message) : failure(id, INTERNAL_ERROR, describe(error))
    }
  }

  /**
   * @param {string | number} id
   * @param {unknown} method
   * @param {any} params
   * @param {Send} send
   */
  async #request(id, method, params, send) {
    switch (method) {
      case 'initialize':
        return this.#initialize(params)
      case 'ping':
        return {}
      case 'tools/list':
        return { tools: this.#list() }
      case 'tools/call':
        return this.#call(id, params, send)
      default:
        return this.#resource(method, params)
    }
  }

  /** The canvases, where the client shows pages. */
  get #canvases() {
    return canvasApp(this.#tools, this.#clientCapabilities)
  }

  /**
   * @param {unknown} method
   * @param {any} params
   */
  #resource(method, params) {
    const canvases = this.#canvases
    if (canvases && method === 'resources/list') return { resources: canvases.list() }
    if (canvases && method === 'resources/templates/list') return { resourceTemplates: canvases.templates() }
    if (canvases && method === 'resources/read') {
      const content = canvases.read(params.uri)
      if (content) return content
      throw new RequestError(RESOURCE_NOT_FOUND, `There is no resource \`${String(params.uri)}\`.`)
    }
    throw new RequestError(METHOD_NOT_FOUND, `There is no method \`${String(method)}\`: this server has tools only.`)
  }

  /** @param {any} params */
  #initialize({ protocolVersion, capabilities }) {
    this.#clientCapabilities = capabilities ?? {}
    const { instructions, isStructured: _, ...serverInfo } = this.#about
    return {
      protocolVersion: REVISIONS.includes(protocolVersion) ? protocolVersion : REVISIONS[0],
      capabilities: { tools: {}, ...this.#canvases?.capabilities },
      serverInfo,
      ...(instructions !== undefined && { instructions }),
    }
  }

  #list() {
    const canvases = this.#canvases
    const tools = new Map(this.#tools.listTools().map((tool) => [tool.name, tool]))
    return this.#tools.definitions(undefined, 'mcp').map((definition) => {
      const tool = tools.get(definition.name)
      const isAlwaysLoaded = ALWAYS_LOADED.includes(tool?.metadata?.operation ?? '')
      // The protocol accepts schemas of objects only, not of a choice between several.
      const isDescribed = this.#about.isStructured && tool?.outputSchema?.type === 'object'
      return {
        ...definition,
        ...(isDescribed && { outputSchema: tool.outputSchema }),
        ...metaOf({ ...(isAlwaysLoaded && { 'anthropic/alwaysLoad': true }), ...canvases?.toolMeta(tool) }),
      }
    })
  }

  /**
   * @param {string | number} id
   * @param {any} params
   * @param {Send} send
   */
  async #call(id, { name, arguments: input, _meta: meta }, send) {
    if (typeof name !== 'string') throw new RequestError(INVALID_PARAMS, '`params.name` must be the name of a tool.')
    if (this.#running.has(id)) throw new RequestError(INVALID_REQUEST, `A request with the id ${JSON.stringify(id)} is already running.`)
    const controller = new AbortController()
    this.#running.set(id, { controller, send })
    try {
      const options = { toolCallId: String(id), signal: controller.signal, onUpdate: progressTo(send, meta?.progressToken) }
      const result = resultOf(await this.#tools.execute(name, input ?? {}, options), this.#about.isStructured)
      const shown = this.#canvases?.resultMeta(name, result)
      return shown ? { ...result, _meta: { ...result._meta, ...shown } } : result
    } catch (error) {
      if (controller.signal.aborted) return undefined
      if (!ToolError.is(error)) throw error
      if (/** @type {any} */ (error.details)?.code === 'unknown_tool') throw new RequestError(INVALID_PARAMS, error.message)
      return failedCall(error)
    } finally {
      this.#running.delete(id)
    }
  }

  /**
   * @param {unknown} method
   * @param {any} params
   * @returns {undefined}
   */
  #notified(method, params) {
    if (method === 'notifications/cancelled') this.#running.get(params?.requestId)?.controller.abort()
  }

  /**
   * @param {any} message
   * @returns {undefined}
   */
  #answered({ id, result, error }) {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    if (error) asked?.reject(new Error(String(error.message ?? 'the MCP client returned an error')))
    else asked?.resolve(result ?? {})
  }

  /**
   * @param {string} method
   * @param {object} params
   * @param {AbortSignal} signal
   * @param {Send} send
   * @returns {Promise<any>}
   */
  #ask(method, params, signal, send) {
    signal.throwIfAborted()
    this.#asks += 1
    const id = `tenon-${this.#asks}`
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject })
      const onAbort = () => {
        if (!this.#asked.delete(id)) return
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      send({ jsonrpc: '2.0', id, method, params })
    })
  }
}

/**
 * Serves the tools of a toolkit over streams, one message a line, until the input ends.
 *
 * @param {Tools} toolkit
 * @param {import('../index.d.ts').McpOptions} [options]
 * @returns {import('../index.d.ts').McpConnection}
 */
function serveMcp(toolkit, { input = process.stdin, output = process.stdout, ...options } = {}) {
  if (typeof toolkit?.execute !== 'function') throw invalidInput('serveMcp', 'The first argument must be a toolkit.')
  const about = aboutOf(options)
  const server = new McpServer(toolkit, (message) => void output.write(`${JSON.stringify(message)}\n`), about)
  const decoder = new TextDecoder()
  /** Pieces of a line that is not complete. @type {string[]} */
  let pending = []
  const onData = (/** @type {Uint8Array} */ chunk) => {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    pending.push(first)
    for (const other of others) {
      const line = pending.join('')
      pending = [other]
      if (line.trim() !== '') void server.receive(line)
    }
  }
  let close = () => {}
  const closed = /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      close = () => {
        input.off('data', onData)
        input.pause()
        server.close()
        resolve()
      }
    })
  )
  input.on('data', onData)
  for (const event of ['end', 'close', 'error']) input.once(event, close)
  // A client that is gone reads nothing.
  output.once('error', close)
  return { closed, close, askUser: (request, context) => server.askUser(request, context) }
}

/**
 * What a server says of itself, and whether it sends structured content.
 *
 * @param {Pick<import('../index.d.ts').McpOptions, 'name' | 'version' | 'instructions' | 'structured'>} options
 * @returns {About}
 */
function aboutOf({ name = 'tenon', version = require('../package.json').version, instructions, structured = false }) {
  return { name, version, ...(instructions !== undefined && { instructions }), isStructured: structured }
}

/**
 * Sends the updates of a call to a client that asked for them.
 *
 * @param {Send} send
 * @param {unknown} progressToken
 */
function progressTo(send, progressToken) {
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined
  let progress = 0
  return (/** @type {AgentToolResult} */ partial) => {
    progress += 1
    const message = lastLine(partial)
    const params = { progressToken, progress, ...(message !== undefined && { message }) }
    send({ jsonrpc: '2.0', method: 'notifications/progress', params })
  }
}

/**
 * The content is for the model. Many clients hand it the structured content in place of the text where there is some, so
 * details are metadata unless the host wants it otherwise.
 *
 * @param {AgentToolResult} result
 * @param {boolean} isStructured
 * @returns {{ content: any[], structuredContent?: any, _meta?: object }}
 */
function resultOf({ content, details }, isStructured) {
  const isObject = typeof details === 'object' && details !== null && !Array.isArray(details)
  if (isStructured && isObject) return { content, structuredContent: details }
  return details === undefined ? { content } : { content, _meta: { 'tenon/details': details } }
}

/** @param {object} meta */
function metaOf(meta) {
  return Object.keys(meta).length > 0 ? { _meta: meta } : {}
}

/** @param {ToolError} error */
function failedCall({ message, error_type, details }) {
  return { content: [{ type: 'text', text: message }], isError: true, _meta: { 'tenon/error_type': error_type, 'tenon/details': details } }
}

/** @param {AgentToolResult} partial */
function lastLine({ content }) {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  return line === '' ? undefined : Array.from(line).slice(0, PROGRESS_CHARACTERS).join('')
}

/**
 * One question as a field of a form.
 *
 * @param {string} title
 * @param {{ label: string }[]} options
 * @param {boolean} isMultiple
 */
function fieldOf(title, options, isMultiple) {
  const choice = { type: 'string', enum: options.map(({ label }) => label) }
  return isMultiple ? { type: 'array', title, items: choice } : { ...choice, title }
}

/**
 * @param {string | number | null} id
 * @param {number} code
 * @param {string} message
 */
function failure(id, code, message) {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

module.exports = { McpServer, REVISIONS, aboutOf, serveMcp }
