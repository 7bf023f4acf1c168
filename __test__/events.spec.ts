import { readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'

import { expect, test, vi } from 'vitest'

import { Toolkit, type ProcessEvent, type ToolkitEvent } from '../index.js'
import { failureOf, workspaceOf } from './support/workspace.js'

const patience = { timeout: 30_000, interval: 20 }

function recorded(options: object = {}, files: Record<string, string> = { 'a.txt': 'x' }) {
  const events: ToolkitEvent[] = []
  const toolkit = new Toolkit({ workspace: workspaceOf(files), ...options })
  const off = toolkit.on('*', (event) => events.push(event))
  return { toolkit, events, off, types: () => events.map(({ type }) => type) }
}

test('a call is reported from its arrival to its end, in order', async () => {
  const { toolkit, events, types } = recorded({ onApproval: () => 'once', session: { id: 's', store: 'memory' } })
  await toolkit.execute('write', { path: 'b.txt', content: 'token=sk-abcdefghijklmnopqrstuvwxyz' } as never, { toolCallId: 'w' })
  expect(types()).toEqual(['called', 'repaired', 'judged', 'asked', 'answered', 'started', 'finished'])
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(events.every((event) => event.session === 's' && (event as any).toolCallId === 'w' && Math.abs(event.at - Date.now()) < 60_000)).toBe(true)
  expect(events).toMatchObject([
    { params: { path: 'b.txt' } },
    { repairs: [{ param: 'file_path' }] },
    { verdict: 'ask', matched_rule: 'permissions.defaultMode: ask', parts: [{ kind: 'write', subject: 'b.txt' }], mode: 'default' },
    { danger: 'medium', reason: expect.any(String) },
    { answer: 'once', by: 'approver', afterMs: expect.any(Number) },
    { tool: 'write' },
    {
      success: true,
      decision: 'ask',
      bytes: expect.any(Number),
      estimatedTokens: expect.any(Number),
      summary: expect.stringContaining('b.txt'),
      changes: [{ path: 'b.txt', kind: 'create' }],
    },
  ])
  expect(JSON.stringify(events)).not.toContain('sk-abcdef')
  await toolkit.close()
})

test('failures and denials end as well', async () => {
  const { toolkit, events } = recorded({ permissions: { deny: ['Read'] } })
  await failureOf(toolkit.execute('read', { file_path: 'a.txt' }))
  await failureOf(toolkit.execute('nope' as never, {} as never))
  const ends = events.filter(({ type }) => type === 'finished')
  expect(ends).toMatchObject([
    { tool: 'read', success: false, error_type: 'permission_denied', decision: 'deny' },
    { tool: 'nope', success: false, error_type: 'not_found' },
  ])
  expect(toolkit.history().map(({ outcome }) => outcome)).toEqual(ends.map((end: any) => end.error_type))
  await toolkit.close()
})

test('who answered is reported: the approver once, the session from then on, or the host', async () => {
  const { toolkit, events } = recorded({ onApproval: () => 'always' })
  const exec = { command: 'echo x' }
  await toolkit.execute('exec', exec)
  await toolkit.execute('exec', exec)
  const write = { file_path: 'b', content: 'x' }
  await toolkit.execute('write', write, { approved: 'once', digest: toolkit.approvalRequest('write', write)!.digest })
  expect(events.filter(({ type }) => type === 'answered')).toMatchObject([
    { answer: 'always', by: 'approver' },
    { answer: 'always', by: 'session' },
    { answer: 'once', by: 'host' },
  ])
  await toolkit.close()
})

test('a listener of one type receives only that, until it goes; one that throws harms nobody', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'a.txt': 'x' }) })
  const seen: string[] = []
  toolkit.on('called', () => {
    throw new Error('broken')
  })
  const off = toolkit.on('finished', ({ tool }) => seen.push(tool))
  await toolkit.execute('ls', {})
  off()
  off()
  await toolkit.execute('read', { file_path: 'a.txt' })
  expect(seen).toEqual(['ls'])
  expect(() => toolkit.on('finish' as never, () => {})).toThrow('Did you mean `finished`?')
  expect(() => toolkit.on('finished', 1 as never)).toThrow('must be a function')
  await toolkit.close()
  warned.mockRestore()
})

test('tools that come and go and modes are reported', async () => {
  const { toolkit, events } = recorded()
  const tool = { name: 'mine', description: 'x', parameters: { type: 'object', properties: {} }, execute: () => 'x' } as never
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  toolkit.registerTool(tool)
  toolkit.registerTool(tool)
  toolkit.unregisterTool('mine')
  toolkit.setMode('plan')
  toolkit.setMode('plan')
  toolkit.setMode('default')
  await toolkit.close()
  warned.mockRestore()
  expect(events.map(({ seq: _, at: __, session: ___, ...rest }) => rest)).toEqual([
    { type: 'tools_changed', added: ['mine'], removed: [], changed: [] },
    { type: 'tools_changed', added: [], removed: [], changed: ['mine'] },
    { type: 'tools_changed', added: [], removed: ['mine'], changed: [] },
    { type: 'mode_changed', mode: 'plan', previous: 'default' },
    { type: 'tools_changed', added: ['exit_plan'], removed: [], changed: [] },
    { type: 'mode_changed', mode: 'default', previous: 'plan' },
    { type: 'tools_changed', added: [], removed: ['exit_plan'], changed: [] },
    { type: 'closed' },
  ])
})

test('the run of an agent is reported', async () => {
  const { toolkit, events } = recorded({
    host: { runAgent: ({ agent }: any) => (agent === 'bad' ? Promise.reject(new Error('no')) : 'done') },
    permissions: { defaultMode: 'allow' },
  })
  await toolkit.execute('task', { agent: 'scout', objective: 'look' })
  await failureOf(toolkit.execute('task', { agent: 'bad', objective: 'look' }))
  expect(events.filter(({ type }) => type === 'run_ended')).toMatchObject([
    { agent: 'scout', status: 'completed' },
    { agent: 'bad', status: 'failed' },
  ])
  await toolkit.close()
})

test('the record has every event as a line, for its user alone', async () => {
  const record = path.join(workspaceOf(), 'session.jsonl')
  const { toolkit, events } = recorded({ record })
  await Promise.all(Array.from({ length: 50 }, () => toolkit.execute('read', { file_path: 'a.txt' })))
  await toolkit.close()
  const lines = readFileSync(record, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toHaveLength(50 * 4 + 1)
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1))
  expect(lines).toEqual(events)
  if (process.platform !== 'win32') expect(statSync(record).mode & 0o777).toBe(0o600)
})

test('a full record is renamed, with as many kept as asked for', async () => {
  const directory = workspaceOf()
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'a.txt': 'x' }), record: { file: path.join(directory, 'r'), maxBytes: 2000, keep: 2 } })
  for (let index = 0; index < 30; index++) await toolkit.execute('read', { file_path: 'a.txt' })
  await toolkit.close()
  expect(readdirSync(directory).sort()).toEqual(['r', 'r.1', 'r.2'])
  for (const name of readdirSync(directory)) expect(statSync(path.join(directory, name)).size).toBeLessThanOrEqual(2000)
})

test.skipIf(process.platform === 'win32')('a record that cannot be written is a warning, and no call fails', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const directory = workspaceOf({ target: '' })
  symlinkSync(path.join(directory, 'target'), path.join(directory, 'r'))
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'a.txt': 'x' }), record: path.join(directory, 'r') })
  await toolkit.execute('read', { file_path: 'a.txt' })
  await vi.waitFor(() => expect(warned).toHaveBeenCalledWith(expect.stringContaining('`record`'), 'TenonWarning'), patience)
  await toolkit.close()
  expect(readFileSync(path.join(directory, 'target'), 'utf8')).toBe('')
  warned.mockRestore()
})

test.skipIf(process.platform === 'win32')('what becomes of commands in the background is reported', async () => {
  const events: ProcessEvent[] = []
  const toolkit = new Toolkit({ workspace: workspaceOf(), permissions: { defaultMode: 'allow' }, onProcess: (event) => events.push(event) })
  const { details } = await toolkit.execute('exec', { command: 'echo hello; printf "Name? "; read name; echo "hi $name"; exit 3', background: true })
  await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain('waiting'), patience)
  await toolkit.execute('process', { action: 'submit', sessionId: details.sessionId!, data: 'Ada' })
  await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'exit' }), patience)
  expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([details.sessionId]))
  expect(events[0].type).toBe('started')
  expect(events.find(({ type }) => type === 'waiting')).toMatchObject({ text: expect.stringMatching(/Name\? $/) })
  const output = events.map((event) => (event.type === 'output' ? event.text : '')).join('')
  expect(output).toBe('hello\nName? hi Ada\n')
  expect(events.at(-1)).toMatchObject({ status: 'failed', exitCode: 3 })
  // Nothing of it counts as read.
  const log = await toolkit.execute('process', { action: 'poll', sessionId: details.sessionId! })
  expect(JSON.stringify(log.content)).toContain('hi Ada')
  await toolkit.close()
})

test.skipIf(process.platform === 'win32')('a command that a call waits for is moved to the background', async () => {
  const toolkit = new Toolkit({ workspace: workspaceOf(), permissions: { defaultMode: 'allow' } })
  const call = toolkit.execute(
    'exec',
    { command: 'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two', timeout: 600 },
    { toolCallId: 'long', onUpdate: () => toolkit.background('long') },
  )
  const { details } = await call
  expect(details).toMatchObject({ status: 'running', output: 'one\n', sessionId: expect.any(String) })
  expect([toolkit.background('long'), toolkit.background('nope')]).toEqual([false, false])
  await toolkit.execute('write', { file_path: 'go', content: '' })
  await vi.waitFor(async () => {
    const log = await toolkit.execute('process', { action: 'log', sessionId: details.sessionId! })
    expect(JSON.stringify(log.content)).toContain('two')
  }, patience)
  await toolkit.close()
})

test.skipIf(process.platform === 'win32')('a command in the background has no time limit any more', async () => {
  const toolkit = new Toolkit({ workspace: workspaceOf(), permissions: { defaultMode: 'allow' } })
  const { details } = await toolkit.execute(
    'exec',
    { command: 'echo one; sleep 8; echo late', timeout: 6 },
    { toolCallId: 'c', onUpdate: () => toolkit.background('c') },
  )
  await vi.waitFor(async () => {
    const log = await toolkit.execute('process', { action: 'log', sessionId: details.sessionId! })
    expect(JSON.stringify(log.content)).toContain('late')
  }, patience)
  await toolkit.close()
})

test('nobody who listens keeps Node alive', async () => {
  const { toolkit, off } = recorded()
  await toolkit.execute('ls', {})
  off()
  await toolkit.execute('ls', {})
  await toolkit.close()
})
