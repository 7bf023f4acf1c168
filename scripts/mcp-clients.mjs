// Installs real clients of the Model Context Protocol, for `__test__/real-clients.spec.ts`, into a cache directory outside of
// the project, once. They are large (800 MB), so this is done only where it is asked for: `TENON_REAL_CLIENTS=1`.

import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { cacheDirectory, isInstalled, npmInstall, once } from './cached-install.mjs'

const TIME_LIMIT_MS = 480_000
const DIRECTORY = cacheDirectory('mcp-clients')

/** Directory name to npm packages. Pinned: a new release of a client must not turn a test red. */
const CLIENTS = {
  'claude-code': ['@anthropic-ai/claude-code@2.1.332'],
  codex: ['@openai/codex@0.171.0'],
}

/**
 * The directory of `node_modules` that a client is installed in, or why there is none.
 *
 * @param {keyof typeof CLIENTS} name
 * @returns {{ modules: string } | { missing: string }}
 */
export function mcpClient(name) {
  const target = path.join(DIRECTORY, name)
  if (isInstalled(target, CLIENTS[name])) return { modules: path.join(target, 'node_modules') }
  return { missing: `${CLIENTS[name].join(', ')} is not installed in ${target}: run \`node scripts/mcp-clients.mjs\`` }
}

/** Installs what is missing; says why for each that could not be installed. */
export function installMcpClients() {
  const deadline = Date.now() + TIME_LIMIT_MS
  return Object.entries(CLIENTS).flatMap(([name, packages]) => {
    const fault = once(path.join(DIRECTORY, name), packages, deadline, (target) => [npmInstall(target, packages)])
    return fault ? [`${name}: ${fault}`] : []
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = installMcpClients()
  console.log(`MCP clients: ${DIRECTORY}`)
  for (const fault of missing) console.log(`not installed: ${fault}`)
}
