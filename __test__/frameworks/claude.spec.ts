// `tenon/claude` in the Claude Agent SDK with its program, which a scripted model on the loopback interface drives.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { describe, expect, test } from 'vitest'

import { toCanUseTool, toClaudeOptions, toSdkMcpServer } from '../../claude.js'
import type { Toolkit } from '../../index.js'
import { mcpHost } from '../../mcp.js'
import { anthropicApi } from '../support/model-api.js'
import { FILES, packagesOf } from '../support/frameworks.js'
import { toolkitOf, workspaceOf } from '../support/workspace.js'

const packages = packagesOf('claude')

describe.skipIf(packages.missing)(`Claude Agent SDK (${packages.missing ?? 'installed'})`, () => {
  /** What the model is sent after it used this tool. */
  async function answerTo(tool: string, input: object, options: object) {
    const { query } = await import(
      /* @vite-ignore */ pathToFileURL(path.join((packages as any).directory, 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs')).href
    )
    const api = await anthropicApi({ tool, input })
    const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
    const env = {
      ...none,
      PATH: process.env.PATH,
      HOME: workspaceOf(),
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'none',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }
    for await (const message of query({ prompt: 'Go.', options: { ...options, env } })) if (message.type === 'result') expect(message.subtype).toBe('success')
    const results = api.requests
      .at(-1)
      .messages.flatMap(({ content }: any) => (Array.isArray(content) ? content : []))
      .filter(({ type }: any) => type === 'tool_result')
    return { api, result: results.at(-1) }
  }

  test('the model reads with our tool by the name that it knows', { timeout: 60_000 }, async () => {
    const workspace = workspaceOf(FILES)
    const toolkit = toolkitOf({}, { workspace, dialect: 'canonical' })
    const { api, result } = await answerTo('mcp__tenon__Read', { file_path: path.join(workspace, 'notes.txt') }, toClaudeOptions(toolkit))
    expect(JSON.stringify(result.content)).toContain('one')
    expect(toolkit.history()).toMatchObject([{ tool: 'Read', outcome: 'ok' }])
    const names = api.requests[0].tools.map(({ name }: any) => name)
    expect(names).toContain('mcp__tenon__Bash')
    expect(names).not.toContain('Bash')
  })

  test('its program works in the workspace, and settings that lie there are not loaded', { timeout: 60_000 }, async () => {
    const hook = { matcher: '*', hooks: [{ type: 'command', command: 'touch ran' }] }
    const settings = JSON.stringify({ hooks: { PreToolUse: [hook] } })
    const workspace = workspaceOf({ ...FILES, 'CLAUDE.md': 'remember the marmot', '.claude/settings.json': settings })
    const toolkit = toolkitOf({}, { workspace, dialect: 'canonical' })
    const { api, result } = await answerTo('mcp__tenon__Read', { file_path: path.join(workspace, 'notes.txt') }, toClaudeOptions(toolkit))
    const sent = JSON.stringify(api.requests)
    expect(JSON.stringify(result.content)).toContain('one')
    expect([sent.includes(`working directory: ${workspace}`), sent.includes('marmot'), existsSync(path.join(workspace, 'ran'))]).toEqual([true, false, false])
  })

  test.each([true, false])('what policy asks goes to the user: %s', { timeout: 60_000 }, async (isApproved) => {
    const workspace = workspaceOf(FILES)
    const toolkit = toolkitOf({}, { workspace, dialect: 'canonical', permissions: { ask: ['Edit'], allow: ['Read'] } })
    const asked: any[] = []
    const options = toClaudeOptions(toolkit, { ask: (request) => (asked.push(request), isApproved) })
    const { result } = await answerTo('mcp__tenon__Write', { file_path: path.join(workspace, 'notes.txt'), content: 'new\n' }, options)
    expect(asked).toMatchObject([{ tool: 'Write', preview: { diff: expect.stringContaining('+new') }, digest: expect.any(String) }])
    expect(readFileSync(path.join(workspace, 'notes.txt'), 'utf8')).toBe(isApproved ? 'new\n' : 'one\ntwo\n')
    if (!isApproved) expect(JSON.stringify(result)).toContain('did not approve')
  })
})

test('a user that is asked over MCP is the one of the call', async () => {
  const toolkit = toolkitOf(FILES, { permissions: { ask: ['Edit'] }, ...mcpHost })
  const { instance } = toSdkMcpServer(toolkit)
  const sent: any[] = []
  const transport: any = { start: async () => {}, send: async (message: any) => void sent.push(message) }
  await instance.connect(transport)
  const until = async (is: (message: any) => boolean) => {
    await expect.poll(() => sent.find(is), { timeout: 30_000 }).toBeDefined()
    return sent.find(is)
  }
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'x', version: '1' } }
  transport.onmessage({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  await until(({ id }) => id === 0)
  transport.onmessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write', arguments: { file_path: 'a', content: 'yes' } } })
  const asked = await until(({ method, id }) => method === 'elicitation/create' || id === 1)
  expect(asked).toMatchObject({ method: 'elicitation/create', params: { message: expect.stringContaining('+yes') } })
  transport.onmessage({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: { decision: 'once' } } })
  expect((await until(({ id, method }) => id === 1 && method === undefined)).result.content).toEqual([{ type: 'text', text: 'Successfully wrote to a' }])
})

/** What answers the calls that Claude Code makes of the server in this process. */
async function serverOf(toolkit: Toolkit<any>) {
  const { instance } = toSdkMcpServer(toolkit)
  const sent: any[] = []
  const transport: any = { start: async () => {}, send: async (message: any) => void sent.push(message) }
  await instance.connect(transport)
  return async (id: string, name: string, params: object) => {
    const _meta = { 'claudecode/toolUseId': id }
    transport.onmessage({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: params, _meta } })
    await expect.poll(() => sent.find((message) => message.id === id), { timeout: 30_000 }).toBeDefined()
    return sent.find((message) => message.id === id).result
  }
}

test('two calls that are alike are approved one by one, and have the ids of the model', async () => {
  const toolkit = toolkitOf(FILES, { permissions: { ask: ['Bash', 'Edit'] } })
  const can = toCanUseTool(toolkit, { ask: async (_, { toolUseID }) => toolUseID !== 'toolu_3' })
  const call = await serverOf(toolkit)
  const twice = { command: 'echo twice' }
  const answers = await Promise.all(['toolu_1', 'toolu_2', 'toolu_3'].map((toolUseID) => can('mcp__tenon__exec', twice, { toolUseID } as any)))
  expect(answers.map(({ behavior }) => behavior)).toEqual(['allow', 'allow', 'deny'])
  const results = await Promise.all(['toolu_2', 'toolu_1', 'toolu_4'].map((id) => call(id, 'exec', twice)))
  expect(results.map(({ isError = false }) => isError)).toEqual([false, false, true])
  await can('mcp__tenon__write', { file_path: 'new.txt', content: 'new' }, { toolUseID: 'toolu_5' } as any)
  await call('toolu_5', 'write', { file_path: 'new.txt', content: 'new' })
  expect(await toolkit.undo('toolu_5')).toEqual([{ path: 'new.txt', kind: 'delete' }])
})

test('what changes while the user is asked is not what they approved', async () => {
  const workspace = workspaceOf(FILES)
  const toolkit = toolkitOf({}, { workspace, permissions: { ask: ['Edit'] } })
  const ask = async () => (writeFileSync(path.join(workspace, 'notes.txt'), 'other\n'), true)
  const write = { file_path: 'notes.txt', content: 'new\n' }
  expect(await toCanUseTool(toolkit, { ask })('mcp__tenon__write', write, { toolUseID: 'toolu_1' } as any)).toMatchObject({ behavior: 'allow' })
  const call = await serverOf(toolkit)
  expect(await call('toolu_1', 'write', write)).toMatchObject({ isError: true })
  expect(readFileSync(path.join(workspace, 'notes.txt'), 'utf8')).toBe('other\n')
})

test('canUseTool says what policy says, and an approval counts for what was shown', async () => {
  const toolkit = toolkitOf(FILES, { permissions: { allow: ['Read'], ask: ['Edit'], deny: ['Bash(git push:*)'] } })
  const silent = toCanUseTool(toolkit)
  const can = toCanUseTool(toolkit, { ask: async (request) => request?.params.content === 'yes' })
  const context = { signal: new AbortController().signal, toolUseID: '1' }
  expect(await can('mcp__tenon__read', { file_path: 'notes.txt' }, context)).toMatchObject({ behavior: 'allow' })
  expect(await can('mcp__tenon__exec', { command: 'git push' }, context)).toMatchObject({
    behavior: 'deny',
    message: expect.stringContaining('Bash(git push:*)'),
  })
  expect(await can('mcp__tenon__write', { file_path: 'a', content: 'no' }, context)).toMatchObject({ behavior: 'deny' })
  expect(await can('Bash', {}, context)).toMatchObject({ behavior: 'deny' })

  const { instance } = toSdkMcpServer(toolkit)
  const sent: any[] = []
  const transport: any = { start: async () => {}, send: async (message: any) => void sent.push(message) }
  await instance.connect(transport)
  const call = async (id: number, params: object) => {
    transport.onmessage({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'write', arguments: params } })
    await expect.poll(() => sent.find((message) => message.id === id), { timeout: 30_000 }).toBeDefined()
    return sent.find((message) => message.id === id).result
  }
  const yes = { file_path: 'a', content: 'yes' }
  await can('mcp__tenon__write', yes, context)
  expect(await call(1, yes)).not.toHaveProperty('isError')
  // Once.
  expect(await call(2, yes)).toMatchObject({ isError: true })
  // Nobody was asked there.
  expect(await silent('mcp__tenon__write', { file_path: 'b', content: 'yes' }, context)).toMatchObject({ behavior: 'allow' })
  expect(await call(3, { file_path: 'b', content: 'yes' })).toMatchObject({ isError: true })
  // What was refused stays refused.
  expect(await call(4, { file_path: 'a', content: 'no' })).toMatchObject({ isError: true })
})
