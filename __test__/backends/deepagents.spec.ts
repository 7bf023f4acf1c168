// `toBackend` of `tenon/langchain` in deepagents itself, and beside its own backend for files of this machine.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { Toolkit } from '../../index.js'
import { remote, unix } from '../../remote.js'
import { startEngine } from '../support/engine.js'
import { PNG, packagesOf } from '../support/frameworks.js'
import { toolkitOf, workspaceOf } from '../support/workspace.js'

const { toBackend } = require('../../js/adapters/deepagents.js')
const packages = packagesOf('deepagents')

describe.skipIf(packages.missing)(`deepagents (${packages.missing ?? 'installed'})`, () => {
  const load = (name: string) => (packages as any).load(name)

  test('deepagents takes it for a sandbox, whose agent has its tools', () => {
    const { createDeepAgent, isSandboxBackend } = load('deepagents')
    const backend = toBackend(toolkitOf())
    expect(isSandboxBackend(backend)).toBe(true)
    expect(createDeepAgent({ model: 'anthropic:none', backend }).constructor.name).not.toBe('')
  })

  test('answers as its own backend does, in 200 operations', async () => {
    const { LocalShellBackend, FilesystemBackend } = load('deepagents')
    const Own = FilesystemBackend ?? LocalShellBackend
    const [here, there] = [workspaceOf(), workspaceOf()]
    for (const root of [here, there]) mkdirSync(path.join(root, 'src'))
    const own = new Own({ rootDir: here, virtualMode: true })
    const ours = toBackend(toolkitOf({}, { workspace: there }))
    let seed = 7
    const next = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most
    const names = ['/a.txt', '/src/b.ts', '/src/c.md', '/deep/er/d.txt']
    const texts = ['one\ntwo\nthree\n', 'alpha beta\n', 'x = 1\ny = 2', 'α β γ\nöäü\n']
    const comparable = async (answer: any) => {
      const { error, content, occurrences, matches, files } = await answer
      if (error) return 'failed'
      const sorted = (list: any[]) => list.map(({ path: name, line, text, is_dir }) => [name, line, text, is_dir === true]).sort()
      return { content, occurrences, matches: matches && sorted(matches), files: files && sorted(files) }
    }
    for (let step = 0; step < 200; step += 1) {
      const name = names[next(names.length)]
      const text = texts[next(texts.length)]
      const made = [
        (backend: any) => backend.write(name, text),
        (backend: any) => backend.read(name),
        (backend: any) => backend.read(name, 1, 1),
        (backend: any) => backend.edit(name, 'one', 'eins'),
        (backend: any) => backend.edit(name, 'x', 'y', true),
        (backend: any) => backend.grep('a'),
        (backend: any) => backend.glob('**/*.ts'),
        // Without a slash it is about one directory.
        (backend: any) => backend.glob('*.ts'),
        (backend: any) => backend.glob('*.{ts,txt}'),
        (backend: any) => backend.glob('*', '/src'),
        (backend: any) => backend.ls('/src'),
      ][next(8)] as (backend: any) => any
      const [expected, answered] = [await comparable(made(own)), await comparable(made(ours))]
      expect(answered, `${step}: ${made} ${name} ${JSON.stringify(text)}`).toEqual(expected)
    }
  })

  test('answers what the standard tests of its sandboxes ask for', async () => {
    const root = workspaceOf({ 'a.txt': 'apple\nbanana\napple', 'b.txt': 'same', 'd/x.txt': 'x', 'd/e/y.py': 'y', 'empty.txt': '' })
    const backend = toBackend(toolkitOf({}, { workspace: root }))
    const errorOf = async (answer: any) => (await answer).error
    expect(await errorOf(backend.edit('/a.txt', 'apple', 'pear'))).toMatch(/^Multiple occurrences found\..*`old_string` occurs 2 times.*`replace_all: true`/)
    expect(await errorOf(backend.edit('/a.txt', 'plum', 'pear'))).toContain('`old_string` was not found')
    expect(await errorOf(backend.edit('/none.txt', 'a', 'b'))).toBe("File '/none.txt' not found")
    expect(await backend.edit('/b.txt', 'same', 'same')).toEqual({ path: '/b.txt', filesUpdate: null, occurrences: 1 })
    expect(await backend.read('/empty.txt')).toEqual({ content: 'System reminder: File exists but has empty contents', mimeType: 'text/plain' })
    expect(await backend.edit('/empty.txt', '', 'first')).toEqual({ path: '/empty.txt', filesUpdate: null, occurrences: 1 })
    expect(await backend.read('/empty.txt', -1, 0)).toMatchObject({ content: '', startLine: 1, endLine: 0 })
    expect(await backend.ls(`${root}/d/`)).toEqual({
      files: [
        { path: `${root}/d/e/`, is_dir: true, size: 0 },
        { path: `${root}/d/x.txt`, is_dir: false, size: 1 },
      ],
    })
    expect(await backend.glob('*', `${root}/d`)).toEqual({
      files: [
        { path: 'x.txt', is_dir: false },
        { path: 'e', is_dir: true },
      ],
    })
    expect(await backend.glob('**/*.py', `${root}/d`)).toEqual({ files: [{ path: 'e/y.py', is_dir: false }] })
    expect(await backend.glob('**/*.py', '/d')).toEqual({ files: [{ path: '/d/e/y.py', is_dir: false }] })
    expect(await backend.grep('y', `${root}/d`)).toEqual({ matches: [{ path: `${root}/d/e/y.py`, line: 1, text: 'y' }] })
    for (const missing of ['/none', `${root}/none`])
      expect([await backend.ls(missing), await backend.glob('*', missing), await backend.grep('x', missing)]).toEqual([
        { files: [] },
        { files: [] },
        { matches: [] },
      ])
  })

  /** Each edit read the file first, so nothing ever counted as changed. */
  test('an edit of what another program has changed since it was read is refused', async () => {
    const root = workspaceOf({ 'a.txt': 'one\n' })
    const backend = toBackend(toolkitOf({}, { workspace: root }))
    expect(await backend.read('/a.txt')).toMatchObject({ content: 'one\n' })
    writeFileSync(path.join(root, 'a.txt'), 'one, but another\n')
    expect((await backend.edit('/a.txt', 'one', 'two')).error).toContain('changed')
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one, but another\n')
  })

  test('commands, and files as they are, over an engine elsewhere', async () => {
    const engine = await startEngine()
    onTestFinished(engine.stop)
    const root = workspaceOf({ 'dot.png': PNG, '.env': 'SECRET=1' })
    const toolkit = new Toolkit<any>({ workspace: remote({ path: root, via: unix(engine.socket) }), permissions: { deny: ['Read(.env)', 'Bash(mv:*)'] } })
    onTestFinished(() => toolkit.close())
    const backend = toBackend(toolkit)
    expect(await backend.execute('echo one; echo two >&2; exit 3')).toEqual({ output: 'one\ntwo\n', exitCode: 3, truncated: false })
    expect(await backend.execute('mv dot.png x')).toEqual({
      output: expect.stringContaining('Denied by the rule `Bash(mv:*)`'),
      exitCode: 126,
      truncated: false,
    })
    expect(await backend.read('/.env')).toEqual({ error: expect.stringContaining('Denied by the rule `Read(.env)`') })
    const bytes = Uint8Array.of(0, 255, 1)
    expect(await backend.uploadFiles([['/up/a.bin', bytes]])).toEqual([{ path: '/up/a.bin', error: null }])
    expect(await backend.downloadFiles(['/up/a.bin', '/dot.png', '/none', '/up', '/.env'])).toEqual([
      { path: '/up/a.bin', content: bytes, error: null },
      { path: '/dot.png', content: new Uint8Array(PNG), error: null },
      { path: '/none', content: null, error: 'file_not_found' },
      { path: '/up', content: null, error: 'is_directory' },
      { path: '/.env', content: null, error: 'permission_denied' },
    ])
    expect(await backend.delete('/up')).toEqual({ path: '/up', filesUpdate: null })
    expect(await backend.delete('/up')).toEqual({ error: "File '/up' not found" })
  })
})
