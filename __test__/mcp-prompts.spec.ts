// Prompts, completions, log messages and changes of single resources: what hosts serve over MCP beside tools, in both eras.

import { request } from 'node:http'

import { expect, test } from 'vitest'

import type { McpOptions, McpPrompt, Toolkit } from '../index.js'
import { askClient, logToClient } from '../mcp.js'
import { connected, ELICITS, eventually, headersOf, messagesOf, meta, modern, served } from './support/mcp.js'
import { toolkitOf } from './support/workspace.js'

const init = (capabilities: object = {}, protocolVersion = '2025-11-25') => ({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: { name: 'x', version: '1' } },
})
const legacy = (id: unknown, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
const CITIES = ['Paris', 'Parma', 'Porto']

const review: McpPrompt = {
  name: 'review',
  title: 'Review',
  description: 'Reviews a file.',
  arguments: [{ name: 'file', description: 'Which one.', required: true }, { name: 'tone' }],
  get: ({ file, tone = 'kind' }) => `Review ${file} in a ${tone} tone.`,
}
const travel: McpPrompt = {
  name: 'travel',
  arguments: [
    { name: 'city', complete: (value) => CITIES.filter((city) => city.startsWith(value)) },
    { name: 'street', complete: async (_value, { city }) => Array.from({ length: 120 }, (_, index) => `${city} ${index}`) },
  ],
  get: () => ({
    description: 'A journey.',
    messages: [{ role: 'assistant', content: 'Where to?' }, { content: { type: 'image', data: 'AQID', mimeType: 'image/png' } }],
  }),
}

/** What a modern and a legacy client get of the same request. */
async function bothOf(options: McpOptions, method: string, params: Record<string, unknown> = {}) {
  const { ask } = connected(toolkitOf() as Toolkit<any>, options)
  await ask(init())
  const { resultType, ttlMs, cacheScope, _meta, ...newer } = (await ask(modern('m', method, params))).result ?? {}
  const older = await ask(legacy('l', method, params))
  expect(newer).toEqual(older.result ?? {})
  return older
}

test('prompts of the host are listed without their functions, and are messages with their arguments', async () => {
  const options = { prompts: [review, travel] }
  expect((await bothOf(options, 'prompts/list')).result.prompts).toEqual([
    {
      name: 'review',
      title: 'Review',
      description: 'Reviews a file.',
      arguments: [{ name: 'file', description: 'Which one.', required: true }, { name: 'tone' }],
    },
    { name: 'travel', arguments: [{ name: 'city' }, { name: 'street' }] },
  ])
  expect((await bothOf(options, 'prompts/get', { name: 'review', arguments: { file: 'a.ts' } })).result).toEqual({
    messages: [{ role: 'user', content: { type: 'text', text: 'Review a.ts in a kind tone.' } }],
  })
  expect((await bothOf(options, 'prompts/get', { name: 'travel' })).result).toEqual({
    description: 'A journey.',
    messages: [
      { role: 'assistant', content: { type: 'text', text: 'Where to?' } },
      { role: 'user', content: { type: 'image', data: 'AQID', mimeType: 'image/png' } },
    ],
  })
})

test.for([
  ['an argument that is missing', { name: 'review' }, 'The prompt `review` needs the argument `file`.'],
  ['an argument that is no text', { name: 'review', arguments: { file: 1 } }, 'The argument `file` of the prompt `review` must be a text.'],
  ['arguments that are a list', { name: 'review', arguments: [] }, '`params.arguments` must be an object.'],
  ['a prompt that is not there', { name: 'none' }, 'There is no prompt `none`.'],
  ['a name of the prototype', { name: 'toString' }, 'There is no prompt `toString`.'],
  ['no name', {}, '`params.name` must be the name of a prompt.'],
] as const)('%s is a fault of the request', async ([, params, message]) => {
  expect((await bothOf({ prompts: [review] }, 'prompts/get', params)).error).toEqual({ code: -32602, message })
})

test('a prompt that returns nothing, or fails, is an error that says so', async () => {
  const fail = () => {
    throw new Error('the disk is full')
  }
  const { ask } = connected(toolkitOf() as Toolkit<any>, {
    prompts: [
      { name: 'empty', get: () => ({}) as any },
      { name: 'fails', get: fail },
    ],
  })
  expect((await ask(modern(1, 'prompts/get', { name: 'empty' }))).error).toMatchObject({ code: -32603, message: expect.stringContaining('prompt `empty`') })
  expect((await ask(modern(2, 'prompts/get', { name: 'fails' }))).error).toMatchObject({ code: -32603, message: expect.stringContaining('the disk is full') })
})

test.for([
  [{ name: 'x' }, 'function `get`'],
  [{ name: '', get: () => '' }, '`name`'],
  [{ name: 'x', arguments: [{}], get: () => '' }, '`arguments`'],
] as const)('a prompt that is none is refused where it is given: %j', ([prompt, said]) => {
  expect(() => connected(toolkitOf() as Toolkit<any>, { prompts: [prompt as any] })).toThrow(said)
  expect(() => connected(toolkitOf() as Toolkit<any>, { prompts: [review, review] })).toThrow('Two prompts are called `review`')
})

test('a server says what it has, and knows no method of what it has not', async () => {
  const { ask } = connected(toolkitOf({}, { tools: { allow: ['find'] } }) as Toolkit<any>)
  expect((await ask(init())).result.capabilities).toEqual({ tools: { listChanged: true }, logging: {} })
  for (const [index, method] of ['prompts/list', 'prompts/get', 'completion/complete', 'resources/subscribe', 'resources/list'].entries())
    expect((await ask(legacy(index, method))).error.code).toBe(-32601)
  const resources = [{ uri: 'a://b', name: 'b', read: () => '', watch: () => {} }]
  const all = connected(toolkitOf() as Toolkit<any>, { prompts: [travel], resources })
  expect((await all.ask(modern(1, 'server/discover'))).result.capabilities).toEqual({
    tools: { listChanged: true },
    logging: {},
    resources: { subscribe: true },
    prompts: {},
    completions: {},
  })
})

test('arguments of prompts and variables of templates are completed, by what is known of the others', async () => {
  const resources = [
    { uriTemplate: 'city://{name}', name: 'city', read: () => '', complete: { name: (value: string) => CITIES.filter((city) => city.includes(value)) } },
  ]
  const options = { prompts: [review, travel], resources }
  const of = async (ref: object, argument: object, context?: object) =>
    (await bothOf(options, 'completion/complete', { ref, argument, ...(context && { context }) })).result.completion
  const prompt = { type: 'ref/prompt', name: 'travel' }
  expect(await of(prompt, { name: 'city', value: 'Par' })).toEqual({ values: ['Paris', 'Parma'], total: 2, hasMore: false })
  const streets = await of(prompt, { name: 'street', value: '' }, { arguments: { city: 'Porto' } })
  expect({ ...streets, values: streets.values.length, first: streets.values[0] }).toEqual({ values: 100, first: 'Porto 0', total: 120, hasMore: true })
  expect(await of({ type: 'ref/prompt', name: 'review' }, { name: 'file', value: 'a' })).toEqual({ values: [], total: 0, hasMore: false })
  expect(await of({ type: 'ref/resource', uri: 'city://{name}' }, { name: 'name', value: 'or' })).toEqual({ values: ['Porto'], total: 1, hasMore: false })
  for (const params of [
    { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'a', value: '' } },
    { ref: { type: 'ref/resource', uri: 'none://' }, argument: { name: 'a', value: '' } },
    { ref: { type: 'ref/other' }, argument: { name: 'a', value: '' } },
    { ref: prompt, argument: { name: 'a' } },
    {},
  ])
    expect((await bothOf(options, 'completion/complete', params)).error.code).toBe(-32602)
})

test('a completion that is no list is named', async () => {
  const resources = [{ uriTemplate: 'city://{name}', name: 'city', read: () => '', complete: { name: () => 5 as any } }]
  const params = { ref: { type: 'ref/resource', uri: 'city://{name}' }, argument: { name: 'name', value: 'a' } }
  expect((await bothOf({ resources }, 'completion/complete', params)).error).toEqual({
    code: -32603,
    message: '`complete` returned a number; it must return a list of texts',
  })
})

test('a prompt and a resource may ask the user of the client: in a round more, or while they wait', async () => {
  const ask = async (context: any) => {
    const { action, content } = await askClient('elicitation/create', { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }, context)
    return action === 'accept' ? `for ${content?.who}` : 'for nobody'
  }
  const options: McpOptions = {
    prompts: [{ name: 'greet', get: (_args, context) => ask(context) }],
    resources: [{ uri: 'a://b', name: 'b', read: (_uri, _variables, context) => ask(context) }],
  }
  const client = connected(toolkitOf() as Toolkit<any>, options)
  for (const [method, params, result] of [
    ['prompts/get', { name: 'greet' }, { messages: [{ role: 'user', content: { type: 'text', text: 'for Ada' } }] }],
    ['resources/read', { uri: 'a://b' }, { contents: [{ uri: 'a://b', text: 'for Ada' }] }],
  ] as const) {
    const first = (await client.ask(modern(`${method} 1`, method, params, ELICITS))).result
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { input_1: { method: 'elicitation/create' } },
      requestState: expect.any(String),
    })
    const answers = { inputResponses: { input_1: { action: 'accept', content: { who: 'Ada' } } }, requestState: first.requestState }
    expect((await client.ask(modern(`${method} 2`, method, { ...params, ...answers }, ELICITS))).result).toMatchObject({ resultType: 'complete', ...result })
    // The state is for this request only.
    const other = method === 'prompts/get' ? { name: 'greet', arguments: { a: 'b' } } : { uri: 'a://c' }
    expect((await client.ask(modern(`${method} 3`, method, { ...other, ...answers }, ELICITS))).error.code).toBe(-32602)
    expect((await client.ask(modern(`${method} 4`, method, params))).error.code).toBe(-32021)
  }
  const older = connected(toolkitOf() as Toolkit<any>, options)
  await older.ask(init(ELICITS))
  older.send(legacy(1, 'prompts/get', { name: 'greet' }))
  const question = await older.until(({ method }) => method === 'elicitation/create')
  older.send({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { who: 'Bob' } } })
  expect((await older.until(({ id }) => id === 1)).result.messages[0].content.text).toBe('for Bob')
})

test('log messages go to clients that want them, as important as they say', async () => {
  const sent: boolean[] = []
  const tool = {
    name: 'talk',
    handler: (_params: object, context: any) => {
      for (const level of ['debug', 'info', 'error'] as const) sent.push(logToClient({ level, data: level, logger: 'talk' }, context))
      return 'done'
    },
  }
  const toolkit = toolkitOf({}, { customTools: [tool] }) as Toolkit<any>
  const { ask, messages } = connected(toolkit)
  const levels = () => messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => params.level)
  await ask(init())
  await ask(legacy(1, 'tools/call', { name: 'talk' }))
  expect(levels()).toEqual(['info', 'error'])
  expect(messages.find(({ method }) => method === 'notifications/message').params).toEqual({ level: 'info', logger: 'talk', data: 'info' })
  expect((await ask(legacy(2, 'logging/setLevel', { level: 'error' }))).result).toEqual({})
  await ask(legacy(3, 'tools/call', { name: 'talk' }))
  expect(levels().slice(2)).toEqual(['error'])
  expect((await ask(legacy(4, 'logging/setLevel', { level: 'loud' }))).error.code).toBe(-32602)
  // In 2026-07-28 a request says so for itself, or gets none.
  await ask(modern(5, 'tools/call', { name: 'talk' }))
  expect(levels()).toHaveLength(3)
  await ask({ jsonrpc: '2.0', id: 6, method: 'tools/call', params: { _meta: meta({}, { 'io.modelcontextprotocol/logLevel': 'debug' }), name: 'talk' } })
  expect(levels().slice(3)).toEqual(['debug', 'info', 'error'])
  // Where no client made the call there is no log.
  await toolkit.execute('talk', {})
  expect(sent.slice(-3)).toEqual([false, false, false])
  expect(() => logToClient({ level: 'loud' as any, data: '' }, { toolCallId: 'x' })).toThrow('`level` must be one of')
})

/** A resource that reports its changes. */
function watched() {
  const listeners = new Map<string, () => void>()
  const resource = {
    uriTemplate: 'notes://{id}',
    name: 'note',
    read: () => '',
    watch: (_uri: string, changed: () => void, { id }: Record<string, string>) => {
      listeners.set(id!, changed)
      return () => void listeners.delete(id!)
    },
  }
  return { resources: [resource, { uri: 'still://', name: 'still', read: () => '' }], listeners }
}

test('a client of 2026-07-28 learns in its stream that tools and resources changed, until it ends', async () => {
  const { resources, listeners } = watched()
  const toolkit = toolkitOf() as Toolkit<any>
  const { send, until, messages } = connected(toolkit, { resources })
  const wanted = { toolsListChanged: true, resourceSubscriptions: ['notes://1', 'notes://2', 'still://', 'none://', 'notes://1'] }
  send(modern('s', 'subscriptions/listen', { notifications: wanted }))
  const { params } = await until(({ method }) => method === 'notifications/subscriptions/acknowledged')
  expect(params.notifications).toEqual({ toolsListChanged: true, resourceSubscriptions: ['notes://1', 'notes://2'] })
  listeners.get('2')!()
  toolkit.registerTool({ name: 'more', handler: () => '' } as any)
  expect(await until(({ method }) => method === 'notifications/resources/updated')).toMatchObject({
    params: { uri: 'notes://2', _meta: { 'io.modelcontextprotocol/subscriptionId': 's' } },
  })
  await until(({ method }) => method === 'notifications/tools/list_changed')
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 's' } })
  await eventually(() => listeners.size === 0)
  expect(messages.filter(({ id }) => id === 's')).toEqual([])
})

test('a client of older revisions subscribes to single resources, and learns that tools changed', async () => {
  const { resources, listeners } = watched()
  const toolkit = toolkitOf() as Toolkit<any>
  const { ask, send, until, close } = connected(toolkit, { resources })
  await ask(init())
  send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect((await ask(legacy(1, 'resources/subscribe', { uri: 'notes://1' }))).result).toEqual({})
  expect((await ask(legacy(2, 'resources/subscribe', { uri: 'notes://1' }))).result).toEqual({})
  await ask(legacy(3, 'resources/subscribe', { uri: 'notes://2' }))
  for (const uri of ['still://', 'none://', 7]) expect((await ask(legacy(`${uri}`, 'resources/subscribe', { uri }))).error.code).toBe(-32602)
  listeners.get('1')!()
  expect(await until(({ method }) => method === 'notifications/resources/updated')).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri: 'notes://1' },
  })
  expect((await ask(legacy(4, 'resources/unsubscribe', { uri: 'notes://1' }))).result).toEqual({})
  expect((await ask(legacy(5, 'resources/unsubscribe', { uri: 'notes://7' }))).result).toEqual({})
  expect([...listeners.keys()]).toEqual(['2'])
  toolkit.registerTool({ name: 'more', handler: () => '' } as any)
  await until(({ method }) => method === 'notifications/tools/list_changed')
  close()
  expect(listeners.size).toBe(0)
})

test('over HTTP a session of an older revision has one stream for what belongs to no request', { timeout: 60_000 }, async () => {
  const { resources, listeners } = watched()
  const url = await served(toolkitOf() as Toolkit<any>, { resources, keepAliveMs: 50 })
  const sent = async (message: object, session?: string) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headersOf(message), ...(session && { 'mcp-session-id': session }) },
      body: JSON.stringify(message),
    })
    return { session: response.headers.get('mcp-session-id')!, messages: messagesOf(await response.text()) }
  }
  const { session } = await sent(init())
  const streamOf = (headers: Record<string, string>) =>
    new Promise<{ status: number; text: () => string; ended: Promise<void> }>((resolve, reject) => {
      const made = request(url, { headers: { accept: 'text/event-stream', ...headers } }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        resolve({ status: response.statusCode!, text: () => text, ended: new Promise((end) => response.once('close', end)) })
      })
      made.once('error', reject)
      made.end()
    })
  expect((await streamOf({})).status).toBe(405)
  expect((await streamOf({ 'mcp-session-id': 'none' })).status).toBe(404)
  const first = await streamOf({ 'mcp-session-id': session })
  expect(first.status).toBe(200)
  await sent(legacy(1, 'resources/subscribe', { uri: 'notes://1' }), session)
  await eventually(() => first.text().includes(': keep-alive'))
  listeners.get('1')!()
  await eventually(() => messagesOf(first.text()).some(({ method, params }) => method === 'notifications/resources/updated' && params.uri === 'notes://1'))
  // A client that connects again takes the place of itself.
  const second = await streamOf({ 'mcp-session-id': session })
  await first.ended
  listeners.get('1')!()
  await eventually(() => messagesOf(second.text()).length === 1)
  await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session } })
  await second.ended
  expect(listeners.size).toBe(0)
})
