// Installs what the tests of the MCP server speak with into a cache directory outside of the project, once: the official conformance
// suite, the Node that it needs, version 2 of the official SDK, and the official server that has everything. Never fails: what cannot be installed is named, and its
// tests are skipped with that reason.

import { existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { IS_WINDOWS, cacheDirectory, isInstalled, npmInstall, once } from './cached-install.mjs'

const TIME_LIMIT_MS = 240_000
/** What the suite asks for. */
const NODE_MAJOR = 22
const NODE = `node-${IS_WINDOWS ? 'win' : process.platform}-${process.arch}`
const TARGET = cacheDirectory('mcp-suite')

/** Pinned: a new release must not turn a test red. */
const PACKAGES = [
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/client@2.4.0',
  '@modelcontextprotocol/server@2.4.0',
  '@modelcontextprotocol/server-everything@2026.8.31',
  ...(isNew() ? [] : [`${NODE}@22.23.3`]),
]

/**
 * Where the suite and the SDK are, or why they are not there.
 *
 * @returns {{ modules: string, node: string, suite: string } | { missing: string }}
 */
export function mcpSuite() {
  if (!isInstalled(TARGET, PACKAGES)) return { missing: `the MCP conformance suite is not installed in ${TARGET}: run \`node scripts/mcp-suite.mjs\`` }
  const modules = path.join(TARGET, 'node_modules')
  const node = isNew() ? process.execPath : path.join(modules, NODE, 'bin', IS_WINDOWS ? 'node.exe' : 'node')
  return { modules, node, suite: path.join(modules, '@modelcontextprotocol/conformance/dist/index.js') }
}

/** @returns {string | undefined} why it could not be installed */
export function installMcpSuite() {
  const fault = once(TARGET, PACKAGES, Date.now() + TIME_LIMIT_MS, (target) => [npmInstall(target, PACKAGES)])
  if (fault) return fault
  const found = mcpSuite()
  return 'node' in found && !existsSync(found.node) ? `${found.node} does not exist` : undefined
}

/** Whether this Node can run the suite. */
function isNew() {
  return Number.parseInt(process.versions.node, 10) >= NODE_MAJOR
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fault = installMcpSuite()
  console.log(fault ? `not installed: ${fault}` : `MCP suite: ${TARGET}`)
}
