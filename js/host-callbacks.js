// @ts-check
'use strict'

const { jsonText } = require('./json-text.js')
const { invalidInput } = require('./tool-error.js')

/** The functions of `host`, as `host_callbacks.rs` knows them. */
const FUNCTIONS = /** @type {const} */ (['askUser', 'runAgent', 'onSessionEvent', 'onCron', 'sendMessage', 'summarise', 'showCanvas'])
/** Those that `agents.js` serves. */
const OF_AGENTS = ['runAgent', 'onSessionEvent']
/** More results of a search are of no use to the core. */
const MAX_RESULTS = 100

/**
 * @typedef {{ signal: AbortSignal, onUpdate: (partial: unknown) => void, toolkit?: any }} Context `toolkit` is the one whose part it is
 * @typedef {(request: any, context: Context) => unknown} HostCallback calls a function of the host and returns what JSON can represent
 */

/**
 * The parts that the options supply, by the names of `host_callbacks.rs`, and the rest of the options `web` and `session`.
 *
 * @param {any} options
 * @returns {{ parts: Map<string, HostCallback>, web: any, session: any }}
 */
function hostParts(options) {
  const { host, web, session } = options
  /** @type {Map<string, HostCallback>} */
  const parts = new Map()
  for (const [name, member] of membersOf(host)) {
    if (OF_AGENTS.includes(name)) continue
    parts.set(name, ({ ticket, rights, ...request }, { signal, onUpdate }) => {
      if (rights !== undefined) return require('./cron.js').runJob(options, rights, request, { signal, onUpdate }, member.bind(host))
      if (name === 'sendMessage') return require('./messages.js').sendMessage(member.bind(host), request, signal)
      return member.call(host, request, { signal })
    })
  }
  if (host?.browser !== undefined && host.browser !== null) parts.set('browser', require('./browser-part.js').browserPart(host.browser))
  if (host?.runAgent || host?.onSessionEvent) require('./agents/index.js').agentParts(options, parts)
  if (parts.has('sendMessage')) require('./messages.js').partChannels(host, parts)
  return { parts, web: partedWeb(web, parts), session: sessionData(session, parts) }
}

/**
 * The options of the session as data; a store of the host becomes a part.
 *
 * @param {any} session
 * @param {Map<string, HostCallback>} parts
 */
function sessionData(session, parts) {
  return typeof session?.store === 'object' ? require('./store/part.js').partedSession(session, parts) : session
}

/**
 * @param {any} host
 * @returns {[string, Function][]}
 */
function membersOf(host) {
  if (host === undefined || host === null) return []
  if (typeof host !== 'object') throw invalidInput('toolkit', `The option \`host\` must be an object with functions; got ${typeof host}.`)
  return FUNCTIONS.flatMap((name) => {
    const member = host[name]
    if (member === undefined || member === null) return []
    if (typeof member !== 'function') throw invalidInput('toolkit', `The option \`host.${name}\` must be a function; got ${typeof member}.`)
    return [/** @type {[string, Function]} */ ([name, member])]
  })
}

/**
 * The agents that `host.runAgent` knows, where the host lists them.
 *
 * @param {any} host
 * @returns {{ name: string, description: string, tools?: string[] }[] | undefined}
 */
function agentsOf(host) {
  const given = typeof host?.agents === 'function' ? host.agents() : host?.agents
  if (given === undefined || given === null) return undefined
  if (!Array.isArray(given))
    throw invalidInput('toolkit', 'The option `host.agents` must be a list of `{ name, description }`, or a function that returns one.')
  return given.map((agent, index) => {
    const { name, description = '', tools } = typeof agent === 'string' ? { name: agent } : (agent ?? {})
    if (typeof name !== 'string' || name === '' || typeof description !== 'string') {
      throw invalidInput('toolkit', `The option \`host.agents[${index}]\` must be \`{ name, description }\`, both strings.`)
    }
    if (tools === undefined || tools === null) return { name, description }
    if (Array.isArray(tools) && tools.every((tool) => typeof tool === 'string')) return { name, description, tools }
    throw invalidInput('toolkit', `The option \`host.agents[${index}].tools\` must be a list of names of tools.`)
  })
}

/**
 * Takes the functions out of the option `web`. The core refuses values of any other form.
 *
 * @param {any} web
 * @param {Map<string, HostCallback>} parts
 */
function partedWeb(web, parts) {
  if (typeof web !== 'object' || web === null) return web
  const { fetch, search, ...rest } = web
  const parted = { ...rest, fetch, search }
  if (typeof fetch?.resolve === 'function') {
    const { resolve, ...others } = fetch
    parted.fetch = others
    parts.set('resolve', async ({ host }, { signal }) => addresses(await resolve(host, { signal })))
  } else if (fetch?.resolve !== undefined && fetch?.resolve !== null) {
    throw invalidInput('toolkit', `The option \`web.fetch.resolve\` must be a function; got ${typeof fetch.resolve}.`)
  }
  if (typeof search?.provider === 'function') {
    const { provider, ...others } = search
    parted.search = others
    parts.set('search', async ({ query, ...wanted }, { signal }) => results(await provider(query, { ...wanted, signal })))
  }
  return parted
}

/**
 * Addresses in the forms that resolvers return: a string, `{address}`, or a list of either.
 *
 * @param {any} answer
 * @returns {string[]}
 */
function addresses(answer) {
  const list = Array.isArray(answer) ? answer : [answer]
  return list.map((entry) => {
    const address = typeof entry === 'string' ? entry : entry?.address
    if (typeof address === 'string') return address
    throw new Error('an IP address, `{address}` or a list of them is expected')
  })
}

/**
 * @param {any} answer
 * @returns {{ title: string, url: string, snippet: string }[]}
 */
function results(answer) {
  const list = Array.isArray(answer) ? answer : answer?.results
  if (!Array.isArray(list)) throw new Error('a list of `{title, url, snippet}` is expected')
  return list.slice(0, MAX_RESULTS).map((result, index) => {
    const url = result?.url ?? result?.link
    if (typeof url !== 'string') throw new Error(`result ${index} has no \`url\``)
    return { url, title: text(result.title), snippet: text(result.snippet ?? result.description ?? result.content) }
  })
}

/** @param {unknown} value */
function text(value) {
  return typeof value === 'string' ? value : ''
}

/**
 * What a part returned, as JSON.
 *
 * @param {unknown} answer
 * @returns {string}
 */
function jsonAnswer(answer) {
  return jsonText(answer) ?? 'null'
}

module.exports = { agentsOf, hostParts, jsonAnswer }
