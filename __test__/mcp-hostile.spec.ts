// Clients of the MCP server that are clumsy, slow or hostile.

import { spawn } from 'node:child_process'
import { Agent, createServer, request, type ClientRequest } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import path from 'node:path'
import { PassThrough } from 'node:stream'

import { expect, onTestFinished, test } from 'vitest'

import { mcpHttpHandler, serveMcp, type Toolkit } from '../index.js'
import { connected, eventually, headersOf, meta, modern, post, served } from './support/mcp.js'
import { ROOT } from './support/run.js'
import { isAlive, toolkitOf, workspaceOf } from './support/workspace.js'

const MiB = 1024 * 1024
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const INIT = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}

test.for<[string, unknown, number]>([
  ['true', true, -32600],
  ['null', null, -32600],
  ['a list', [1], -32600],
  ['an object', {}, -32600],
])('an id that is %s is refused, in both eras', async ([, id, code]) => {
  const { send, until } = connected(toolkitOf() as Toolkit<any>)
  send({ ...PING, id })
  expect(await until(({ error }) => error)).toEqual({ jsonrpc: '2.0', id: null, error: { code, message: '`id` must be a string or a number.' } })
  const other = connected(toolkitOf() as Toolkit<any>)
  other.send(modern(id, 'tools/list'))
  expect((await other.until(({ error }) => error)).error.code).toBe(code)
})

test.for<[string, string, number]>([
  ['no JSON', '{', -32700],
  ['a number', '7', -32600],
  ['a text', '"ping"', -32600],
  ['null', 'null', -32600],
  ['an empty batch', '[]', -32600],
  ['another version of JSON-RPC', '{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600],
  ['a method that is a number', '{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600],
  ['parameters that are a list', '{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []}', -32602],
  ['a name that is a number', '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7}}', -32602],
  ['a batch with a modern message', JSON.stringify([modern(1, 'tools/list')]), -32600],
  ['a state that is a number', JSON.stringify(modern(1, 'tools/call', { name: 'ls', requestState: 7 })), -32602],
  ['a state that nobody signed', JSON.stringify(modern(1, 'tools/call', { name: 'ls', requestState: 'e30.e30' })), -32602],
  ['answers that are a list', JSON.stringify(modern(1, 'tools/call', { name: 'ls', inputResponses: [] })), -32602],
  ['metadata that is a text', '{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"_meta": "x"}}', -32602],
])('%s is answered with its fault, and the server continues', async ([, text, code]) => {
  const { input, until, ask } = connected(toolkitOf() as Toolkit<any>)
  input.write(`${text}\n`)
  expect((await until(({ error }) => error)).error).toMatchObject({ code, message: expect.stringMatching(/\.$/) })
  expect((await ask({ ...PING, id: 'after' })).result).toEqual({})
})

const cyclic: Record<string, unknown> = { a: 1 }
cyclic.self = cyclic

test.for<[string, unknown, unknown]>([
  ['a BigInt', { n: 5n }, { n: '5' }],
  ['a cycle', cyclic, { a: 1, self: null }],
  ['half a character', { a: '\ud83d' }, { a: '\ufffd' }],
  [
    'a `toJSON` that throws',
    {
      a: {
        toJSON() {
          throw new Error('no')
        },
      },
    },
    { a: null },
  ],
])('details with %s are an answer, over streams and over HTTP, and the server continues', async ([, details, sent]) => {
  const toolkit = toolkitOf() as Toolkit<any>
  toolkit.registerTool({ name: 'own', handler: () => ({ content: [{ type: 'text', text: 'x' }], details }) })
  const call = modern('own', 'tools/call', { name: 'own', arguments: {} })
  const result = {
    content: [{ type: 'text', text: 'x' }],
    resultType: 'complete',
    _meta: { 'tenon/details': sent, 'io.modelcontextprotocol/serverInfo': { name: 'tenon', version: expect.any(String) } },
  }
  const { ask } = connected(toolkit)
  expect((await ask(call)).result).toEqual(result)
  expect((await ask({ ...PING, id: 'after' })).result).toEqual({})
  const { status, messages } = await post(await served(toolkit), call)
  expect([status, messages.map((message) => message.result)]).toEqual([200, [result]])
})

test('a batch of older revisions is answered as one, in which each message counts for itself', async () => {
  const { input, messages } = connected(toolkitOf() as Toolkit<any>)
  input.write(`${JSON.stringify([PING, { ...PING, id: 2, method: 'nope' }, 7, { jsonrpc: '2.0', method: 'notifications/initialized' }])}\n`)
  await eventually(() => messages.length === 1)
  expect(messages[0].map(({ id, result, error }: any) => [id, result ?? error.code])).toEqual([
    [1, {}],
    [2, -32601],
    [null, -32600],
  ])
})

test('a request with the id of one that runs is refused, and the running one continues', async () => {
  const { send, until } = connected(toolkitOf() as Toolkit<any>)
  send(modern(1, 'tools/call', { name: 'exec', arguments: { command: 'sleep 1; echo done' } }))
  send(modern(1, 'tools/call', { name: 'ls' }))
  expect((await until(({ error }) => error)).error).toMatchObject({ code: -32600, message: expect.stringContaining('already running') })
  expect((await until(({ result }) => result)).result._meta['tenon/details']).toMatchObject({ output: 'done\n' })
})

test('lines may come in any pieces, with any line end, and bytes that are not UTF-8 spoil only their own line', async () => {
  const { input, messages } = connected(toolkitOf({ 'Zoë.txt': 'one\n' }) as Toolkit<any>)
  const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 'Zoë', method: 'ping' })}\r\n`)
  for (const byte of line) input.write(Buffer.from([byte]))
  input.write(Buffer.concat([Buffer.from('{"jsonrpc": "2.0", "id": "'), Buffer.from([0xff, 0xfe]), Buffer.from('", "method": "ping"}\n')]))
  input.write(Buffer.from(`\n  \n${JSON.stringify(PING)}\n{"jsonrpc": "2.0", "id": 2,`))
  input.write(Buffer.from(' "method": "ping"}\n{"half": '))
  await eventually(() => messages.length === 4)
  const expected = [
    { jsonrpc: '2.0', id: 'Zoë', result: {} },
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'The message is not valid UTF-8.' } },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 2, result: {} },
  ]
  expect(messages).toHaveLength(expected.length)
  expect(messages).toEqual(expect.arrayContaining(expected))
})

test('a line that is too long is refused once and skipped', { timeout: 60_000 }, async () => {
  const { input, messages } = connected(toolkitOf() as Toolkit<any>)
  for (let written = 0; written < 80; written += 1) input.write(Buffer.alloc(MiB, 0x20))
  input.write(`\n${JSON.stringify(PING)}\n`)
  await eventually(() => messages.length === 2)
  expect(messages).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'A message may have at most 67108864 bytes.' } },
    { jsonrpc: '2.0', id: 1, result: {} },
  ])
})

test('over HTTP a body of 64 MiB is taken and a longer one refused, however its length is given', { timeout: 120_000 }, async () => {
  const url = await served(toolkitOf() as Toolkit<any>)
  const message = JSON.stringify(modern(1, 'tools/list'))
  const body = (length: number) => Buffer.from(message.padEnd(length, ' '))
  const headers = headersOf(modern(1, 'tools/list'))
  expect(await post(url, body(64 * MiB), headers)).toMatchObject({ status: 200, messages: [{ id: 1, result: {} }] })
  expect(await post(url, body(64 * MiB + 1), { ...headers, 'content-length': String(64 * MiB + 1) })).toMatchObject({
    status: 413,
    messages: [{ error: { message: 'A message may have at most 67108864 bytes.' } }],
  })
  const chunked = await new Promise((resolve) => {
    const sent: ClientRequest = request(url, { method: 'POST', headers }, (response) => resolve(response.resume().statusCode))
    // The server ends the connection while it is still written to.
    sent.on('error', () => {})
    const write = (left: number): void => {
      if (left === 0 || sent.destroyed) return void sent.end()
      sent.write(Buffer.alloc(MiB, 0x20), () => write(left - 1))
    }
    write(80)
  })
  expect(chunked).toBe(413)
  expect((await post(url, modern(2, 'tools/list'))).status).toBe(200)
})

test('over HTTP who keeps on sending what was refused is cut off after a while', { timeout: 60_000 }, async () => {
  const url = await served(toolkitOf() as Toolkit<any>)
  const headers = { ...headersOf(modern(1, 'tools/list')), 'content-length': String(1024 * MiB) }
  const sent = request(url, { method: 'POST', headers })
  sent.on('error', () => {})
  const writing = setInterval(() => sent.write('x'), 20)
  const response = await new Promise<any>((resolve) => sent.once('response', resolve))
  expect(response.statusCode).toBe(413)
  response.resume()
  await new Promise((resolve) => sent.once('close', resolve))
  clearInterval(writing)
  expect((await post(url, modern(2, 'tools/list'))).status).toBe(200)
})

test('over HTTP what is no message has its status', async () => {
  const url = await served(toolkitOf() as Toolkit<any>)
  const json = { 'content-type': 'application/json' }
  expect(await post(url, '{', json)).toMatchObject({ status: 400, messages: [{ id: null, error: { code: -32700 } }] })
  expect(await post(url, Buffer.from([0x22, 0xff, 0x22]), json)).toMatchObject({ status: 400, messages: [{ error: { code: -32700 } }] })
  expect(await post(url, JSON.stringify(modern(1, 'tools/list')), { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
  expect(await post(url, [modern(1, 'tools/list')], json)).toMatchObject({ status: 400 })
  expect(await post(url, PING, json)).toMatchObject({ status: 400, messages: [{ error: { message: expect.stringContaining('initialize') } }] })
  expect(await post(url, PING, { ...json, 'mcp-protocol-version': '1999-01-01' })).toMatchObject({
    status: 400,
    messages: [{ error: { message: expect.stringContaining('1999-01-01') } }],
  })
  const { headers } = await post(url, INIT, json)
  const session = { ...json, 'mcp-session-id': String(headers['mcp-session-id']) }
  // To clients of these revisions 404 means that their session has ended.
  expect(await post(url, { ...PING, method: 'nope' }, session)).toMatchObject({ status: 200, messages: [{ id: 1, error: { code: -32601 } }] })
})

test.for([
  ['a name that leads here', { host: 'evil.example' }],
  ['a name that begins like this machine', { host: 'localhost.evil.example' }],
  ['a name with this machine as its user', { host: 'localhost@evil.example' }],
  ['two ports', { host: 'localhost:80:90' }],
  ['a page of another origin', { origin: 'https://evil.example' }],
  ['a page without an origin', { origin: 'null' }],
  ['an extension', { origin: 'chrome-extension://abcdef' }],
  ['an origin with a path', { origin: 'http://localhost/../evil' }],
] as const)('over HTTP %s does not come to the tools, in both eras', async ([, given]) => {
  const url = await served(toolkitOf() as Toolkit<any>)
  for (const message of [modern(1, 'tools/list'), INIT]) {
    expect((await post(url, message, { ...headersOf(message), ...given })).status).toBe(403)
  }
})

test('over HTTP further names are allowed, whatever their port and case', async () => {
  const url = await served(toolkitOf() as Toolkit<any>, { allowedHosts: ['tools.example'] })
  const message = modern(1, 'tools/list')
  expect((await post(url, message, { ...headersOf(message), host: 'Tools.Example:8080', origin: 'https://tools.example' })).status).toBe(200)
  expect((await post(url, message, { ...headersOf(message), host: '[::1]:1', origin: 'http://127.0.0.1:3000' })).status).toBe(200)
})

test('a thousand idle subscriptions stop nobody, and one too many is refused', { timeout: 120_000 }, async () => {
  const toolkit = toolkitOf({ 'a.txt': 'one\n' }) as Toolkit<any>
  const url = await served(toolkit)
  const agent = new Agent({ maxSockets: 2000 })
  onTestFinished(() => agent.destroy())
  let [acknowledged, changed] = [0, 0]
  const open = (id: number) => {
    const message = modern(id, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    return new Promise<number>((resolve) => {
      const sent = request(url, { method: 'POST', agent, headers: headersOf(message) }, (response) => {
        response.setEncoding('utf8').on('data', (text: string) => {
          acknowledged += text.split('subscriptions/acknowledged').length - 1
          changed += text.split('tools/list_changed').length - 1
        })
        response.on('error', () => {})
        resolve(response.statusCode!)
      })
      sent.on('error', () => {})
      sent.end(JSON.stringify(message))
    })
  }
  for (let first = 0; first < 1000; first += 100) await Promise.all(Array.from({ length: 100 }, (_, index) => open(first + index)))
  await eventually(() => acknowledged === 1000)
  const call = modern('c', 'tools/call', { name: 'find', arguments: { pattern: '*.txt' } })
  expect((await post(url, call)).messages[0].result.content).toEqual([{ type: 'text', text: 'a.txt' }])
  toolkit.registerTool({ name: 'one', handler: () => 1 })
  await eventually(() => changed === 1000)
  for (let id = 1000; id < 1024; id += 1) await open(id)
  const refused = await post(url, modern('x', 'subscriptions/listen', { notifications: { toolsListChanged: true } }))
  expect(refused.messages.at(-1)).toMatchObject({ id: 'x', error: { code: -32603, message: expect.stringContaining('1024') } })
  // Those that leave make room.
  agent.destroy()
  await eventually(async () => (await post(url, modern('y', 'subscriptions/listen', { notifications: {} }))).messages.every(({ error }) => !error))
})

test('over HTTP a client that reads nothing for a while stops nobody, and then gets its result', { timeout: 60_000 }, async () => {
  const url = await served(toolkitOf() as Toolkit<any>)
  const command = 'for i in $(seq 1 40); do head -c 100000 /dev/zero | tr "\\0" x; echo $i; sleep 0.05; done'
  const message = modern(1, 'tools/call', { name: 'exec', arguments: { command }, _meta: meta({}, { progressToken: 1 }) })
  const socket = connect(Number(url.port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.pause()
  const body = JSON.stringify(message)
  const headers = Object.entries({ ...headersOf(message), host: 'localhost', 'content-length': Buffer.byteLength(body) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.write(`POST /mcp HTTP/1.1\r\n${headers.join('')}\r\n${body}`)
  for (let id = 0; id < 5; id += 1) expect((await post(url, modern(id, 'tools/list'))).status).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  let text = ''
  socket.on('data', (chunk) => (text += chunk)).resume()
  await eventually(() => /"id":1,"result":\{"resultType":"complete"/.test(text))
})

test('over streams progress that nobody reads is not kept, and the result is', async () => {
  const [input, output] = [new PassThrough(), new PassThrough({ highWaterMark: 1 })]
  const toolkit = toolkitOf() as Toolkit<any>
  const { close } = serveMcp(toolkit, { input, output })
  onTestFinished(close)
  const call = { name: 'exec', arguments: { command: 'for i in $(seq 1 30); do echo $i; sleep 0.05; done' }, _meta: meta({}, { progressToken: 1 }) }
  input.write(`${JSON.stringify(modern(1, 'tools/call', call))}\n`)
  await eventually(() => toolkit.history().length === 1)
  let text = ''
  output.on('data', (chunk) => (text += chunk))
  await eventually(() => text.includes('"id":1'))
  // The first that found room, and none while it was not read.
  expect(text.trimEnd().split('\n').length).toBeLessThan(5)
})

test('a client whose output ends in half a line leaves no process', async () => {
  const workspace = workspaceOf()
  const server = spawn(process.execPath, [path.join(ROOT, 'bin/tenon.js'), 'mcp', '-w', workspace], { stdio: ['pipe', 'pipe', 'inherit'] })
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'exec', arguments: { command: 'echo $$; exec sleep 60' }, _meta: { progressToken: 1 } },
  }
  server.stdin.write(`${JSON.stringify(call)}\n`)
  const pid = await new Promise<number>((resolve) =>
    server.stdout.once('data', (text) => resolve(Number(JSON.parse(String(text).split('\n')[0]!).params.message))),
  )
  expect(isAlive(pid)).toBe(true)
  server.stdin.end('{"jsonrpc": "2.0", "id": 2, "meth')
  expect(await new Promise((resolve) => server.once('close', (code) => resolve(code)))).toBe(0)
  await eventually(() => !isAlive(pid))
})

test('over HTTP a session of an older revision is that of the caller who began it', async () => {
  const url = await served(toolkitOf() as Toolkit<any>)
  const mine = { ...headersOf(INIT), authorization: 'Bearer mine' }
  const session = { 'mcp-session-id': String((await post(url, INIT, mine)).headers['mcp-session-id']) }
  expect((await post(url, PING, { ...mine, ...session })).messages).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  const refused = [{ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'There is no such session, or it has ended.' } }]
  for (const other of [{ ...mine, authorization: 'Bearer other' }, headersOf(INIT)]) {
    const { status, messages } = await post(url, PING, { ...other, ...session })
    expect([status, messages]).toEqual([404, refused])
  }
  expect((await post(url, PING, { ...mine, ...session })).status).toBe(200)
})

const CLIENT = 'https://client.example/oauth/client.json'
test.for<[string, object, object, object?]>([
  ['two subjects', { extra: { sub: 'alice' } }, { extra: { sub: 'mallory' } }, { extra: { sub: 'alice' } }],
  ['two users', { extra: { userId: 1 } }, { extra: { userId: 2 } }, { extra: { userId: 1 } }],
  ['two issuers', { extra: { iss: 'a', sub: 'alice' } }, { extra: { iss: 'b', sub: 'alice' } }, { extra: { iss: 'a', sub: 'alice' } }],
  ['claims without `extra`', { sub: 'alice' }, { sub: 'mallory' }, { sub: 'alice' }],
  ['two clients of a user', { extra: { sub: 'alice' } }, { extra: { sub: 'alice' }, clientId: 'other' }],
  ['two tokens, and no user', {}, {}],
  ['an empty user', { extra: { sub: '' } }, { extra: { sub: '' } }],
  ['a name of another kind, and no token', { token: undefined, user: 'alice' }, { token: undefined, user: 'mallory' }],
])('over HTTP %s of one program are different callers; a new token of the same user is not', async ([, mine, other, again]) => {
  const url = await served(toolkitOf() as Toolkit<any>, {}, (request) => {
    const [name, auth] = JSON.parse(request.headers['x-auth'])
    request.auth = { token: `${name}-token`, clientId: CLIENT, scopes: [], ...auth }
  })
  const as = (name: string, auth: object) => ({ ...headersOf(INIT), 'x-auth': JSON.stringify([name, auth]) })
  const session = { 'mcp-session-id': String((await post(url, INIT, as('first', mine))).headers['mcp-session-id']) }
  const statusOf = async (headers: Record<string, string>) => (await post(url, PING, { ...headers, ...session })).status
  expect(await statusOf(as('first', mine))).toBe(200)
  expect(await statusOf(as('second', other))).toBe(404)
  if (again) expect(await statusOf(as('third', again))).toBe(200)
})

test.for([
  ['an object', () => ({ id: 7 }) as any],
  ['a promise', async () => 'alice'],
])('over HTTP a `principal` that returns %s serves nobody', async ([, principal]) => {
  const url = await served(toolkitOf() as Toolkit<any>, { principal: principal as any })
  const { status, messages } = await post(url, INIT)
  const message = 'The option `principal` of `mcpHttpHandler` must return a text that names the caller, or nothing. Return an id of the user.'
  expect([status, messages]).toEqual([500, [{ jsonrpc: '2.0', id: null, error: { code: -32603, message } }]])
})

test('over HTTP a handler that was closed takes no client any more', async () => {
  const handler = mcpHttpHandler(toolkitOf() as Toolkit<any>)
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  handler.close()
  const { status, messages } = await post(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`), INIT)
  expect([status, messages]).toEqual([503, [{ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'This server has been closed.' } }]])
})

test('a hundred sessions of older revisions are kept; the one that was idle longest makes room', { timeout: 60_000 }, async () => {
  const url = await served(toolkitOf() as Toolkit<any>)
  const json = { 'content-type': 'application/json' }
  const sessions: string[] = []
  for (let index = 0; index < 101; index += 1) sessions.push(String((await post(url, INIT, json)).headers['mcp-session-id']))
  const statusOf = async (session: string) => (await post(url, PING, { ...json, 'mcp-session-id': session })).status
  expect(await Promise.all([sessions[0], sessions[1], sessions[100]].map((session) => statusOf(session!)))).toEqual([404, 200, 200])
})
