// Files that are asked for in another form of the same letters, as macOS and models write them.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { Toolkit } from '../index.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const CAFE = { there: 'cafe\u0301.txt', asked: 'caf\u00e9.txt' }
const SHOT = { there: 'Screenshot 2024-01-01 at 10.00.00\u202fAM.md', asked: 'Screenshot 2024-01-01 at 10.00.00 AM.md' }
const QUOTE = { there: 'It\u2019s.txt', asked: "It's.txt" }

/** The file system of macOS takes composed and decomposed letters for the same. */
const apart = test.skipIf(process.platform === 'darwin')

test.each(process.platform === 'darwin' ? [SHOT, QUOTE] : [CAFE, SHOT, QUOTE])(
  '$asked is read, edited and searched under its real name',
  async ({ there, asked }) => {
    const workspace = workspaceOf({ [there]: 'one two\n' })
    const toolkit = new Toolkit({ workspace })
    expect(await toolkit.execute('read', { file_path: asked })).toMatchObject({ content: [{ text: 'one two\n' }], details: { path: there } })
    expect((await toolkit.execute('edit', { file_path: asked, oldText: 'one', newText: '1' })).details).toMatchObject({ path: there, replacements: 1 })
    expect((await toolkit.execute('grep', { pattern: 'two', path: asked })).details.matches).toEqual([{ file: there, line: 1, text: '1 two' }])
    const patch = `*** Begin Patch\n*** Update File: ${asked}\n@@\n-1 two\n+1 2\n*** End Patch\n`
    expect((await toolkit.execute('apply_patch', { input: patch })).details.results).toMatchObject([{ path: there, operation: 'update' }])
    expect(readFileSync(path.join(workspace, there), 'utf8')).toBe('1 2\n')
    expect((await toolkit.execute('ls', {})).details.items.map(({ name }) => name)).toEqual([there])
    await toolkit.close()
  },
)

apart('a directory in another form is gone into', async () => {
  const toolkit = toolkitOf({ 'e\u0301te\u0301/a.txt': 'x\n' })
  expect((await toolkit.execute('ls', { path: '\u00e9t\u00e9' })).details.path).toBe('e\u0301te\u0301')
  expect((await toolkit.execute('find', { pattern: '*', path: '\u00e9t\u00e9' })).details.files).toEqual(['e\u0301te\u0301/a.txt'])
  expect((await toolkit.execute('exec', { command: 'cat a.txt', workdir: '\u00e9t\u00e9' })).details).toMatchObject({ output: 'x\n', cwd: 'e\u0301te\u0301' })
})

apart('policy is asked about the real name', async () => {
  const toolkit = toolkitOf({ [CAFE.there]: 'x\n' }, { permissions: { deny: [`Read(${CAFE.there})`] } })
  expect(toolkit.decide('read', { file_path: CAFE.asked })).toMatchObject({ verdict: 'deny', effects: { reads: [CAFE.there] } })
  expect(await failureOf(toolkit.execute('read', { file_path: CAFE.asked }))).toMatchObject({ error_type: 'permission_denied' })
})

test('a name that two files could be is an error that names both, but none that is kept back', async () => {
  const files = { 'a\u00a0b.txt': '1', 'a\u202fb.txt': '2' }
  const failure = await failureOf(toolkitOf(files).execute('read', { file_path: 'a b.txt' }))
  expect(failure).toMatchObject({ error_type: 'not_found', details: { near: expect.arrayContaining(Object.keys(files)) } })
  expect(failure.message).toContain('differ only in how letters, spaces or quotes are encoded')
  const some = toolkitOf(files, { permissions: { deny: ['Read(a?b.txt)'] } })
  expect((await failureOf(some.execute('read', { file_path: 'a b.txt' }))).details).not.toHaveProperty('near')
})

apart('a new file is made as it is named', async () => {
  const workspace = workspaceOf({ [CAFE.there]: 'old\n' })
  const toolkit = new Toolkit({ workspace })
  expect((await toolkit.execute('write', { file_path: CAFE.asked, content: 'new\n' })).details).toMatchObject({ path: CAFE.asked, operation: 'create' })
  expect(readFileSync(path.join(workspace, CAFE.there), 'utf8')).toBe('old\n')
  // Now both are there, and each is itself.
  writeFileSync(path.join(workspace, CAFE.there), 'decomposed\n')
  expect((await toolkit.execute('read', { file_path: CAFE.asked })).content).toEqual([{ type: 'text', text: 'new\n' }])
  await toolkit.close()
})
