// `tenon/langchain` in agents of LangChain, with a model that follows a script.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import langchain from '../../js/adapters/langchain.js'
import { FILES, packagesOf } from '../support/frameworks.js'
import { failureOf, toolkitOf, workspaceOf } from '../support/workspace.js'

const packages = packagesOf('langchain')
const call = (id: string, name: string, args: object) => ({ type: 'tool_call', id, name, args })

describe.skipIf(packages.missing)(`LangChain (${packages.missing ?? 'installed'})`, () => {
  const load = (name: string) => (packages as any).load(name)
  const adapter = () => langchain.adapterOver({ ...load('@langchain/core/tools'), ...load('@langchain/core/messages') })
  const agentOf = (toolCalls: object[][], options: object) => {
    const { createAgent, FakeToolCallingModel } = load('langchain')
    return createAgent({ model: new FakeToolCallingModel({ toolCalls }), ...options })
  }
  const ask = { messages: [{ role: 'user', content: 'Go.' }] }
  const answersOf = (state: any) => state.messages.filter((message: any) => message.getType() === 'tool')

  test('an agent gets texts, images, details and errors that are written for it', async () => {
    const calls = [
      call('1', 'read', { path: 'notes.txt', limit: null }),
      call('2', 'read', { file_path: 'dot.png' }),
      call('3', 'read', { file_path: 'none.txt' }),
      call('4', 'read', { frob: 1 }),
    ]
    const state = await agentOf([calls, []], { tools: adapter().toLangChainTools(toolkitOf(FILES)) }).invoke(ask)
    const [read, image, missing, wrong] = answersOf(state)
    expect(read).toMatchObject({ content: 'one\ntwo\n', status: 'success', tool_call_id: '1', artifact: { path: 'notes.txt', lines: 2 } })
    expect(image.content).toMatchObject([{ type: 'text' }, { type: 'image', mimeType: 'image/png', data: expect.any(String) }])
    expect(missing).toMatchObject({ content: expect.stringMatching(/^`none\.txt` does not exist/), status: 'error' })
    expect(wrong).toMatchObject({ content: expect.stringMatching(/^Invalid parameters for `read`/), status: 'error' })
  })

  test('progress is streamed, and an abort stops the command', async () => {
    const toolkit = toolkitOf(FILES)
    const abort = new AbortController()
    const stream = await agentOf([[call('1', 'exec', { command: 'echo begun; exec sleep 60' })], []], { tools: adapter().toLangChainTools(toolkit) }).stream(
      ask,
      { streamMode: 'custom', signal: abort.signal },
    )
    const seen: any[] = []
    await failureOf(
      (async () => {
        for await (const chunk of stream) {
          seen.push(chunk)
          abort.abort()
        }
      })(),
    )
    expect(seen[0]).toMatchObject({ tool: 'exec', toolCallId: '1', partial: { content: [{ text: expect.stringContaining('begun') }] } })
    await expect.poll(() => toolkit.history(), { timeout: 30_000 }).toMatchObject([{ tool: 'exec', outcome: 'aborted' }])
  })

  test('a tool that is invoked by itself returns content and throws', async () => {
    const [read] = adapter().toLangChainTools(toolkitOf(FILES), { names: ['read'] })
    expect(await read.invoke({ file_path: 'notes.txt' })).toBe('one\ntwo\n')
    await expect(read.invoke({ file_path: 'none.txt' })).rejects.toThrow('does not exist')
    await expect(read.invoke({ frob: 1 })).rejects.toThrow('Invalid parameters for `read`')
  })

  test.each([
    ['approve', { type: 'approve' }, 'success', 'hello'],
    ['edit', { type: 'edit', editedAction: { name: 'exec', args: { command: 'echo edited' } } }, 'success', 'edited'],
    ['reject', { type: 'reject', message: 'Not now.' }, 'error', 'Not now.'],
  ])('a call that requires approval interrupts the graph: %s', async (_, decision, status, text) => {
    const { Command, MemorySaver } = load('@langchain/langgraph')
    const toolkit = toolkitOf(FILES, { permissions: { ask: ['Bash'], allow: ['Read'] } })
    const { tenonMiddleware, toLangChainTools } = adapter()
    const agent = agentOf([[call('1', 'exec', { command: 'echo hello' }), call('2', 'read', { file_path: 'notes.txt' })], []], {
      tools: toLangChainTools(toolkit),
      middleware: [tenonMiddleware(toolkit)],
      checkpointer: new MemorySaver(),
    })
    const thread = { configurable: { thread_id: '1' } }
    const paused = await agent.invoke(ask, thread)
    expect(paused.__interrupt__).toMatchObject([
      {
        value: {
          actionRequests: [{ name: 'exec', args: { command: 'echo hello' } }],
          reviewConfigs: [{ actionName: 'exec' }],
          approvalRequest: { tool: 'exec', digest: expect.any(String) },
        },
      },
    ])
    const state = await agent.invoke(new Command({ resume: { decisions: [decision] } }), thread)
    const answer = answersOf(state).find(({ tool_call_id }: any) => tool_call_id === '1')
    expect(answer).toMatchObject({ status, content: expect.stringContaining(text) })
  })

  /** An agent that waits for the user after these calls, and what it answers when it is resumed. */
  async function pausedAt(calls: object[], permissions: object = { ask: ['Bash', 'Read'] }) {
    const { Command, MemorySaver } = load('@langchain/langgraph')
    const workspace = workspaceOf({ ...FILES, precious: 'x' })
    const toolkit = toolkitOf({}, { workspace, permissions })
    const { tenonMiddleware, toLangChainTools } = adapter()
    const options = { tools: toLangChainTools(toolkit), middleware: [tenonMiddleware(toolkit)], checkpointer: new MemorySaver() }
    const agent = agentOf([calls, []], options)
    const thread = { configurable: { thread_id: '1' } }
    const { __interrupt__: interrupts } = await agent.invoke(ask, thread)
    const resume = async (answer: object) => answersOf(await agent.invoke(new Command({ resume: answer }), thread))
    return { workspace, interrupts, resume }
  }

  const PARALLEL = [call('1', 'exec', { command: 'echo hello' }), call('2', 'exec', { command: 'rm precious' })]
  const APPROVE = { type: 'approve' }
  const REJECT = { type: 'reject', message: 'Not that.' }

  test('of several calls each gets its own decision, in their order or by the id of its interrupt', async () => {
    const inOrder = await pausedAt(PARALLEL)
    expect(await inOrder.resume({ decisions: [APPROVE, REJECT] })).toMatchObject([
      { tool_call_id: '1', status: 'success', content: expect.stringContaining('hello') },
      { tool_call_id: '2', status: 'error', content: 'Not that.' },
    ])
    expect(existsSync(path.join(inOrder.workspace, 'precious'))).toBe(true)
    const byId = await pausedAt(PARALLEL)
    const [first, second] = byId.interrupts
    expect(await byId.resume({ [first.id]: { decisions: [REJECT] }, [second.id]: { decisions: [APPROVE] } })).toMatchObject([
      { tool_call_id: '1', status: 'error', content: 'Not that.' },
      { tool_call_id: '2', status: 'success' },
    ])
    expect(existsSync(path.join(byId.workspace, 'precious'))).toBe(false)
  })

  test.each([
    ['one decision for two calls', { decisions: [APPROVE] }],
    ['one decision that stands alone', APPROVE],
    ['three decisions for two calls', { decisions: [APPROVE, APPROVE, APPROVE] }],
  ])('%s is refused, and nothing runs', async (_, answer) => {
    const { workspace, resume } = await pausedAt(PARALLEL)
    const message = expect.stringContaining('2 calls require approval')
    await expect(resume(answer)).rejects.toMatchObject({ errors: [{ message }, { message }] })
    expect(existsSync(path.join(workspace, 'precious'))).toBe(true)
  })

  test.each([
    ['another name', { path: 'notes.txt' }],
    ['a text for a number', { file_path: 'notes.txt', limit: '1' }],
    ['null', { file_path: 'notes.txt', limit: null }],
  ])('an approval holds for a call in another spelling: %s', async (_, args) => {
    const { resume } = await pausedAt([call('1', 'read', args)])
    expect(await resume({ decisions: [APPROVE] })).toMatchObject([{ status: 'success', content: expect.stringContaining('one') }])
  })

  test('what was approved runs only as it was shown', async () => {
    const { Command, MemorySaver } = load('@langchain/langgraph')
    const workspace = workspaceOf(FILES)
    const toolkit = toolkitOf({}, { workspace, permissions: { ask: ['Edit'] } })
    const { tenonMiddleware, toLangChainTools } = adapter()
    const agent = agentOf([[call('1', 'write', { file_path: 'notes.txt', content: 'new\n' })], []], {
      tools: toLangChainTools(toolkit),
      middleware: [tenonMiddleware(toolkit)],
      checkpointer: new MemorySaver(),
    })
    const thread = { configurable: { thread_id: '1' } }
    await agent.invoke(ask, thread)
    writeFileSync(path.join(workspace, 'notes.txt'), 'changed\n')
    const state = await agent.invoke(new Command({ resume: { decisions: [{ type: 'approve' }] } }), thread)
    expect(answersOf(state)[0]).toMatchObject({ status: 'error', content: expect.stringContaining('approv') })
    expect(readFileSync(path.join(workspace, 'notes.txt'), 'utf8')).toBe('changed\n')
  })
})

const before = packagesOf('langchain-0')

test.skipIf(before.missing)(`the line before, 0.3, runs the tools in its nodes (${before.missing ?? 'installed'})`, async () => {
  const load = (name: string) => (before as any).load(name)
  const { toLangChainTools } = langchain.adapterOver({ ...load('@langchain/core/tools'), ...load('@langchain/core/messages') })
  const node = new (load('@langchain/langgraph/prebuilt').ToolNode)(toLangChainTools(toolkitOf(FILES)))
  const { AIMessage } = load('@langchain/core/messages')
  const tool_calls = [call('1', 'read', { path: 'notes.txt', limit: null }), call('2', 'read', { file_path: 'dot.png' }), call('3', 'read', { frob: 1 })]
  const { messages } = await node.invoke({ messages: [new AIMessage({ content: '', tool_calls })] })
  expect(messages).toMatchObject([
    { content: 'one\ntwo\n', status: 'success', artifact: { path: 'notes.txt' } },
    { content: [{ type: 'text' }, { type: 'image' }] },
    { content: expect.stringMatching(/^Invalid parameters for `read`/), status: 'error' },
  ])
})
