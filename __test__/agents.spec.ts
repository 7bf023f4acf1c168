import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { generateText } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import * as seven from 'ai-7'
import { MockLanguageModelV4 } from 'ai-7/test'
import { describe, expect, test, vi } from 'vitest'

import { aiAgents, claudeAgents, piAgents, piFollowUps } from '../agents.js'
import { Agent, fauxAssistantMessage, fauxText, fauxToolCall, registerFauxProvider, streamSimple } from '../examples/pi.mjs'
import { Toolkit } from '../index.js'
import { ROOT } from './support/run.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const patience = { timeout: 30_000 }
const forever = () => new Promise<never>(() => {})

test('a sub-agent works with tools of its own, and its changes come back', async () => {
  const workspace = workspaceOf()
  const seen: any[] = []
  const toolkit = new Toolkit({
    workspace,
    session: { store: 'memory' },
    host: {
      agents: [{ name: 'writer', description: 'Writes.', tools: ['write', 'todo_write'] }],
      async runAgent(request, { tools, toolkit, onUpdate }) {
        seen.push(
          request,
          tools.map(({ name }) => name),
        )
        await toolkit.execute('todo_write', { todos: [{ content: 'x', status: 'pending' }] })
        await toolkit.execute('write', { file_path: 'a.txt', content: 'hello' })
        onUpdate({ usage: { tokens: 3 }, message: 'writing' })
        return { summary: 'written', usage: { tokens: 4 } }
      },
    },
  })
  const { details } = await toolkit.execute('task', { agent: 'writer', objective: 'write' })
  expect(details).toMatchObject({ ok: true, status: 'completed', summary: 'written', changes: [{ path: 'a.txt', kind: 'create' }] })
  expect((details as any).usage.tokens).toBeGreaterThanOrEqual(4)
  expect(seen[0]).toMatchObject({ agent: 'writer', objective: 'write', depth: 1, label: 'writer', history: [], sessionId: (details as any).sessionId })
  expect(seen[1]).toEqual(['write', 'todo_write'])
  expect((await toolkit.execute('todo_read', {})).details).toMatchObject({ count: 0 })
  const status: any = await toolkit.execute('session_status', { sessionId: (details as any).sessionId })
  expect(status.details).toMatchObject({ status: 'completed', toolCalls: 2, todos: { pending: 1 }, timeZone: expect.any(String) })
  await toolkit.close()
})

test('a checkpoint covers what sub-agents change', async () => {
  const workspace = workspaceOf()
  const host = { runAgent: async (_: any, { toolkit }: any) => (await toolkit.execute('write', { file_path: 'b.txt', content: 'b' }), 'ok') }
  const toolkit = new Toolkit({ workspace, host })
  const id = toolkit.checkpoint()
  await toolkit.execute('task', { agent: 'a', objective: 'x' })
  expect(readFileSync(join(workspace, 'b.txt'), 'utf8')).toBe('b')
  expect(await toolkit.rollback(id)).toEqual([{ path: 'b.txt', kind: 'delete' }])
  expect(existsSync(join(workspace, 'b.txt'))).toBe(false)
  await toolkit.close()
})

test('a finished sub-agent is named once by the next result of any tool, and unread until it is shown', async () => {
  const events: any[] = []
  // The result of the call that starts it would name one that has ended by then.
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const runAgent = async ({ objective }: any) => {
    await begun
    return `done ${objective}`
  }
  const toolkit = toolkitOf({}, { host: { runAgent, onSessionEvent: (event: any) => void events.push(event) } })
  const started: any = await toolkit.execute('sessions_spawn', { task: 'it', agent: 'scout', label: 'tests' })
  begin()
  await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'ended', status: 'completed', label: 'tests' }), patience)
  const text = async () => ((await toolkit.execute('ls', {})).content.at(-1) as any).text
  expect(await text()).toContain(`[1 sub-agent has ended: "tests" (${started.details.sessionId}). \`subagents\` with \`wait\` shows it.]`)
  expect(await text()).not.toContain('sub-agent')
  const waited: any = await toolkit.execute('subagents', { action: 'wait' })
  expect(waited.details).toMatchObject({ reason: 'completed', results: [{ label: 'tests', status: 'completed', summary: 'done it' }], pending: [] })
  const again: any = await toolkit.execute('subagents', { action: 'wait', timeout: 0 })
  expect(again.details).toMatchObject({ reason: 'nothing', results: [] })
  const history: any = await toolkit.execute('sessions_history', { sessionId: 'tests' })
  expect(history.details.messages).toMatchObject([
    { role: 'user', text: 'it' },
    { role: 'assistant', text: 'done it' },
  ])
  await toolkit.close()
})

test.each([
  ['usage that is no object', { summary: 'x', usage: 'q' }, '`usage` is a text and must be an object'],
  ['negative usage, which would enlarge a budget', { summary: 'x', usage: { tokens: -5 } }, '`usage.tokens` is -5 and must not be negative'],
])('a result with %s is a failed run', async (_, result, message) => {
  const toolkit = toolkitOf({}, { host: { runAgent: async () => result as never } })
  // With the parameters of Claude Code.
  const call = { description: 'A try', prompt: 'go', subagent_type: 'main' }
  await expect(toolkit.execute('task', call as never)).rejects.toThrow(message)
})

test('usage that is reported as negative gives nothing back', async () => {
  const runAgent = async (_: unknown, { onUpdate }: any) => {
    onUpdate({ usage: { tokens: -1000 } })
    onUpdate({ usage: { tokens: 150 } })
    await new Promise((resolve) => setTimeout(resolve, 200))
    return 'done'
  }
  const toolkit = toolkitOf({}, { host: { runAgent }, limits: { agents: { budget: { tokens: 100 } } } })
  await expect(toolkit.execute('task', { agent: 'main', objective: 'go' })).rejects.toThrow('The budget of the agent was used up (`tokens`)')
})

test('an agent that fails says which files it has changed', async () => {
  const failing = async ({ objective }: any, { toolkit: own }: any) => {
    await own.execute('write', { file_path: `${objective}.txt`, content: 'x' })
    throw new Error('boom')
  }
  const toolkit = toolkitOf({}, { host: { runAgent: failing } })
  const failure: any = await failureOf(toolkit.execute('task', { agent: 'a', objective: 'half' }))
  expect([failure.message, failure.details.changes]).toEqual([
    '`host.runAgent` failed: boom.\n\n[Changed files: half.txt]',
    [{ path: 'half.txt', kind: 'create' }],
  ])
})

test('a promise that never settles ends at the time limit, and closing waits for none', async () => {
  const signals: AbortSignal[] = []
  const toolkit = toolkitOf(
    {},
    {
      host: {
        runAgent: (_: any, { signal }: any) => (signals.push(signal), new Promise((resolve) => signal.addEventListener('abort', () => resolve('half')))),
      },
    },
  )
  const { details }: any = await toolkit.execute('task', { agent: 'a', objective: 'x', timeout: 0.05 })
  expect(details).toMatchObject({ ok: false, status: 'timeout', summary: 'half' })
  expect(signals[0]!.aborted).toBe(true)
  const waiting = toolkit.execute('task', { agent: 'a', objective: 'y' })
  waiting.catch(() => {})
  await vi.waitFor(() => expect(signals).toHaveLength(2), patience)
  await toolkit.close()
  expect(signals[1]!.aborted).toBe(true)
  await expect(waiting).rejects.toThrow()
})

test('stop ends the whole tree, and tools of a run that has ended fail', async () => {
  const inner: any[] = []
  const toolkit = toolkitOf(
    {},
    {
      host: {
        async runAgent({ agent }: any, { toolkit }: any) {
          inner.push(toolkit)
          if (agent === 'boss') await toolkit.execute('sessions_spawn', { agent: 'worker', task: 'w', label: 'below' })
          return forever()
        },
      },
    },
  )
  await toolkit.execute('sessions_spawn', { agent: 'boss', task: 'b', label: 'boss' })
  await vi.waitFor(() => expect(inner).toHaveLength(2), patience)
  const stopped: any = await toolkit.execute('subagents', { action: 'stop' })
  expect(stopped.details.stopped.map(({ label }: any) => label)).toEqual(['below', 'boss'])
  await expect(inner[1].execute('ls', {})).rejects.toThrow()
  await toolkit.close()
})

test('rules on agents hold for both ways to start one, rules on sessions for messages', async () => {
  const toolkit = toolkitOf({}, { permissions: { deny: ['Task(evil)', 'Session(quiet)'] }, host: { runAgent: async () => 'ok' } })
  for (const [tool, params] of [
    ['task', { agent: 'evil', objective: 'x' }],
    ['sessions_spawn', { agent: 'evil', task: 'x' }],
  ] as const) {
    await expect(toolkit.execute(tool, params)).rejects.toMatchObject({ error_type: 'permission_denied' })
  }
  const { details }: any = await toolkit.execute('sessions_spawn', { agent: 'good', task: 'x', label: 'quiet', wait: 30 })
  expect(details).toMatchObject({ status: 'completed', result: { summary: 'ok' } })
  await expect(toolkit.execute('sessions_send', { sessionId: details.sessionId, message: 'hi' })).rejects.toMatchObject({ error_type: 'permission_denied' })
  await expect(toolkit.execute('sessions_send', { sessionId: 'nobody', message: 'hi' })).rejects.toMatchObject({ error_type: 'not_found' })
  await toolkit.close()
})

test('one approver answers for the tree; what it grants a child for good is not granted above', async () => {
  const asked: any[] = []
  const answers: any[] = []
  const toolkit = toolkitOf(
    {},
    {
      onApproval: (request: any) => {
        if (request.tool === 'exec') asked.push(request.session)
        return 'always'
      },
      host: {
        async runAgent({ objective }: any, { toolkit }: any) {
          answers.push((await toolkit.execute('exec', { command: objective })).details)
          return 'ok'
        },
      },
    },
  )
  await toolkit.execute('task', { agent: 'a', objective: 'echo one' })
  expect(asked).toMatchObject([{ id: expect.stringMatching(/^s_/), label: 'a', depth: 1 }])
  await toolkit.execute('exec', { command: 'echo one' })
  expect(asked).toHaveLength(2)
  expect(asked[1]).toBeUndefined()
  await toolkit.execute('task', { agent: 'a', objective: 'echo one' })
  expect(asked).toHaveLength(2)
  await toolkit.close()
})

test('a child that asks where nobody approves fails at once', async () => {
  const toolkit = toolkitOf(
    {},
    { permissions: { ask: ['Bash'] }, host: { runAgent: (_: any, { toolkit }: any) => toolkit.execute('exec', { command: 'echo' }).then(() => 'ran') } },
  )
  await expect(toolkit.execute('task', { agent: 'a', objective: 'x' })).rejects.toThrow('nobody can approve')
  await toolkit.close()
})

test('a message that the listener of an agent does not take becomes a further run', async () => {
  const seen: string[] = []
  const release: (() => void)[] = []
  const toolkit = toolkitOf(
    {},
    {
      host: {
        runAgent({ objective }: any, { onMessage }: any) {
          seen.push(objective)
          onMessage(() => {
            throw new Error('busy')
          })
          return objective === 'x' ? new Promise<string>((resolve) => release.push(() => resolve('ok'))) : 'later'
        },
      },
    },
  )
  const { details }: any = await toolkit.execute('sessions_spawn', { task: 'x' })
  await vi.waitFor(() => expect(release).toHaveLength(1), patience)
  const sent: any = await toolkit.execute('sessions_send', { sessionId: details.sessionId, message: 'and y', timeout: 0 })
  expect(sent.details).toMatchObject({ status: 'accepted', disposition: 'queued' })
  release[0]!()
  await toolkit.execute('subagents', { action: 'wait', mode: 'all' })
  expect(seen).toEqual(['x', 'and y'])
  await toolkit.close()
})

test('limits queue, and refuse only depth and total', async () => {
  const release: (() => void)[] = []
  const host = { runAgent: () => new Promise<string>((resolve) => release.push(() => resolve('ok'))) }
  const toolkit = toolkitOf({}, { limits: { agents: { maxConcurrent: 1, maxTotal: 2 } }, host })
  await toolkit.execute('sessions_spawn', { task: 'one' })
  const second: any = await toolkit.execute('sessions_spawn', { task: 'two' })
  expect(second.details).toMatchObject({ status: 'queued', position: 1 })
  await expect(toolkit.execute('sessions_spawn', { task: 'three' })).rejects.toMatchObject({
    error_type: 'execution_failed',
    details: { code: 'agent_limit', limit: 'maxTotal' },
  })
  await vi.waitFor(() => expect(release).toHaveLength(1), patience)
  release[0]!()
  await vi.waitFor(() => expect(release).toHaveLength(2), patience)
  release[1]!()
  const all: any = await toolkit.execute('subagents', { action: 'wait', mode: 'all' })
  expect(all.details.results).toHaveLength(2)
  await toolkit.close()
})

test('an agent must be named where none is called `default`', async () => {
  const runAgent = async ({ agent }: any) => agent
  const required = (toolkit: any) => toolkit.listTools().find(({ name }: any) => name === 'sessions_spawn').parameters.required
  const toolkit = toolkitOf({}, { host: { runAgent, agents: [{ name: 'scout' }] } })
  expect(required(toolkit)).toEqual(['task', 'agent'])
  await expect(toolkit.execute('sessions_spawn', { task: 'x' })).rejects.toThrow('`agent` is required')
  expect((await toolkit.execute('sessions_spawn', { task: 'x', agent: 'scout', wait: 30 })).details).toMatchObject({ agent: 'scout', status: 'completed' })
  await toolkit.close()
  for (const agents of [undefined, [{ name: 'scout' }, { name: 'default' }]]) {
    const other = toolkitOf({}, { host: { runAgent, ...(agents && { agents }) } })
    expect(required(other)).toEqual(['task'])
    expect((await other.execute('sessions_spawn', { task: 'x', wait: 30 })).details).toMatchObject({ agent: 'default', status: 'completed' })
    await other.close()
  }
})

test('a blocked event loop loses no run', () => {
  const workspace = workspaceOf()
  const program = `
    const { Toolkit } = require(${JSON.stringify(join(ROOT, 'index.js'))})
    const toolkit = new Toolkit({ workspace: ${JSON.stringify(workspace)}, host: { runAgent: async () => { const end = Date.now() + 1500; while (Date.now() < end); return 'awake' } } })
    toolkit.execute('sessions_spawn', { task: 'x' })
      .then(() => toolkit.execute('subagents', { action: 'wait' }))
      .then(({ details }) => { console.log(details.results[0].status, details.results[0].summary); return toolkit.close() })`
  expect(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' })).toBe('completed awake\n')
})

/** What was said: since 0.87 pi begins with a message about its tools. */
const said = (context: any): any[] => context.messages.filter(({ role }: any) => role !== 'system')

describe('frameworks run a tree', () => {
  test('pi', async () => {
    const provider = registerFauxProvider()
    const reply = (block: any) => fauxAssistantMessage(block, { stopReason: block.type === 'toolCall' ? 'toolUse' : 'stop' })
    provider.setResponses([
      () => reply(fauxToolCall('task', { agent: 'writer', objective: 'write c.txt' })),
      () => reply(fauxToolCall('write', { file_path: 'c.txt', content: 'by pi' })),
      () => reply(fauxText('Written.')),
      () => reply(fauxText('All done.')),
    ] as any)
    const workspace = workspaceOf()
    const host = piAgents({
      streamFn: streamSimple as any,
      model: provider.getModel(),
      agents: { boss: { systemPrompt: 'Delegate.' }, writer: { tools: ['write'] } },
    })
    const toolkit = new Toolkit({ workspace, host })
    const { details }: any = await toolkit.execute('task', { agent: 'boss', objective: 'have c.txt written' })
    expect(details).toMatchObject({ ok: true, summary: 'All done.', changes: [{ path: 'c.txt', kind: 'create' }], usage: { turns: 2 } })
    expect(readFileSync(join(workspace, 'c.txt'), 'utf8')).toBe('by pi')
    await expect(toolkit.execute('task', { agent: 'nobody', objective: 'x' })).rejects.toThrow()
    provider.setResponses([(context: any) => reply(fauxText(`I know ${said(context).length} messages.`))] as any)
    const sent: any = await toolkit.execute('sessions_send', { sessionId: details.sessionId, message: 'What do you know?' })
    // What was asked, the call, its result, the answer, and the new question.
    expect(sent.details).toMatchObject({ status: 'completed', disposition: 'started', reply: 'I know 5 messages.' })
    provider.unregister()
    await toolkit.close()
  })

  test('the AI SDK', async () => {
    const usage = { inputTokens: { total: 2 }, outputTokens: { total: 1 } }
    const script: any[] = [
      {
        content: [{ type: 'tool-call', toolCallId: '1', toolName: 'task', input: JSON.stringify({ agent: 'writer', objective: 'write d.txt' }) }],
        finishReason: { unified: 'tool-calls' },
        usage,
        warnings: [],
      },
      {
        content: [{ type: 'tool-call', toolCallId: '2', toolName: 'write', input: JSON.stringify({ file_path: 'd.txt', content: 'by ai' }) }],
        finishReason: { unified: 'tool-calls' },
        usage,
        warnings: [],
      },
      { content: [{ type: 'text', text: 'Written.' }], finishReason: { unified: 'stop' }, usage, warnings: [] },
      { content: [{ type: 'text', text: 'All done.' }], finishReason: { unified: 'stop' }, usage, warnings: [] },
    ]
    const model = new MockLanguageModelV3({ doGenerate: async () => script.shift() })
    const workspace = workspaceOf()
    const toolkit = new Toolkit({ workspace, host: aiAgents({ model, agents: { boss: { systemPrompt: 'Delegate.' }, writer: { tools: ['write'] } } }) })
    const { details }: any = await toolkit.execute('task', { agent: 'boss', objective: 'have d.txt written' })
    expect(details).toMatchObject({ ok: true, summary: 'All done.', usage: { turns: 2, tokens: 6 } })
    expect(readFileSync(join(workspace, 'd.txt'), 'utf8')).toBe('by ai')
    expect(typeof generateText).toBe('function')
    await toolkit.close()
  })

  test('the AI SDK 7: an agent knows the calls and results of its earlier rounds', async () => {
    const usage = { inputTokens: { total: 2 }, outputTokens: { total: 1 } }
    const say = (text: string) => ({ content: [{ type: 'text', text }], finishReason: { unified: 'stop' }, usage, warnings: [] })
    const input = JSON.stringify({ file_path: 'notes.txt' })
    const read = { content: [{ type: 'tool-call', toolCallId: '1', toolName: 'read', input }], finishReason: { unified: 'tool-calls' }, usage, warnings: [] }
    const script: any[] = [read, say('Read.'), say('Again.')]
    const prompts: any[] = []
    const model = new MockLanguageModelV4({ doGenerate: async ({ prompt }: any) => (prompts.push(prompt), script.shift()) })
    const host = aiAgents({ model, ToolLoopAgent: seven.ToolLoopAgent, agents: { reader: { tools: ['read'] } } })
    const toolkit = toolkitOf({ 'notes.txt': 'one' }, { host })
    const { details }: any = await toolkit.execute('task', { agent: 'reader', objective: 'read it' })
    expect(details).toMatchObject({ ok: true, summary: 'Read.', usage: { turns: 2, tokens: 6 } })
    await toolkit.execute('sessions_send', { sessionId: details.sessionId, message: 'again' })
    expect(prompts.at(-1).map(({ role, content }: any) => [role, content[0].type])).toEqual([
      ['user', 'text'],
      ['assistant', 'tool-call'],
      ['tool', 'tool-result'],
      ['assistant', 'text'],
      ['user', 'text'],
    ])
  })

  test('pi, two levels deep with children side by side', async () => {
    const provider = registerFauxProvider()
    const reply = (...blocks: any[]) => fauxAssistantMessage(blocks as any, { stopReason: blocks.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop' })
    const files = ['e.txt', 'f.txt', 'g.txt']
    const texts = (message: any) => (typeof message.content === 'string' ? message.content : message.content.map(({ text }: any) => text ?? '').join(''))
    // Each agent knows what to do from its conversation alone: the children run side by side.
    const respond = (context: any) => {
      const [first, last] = [said(context)[0], said(context).at(-1)]
      const objective = texts(first)
      if (objective === 'lead') {
        if (last.role === 'user') return reply(...files.map((file) => fauxToolCall('sessions_spawn', { agent: 'writer', task: `write ${file}`, label: file })))
        return last.toolName === 'subagents' ? reply(fauxText(`All: ${texts(last)}`)) : reply(fauxToolCall('subagents', { action: 'wait', mode: 'all' }))
      }
      return last.role === 'user' ? reply(fauxToolCall('write', { file_path: objective.slice(6), content: objective })) : reply(fauxText(`${objective}: done`))
    }
    provider.setResponses(Array.from({ length: 40 }, () => respond) as any)
    const workspace = workspaceOf()
    const events: any[] = []
    const host = piAgents({ streamFn: streamSimple as any, model: provider.getModel(), agents: { boss: {}, writer: { tools: ['write'] } } })
    const toolkit = new Toolkit({ workspace, host, limits: { agents: { maxConcurrent: 2 } } } as any)
    toolkit.on('run_ended', (event) => events.push(event))
    const { details }: any = await toolkit.execute('task', { agent: 'boss', objective: 'lead' })
    for (const file of files) {
      expect(readFileSync(join(workspace, file), 'utf8')).toBe(`write ${file}`)
      expect(details.summary).toContain(`write ${file}: done`)
    }
    expect(events.map(({ label, status, parent }) => [label, status, parent !== undefined]).sort()).toEqual([
      ['boss', 'completed', false],
      ...files.map((file) => [file, 'completed', true]),
    ])
    expect((await toolkit.rollback(details.runId)).map(({ path }) => path).sort()).toEqual(files)
    expect(existsSync(join(workspace, 'e.txt'))).toBe(false)
    provider.unregister()
    await toolkit.close()
  })

  test('the AI SDK, two levels deep with children side by side', async () => {
    const usage = { inputTokens: { total: 2 }, outputTokens: { total: 1 } }
    const files = ['h.txt', 'i.txt']
    const call = (toolName: string, input: object, toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) })
    let [running, most] = [0, 0]
    const model = new MockLanguageModelV3({
      async doGenerate({ prompt }: any) {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 20))
        running--
        const objective = prompt
          .find(({ role }: any) => role === 'user')
          .content.map(({ text }: any) => text)
          .join('')
        const isFirst = prompt.at(-1).role === 'user'
        const say = (text: string) => ({ content: [{ type: 'text', text }], finishReason: { unified: 'stop' }, usage, warnings: [] })
        const use = (...content: object[]) => ({ content, finishReason: { unified: 'tool-calls' }, usage, warnings: [] })
        if (objective === 'lead')
          return isFirst ? use(...files.map((file, index) => call('task', { agent: 'writer', objective: `write ${file}` }, `t${index}`))) : say('All done.')
        return isFirst ? use(call('write', { file_path: objective.slice(6), content: objective }, 'w')) : say('Written.')
      },
    } as any)
    const workspace = workspaceOf()
    const host = aiAgents({ model, agents: { boss: {}, writer: { tools: ['write'] } } })
    const toolkit = new Toolkit({ workspace, host, permissions: { defaultMode: 'allow' } } as any)
    const { details }: any = await toolkit.execute('task', { agent: 'boss', objective: 'lead' })
    expect(details).toMatchObject({ ok: true, summary: 'All done.' })
    expect(details.changes.map(({ path }: any) => path).sort()).toEqual(files)
    for (const file of files) expect(readFileSync(join(workspace, file), 'utf8')).toBe(`write ${file}`)
    expect(most).toBe(2)
    await toolkit.close()
  })

  test('the Claude Agent SDK, by what its query is given', async () => {
    const asked: any[] = []
    async function* query(request: any) {
      asked.push(request)
      yield { type: 'assistant', message: { content: [{ type: 'text', text: 'working' }] } }
      const total_cost_usd = 0.5 * asked.length
      yield { type: 'result', subtype: 'success', result: 'Done.', session_id: 'c1', usage: { input_tokens: 3, output_tokens: 2 }, total_cost_usd }
    }
    const host = claudeAgents({
      query,
      optionsFor: (toolkit) => ({ names: toolkit.tools().map(({ name }) => name) }),
      agents: { reader: { tools: ['read'], systemPrompt: 'Read.', maxTurns: 3 } },
    })
    const toolkit = toolkitOf({}, { host })
    const { details }: any = await toolkit.execute('task', { agent: 'reader', objective: 'read it' })
    expect(details).toMatchObject({ ok: true, summary: 'Done.', usage: { tokens: 5, usd: 0.5, turns: 1 } })
    expect(asked[0]).toMatchObject({ prompt: 'read it', options: { names: ['read'], systemPrompt: 'Read.', maxTurns: 3 } })
    const more: any = await toolkit.execute('sessions_send', { sessionId: details.sessionId, message: 'more' })
    expect(asked[1]).toMatchObject({ prompt: 'more', options: { resume: 'c1' } })
    // The SDK counts the cost of the whole session.
    expect(more.details.result.usage).toMatchObject({ tokens: 5, usd: 0.5 })
    await toolkit.close()
  })

  test('the end of a sub-agent becomes a follow-up of pi', () => {
    const followUp = vi.fn()
    const listener = piFollowUps({ followUp })
    const event = { type: 'ended', sessionId: 's_1', runId: 'r_1', parentId: 'p', label: 'tests', status: 'completed' } as const
    expect(listener(event)).toBe(false)
    listener({ ...event, type: 'started' })
    expect(followUp.mock.calls.map(([message]) => message.content[0].text)).toEqual([
      '[The sub-agent "tests" (s_1) has ended: completed. `subagents` with `wait` shows its result.]',
    ])
    expect(typeof Agent).toBe('function')
  })
})

test('the mode and the hooks of a toolkit hold for its sub-agents, which have no jobs and are in its record', async () => {
  const workspace = workspaceOf()
  const seen: any[] = []
  const hooked: string[] = []
  const record = join(workspace, 'record.jsonl')
  const toolkit = new Toolkit({
    workspace,
    record,
    cron: {},
    hooks: { before: ({ params }: any) => void hooked.push(params.file_path) },
    host: {
      onCron: () => 'done',
      async runAgent(_task, { toolkit: own }) {
        seen.push(
          own.listTools().some(({ name }) => name === 'cron'),
          own.mode,
        )
        toolkit.setMode('plan')
        seen.push(own.mode)
        seen.push(
          await own.execute('write', { file_path: 'a.txt', content: 'a' }).then(
            () => 'wrote',
            (error: any) => error.error_type,
          ),
        )
        await own.execute('read', { file_path: 'none.txt' }).catch(() => {})
        return 'done'
      },
    },
  })
  await toolkit.execute('task', { agent: 'a', objective: 'x' })
  await toolkit.close()
  expect(seen).toEqual([false, 'default', 'plan', 'permission_denied'])
  expect(hooked).toContain('none.txt')
  const events = readFileSync(record, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const sessions = [...new Set(events.map(({ session }) => session))]
  expect(
    sessions.map((own) =>
      events.filter(({ session, type }) => session === own && (type === 'called' || type === 'closed')).map(({ tool, type }) => tool ?? type),
    ),
  ).toEqual([
    ['task', 'closed'],
    ['write', 'read'],
  ])
})
