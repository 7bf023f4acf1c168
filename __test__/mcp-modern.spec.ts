// Revision 2026-07-28 of the Model Context Protocol, beside the older ones at one endpoint and in one process.

import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'

import { expect, test } from 'vitest'

import type { Toolkit } from '../index.js'
import { connected, eventually, headersOf, messagesOf, meta, MODERN, modern, post, served } from './support/mcp.js'
import { isAlive, toolkitOf, workspaceOf } from './support/workspace.js'

// The very module that the server has loaded.
const VERSION = JSON.parse(readFileSync(path.join(__dirname, '../package.json'), 'utf8')).version
const LEGACY = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}
const find = { name: 'find', arguments: { pattern: '*.txt' } }

/** The process that wrote its number there, once it has. */
function pidIn(workspace: string): number | undefined {
  const file = path.join(workspace, 'pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) || undefined : undefined
}

/** A response that is read as it comes. */
function streamed(
  url: URL,
  body: any,
): Promise<{ headers: any; next(is: (message: any) => boolean): Promise<any>; text(): string; close(): void; ended: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: headersOf(body) }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('error', () => {})
      const ended = new Promise<void>((resolve) => response.once('close', () => resolve()))
      const next = async (is: (message: any) => boolean) => {
        await eventually(() => messagesOf(text.slice(0, text.lastIndexOf('\n\n') + 1)).some(is))
        return messagesOf(text.slice(0, text.lastIndexOf('\n\n') + 1)).find(is)
      }
      resolve({ headers: response.headers, next, text: () => text, close: () => sent.destroy(), ended })
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

test('a server says what it is and can do, once and for all requests', async () => {
  const toolkit = toolkitOf() as Toolkit<any>
  const { ask } = connected(toolkit, { name: 'mine', version: '7', instructions: 'Be kind.' })
  expect((await ask(modern('a', 'server/discover'))).result).toEqual({
    resultType: 'complete',
    supportedVersions: [MODERN],
    capabilities: { tools: { listChanged: true }, logging: {}, resources: {} },
    instructions: 'Be kind.',
    ttlMs: 3_600_000,
    cacheScope: 'public',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'mine', version: '7' } },
  })
})

test('tools are listed in the order of their names, whenever they were registered', async () => {
  const toolkit = toolkitOf(
    {},
    {
      customTools: [
        { name: 'zebra', handler: () => 'z', _meta: { 'mine/hint': 1 } },
        { name: 'ant', handler: () => 'a' },
      ],
    },
  ) as Toolkit<any>
  const { ask } = connected(toolkit)
  const { result } = await ask(modern(1, 'tools/list'))
  const names = result.tools.map(({ name }: any) => name)
  expect(names).toEqual([...toolkit.listTools().map(({ name }) => name)].sort())
  expect(result).toMatchObject({
    resultType: 'complete',
    ttlMs: 3_600_000,
    cacheScope: 'public',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'tenon', version: VERSION } },
  })
  expect(result.tools.find(({ name }: any) => name === 'zebra')._meta).toEqual({ 'mine/hint': 1 })
  expect(result.tools.find(({ name }: any) => name === 'read')._meta).toEqual({ 'anthropic/alwaysLoad': true, 'anthropic/maxResultSizeChars': 100_000 })
})

test('both eras are served by one process, each request in its own', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'one\n' }) as Toolkit<any>
  const { ask } = connected(toolkit)
  expect((await ask(modern(1, 'tools/call', find))).result).toMatchObject({ resultType: 'complete', content: [{ text: 'a.txt' }] })
  expect((await ask(LEGACY)).result).toMatchObject({ protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true }, logging: {} } })
  const legacy = (await ask({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: find })).result
  expect(legacy).toEqual({ content: [{ type: 'text', text: 'a.txt' }], _meta: { 'tenon/details': { files: ['a.txt'], count: 1, truncated: false } } })
  for (const method of ['initialize', 'ping', 'logging/setLevel', 'prompts/list', 'completion/complete']) {
    expect((await ask(modern(`m-${method}`, method))).error).toMatchObject({ code: -32601, message: expect.stringContaining(`\`${method}\``) })
  }
  expect((await ask({ jsonrpc: '2.0', id: 3, method: 'server/discover' })).error.code).toBe(-32601)
})

test.for([
  ['an unknown version', { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }, -32022, { supported: [MODERN], requested: '2099-01-01' }],
  ['a version that is not a text', { 'io.modelcontextprotocol/protocolVersion': 7 }, -32602, undefined],
  ['no capabilities', { 'io.modelcontextprotocol/clientCapabilities': undefined }, -32602, undefined],
  ['capabilities that are a list', { 'io.modelcontextprotocol/clientCapabilities': [] }, -32602, undefined],
] as const)('%s is a fault of the request', async ([, wrong, code, data]) => {
  const { ask } = connected(toolkitOf() as Toolkit<any>)
  const { error } = await ask({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta({}, wrong) } })
  expect(error).toEqual({ code, message: expect.any(String), ...(data && { data }) })
})

test('over HTTP there is no session: responses are JSON, or a stream once something comes before them', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n' })
  const url = await served(toolkitOf({}, { workspace }) as Toolkit<any>)
  const plain = await post(url, modern(1, 'tools/call', find))
  expect(plain).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' }, messages: [{ id: 1, result: { resultType: 'complete' } }] })
  expect(plain.headers).not.toHaveProperty('mcp-session-id')
  const call = { name: 'exec', arguments: { command: 'echo one; sleep 0.3; echo two; sleep 0.3' } }
  const answer = await post(url, modern(2, 'tools/call', { ...call, _meta: meta({}, { progressToken: 'p' }) }))
  expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no', 'cache-control': 'no-store' })
  expect(answer.messages[0]).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'p', progress: 1, message: 'one' } })
  expect(answer.messages.at(-1)).toMatchObject({ id: 2, result: { resultType: 'complete', _meta: { 'tenon/details': { output: 'one\ntwo\n' } } } })
  const notified = await post(url, { jsonrpc: '2.0', method: 'notifications/whatever', params: { _meta: meta() } })
  expect(notified).toMatchObject({ status: 202, messages: [] })
})

test.for<[string, object, Record<string, string | undefined>, number, number]>([
  ['another version', modern(1, 'tools/list'), { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
  ['no version', modern(1, 'tools/list'), { 'mcp-protocol-version': undefined }, 400, -32020],
  ['another method', modern(1, 'tools/list'), { 'mcp-method': 'tools/call' }, 400, -32020],
  ['no method', modern(1, 'tools/list'), { 'mcp-method': undefined }, 400, -32020],
  ['another tool', modern(1, 'tools/call', find), { 'mcp-name': 'read' }, 400, -32020],
  ['no tool', modern(1, 'tools/call', find), { 'mcp-name': undefined }, 400, -32020],
  ['a tool that is not Base64', modern(1, 'tools/call', find), { 'mcp-name': '=?base64?!!?=' }, 400, -32020],
  ['a tool in Base64', modern(1, 'tools/call', find), { 'mcp-name': `=?base64?${Buffer.from('find').toString('base64')}?=` }, 200, 0],
  [
    'a version that is not supported',
    { ...modern(1, 'tools/list'), params: { _meta: meta({}, { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }) } },
    {},
    400,
    -32022,
  ],
  ['no metadata under the header of the revision', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-protocol-version': MODERN }, 400, -32602],
  ['a method that does not exist', modern(1, 'prompts/list'), {}, 404, -32601],
  ['a tool that does not exist', modern(1, 'tools/call', { name: 'nope' }), {}, 200, -32602],
])('over HTTP a request with %s has its status and code', async ([, body, headers, status, code]) => {
  const url = await served(toolkitOf({ 'a.txt': 'one\n' }) as Toolkit<any>)
  const given = Object.entries({ ...headersOf(body), ...headers }).filter(([, value]) => value !== undefined)
  const answer = await post(url, body, Object.fromEntries(given) as Record<string, string>)
  expect({ status: answer.status, code: answer.messages[0].error?.code ?? 0, id: answer.messages[0].id }).toEqual({ status, code, id: 1 })
})

test('parameters that a tool marks are repeated in headers', async () => {
  const parameters = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      at: { type: 'object', properties: { zone: { type: 'integer', 'x-mcp-header': 'Zone' } } },
    },
  }
  const url = await served(toolkitOf({}, { customTools: [{ name: 'go', parameters, handler: ({ region }: any) => region }] }) as Toolkit<any>)
  const body = modern(1, 'tools/call', { name: 'go', arguments: { region: 'Zürich', at: { zone: 3 } } })
  const sent = (more: Record<string, string>) =>
    post(url, body, { ...headersOf(body), ...more }).then(({ status, messages }) => [status, messages[0].error?.code])
  const encoded = `=?base64?${Buffer.from('Zürich').toString('base64')}?=`
  expect(await sent({ 'mcp-param-region': encoded, 'mcp-param-zone': '3' })).toEqual([200, undefined])
  expect(await sent({ 'mcp-param-region': encoded })).toEqual([400, -32020])
  expect(await sent({ 'mcp-param-region': 'Bern', 'mcp-param-zone': '3' })).toEqual([400, -32020])
})

test('over HTTP a closed response cancels its call, and no other', async () => {
  const workspace = workspaceOf()
  const url = await served(toolkitOf({}, { workspace }) as Toolkit<any>)
  const call = { name: 'exec', arguments: { command: 'echo begun; echo $$ > pid; exec sleep 60' }, _meta: meta({}, { progressToken: 1 }) }
  const running = await streamed(url, modern(1, 'tools/call', call))
  const other = post(url, modern(1, 'tools/call', { name: 'exec', arguments: { command: 'sleep 1; echo other' } }))
  await eventually(() => pidIn(workspace) !== undefined)
  running.close()
  await eventually(() => !isAlive(pidIn(workspace)!))
  expect((await other).messages[0].result._meta['tenon/details']).toMatchObject({ exitCode: 0 })
})

test('over streams a cancellation ends the call, without a response', async () => {
  const workspace = workspaceOf()
  const { ask, send, messages } = connected(toolkitOf({}, { workspace }) as Toolkit<any>)
  send(modern(1, 'tools/call', { name: 'exec', arguments: { command: 'echo $$ > pid; exec sleep 60' } }))
  await eventually(() => pidIn(workspace) !== undefined)
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await eventually(() => !isAlive(pidIn(workspace)!))
  await ask(modern(2, 'tools/list'))
  expect(messages.filter(({ id }) => id === 1)).toEqual([])
})

test('a subscription is acknowledged, and reports that the exposed tools changed, once for changes at the same time', async () => {
  const toolkit = toolkitOf() as Toolkit<any>
  const { send, until: untilMessage, ask, messages } = connected(toolkit)
  const changes = () => messages.filter(({ method }) => method === 'notifications/tools/list_changed').length
  send(modern('s', 'subscriptions/listen', { notifications: { toolsListChanged: true, promptsListChanged: true } }))
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 's' }
  expect((await untilMessage(({ method }) => method === 'notifications/subscriptions/acknowledged')).params).toEqual({
    notifications: { toolsListChanged: true },
    _meta,
  })
  toolkit.registerTool({ name: 'one', handler: () => 1 })
  toolkit.registerTool({ name: 'two', handler: () => 2 })
  expect((await untilMessage(({ method }) => method === 'notifications/tools/list_changed')).params).toEqual({ _meta })
  expect((await ask(modern(2, 'tools/list'))).result.tools.map(({ name }: any) => name)).toContain('two')
  expect(changes()).toBe(1)
  toolkit.unregisterTool('one')
  await eventually(() => changes() === 2)

  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 's' } })
  await ask(modern(4, 'tools/list'))
  toolkit.unregisterTool('two')
  await ask(modern(5, 'tools/list'))
  expect(changes()).toBe(2)
  // Nothing that this server reports: the subscription is over at once.
  expect((await ask(modern('p', 'subscriptions/listen', { notifications: { promptsListChanged: true } }))).result._meta).toMatchObject({
    'io.modelcontextprotocol/subscriptionId': 'p',
  })
  expect((await ask(modern('q', 'subscriptions/listen'))).error.code).toBe(-32602)
})

test('over HTTP a subscription is a stream that says that it is alive, and ends with a result when the server closes', async () => {
  const toolkit = toolkitOf() as Toolkit<any>
  const { mcpHttpHandler } = await import('../index.js')
  const { createServer } = await import('node:http')
  const handler = mcpHttpHandler(toolkit, { keepAliveMs: 50 })
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as any).port}/mcp`)
  const stream = await streamed(url, modern(9, 'subscriptions/listen', { notifications: { toolsListChanged: true } }))
  await stream.next(({ method }) => method === 'notifications/subscriptions/acknowledged')
  await eventually(() => stream.text().includes('\n: keep-alive\n\n'))
  toolkit.registerTool({ name: 'one', handler: () => 1 })
  await stream.next(({ method }) => method === 'notifications/tools/list_changed')
  handler.close()
  expect(await stream.next(({ id }) => id === 9)).toMatchObject({ result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 9 } } })
  await stream.ended
  server.close()
})

test('a call that is silent for long is kept alive, and its result comes all the same', async () => {
  const url = await served(toolkitOf() as Toolkit<any>, { keepAliveMs: 50 })
  const stream = await streamed(url, modern(1, 'tools/call', { name: 'exec', arguments: { command: 'sleep 0.5; echo done' } }))
  expect((await stream.next(({ id }) => id === 1)).result._meta['tenon/details']).toMatchObject({ output: 'done\n' })
  expect(stream.text()).toMatch(/^: keep-alive\n\n/)
})

test('resources of the host are listed and read, by their URI or a template', async () => {
  const resources = [
    { uri: 'notes://one', name: 'one', mimeType: 'text/plain', read: () => 'the first note' },
    { uri: 'notes://logo', name: 'logo', mimeType: 'image/png', read: async () => new Uint8Array([1, 2, 3]) },
    {
      uriTemplate: 'notes://{+path}/of/{id}',
      name: 'any',
      read: (_uri: string, variables: object) => ({ text: JSON.stringify(variables), mimeType: 'application/json', _meta: { a: 1 } }),
    },
    { uri: 'notes://broken', name: 'broken', read: () => ({}) },
  ]
  const { ask } = connected(toolkitOf() as Toolkit<any>, { resources })
  expect((await ask(modern(1, 'server/discover'))).result.capabilities).toEqual({ tools: { listChanged: true }, logging: {}, resources: {} })
  expect((await ask(modern(2, 'resources/list'))).result).toMatchObject({
    resources: [{ uri: 'notes://one', name: 'one', mimeType: 'text/plain' }, { uri: 'notes://logo' }, { uri: 'notes://broken' }],
    ttlMs: 3_600_000,
  })
  expect((await ask(modern(3, 'resources/templates/list'))).result.resourceTemplates).toEqual([
    { uriTemplate: 'notes://{+path}/of/{id}', name: 'any' },
    expect.objectContaining({ uriTemplate: 'output://{number}{?offset}' }),
  ])
  const read = async (uri: string) => (await ask(modern(uri, 'resources/read', { uri }))).result
  expect(await read('notes://one')).toMatchObject({
    contents: [{ uri: 'notes://one', mimeType: 'text/plain', text: 'the first note' }],
    ttlMs: 0,
    cacheScope: 'private',
  })
  expect(await read('notes://logo')).toMatchObject({ contents: [{ blob: 'AQID' }] })
  expect(await read('notes://a/b/of/x%20y')).toMatchObject({ contents: [{ mimeType: 'application/json', text: '{"path":"a/b","id":"x y"}', _meta: { a: 1 } }] })
  // An escaped slash is one as well: `{id}` is a part of a path.
  for (const uri of ['notes://a/of/..%2F..%2Fetc', 'notes://a/of/x%2fy'])
    expect((await ask(modern(uri, 'resources/read', { uri }))).error.data).toEqual({ uri })
  expect((await ask(modern(4, 'resources/read', { uri: 'notes://none' }))).error).toEqual({
    code: -32602,
    message: expect.stringContaining('`notes://none`'),
    data: { uri: 'notes://none' },
  })
  expect((await ask(modern(5, 'resources/read', { uri: 'notes://broken' }))).error.code).toBe(-32603)
  expect((await ask(LEGACY)).result.capabilities).toEqual({ tools: { listChanged: true }, logging: {}, resources: {} })
  expect((await ask({ jsonrpc: '2.0', id: 6, method: 'resources/read', params: { uri: 'notes://one' } })).result).toEqual({
    contents: [{ uri: 'notes://one', mimeType: 'text/plain', text: 'the first note' }],
  })
  expect(() => connected(toolkitOf() as Toolkit<any>, { resources: [{ name: 'none' } as any] })).toThrow('`uri`')
})

test('audio and resources in a result of a tool of the host are sent as they are', async () => {
  const audio = { type: 'audio', data: 'AQID', mimeType: 'audio/wav' }
  const resource = { type: 'resource', resource: { uri: 'a://b', mimeType: 'text/plain', text: 'b' } }
  const toolkit = toolkitOf(
    {},
    { customTools: [{ name: 'sing', handler: () => ({ content: [{ type: 'text', text: 'la' }, audio, resource], details: { a: 1 } }) }] },
  ) as Toolkit<any>
  const { ask } = connected(toolkit)
  expect((await ask(modern(1, 'tools/call', { name: 'sing' }))).result.content).toEqual([{ type: 'text', text: 'la' }, audio, resource])
  // Elsewhere they are texts, as before.
  const result = await toolkit.execute('sing', {})
  expect(result.content).toEqual([{ type: 'text', text: 'la' }, ...[audio, resource].map((part) => ({ type: 'text', text: JSON.stringify(part, null, 2) }))])
  expect(JSON.parse(JSON.stringify(result))).toEqual({ content: result.content, details: { a: 1 } })
})
