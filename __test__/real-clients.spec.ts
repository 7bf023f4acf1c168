// `tenon mcp` in real clients, which a scripted model on the loopback interface drives. What counts is what the client then
// sends to the model. The programs are large: they are installed by `TENON_REAL_CLIENTS=1` or `node scripts/mcp-clients.mjs`.

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { beforeAll, expect, onTestFinished, test, type TestContext } from 'vitest'

import { installMcpClients, mcpClient } from '../scripts/mcp-clients.mjs'
import { anthropicApi, openAiApi } from './support/model-api.js'
import { ROOT, run } from './support/run.js'
import { workspaceOf } from './support/workspace.js'

const BIN = path.join(ROOT, 'bin/tenon.js')
const LINES = 'the first line\nthe second line\n'
const LIMIT_MS = 120_000

beforeAll(() => {
  if (process.env.TENON_REAL_CLIENTS) console.log(installMcpClients().join('\n'))
}, 500_000)

/** Where a client is; the test is skipped with the reason where it is not. */
function modulesOf(name: Parameters<typeof mcpClient>[0], { skip }: TestContext): string {
  const found = mcpClient(name)
  if ('missing' in found) return skip(found.missing)
  return found.modules
}

/** An environment without anything of the one that runs the tests: no keys, no settings, no other server. */
function cleanEnv(home: string, more: Record<string, string>): NodeJS.ProcessEnv {
  const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
  return { ...none, PATH: process.env.PATH, HOME: home, TMPDIR: process.env.TMPDIR, ...more }
}

test('Claude Code shows its model the lines of a file, and loads the tools that every agent needs', { timeout: LIMIT_MS }, async (context) => {
  const modules = modulesOf('claude-code', context)
  const workspace = workspaceOf({ 'notes.txt': LINES })
  const home = workspaceOf()
  const api = await anthropicApi({ tool: 'mcp__tenon__read', input: { file_path: 'notes.txt' } })
  const servers = { mcpServers: { tenon: { command: process.execPath, args: [BIN, 'mcp', '--workspace', workspace] } } }
  const args = ['--print', 'Read notes.txt.', '--strict-mcp-config', '--mcp-config', JSON.stringify(servers), '--allowedTools', 'mcp__tenon__read']
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'none', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }
  const told = await run(path.join(modules, '.bin/claude'), args, { cwd: workspace, env: cleanEnv(home, env) })
  expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('done') })

  const offered = api.requests[0].tools.filter(({ name }: any) => name.startsWith('mcp__tenon__'))
  for (const name of ['read', 'write', 'edit', 'exec', 'grep', 'find']) {
    expect(offered.find((tool: any) => tool.name === `mcp__tenon__${name}`)).toMatchObject({ description: expect.stringMatching(/\S/), input_schema: { type: 'object' } })
  }
  const answers = api.requests.at(-1).messages.flatMap(({ content }: any) => content).filter(({ type }: any) => type === 'tool_result')
  expect(JSON.stringify(answers)).toContain(JSON.stringify(LINES).slice(1, -1))
})

test('Codex shows its model the lines of a file', { timeout: LIMIT_MS }, async (context) => {
  const modules = modulesOf('codex', context)
  const workspace = workspaceOf({ 'notes.txt': LINES })
  const home = workspaceOf()
  const api = await openAiApi('mcp__tenon', { tool: 'read', input: { file_path: 'notes.txt' } })
  const settings = [
    'model = "gpt-5"',
    'model_provider = "scripted"',
    'approval_policy = "never"',
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${api.url}/v1"`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_KEY"',
    '[mcp_servers.tenon]',
    `command = ${JSON.stringify(process.execPath)}`,
    `args = ${JSON.stringify([BIN, 'mcp', '--workspace', workspace])}`,
    'default_tools_approval_mode = "approve"',
  ]
  const folder = path.join(home, 'codex')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'config.toml'), settings.join('\n'))
  const env = cleanEnv(home, { CODEX_HOME: folder, SCRIPTED_KEY: 'none' })
  const told = await run(path.join(modules, '.bin/codex'), ['exec', '--skip-git-repo-check', 'Read notes.txt.'], { cwd: workspace, env })
  expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('done') })
  const outputs = api.requests.at(-1).input.filter(({ type }: any) => type === 'function_call_output')
  expect(JSON.stringify(outputs)).toContain('the first line\\')
  expect(JSON.stringify(outputs)).toContain('the second line')
})
