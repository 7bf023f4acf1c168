// @ts-check
'use strict'

const { describe } = require('../tool-error.js')
const { offered } = require('./exposure.js')

/** @typedef {import('./source.js').Server} Server */

/**
 * A server as `mcp.status()` lists it.
 *
 * @param {Server} server
 */
function statusOf(server) {
  const { entry, source, tools, error, cut } = server
  const status = source.status() ?? {}
  return {
    id: entry.id,
    state: stateOf(server, status.state) ?? 'configured',
    era: status.era ?? null,
    protocolVersion: status.protocolVersion ?? null,
    server: status.server ?? null,
    tools: tools === undefined ? null : offered(server).length,
    restarts: status.restarts ?? 0,
    error: error ? describe(error) : (status.error ?? cut ?? null),
    stderrTail: status.stderrTail ?? null,
  }
}

/**
 * @param {Server} server
 * @param {string | undefined} state of its process or connection
 */
function stateOf({ entry, tools, error }, state) {
  if (!isUsed(entry)) return 'disabled'
  if (error?.details?.needsAuth) return 'needs-auth'
  if (state === 'configured' && tools !== undefined) return 'known'
  return error && (state !== 'ready' || tools === undefined) ? 'failed' : state
}

/**
 * Whether the host wants a server at all.
 *
 * @param {import('./config.js').ServerEntry} entry
 */
function isUsed({ disabled, load }) {
  return !disabled && load !== 'off'
}

module.exports = { isUsed, statusOf }
