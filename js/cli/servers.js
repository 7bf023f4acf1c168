// @ts-check
'use strict'

const { readFileSync } = require('node:fs')

const { importMcpServers } = require('../mcp/import.js')
const { ToolError, describe } = require('../tool-error.js')
const { seen } = require('./style.js')
const { UsageError } = require('./usage.js')

/** How long the tools of servers are waited for before ours are offered, in milliseconds: clients give a server half a minute to start. */
const PATIENCE_MS = 10_000

/**
 * The MCP servers that a file of another program names. What is not taken over is said on standard error.
 *
 * @param {string} file
 */
function serversIn(file) {
  try {
    const text = readFileSync(file, 'utf8')
    const { servers, warnings } = importMcpServers(formatOf(file, text), text)
    for (const warning of warnings) process.stderr.write(seen(`tenon: ${file}: ${warning}\n`))
    return servers
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (ToolError.is(error)) throw new UsageError(`\`${file}\`: ${error.message}`)
    throw new UsageError(`\`${file}\` cannot be read (${describe(error)}).`)
  }
}

/**
 * Whose file it is, by what it has.
 *
 * @param {string} file
 * @param {string} text
 */
function formatOf(file, text) {
  if (/\.toml$/i.test(file)) return 'codex'
  if (/"mcpServers"\s*:/.test(text)) return 'claude-code'
  if (/"servers"\s*:/.test(text)) return 'vscode'
  if (/"mcp"\s*:/.test(text)) return 'opencode'
  try {
    JSON.parse(text)
  } catch (error) {
    throw new UsageError(`\`${file}\` is not valid JSON (${describe(error)}).`)
  }
  throw new UsageError(`\`${file}\` names no MCP servers. It must have \`mcpServers\`, \`servers\` or \`mcp\`, or be a TOML file with \`mcp_servers\`.`)
}

/**
 * Waits for the tools of servers, but not for one that takes long: its tools are announced when they are there.
 *
 * @param {import('../../index.d.ts').Toolkit<any>} toolkit
 */
async function settled(toolkit) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS)
  })
  await Promise.race([toolkit.mcp.ready(), late])
  clearTimeout(timer)
  for (const { id, error } of toolkit.mcp.status()) if (error !== null) process.stderr.write(seen(`tenon: ${id}: ${error}\n`))
}

module.exports = { serversIn, settled }
