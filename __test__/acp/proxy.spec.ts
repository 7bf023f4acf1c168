// `tenon acp -- <agent>`: an editor and an agent in processes of their own, with the policy between them.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'

import { client, ndJsonStream } from '@agentclientprotocol/sdk'
import { expect, onTestFinished, test } from 'vitest'

import { until } from '../support/acp.js'
import { ROOT, run } from '../support/run.js'
import { workspaceOf } from '../support/workspace.js'

const BIN = path.join(ROOT, 'bin/tenon.js')
const AGENT = [process.execPath, path.join(ROOT, '__test__/support/acp-agent.mjs')]
const OPTIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
]
const POLICY = {
  permissions: {
    allow: ['Bash(npm test:*)', 'Read', 'Edit(src/**)'],
    deny: ['Bash(rm:*)', 'Read(.env)'],
    ask: ['Bash(make:*)', 'Edit(asked/**)'],
    defaultMode: 'ask',
  },
}

/** An editor whose agent is the proxy. */
async function editorOf(answers: Record<string, (params: any) => any> = {}, capabilities: any = {}) {
  const home = workspaceOf({ 'policy.json': JSON.stringify(POLICY) })
  const workspace = workspaceOf({ 'src/a.txt': 'a\n', '.env': 'KEY=1' })
  const record = path.join(home, 'record.jsonl')
  const child = spawn(process.execPath, [BIN, 'acp', '--settings', path.join(home, 'policy.json'), '--record', record, '--', ...AGENT], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: home,
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const updates: any[] = []
  const app = client({ name: 'editor' }).onNotification('session/update', ({ params }) => void updates.push(params.update))
  for (const [method, answer] of Object.entries(answers)) app.onRequest(method as any, ({ params }: any) => answer(params))
  const { agent } = app.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as any))
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: capabilities })
  const { sessionId } = await agent.request('session/new', { cwd: workspace, mcpServers: [] })
  const prompt = async (...requests: { method: string; params: any }[]): Promise<any[]> => {
    updates.length = 0
    await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: JSON.stringify(requests) }] })
    const said = () => updates.find(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    await until(said)
    return JSON.parse(said().content.text)
  }
  return { workspace, record, child, ended, agent, sessionId, updates, prompt, stderr: () => stderr }
}

const permission = (fields: object) => ({ method: 'session/request_permission', params: { toolCall: { toolCallId: 't', ...fields }, options: OPTIONS } })
const command = (line: string) => permission({ kind: 'execute', title: line, rawInput: { command: line } })
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } })

test('requests for permission are answered by policy, and what it asks by the user', async () => {
  const asked: any[] = []
  const { prompt, record, updates } = await editorOf(
    { 'session/request_permission': (params) => (asked.push(params), selected('always')) },
    { session: { notices: {} } },
  )
  expect(await prompt(command('npm test'), command('npm test; rm -rf TOKEN=abc'), command('make all'), permission({ kind: 'switch_mode' }))).toEqual([
    selected('yes'),
    selected('no'),
    selected('always'),
    selected('always'),
  ])
  expect(asked.map(({ toolCall }) => toolCall.title ?? toolCall.kind)).toEqual(['make all', 'switch_mode'])
  expect(updates.find(({ sessionUpdate }) => sessionUpdate === 'notice')).toMatchObject({
    severity: 'warning',
    description: expect.stringContaining('Bash(rm:*)'),
  })
  const kept = readFileSync(record, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'permission')
  expect(kept.map(({ verdict, answer }) => [verdict, answer])).toEqual([
    ['allow', 'yes'],
    ['deny', 'no'],
    ['ask', 'user'],
    ['ask', 'user'],
  ])
  expect(JSON.stringify(kept)).not.toContain('abc')
  expect(statSync(record).mode & 0o777).toBe(0o600)
})

test('the agent has the tools, whose calls are judged, asked about and kept', async () => {
  let answer = 'reject_once'
  const asked: any[] = []
  const { prompt, workspace, record } = await editorOf({ 'session/request_permission': (params) => (asked.push(params), selected(answer)) })
  const call = (name: string, input: object) => ({ method: 'mcp', params: { name, arguments: input } })
  const [read, secret, refused] = await prompt(
    call('read', { file_path: 'src/a.txt' }),
    call('read', { file_path: '.env' }),
    call('write', { file_path: 'asked/x', content: 'x' }),
  )
  expect(read.content[0].text).toBe('a\n')
  expect(secret).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Read(.env)') }] })
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('the user declined it') }] })
  answer = 'allow_once'
  await prompt(call('write', { file_path: 'asked/x', content: 'x' }))
  expect(readFileSync(path.join(workspace, 'asked/x'), 'utf8')).toBe('x')
  expect(asked[0].toolCall).toMatchObject({
    title: 'write',
    content: [
      { content: { text: expect.stringContaining('Edit(asked/**)') } },
      { type: 'diff', path: path.join(workspace, 'asked/x'), oldText: null, newText: 'x' },
    ],
  })
  const types = () =>
    readFileSync(record, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
  await until(() => types().includes('finished'))
})

test('files and commands of the editor are judged before it sees the request', async () => {
  const seen: string[] = []
  const { prompt, workspace } = await editorOf(
    {
      'fs/read_text_file': ({ path: file }) => (seen.push(path.basename(file)), { content: 'text' }),
      'fs/write_text_file': ({ path: file }) => (seen.push(path.basename(file)), {}),
      'terminal/create': ({ command }) => (seen.push(command), { terminalId: 'e1' }),
      'session/request_permission': () => selected('reject_once'),
    },
    { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
  )
  const at = (name: string) => path.join(workspace, name)
  const results = await prompt(
    { method: 'fs/read_text_file', params: { path: at('src/a.txt') } },
    { method: 'fs/read_text_file', params: { path: at('.env') } },
    { method: 'fs/read_text_file', params: { path: '/etc/passwd' } },
    { method: 'fs/write_text_file', params: { path: at('src/b.txt'), content: 'b' } },
    { method: 'fs/write_text_file', params: { path: at('asked/c.txt'), content: 'c' } },
    { method: 'terminal/create', params: { command: 'npm', args: ['test'] } },
    { method: 'terminal/create', params: { command: 'rm', args: ['-rf', '/'] } },
  )
  expect(results).toEqual([
    { content: 'text' },
    { error: expect.stringContaining('Read(.env)') },
    { error: expect.stringContaining('Not permitted') },
    {},
    { error: 'Not permitted: The user declined it.' },
    { terminalId: 'e1' },
    { error: expect.stringContaining('Bash(rm:*)') },
  ])
  expect(seen).toEqual(['a.txt', 'b.txt', 'npm'])
})

test('what the agent prints beside its messages does not reach the editor', async () => {
  const { prompt, stderr } = await editorOf()
  expect(await prompt({ method: 'print', params: 'Loading plugins …' })).toEqual([null])
  expect(stderr()).toContain('a line that is not a message was skipped')
})

test('the proxy ends with its agent, and the agent with its editor', async () => {
  const { prompt, ended } = await editorOf()
  void prompt({ method: 'exit', params: 7 }).catch(() => {})
  expect(await ended).toBe(7)
  const second = await editorOf()
  second.child.stdin.end()
  expect(await second.ended).toBe(0)
})

test('a session in a directory that does not exist is refused, and a record that is a link is not written', async () => {
  const { agent } = await editorOf()
  await expect(agent.request('session/new', { cwd: '/does/not/exist', mcpServers: [] })).rejects.toMatchObject({
    message: expect.stringContaining('does not exist'),
  })

  const scene = await editorOf({ 'session/request_permission': () => selected('no') })
  const target = path.join(scene.workspace, 'target')
  writeFileSync(target, '')
  if (!existsSync(scene.record)) symlinkSync(target, scene.record)
  await scene.prompt(command('npm test'))
  expect(readFileSync(target, 'utf8')).toBe('')
})

test('a command is needed, and one that does not exist is named', async () => {
  expect(await run(process.execPath, [BIN, 'acp'])).toMatchObject({ code: 2, stderr: expect.stringContaining('The command of the agent is missing') })
  expect(await run(process.execPath, [BIN, 'acp', '--', 'no-such-agent'])).toMatchObject({ code: 1, stderr: expect.stringContaining('no-such-agent') })
})

test.each([
  ['says that it starts them', { session: { mcp: { stdio: {} } } }, ['tenon']],
  ['does not', { session: {} }, []],
])('an agent of version 2 is given a server of tools where it %s', async (_, capabilities, expected) => {
  // The example agents of the Rust crate refuse a session with servers that they did not offer to start.
  const agent = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    const results = {
      initialize: () => ({ protocolVersion: 2, info: { name: 'a', version: '1' }, capabilities: ${JSON.stringify(capabilities)} }),
      'session/new': () => ({ sessionId: params.mcpServers.map(({ name }) => name).join() || 'none' }),
    }
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]() }))
  })`
  const child = spawn(process.execPath, [BIN, 'acp', '--', process.execPath, '-e', agent], { stdio: ['pipe', 'pipe', 'ignore'], cwd: workspaceOf() })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece))
  const ask = async (id: number, method: string, params: unknown) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const answer = () => text.split('\n').find((line) => line.includes(`"id":${id},`))
    await until(answer)
    return JSON.parse(answer() as string).result
  }
  await ask(1, 'initialize', { protocolVersion: 2, info: { name: 'e', version: '1' }, capabilities: {} })
  const { sessionId } = await ask(2, 'session/new', { cwd: workspaceOf() })
  expect(sessionId).toBe(expected.join() || 'none')
})
