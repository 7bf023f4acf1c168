// `tenon mcp` and serveMcp, asked by the client of the official SDK.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { PassThrough } from 'node:stream'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'

import { mcpHttpHandler, serveMcp, type Toolkit } from '../index.js'
import { post } from './support/mcp.js'
import { ROOT, run } from './support/run.js'
import { isAlive, toolkitOf, until, workspaceOf } from './support/workspace.js'

const INIT = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}
const WAIT = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } }
const BIN = path.join(ROOT, 'bin/tenon.js')

/** A client of `tenon mcp` over a directory, closed when the test is over. */
async function clientOf(workspace: string, args: string[] = [], capabilities = {}) {
  const client = new Client({ name: 'client', version: '1.0.0' }, { capabilities })
  const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', '--workspace', workspace, ...args], stderr: 'inherit' })
  onTestFinished(() => client.close())
  return { client, transport, connect: () => client.connect(transport) }
}

/** The process that wrote its number there, once it has. */
function pidIn(workspace: string): number | undefined {
  const file = path.join(workspace, 'pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) || undefined : undefined
}

/** Runs a command until it has reported progress, and cancels the call: it fails, and its process ends. */
async function cancelledCallEnds(client: Client, workspace: string) {
  const abort = new AbortController()
  const updates: string[] = []
  const command = 'echo begun; echo $$ > pid; exec sleep 60'
  const call = client.callTool({ name: 'exec', arguments: { command } }, undefined, {
    signal: abort.signal,
    onprogress: ({ message }) => void updates.push(message ?? ''),
  })
  const failed = expect(call).rejects.toThrow()
  await until(() => pidIn(workspace) !== undefined && updates.includes('begun'))
  abort.abort()
  await failed
  const pid = pidIn(workspace)!
  await until(() => !isAlive(pid))
}

test('a client sees every tool with its annotations; those that every agent needs are loaded at once', async () => {
  const workspace = workspaceOf()
  const { client, connect } = await clientOf(workspace)
  await connect()
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  expect(client.getServerVersion()).toEqual({ name: 'tenon', version })
  expect(await client.ping()).toEqual({})
  const { tools } = await client.listTools()
  // It asks the user of the client.
  const own = toolkitOf({}, { host: { askUser: () => null } }).listTools()
  expect(tools.map(({ name, annotations }) => ({ name, annotations }))).toEqual(own.map(({ name, annotations }) => ({ name, annotations })))
  expect(tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true).map(({ name }) => name)).toEqual([
    'read',
    'write',
    'edit',
    'find',
    'grep',
    'exec',
  ])
  for (const tool of tools) expect(tool).not.toHaveProperty('outputSchema')
})

test.for([
  ['canonical', ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash']],
  ['coder', ['read', 'write', 'glob', 'grep', 'bash']],
  ['manager', ['read_file', 'write_file', 'search_files', 'search_code']],
  ['acp', ['read_file', 'write_file', 'edit_file', 'search_files', 'run_command']],
] as const)('in the vocabulary %s, too, the tools that every agent needs are loaded at once', async ([dialect, names]) => {
  const { client, connect } = await clientOf(workspaceOf(), ['--dialect', dialect])
  await connect()
  const { tools } = await client.listTools()
  expect(
    tools
      .filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...names].sort())
})

test('a long text that the content has is not sent again in the details', async () => {
  const { client, connect } = await clientOf(workspaceOf({ 'a.txt': 'one\n' }))
  await connect()
  const { content, _meta }: any = await client.callTool({ name: 'exec', arguments: { command: 'seq 1 20000' } })
  expect(content[0].text).toMatch(/^1\n2\n.*\n20000\n/s)
  expect(_meta['tenon/details']).toMatchObject({ status: 'completed', exitCode: 0, truncated: true, cwd: '.' })
  expect(_meta['tenon/details']).not.toHaveProperty('output')
  const short: any = await client.callTool({ name: 'exec', arguments: { command: 'echo short' } })
  expect(short._meta['tenon/details']).toMatchObject({ output: 'short\n' })
})

test('no details are sent where the host wants the content only', async () => {
  const { client, connect } = await clientOf(workspaceOf({ 'a.txt': 'one\n' }), ['--content-only'])
  await connect()
  expect(await client.callTool({ name: 'read', arguments: { file_path: 'a.txt' } })).toEqual({ content: [{ type: 'text', text: 'one\n' }] })
  const missing = await client.callTool({ name: 'read', arguments: { file_path: 'b.txt' } })
  expect(missing).toMatchObject({ isError: true, _meta: { 'tenon/error_type': 'not_found' } })
  expect(missing._meta).not.toHaveProperty('tenon/details')
  const both = { contentOnly: true, structured: true }
  expect(() => serveMcp(toolkitOf() as Toolkit<any>, both)).toThrow('The options `structured` and `contentOnly` exclude each other.')
})

test('details and their schemas are sent as structured content where the host wants it', async () => {
  const { client, connect } = await clientOf(workspaceOf({ 'a.txt': 'one\n' }), ['--structured'])
  await connect()
  // The client checks structured content against the schemas that it received.
  const { tools } = await client.listTools()
  expect(tools.find(({ name }) => name === 'find')!.outputSchema).toMatchObject({ type: 'object', properties: { files: { type: 'array' } } })
  expect(await client.callTool({ name: 'find', arguments: { pattern: '*.txt' } })).toEqual({
    content: [{ type: 'text', text: 'a.txt' }],
    structuredContent: { files: ['a.txt'], count: 1, truncated: false },
  })
})

test('a result has everything for the model as content and the details as metadata; a failure says why; an unknown tool is a fault of the request', async () => {
  const { client, connect } = await clientOf(workspaceOf({ 'a.txt': 'one\n' }))
  await connect()
  expect(await client.callTool({ name: 'find', arguments: { pattern: '*.txt' } })).toEqual({
    content: [{ type: 'text', text: 'a.txt' }],
    _meta: { 'tenon/details': { files: ['a.txt'], count: 1, truncated: false } },
  })
  expect(await client.callTool({ name: 'write', arguments: { file_path: 'b.txt', content: 'two\n' } })).toMatchObject({
    _meta: { 'tenon/details': { path: 'b.txt', size: 4 } },
  })
  expect(await client.callTool({ name: 'exec', arguments: { command: 'cat a.txt b.txt' } })).toMatchObject({
    content: [{ type: 'text', text: expect.stringContaining('one\ntwo\n') }],
    _meta: { 'tenon/details': { exitCode: 0, output: 'one\ntwo\n' } },
  })
  expect(await client.callTool({ name: 'read', arguments: { file_path: 'none.txt' } })).toEqual({
    content: [{ type: 'text', text: expect.stringContaining('`none.txt` does not exist') }],
    isError: true,
    _meta: { 'tenon/error_type': 'not_found', 'tenon/details': expect.objectContaining({ code: 'not_found' }) },
  })
  await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('`nope`') })
})

test('dialect and settings are those of the command line', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n', '.env': 'KEY=1\n' })
  const directory = workspaceOf({ 'policy.json': '{"permissions": {"deny": ["Read(.env)"]}}' })
  const { client, connect } = await clientOf(workspace, ['--dialect', 'canonical', '--settings', path.join(directory, 'policy.json')])
  await connect()
  expect(await client.callTool({ name: 'Read', arguments: { file_path: path.join(workspace, 'a.txt') } })).toMatchObject({
    content: [{ type: 'text', text: expect.stringContaining('one') }],
    _meta: { 'tenon/details': { total_lines: 1 } },
  })
  const denied = await client.callTool({ name: 'Read', arguments: { file_path: path.join(workspace, '.env') } })
  expect(denied).toMatchObject({ isError: true, _meta: { 'tenon/error_type': 'permission_denied' } })
})

test('progress is sent to who asked for it, and a cancelled call stops with its processes', async () => {
  const workspace = workspaceOf()
  const { client, connect } = await clientOf(workspace)
  await connect()
  await cancelledCallEnds(client, workspace)
  // The server goes on.
  expect(await client.ping()).toEqual({})
})

test('questions go to the user at the client', async () => {
  const questions = [
    {
      question: 'Which?',
      header: 'Which',
      options: [
        { label: 'a', description: 'the first' },
        { label: 'b', description: 'the second' },
      ],
    },
    {
      question: 'What?',
      header: 'What',
      multiSelect: true,
      options: [
        { label: 'x', description: 'this' },
        { label: 'y', description: 'that' },
      ],
    },
  ]
  const { client, connect } = await clientOf(workspaceOf(), ['--dialect', 'canonical'], { elicitation: {} })
  const forms: unknown[] = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    forms.push(params)
    return { action: 'accept', content: { q1: 'b', q2: ['x', 'y'] } }
  })
  await connect()
  expect(await client.callTool({ name: 'AskUserQuestion', arguments: { questions } })).toMatchObject({
    _meta: { 'tenon/details': { answers: { 'Which?': 'b', 'What?': 'x, y' } } },
  })
  expect(forms).toEqual([expect.objectContaining({ message: expect.stringContaining('Which?\n- a: the first\n- b: the second') })])

  const mute = await clientOf(workspaceOf(), ['--dialect', 'canonical'])
  await mute.connect()
  const refused: any = await mute.client.callTool({ name: 'AskUserQuestion', arguments: { questions } })
  expect(refused).toMatchObject({ isError: true })
  expect(refused.content[0].text).toContain('elicitation')
})

test('the server ends with its client, and leaves no process', async () => {
  const workspace = workspaceOf()
  const { client, transport, connect } = await clientOf(workspace)
  await connect()
  const server = transport.pid!
  await client.callTool({ name: 'exec', arguments: { command: 'echo $$ > pid; exec sleep 60', background: true } })
  await until(() => pidIn(workspace) !== undefined)
  const pid = pidIn(workspace)!
  await client.close()
  await until(() => !isAlive(server) && !isAlive(pid))
})

test('a signal ends the server as the end of its input does', async () => {
  const server = spawn(process.execPath, [BIN, 'mcp', '-w', workspaceOf()])
  server.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
  await new Promise((resolve) => server.stdout.once('data', resolve))
  server.kill('SIGTERM')
  expect(await new Promise((resolve) => server.once('close', (code) => resolve(code)))).toBe(0)
})

test('what is no message is answered with its fault, and standard output holds messages only', async () => {
  const lines = [
    'no json',
    '{"jsonrpc": "2.0", "id": 1, "method": "ping"}',
    '{"jsonrpc": "2.0", "id": 2, "method": "frob"}',
    '[]',
    '{"id": 3, "method": "ping"}',
    '',
  ]
  const { code, stdout } = await run(process.execPath, [BIN, 'mcp', '-w', workspaceOf()], { input: lines.join('\n') })
  expect(code).toBe(0)
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers.map(({ id, result, error }) => [id, result ?? error.code])).toEqual(
    expect.arrayContaining([
      [null, -32700],
      [1, {}],
      [2, -32601],
      [null, -32600],
    ]),
  )
  expect(answers).toHaveLength(5)
})

test('any toolkit is served over any streams; letters may be cut between two chunks', async () => {
  const toolkit = toolkitOf({}, { customTools: [{ name: 'greet', handler: ({ name }: any) => ({ hello: name }) }] }) as Toolkit<any>
  const [input, output] = [new PassThrough(), new PassThrough()]
  const { closed, close } = serveMcp(toolkit, { input, output, name: 'mine', version: '7', instructions: 'Be kind.' })
  const answers: any[] = []
  output.on('data', (chunk) =>
    answers.push(
      ...String(chunk)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ),
  )
  const hello = {
    jsonrpc: '2.0',
    id: 'a',
    method: 'initialize',
    params: { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  }
  const call = Buffer.from(`${JSON.stringify([{ jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'greet', arguments: { name: 'Zoë' } } }])}\n`)
  input.write(`${JSON.stringify(hello)}\n`)
  for (const byte of call) input.write(Buffer.from([byte]))
  await until(() => answers.length === 2)
  expect(answers[0].result).toEqual({
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true }, logging: {}, resources: {} },
    serverInfo: { name: 'mine', version: '7' },
    instructions: 'Be kind.',
  })
  expect(answers[1]).toEqual([
    { jsonrpc: '2.0', id: 'b', result: { content: [{ type: 'text', text: expect.stringContaining('Zoë') }], _meta: { 'tenon/details': { hello: 'Zoë' } } } },
  ])
  close()
  await closed
  input.write(`${JSON.stringify({ ...hello, id: 'c' })}\n`)
  expect((await toolkit.execute('greet', { name: 'you' })).details).toEqual({ hello: 'you' })
  expect(answers).toHaveLength(2)
})

/** A toolkit that is served over HTTP until the test is over. */
async function served(toolkit: Toolkit<any>) {
  const handler = mcpHttpHandler(toolkit)
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    handler.close()
    server.closeAllConnections()
    server.close()
  })
  return { handler, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`) }
}

/** A client of that address until the test is over. */
async function clientAt(url: URL) {
  const client = new Client({ name: 'client', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(url)
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, transport }
}

/** The status of one request. */
function statusOf(url: URL, headers: Record<string, string>, body = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}', method = 'POST'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!))
    })
    sent.on('error', reject).end(method === 'POST' ? body : undefined)
  })
}

test('over HTTP clients have sessions of their own; calls, progress and cancellation are as over streams', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n' })
  const toolkit = toolkitOf({}, { workspace }) as Toolkit<any>
  const { url } = await served(toolkit)
  const [one, other] = [await clientAt(url), await clientAt(url)]
  expect(one.transport.sessionId).not.toBe(other.transport.sessionId)
  expect((await one.client.listTools()).tools.map(({ name }) => name)).toEqual(toolkit.listTools().map(({ name }) => name))
  expect(await other.client.callTool({ name: 'find', arguments: { pattern: '*.txt' } })).toMatchObject({
    content: [{ type: 'text', text: 'a.txt' }],
    _meta: { 'tenon/details': { files: ['a.txt'] } },
  })

  await cancelledCallEnds(one.client, workspace)

  await one.transport.terminateSession()
  expect(await statusOf(url, { 'mcp-session-id': 'gone' })).toBe(404)
  expect(await other.client.ping()).toEqual({})
})

test.for<[string, string, (ends: { close: () => void; end: () => Promise<void>; crowd: () => Promise<void> }) => unknown]>([
  ['the handler is closed', 'The server is closing.', ({ close }) => close()],
  ['its session is ended', 'The session has ended.', ({ end }) => end()],
  ['other sessions take its place', 'The session has ended: there are too many sessions. Begin another one with `initialize`.', ({ crowd }) => crowd()],
])('over HTTP a call that runs when %s fails with the reason, and its process ends', { timeout: 60_000 }, async ([, message, finish]) => {
  const workspace = workspaceOf()
  const toolkit = toolkitOf({}, { workspace }) as Toolkit<any>
  toolkit.registerTool({ name: 'wait', handler: () => new Promise(() => {}) })
  const { handler, url } = await served(toolkit)
  const { client, transport } = await clientAt(url)
  const command = 'echo $$ > pid; exec sleep 60'
  const running = client.callTool({ name: 'exec', arguments: { command } }).catch((error: Error) => error.message)
  await until(() => pidIn(workspace) !== undefined)
  await finish({
    close: () => handler.close(),
    end: async () => expect(await statusOf(url, { 'mcp-session-id': transport.sessionId! }, '', 'DELETE')).toBe(204),
    // All of them busy, so the one that began first makes room.
    crowd: async () => {
      for (let index = 0; index < 100; index += 1) {
        const json = { 'content-type': 'application/json' }
        const session = String((await post(url, INIT, json)).headers['mcp-session-id'])
        void post(url, WAIT, { ...json, 'mcp-session-id': session }).catch(() => {})
      }
    },
  })
  expect(await running).toBe(`MCP error -32000: ${message}`)
  await until(() => !isAlive(pidIn(workspace)!))
})

test('over HTTP a page of the web does not come to the tools by a name of its own', async () => {
  const { url } = await served(toolkitOf() as Toolkit<any>)
  expect(await statusOf(url, { host: 'evil.example' })).toBe(403)
  expect(await statusOf(url, { origin: 'https://evil.example' })).toBe(403)
  expect(await statusOf(url, { host: 'localhost.evil.example:80' })).toBe(403)
  // Without a session nothing but `initialize` is taken.
  expect(await statusOf(url, { origin: 'http://localhost:3000' })).toBe(400)
  expect(await statusOf(url, {}, '', 'GET')).toBe(405)
})
