// What the MCP client makes of answers that are not as the protocol has them.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'

import { LONG, fake, mcpTools, ready, textOf } from './support/mcp-servers.js'
import { failureOf, toolkitOf } from './support/workspace.js'

interface Reply {
  status?: number
  type?: string
  body: (id: unknown) => string | Buffer
  to?: string
}

/** The options of a server over HTTP that replies so to `tools/call`, or to another method. */
async function replying({ status = 200, type = 'application/json', body, to = 'tools/call' }: Reply) {
  const answers: Record<string, object> = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'h', version: '1' } },
    'tools/list': { tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
  }
  const http = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { id, method } = text === '' ? ({} as any) : JSON.parse(text)
    if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end()
    if (method === to) return void response.writeHead(status, { 'content-type': type }).end(body(id))
    const answer = answers[method] ? { result: answers[method] } : { error: { code: -32601, message: 'no' } }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void (http.closeAllConnections(), http.close()))
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` }
}

const refusal = (more: object) => () => JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message: 'Bad Request: Server not initialized' }, ...more })

test.each<[string, Reply]>([
  ['null', { status: 400, body: refusal({ id: null }) }],
  ['missing', { status: 400, body: refusal({}) }],
  ['null, with status 200', { body: refusal({ id: null }) }],
  ['null, as an event', { type: 'text/event-stream', body: () => `data: ${refusal({ id: null })()}\n\n` }],
])('over HTTP an error whose id is %s answers its request', LONG, async (_, reply) => {
  const toolkit = await ready({ s: await replying(reply) })
  const failure = await failureOf(toolkit.execute('mcp__s__a', {}))
  expect(failure.message).toBe('The MCP server `s` returned an error: Bad Request: Server not initialized.')
})

const result = (id: unknown, text: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"${text}"}]}}`

test.each<[string, Reply, string]>([
  ['half of a character', { body: (id) => result(id, 'a\\ud83d b') }, 'a\ufffd b'],
  ['half of a character in an event', { type: 'text/event-stream', body: (id) => `data: ${result(id, 'a\\ud83d b')}\n\n` }, 'a\ufffd b'],
  ['a byte that is not UTF-8', { body: (id) => Buffer.from(result(id, 'a\xff'), 'latin1') }, 'a\ufffd'],
  ['a byte that is not UTF-8 in an event', { type: 'text/event-stream', body: (id) => Buffer.from(`data: ${result(id, 'a\xff')}\n\n`, 'latin1') }, 'a\ufffd'],
  ['a batch', { body: (id) => `[${result(id, 'R')}]` }, 'R'],
  ['a batch with a notification', { body: (id) => `[{"jsonrpc":"2.0","method":"notifications/x"},${result(id, 'R')}]` }, 'R'],
  ['a batch in an event', { type: 'text/event-stream', body: (id) => `data: [${result(id, 'R')}]\n\n` }, 'R'],
])('over HTTP an answer with %s is read', LONG, async (_, reply, text) => {
  const toolkit = await ready({ s: await replying(reply) })
  expect(textOf(await toolkit.execute('mcp__s__a', {}))).toBe(text)
})

test.each<[string, Reply, string]>([
  ['500', { status: 500, type: 'text/plain', body: () => 'database offline' }, 'HTTP 500 Internal Server Error: database offline.'],
  ['429', { status: 429, type: 'text/plain', body: () => 'slow down' }, 'HTTP 429 Too Many Requests: slow down.'],
  ['503 without words', { status: 503, type: 'text/plain', body: () => '' }, 'HTTP 503 Service Unavailable.'],
  ['a page', { type: 'text/html', body: () => '<html>' }, 'it answered with text/html in place of JSON. Check that `url` is the address of an MCP server.'],
])('over HTTP %s is reported with the words of the server, in a call and at the start', LONG, async (_, reply, reason) => {
  const toolkit = await ready({ s: await replying(reply) })
  expect((await failureOf(toolkit.execute('mcp__s__a', {}))).message).toBe(`The connection to the MCP server \`s\` failed: ${reason}`)
  const refused = toolkitOf({}, { mcpServers: { s: await replying({ ...reply, to: 'initialize' }) } })
  await refused.mcp.ready()
  expect(refused.mcp.status()[0]!.error).toBe(`The MCP server \`s\` could not be started: ${reason}`)
})

test.each([
  ['an error', { error: { code: -32603, message: 'cannot start: DB_URL is missing' } }, 'returned an error: cannot start: DB_URL is missing.'],
  [
    'a result without `serverInfo`',
    { result: { protocolVersion: '2025-03-26', capabilities: {} } },
    'could not be started: its answer to `initialize` is not valid: missing field `serverInfo`.',
  ],
  ['an empty result', { result: {} }, 'could not be started: its answer to `initialize` is not valid: missing field `protocolVersion`.'],
  ['no result', { result: null }, 'could not be started: its answer to `initialize` is not valid: invalid type: null, expected an object.'],
])('a server that answers `initialize` with %s has failed for that', LONG, async (_, initialize, reason) => {
  const toolkit = toolkitOf({}, { mcpServers: { fake: fake({ initialize }) } })
  await toolkit.mcp.ready()
  expect(toolkit.mcp.status()[0]!.error).toBe(`The MCP server \`fake\` ${reason}`)
})

test.each([
  ['a text', '{"content":"row 1"}', 'row 1', false],
  ['one part that is in no list', '{"content":{"type":"text","text":"row 1"}}', 'row 1', false],
  ['texts in a list', '{"content":["row 1","row 2"]}', 'row 1\nrow 2', false],
  ['a value', '{"content":[{"row":1}]}', '{"row":1}', false],
  ['an error that is marked by a text', '{"content":"no such row","isError":"true"}', 'no such row', true],
])('a result whose content is %s is shown', LONG, async (_, given, text, isError) => {
  const toolkit = await ready({ fake: fake({ tools: ['raw'] }) })
  const call = toolkit.execute('mcp__fake__raw', { line: `{"jsonrpc":"2.0","id":$ID,"result":${given}}\n` })
  if (isError) expect((await failureOf(call)).message).toContain(text)
  else expect(textOf(await call)).toBe(text)
})

test('a batch over streams is read', LONG, async () => {
  const toolkit = await ready({ fake: fake({ tools: ['raw'] }) })
  const line = `[{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"R"}]}}]\n`
  expect(textOf(await toolkit.execute('mcp__fake__raw', { line }))).toBe('R')
})

test('a tool that is not valid is passed over and named; the others are there', LONG, async () => {
  const toolkit = await ready({ fake: fake({ tools: ['good', { name: 'bad', inputSchema: 5 }] }) })
  expect(mcpTools(toolkit)).toEqual(['mcp__fake__echo', 'mcp__fake__environment', 'mcp__fake__good'])
  expect(toolkit.mcp.status()[0]).toMatchObject({
    state: 'ready',
    error: '`tools[3]` (`bad`) was not taken: invalid type: integer `5`, expected an object.',
  })
})

test.each([
  ['an integer that is written with a fraction', { summary: '{"n":1.0}' }, { type: 'object', properties: { n: { type: 'integer' } } }, { n: 1 }],
  ['null', { summary: 'Nothing was found.', output: null }, { type: ['object', 'null'] }, null],
])('an output of an agent may be %s where the schema permits it', LONG, async (_, said, outputSchema, output) => {
  let runs = 0
  const toolkit = toolkitOf({}, { host: { runAgent: async () => (runs++, said as never) } })
  const { details } = await toolkit.execute('sessions_spawn', { task: 't', wait: 9, outputSchema })
  expect([details.status, details.result?.output, runs]).toEqual(['completed', output, 1])
})
