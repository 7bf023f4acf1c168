import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { testWith } from '../support/programs.js'
import { failureOf, readyOf, toolkitOf, workspaceOf } from '../support/workspace.js'

/** A toolkit that speaks `manager`, and its calls: a name and parameters to details. */
function manager(files: Record<string, string | Uint8Array> = {}, options: object = {}) {
  const root = workspaceOf(files)
  const toolkit = toolkitOf<'manager'>({}, { dialect: 'manager', workspace: root, ...options })
  const execute = (name: string, params: object): Promise<any> => toolkit.execute(name, params as never)
  const call = async (name: string, params: object) => (await execute(name, params)).details
  const text = async (name: string, params: object) => (await execute(name, params)).content[0].text as string
  return { toolkit, root, execute, call, text, refusal: (name: string, params: object) => failureOf(execute(name, params)) }
}

/** The smallest image there is: one transparent pixel. */
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

test('the vocabulary and its categories', async () => {
  const toolkit = await readyOf(manager().toolkit)
  const tools = toolkit.tools().map((tool) => {
    const { properties, required = [] } = tool.parameters
    return `${tool.category} ${tool.name}(${Object.keys(properties)
      .map((name) => (required.includes(name) ? name : `${name}?`))
      .join(', ')})`
  })
  expect(tools).toEqual(
    expect.arrayContaining([
      'file_system read_file(path, encoding?, offset?, limit?)',
      'file_system write_file(path, content, createDirs?)',
      'search search_files(pattern, directory?, ignore?, maxResults?)',
      'code_analysis search_code(query, files?, regex?, caseInsensitive?, maxResults?)',
      'testing run_tests(scope?, file?, watch?, coverage?)',
      'git git_status(directory?)',
    ]),
  )
  expect(toolkit.getToolsByCategory('git').map((tool) => tool.name)).toEqual(['git_status'])
})

describe('read_file', () => {
  test('answers the whole file and its size in bytes', async () => {
    const { call } = manager({ 'src/a.txt': 'größe\n' })
    expect(await call('read_file', { path: 'src/a.txt' })).toEqual({ path: 'src/a.txt', content: 'größe\n', size: 8, encoding: 'utf-8' })
  })

  test('in ASCII or base64 on request', async () => {
    const { call, refusal } = manager({ 'a.txt': 'plain', 'b.bin': Buffer.from([0, 1, 255]), 'c.txt': 'größe' })
    expect(await call('read_file', { path: 'a.txt', encoding: 'ascii' })).toEqual({ path: 'a.txt', content: 'plain', size: 5, encoding: 'ascii' })
    expect(await call('read_file', { path: 'b.bin', encoding: 'base64' })).toEqual({ path: 'b.bin', content: 'AAH/', size: 3, encoding: 'base64' })
    expect(await refusal('read_file', { path: 'c.txt', encoding: 'ascii' })).toMatchObject({ error_type: 'invalid_input' })
    expect(await refusal('read_file', { path: 'b.bin' })).toMatchObject({ error_type: 'invalid_input', details: { code: 'binary_file' } })
  })

  /** It said that they were in details, which no model sees. */
  test('shows the bytes that were asked for, unless they are long', async () => {
    const { execute } = manager({ 'b.bin': Buffer.from([0, 1, 255]), 'long.bin': Buffer.alloc(9000, 255) })
    const shown = async (path: string) => (await execute('read_file', { path, encoding: 'base64' })).content
    expect(await shown('b.bin')).toEqual([{ type: 'text', text: 'AAH/' }])
    const text = 'long.bin: 9000 bytes, as base64 in the details of this result for the program that made the call; too long to be shown here'
    expect(await shown('long.bin')).toEqual([{ type: 'text', text }])
  })

  test('shows images', async () => {
    const { execute, root } = manager({ 'a.png': PIXEL })
    expect(await execute('read_file', { path: 'a.png' })).toEqual({
      content: [
        { type: 'text', text: `MEDIA:${root}/a.png` },
        { type: 'image', data: PIXEL.toString('base64'), mimeType: 'image/png' },
      ],
      details: { path: 'a.png', width: 1, height: 1, mimeType: 'image/png' },
    })
  })
})

describe('write_file', () => {
  test('creates directories unless an option says otherwise', async () => {
    const { call, refusal, root } = manager()
    expect(await call('write_file', { path: 'a/b.txt', content: 'größe' })).toEqual({ path: 'a/b.txt', bytesWritten: 7, success: true })
    expect(readFileSync(path.join(root, 'a/b.txt'), 'utf8')).toBe('größe')
    expect(await refusal('write_file', { path: 'x/y.txt', content: '', createDirs: false })).toMatchObject({ error_type: 'not_found' })
    expect(existsSync(path.join(root, 'x'))).toBe(false)
  })
})

describe('search_files', () => {
  const files = { 'src/a.ts': '', 'src/b.ts': '', 'c.ts': '', 'node_modules/d.ts': '', 'dist/e.ts': '' }

  test('answers paths, and how many there are', async () => {
    const { call, text } = manager(files)
    expect(await call('search_files', { pattern: '**/*.ts' })).toEqual({ files: ['c.ts', 'src/a.ts', 'src/b.ts'], totalFound: 3, truncated: false })
    expect(await call('search_files', { pattern: '*.ts', maxResults: 1 })).toEqual({ files: ['c.ts'], totalFound: 3, truncated: true })
    expect(await text('search_files', { pattern: '*.ts', maxResults: 1 })).toBe('c.ts\n\n[1 of 3 files shown. Use maxResults=2 for more, or narrow pattern]')
    expect(await call('search_files', { pattern: '*.ts', directory: 'src' })).toMatchObject({ files: ['src/a.ts', 'src/b.ts'] })
  })

  test('leaves out node_modules, .git and dist, or what ignore says instead', async () => {
    const { call } = manager(files)
    expect(await call('search_files', { pattern: '*.ts', ignore: ['src', 'c.ts'] })).toMatchObject({ files: ['dist/e.ts', 'node_modules/d.ts'] })
    expect(await call('search_files', { pattern: '*.ts', ignore: [] })).toMatchObject({ totalFound: 5 })
  })
})

describe('search_code', () => {
  const files = { 'src/a.ts': 'const x = obj.call(1)\n', 'src/b.js': '// OBJ.CALL\n', 'c.txt': 'objxcall\n' }

  test('looks for a text, without regard to case', async () => {
    expect(await manager(files).call('search_code', { query: 'obj.call' })).toEqual({
      query: 'obj.call',
      matches: [
        { file: 'src/a.ts', line: 1, column: 11, match: 'obj.call', context: 'const x = obj.call(1)' },
        { file: 'src/b.js', line: 1, column: 4, match: 'OBJ.CALL', context: '// OBJ.CALL' },
      ],
      totalMatches: 2,
    })
  })

  test('or for a regular expression, with regard to case, in some files', async () => {
    const { call } = manager(files)
    const found = async (params: object) => (await call('search_code', { query: 'obj.call', ...params })).matches.map(({ file }: any) => file)
    expect(await found({ regex: true })).toEqual(['c.txt', 'src/a.ts', 'src/b.js'])
    expect(await found({ caseInsensitive: false })).toEqual(['src/a.ts'])
    expect(await found({ files: '*.js' })).toEqual(['src/b.js'])
    expect(await found({ files: 'src/**' })).toEqual(['src/a.ts', 'src/b.js'])
  })

  test('stops at 50 matches, or maxResults, and counts the rest', async () => {
    const { call } = manager({ 'a.txt': 'x\n'.repeat(80) })
    const { matches, totalMatches } = await call('search_code', { query: 'x' })
    expect([matches.length, totalMatches]).toEqual([50, 80])
    expect((await call('search_code', { query: 'x', maxResults: 5 })).matches).toHaveLength(5)
  })
})

describe('git_status', () => {
  const git = (root: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main', '-c', 'commit.gpgSign=false', ...args], {
      cwd: root,
      stdio: 'pipe',
    })

  testWith('git')('answers branch, distance and files', async () => {
    const { call, text, root } = manager({ 'a.txt': '1\n', 'b.txt': '1\n', 'c.txt': '1\n' })
    git(root, 'init', '-q')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'first')
    const clean = { branch: 'main', ahead: 0, behind: 0, modified: [], created: [], deleted: [], staged: [], conflicted: [] }
    expect(await call('git_status', {})).toEqual(clean)
    expect(await text('git_status', {})).toBe('On branch main\nNothing to commit, working tree clean')

    writeFileSync(path.join(root, 'a.txt'), 'changed\n')
    rmSync(path.join(root, 'b.txt'))
    writeFileSync(path.join(root, 'c.txt'), 'changed\n')
    writeFileSync(path.join(root, 'new.txt'), '')
    git(root, 'add', 'c.txt')
    expect(await call('git_status', { directory: '.' })).toEqual({
      ...clean,
      modified: ['a.txt', 'c.txt'],
      created: ['new.txt'],
      deleted: ['b.txt'],
      staged: ['c.txt'],
    })
  })

  testWith('git')('a directory in no repository is an error', async () => {
    expect(await manager().refusal('git_status', {})).toMatchObject({ error_type: 'not_found', message: expect.stringContaining('is not in a git repository') })
  })
})

describe('run_tests', () => {
  const suite = "import test from 'node:test'\nimport assert from 'node:assert'\ntest('größe', () => {\n  assert.equal(1, 2)\n})\ntest('other', () => {})\n"

  test('finds the runner, counts, and names what failed where', async () => {
    const { call, text } = manager({ 'package.json': '{ "scripts": { "test": "node --test" } }', 'a.test.mjs': suite })
    const details = await call('run_tests', { scope: 'all' })
    expect(details).toEqual({
      framework: 'node:test',
      passed: 1,
      failed: 1,
      skipped: 0,
      totalTime: expect.any(Number),
      failedTests: [{ name: 'größe', error: expect.stringMatching(/^1 == 2\n/), file: 'a.test.mjs', line: 4 }],
      command: 'node --test --test-reporter=tap',
      directory: '.',
    })
    expect(await text('run_tests', { file: 'a.test.mjs' })).toMatch(
      /^node:test: 1 passed, 1 failed, 0 skipped \([\d.]+ s\)\n\nFAILED größe \(a\.test\.mjs:4\)\n/,
    )
  })

  test('without a runner is an error that says what was looked for', async () => {
    const { refusal } = manager()
    expect(await refusal('run_tests', {})).toMatchObject({ error_type: 'not_found', message: expect.stringContaining('Cargo.toml') })
  })

  test('shows the command to the approver', async () => {
    const { toolkit } = manager({ 'a.test.mjs': suite }, { permissions: { defaultMode: 'ask' } })
    expect(await toolkit.promises.approvalRequest('run_tests', {} as never)).toMatchObject({
      preview: { commands: [{ text: 'node --test --test-reporter=tap' }] },
    })
  })
})

test('get_diagnostics says who could not check the file', async () => {
  const { call, refusal } = manager({ 'a.ts': 'export const a = 1\n' })
  expect(await call('get_diagnostics', { file: 'a.ts', type: 'eslint' })).toMatchObject({
    file: 'a.ts',
    diagnostics: [],
    errorCount: 0,
    warningCount: 0,
    ok: false,
  })
  expect(await refusal('get_diagnostics', { file: 'nope.ts' })).toMatchObject({ error_type: 'not_found' })
})
