// `files: 'editor'`: what a user has not saved is edited in their editor and never lost; the disk stays the truth.

import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { pairOf, until, type Pair, type PairOptions } from '../support/acp.js'
import { failureOf } from '../support/workspace.js'

const DISK = 'one\ntwo\n'
const UNSAVED = 'one\ntwo\nunsaved\n'
const EDIT = { file_path: 'a.txt', edits: [{ oldText: 'two', newText: '2' }] }

/** An editor with these texts; it saves what it is given, or only keeps it. */
async function editorOf(texts: Record<string, string>, saves = false, more: PairOptions = {}) {
  const writes: string[] = []
  const buffers = new Map(Object.entries(texts))
  const nameOf = (file: string) => path.relative(pair.workspace, file)
  const pair: Pair = await pairOf({
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

test.each([
  ['in unsaved text', UNSAVED],
  ['in a file that was saved', DISK],
])('text that the user types %s while the call is approved is not lost', async (_, text) => {
  const holder: any = {}
  const scene = await editorOf({ 'a.txt': text }, false, {
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
  expect(error).toMatchObject({
    tool: 'edit',
    error_type: 'execution_failed',
    message: `\`${path.join(scene.workspace, 'a.txt')}\` was changed in the editor while the call ran. Nothing was changed. Call it again.`,
    details: { code: 'stale_file' },
  })
  expect([scene.buffers.get('a.txt'), scene.disk('a.txt')]).toEqual([`${UNSAVED}typed\n`, DISK])
  // The same call again is made in what the user has typed.
  await scene.prompt((toolkit) => toolkit.execute('edit', EDIT))
  expect([scene.buffers.get('a.txt'), scene.disk('a.txt')]).toEqual(['one\n2\nunsaved\ntyped\n', DISK])
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

const PATCH = `*** Begin Patch
*** Update File: a.txt
@@
-two
+2
*** Update File: b.txt
@@
-two
+2
*** End Patch`
const UNSAVED_CHANGES = { tool: 'edit', details: { code: 'unsaved_changes' } }

/** An editor that does not take texts of one file. */
async function stubbornOf(texts: Record<string, string>, name: string, more: PairOptions = {}) {
  const holder: any = { refuses: true, beforeRefusal: () => {} }
  const scene = await editorOf(texts, false, {
    ...more,
    answers: {
      'fs/write_text_file': ({ path: file, content }) => {
        if (path.basename(file) === name && holder.refuses) {
          holder.beforeRefusal()
          throw new Error('read-only')
        }
        scene.buffers.set(path.basename(file), content)
        return {}
      },
    },
  })
  return { ...scene, holder }
}

test.each([
  ['a link to the file', 'link.txt'],
  ['a link to its directory', 'link/a.txt'],
])('unsaved text is found through %s', async (_, name) => {
  const { prompt, workspace, buffers, disk } = await editorOf({}, false, { files: { 'real/a.txt': DISK, 'other.txt': DISK } })
  symlinkSync('real/a.txt', path.join(workspace, 'link.txt'))
  symlinkSync('real', path.join(workspace, 'link'))
  buffers.set('real/a.txt', UNSAVED)
  await prompt((toolkit) => toolkit.execute('edit', { ...EDIT, file_path: name }))
  expect([buffers.get('real/a.txt'), disk('real/a.txt')]).toEqual(['one\n2\nunsaved\n', DISK])
  const error = await failureOf(prompt((toolkit) => toolkit.execute('apply_patch', { input: `*** Begin Patch\n*** Delete File: ${name}\n*** End Patch` })))
  expect(error).toMatchObject({ details: { code: 'unsaved_changes' } })
  expect([buffers.get('real/a.txt'), disk('real/a.txt')]).toEqual(['one\n2\nunsaved\n', DISK])
})

test('a file that the editor has by two names with two texts is not changed', async () => {
  const { prompt, workspace, buffers, disk, writes } = await editorOf({ 'a.txt': UNSAVED, 'l.txt': `${UNSAVED}other\n` })
  symlinkSync('a.txt', path.join(workspace, 'l.txt'))
  const error = await failureOf(prompt((toolkit) => toolkit.execute('edit', { ...EDIT, file_path: 'l.txt' })))
  expect(error).toMatchObject(UNSAVED_CHANGES)
  expect([disk('a.txt'), buffers.get('a.txt'), buffers.get('l.txt'), writes]).toEqual([DISK, UNSAVED, `${UNSAVED}other\n`, []])
})

const UTF_16 = Buffer.from('\ufeffone\ntwo\n', 'utf16le')
test.each([
  ['Latin-1', Buffer.from('caf\xe9\none\ntwo\n', 'latin1'), 'café\none\ntwo\n'],
  ['UTF-16', UTF_16, 'one\ntwo\n'],
])('a file in %s with unsaved text is neither changed nor deleted, and one without is edited', async (_, bytes, text) => {
  const { prompt, workspace, buffers, writes } = await editorOf({ 'a.txt': `${text}unsaved\n` }, false, { files: { 'a.txt': bytes } })
  const file = path.join(workspace, 'a.txt')
  const calls = [
    ['edit', EDIT],
    ['write', { file_path: 'a.txt', content: 'x' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch' }],
  ] as const
  for (const [tool, params] of calls) {
    expect(await failureOf(prompt((toolkit) => toolkit.execute(tool, params)))).toMatchObject({ details: { code: 'unsaved_changes' } })
    expect(readFileSync(file)).toEqual(bytes)
  }
  for (const saved of [text, bytes.toString('utf8')]) {
    writeFileSync(file, bytes)
    buffers.set('a.txt', saved)
    await prompt(async (toolkit) => {
      await toolkit.execute('read', { file_path: 'a.txt' })
      await toolkit.execute('edit', EDIT)
    })
    const changed = readFileSync(file)
    expect(bytes === UTF_16 ? changed.toString('utf16le') : changed.toString('latin1')).toBe(
      (bytes === UTF_16 ? bytes.toString('utf16le') : bytes.toString('latin1')).replace('two', '2'),
    )
  }
  expect(writes).toEqual([])
})

test.each([
  ['the file on the disk', { 'a.txt': UNSAVED }, 'a.txt'],
  ['what the editor has taken', { 'a.txt': UNSAVED, 'b.txt': UNSAVED }, 'b.txt'],
])('a patch that the editor takes in part is taken back: %s', async (_, texts, refused) => {
  const { prompt, buffers, disk, holder, workspace } = await stubbornOf(texts, refused)
  const error = await failureOf(prompt((toolkit) => toolkit.execute('apply_patch', { input: PATCH })))
  expect(error).toMatchObject({
    tool: 'apply_patch',
    message: `\`${path.join(workspace, refused)}\` has unsaved changes in the editor, which did not accept the edit: ${error.message.slice(
      error.message.indexOf('edit: ') + 6,
      error.message.lastIndexOf('. Nothing'),
    )}. Nothing was changed.`,
    details: { code: 'io' },
  })
  expect([Object.fromEntries(buffers), disk('a.txt'), disk('b.txt')]).toEqual([texts, DISK, DISK])
  // The same call again, once the editor takes it.
  holder.refuses = false
  await prompt((toolkit) => toolkit.execute('apply_patch', { input: PATCH }))
  expect(Object.fromEntries(buffers)).toEqual(Object.fromEntries(Object.keys(texts).map((name) => [name, 'one\n2\nunsaved\n'])))
  expect([disk('a.txt'), disk('b.txt')]).toEqual([DISK, Object.hasOwn(texts, 'b.txt') ? DISK : 'one\n2\n'])
})

test('what a patch has changed and could not take back is named', async () => {
  const { prompt, buffers, disk, workspace } = await stubbornOf({ 'a.txt': UNSAVED }, 'a.txt', {
    options: { undo: false, permissions: { defaultMode: 'allow' } },
  })
  const error = await failureOf(prompt((toolkit) => toolkit.execute('apply_patch', { input: PATCH })))
  expect(error.message).toContain(`Changed, and not taken back: \`${path.join(workspace, 'b.txt')}\` on the disk.`)
  expect([buffers.get('a.txt'), disk('a.txt'), disk('b.txt')]).toEqual([UNSAVED, DISK, 'one\n2\n'])
})

test('text that the user types after the editor has taken an edit is not lost when the patch is taken back', async () => {
  const { prompt, buffers, disk, holder, workspace } = await stubbornOf({ 'a.txt': UNSAVED, 'b.txt': UNSAVED }, 'b.txt')
  holder.beforeRefusal = () => buffers.set('a.txt', `${buffers.get('a.txt')}typed\n`)
  const error = await failureOf(prompt((toolkit) => toolkit.execute('apply_patch', { input: PATCH })))
  expect(error.message).toContain(`Changed, and not taken back: \`${path.join(workspace, 'a.txt')}\` in the editor.`)
  expect([buffers.get('a.txt'), buffers.get('b.txt'), disk('a.txt'), disk('b.txt')]).toEqual(['one\n2\nunsaved\ntyped\n', UNSAVED, DISK, DISK])
})

test('undo hands the text before to the editor, and takes the rest of the call back on the disk', async () => {
  const { prompt, buffers, disk } = await editorOf({ 'a.txt': UNSAVED })
  await prompt((toolkit) => toolkit.execute('apply_patch', { input: PATCH }, { toolCallId: 'p' }))
  expect([buffers.get('a.txt'), disk('b.txt')]).toEqual(['one\n2\nunsaved\n', 'one\n2\n'])
  await prompt(async (toolkit) =>
    expect(await toolkit.undo('p')).toEqual([
      { path: 'b.txt', kind: 'update' },
      { path: 'a.txt', kind: 'update' },
    ]),
  )
  expect([buffers.get('a.txt'), disk('a.txt'), disk('b.txt')]).toEqual([UNSAVED, DISK, DISK])
})

test('undo of a call in the editor is refused with the path where its text or the file changed', async () => {
  const { prompt, buffers, disk, workspace } = await editorOf({ 'a.txt': UNSAVED })
  const after = 'one\n2\nunsaved\n'
  const refusal = { tool: 'undo', error_type: 'execution_failed', details: { code: 'stale_file', path: 'a.txt', paths: ['a.txt'], toolCallId: 'p' } }
  await prompt((toolkit) => toolkit.execute('apply_patch', { input: PATCH }, { toolCallId: 'p' }))
  const undone = () => failureOf(prompt((toolkit) => toolkit.undo('p')))
  buffers.set('a.txt', `${after}typed\n`)
  expect(await undone()).toMatchObject(refusal)
  buffers.set('a.txt', after)
  writeFileSync(path.join(workspace, 'a.txt'), 'other\n')
  expect(await undone()).toMatchObject(refusal)
  writeFileSync(path.join(workspace, 'a.txt'), DISK)
  await prompt((toolkit) => toolkit.execute('edit', { ...EDIT, edits: [{ oldText: '2', newText: 'two!' }] }, { toolCallId: 'later' }))
  const error = await undone()
  expect(error).toMatchObject({ ...refusal, details: { ...refusal.details, laterCalls: ['later'] } })
  expect([buffers.get('a.txt'), disk('a.txt'), disk('b.txt')]).toEqual(['one\ntwo!\nunsaved\n', DISK, 'one\n2\n'])
  await prompt(async (toolkit) => {
    expect(await toolkit.undo('later')).toEqual([{ path: 'a.txt', kind: 'update' }])
    expect(await failureOf(toolkit.undo('later'))).toMatchObject({ tool: 'undo', error_type: 'not_found' })
    // The disk part cannot be taken back, so the editor keeps its part.
    writeFileSync(path.join(workspace, 'b.txt'), 'user\n')
    expect(await failureOf(toolkit.undo('p'))).toMatchObject({ details: { code: 'stale_file', paths: ['b.txt'] } })
  })
  expect([buffers.get('a.txt'), disk('a.txt'), disk('b.txt')]).toEqual([after, DISK, 'user\n'])
})

test('a call in the editor alone can be undone where the disk keeps nothing', async () => {
  const { prompt, buffers, disk } = await editorOf({ 'a.txt': UNSAVED }, false, { options: { undo: false, permissions: { defaultMode: 'allow' } } })
  await prompt(async (toolkit) => {
    await toolkit.execute('edit', EDIT, { toolCallId: 'e' })
    expect(await toolkit.undo('e')).toEqual([{ path: 'a.txt', kind: 'update' }])
  })
  expect([buffers.get('a.txt'), disk('a.txt')]).toEqual([UNSAVED, DISK])
})

test('undo on the disk does not change a file under the unsaved text of the user', async () => {
  const { prompt, buffers, disk } = await editorOf({ 'a.txt': DISK })
  await prompt((toolkit) => toolkit.execute('edit', EDIT, { toolCallId: 'e' }))
  buffers.set('a.txt', 'one\n2\ntyped\n')
  expect(await failureOf(prompt((toolkit) => toolkit.undo('e')))).toMatchObject({ tool: 'undo', details: { code: 'unsaved_changes' } })
  expect([buffers.get('a.txt'), disk('a.txt')]).toEqual(['one\n2\ntyped\n', 'one\n2\n'])
})

test('a file that the user saved and typed on in is edited in the editor', async () => {
  const { prompt, buffers, disk, workspace } = await editorOf({ 'a.txt': DISK })
  await prompt(async (toolkit) => {
    await toolkit.execute('write', { file_path: 'c.txt', content: 'c' })
    await toolkit.execute('exec', { command: 'true' })
  })
  // The clock of files is coarser than that of the process.
  await new Promise((resolve) => setTimeout(resolve, 50))
  writeFileSync(path.join(workspace, 'a.txt'), 'one\ntwo\nsaved\n')
  buffers.set('a.txt', 'one\ntwo\nsaved\ntyped\n')
  await prompt((toolkit) => toolkit.execute('edit', EDIT))
  expect([buffers.get('a.txt'), disk('a.txt')]).toEqual(['one\n2\nsaved\ntyped\n', 'one\ntwo\nsaved\n'])
})

test('a command in the background may change files until it ends', async () => {
  const { prompt, buffers, disk, writes } = await editorOf({ 'a.txt': UNSAVED })
  await prompt(async (toolkit) => {
    await toolkit.execute('exec', { command: 'sleep 0.3; printf "other\\ntwo\\n" > a.txt; sleep 60', background: true })
    await until(() => disk('a.txt') !== DISK)
    expect(await failureOf(toolkit.execute('edit', EDIT))).toMatchObject(UNSAVED_CHANGES)
  })
  expect([buffers.get('a.txt'), disk('a.txt'), writes]).toEqual([UNSAVED, 'other\ntwo\n', []])
})

test.each([
  ['CRLF', '\r\n', '\n'],
  ['LF', '\n', '\r\n'],
])('a file with %s is edited in an editor that has other line ends, also after a read', async (_, ofFile, ofEditor) => {
  const [saved, unsaved] = [DISK.replaceAll('\n', ofFile), UNSAVED.replaceAll('\n', ofEditor)]
  const { prompt, buffers, disk } = await editorOf({ 'a.txt': unsaved }, false, { files: { 'a.txt': saved } })
  await prompt(async (toolkit) => {
    await toolkit.execute('read', { file_path: 'a.txt' })
    await toolkit.execute('edit', EDIT)
  })
  expect([buffers.get('a.txt'), disk('a.txt')]).toEqual([unsaved.replace('two', '2'), saved])
})

test('what a tool of the host changes without saying so counts as changed by it', async () => {
  const { prompt, workspace, buffers, disk, writes } = await editorOf({ 'a.txt': UNSAVED })
  await prompt(async (toolkit) => {
    toolkit.registerTool({
      name: 'generate',
      description: 'Generates files.',
      parameters: { type: 'object', properties: {} },
      handler: () => writeFileSync(path.join(workspace, 'a.txt'), 'other\ntwo\n'),
    })
    await toolkit.execute('generate', {})
    expect(await failureOf(toolkit.execute('edit', EDIT))).toMatchObject(UNSAVED_CHANGES)
  })
  expect([buffers.get('a.txt'), disk('a.txt'), writes]).toEqual([UNSAVED, 'other\ntwo\n', []])
})

// The second call waited for the first, which waited for it.
test('a tool of the host changes the file that it has declared through the toolkit', async () => {
  const { prompt, disk, buffers } = await editorOf({ 'a.txt': UNSAVED, 'b.txt': DISK })
  await prompt(async (toolkit) => {
    toolkit.registerTool({
      name: 'twice',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
      effects: { writes: ['path'] },
      handler: async ({ path: file }: any) => {
        const edit = (oldText: string, newText: string) => toolkit.execute('edit', { file_path: file, edits: [{ oldText, newText }] })
        await Promise.all([edit('one', '1'), edit('two', '2')])
        return 'done'
      },
    })
    await toolkit.execute('twice', { path: 'b.txt' })
  })
  expect([disk('b.txt'), buffers.get('a.txt')]).toEqual(['1\n2\n', UNSAVED])
})

/** A language server that renames in two files. */
const RENAMES = `
let rest = Buffer.alloc(0)
const send = (message) => {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message })
  process.stdout.write('Content-Length: ' + Buffer.byteLength(text) + '\\r\\n\\r\\n' + text)
}
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }
const take = ({ id, method, params }) => {
  if (method === 'initialize') return send({ id, result: { capabilities: { renameProvider: true, textDocumentSync: 1 } } })
  if (method === 'exit') return process.exit(0)
  if (id === undefined) return
  if (method !== 'textDocument/rename') return send({ id, result: null })
  const { uri } = params.textDocument
  const edits = [{ range, newText: params.newName }]
  send({ id, result: { changes: { [uri]: edits, [uri.replace('a.demo', 'b.demo')]: edits } } })
}
process.stdin.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk])
  for (;;) {
    const head = rest.indexOf('\\r\\n\\r\\n')
    if (head < 0) return
    const length = Number(/Content-Length: (\\d+)/i.exec(rest.subarray(0, head).toString())[1])
    if (rest.length < head + 4 + length) return
    const text = rest.subarray(head + 4, head + 4 + length).toString()
    rest = rest.subarray(head + 4 + length)
    take(JSON.parse(text))
  }
})
`

// Only the server knows the files, so that the disk was changed under the text of the user.
test.each([
  ['with unsaved text in one of its files changes nothing and names it', { 'b.demo': 'one unsaved\n' }, 'one = 1\n'],
  ['without unsaved text changes the disk', { 'b.demo': 'one + one\n' }, 'two = 1\n'],
])('a rename by a language server %s', async (_, texts, a) => {
  const files = { 'a.demo': 'one = 1\n', 'b.demo': 'one + one\n' }
  const server = { command: process.execPath, args: ['-e', RENAMES], extensions: ['.demo'] }
  const { prompt, disk, buffers } = await editorOf(texts, false, { files, options: { lsp: { servers: { demo: server } } } })
  const rename = { operation: 'rename', filePath: 'a.demo', line: 1, character: 1, newName: 'two' }
  let failure: any
  await prompt(
    async (toolkit) =>
      void (failure = await toolkit.execute('lsp', rename).then(
        () => undefined,
        (error) => error,
      )),
  )
  expect([disk('a.demo'), buffers.get('b.demo')]).toEqual([a, texts['b.demo']])
  if (a === files['a.demo'])
    expect(failure).toMatchObject({ details: { code: 'unsaved_changes' }, message: expect.stringContaining('b.demo` has unsaved changes') })
  else expect([failure, disk('b.demo')]).toEqual([undefined, 'two + one\n'])
})
