// Outputs that are too long for a result, as resources of the MCP server.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'

import type { Dialect, Toolkit } from '../index.js'
import { connected, modern, served } from './support/mcp.js'
import { toolkitOf } from './support/workspace.js'

const LINK = { type: 'resource_link', uri: 'output://1', name: 'output://1', title: 'The whole output', mimeType: 'text/plain' }
const NUMBERS = 'for i in $(seq 1 20000); do echo "line $i"; done'
const exec = (id: unknown, command: string) => modern(id, 'tools/call', { name: 'exec', arguments: { command } })

test('a result that leaves something out links to all of it, which is read page by page', { timeout: 60_000 }, async () => {
  const { ask } = connected(toolkitOf() as Toolkit<any>, { links: true })
  const discovered = (await ask(modern('d', 'server/discover'))).result
  expect(discovered.capabilities).toEqual({ tools: { listChanged: true }, logging: {}, resources: {} })
  expect((await ask(exec(1, 'echo short'))).result.content).toEqual([{ type: 'text', text: expect.stringContaining('short') }])
  const { content } = (await ask(exec(2, NUMBERS))).result
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('line 20000') }, LINK])
  const templates = (await ask(modern(3, 'resources/templates/list'))).result.resourceTemplates
  expect(templates).toMatchObject([{ uriTemplate: 'output://{number}{?offset}', name: 'output', mimeType: 'text/plain' }])
  const lines: string[] = []
  let uri: string | undefined = LINK.uri
  let pages = 0
  while (uri) {
    const [page]: any[] = (await ask(modern(`page ${uri}`, 'resources/read', { uri }))).result.contents
    expect(page).toMatchObject({ uri, mimeType: 'text/plain' })
    lines.push(...page.text.match(/^line \d+$/gm))
    uri = page._meta?.['tenon/next']
    if (uri) expect(page.text).toContain(`[Next page: ${uri}]`)
    pages += 1
  }
  expect(pages).toBeGreaterThan(2)
  expect(lines).toEqual(Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`))
})

test('a page that is not there is refused with the reason', async () => {
  const { ask } = connected(toolkitOf() as Toolkit<any>, { links: true })
  expect((await ask(modern(1, 'resources/read', { uri: 'output://7' }))).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining('output://7'),
    data: { uri: 'output://7' },
  })
  expect((await ask(modern(2, 'resources/read', { uri: 'output://1?offset=0' }))).error).toMatchObject({
    code: -32602,
    message: '`offset` must be the number of a line, from 1 on.',
  })
  expect((await ask(modern(3, 'resources/read', { uri: 'output://../etc/passwd' }))).error).toMatchObject({
    code: -32602,
    message: 'There is no resource `output://../etc/passwd`.',
  })
})

test('what rules forbid to read is no resource, and toolkits without commands have none', async () => {
  const none = connected(toolkitOf({}, { tools: { deny: ['exec', 'process'] } }) as Toolkit<any>)
  expect((await none.ask(modern(1, 'server/discover'))).result.capabilities).toEqual({ tools: { listChanged: true }, logging: {} })
  const blind = connected(toolkitOf({}, { tools: { deny: ['read'] } }) as Toolkit<any>)
  expect((await blind.ask(modern(1, 'server/discover'))).result.capabilities).toEqual({ tools: { listChanged: true }, logging: {} })
})

test.for(['canonical', 'coder'] as Dialect[])('so it is in the vocabulary %s', { timeout: 60_000 }, async (dialect) => {
  const toolkit = toolkitOf({}, { dialect }) as Toolkit<any>
  const tool = toolkit.listTools().find(({ metadata }) => (metadata as any).operation === 'execute')!
  const { ask } = connected(toolkit, { links: true })
  const { content } = (await ask(modern(1, 'tools/call', { name: tool.name, arguments: { command: NUMBERS } }))).result
  expect(content.at(-1)).toEqual(LINK)
  expect((await ask(modern(2, 'resources/read', { uri: LINK.uri }))).result.contents[0].text).toContain('line 1\n')
})

test('clients of revisions that know no links get none', { timeout: 60_000 }, async () => {
  for (const [revision, links] of [
    ['2025-03-26', false],
    ['2025-06-18', true],
  ] as const) {
    const { ask } = connected(toolkitOf() as Toolkit<any>, { links: true })
    await ask({
      jsonrpc: '2.0',
      id: 'i',
      method: 'initialize',
      params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })
    const { content } = (await ask({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'exec', arguments: { command: NUMBERS } } })).result
    expect([revision, content.some(({ type }: any) => type === 'resource_link')]).toEqual([revision, links])
  }
})

test('only clients that show links get them by themselves', { timeout: 60_000 }, async () => {
  for (const [name, links] of [
    ['claude-code', true],
    ['Visual Studio Code', true],
    ['langchain-mcp-adapter', false],
    ['mcp', false],
  ] as const) {
    const clientInfo = { name, version: '1' }
    const { ask } = connected(toolkitOf() as Toolkit<any>)
    await ask({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })
    const { content } = (await ask({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'exec', arguments: { command: NUMBERS } } })).result
    expect([name, content]).toEqual([name, [{ type: 'text', text: expect.stringContaining('Full output: `output://1`') }, ...(links ? [LINK] : [])]])
    const modernCall: any = exec(2, NUMBERS)
    modernCall.params._meta['io.modelcontextprotocol/clientInfo'] = clientInfo
    const { ask: askModern } = connected(toolkitOf() as Toolkit<any>)
    expect([name, (await askModern(modernCall)).result.content.length]).toEqual([name, links ? 2 : 1])
  }
})

test('a client that wants the content only gets no link, and the text says where all of it is', { timeout: 60_000 }, async () => {
  const { ask } = connected(toolkitOf() as Toolkit<any>, { contentOnly: true })
  const { result } = await ask(exec(1, NUMBERS))
  expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining('Full output: `output://1`') }])
})

test('a client of the official SDK follows the link', { timeout: 60_000 }, async () => {
  const client = new Client({ name: 'client', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(await served(toolkitOf() as Toolkit<any>, { links: true })))
  onTestFinished(() => client.close())
  const { content }: any = await client.callTool({ name: 'exec', arguments: { command: NUMBERS } })
  const link = content.find(({ type }: any) => type === 'resource_link')
  const { contents }: any = await client.readResource({ uri: link.uri })
  expect(contents[0].text).toMatch(/^line 1\n/)
})
