import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { failureOf, readyOf, signaturesOf, toolkitOf, workspaceOf } from '../support/workspace.js'

/** A toolkit that speaks `acp`, and its calls. */
function acp(files: Record<string, string | Uint8Array> = {}, options: object = {}) {
  const root = workspaceOf(files)
  const toolkit = toolkitOf<'acp'>({}, { dialect: 'acp', workspace: root, ...options })
  const call = (name: string, params: object): Promise<any> => toolkit.execute(name, params as never)
  /** The text that a tool answers, which its details repeat. */
  const text = async (name: string, params: object) => {
    const { content, details } = await call(name, params)
    expect(content).toEqual([{ type: 'text', text: details.text }])
    expect(details).toEqual({ type: 'text', text: details.text })
    return details.text as string
  }
  const content = (name: string) => readFileSync(path.join(root, name), 'utf8')
  return { toolkit, root, call, text, content, refusal: (name: string, params: object) => failureOf(call(name, params)) }
}

test('the vocabulary', async () => {
  expect(signaturesOf(await readyOf(acp().toolkit))).toEqual(
    expect.arrayContaining([
      'read_file(path)',
      'write_file(path, content)',
      'list_directory(path?)',
      'search_files(query, path?, includePattern?)',
      'edit_file(path, edits)',
      'run_command(command, cwd?)',
      'delete_file(path)',
    ]),
  )
})

test('read_file answers the text of a file', async () => {
  expect(await acp({ 'a.txt': 'one\ntwo\n' }).text('read_file', { path: 'a.txt' })).toBe('one\ntwo\n')
})

test('write_file says what it wrote', async () => {
  const { text, content } = acp()
  expect(await text('write_file', { path: 'new/a.txt', content: 'größe\n' })).toBe('File written successfully to new/a.txt (8 bytes)')
  expect(content('new/a.txt')).toBe('größe\n')
})

test('list_directory answers one entry a line, directories with a slash', async () => {
  const { text } = acp({ 'src/a.ts': '', 'b.txt': '', '.env': '' })
  expect(await text('list_directory', { path: '.' })).toBe('.env\nb.txt\nsrc/')
  expect(await text('list_directory', { path: 'src' })).toBe('a.ts')
})

describe('search_files', () => {
  const files = { 'src/a.ts': 'let a = call(1)\n', 'src/b.js': 'call(2)\n', 'c.md': 'a call\n' }

  test('answers file, line and content', async () => {
    const { text } = acp(files)
    expect(await text('search_files', { query: 'call' })).toBe('c.md:1: a call\nsrc/a.ts:1: let a = call(1)\nsrc/b.js:1: call(2)')
    expect(await text('search_files', { query: '^call', path: 'src' })).toBe('src/b.js:1: call(2)')
    expect(await text('search_files', { query: 'call', includePattern: '*.ts' })).toBe('src/a.ts:1: let a = call(1)')
  })

  test('a query that is not a regular expression is searched as plain text', async () => {
    expect(await acp(files).text('search_files', { query: 'call(2' })).toMatch(/^src\/b\.js:1: call\(2\)\n\n\[`call\(2` is not a valid regular expression/)
  })

  test('an empty answer explains itself', async () => {
    expect(await acp(files).text('search_files', { query: 'CALL' })).toBe('No matches found in 3 files\n\n[Case-insensitive, `c.md` matches]')
  })
})

describe('edit_file', () => {
  test('replaces texts and inserts lines, and answers the diff', async () => {
    const { call, content } = acp({ 'a.txt': 'one\ntwo\nthree\n' })
    const diff = '@@ -1,3 +1,4 @@\n+zero\n one\n-two\n+2\n three\n'
    const edits = [
      { type: 'replace', oldText: 'two', newText: '2' },
      { type: 'insert', line: 1, text: 'zero' },
    ]
    expect(await call('edit_file', { path: 'a.txt', edits })).toEqual({
      content: [{ type: 'text', text: diff }],
      details: { type: 'diff', path: 'a.txt', diff },
    })
    expect(content('a.txt')).toBe('zero\none\n2\nthree\n')
  })

  test('insert makes the text the line that is named; one more than there are appends', async () => {
    const { call, content } = acp({ 'a.txt': 'one\r\ntwo\r\n' })
    await call('edit_file', {
      path: 'a.txt',
      edits: [
        { type: 'insert', line: 2, text: 'x\ny\n' },
        { type: 'insert', line: 3, text: 'z' },
      ],
    })
    expect(content('a.txt')).toBe('one\r\nx\r\ny\r\ntwo\r\nz\r\n')
  })

  test('all edits are made or none', async () => {
    const { refusal, content } = acp({ 'a.txt': 'one\ntwo\n' })
    const failure = await refusal('edit_file', {
      path: 'a.txt',
      edits: [
        { type: 'insert', line: 1, text: 'zero' },
        { type: 'replace', oldText: 'three', newText: '3' },
      ],
    })
    expect(failure).toMatchObject({ error_type: 'not_found', details: { code: 'no_match' } })
    expect(content('a.txt')).toBe('one\ntwo\n')
    expect(await refusal('edit_file', { path: 'a.txt', edits: [{ type: 'insert', line: 9, text: 'x' }] })).toMatchObject({
      error_type: 'invalid_input',
      message: expect.stringContaining('Use a line from 1 to 3'),
    })
  })

  test('each type has its own members', async () => {
    const { toolkit } = acp()
    const edits = [{ type: 'replace', oldText: 'a' }, { type: 'insert', line: 1, text: 'x', newText: 'y' }, { type: 'move' }]
    expect(
      (await toolkit.promises.validateParams('edit_file', { path: 'a', edits: edits.slice(0, 2) })).errors?.map(({ param, code }) => [param, code]),
    ).toEqual([
      ['edits[0].newText', 'MISSING_REQUIRED'],
      ['edits[1].newText', 'UNKNOWN_PARAM'],
    ])
    expect((await toolkit.promises.validateParams('edit_file', { path: 'a', edits: edits.slice(2) })).errors).toMatchObject([
      { param: 'edits[0].type', code: 'INVALID_ENUM' },
    ])
  })
})

describe('run_command', () => {
  test('answers what the command wrote and how it ended', async () => {
    const { text, root } = acp({ 'sub/x': '' })
    expect(await text('run_command', { command: 'echo out; echo err >&2' })).toBe('out\nerr')
    expect(await text('run_command', { command: 'pwd', cwd: 'sub' })).toBe(`${root}/sub`)
    expect(await text('run_command', { command: 'exit 2' })).toContain('Command exited with code 2')
  })

  test('a time-out is an error', async () => {
    const { refusal } = acp({}, { limits: { timeoutMs: 500 } })
    expect(await refusal('run_command', { command: 'echo begun; sleep 300' })).toMatchObject({
      error_type: 'timeout',
      message: expect.stringContaining('begun'),
    })
  })
})

describe('delete_file', () => {
  test('deletes a file, but no directory', async () => {
    const { text, refusal, root } = acp({ 'a.txt': 'one', 'directory/b.txt': '' })
    expect(await text('delete_file', { path: 'a.txt' })).toBe('File deleted successfully: a.txt (3 bytes)')
    expect(existsSync(path.join(root, 'a.txt'))).toBe(false)
    expect(await refusal('delete_file', { path: 'directory' })).toMatchObject({ error_type: 'invalid_input', details: { code: 'not_a_file' } })
    expect(await refusal('delete_file', { path: 'a.txt' })).toMatchObject({ error_type: 'not_found' })
  })
})

test('what is dangerous asks by default', async () => {
  const asked: string[] = []
  const onApproval = async ({ tool }: { tool: string }) => {
    asked.push(tool)
    return 'never' as const
  }
  const { toolkit } = acp({ 'a.txt': 'a\n' }, { onApproval })
  const calls: [string, object][] = [
    ['read_file', { path: 'a.txt' }],
    ['list_directory', { path: '.' }],
    ['search_files', { query: 'a' }],
    ['write_file', { path: 'b.txt', content: '' }],
    ['edit_file', { path: 'a.txt', edits: [{ type: 'insert', line: 1, text: 'x' }] }],
    ['run_command', { command: 'true' }],
    ['delete_file', { path: 'a.txt' }],
  ]
  const outcomes = await Promise.all(
    calls.map(([name, params]) =>
      toolkit.execute(name, params as never).then(
        () => 'done',
        (error) => error.error_type,
      ),
    ),
  )
  expect(outcomes).toEqual(['done', 'done', 'done', 'permission_denied', 'permission_denied', 'permission_denied', 'permission_denied'])
  expect(asked.sort()).toEqual(['delete_file', 'edit_file', 'run_command', 'write_file'])
})
