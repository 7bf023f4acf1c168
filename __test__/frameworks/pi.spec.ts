// `tenon/pi` in an agent of pi, whose scripted provider makes the calls.

import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { describe, expect, test } from 'vitest'

import { piAgents, toBeforeToolCall, toPiTools } from '../../pi.js'
import { FILES, packagesOf } from '../support/frameworks.js'
import { toolkitOf } from '../support/workspace.js'

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }
const model: any = {
  id: 'm',
  name: 'm',
  api: 'scripted',
  provider: 'scripted',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: {},
  contextWindow: 1,
  maxTokens: 1,
}

const newest = packagesOf('pi')
const imported = (name: string): Promise<any> =>
  import(/* @vite-ignore */ pathToFileURL(path.join((newest as any).directory, 'node_modules/@earendil-works', name, 'dist/index.js')).href)
const VERSIONS: [name: string, missing: string | undefined, load: () => Promise<any[]>][] = [
  ['0.87', undefined, () => Promise.all([import('pi-agent-core-0.87'), import('pi-ai-0.87')])],
  ['1.6', newest.missing, () => Promise.all([imported('pi-agent-core'), imported('pi-ai')])],
]

/** The results of these calls, by their ids. */
async function resultsOf(load: () => Promise<any[]>, calls: readonly (readonly [id: string, name: string, input: object])[], options: object) {
  const [{ Agent }, { createAssistantMessageEventStream }] = (await load()) as [any, any]
  const streamFn: any = (_: unknown, context: any) => {
    const isDone = context.messages.at(-1).role === 'toolResult'
    const content = isDone ? [{ type: 'text', text: 'done' }] : calls.map(([id, name, input]) => ({ type: 'toolCall', id, name, arguments: input }))
    const message: any = {
      role: 'assistant',
      content,
      api: 'scripted',
      provider: 'scripted',
      model: 'm',
      usage,
      stopReason: isDone ? 'stop' : 'toolUse',
      timestamp: 0,
    }
    const stream = createAssistantMessageEventStream()
    queueMicrotask(() => {
      stream.push({ type: 'done', reason: message.stopReason, message })
      stream.end(message)
    })
    return stream
  }
  const { tools, ...more } = options as any
  const agent = new Agent({ streamFn, initialState: { model, systemPrompt: '', tools }, ...more })
  await agent.prompt('Go.')
  const results = agent.state.messages.filter(({ role }: any) => role === 'toolResult') as any[]
  return Object.fromEntries(
    results.map(({ toolCallId, content, isError }) => [toolCallId, [isError, content.map(({ text, type }: any) => text ?? type).join('')]]),
  )
}

describe.each(VERSIONS)('pi %s', (_, missing, load) => {
  test.skipIf(missing)('an agent gets texts, images and errors, by the names that were asked for', async () => {
    const results = await resultsOf(
      load,
      [
        ['1', 'read', { file_path: 'notes.txt' }],
        ['2', 'read', { file_path: 'dot.png' }],
        ['3', 'read', { file_path: 'none.txt' }],
        ['4', 'bash', { command: 'echo hello' }],
      ],
      {
        tools: toPiTools(toolkitOf(FILES), { rename: { exec: 'bash' } }),
      },
    )
    expect(results).toEqual({
      1: [false, 'one\ntwo\n'],
      2: [false, expect.stringMatching(/image$/)],
      3: [true, expect.stringContaining('does not exist')],
      4: [false, 'hello\n'],
    })
    expect(() => toPiTools(toolkitOf(), { rename: { exec: 'read' } })).toThrow('Two tools would be called `read`')
  })

  test.skipIf(missing)('what policy asks goes to the user, and an approval counts once', async () => {
    const toolkit = toolkitOf(FILES, { permissions: { allow: ['Read'], ask: ['Bash', 'Edit'], deny: ['Bash(git push:*)'] } })
    const options = { rename: { exec: 'bash' } }
    const asked: string[] = []
    const beforeToolCall = toBeforeToolCall(toolkit, ({ toolCallId, params }) => (asked.push(toolCallId), params.command === 'echo yes'), options)
    const results = await resultsOf(
      load,
      [
        ['1', 'bash', { command: 'echo yes' }],
        ['2', 'bash', { command: 'echo no' }],
        ['3', 'bash', { command: 'git push' }],
        ['4', 'read', { file_path: 'notes.txt' }],
      ],
      { tools: toPiTools(toolkit, options), beforeToolCall },
    )
    expect(results).toMatchObject({
      1: [false, 'yes\n'],
      2: [true, expect.stringContaining('did not approve')],
      3: [true, expect.stringContaining('Bash(git push:*)')],
      4: [false, 'one\ntwo\n'],
    })
    expect(asked.sort()).toEqual(['1', '2'])
  })

  test.skipIf(missing)('a message is approved by the user of pi, who sees to whom it goes', async () => {
    const asked: any[] = []
    const host = { channels: [{ id: 'ops', targets: [{ id: 'C1', label: '#all' }] }], sendMessage: () => 'm1' }
    const toolkit = toolkitOf(FILES, { permissions: { allow: ['Read'] }, host })
    const beforeToolCall = toBeforeToolCall(toolkit, ({ preview }) => (asked.push(preview.message), true))
    const send = { action: 'send', target: '#all', text: 'Hello.' }
    const results = await resultsOf(load, [['1', 'message', send]], { tools: toPiTools(toolkit), beforeToolCall })
    expect(results).toEqual({ 1: [false, expect.stringContaining('Sent to #all in ops.')] })
    expect(asked).toEqual([{ action: 'send', channel: 'ops', target: 'C1', name: '#all', text: 'Hello.' }])
  })

  test.skipIf(missing)('a sub-agent knows its earlier rounds, and has the prompt of today', async () => {
    const [{ Agent }, { createAssistantMessageEventStream }] = (await load()) as [any, any]
    const contexts: any[] = []
    const streamFn: any = (_: unknown, context: any) => {
      contexts.push(structuredClone({ systemPrompt: context.systemPrompt, messages: context.messages }))
      const isFirst = contexts.length === 1
      const content = isFirst ? [{ type: 'toolCall', id: '1', name: 'read', arguments: { file_path: 'notes.txt' } }] : [{ type: 'text', text: 'done' }]
      const message: any = { role: 'assistant', content, api: 'scripted', provider: 'scripted', model: 'm', usage, stopReason: isFirst ? 'toolUse' : 'stop' }
      const stream = createAssistantMessageEventStream()
      queueMicrotask(() => {
        stream.push({ type: 'done', reason: message.stopReason, message })
        stream.end(message)
      })
      return stream
    }
    const reader = { systemPrompt: 'Read slowly.', tools: ['read'] }
    const toolkit = toolkitOf(FILES, { host: piAgents({ Agent, streamFn, model, agents: { reader } }) })
    const { details }: any = await toolkit.execute('task', { agent: 'reader', objective: 'read it' })
    reader.systemPrompt = 'Read fast.'
    const sent: any = await toolkit.execute('sessions_send', { sessionId: details.sessionId, message: 'again' })
    expect(sent.details).toMatchObject({ status: 'completed', reply: 'done' })
    const said = JSON.stringify(contexts.at(-1))
    expect([said.includes('Read fast.'), said.includes('Read slowly.')]).toEqual([true, false])
    const roles = contexts.at(-1).messages.map(({ role }: any) => role)
    expect(roles.filter((role: string) => role !== 'system')).toEqual(['user', 'assistant', 'toolResult', 'assistant', 'user'])
  })
})

test('what a result is for programs is with it, and whether a call may be made again', async () => {
  const tools = toPiTools(toolkitOf(FILES)) as any[]
  const read = tools.find(({ name }) => name === 'read')
  const { content, details, structuredContent } = await read.execute('1', { file_path: 'notes.txt' })
  expect({ content, structuredContent }).toEqual({ content: [{ type: 'text', text: 'one\ntwo\n' }], structuredContent: details })
  expect(Object.fromEntries(tools.map(({ name, replay }) => [name, replay]))).toMatchObject({ read: 'safe', exec: 'never' })
})
