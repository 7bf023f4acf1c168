// `tenon/vscode` in a real VS Code: code-server with Chromium, and the extension of `fixtures/vscode-extension`.

import { existsSync } from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { Toolkit } from '../index.js'
import { vsCodeManifest } from '../vscode.js'
import { type Editor, noEditor, startEditor } from './support/editor.js'
import { ROOT } from './support/run.js'

const CODE = `export function hello(name: string) {
  return \`hello \${name}\`
}
export const a = hello('you')
export const b: number = 'text'
`

describe.skipIf(noEditor !== undefined)(`an extension in VS Code${noEditor ? ` (skipped: ${noEditor})` : ''}`, () => {
  let editor: Editor
  beforeAll(async () => {
    const toolkit = new Toolkit({ workspace: ROOT })
    const manifest = vsCodeManifest(toolkit, { names: ['read', 'exec'] })
    await toolkit.close()
    const text = 'one\ntwo\nthree\n'
    editor = await startEditor({ 'a.txt': text, 'b.txt': text, 'c.txt': text, 'd.txt': text, 'e.txt': 'one\n', 'trap.txt': 'one\n', 'code.ts': CODE }, manifest)
  }, 180_000)
  afterAll(() => editor?.stop(), 60_000)

  test('it is the real one, and what it applies is not on the disk', async () => {
    expect((await editor.run('version')).version).toMatch(/^1\.\d+\.\d+$/)
    expect(await editor.run('applyEdit')).toEqual({ isDirty: true, disk: 'one\n' })
  })

  test('unsaved text is edited in the editor and saved, in the one place that changes', async () => {
    const result = await editor.run('unsaved', { save: true, name: 'a.txt', edit: { oldText: 'two', newText: 'zwei' } })
    const text = 'one\nzwei\nthree\ntyped by the user\n'
    expect(result).toMatchObject({ text, disk: text, isDirty: false, content: expect.stringContaining('unsaved changes in the editor of the user') })
  })

  test('it stays unsaved where the host wants it so, and a deletion does not lose it', async () => {
    const result = await editor.run('unsaved', { save: false, name: 'b.txt', edit: { oldText: 'two', newText: 'zwei' } })
    expect(result).toMatchObject({ text: 'one\nzwei\nthree\ntyped by the user\n', disk: 'one\ntwo\nthree\n', isDirty: true })
    expect(await editor.run('remove', { name: 'c.txt' })).toMatchObject({
      code: 'unsaved_changes',
      text: 'one\ntwo\nthree\ntyped by the user\n',
      disk: 'one\ntwo\nthree\n',
    })
  })

  test('the editor takes over what was edited on the disk', async () => {
    const result = await editor.run('reloaded', { name: 'd.txt', edit: { oldText: 'two', newText: 'zwei' }, expected: 'one\nzwei\nthree\n' })
    expect(result).toEqual({ text: 'one\nzwei\nthree\n', isDirty: false })
  })

  test('its language features answer, and rename', async () => {
    const result = await editor.run('language', { name: 'code.ts' })
    const file = path.join(editor.root, 'code.ts')
    expect(result.symbols.map(({ name, kind, line }: any) => [name, kind, line])).toEqual(
      expect.arrayContaining([
        ['hello', 'function', 1],
        ['a', 'variable', 4],
      ]),
    )
    expect(result.definition).toEqual([{ path: file, line: 1, character: 17 }])
    expect(result.diagnostics).toEqual([expect.objectContaining({ path: file, line: 5, severity: 'error', source: 'ts' })])
    expect(result.references.split('\n')).toEqual(expect.arrayContaining(['code.ts:1:17', 'code.ts:4:18']))
    expect(result.hover).toContain('function hello(name: string): string')
    expect(result.renamed).toEqual([file])
    expect(result.disk).toBe(CODE.replaceAll('hello(', 'greeting('))
  }, 120_000)

  test('an approval is its dialog, with the command', async () => {
    const allowed = editor.run('approval')
    const question = await editor.press('Allow once')
    expect(question).toContain('touch approved.txt && echo done')
    expect(question).not.toContain('matched_rule')
    expect(await allowed).toEqual({ value: 'done\n' })
    expect(existsSync(path.join(editor.root, 'approved.txt'))).toBe(true)
    const refused = editor.run('approval')
    await editor.press('Cancel')
    expect(await refused).toMatchObject({ error_type: 'permission_denied' })
  })

  test('a question is its picker', async () => {
    expect(await editor.run('question')).toMatchObject({ value: expect.stringContaining('red') })
  })

  test('its language models call the tools of the manifest, after its confirmation', async () => {
    const read = await editor.run('invoke', { tool: 'tenon_read', input: { file_path: 'e.txt' } })
    expect(read).toEqual({ value: ['one\n'], known: ['tenon_read', 'tenon_exec'] })
    const options = { permissions: { ask: ['Bash(echo:*)'], deny: ['Bash(rm:*)'] } }
    const denied = await editor.run('invoke', { tool: 'tenon_exec', input: { command: 'rm a.txt' }, options })
    expect(denied.message).toContain('Bash(rm:*)')
    expect(existsSync(path.join(editor.root, 'a.txt'))).toBe(true)
    const confirmed = editor.run('invoke', { tool: 'tenon_exec', input: { command: 'echo hello' }, options })
    const question = await editor.press('Yes')
    expect(question).toContain('requires approval by the rule Bash(echo:*)')
    expect(question).toContain('echo hello')
    expect(question).not.toContain('matched_rule')
    expect((await confirmed).value).toEqual(['hello\n'])
  })
})
