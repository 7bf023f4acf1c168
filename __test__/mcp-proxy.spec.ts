// `tenon mcp --servers`: servers of others behind one policy, for any client.

import path from 'node:path'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'

import { FAKE, LONG, textOf } from './support/mcp-servers.js'
import { ROOT, run } from './support/run.js'
import { workspaceOf } from './support/workspace.js'

const BIN = path.join(ROOT, 'bin/tenon.js')
const tool = (name: string, properties: object = {}) => ({ name, description: `The tool ${name}.`, inputSchema: { type: 'object', properties } })
const program = (tools: object[]) => ({ command: process.execPath, args: [FAKE, JSON.stringify({ tools })] })
const TOOLS = [tool('list'), tool('remove'), tool('drop', { table: { type: 'string' } })]

/** A client of the official SDK, with what its user was asked. */
async function clientOf(args: string[]) {
  const client = new Client({ name: 'x', version: '1' }, { capabilities: { elicitation: {} } })
  const asked: string[] = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { decision: params.message.includes('no') ? 'never' : 'once' } }
  })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', ...args], stderr: 'inherit' }))
  onTestFinished(() => client.close())
  return { client, asked }
}

test.each([
  ['.mcp.json', (server: object) => JSON.stringify({ mcpServers: { db: server } })],
  ['mcp.json', (server: object) => JSON.stringify({ servers: { db: { type: 'stdio', ...server } } })],
  ['config.toml', ({ command, args }: any) => `[mcp_servers.db]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`],
] as const)('the servers of %s are served under the rules, and their user approves', LONG, async (name, textOfFile) => {
  const settings = JSON.stringify({ permissions: { allow: ['mcp__db__list'], ask: ['mcp__db__drop'], deny: ['mcp__db__remove'] } })
  const directory = workspaceOf({ [name]: textOfFile(program(TOOLS)), 'policy.json': settings })
  const file = path.join(directory, name)
  const workspace = workspaceOf()
  const args = ['--workspace', workspace, '--servers', file, '--only', 'mcp__db', '--settings', path.join(directory, 'policy.json'), '--approvals', 'elicit']
  const { client, asked } = await clientOf(args)
  const { tools } = await client.listTools()
  // The fake has two tools of its own.
  expect(tools.map(({ name }) => name).sort()).toEqual(['drop', 'echo', 'environment', 'list', 'remove'].map((name) => `mcp__db__${name}`))
  const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name: `mcp__db__${name}`, arguments: args })
  expect(textOf(await call('list'))).toBe('list: {}')
  expect(await call('remove')).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('mcp__db__remove') }] })
  expect(textOf(await call('drop', { table: 'old' }))).toBe('drop: {"table":"old"}')
  expect(await call('drop', { table: 'no' })).toMatchObject({ isError: true })
  expect(asked).toHaveLength(2)
})

test('a server that does not start is named, and the others are served', LONG, async () => {
  const servers = { mcpServers: { db: program([tool('list')]), gone: { command: '/nowhere/server' } } }
  const directory = workspaceOf({ 'servers.json': JSON.stringify(servers) })
  const { client } = await clientOf(['--workspace', workspaceOf(), '--servers', path.join(directory, 'servers.json')])
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['read', 'mcp__db__list']))
})

test.each([
  ['none.json', undefined, 'cannot be read'],
  ['other.json', '{"a":1}', 'names no MCP servers'],
  ['broken.json', '{"mcpServers": ', 'broken.json'],
  ['half.json', '{"a":', 'is not valid JSON'],
])('the file %s is a usage error that says why', async (name, text, said) => {
  const directory = workspaceOf(text === undefined ? {} : { [name]: text })
  const ended = await run(process.execPath, [BIN, 'mcp', '--servers', path.join(directory, name)], { cwd: directory })
  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) })
})

/** A client of a server that asks with this form, and what its user fills in. */
async function askedClient(capabilities: object, answer: (params: any) => any) {
  const servers = { mcpServers: { db: program([tool('asks-so')]) } }
  const directory = workspaceOf({ 'servers.json': JSON.stringify(servers) })
  const client = new Client({ name: 'x', version: '1' }, { capabilities })
  if ('elicitation' in capabilities) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params))
  const args = ['--workspace', workspaceOf(), '--servers', path.join(directory, 'servers.json'), '--only', 'mcp__db']
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', ...args], stderr: 'inherit' }))
  onTestFinished(() => client.close())
  return async (requestedSchema: object) => JSON.parse(textOf(await client.callTool({ name: 'mcp__db__asks-so', arguments: { requestedSchema } })))
}

// Forms named no call, so that no client was found for them and all were declined.
test('the form of a server reaches the user of the client as it is, and the answer the server', LONG, async () => {
  const requestedSchema = {
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 2 },
      count: { type: 'integer', minimum: 1 },
      kinds: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    },
    required: ['city'],
  }
  const seen: any[] = []
  const ask = await askedClient({ elicitation: {} }, (params) => (seen.push(params), { action: 'accept', content: { city: 'Rome', count: 2, kinds: ['b'] } }))
  expect(await ask(requestedSchema)).toEqual({ action: 'accept', content: { city: 'Rome', count: 2, kinds: ['b'] } })
  expect(seen).toEqual([{ message: '`db`: Fill in.', requestedSchema }])
})

test('what a user declines, and what does not fit the form, is declined', LONG, async () => {
  const requestedSchema = { type: 'object', properties: { city: { type: 'string', minLength: 2 } }, required: ['city'] }
  const answers: any[] = [{ action: 'decline' }, { action: 'accept', content: { city: 'R' } }, { action: 'accept', content: {} }]
  const ask = await askedClient({ elicitation: {} }, () => answers.shift())
  for (const _ of [1, 2, 3]) expect(await ask(requestedSchema)).toEqual({ action: 'decline' })
})

test('a client without elicitation declines the form of a server', LONG, async () => {
  const ask = await askedClient({}, () => expect.unreachable())
  expect(await ask({ type: 'object', properties: { city: { type: 'string' } } })).toEqual({ action: 'decline' })
})

/** A client that reads the structured content of a server got none once this stood between. */
test('what a server declares and returns in structure arrives', LONG, async () => {
  const outputSchema = { type: 'object' as const, properties: { answer: { type: 'number' } }, required: ['answer'] }
  const servers = { mcpServers: { db: program([{ ...tool('both'), outputSchema }, tool('structured')]) } }
  const directory = workspaceOf({ 'servers.json': JSON.stringify(servers) })
  const { client } = await clientOf(['--workspace', workspaceOf(), '--servers', path.join(directory, 'servers.json'), '--only', 'mcp__db'])
  const { tools } = await client.listTools()
  const schemas = Object.fromEntries(tools.map((listed) => [listed.name, listed.outputSchema]))
  expect(schemas).toMatchObject({ mcp__db__both: outputSchema, mcp__db__structured: undefined })
  const { content, structuredContent } = await client.callTool({ name: 'mcp__db__both', arguments: {} })
  expect({ content, structuredContent }).toEqual({ content: [{ type: 'text', text: 'forty-two' }], structuredContent: { answer: 42 } })
  // The server did not say that it answers so.
  expect((await client.callTool({ name: 'mcp__db__structured', arguments: {} })).structuredContent).toBe(undefined)
})
