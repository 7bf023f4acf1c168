// @ts-check
'use strict'

const { resultOf } = require('./results.js')
const { clean } = require('./text.js')

/** Most resources of one list. */
const MAX_LISTED = 200
/** Most bytes of a resource. */
const MAX_BYTES = 50 * 1024

/**
 * The tools for resources, by the names that Codex gives them.
 *
 * @param {any} clients
 * @param {() => string[]} servers those that have resources
 * @param {(text: string) => Promise<string | null>} keep
 */
function resourceTools(clients, servers, keep) {
  const server = { type: 'string', description: 'The name of the server.' }
  const shared = { effects: 'network', annotations: { readOnlyHint: true, openWorldHint: true }, resultContentSource: 'mcp', group: 'mcp' }
  return [
    {
      ...shared,
      name: 'list_mcp_resources',
      description: 'List the resources of MCP servers, and the templates of their addresses. Read one with `read_mcp_resource`.',
      parameters: { type: 'object', properties: { server: { ...server, description: 'The name of one server. Default: all.' } } },
      execute: async (/** @type {string} */ _, /** @type {any} */ { server }) => {
        const names = server === undefined ? servers() : [server]
        const lists = await Promise.all(names.map((name) => listed(clients, name)))
        return resultOf({ content: [{ type: 'text', text: lists.join('\n\n') }] }, { limit: MAX_BYTES, keep })
      },
    },
    {
      ...shared,
      name: 'read_mcp_resource',
      description: 'Read a resource of an MCP server. Find its address with `list_mcp_resources`.',
      parameters: { type: 'object', properties: { server, uri: { type: 'string', description: 'The address of the resource.' } }, required: ['server', 'uri'] },
      execute: async (/** @type {string} */ toolCallId, /** @type {any} */ { server, uri }, /** @type {AbortSignal} */ signal) => {
        const { contents = [] } = await clients.during(toolCallId, server, () => clients.readResource(server, uri, signal))
        const content = contents.map((/** @type {any} */ resource) =>
          typeof resource.text === 'string' ? { type: 'text', text: resource.text } : { type: 'resource', resource },
        )
        return resultOf({ content }, { limit: MAX_BYTES, keep })
      },
    },
  ]
}

/**
 * @param {any} clients
 * @param {string} name
 */
async function listed(clients, name) {
  const resources = await clients.resources(name)
  const templates = await clients.resourceTemplates(name).catch(() => [])
  const lines = [
    ...resources.map((/** @type {any} */ { uri, name, mimeType, description }) => line(uri, name, mimeType, description)),
    ...templates.map((/** @type {any} */ { uriTemplate, name, mimeType, description }) => line(uriTemplate, name, mimeType, description)),
  ]
  const more = lines.length > MAX_LISTED ? [`… and ${lines.length - MAX_LISTED} more`] : []
  return [`${name}:`, ...(lines.length === 0 ? ['(none)'] : lines.slice(0, MAX_LISTED)), ...more].join('\n')
}

/**
 * @param {unknown} uri
 * @param {unknown} name
 * @param {unknown} mimeType
 * @param {unknown} description
 */
function line(uri, name, mimeType, description) {
  const about = [clean(name, 200), clean(mimeType, 100), clean(description, 300)].filter(Boolean).join(', ')
  return `${clean(uri, 1000)}${about ? ` (${about})` : ''}`
}

module.exports = { resourceTools }
