// @ts-check
'use strict'

const { createHash } = require('node:crypto')

const { customTool } = require('../custom-tool.js')
const { raced } = require('../signal.js')
const { ToolError, abortedError, describe, invalidInput } = require('../tool-error.js')
const { ServerCalls } = require('./calls.js')
const { definitionOf } = require('./definition.js')
const { areSearched, isHidden, offered } = require('./exposure.js')
const { forgetList, readList } = require('./lists.js')
const { namesOf } = require('./names.js')
const { Pins } = require('./pins.js')
const { FIND, USE, found, meant, searchTools } = require('./search.js')
const { NativeSource, specOf } = require('./source.js')
const { isUsed, statusOf } = require('./status.js')
const { clean, cleanSchema } = require('./text.js')

/** How long changes of a list are gathered before it is read again. */
const GATHER_MS = 200

/**
 * @typedef {import('./source.js').ServerEntry} ServerEntry
 * @typedef {import('./source.js').Server} Server
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
  #calls

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
    this.#calls = new ServerCalls(toolkit.connection, this.#host)
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
        source: new NativeSource(this.#toolkit.connection, entry, specOf(entry, workspace, this.#settings, this.#host)),
        tools: undefined,
        ready: undefined,
      })
      this.#servers.set(entry.id, server)
      if (isUsed(entry)) this.#load(server)
    }
    if (this.#settings.search === 'on') this.#refresh()
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
    await readList(server, fresh)
    server.error = undefined
    if (this.#isClosed) return
    this.#pins.meet(server.entry.identity, server.tools ?? [])
    this.#refresh()
    this.#offerResources()
  }

  /** @param {string} id */
  #changed(id) {
    const server = this.#servers.get(id)
    if (!server || this.#isClosed) return
    forgetList(server.source)
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
    const all = [...this.#servers.values()].flatMap((server) => offered(server).map((tool) => ({ server, tool })))
    const names = namesOf(all.map(({ server, tool }) => ({ server: server.entry.id, tool: tool.name })))
    const isSearched = areSearched(
      all.map(({ tool }) => tool),
      this.#settings.search,
    )
    const wanted = new Map(
      all.map(({ server, tool }, index) => [
        names[index].name,
        { server, tool, ruleName: names[index].ruleName, hidden: isHidden(server.entry, tool, isSearched) },
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
      this.#enter(this.#definition(server, tool, { name, ruleName }), hidden, server)
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
   * @param {Server} server
   * @param {any} tool as the server lists it
   * @param {{ name: string, ruleName: string }} names
   */
  #definition(server, tool, names) {
    const { id, identity } = server.entry
    return definitionOf(server.entry, tool, names, {
      approvalRequest: () => this.#pins.question(id, identity, tool),
      execute: (toolCallId, args, signal, onUpdate) => {
        this.#pins.accept(identity, tool)
        const hasResources = () => this.#hasResources && this.#having('resources').includes(server)
        return this.#calls.during(toolCallId, id, () => this.#calls.call(server, tool, args, { signal, onUpdate, hasResources }))
      },
    })
  }

  #offerSearch() {
    if (this.#hasSearch) return
    this.#hasSearch = true
    const servers = [...this.#servers.values()].filter(({ entry }) => isUsed(entry))
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
      const known = source.status()?.capabilities ?? capabilities
      return source instanceof NativeSource && isUsed(entry) && known && offers(known)
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

  /**
   * Runs what a server does for a call of the toolkit.
   *
   * @template T
   * @param {string} toolCallId
   * @param {string} id of the server
   * @param {() => Promise<T>} work
   */
  during(toolCallId, id, work) {
    return this.#calls.during(toolCallId, id, work)
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
    return tool === USE && this.#hasSearch ? meant(params, this.#tools) : undefined
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

  /** The state of each server. */
  status() {
    return [...this.#servers.values()].map(statusOf)
  }

  /** @param {string} id */
  async reconnect(id) {
    const server = this.#server(id, 'reconnect')
    if (server.source instanceof NativeSource) {
      await server.source.restart()
      forgetList(server.source)
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
    return this.#calls.opening(id, signal, () => source.request({ op: 'read', id, uri }, signal))
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
        this.#calls.report(event)
        return null
      case 'elicit':
        return require('./elicit.js').elicit(this.#host, event.server, event.request, signal, this.#calls.within(event.server))
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

module.exports = { McpClients }
