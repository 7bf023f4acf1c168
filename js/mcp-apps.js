// @ts-check
'use strict'

/**
 * A user interface that clients show for the calls of a tool (MCP Apps).
 *
 * @typedef {object} App
 * @property {string} operation of the tool, as its metadata names it
 * @property {string} uri `ui://…`
 * @property {string} name
 * @property {string} [description]
 * @property {(toolkit: any) => string | Promise<string>} html
 * @property {object} [meta] what `_meta.ui` of the resource says: `csp`, `prefersBorder`, …
 */

/** The apps that there are. One whose tool is not exposed is not offered. @type {App[]} */
const APPS = []

const MIME_TYPE = 'text/html;profile=mcp-app'

/**
 * What a tool's definition says of its app.
 *
 * @param {{ metadata?: Record<string, unknown> }} tool
 * @param {readonly App[]} [apps]
 */
function appMeta({ metadata }, apps = APPS) {
  const app = apps.find(({ operation }) => operation === metadata?.operation)
  // The flat key is that of older clients.
  return app && { ui: { resourceUri: app.uri }, 'ui/resourceUri': app.uri }
}

/**
 * The apps of the exposed tools, as resources.
 *
 * @param {{ listTools(): readonly any[] }} toolkit
 * @param {readonly App[]} [apps]
 * @returns {import('../index.d.ts').McpResource[]}
 */
function appResources(toolkit, apps = APPS) {
  if (apps.length === 0) return []
  const operations = new Set(toolkit.listTools().map(({ metadata }) => metadata?.operation))
  return apps
    .filter(({ operation }) => operations.has(operation))
    .map(({ uri, name, description, html, meta }) => ({
      uri,
      name,
      ...(description !== undefined && { description }),
      mimeType: MIME_TYPE,
      read: async () => ({ text: await html(toolkit), ...(meta && { _meta: { ui: meta } }) }),
    }))
}

module.exports = { APPS, appMeta, appResources }
