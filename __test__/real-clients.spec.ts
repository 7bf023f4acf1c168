// `tenon mcp` in real clients, which a scripted model on the loopback interface drives. What counts is what the client then
// sends to the model. The programs are large: they are installed by `TENON_REAL_CLIENTS=1` or `node scripts/mcp-clients.mjs`.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

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
  const ended = await run(path.join(modules, '.bin/claude'), args, { cwd: workspace, env: cleanEnv(home, env) })
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('done') })

  const offered = api.requests[0].tools.filter(({ name }: any) => name.startsWith('mcp__tenon__'))
  for (const name of ['read', 'write', 'edit', 'exec', 'grep', 'find']) {
    expect(offered.find((tool: any) => tool.name === `mcp__tenon__${name}`)).toMatchObject({
      description: expect.stringMatching(/\S/),
      input_schema: { type: 'object' },
    })
  }
  const answers = api.requests
    .at(-1)
    .messages.flatMap(({ content }: any) => content)
    .filter(({ type }: any) => type === 'tool_result')
  expect(JSON.stringify(answers)).toContain(JSON.stringify(LINES).slice(1, -1))
})

test('Claude Code shows its model a long result as it is, and where all of it is', { timeout: LIMIT_MS }, async (context) => {
  const modules = modulesOf('claude-code', context)
  const workspace = workspaceOf()
  const api = await anthropicApi({ tool: 'mcp__tenon__exec', input: { command: 'for i in $(seq 1 20000); do echo "line $i"; done' } })
  const servers = { mcpServers: { tenon: { command: process.execPath, args: [BIN, 'mcp', '--workspace', workspace] } } }
  const args = ['--print', 'Count.', '--strict-mcp-config', '--mcp-config', JSON.stringify(servers), '--allowedTools', 'mcp__tenon__exec']
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'none', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }
  await run(path.join(modules, '.bin/claude'), args, { cwd: workspace, env: cleanEnv(workspaceOf(), env) })
  const [result] = api.requests
    .at(-1)
    .messages.flatMap(({ content }: any) => content)
    .filter(({ type }: any) => type === 'tool_result')
  expect(result.content).toEqual([
    { type: 'text', text: expect.stringMatching(/^line 1\n.*\nline 20000\n/s) },
    { type: 'text', text: '[Resource link: output://1] output://1' },
  ])
})

test('Claude Code has the prompts of a host as commands', { timeout: LIMIT_MS }, async (context) => {
  const modules = modulesOf('claude-code', context)
  const server = `const { Toolkit, serveMcp } = require(${JSON.stringify(ROOT)})
const get = ({ file }) => 'Review ' + file + ' for spelling.'
serveMcp(new Toolkit({ workspace: process.cwd() }), { prompts: [{ name: 'review', description: 'Reviews.', arguments: [{ name: 'file', required: true }], get }] })`
  const workspace = workspaceOf({ 'server.cjs': server })
  const api = await anthropicApi()
  const servers = { mcpServers: { mine: { command: process.execPath, args: [path.join(workspace, 'server.cjs')] } } }
  const args = ['--print', '/mcp__mine__review notes.txt', '--strict-mcp-config', '--mcp-config', JSON.stringify(servers)]
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'none', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }
  const ended = await run(path.join(modules, '.bin/claude'), args, { cwd: workspace, env: cleanEnv(workspaceOf(), env) })
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('done') })
  expect(JSON.stringify(api.requests.at(-1).messages)).toContain('Review notes.txt for spelling.')
})

/** The settings of Codex with a scripted model and our server. */
function codexHome(home: string, url: string, args: string[], approvals: string): string {
  const settings = [
    'model = "gpt-5"',
    'model_provider = "scripted"',
    `approval_policy = "${approvals}"`,
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_KEY"',
    '[mcp_servers.tenon]',
    `command = ${JSON.stringify(process.execPath)}`,
    `args = ${JSON.stringify(args)}`,
    'default_tools_approval_mode = "approve"',
  ]
  const directory = path.join(home, 'codex')
  mkdirSync(directory)
  writeFileSync(path.join(directory, 'config.toml'), settings.join('\n'))
  return directory
}

test('Codex shows its model the lines of a file', { timeout: LIMIT_MS }, async (context) => {
  const modules = modulesOf('codex', context)
  const workspace = workspaceOf({ 'notes.txt': LINES })
  const home = workspaceOf()
  const api = await openAiApi('mcp__tenon', { tool: 'read', input: { file_path: 'notes.txt' } })
  const directory = codexHome(home, api.url, [BIN, 'mcp', '--workspace', workspace], 'never')
  const env = cleanEnv(home, { CODEX_HOME: directory, SCRIPTED_KEY: 'none' })
  const ended = await run(path.join(modules, '.bin/codex'), ['exec', '--skip-git-repo-check', 'Read notes.txt.'], { cwd: workspace, env })
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('done') })
  const outputs = api.requests.at(-1).input.filter(({ type }: any) => type === 'function_call_output')
  expect(JSON.stringify(outputs)).toContain('the first line\\')
  expect(JSON.stringify(outputs)).toContain('the second line')
})

/** A program that speaks JSON, one message a line, until the test is over. */
function speaking(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const messages: any[] = []
  let rest = ''
  let answer: (message: any) => object | undefined = () => undefined
  const send = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`)
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines.filter((line) => line.startsWith('{'))) {
      const message = JSON.parse(line)
      messages.push(message)
      const answered = answer(message)
      if (answered) send(answered)
    }
  })
  const until = async (is: (message: any) => boolean): Promise<any> => {
    const end = Date.now() + LIMIT_MS - 10_000
    while (!messages.some(is)) {
      if (Date.now() > end || child.exitCode !== null) throw new Error(`the program said only ${JSON.stringify(messages).slice(-4000)}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return messages.find(is)
  }
  return { send, until, onMessage: (given: typeof answer) => void (answer = given) }
}

const CALLS = (prefix: string) => [
  { tool: `${prefix}read`, input: { file_path: 'notes.txt' } },
  { tool: `${prefix}edit`, input: { file_path: 'notes.txt', oldText: 'second', newText: '2nd' } },
  { tool: `${prefix}exec`, input: { command: 'touch never.txt' } },
]
/** What the user says: the edit once, the command never. */
const decisionOn = (message: string) => (message.startsWith('Allow `edit`') ? 'once' : 'never')

test('Claude Code asks its user whether a call may run, and does as they say', { timeout: LIMIT_MS }, async (context) => {
  const modules = modulesOf('claude-code', context)
  const workspace = workspaceOf({ 'notes.txt': LINES })
  const api = await anthropicApi(...CALLS('mcp__tenon__'))
  const servers = { mcpServers: { tenon: { command: process.execPath, args: [BIN, 'mcp', '--workspace', workspace, '--approvals', 'elicit'] } } }
  const args = [
    '--print',
    '--verbose',
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--strict-mcp-config',
    '--mcp-config',
    JSON.stringify(servers),
    '--allowedTools',
    'mcp__tenon',
  ]
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'none', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }
  const claude = speaking(path.join(modules, '.bin/claude'), args, workspace, cleanEnv(workspaceOf(), env))
  const asked: string[] = []
  claude.onMessage(({ type, request_id, request }) => {
    if (type !== 'control_request' || request.subtype !== 'elicitation') return undefined
    asked.push(request.message)
    const response = { action: 'accept', content: { decision: decisionOn(request.message) } }
    return { type: 'control_response', response: { subtype: 'success', request_id, response } }
  })
  claude.send({ type: 'control_request', request_id: 'init', request: { subtype: 'initialize', hooks: null } })
  claude.send({ type: 'user', message: { role: 'user', content: 'Edit notes.txt.' }, parent_tool_use_id: null, session_id: '' })
  await claude.until(({ type }) => type === 'result')

  expect(asked).toEqual([expect.stringMatching(/-the second line\n\+the 2nd line/), expect.stringContaining('touch never.txt')])
  expect(readFileSync(path.join(workspace, 'notes.txt'), 'utf8')).toBe('the first line\nthe 2nd line\n')
  expect(existsSync(path.join(workspace, 'never.txt'))).toBe(false)
  const results = api.requests
    .at(-1)
    .messages.flatMap(({ content }: any) => content)
    .filter(({ type }: any) => type === 'tool_result')
  expect(JSON.stringify(results.at(-1))).toContain('The user declined this call')
})

test('Codex asks its user whether a call may run, and does as they say', { timeout: LIMIT_MS }, async (context) => {
  const modules = modulesOf('codex', context)
  const workspace = workspaceOf({ 'notes.txt': LINES })
  const home = workspaceOf()
  const api = await openAiApi('mcp__tenon', ...CALLS(''))
  const directory = codexHome(home, api.url, [BIN, 'mcp', '--workspace', workspace, '--approvals', 'elicit'], 'on-request')
  const env = cleanEnv(home, { CODEX_HOME: directory, SCRIPTED_KEY: 'none' })
  const codex = speaking(path.join(modules, '.bin/codex'), ['app-server'], workspace, env)
  const asked: string[] = []
  codex.onMessage(({ id, method, params }) => {
    if (method !== 'mcpServer/elicitation/request') return undefined
    asked.push(params.message)
    return { id, result: { action: 'accept', content: { decision: decisionOn(params.message) } } }
  })
  const request = async (id: number, method: string, params: object) => {
    codex.send({ id, method, params })
    return (await codex.until((message) => message.id === id && message.method === undefined)).result
  }
  await request(1, 'initialize', { clientInfo: { name: 'test', title: 'test', version: '1.0.0' } })
  codex.send({ method: 'initialized' })
  const { thread } = await request(2, 'thread/start', { cwd: workspace })
  await request(3, 'turn/start', { threadId: thread.id, input: [{ type: 'text', text: 'Edit notes.txt.' }] })
  await codex.until(({ method }) => method === 'turn/completed')

  expect(asked).toEqual([expect.stringMatching(/-the second line\n\+the 2nd line/), expect.stringContaining('touch never.txt')])
  expect(readFileSync(path.join(workspace, 'notes.txt'), 'utf8')).toBe('the first line\nthe 2nd line\n')
  expect(existsSync(path.join(workspace, 'never.txt'))).toBe(false)
  const outputs = api.requests.at(-1).input.filter(({ type }: any) => type === 'function_call_output')
  expect(JSON.stringify(outputs.at(-1))).toContain('The user declined this call')
})
