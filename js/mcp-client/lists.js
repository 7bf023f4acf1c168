// @ts-check
'use strict'

const { NativeSource } = require('./source.js')

/** How long a list holds of which its server says nothing. */
const LIST_TTL_MS = 5 * 60_000
/** Lists of servers by their configuration, for the next toolkits of this process. @type {Map<string, { until: number, tools: any[], capabilities: any, cut?: string }>} */
const lists = new Map()

/**
 * Reads the tools of a server, or takes those that are known of its configuration.
 *
 * @param {import('./source.js').Server} server
 * @param {boolean} fresh whether what is known does not count
 */
async function readList(server, fresh) {
  const { source } = server
  const key = keyOf(source)
  const known = key === undefined || fresh ? undefined : lists.get(key)
  if (known && known.until > Date.now()) {
    server.tools = known.tools
    server.capabilities = known.capabilities
    server.cut = known.cut
    return
  }
  const { tools, ttlMs, cut, capabilities } = /** @type {any} */ (await source.listTools())
  server.tools = distinct(tools)
  server.capabilities = capabilities
  server.cut = cut ?? undefined
  if (key !== undefined) remember(key, { tools: server.tools, capabilities, cut: server.cut }, ttlMs ?? LIST_TTL_MS)
}

/** @param {import('./source.js').Source} source whose list changed */
function forgetList(source) {
  const key = keyOf(source)
  if (key !== undefined) lists.delete(key)
}

/** @param {import('./source.js').Source} source */
function keyOf(source) {
  return source instanceof NativeSource ? source.key : undefined
}

/** @param {readonly any[]} tools the first of each name */
function distinct(tools) {
  const seen = new Set()
  return tools.filter((tool) => typeof tool?.name === 'string' && tool.name !== '' && !seen.has(tool.name) && seen.add(tool.name))
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

module.exports = { forgetList, readList }
