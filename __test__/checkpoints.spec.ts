import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

test('a checkpoint brings back every file that tools changed since', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
  const toolkit = toolkitOf({}, { workspace })
  const id = toolkit.checkpoint()
  await toolkit.execute('edit', { file_path: 'a.txt', oldText: 'one', newText: '1' })
  await toolkit.execute('write', { file_path: 'new/c.txt', content: 'three' })
  await toolkit.execute('apply_patch', { input: '*** Begin Patch\n*** Delete File: b.txt\n*** End Patch' })
  const changes = await toolkit.rollback(id)
  expect(changes.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual(['create b.txt', 'delete new/c.txt', 'update a.txt'])
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('one\n')
  expect(readFileSync(path.join(workspace, 'b.txt'), 'utf8')).toBe('two\n')
  expect(existsSync(path.join(workspace, 'new/c.txt'))).toBe(false)
})

test('a roll-back over changes of others is refused with their files, unless forced', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n' })
  const toolkit = toolkitOf({}, { workspace })
  const id = toolkit.checkpoint()
  await toolkit.execute('write', { file_path: 'a.txt', content: 'two\n' })
  writeFileSync(path.join(workspace, 'a.txt'), 'three\n')
  const error = await failureOf(toolkit.rollback(id))
  expect(error).toMatchObject({ tool: 'rollback', details: { code: 'stale_file', paths: ['a.txt'] } })
  await toolkit.rollback(id, { force: true })
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('one\n')
})

test('an unknown checkpoint and an unknown option are refused by name', async () => {
  const toolkit = toolkitOf()
  expect(await failureOf(toolkit.rollback('checkpoint-9'))).toMatchObject({ error_type: 'not_found' })
  const error = await failureOf(toolkit.rollback('checkpoint-1', { forced: true } as never))
  expect(error.message).toContain('`forced`')
})

test('what commands did goes back too, and what does not is named', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'large.bin': Buffer.alloc(17 * 1024 * 1024) })
  const toolkit = toolkitOf({}, { workspace, exec: { changes: true } })
  const id = toolkit.checkpoint()
  const command = 'echo more >> a.txt; rm b.txt; mkdir new; echo c > new/c.txt; echo x >> large.bin'
  const result = await toolkit.getTool('exec')!.execute('1', { command })
  expect(result.details.changes!.notRestorable).toEqual([{ path: 'large.bin', reason: 'with 17825792 bytes it is too large to be copied' }])
  const changes = await toolkit.rollback(id)
  expect(changes.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual(['create b.txt', 'delete new/c.txt', 'update a.txt'])
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('one\n')
  expect(readFileSync(path.join(workspace, 'b.txt'), 'utf8')).toBe('two\n')
  expect(existsSync(path.join(workspace, 'new'))).toBe(false)
})
