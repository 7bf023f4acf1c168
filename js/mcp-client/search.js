// @ts-check
'use strict'

const { ToolError, invalidInput } = require('../tool-error.js')
const { clean } = require('./text.js')

/** Names of the two tools that stand for all that are not loaded. */
const FIND = 'find_tools'
const USE = 'use_tool'
/** Most tools of one answer, and most characters of it. */
const MAX_FOUND = 10
const MAX_CHARACTERS = 24_000
/** Longest catalogue in the description of `find_tools`. */
const MAX_CATALOGUE = 2_000

/**
 * @typedef {{ name: string, server: string, tool: string, description: string, parameters: any }} Listed a tool that is found by its words
 */

/**
 * The definitions of both tools. They never change while tools come and go, so that what providers keep of a prompt stays
 * valid; only the names of the servers are in them.
 *
 * @param {readonly string[]} servers
 * @param {(query: string, signal?: AbortSignal) => Promise<string>} find
 */
function searchTools(servers, find) {
  const names = servers.map((server) => `\`${clean(server, 100)}\``).join(', ')
  const catalogue = names.length > MAX_CATALOGUE ? `${names.slice(0, MAX_CATALOGUE)}…` : names
  const findTools = {
    name: FIND,
    description: `Search the tools of MCP servers that are not loaded, and return names, descriptions and parameters of those that fit. Run one with \`${USE}\`. Servers: ${catalogue || 'none'}.`,
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What the tool should do, in a few words, or its name; the name of a server lists its tools.' } },
      required: ['query'],
    },
    effects: 'observe',
    annotations: { readOnlyHint: true },
    resultContentSource: 'mcp',
    metadata: { mcpSearch: true },
    execute: async (/** @type {string} */ _, /** @type {any} */ { query }, /** @type {AbortSignal} */ signal) => find(query, signal),
  }
  const useTool = {
    name: USE,
    description: `Run a tool of an MCP server that \`${FIND}\` has returned. It is judged and approved as that tool.`,
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', description: `The name of the tool, as \`${FIND}\` returned it.` },
        arguments: { type: 'object', description: 'Its parameters.', additionalProperties: true },
      },
      required: ['name'],
    },
    metadata: { mcpSearch: true },
    execute: async () => {
      throw new Error(`\`${USE}\` runs the tool that it names, and was called without one.`)
    },
  }
  return { findTools, useTool }
}

/**
 * The tools that fit a query best, as text.
 *
 * @param {string} query
 * @param {readonly Listed[]} tools
 */
function found(query, tools) {
  const words = wordsOf(query)
  const scored = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words, query) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1))
  if (scored.length === 0) {
    const servers = [...new Set(tools.map(({ server }) => server))].slice(0, 50)
    return `No tool fits \`${query.slice(0, 200)}\`. Use other words, or the name of a server: ${servers.map((server) => `\`${server}\``).join(', ') || 'none'}.`
  }
  const entries = scored.slice(0, MAX_FOUND).map(({ tool }) => `${tool.name}\n${tool.description}\nParameters: ${JSON.stringify(tool.parameters)}`)
  const shown = []
  let left = MAX_CHARACTERS
  for (const entry of entries) {
    if (shown.length > 0 && entry.length > left) break
    shown.push(entry.slice(0, MAX_CHARACTERS))
    left -= entry.length
  }
  const more = scored.slice(shown.length)
  const names = more.slice(0, 50).map(({ tool }) => tool.name)
  const rest =
    more.length > 0 ? `\n\n${more.length} more fit: ${names.join(', ')}${more.length > names.length ? ', …' : ''}. Search by a name to see its parameters.` : ''
  return `${shown.join('\n\n')}${rest}`
}

/** @param {string} text */
function wordsOf(text) {
  const split = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return split.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1)
}

/**
 * @param {Listed} tool
 * @param {readonly string[]} words
 * @param {string} query
 */
function scoreOf(tool, words, query) {
  const wanted = query.trim().toLowerCase()
  if ([tool.name, tool.tool].some((name) => name.toLowerCase() === wanted)) return 1000
  if (tool.server.toLowerCase() === wanted) return 100
  const [name, server, description] = [wordsOf(tool.tool), wordsOf(tool.server), wordsOf(tool.description)]
  const parameters = wordsOf(Object.keys(tool.parameters?.properties ?? {}).join(' '))
  return words.reduce((score, word) => score + 8 * fit(word, name) + 4 * fit(word, server) + 2 * fit(word, description) + fit(word, parameters), 0)
}

/**
 * @param {string} word
 * @param {readonly string[]} among
 */
function fit(word, among) {
  if (among.includes(word)) return 1
  const isNear = (/** @type {string} */ other) => word.length > 3 && other.length > 3 && (other.startsWith(word) || word.startsWith(other))
  return among.some(isNear) ? 0.6 : 0
}

/**
 * The call that `use_tool` stands for.
 *
 * @param {any} params of `use_tool`
 * @param {ReadonlyMap<string, { server: string, tool: any }>} tools by their names
 * @returns {{ tool: string, params: any }}
 */
function meant(params, tools) {
  const name = params?.name
  if (typeof name !== 'string') throw invalidInput(USE, `Invalid parameters for \`${USE}\`: \`name\` is required (string).`)
  const given = params.arguments
  const args = given === undefined || given === null ? {} : typeof given === 'string' ? argumentsOf(given) : given
  const known = tools.has(name)
    ? name
    : [...tools].find(([, { server, tool }]) => [`${server}/${tool.name}`, `${server}__${tool.name}`, tool.name].includes(name))?.[0]
  if (known !== undefined) return { tool: known, params: args }
  const { nearest } = require('../nearest.js')
  const near = nearest(name, [...tools.keys()])
  throw new ToolError(`There is no MCP tool \`${name.slice(0, 200)}\`. ${near ? `Did you mean \`${near}\`?` : `Use \`${FIND}\` to find one.`}`, {
    tool: USE,
    error_type: 'not_found',
    details: { code: 'unknown_tool' },
  })
}

/** @param {string} text */
function argumentsOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

module.exports = { FIND, USE, found, meant, searchTools }
