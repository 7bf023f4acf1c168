import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test, vi } from 'vitest'

import { Toolkit, type ToolkitEvent } from '../index.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const patience = { timeout: 30_000, interval: 20 }
const forever = () => new Promise<never>(() => {})
const read = (workspace: string, file: string) => readFileSync(join(workspace, file), 'utf8')

describe('the stream of a toolkit has its whole tree', () => {
  test('what a sub-agent does appears in order, with its session and the one that has started it', async () => {
    const workspace = workspaceOf({ 'a.txt': 'x' })
    const [own, inner]: ToolkitEvent[][] = [[], []]
    const record = join(workspaceOf(), 'record.jsonl')
    const toolkit = new Toolkit({
      workspace,
      record,
      session: { id: 'top', store: 'memory' },
      host: {
        async runAgent({ depth }, context) {
          if (depth === 1) {
            context.toolkit.on('*', (event) => inner!.push(event))
            await context.toolkit.execute('task', { agent: 'reader', objective: 'read' }, { toolCallId: 'inner' })
          } else {
            await context.toolkit.execute('read', { file_path: 'a.txt' }, { toolCallId: 'deep' })
          }
          return 'ok'
        },
      },
    })
    toolkit.on('*', (event) => own!.push(event))
    const { details }: any = await toolkit.execute('task', { agent: 'boss', objective: 'go' }, { toolCallId: 'outer' })
    await toolkit.close()
    const boss = details.sessionId
    const reader = own!.find(({ type, toolCallId }: any) => type === 'called' && toolCallId === 'deep')!.session
    expect(own!.map(({ seq }) => seq)).toEqual(own!.map((_, index) => index + 1))
    const short = (events: ToolkitEvent[]) =>
      events
        .filter(({ type }) => ['called', 'finished', 'run_ended'].includes(type))
        .map(({ type, session, parent, toolCallId }: any) => [type, toolCallId, session, parent])
    const below = [
      ['called', 'deep', reader, boss],
      ['finished', 'deep', reader, boss],
    ]
    expect(short(own!)).toEqual([
      ['called', 'outer', 'top', undefined],
      ['called', 'inner', boss, 'top'],
      ...below,
      ['run_ended', 'inner', boss, 'top'],
      ['finished', 'inner', boss, 'top'],
      ['run_ended', 'outer', 'top', undefined],
      ['finished', 'outer', 'top', undefined],
    ])
    expect(short(inner!)).toEqual([
      ['called', 'inner', boss, undefined],
      ...below,
      ['run_ended', 'inner', boss, undefined],
      ['finished', 'inner', boss, undefined],
    ])
    expect(own!.filter(({ type }) => type === 'run_ended')).toMatchObject([
      { tool: 'task', agent: 'reader', label: 'reader', status: 'completed', sessionId: reader, runId: expect.stringMatching(/^r_/) },
      { tool: 'task', agent: 'boss', label: 'boss', status: 'completed', sessionId: boss, runId: details.runId },
    ])
    expect(
      read(record, '')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(own)
    expect(toolkit.history().map(({ id }) => id)).toEqual(['outer'])
  })

  test('every kind of run says that it has ended', async () => {
    const events: any[] = []
    const toolkit = toolkitOf({}, {
      cron: { run: true },
      session: { store: 'memory' },
      host: { runAgent: ({ objective }: any) => (objective === 'bad' ? Promise.reject(new Error('no')) : objective === 'wait' ? forever() : objective) },
    } as any)
    toolkit.on('run_ended', (event) => events.push(event))
    const started: any = await toolkit.execute('sessions_spawn', { agent: 'a', task: 'one', label: 'first', wait: 30 }, { toolCallId: 'spawn' })
    await toolkit.execute('sessions_send', { sessionId: 'first', message: 'two' }, { toolCallId: 'send' })
    await failureOf(toolkit.execute('task', { agent: 'a', objective: 'bad' }, { toolCallId: 'bad' }))
    await toolkit.execute('sessions_spawn', { agent: 'a', task: 'wait', timeout: 0.1, label: 'slow' }, { toolCallId: 'slow' })
    await vi.waitFor(() => expect(events).toHaveLength(4), patience)
    await toolkit.execute('sessions_spawn', { agent: 'a', task: 'wait', label: 'stopped' }, { toolCallId: 'stopped' })
    await toolkit.execute('subagents', { action: 'stop' })
    const { job }: any = (await toolkit.execute('cron' as never, { action: 'add', name: 'nightly', prompt: 'three', schedule: '@yearly' } as never)).details
    const { runId }: any = (await toolkit.execute('cron' as never, { action: 'run', jobId: job.jobId } as never)).details
    await vi.waitFor(() => expect(events).toHaveLength(6), patience)
    expect(events.map(({ tool, toolCallId, label, status }) => [tool, toolCallId, label, status])).toEqual([
      ['sessions_spawn', 'spawn', 'first', 'completed'],
      ['sessions_send', 'send', 'first', 'completed'],
      ['task', 'bad', 'a', 'failed'],
      ['sessions_spawn', 'slow', 'slow', 'timeout'],
      ['sessions_spawn', 'stopped', 'stopped', 'cancelled'],
      [undefined, undefined, 'nightly', 'completed'],
    ])
    expect(events[0].sessionId).toBe(started.details.sessionId)
    expect(events[5]).toMatchObject({ agent: 'default', jobId: job.jobId, runId, sessionId: `cron:${runId}` })
  })

  test('tracers and listeners of processes are called once, for their own', async () => {
    const spans: string[] = []
    const processes: any[] = []
    const tracer = {
      startSpan: (name: string) => ({
        addEvent: (event: string) => spans.push(`${name} ${event}`),
        setAttribute() {},
        setStatus() {},
        recordException() {},
        end() {},
      }),
    }
    const toolkit = toolkitOf({}, {
      onApproval: () => 'once',
      onProcess: (event: any) => processes.push(event),
      telemetry: { tracer },
      host: { runAgent: async (_: any, { toolkit }: any) => (await toolkit.execute('exec', { command: 'sleep 0', background: true }), 'ok') },
    } as any)
    await toolkit.execute('task', { agent: 'a', objective: 'x' })
    expect(spans.filter((span) => span.startsWith('execute_tool exec'))).toEqual(['execute_tool exec tenon.asked', 'execute_tool exec tenon.answered'])
    expect(processes).toEqual([])
  })
})

describe('what one run changed is taken back alone', () => {
  const writers = {
    async runAgent({ objective }: any, { toolkit }: any) {
      for (const line of objective.split('; ')) {
        const [verb, file, content] = line.split(' ')
        if (verb === 'write') await toolkit.execute('write', { file_path: file, content })
        else if (verb === 'edit') await toolkit.execute('edit', { file_path: file, oldText: content.split('>')[0], newText: content.split('>')[1] })
        else if (verb === 'task') await toolkit.execute('task', { agent: 'below', objective: `write ${file} ${content}` })
      }
      return 'ok'
    },
  }
  const run = async (toolkit: any, objective: string): Promise<any> => (await toolkit.execute('task', { agent: 'a', objective })).details

  test('also while siblings changed other files, and with all that it has started', async () => {
    const workspace = workspaceOf({ 'a.txt': 'a0\n', 'b.txt': 'b0\n' })
    const toolkit = toolkitOf({}, { workspace, host: writers } as any)
    const [one, two] = await Promise.all([run(toolkit, 'edit a.txt a0>a1; write new/c.txt c; task d.txt d'), run(toolkit, 'edit b.txt b0>b1')])
    expect(one.changes.map(({ path }: any) => path).sort()).toEqual(['a.txt', 'd.txt', 'new/c.txt'])
    await toolkit.execute('write', { file_path: 'own.txt', content: 'mine' })
    const back = await toolkit.rollback(one.runId)
    expect(back.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual(['delete d.txt', 'delete new/c.txt', 'update a.txt'])
    expect([read(workspace, 'a.txt'), read(workspace, 'b.txt'), read(workspace, 'own.txt')]).toEqual(['a0\n', 'b1\n', 'mine'])
    expect(readdirSync(workspace).sort()).toEqual(['a.txt', 'b.txt', 'own.txt'])
    expect(await toolkit.rollback(one.runId)).toEqual([])
    expect(await toolkit.rollback(two.runId)).toMatchObject([{ path: 'b.txt', kind: 'update' }])
  })

  test('what was changed later is named, and nothing is restored unless forced', async () => {
    const workspace = workspaceOf({ 'a.txt': 'a0\n', 'b.txt': 'b0\n' })
    const toolkit = toolkitOf({}, { workspace, host: writers } as any)
    const one = await run(toolkit, 'edit a.txt a0>a1; edit b.txt b0>b1')
    const two = await run(toolkit, 'edit a.txt a1>a2')
    const error = await failureOf(toolkit.rollback(one.runId))
    expect(error).toMatchObject({ tool: 'rollback', details: { code: 'stale_file', paths: ['a.txt'], runId: one.runId } })
    expect(error.message).toContain(`\`a.txt\` changed after the run \`${one.runId}\` had changed them`)
    expect([read(workspace, 'a.txt'), read(workspace, 'b.txt')]).toEqual(['a2\n', 'b1\n'])
    // The later one first, then the earlier one.
    await toolkit.rollback(two.runId)
    await toolkit.rollback(one.runId)
    expect([read(workspace, 'a.txt'), read(workspace, 'b.txt')]).toEqual(['a0\n', 'b0\n'])
    const three = await run(toolkit, 'edit a.txt a0>a3')
    await toolkit.execute('edit', { file_path: 'a.txt', oldText: 'a3', newText: 'a4' })
    await toolkit.rollback(three.runId, { force: true })
    expect(read(workspace, 'a.txt')).toBe('a0\n')
  })

  test('checkpoints hold beside it', async () => {
    const workspace = workspaceOf({ 'a.txt': 'a0\n', 'b.txt': 'b0\n' })
    const toolkit = toolkitOf({}, { workspace, host: writers } as any)
    const before = toolkit.checkpoint()
    const one = await run(toolkit, 'edit a.txt a0>a1')
    await toolkit.execute('edit', { file_path: 'b.txt', oldText: 'b0', newText: 'b1' })
    await toolkit.rollback(one.runId)
    expect([read(workspace, 'a.txt'), read(workspace, 'b.txt')]).toEqual(['a0\n', 'b1\n'])
    await toolkit.rollback(before)
    expect(read(workspace, 'b.txt')).toBe('b0\n')
  })

  test('a run that still runs, changed nothing or is unknown says so', async () => {
    const release: (() => void)[] = []
    const host = { runAgent: ({ objective }: any) => (objective === 'hold' ? new Promise<string>((resolve) => release.push(() => resolve('ok'))) : 'ok') }
    const toolkit = toolkitOf({}, { host } as any)
    expect(await toolkit.rollback((await run(toolkit, 'nothing')).runId)).toEqual([])
    const { details }: any = await toolkit.execute('sessions_spawn', { task: 'hold' })
    await vi.waitFor(() => expect(release).toHaveLength(1), patience)
    expect((await failureOf(toolkit.rollback(details.runId))).message).toContain('has not ended')
    release[0]!()
    expect(await failureOf(toolkit.rollback('r_0000000000000000'))).toMatchObject({ error_type: 'not_found' })
    expect(await failureOf(toolkitOf().rollback('r_0000000000000000'))).toMatchObject({ error_type: 'not_found' })
  })
})

test('a schema that nothing can be checked with is refused before the agent starts', async () => {
  const asked: any[] = []
  const toolkit = toolkitOf({}, { host: { runAgent: (request: any) => (asked.push(request), 'ok') } } as any)
  const spawn = (outputSchema: Record<string, unknown>) => failureOf(toolkit.execute('sessions_spawn', { task: 'x', outputSchema }))
  expect(await spawn({ type: 'objekt' })).toMatchObject({ error_type: 'invalid_input', details: { param: 'outputSchema' } })
  expect((await spawn({ type: 'objekt' })).message).toBe(
    '`outputSchema` is not a JSON Schema that a result can be checked with. `type` is "objekt", which is no type of JSON Schema. Correct it, and start the agent again.',
  )
  expect((await spawn({ type: 'object', properties: { a: { $ref: '#/$defs/none' } } })).message).toContain('`properties.a.$ref` refers to')
  expect((await spawn({ type: 'object', required: 'a' })).message).toContain('`required` has to be a list of names')
  expect(asked).toEqual([])
  expect(((await toolkit.execute('sessions_list', {})).details as any).sessions.filter(({ kind }: any) => kind === 'agent')).toEqual([])
})

test('output comes back as its schema wants it, also through the tool', async () => {
  const outputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] }
  const answers = ['none', { summary: 'x', output: { count: 'two' } }, '{"count": 2}']
  const asked: any[] = []
  const toolkit = toolkitOf({}, { host: { runAgent: (request: any) => (asked.push(request), answers.pop()) } } as any)
  const good: any = await toolkit.execute('sessions_spawn', { task: 'x', outputSchema, wait: 30 })
  expect(good.details.result).toMatchObject({ status: 'completed', output: { count: 2 } })
  expect(asked[0].outputSchema).toEqual(outputSchema)
  const bad: any = await toolkit.execute('sessions_spawn', { task: 'x', outputSchema, wait: 30 })
  expect(bad.details.result).toMatchObject({ status: 'failed', code: 'output_mismatch', summary: 'none' })
  expect(asked[2].objective).toContain('`output.count`')
})

test('an agent has at most the tools of the one that has started it', async () => {
  const seen: any = {}
  const agents = [
    { name: 'reader', description: '', tools: ['read', 'task', 'mine'] },
    { name: 'writer', description: '', tools: ['read', 'write', 'other'] },
  ]
  const custom = (name: string) => ({ name, description: name, parameters: { type: 'object', properties: {} }, execute: () => name })
  const toolkit = toolkitOf({ 'a.txt': 'x' }, {
    customTools: [custom('mine'), custom('other')],
    host: {
      agents,
      async runAgent({ agent, depth }: any, { toolkit }: any) {
        seen[`${agent} ${depth}`] = toolkit.listTools().map(({ name }: any) => name)
        if (agent === 'reader') {
          await toolkit.execute('task', { agent: 'writer', objective: 'x' })
        } else if (depth === 2) {
          seen.tried = await failureOf(toolkit.execute('write', { file_path: 'b.txt', content: 'b' }))
        }
        return 'ok'
      },
    },
  } as any)
  await toolkit.execute('task', { agent: 'reader', objective: 'x' })
  await toolkit.execute('task', { agent: 'writer', objective: 'x' })
  expect(seen).toMatchObject({ 'reader 1': ['read', 'task', 'mine'], 'writer 2': ['read'], 'writer 1': ['read', 'write', 'other'] })
  expect(seen.tried.error_type).toMatch(/not_found|permission_denied/)
})

test('a sub-agent presents no plan: the mode is that of the tree, and ends with the plan of the user', async () => {
  const seen: any[] = []
  const toolkit = toolkitOf({}, {
    mode: 'plan',
    tools: { add: ['exit_plan'] },
    onApproval: () => 'once',
    host: {
      async runAgent(_: any, { toolkit }: any) {
        seen.push(
          toolkit
            .listTools()
            .map(({ name }: any) => name)
            .includes('exit_plan'),
        )
        seen.push((await failureOf(toolkit.execute('exit_plan', { plan: 'Do it.' }))).error_type)
        return 'ok'
      },
    },
  } as any)
  await toolkit.execute('task', { agent: 'a', objective: 'x' })
  expect([seen, toolkit.mode]).toEqual([[false, 'not_found'], 'plan'])
  await toolkit.execute('exit_plan' as never, { plan: 'Do it.' } as never)
  expect(toolkit.mode).toBe('default')
})

describe('an abort at any step leaves no slot, no process and no run behind', () => {
  /** One agent at a time: the one that holds the place keeps the next one waiting. */
  function scene(work: (context: any, request: any) => unknown, options: object = {}) {
    const asked: any[] = []
    const host = { runAgent: (request: any, context: any) => (asked.push(request.objective), request.objective === 'next' ? 'free' : work(context, request)) }
    const toolkit: any = toolkitOf({ 'a.txt': 'x' }, { limits: { agents: { maxConcurrent: 1 } }, host, ...options } as any)
    const abort = new AbortController()
    const started = () => vi.waitFor(() => expect(asked.length).toBeGreaterThan(0), patience)
    const isFree = async () => {
      const { details } = await toolkit.execute('task', { agent: 'b', objective: 'next', timeout: 60 })
      expect(details).toMatchObject({ ok: true, summary: 'free' })
      const { sessions } = (await toolkit.execute('sessions_list', { kinds: ['agent'] })).details
      expect(sessions.map(({ status }: any) => status).filter((status: string) => status === 'running' || status === 'queued')).toEqual([])
    }
    return { toolkit, abort, asked, started, isFree }
  }
  const aborted = { error_type: 'aborted' }

  test('while it is queued', async () => {
    const { toolkit, abort, asked, started, isFree } = scene(forever)
    await toolkit.execute('sessions_spawn', { task: 'first' })
    await started()
    const call = failureOf(toolkit.execute('task', { agent: 'a', objective: 'second' }, { signal: abort.signal }))
    await vi.waitFor(async () => expect((await toolkit.execute('subagents', { action: 'list' })).details.sessions).toHaveLength(2), patience)
    abort.abort()
    expect(await call).toMatchObject(aborted)
    await toolkit.execute('subagents', { action: 'stop' })
    await isFree()
    expect(asked).toEqual(['first', 'next'])
  })

  test('in the moment in which it starts, again and again', async () => {
    const { toolkit, isFree } = scene(forever)
    const calls: Promise<any>[] = []
    for (let round = 0; round < 60; round++) {
      const abort = new AbortController()
      const [tool, params] = round % 2 === 0 ? ['task', { agent: 'a', objective: 'x' }] : ['sessions_spawn', { task: 'x' }]
      calls.push(
        toolkit.execute(tool, params, { signal: abort.signal }).then(
          (result: any) => result,
          (error: any) => error,
        ),
      )
      await new Promise((resolve) =>
        round % 3 === 0 ? setImmediate(resolve) : round % 3 === 1 ? queueMicrotask(() => resolve(undefined)) : setTimeout(resolve, 1),
      )
      abort.abort()
    }
    for (const said of await Promise.all(calls)) if (said.error_type) expect(said).toMatchObject(aborted)
    // An agent that was started has an id by which it is stopped.
    await toolkit.execute('subagents', { action: 'stop' })
    await isFree()
  })

  test.skipIf(process.platform === 'win32')('while a tool of the agent runs a command', async () => {
    const mark = `64.${process.pid}`
    const { toolkit, abort, started, isFree } = scene(({ toolkit }) => toolkit.execute('exec', { command: `sleep ${mark} & sleep ${mark}` }), {
      permissions: { defaultMode: 'allow' },
    })
    const alive = () =>
      readdirSync('/proc').filter((pid) => {
        try {
          return /^\d+$/.test(pid) && Number(pid) !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
        } catch {
          return false
        }
      }).length
    const call = failureOf(toolkit.execute('task', { agent: 'a', objective: 'x' }, { signal: abort.signal }))
    await started()
    if (existsSync('/proc/self')) await vi.waitFor(() => expect(alive()).toBeGreaterThan(0), patience)
    abort.abort()
    expect(await call).toMatchObject(aborted)
    await isFree()
    if (existsSync('/proc/self')) await vi.waitFor(() => expect(alive()).toBe(0), patience)
  })

  test('while it waits for an approval', async () => {
    const asked: AbortSignal[] = []
    const { toolkit, abort, isFree } = scene(({ toolkit }) => toolkit.execute('write', { file_path: 'b.txt', content: 'b' }), {
      onApproval: (request: any, { signal }: any) => (request.tool === 'write' ? (asked.push(signal), forever()) : 'once'),
    })
    const call = failureOf(toolkit.execute('task', { agent: 'a', objective: 'x' }, { signal: abort.signal }))
    await vi.waitFor(() => expect(asked).toHaveLength(1), patience)
    abort.abort()
    expect(await call).toMatchObject(aborted)
    await vi.waitFor(() => expect(asked[0]!.aborted).toBe(true), patience)
    await isFree()
  })

  test('in a wait only the wait ends', async () => {
    const release: (() => void)[] = []
    const { toolkit, abort, isFree } = scene(() => new Promise((resolve) => release.push(() => resolve('kept'))))
    await toolkit.execute('sessions_spawn', { task: 'x', label: 'x' })
    await vi.waitFor(() => expect(release).toHaveLength(1), patience)
    const call = failureOf(toolkit.execute('subagents', { action: 'wait' }, { signal: abort.signal }))
    await new Promise((resolve) => setTimeout(resolve, 50))
    abort.abort()
    expect(await call).toMatchObject(aborted)
    release[0]!()
    const waited: any = await toolkit.execute('subagents', { action: 'wait' })
    expect(waited.details.results).toMatchObject([{ label: 'x', status: 'completed', summary: 'kept' }])
    await isFree()
  })

  test('in a message that waits for its reply only the wait ends', async () => {
    const release: (() => void)[] = []
    const { toolkit, abort, isFree } = scene((_, { objective }) =>
      objective === 'x' ? 'ready' : new Promise((resolve) => release.push(() => resolve('reply'))),
    )
    await toolkit.execute('task', { agent: 'a', objective: 'x' })
    const call = failureOf(toolkit.execute('sessions_send', { sessionId: 'a', message: 'm' }, { signal: abort.signal }))
    await vi.waitFor(() => expect(release).toHaveLength(1), patience)
    abort.abort()
    expect(await call).toMatchObject(aborted)
    release[0]!()
    const waited: any = await toolkit.execute('subagents', { action: 'wait' })
    expect(waited.details.results).toMatchObject([{ summary: 'reply' }])
    await isFree()
  })

  test('a child that waits for its own is stopped with them', async () => {
    const { toolkit, abort, isFree } = scene(({ toolkit }, { depth }) =>
      depth === 1 ? toolkit.execute('task', { agent: 'below', objective: 'deeper' }) : forever(),
    )
    const call = failureOf(toolkit.execute('task', { agent: 'a', objective: 'x' }, { signal: abort.signal }))
    await vi.waitFor(async () => expect((await toolkit.execute('sessions_list', { kinds: ['agent'] })).details.sessions).toHaveLength(2), patience)
    abort.abort()
    expect(await call).toMatchObject(aborted)
    await isFree()
  })
})

test('a hundred children at once run four at a time, and every result comes once', async () => {
  let [running, most] = [0, 0]
  const host = {
    async runAgent({ objective }: any, { toolkit }: any) {
      most = Math.max(most, ++running)
      await toolkit.execute('read', { file_path: 'a.txt' })
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
      return objective
    },
  }
  const toolkit: any = toolkitOf({ 'a.txt': 'x' }, { host } as any)
  await Promise.all(Array.from({ length: 100 }, (_, index) => toolkit.execute('sessions_spawn', { task: `${index}` })))
  const seen: string[] = []
  while (seen.length < 100) {
    const { details } = await toolkit.execute('subagents', { action: 'wait', mode: 'all', timeout: 60 })
    expect(details.results.length).toBeGreaterThan(0)
    seen.push(...details.results.map(({ summary }: any) => summary))
  }
  expect(seen.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index))
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(4)
}, 120_000)
