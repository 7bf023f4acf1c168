// The official SDK, versions 1 and 2: its clients against the servers of this package, and the tools in its servers.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js'
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { z } from 'zod'

import type { Toolkit } from '../index.js'
import { mcpHost, registerTools } from '../mcp.js'
import { mcpSuite } from '../scripts/mcp-suite.mjs'
import { eventually, served } from './support/mcp.js'
import { ROOT } from './support/run.js'
import { isAlive, toolkitOf, workspaceOf } from './support/workspace.js'

const BIN = path.join(ROOT, 'bin/tenon.js')
const LIMIT_MS = 60_000
const LINES = 'the first line\nthe second line\n'
const write = { name: 'write', arguments: { file_path: 'a.txt', content: 'new\n' } }
const accepted = (decision: string) => ({ action: 'accept' as const, content: { decision } })

/** A module of version 2; the test is skipped with the reason where it is not installed. */
async function sdk2(name: string, { skip }: TestContext): Promise<any> {
  const found = mcpSuite()
  if ('missing' in found) return skip(found.missing)
  return import(/* @vite-ignore */ pathToFileURL(path.join(found.modules, '@modelcontextprotocol', name)).href)
}

/** Version 2 negotiates in each of these ways. */
const MODES = ['legacy', 'auto', { pin: '2026-07-28' }] as const

/** A client of version 2 in a mode, that answers forms. */
async function client2(mode: unknown, context: TestContext, answer: (params: any) => any = () => ({ action: 'decline' })) {
  const { Client } = await sdk2('client/dist/index.mjs', context)
  const client = new Client({ name: 'client', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } })
  client.setRequestHandler('elicitation/create', ({ params }: any) => answer(params))
  onTestFinished(() => client.close())
  return client
}

test.for(MODES)(
  'over streams, version 2 of the client in the mode %j reads, and gets the text and the details apart',
  { timeout: LIMIT_MS },
  async (mode, context) => {
    const workspace = workspaceOf({ 'notes.txt': LINES })
    const client = await client2(mode, context)
    const { StdioClientTransport } = await sdk2('client/dist/stdio.mjs', context)
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', '--workspace', workspace] }))
    const { tools } = await client.listTools()
    expect(tools.find(({ name }: any) => name === 'read')).toMatchObject({ _meta: { 'anthropic/alwaysLoad': true } })
    const result = await client.callTool({ name: 'read', arguments: { file_path: 'notes.txt' } })
    expect(result).toMatchObject({ content: [{ type: 'text', text: LINES }], _meta: { 'tenon/details': { path: 'notes.txt', lines: 2 } } })
    expect(result).not.toHaveProperty('structuredContent')
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28')
  },
)

test.for(MODES)('version 2 of the client in the mode %j asks its user whether a call may run', { timeout: LIMIT_MS }, async (mode, context) => {
  const workspace = workspaceOf({ 'a.txt': 'old\n' })
  const messages: string[] = []
  const answers = [accepted('never'), accepted('once')]
  const client = await client2(mode, context, ({ message }) => (messages.push(message), answers.pop()))
  const { StdioClientTransport } = await sdk2('client/dist/stdio.mjs', context)
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', '--workspace', workspace, '--approvals', 'elicit'] }))
  expect(await client.callTool(write)).toMatchObject({ content: [{ type: 'text' }] })
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('new\n')
  const refused = await client.callTool({ name: 'exec', arguments: { command: 'rm a.txt' } })
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('The user declined') }] })
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(true)
  expect(messages).toEqual([expect.stringMatching(/Allow `write`\?.*-old\n\+new/s), expect.stringMatching(/Allow `exec`\?.*Runs: rm a\.txt/s)])
})

test.for(MODES)(
  'over HTTP, version 2 of the client in the mode %j calls, gets progress, cancels and asks its user',
  { timeout: LIMIT_MS },
  async (mode, context) => {
    const workspace = workspaceOf()
    const client = await client2(mode, context, () => accepted('always'))
    const { StreamableHTTPClientTransport } = await sdk2('client/dist/index.mjs', context)
    const url = await served(toolkitOf({}, { workspace, ...mcpHost }) as Toolkit<any>)
    await client.connect(new StreamableHTTPClientTransport(url))
    expect(await client.callTool(write)).toMatchObject({ content: [{ type: 'text' }] })
    const abort = new AbortController()
    const updates: string[] = []
    const command = 'echo $$ > pid; echo begun; exec sleep 60'
    const call = client.callTool(
      { name: 'exec', arguments: { command } },
      { signal: abort.signal, onprogress: ({ message }: any) => void updates.push(message) },
    )
    const failed = expect(call).rejects.toThrow()
    await eventually(() => updates.includes('begun'))
    abort.abort()
    await failed
    const pid = Number(readFileSync(path.join(workspace, 'pid'), 'utf8'))
    await eventually(() => !isAlive(pid))
  },
)

/** What a host serves beside tools, and what changes its resource. */
function beside() {
  const listeners = new Set<() => void>()
  const names = ['style', 'spelling']
  return {
    options: {
      prompts: [
        {
          name: 'review',
          description: 'Reviews.',
          arguments: [{ name: 'of', complete: (value: string) => names.filter((name) => name.startsWith(value)) }],
          get: ({ of = 'all' }) => `Review ${of}.`,
        },
      ],
      resources: [
        {
          uri: 'notes://one',
          name: 'one',
          read: () => 'first',
          watch: (_uri: string, changed: () => void) => {
            listeners.add(changed)
            return () => void listeners.delete(changed)
          },
        },
      ],
    },
    change: () => listeners.forEach((changed) => changed()),
    listeners,
  }
}

/** What clients of both versions do with it, the same way. */
async function usesIt(client: any) {
  expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'review', arguments: [{ name: 'of' }] }])
  expect((await client.getPrompt({ name: 'review', arguments: { of: 'style' } })).messages).toMatchObject([
    { role: 'user', content: { text: 'Review style.' } },
  ])
  const argument = { name: 'of', value: 'st' }
  expect((await client.complete({ ref: { type: 'ref/prompt', name: 'review' }, argument })).completion.values).toEqual(['style'])
  expect((await client.readResource({ uri: 'notes://one' })).contents).toMatchObject([{ text: 'first' }])
}

test('over HTTP, version 1 of the client gets prompts and completions, and learns of changes by its stream', { timeout: LIMIT_MS }, async () => {
  const { options, change, listeners } = beside()
  const toolkit = toolkitOf() as Toolkit<any>
  const url = await served(toolkit, options)
  const client = new Client1({ name: 'client', version: '1.0.0' })
  const seen: string[] = []
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void seen.push(params.uri))
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void seen.push('tools'))
  await client.connect(new StreamableHTTPClientTransport(url) as any)
  onTestFinished(() => client.close())
  await usesIt(client)
  await client.setLoggingLevel('warning')
  await client.subscribeResource({ uri: 'notes://one' })
  await eventually(() => (change(), seen.includes('notes://one')))
  toolkit.registerTool({ name: 'more', handler: () => '' } as any)
  await eventually(() => seen.includes('tools'))
  await client.unsubscribeResource({ uri: 'notes://one' })
  expect(listeners.size).toBe(0)
})

test.for(MODES)(
  'over HTTP, version 2 of the client in the mode %j gets prompts and completions, and learns of changes',
  { timeout: LIMIT_MS },
  async (mode, context) => {
    const { options, change, listeners } = beside()
    const toolkit = toolkitOf() as Toolkit<any>
    const client = await client2(mode, context)
    const seen: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }: any) => void seen.push(params.uri))
    client.setNotificationHandler('notifications/tools/list_changed', () => void seen.push('tools'))
    const { StreamableHTTPClientTransport } = await sdk2('client/dist/index.mjs', context)
    await client.connect(new StreamableHTTPClientTransport(await served(toolkit, options)))
    await usesIt(client)
    const subscription = mode === 'legacy' ? undefined : await client.listen({ toolsListChanged: true, resourceSubscriptions: ['notes://one'] })
    if (!subscription) await client.subscribeResource({ uri: 'notes://one' })
    await eventually(() => (change(), seen.includes('notes://one')))
    toolkit.registerTool({ name: 'more', handler: () => '' } as any)
    await eventually(() => seen.includes('tools'))
    await (subscription ? subscription.close() : client.unsubscribeResource({ uri: 'notes://one' }))
    await eventually(() => listeners.size === 0)
  },
)

/** A client of version 1 that is connected to a server of version 1. */
async function client1(server: Server1 | McpServer1, answer: (params: any) => any = () => ({ action: 'decline' })): Promise<Client1> {
  const [one, other] = InMemoryTransport.createLinkedPair()
  const client = new Client1({ name: 'client', version: '1.0.0' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params))
  await Promise.all([server.connect(one), client.connect(other)])
  onTestFinished(() => client.close())
  return client
}

test.for(['Server', 'McpServer'])(
  'the tools in a %s of version 1: lists, calls, failures, approvals, progress and abort',
  { timeout: LIMIT_MS },
  async (kind) => {
    const workspace = workspaceOf({ 'a.txt': 'old\n' })
    const toolkit = toolkitOf({}, { workspace, ...mcpHost }) as Toolkit<any>
    const server = kind === 'Server' ? new Server1({ name: 's', version: '1' }, { capabilities: {} }) : new McpServer1({ name: 's', version: '1' })
    if (server instanceof McpServer1)
      server.registerTool('own', { inputSchema: { word: z.string() } }, ({ word }) => ({ content: [{ type: 'text', text: word }] }))
    registerTools(server, toolkit)
    const answers = [accepted('always'), { action: 'decline' }, accepted('once')]
    const client = await client1(server, () => answers.pop())

    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual([...toolkit.listTools().map(({ name }) => name), ...(kind === 'McpServer' ? ['own'] : [])])
    if (kind === 'McpServer') expect(await client.callTool({ name: 'own', arguments: { word: 'mine' } })).toMatchObject({ content: [{ text: 'mine' }] })
    expect(await client.callTool(write)).toMatchObject({ content: [{ type: 'text' }], _meta: { 'tenon/details': { path: 'a.txt' } } })
    expect(await client.callTool({ name: 'write', arguments: { file_path: 'b.txt', content: '' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('the user declined it') }],
    })
    expect(await client.callTool({ name: 'read', arguments: { file_path: 'none' } })).toMatchObject({
      isError: true,
      _meta: { 'tenon/error_type': 'not_found' },
    })
    await expect(
      client.callTool({ name: 'nope' }).then((result) => {
        if (result.isError) throw new Error('isError')
      }),
    ).rejects.toThrow()

    const abort = new AbortController()
    const updates: string[] = []
    const call = client.callTool({ name: 'exec', arguments: { command: 'echo $$ > pid; echo begun; exec sleep 60' } }, undefined, {
      signal: abort.signal,
      onprogress: ({ message }) => void updates.push(message ?? ''),
    })
    const failed = expect(call).rejects.toThrow()
    await eventually(() => updates.includes('begun'))
    abort.abort()
    await failed
    const pid = Number(readFileSync(path.join(workspace, 'pid'), 'utf8'))
    await eventually(() => !isAlive(pid))

    let changes = 0
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1))
    toolkit.registerTool({ name: 'late', handler: () => 1 })
    await eventually(() => changes === 1)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('late')
  },
)

test('only some of the tools are registered where the host says so; what is no server is refused', async () => {
  const server = new Server1({ name: 's', version: '1' }, { capabilities: {} })
  registerTools(server, toolkitOf() as Toolkit<any>, { tools: ['read', 'ls'] })
  const client = await client1(server)
  expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual(['ls', 'read'])
  await expect(client.callTool({ name: 'exec', arguments: { command: 'true' } })).rejects.toThrow('`exec`')
  expect(() => registerTools({} as any, toolkitOf() as Toolkit<any>)).toThrow('`McpServer`')
  expect(() => registerTools(server, {} as any)).toThrow('toolkit')
})

test.for(MODES)('the tools in a server of version 2, with a client in the mode %j', { timeout: LIMIT_MS }, async (mode, context) => {
  const workspace = workspaceOf({ 'a.txt': 'old\n' })
  const toolkit = toolkitOf({}, { workspace, ...mcpHost }) as Toolkit<any>
  const { McpServer, createMcpHandler } = await sdk2('server/dist/index.mjs', context)
  const { StreamableHTTPClientTransport } = await sdk2('client/dist/index.mjs', context)
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('own', { description: 'x' }, () => ({ content: [{ type: 'text', text: 'mine' }] }))
    registerTools(server, toolkit, { stateKey: 'the same in every instance' })
    return server
  })
  onTestFinished(() => handler.close())
  const client = await client2(mode, context, () => accepted('once'))
  const fetch = (url: any, init: any) => handler.fetch(new Request(url, init))
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
  expect((await client.listTools()).tools.map(({ name }: any) => name)).toEqual(expect.arrayContaining(['read', 'write', 'own']))
  expect(await client.callTool({ name: 'own', arguments: {} })).toMatchObject({ content: [{ text: 'mine' }] })
  expect(await client.callTool({ name: 'read', arguments: { file_path: 'a.txt' } })).toMatchObject({ content: [{ type: 'text', text: 'old\n' }] })
  const written = await client.callTool(write)
  // Without a session the older revisions have no way to ask.
  if (mode === 'legacy') return expect(written).toMatchObject({ isError: true })
  expect(written).toMatchObject({ content: [{ type: 'text' }] })
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('new\n')
})

test.for(MODES)('a client of version 2 in the mode %j is registered: its tools are tools of the toolkit', { timeout: LIMIT_MS }, async (mode, context) => {
  const workspace = workspaceOf({ 'a.txt': 'old\n' })
  const client = await client2(mode, context)
  const { StreamableHTTPClientTransport } = await sdk2('client/dist/index.mjs', context)
  const served2 = toolkitOf({}, { workspace })
  await client.connect(new StreamableHTTPClientTransport(await served(served2 as Toolkit<any>)))
  const toolkit = toolkitOf({}, { permissions: { defaultMode: 'ask', allow: ['mcp__far__read(file_path:a.txt)', 'mcp__far__exec'] } })
  await toolkit.registerMcpClient(client, { id: 'far' })
  expect(toolkit.mcp.status()).toMatchObject([{ id: 'far', state: 'ready', server: { name: 'tenon' } }])
  expect(await toolkit.execute('mcp__far__read', { file_path: 'a.txt' })).toMatchObject({ content: [{ type: 'text', text: 'old\n' }] })
  await expect(toolkit.execute('mcp__far__read', { file_path: 'b.txt' })).rejects.toMatchObject({ error_type: 'permission_denied' })
  const updates: string[] = []
  const result = await toolkit.execute(
    'mcp__far__exec',
    { command: 'echo one; sleep 1; echo two' },
    { onUpdate: ({ content }: any) => void updates.push(content[0].text) },
  )
  expect(result.content[0]).toMatchObject({ text: expect.stringContaining('two') })
  expect(updates.join()).toContain('one')
  const abort = new AbortController()
  const call = toolkit.execute('mcp__far__exec', { command: 'echo $$ > pid; exec sleep 60' }, { signal: abort.signal })
  const failed = expect(call).rejects.toMatchObject({ error_type: 'aborted' })
  await eventually(() => existsSync(path.join(workspace, 'pid')))
  abort.abort()
  await failed
  await eventually(() => !isAlive(Number(readFileSync(path.join(workspace, 'pid'), 'utf8'))))
  // What the other side offers changes; to clients of older revisions it reports no changes.
  served2.registerTool({ name: 'later', handler: () => 'now' })
  if (mode !== 'legacy') await eventually(() => toolkit.getTool('mcp__far__later') !== undefined)
})
