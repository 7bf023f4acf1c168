// @ts-check
'use strict'

const { describe, invalidInput } = require('./tool-error.js')

/** The members that `host` may have. */
const MEMBERS = ['askUser', 'runAgent', 'summarise']
/** More results of a search are of no use to the core. */
const MAX_RESULTS = 100

/**
 * @typedef {{ signal: AbortSignal, onUpdate: (partial: unknown) => void }} Context
 * @typedef {(request: any, context: Context) => unknown} Part asks a function of the host and answers what JSON can say
 */

/**
 * The parts that the options supply, by the names of `parts.rs`, and the rest of the options `web`.
 *
 * @param {{ host?: any, web?: any }} options
 * @returns {{ parts: Map<string, Part>, web: any }}
 */
function hostParts({ host, web }) {
  /** @type {Map<string, Part>} */
  const parts = new Map()
  for (const [name, member] of membersOf(host)) {
    parts.set(name, ({ ticket, ...request }, { signal, onUpdate }) =>
      member.call(host, request, name === 'runAgent' ? { signal, onUpdate } : { signal }),
    )
  }
  const { canPrompt, askInTerminal } = require('./terminal-prompt.js')
  if (!parts.has('askUser') && canPrompt()) parts.set('askUser', askInTerminal)
  return { parts, web: partedWeb(web, parts) }
}

/**
 * @param {any} host
 * @returns {[string, Function][]}
 */
function membersOf(host) {
  if (host === undefined || host === null) return []
  if (typeof host !== 'object') throw invalidInput('toolkit', `The option \`host\` is a ${typeof host} and has to be an object with functions.`)
  // A class may have members of its own; in a plain object another name is a slip.
  const prototype = Object.getPrototypeOf(host)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  const other = isPlain ? Object.keys(host).find((name) => !MEMBERS.includes(name)) : undefined
  if (other !== undefined) throw invalidInput('toolkit', `The option \`host.${other}\` does not exist; there are: ${MEMBERS.join(', ')}.`)
  return MEMBERS.flatMap((name) => {
    const member = host[name]
    if (member === undefined || member === null) return []
    if (typeof member !== 'function') throw invalidInput('toolkit', `The option \`host.${name}\` is a ${typeof member} and has to be a function.`)
    return [/** @type {[string, Function]} */ ([name, member])]
  })
}

/**
 * Takes the functions out of the options `web`. What has another form is left to the core to refuse.
 *
 * @param {any} web
 * @param {Map<string, Part>} parts
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
    throw invalidInput('toolkit', `The option \`web.fetch.resolve\` is a ${typeof fetch.resolve} and has to be a function.`)
  }
  if (typeof search?.provider === 'function') {
    const { provider, ...others } = search
    parted.search = others
    parts.set('search', async ({ query, ...wanted }, { signal }) => results(await provider(query, { ...wanted, signal })))
  }
  return parted
}

/**
 * Addresses in the forms in which resolvers answer them: a text, `{address}`, or a list of either.
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
 * What a part answers, as JSON.
 *
 * @param {unknown} answer
 * @returns {string}
 */
function jsonAnswer(answer) {
  try {
    return JSON.stringify(answer) ?? 'null'
  } catch (error) {
    throw new Error(`its answer cannot be sent (${describe(error)})`)
  }
}

module.exports = { hostParts, jsonAnswer }
