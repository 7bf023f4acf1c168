// `files: 'editor'`: what a user has not saved is edited in their editor and never lost; the disk stays the truth.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { pairOf, until, type PairOptions } from '../support/acp.js'
import { failureOf } from '../support/workspace.js'

const DISK = 'one\ntwo\n'
const UNSAVED = 'one\ntwo\nunsaved\n'
const EDIT = { file_path: 'a.txt', edits: [{ oldText: 'two', newText: '2' }] }

/** An editor with these texts; it saves what it is given, or only keeps it. */
async function editorOf(texts: Record<string, string>, saves = false, more: PairOptions = {}) {
  const writes: string[] = []
  const buffers = new Map(Object.entries(texts))
  const nameOf = (file: string) => path.basename(file)
  const pair = await pairOf({
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    files: { 'a.txt': DISK, 'b.txt': DISK },
    session: { files: 'editor' },
    ...more,
    answers: {
      'fs/read_text_file': ({ path: file }) => {
        const text = buffers.get(nameOf(file))
        if (text === undefined) throw new Error('not open')
        return { content: text }
      },
      'fs/write_text_file': ({ path: file, content }) => {
        writes.push(nameOf(file))
        buffers.set(nameOf(file), content)
        if (saves) writeFileSync(file, content)
        return {}
      },
      ...more.answers,
    },
  })
  const disk = (name: string) => readFileSync(path.join(pair.workspace, name), 'utf8')
  return { ...pair, buffers, writes, disk }
}

const textOf = (result: any) => result.content.map(({ text }: any) => text).join('\n')

test('unsaved text is edited in the editor, and the model and the user see that', async () => {
  const { prompt, buffers, disk, updates } = await editorOf({ 'a.txt': UNSAVED })
  let result: any
  await prompt(async (toolkit) => void (result = await toolkit.execute('edit', EDIT, { toolCallId: 'e' })))
  expect(buffers.get('a.txt')).toBe('one\n2\nunsaved\n')
  expect(disk('a.txt')).toBe(DISK)
  expect(textOf(result)).toMatch(/unsaved changes in the editor.*edited there/)
  await until(() => updates.some(({ toolCallId, status }) => toolCallId === 'e' && status === 'completed'))
  expect(updates.find(({ status }) => status === 'completed').content).toMatchObject([{ type: 'diff', oldText: UNSAVED, newText: 'one\n2\nunsaved\n' }])
  // And again, on what the editor has by now.
  await prompt((toolkit) => toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'one', newText: '1' }] }))
  expect(buffers.get('a.txt')).toBe('1\n2\nunsaved\n')
})

test('an editor that saves leaves the disk as the editor has it', async () => {
  const { prompt, disk } = await editorOf({ 'a.txt': UNSAVED }, true)
  await prompt((toolkit) => toolkit.execute('edit', EDIT))
  expect(disk('a.txt')).toBe('one\n2\nunsaved\n')
})

test('a file that is as on the disk, also with other line ends, is edited there', async () => {
  const { prompt, writes, disk } = await editorOf({ 'a.txt': DISK.replaceAll('\n', '\r\n') })
  await prompt((toolkit) => toolkit.execute('edit', EDIT))
  expect(disk('a.txt')).toBe('one\n2\n')
  await prompt((toolkit) => toolkit.execute('write', { file_path: 'c.txt', content: 'c' }))
  expect(disk('c.txt')).toBe('c')
  expect(writes).toEqual([])
})

test('after a command has changed a file, the old text of the editor is not taken for one of the user', async () => {
  const { prompt, writes, disk } = await editorOf({ 'a.txt': DISK })
  let read: any
  await prompt(async (toolkit) => {
    await toolkit.execute('read', { file_path: 'a.txt' })
    await toolkit.execute('exec', { command: 'printf "one\\ntwo\\nthree\\n" > a.txt' })
    read = await toolkit.execute('read', { file_path: 'a.txt' })
    await toolkit.execute('edit', EDIT)
  })
  expect(textOf(read)).toContain('three')
  expect(disk('a.txt')).toBe('one\n2\nthree\n')
  expect(writes).toEqual([])
})

test('where editor and disk have both changed, nothing is written', async () => {
  const { prompt, writes, disk, buffers } = await editorOf({ 'a.txt': UNSAVED })
  const error = await failureOf(
    prompt(async (toolkit) => {
      await toolkit.execute('exec', { command: 'printf "other\\ntwo\\n" > a.txt' })
      await toolkit.execute('edit', EDIT)
    }),
  )
  expect(error).toMatchObject({ details: { code: 'unsaved_changes' }, message: expect.stringContaining('save or reload') })
  expect([disk('a.txt'), buffers.get('a.txt'), writes]).toEqual(['other\ntwo\n', UNSAVED, []])
})

test('a patch of several files changes each where it is', async () => {
  const { prompt, disk, buffers } = await editorOf({ 'a.txt': UNSAVED })
  await prompt((toolkit) =>
    toolkit.execute('apply_patch', { input: '*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** Update File: b.txt\n@@\n-two\n+2\n*** End Patch' }),
  )
  expect([buffers.get('a.txt'), disk('a.txt'), disk('b.txt')]).toEqual(['one\n2\nunsaved\n', DISK, 'one\n2\n'])
})

test('a file with unsaved text is not deleted, moved nor created over', async () => {
  const { prompt, disk, buffers } = await editorOf({ 'a.txt': UNSAVED, 'new.txt': 'typed' })
  for (const patch of ['*** Delete File: a.txt', '*** Update File: a.txt\n*** Move to: c.txt', '*** Add File: new.txt\n+x']) {
    const error = await failureOf(prompt((toolkit) => toolkit.execute('apply_patch', { input: `*** Begin Patch\n${patch}\n*** End Patch` })))
    expect(error).toMatchObject({ details: { code: 'unsaved_changes' } })
  }
  expect([disk('a.txt'), buffers.get('a.txt')]).toEqual([DISK, UNSAVED])
})

test('text that the user types while the call is approved is not lost', async () => {
  const holder: any = {}
  const scene = await editorOf({ 'a.txt': UNSAVED }, false, {
    options: { permissions: { ask: ['Edit'], defaultMode: 'allow' } },
    answers: {
      'session/request_permission': () => {
        holder.buffers.set('a.txt', `${UNSAVED}typed\n`)
        return { outcome: { outcome: 'selected', optionId: 'allow_once' } }
      },
    },
  })
  holder.buffers = scene.buffers
  const error = await failureOf(scene.prompt((toolkit) => toolkit.execute('edit', EDIT)))
  expect(error).toMatchObject({ details: { code: 'stale_file' } })
  expect([scene.buffers.get('a.txt'), scene.disk('a.txt')]).toEqual([`${UNSAVED}typed\n`, DISK])
})

test('rules hold for files in the editor, and a text that does not fit says where it was searched', async () => {
  const { prompt, buffers } = await editorOf({ 'a.txt': UNSAVED }, false, { options: { permissions: { deny: ['Edit(b.txt)'], defaultMode: 'allow' } } })
  const error = await failureOf(prompt((toolkit) => toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'nowhere', newText: 'x' }] })))
  expect(error.message).toMatch(/unsaved changes of/)
  expect(await failureOf(prompt((toolkit) => toolkit.execute('edit', { ...EDIT, file_path: 'b.txt' })))).toMatchObject({ error_type: 'permission_denied' })
  expect(buffers.get('a.txt')).toBe(UNSAVED)
})

test.each([
  ['a number', 7],
  ['nothing', undefined],
  ['a list', ['one']],
])('an editor that answers %s has no text', async (_, content) => {
  const { prompt, disk, writes } = await editorOf({}, false, { answers: { 'fs/read_text_file': () => ({ content }) as any } })
  await prompt((toolkit) => toolkit.execute('edit', EDIT))
  expect([disk('a.txt'), writes]).toEqual(['one\n2\n', []])
})

test('an editor that does not take the edit leaves everything as it was', async () => {
  const { prompt, disk, buffers } = await editorOf({ 'a.txt': UNSAVED }, false, {
    answers: {
      'fs/write_text_file': () => {
        throw new Error('read-only')
      },
    },
  })
  const error = await failureOf(prompt((toolkit) => toolkit.execute('edit', EDIT)))
  expect(error.message).toContain('did not accept the edit')
  expect([disk('a.txt'), buffers.get('a.txt')]).toEqual([DISK, UNSAVED])
})
