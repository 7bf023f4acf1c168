// @ts-check
'use strict'

const { createHash } = require('node:crypto')
const { pathToFileURL } = require('node:url')

const { customTool } = require('../custom-tool.js')
const { namesOf } = require('./names.js')
const { Pins } = require('./pins.js')
const { resultOf } = require('./results.js')
const { FIND, USE, found, searchTools } = require('./search.js')
const { clean, cleanSchema } = require('./text.js')
const { ToolError, abortedError, describe, invalidInput } = require('../tool-error.js')

/** Definitions of all servers together that a model is given at once, in characters: about 8,000 tokens. */
const BUDGET = 32_000
/** How long changes of a list are gathered before it is read again. */
const GATHER_MS = 200
/** How long a list holds of which its server says nothing. */
const LIST_TTL_MS = 5 * 60_000
/** Lists of servers by their configuration, for the next toolkits of this process. @type {Map<string, { until: number, tools: any[], capabilities: any, cut?: string }>} */
const lists = new Map()

/**
 * @typedef {import('./config.js').ServerEntry} ServerEntry
 * @typedef {object} Source who speaks with a server
 * @property {(signal?: AbortSignal) => Promise<any>} start returns its status
 * @property {() => Promise<any[]>} listTools
 * @property {(tool: string, args: any, options: { call: string, signal?: AbortSignal, again: boolean, onProgress?: (progress: any) => void }) => Promise<any>} call
 * @property {() => any} status
 * @property {() => void} [close]
 * @typedef {{ entry: ServerEntry, source: Source, tools: any[] | undefined, capabilities?: any, ready: Promise<void> | undefined, error?: any, cut?: string, timer?: NodeJS.Timeout, isListing?: Promise<void>, isStale?: boolean }} Server
 */

/** The MCP servers of one toolkit: their tools become tools of the toolkit, which policy judges as every other. */
class McpClients {
  #toolkit
  #settings
  #host
  /** @type {Map<string, Server>} */
  #servers = new Map()
  /** The registered tools by their names. @type {Map<string, { server: string, tool: any, hash: string, hidden: boolean }>} */
  #tools = new Map()
  #pins
  #hasSearch = false
  #hasResources = false
  #isClosed = false
  /** Calls that may hear of progress. @type {Map<string, (progress: any) => void>} */
  #progress = new Map()
  #calls = 0
  /** Calls of the toolkit within which a server works now, by the server: what it asks belongs to one of them. @type {Map<string, Set<string>>} */
  #working = new Map()

  /**
   * @param {{ connection: import('../connection.js').Connection, register: (custom: any, hidden: boolean) => unknown, unregister: (name: string) => unknown, arrange: (names: readonly string[]) => void, hiddenOnes: (names: readonly string[]) => import('../../index.d.ts').AgentTool<any, any>[] }} toolkit
   * @param {ReturnType<typeof import('./config.js').mcpSettings>} settings
   * @param {any} host the functions of the host
   */
  constructor(toolkit, settings, host) {
    this.#toolkit = toolkit
    this.#settings = settings
    this.#host = host ?? {}
    this.#pins = new Pins(settings.pins)
  }

  /**
   * Enters the servers of the options and begins to read their lists.
   *
   * @param {readonly ServerEntry[]} entries
   * @param {string} workspace
   */
  begin(entries, workspace) {
    for (const entry of entries) {
      const server = /** @type {Server} */ ({
        entry,
        source: new NativeSource(this.#toolkit.connection, entry, this.#spec(entry, workspace)),
        tools: undefined,
        ready: undefined,
      })
      this.#servers.set(entry.id, server)
      if (!entry.disabled && entry.load !== 'off') this.#load(server)
    }
    if (this.#settings.search === 'on') this.#refresh()
  }

  /**
   * @param {ServerEntry} entry
   * @param {string} workspace
   */
  #spec(entry, workspace) {
    const { id, command, args, env, cwd, sandbox, url, headers, oauth, protocol, startMs, callMs, maxCallMs } = entry
    const { credentials, exposeRoots } = this.#settings
    const place = typeof credentials?.file === 'string' ? { file: require('node:path').resolve(credentials.file) } : credentials ? { host: true } : {}
    const elicits = typeof this.#host.elicit === 'function' || typeof this.#host.askUser === 'function'
    return {
      id,
      ...(url === undefined ? { command, args, env, cwd, sandbox } : { url, headers, ...(oauth && { oauth: { ...oauth, ...place } }) }),
      protocol,
      startMs,
      callMs,
      maxCallMs,
      elicits,
      opensUrls: typeof this.#host.openUrl === 'function',
      samples: typeof this.#host.sample === 'function',
      roots: exposeRoots ? [pathToFileURL(workspace).href] : [],
    }
  }

  /**
   * Takes in a client of an official SDK, or one of the same form: its tools go the same way.
   *
   * @param {any} client
   * @param {any} options
   */
  async register(client, options) {
    const { serverEntry, source } = require('./official.js').registered(client, options)
    if (this.#servers.has(serverEntry.id))
      throw invalidInput('registerMcpClient', `There is already an MCP server \`${serverEntry.id}\`. Choose another \`id\`.`)
    const server = /** @type {Server} */ ({ entry: serverEntry, source, tools: undefined, ready: undefined })
    this.#servers.set(serverEntry.id, server)
    source.onChange = () => this.#changed(serverEntry.id)
    await this.#load(server)
    if (!server.error) return
    this.#servers.delete(serverEntry.id)
    throw server.error
  }

  /** @param {Server} server */
  #load(server) {
    server.ready = this.#list(server).then(
      () => {},
      (error) => {
        server.error = error
      },
    )
    return server.ready
  }

  /** @param {Server} server */
  async #list(server, fresh = false) {
    // Not in the constructor of the toolkit, which has to return first.
    await this.#pins.loaded
    const { entry, source } = server
    const key = source instanceof NativeSource ? source.key : undefined
    const known = key === undefined || fresh ? undefined : lists.get(key)
    if (known && known.until > Date.now()) {
      server.tools = known.tools
      server.capabilities = known.capabilities
      server.cut = known.cut
    } else {
      const { tools, ttlMs, cut, capabilities } = /** @type {any} */ (await source.listTools())
      server.tools = distinct(tools)
      server.capabilities = capabilities
      server.cut = cut ?? undefined
      if (key !== undefined) remember(key, { tools: server.tools, capabilities, cut: server.cut }, ttlMs ?? LIST_TTL_MS)
    }
    server.error = undefined
    if (this.#isClosed) return
    this.#pins.meet(entry.identity, server.tools)
    this.#refresh()
    this.#offerResources()
  }

  /** @param {string} id */
  #changed(id) {
    const server = this.#servers.get(id)
    if (!server || this.#isClosed) return
    const key = server.source instanceof NativeSource ? server.source.key : undefined
    if (key !== undefined) lists.delete(key)
    if (server.timer) return
    // A server may report hundreds of changes at once.
    server.timer = setTimeout(() => {
      server.timer = undefined
      if (server.isListing) {
        server.isStale = true
        return
      }
      const listing = this.#list(server, true).catch((error) => {
        server.error = error
      })
      server.isListing = listing.then(() => {
        server.isListing = undefined
        if (!server.isStale) return
        server.isStale = false
        this.#changed(id)
      })
    }, GATHER_MS)
    server.timer.unref()
  }

  /** Registers what there is now: the tools of all servers under names that differ. */
  #refresh() {
    const all = [...this.#servers.values()].flatMap((server) => this.#offered(server).map((tool) => ({ server, tool })))
    const names = namesOf(all.map(({ server, tool }) => ({ server: server.entry.id, tool: tool.name })))
    const isSearched = this.#isSearched(all.map(({ tool }) => tool))
    const wanted = new Map(
      all.map(({ server, tool }, index) => [
        names[index].name,
        { server, tool, ruleName: names[index].ruleName, hidden: hidden(server.entry, tool, isSearched) },
      ]),
    )
    for (const name of this.#tools.keys()) {
      if (wanted.has(name)) continue
      this.#tools.delete(name)
      this.#toolkit.unregister(name)
    }
    for (const [name, { server, tool, ruleName, hidden }] of wanted) {
      const hash = createHash('sha256').update(JSON.stringify(tool)).digest('hex')
      const known = this.#tools.get(name)
      if (known && known.hash === hash && known.hidden === hidden) continue
      this.#tools.set(name, { server: server.entry.id, tool, hash, hidden })
      this.#enter(this.#custom(server, tool, name, ruleName), hidden, server)
    }
    this.#toolkit.arrange([...wanted.keys()])
    if (this.#settings.search === 'on' || [...this.#tools.values()].some((tool) => tool.hidden)) this.#offerSearch()
  }

  /**
   * Registers a tool. One whose schema cannot be worked with is given any parameters, which its server checks; one that
   * cannot be registered at all is reported.
   *
   * @param {any} definition
   * @param {boolean} hidden
   * @param {Server} server
   */
  #enter(definition, hidden, server) {
    const attempts = [definition, { ...definition, parameters: { type: 'object', additionalProperties: true }, effects: 'unknown' }]
    for (const [index, attempt] of attempts.entries()) {
      try {
        this.#toolkit.register(customTool(attempt), hidden)
        return
      } catch (error) {
        if (index === 1) server.cut = `The tool \`${definition.metadata.mcp.tool}\` was not taken: ${describe(error)}`
      }
    }
  }

  /**
   * The tools of a server that the host lets through.
   *
   * @param {Pick<Server, 'entry' | 'tools'>} server
   * @returns {any[]}
   */
  #offered({ entry, tools = [] }) {
    const { allow, deny } = entry.tools
    return tools.filter(({ name }) => (allow === undefined || allow.some((glob) => matches(glob, name))) && !(deny ?? []).some((glob) => matches(glob, name)))
  }

  /** @param {readonly any[]} tools */
  #isSearched(tools) {
    const { search } = this.#settings
    if (search !== 'auto') return search === 'on'
    const size = tools.reduce(
      (sum, { name, description = '', inputSchema }) => sum + name.length + Math.min(description.length, 4096) + JSON.stringify(inputSchema ?? {}).length,
      0,
    )
    return size > BUDGET
  }

  /**
   * @param {Server} server
   * @param {any} tool
   * @param {string} name
   * @param {string} ruleName
   */
  #custom(server, tool, name, ruleName) {
    const { entry } = server
    const { annotations = {} } = tool
    const title = clean(tool.title ?? annotations.title ?? tool.name, 200)
    const definition = {
      name,
      label: title || tool.name,
      description: clean(tool.description) || title || tool.name,
      parameters: cleanSchema(tool.inputSchema ?? { type: 'object' }),
      group: 'mcp',
      annotations: entry.trustAnnotations ? pick(annotations) : { title: title || tool.name },
      metadata: {
        mcp: {
          server: entry.id,
          tool: tool.name,
          annotations: pick(annotations),
          // For those who hand the tool on; the protocol has schemas of objects only.
          ...(tool.outputSchema?.type === 'object' && { outputSchema: cleanSchema(tool.outputSchema) }),
        },
      },
      effects: effectsOf(entry, tool),
      resultContentSource: 'network',
      ruleName,
      timeoutMs: Math.min(entry.maxCallMs + entry.startMs + 60_000, 2 ** 31),
      approvalRequest: () => this.#pins.question(entry.id, entry.identity, tool),
      execute: (/** @type {string} */ toolCallId, /** @type {any} */ args, /** @type {AbortSignal} */ signal, /** @type {any} */ onUpdate) => {
        this.#pins.accept(entry.identity, tool)
        return this.during(toolCallId, entry.id, () => this.#call(server, tool, args, signal, onUpdate))
      },
    }
    return definition
  }

  /**
   * @param {Server} server
   * @param {any} tool
   * @param {any} args
   * @param {AbortSignal} signal
   * @param {(partial: any) => void} onUpdate
   */
  async #call(server, tool, args, signal, onUpdate) {
    const { entry, source } = server
    const call = `${++this.#calls}`
    const onProgress = (/** @type {any} */ { progress, total, message }) => {
      // A task says what it does, and not how far it is.
      const share = typeof progress !== 'number' ? '' : typeof total === 'number' && total > 0 ? `(${progress}/${total})` : `(${progress})`
      onUpdate([clean(message, 500), share].filter(Boolean).join(' '))
    }
    this.#progress.set(call, onProgress)
    try {
      const { readOnlyHint, idempotentHint } = tool.annotations ?? {}
      const again = readOnlyHint === true && idempotentHint === true
      const result = await this.#opening(entry.id, signal, () => source.call(tool.name, args, { call, signal, again, onProgress }))
      return await resultOf(result, {
        limit: entry.outputLimitBytes,
        keep: (text) => this.#toolkit.connection.keepOutput(text),
        outputSchema: tool.outputSchema,
        hasResources: this.#hasResources && this.#having('resources').includes(server),
      })
    } finally {
      this.#progress.delete(call)
    }
  }

  /**
   * Runs what a server does for a call of the toolkit.
   *
   * @template T
   * @param {string} toolCallId
   * @param {string} id of the server
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async during(toolCallId, id, work) {
    const calls = this.#working.get(id) ?? new Set()
    this.#working.set(id, calls.add(toolCallId))
    try {
      return await work()
    } finally {
      calls.delete(toolCallId)
    }
  }

  /**
   * Requests something of a server. Addresses that the user has to open first are shown to them.
   *
   * @param {string} id
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<any>} request
   */
  async #opening(id, signal, request) {
    try {
      return await request()
    } catch (error) {
      throw await require('./elicit.js').withAddresses(this.#host, id, error, signal ?? new AbortController().signal)
    }
  }

  #offerSearch() {
    if (this.#hasSearch) return
    this.#hasSearch = true
    const servers = [...this.#servers.values()].filter(({ entry }) => !entry.disabled && entry.load !== 'off')
    const { findTools, useTool } = searchTools(
      servers.map(({ entry }) => entry.id),
      (query, signal) => this.#find(query, signal),
    )
    this.#toolkit.register(customTool(findTools), false)
    this.#toolkit.register(customTool(useTool), false)
  }

  /**
   * @param {string} query
   * @param {AbortSignal} [signal]
   */
  async #find(query, signal) {
    await raced(Promise.all([...this.#servers.values()].map(({ ready }) => ready)), signal)
    const listed = [...this.#tools].map(([name, { server, tool }]) => ({
      name,
      server,
      tool: tool.name,
      description: clean(tool.description),
      parameters: cleanSchema(tool.inputSchema ?? {}),
    }))
    const failed = [...this.#servers.values()].filter(({ error }) => error !== undefined)
    const missing = failed.length > 0 ? `\n\nNot searched: ${failed.map(({ entry, error }) => `\`${entry.id}\` (${describe(error)})`).join(' ')}` : ''
    return found(query, listed) + missing
  }

  /** The two tools for resources, once a server has some. */
  #offerResources() {
    if (this.#hasResources) return
    const having = () => this.#having('resources').map(({ entry }) => entry.id)
    if (having().length === 0) return
    this.#hasResources = true
    for (const tool of require('./resources.js').resourceTools(this, having, (text) => this.#toolkit.connection.keepOutput(text))) {
      this.#toolkit.register(customTool(tool), false)
    }
  }

  /** @param {string} capability */
  #having(capability) {
    return this.#offering((capabilities) => capabilities[capability])
  }

  /**
   * The servers that say that they offer something. That holds for one that was not started again, too.
   *
   * @param {(capabilities: any) => unknown} offers
   */
  #offering(offers) {
    return [...this.#servers.values()].filter(({ entry, source, capabilities }) => {
      const offered = source.status()?.capabilities ?? capabilities
      return source instanceof NativeSource && !entry.disabled && entry.load !== 'off' && offered && offers(offered)
    })
  }

  /**
   * The servers that have skills, for the tool `skill`, and those of which that is not known yet.
   *
   * @param {AbortSignal} signal
   */
  async #withSkills(signal) {
    const { EXTENSION, PATIENCE_MS } = require('./skills.js')
    const all = [...this.#servers.values()]
    // The skills of the workspace are not to wait for a server that does not start.
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    const patience = new Promise((resolve) => {
      timer = setTimeout(() => resolve(undefined), PATIENCE_MS)
    })
    await raced(Promise.race([patience, Promise.all(all.map(({ ready }) => ready))]), signal).finally(() => clearTimeout(timer))
    const open = all.filter(({ ready, tools, error }) => ready !== undefined && tools === undefined && error === undefined)
    const having = this.#offering(({ extensions }) => extensions?.[EXTENSION]).map(({ entry: { id }, source }) => ({
      id,
      list: () => /** @type {NativeSource} */ (source).request({ op: 'skills', id }, signal),
      load: (/** @type {string} */ name) => /** @type {NativeSource} */ (source).request({ op: 'skill', id, name }, signal),
    }))
    return { having, open: open.map(({ entry: { id } }) => id) }
  }

  /** The tools that are found by `find_tools` only, for providers that search themselves. */
  hiddenTools() {
    return this.#toolkit.hiddenOnes([...this.#tools].filter(([, { hidden }]) => hidden).map(([name]) => name))
  }

  /** Whether a tool is found by `find_tools` only. @param {string} name */
  isHidden(name) {
    return this.#tools.get(name)?.hidden === true
  }

  /**
   * The call that is meant: `use_tool` stands for the tool that it names.
   *
   * @param {string} tool
   * @param {any} params
   * @returns {{ tool: string, params: any } | undefined}
   */
  meant(tool, params) {
    if (tool !== USE || !this.#hasSearch) return undefined
    const name = params?.name
    if (typeof name !== 'string') throw invalidInput(USE, `Invalid parameters for \`${USE}\`: \`name\` is required (string).`)
    const given = params.arguments
    const args = given === undefined || given === null ? {} : typeof given === 'string' ? argumentsOf(given) : given
    const known = this.#tools.has(name)
      ? name
      : [...this.#tools].find(([, { server, tool }]) => [`${server}/${tool.name}`, `${server}__${tool.name}`, tool.name].includes(name))?.[0]
    if (known !== undefined) return { tool: known, params: args }
    const { nearest } = require('../nearest.js')
    const near = nearest(name, [...this.#tools.keys()])
    throw new ToolError(`There is no MCP tool \`${name.slice(0, 200)}\`. ${near ? `Did you mean \`${near}\`?` : `Use \`${FIND}\` to find one.`}`, {
      tool: USE,
      error_type: 'not_found',
      details: { code: 'unknown_tool' },
    })
  }

  /**
   * Waits until the tool of this name is known, where it is one of a server whose list is being read.
   *
   * @param {string} tool
   * @param {AbortSignal} [signal]
   */
  async settle(tool, signal) {
    if (this.#tools.has(tool)) return
    if (tool !== USE && tool !== FIND && !tool.startsWith('mcp__') && !tool.endsWith('_mcp_resources') && tool !== 'read_mcp_resource') return
    const open = [...this.#servers.values()].filter(({ tools, error }) => tools === undefined && error === undefined)
    const meant = this.#broken(tool)
    if (open.length === 0 && !meant) return
    // A server that could not be used is tried again by every call of one of its tools.
    if (meant && !open.includes(meant)) open.push(meant) && this.#load(meant)
    try {
      await raced(Promise.all(open.map(({ ready }) => ready)), signal)
      const failed = this.#tools.has(tool) ? undefined : this.#broken(tool)
      if (failed) throw failed.error
    } catch (error) {
      throw signal?.aborted ? abortedError(tool, signal.reason) : error
    }
  }

  /**
   * The server of a tool of this name, if it cannot be used.
   *
   * @param {string} tool
   */
  #broken(tool) {
    return [...this.#servers.values()].find(
      ({ entry, error }) => error !== undefined && !entry.disabled && tool.startsWith(namesOf([{ server: entry.id, tool: '' }])[0].name),
    )
  }

  /** Resolves when the list of every server is known; rejects where one is `required` and cannot be used. */
  async ready() {
    await Promise.all([...this.#servers.values()].map(({ ready }) => ready))
    const broken = [...this.#servers.values()].find(({ entry, error }) => entry.required && error !== undefined)
    if (broken) throw broken.error
  }

  status() {
    return [...this.#servers.values()].map(({ entry, source, tools, error, cut }) => {
      const status = source.status() ?? {}
      const state =
        entry.disabled || entry.load === 'off'
          ? 'disabled'
          : error?.details?.needsAuth
            ? 'needs-auth'
            : status.state === 'configured' && tools !== undefined
              ? 'known'
              : error && (status.state !== 'ready' || tools === undefined)
                ? 'failed'
                : status.state
      return {
        id: entry.id,
        state: state ?? 'configured',
        era: status.era ?? null,
        protocolVersion: status.protocolVersion ?? null,
        server: status.server ?? null,
        tools: tools === undefined ? null : this.#offered({ entry, tools }).length,
        restarts: status.restarts ?? 0,
        error: error ? describe(error) : (status.error ?? cut ?? null),
        stderrTail: status.stderrTail ?? null,
      }
    })
  }

  /** @param {string} id */
  async reconnect(id) {
    const server = this.#server(id, 'reconnect')
    if (server.source instanceof NativeSource) {
      await server.source.restart()
      lists.delete(server.source.key)
    }
    server.error = undefined
    await this.#load(server)
    if (server.error) throw server.error
  }

  /**
   * @param {string} id
   * @param {string} [callback] the address that the browser was led back to
   */
  async authorize(id, callback) {
    const server = this.#server(id, 'authorize')
    const answer = await this.#native(server, 'authorize').request({ op: 'authorize', id, callback: callback ?? null })
    if (callback === undefined) return answer
    await this.reconnect(id)
    return answer
  }

  /** @param {string} id */
  async prompts(id) {
    return (await this.#native(this.#server(id, 'prompts'), 'prompts').request({ op: 'prompts', id })).entries
  }

  /**
   * @param {string} id
   * @param {string} name
   * @param {Record<string, string>} [args]
   */
  async getPrompt(id, name, args) {
    return this.#native(this.#server(id, 'getPrompt'), 'getPrompt').request({ op: 'prompt', id, name, arguments: args ?? null })
  }

  /** @param {string} id */
  async resources(id) {
    return (await this.#native(this.#server(id, 'resources'), 'resources').request({ op: 'resources', id })).entries
  }

  /** @param {string} id */
  async resourceTemplates(id) {
    return (await this.#native(this.#server(id, 'resourceTemplates'), 'resourceTemplates').request({ op: 'templates', id })).entries
  }

  /**
   * @param {string} id
   * @param {string} uri
   * @param {AbortSignal} [signal]
   */
  async readResource(id, uri, signal) {
    const source = this.#native(this.#server(id, 'readResource'), 'readResource')
    return this.#opening(id, signal, () => source.request({ op: 'read', id, uri }, signal))
  }

  /** @param {string} id */
  async skills(id) {
    return (await this.#native(this.#server(id, 'skills'), 'skills').request({ op: 'skills', id })).skills
  }

  /** @param {string} id */
  instructions(id) {
    return clean(this.#server(id, 'instructions').source.status()?.instructions, 16_384) || undefined
  }

  /**
   * What servers ask and report.
   *
   * @param {any} event
   * @param {{ signal: AbortSignal }} context
   */
  async take(event, { signal }) {
    switch (event.type) {
      case 'changed':
        if (event.list === 'tools') this.#changed(event.server)
        return null
      case 'progress':
        this.#progress.get(event.call)?.(event)
        return null
      case 'elicit':
        return require('./elicit.js').elicit(this.#host, event.server, event.request, signal, [...(this.#working.get(event.server) ?? [])])
      case 'sample':
        return require('./elicit.js').sample(this.#host, event.server, event.request, signal)
      case 'skills': {
        const { listedSkills, loadedSkill } = require('./skills.js')
        const { having, open } = await this.#withSkills(signal)
        return event.name === undefined ? listedSkills(having, open) : loadedSkill(event.name, having)
      }
      case 'credentials': {
        const { credentials } = this.#settings
        if (event.op === 'load') return (await credentials.load(event.key)) ?? null
        await credentials.save(event.key, event.value)
        return null
      }
      default:
        throw new Error(`An MCP server reported something of the unknown type \`${event.type}\`.`)
    }
  }

  /**
   * @param {string} id
   * @param {string} method
   */
  #server(id, method) {
    const server = this.#servers.get(id)
    if (server) return server
    const known = [...this.#servers.keys()].map((name) => `\`${name}\``).join(', ')
    throw new ToolError(`There is no MCP server \`${String(id).slice(0, 200)}\`. Servers: ${known || 'none'}.`, {
      tool: method,
      error_type: 'not_found',
      details: { code: 'not_found' },
    })
  }

  /**
   * @param {Server} server
   * @param {string} method
   */
  #native({ entry, source }, method) {
    if (source instanceof NativeSource) return source
    throw invalidInput(method, `The MCP server \`${entry.id}\` was registered with a client of the host. Call \`${method}\` of that client.`)
  }

  async close() {
    this.#isClosed = true
    for (const { timer, source } of this.#servers.values()) {
      clearTimeout(timer)
      source.close?.()
    }
    await this.#pins.saved
  }
}

/** Speaks with a server through the core. */
class NativeSource {
  #connection
  #entry
  #spec
  /** @type {Promise<any> | undefined} */
  #added
  /** Names this configuration. */
  key

  /**
   * @param {import('../connection.js').Connection} connection
   * @param {ServerEntry} entry
   * @param {any} spec
   */
  constructor(connection, entry, spec) {
    this.#connection = connection
    this.#entry = entry
    this.#spec = spec
    this.key = createHash('sha256').update(JSON.stringify(spec)).digest('hex')
  }

  /**
   * @param {any} request
   * @param {AbortSignal} [signal]
   */
  async request(request, signal) {
    this.#added ??= this.#connection.mcp({ op: 'add', server: this.#spec })
    await this.#added
    return this.#connection.mcp(request, signal)
  }

  /** @param {AbortSignal} [signal] */
  start(signal) {
    return this.request({ op: 'start', id: this.#entry.id }, signal)
  }

  restart() {
    return this.request({ op: 'restart', id: this.#entry.id })
  }

  /** @returns {Promise<any>} */
  async listTools() {
    const { capabilities } = await this.start()
    if (!capabilities?.tools) return { tools: [], capabilities }
    const { entries, ttlMs, cut } = await this.request({ op: 'tools', id: this.#entry.id })
    return { tools: entries, ttlMs, cut, capabilities }
  }

  /**
   * @param {string} name
   * @param {any} args
   * @param {{ call: string, signal?: AbortSignal, again: boolean }} options
   */
  call(name, args, { call, signal, again }) {
    return this.request({ op: 'call', id: this.#entry.id, name, arguments: args ?? null, call, again }, signal)
  }

  status() {
    const own = this.#connection.mcpStatus().find((/** @type {any} */ status) => status.id === this.#entry.id)
    return own ?? { state: 'configured' }
  }
}

/**
 * Whether a model finds a tool by search only.
 *
 * @param {ServerEntry} entry
 * @param {any} tool
 * @param {boolean} isSearched
 */
function hidden({ load }, tool, isSearched) {
  if (typeof load === 'object') return !load.always.some((glob) => matches(glob, tool.name))
  return load === 'search' || (load === 'auto' && isSearched)
}

/**
 * What the host says that a tool does, else what is known of well-known servers. Where nobody says what it does, nobody knows.
 *
 * @param {ServerEntry} entry
 * @param {any} tool
 */
function effectsOf(entry, tool) {
  if (Object.hasOwn(entry.effects, tool.name)) return entry.effects[tool.name]
  const known = require('./known.js').knownEffects(entry, tool)
  return known ?? (entry.trustAnnotations && tool.annotations?.readOnlyHint === true ? undefined : 'unknown')
}

/**
 * @param {string} glob
 * @param {string} name
 */
function matches(glob, name) {
  const pattern = glob
    .split('*')
    .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${pattern}$`, 's').test(name)
}

/** @param {readonly any[]} tools the first of each name */
function distinct(tools) {
  const seen = new Set()
  return tools.filter((tool) => typeof tool?.name === 'string' && tool.name !== '' && !seen.has(tool.name) && seen.add(tool.name))
}

/** @param {any} annotations */
function pick({ title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint }) {
  const given = Object.entries({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }).filter(([, value]) => typeof value === 'boolean')
  return { ...(typeof title === 'string' && { title: clean(title, 200) }), ...Object.fromEntries(given) }
}

/** @param {string} text */
function argumentsOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * @param {string} key
 * @param {{ tools: any[], capabilities: any, cut?: string }} known
 * @param {number} ttlMs
 */
function remember(key, known, ttlMs) {
  if (lists.size >= 500) lists.delete(/** @type {string} */ (lists.keys().next().value))
  lists.set(key, { until: Date.now() + Math.min(ttlMs, 24 * 3_600_000), ...known })
}

/**
 * @param {Promise<any>} work
 * @param {AbortSignal} [signal]
 */
async function raced(work, signal) {
  if (!signal) return work
  const { onAbort } = require('../signal.js')
  let release = () => {}
  const aborted = new Promise((_, reject) => {
    release = onAbort(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    release()
  }
}

module.exports = { McpClients, matches }
