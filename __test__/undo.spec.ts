import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { expect, test } from 'vitest'

import { Toolkit } from '../index.js'
import { MemoryStore } from '../store-conformance.js'
import { runScript } from './support/run.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const privateDirectory = () => {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-undo-')))
  chmodSync(directory, 0o700)
  return directory
}

test('calls are undone in any order, and a later call on the same file is named', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n' })
  const toolkit = toolkitOf({}, { workspace })
  await toolkit.execute('edit', { file_path: 'a.txt', oldText: 'one', newText: 'two' }, { toolCallId: 'first' })
  await toolkit.execute('write', { file_path: 'b.txt', content: 'b' }, { toolCallId: 'second' })
  await toolkit.execute('edit', { file_path: 'a.txt', oldText: 'two', newText: 'three' }, { toolCallId: 'third' })
  const seen = await toolkit.diff('third')
  expect(seen).toEqual([
    { path: 'a.txt', kind: 'update', diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+three\n', additions: 1, deletions: 1, calls: ['third'] },
  ])
  const error = await failureOf(toolkit.undo('first'))
  expect(error).toMatchObject({ tool: 'undo', details: { code: 'stale_file', paths: ['a.txt'], laterCalls: ['third'] } })
  expect(await toolkit.undo('second')).toEqual([{ path: 'b.txt', kind: 'delete' }])
  await toolkit.undo('third')
  await toolkit.undo('first')
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('one\n')
  expect(await toolkit.diff()).toEqual([])
  expect((await toolkit.diff()).commandsNotEnded).toEqual([])
})

test('a closed toolkit refuses everything with one error, and opens no page', async () => {
  const toolkit = toolkitOf()
  await toolkit.close()
  const refused = [
    () => toolkit.undo('call'),
    () => toolkit.rollback('checkpoint-1'),
    () => toolkit.diff(),
    () => toolkit.storedCalls(),
    () => toolkit.sources(),
    () => toolkit.forget(),
    () => toolkit.inspect(),
    () => toolkit.execute('ls', {}),
  ]
  for (const call of refused)
    expect(await failureOf(call())).toMatchObject({
      error_type: 'aborted',
      message: 'The toolkit is closed. Create a new one.',
      details: { code: 'cancelled' },
    })
})

test('an unknown call and a wrong argument are refused', async () => {
  const toolkit = toolkitOf()
  expect(await failureOf(toolkit.undo('nobody'))).toMatchObject({ error_type: 'not_found', details: { toolCallId: 'nobody' } })
  expect(await failureOf(toolkit.undo(3 as never))).toMatchObject({ error_type: 'invalid_input' })
  expect(await failureOf(toolkit.diff('checkpoint-9'))).toMatchObject({ error_type: 'not_found' })
})

test.for(['a directory', 'memory', 'a store of the host'])('a session with an id in %s finds checkpoints and calls again', async (where) => {
  const workspace = workspaceOf({ 'a.txt': 'one\n' })
  const directory = privateDirectory()
  const store = where === 'a directory' ? directory : where === 'memory' ? where : new MemoryStore()
  const session = () => new Toolkit({ workspace, session: { id: 'mine', store } })
  const first = session()
  const before = first.checkpoint()
  await first.execute('write', { file_path: 'a.txt', content: 'two\n' }, { toolCallId: 'call' })
  await first.execute('write', { file_path: 'b.txt', content: 'b\n' }, { toolCallId: 'other' })
  await first.close()
  const second = session()
  await second.undo('other')
  expect(existsSync(path.join(workspace, 'b.txt'))).toBe(false)
  await second.rollback(before)
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('one\n')
  await second.close()
  if (where !== 'a directory') expect(readdirSync(directory)).toEqual([])
})

test.for([
  ['with the files that its calls have changed', 'write', '\n\n[Changed files: b.txt]', [{ path: 'b.txt', kind: 'create' }]],
  ['as one of which that is not known', 'ls', '', []],
] as const)('a run whose process was killed is reported %s', async ([, tool, listed, changes]) => {
  const workspace = workspaceOf({ 'a.txt': 'one\n' })
  const options = { workspace, session: { id: 'mine', store: privateDirectory() } }
  const { signal } = await runScript(`
    const runAgent = async (_, { toolkit }) => {
      await toolkit.execute('${tool}', ${tool === 'ls' ? '{}' : "{ file_path: 'b.txt', content: 'b' }"})
      process.kill(process.pid, 'SIGKILL')
    }
    const toolkit = new tenon.Toolkit({ ...${JSON.stringify(options)}, host: { runAgent } })
    toolkit.execute('task', { agent: 'a', objective: 'x' })`)
  expect(signal).toBe('SIGKILL')
  const toolkit = toolkitOf({}, { ...options, host: { runAgent: () => 'done' } } as any)
  const { content, details } = await toolkit.execute('subagents', { action: 'wait' })
  const known = 'and it may have done more than change these files.'
  const summary = `Its process ended before it did${listed ? `, ${known}` : '. Which files it changed is not known: look at those that it was to change.'}`
  expect((details as any).results).toMatchObject([{ status: 'lost', summary, changes }])
  expect(content[0]).toMatchObject({ text: expect.stringContaining(`lost\n${summary}${listed}`) })
})

test('a process that is killed leaves its checkpoints, its calls and the runs of its agents to the next one', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
  const options = { workspace, session: { id: 'mine', store: privateDirectory() } }
  const runAgent = async (_: unknown, { toolkit }: any) => (await toolkit.execute('write', { file_path: 'b.txt', content: 'by the agent\n' }), 'done')
  const { stdout, signal } = await runScript(`
    const toolkit = new tenon.Toolkit({ ...${JSON.stringify(options)}, host: { runAgent: ${runAgent} } })
    ;(async () => {
      const checkpoint = toolkit.checkpoint()
      await toolkit.execute('write', { file_path: 'a.txt', content: 'two\\n' }, { toolCallId: 'call' })
      const { details } = await toolkit.execute('task', { agent: 'a', objective: 'x' })
      await toolkit.execute('write', { file_path: 'c.txt', content: 'c' }, { toolCallId: 'other' })
      process.stdout.write(JSON.stringify([checkpoint, details.runId]), () => process.kill(process.pid, 'SIGKILL'))
    })()`)
  expect(signal).toBe('SIGKILL')
  const [checkpoint, run] = JSON.parse(stdout)
  const toolkit = toolkitOf({}, { ...options, host: { runAgent } } as any)
  const contents = () => ['a.txt', 'b.txt', 'c.txt'].map((name) => existsSync(path.join(workspace, name)) && readFileSync(path.join(workspace, name), 'utf8'))
  expect(contents()).toEqual(['two\n', 'by the agent\n', 'c'])
  await toolkit.undo('other')
  expect(contents()).toEqual(['two\n', 'by the agent\n', false])
  await toolkit.rollback(run)
  expect(contents()).toEqual(['two\n', 'one\n', false])
  await toolkit.rollback(checkpoint)
  expect(contents()).toEqual(['one\n', 'one\n', false])
})

test('a command whose process was killed is named beside what was changed', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n' })
  const options = { workspace, session: { id: 'mine', store: privateDirectory() }, exec: { changes: true } }
  const { signal } = await runScript(`
    const toolkit = new tenon.Toolkit(${JSON.stringify(options)})
    toolkit.checkpoint()
    toolkit.execute('exec', { command: 'sleep 30' })
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000)`)
  expect(signal).toBe('SIGKILL')
  expect((await toolkitOf({}, options).diff()).commandsNotEnded).toEqual(['sleep 30'])
})

test('a call that comes again returns what it returned, also in another process', async () => {
  const workspace = workspaceOf()
  const session = { id: 'mine', store: privateDirectory() }
  const toolCallId = 'toolu_01A09q90qw90lq917835lq9'
  const results = []
  for (const times of [2, 1]) {
    const toolkit = new Toolkit({ workspace, session })
    for (let time = 0; time < times; time += 1) results.push(await toolkit.execute('exec', { command: 'echo x >> log; wc -l < log' }, { toolCallId }))
    const error = await failureOf(toolkit.execute('exec', { command: 'true' }, { toolCallId }))
    expect(error.message).toContain('was used before, with other parameters')
    await toolkit.close()
  }
  expect(results[1]).toEqual(results[0])
  expect(results[2]).toEqual(results[0])
  expect(readFileSync(path.join(workspace, 'log'), 'utf8')).toBe('x\n')
})

test('numbers of a run mean nothing unless the host says so', async () => {
  const workspace = workspaceOf()
  const toolkit = new Toolkit({ workspace })
  writeFileSync(path.join(workspace, 'a'), '1')
  const read = () => toolkit.execute('read', { file_path: 'a' }, { toolCallId: 'call_0' })
  expect(JSON.stringify(await read())).toContain('1')
  writeFileSync(path.join(workspace, 'a'), '2')
  expect(JSON.stringify(await read())).toContain('2')
  await toolkit.close()
})
