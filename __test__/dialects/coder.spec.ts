import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { failureOf, readyOf, signaturesOf, toolkitOf, workspaceOf } from '../support/workspace.js'

/** A toolkit that speaks `coder`, and its calls: a name and parameters to details. */
function coder(files: Record<string, string | Uint8Array> = {}, options: object = {}) {
  const root = workspaceOf(files)
  const toolkit = toolkitOf<'coder'>({}, { dialect: 'coder', workspace: root, ...options })
  const call = async (name: string, params: object): Promise<any> => (await toolkit.execute(name, params as never)).details
  const text = async (name: string, params: object) => {
    const [part] = (await toolkit.execute(name, params as never)).content
    return part!.type === 'text' ? part.text : part!.mimeType
  }
  return { toolkit, root, call, text, refusal: (name: string, params: object) => failureOf(toolkit.execute(name, params as never)) }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

test('the vocabulary', async () => {
  const toolkit = await readyOf(coder().toolkit)
  expect(signaturesOf(toolkit)).toEqual(
    expect.arrayContaining([
      'read(path, offset?, limit?)',
      'write(path, content)',
      'list(path?)',
      'glob(pattern)',
      'grep(pattern, path?, max_matches?)',
      'patch(patch, dry_run?)',
      'bash(command)',
    ]),
  )
})

test('every details object carries ok', async () => {
  const { call } = coder({ 'a.txt': 'one\n' })
  const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n'
  const details = [
    await call('read', { path: 'a.txt' }),
    await call('write', { path: 'b.txt', content: '' }),
    await call('list', {}),
    await call('glob', { pattern: '*' }),
    await call('grep', { pattern: 'one' }),
    await call('patch', { patch }),
    await call('bash', { command: 'true' }),
  ]
  expect(details.map(({ ok }) => ok)).toEqual(Array(details.length).fill(true))
})

describe('read', () => {
  test('answers the text with its place', async () => {
    const { call } = coder({ 'src/a.txt': 'one\ntwo\nthree\n' })
    expect(await call('read', { path: 'src/a.txt' })).toEqual({
      ok: true,
      path: 'src/a.txt',
      content: 'one\ntwo\nthree\n',
      start_line: 1,
      end_line: 3,
      has_more: false,
    })
    expect(await call('read', { path: 'src/a.txt', offset: 2, limit: 1 })).toEqual({
      ok: true,
      path: 'src/a.txt',
      content: 'two',
      start_line: 2,
      end_line: 2,
      has_more: true,
    })
  })

  test.each([
    ['no offset', {}, 1, 50],
    ['an offset of 0', { offset: 0 }, 1, 50],
    ['a negative offset', { offset: -5 }, 1, 50],
    ['no limit', { offset: 11 }, 11, 60],
    ['a limit of 0', { limit: 0 }, 1, 50],
    ['a negative limit', { limit: -1 }, 1, 50],
    ['a limit of 200', { limit: 200 }, 1, 200],
    ['a limit above 200', { limit: 5000 }, 1, 200],
    ['the rest of the file', { offset: 390, limit: 200 }, 390, 400],
  ])('%s', async (_, params, start_line, end_line) => {
    const { call } = coder({ 'a.txt': numbered(400) })
    expect(await call('read', { path: 'a.txt', ...params })).toMatchObject({ ok: true, start_line, end_line, has_more: end_line < 400 })
  })

  test('an offset past the end answers nothing and is no error', async () => {
    const { call, text } = coder({ 'a.txt': 'one\n' })
    expect(await call('read', { path: 'a.txt', offset: 99 })).toMatchObject({ ok: true, content: '', has_more: false })
    expect(await text('read', { path: 'a.txt', offset: 99 })).toContain('the file has 1 line]')
  })

  test('says how to go on', async () => {
    const { text } = coder({ 'a.txt': numbered(120) })
    expect(await text('read', { path: 'a.txt' })).toMatch(/^line 1\n[^]*line 50\n\n\[70 more lines in file\. Use offset=51 to continue\.\]$/)
  })

  test('a missing file is an error that names similar ones', async () => {
    const { refusal } = coder({ 'src/server.ts': '' })
    expect(await refusal('read', { path: 'src/sever.ts' })).toMatchObject({
      error_type: 'not_found',
      message: expect.stringContaining('src/server.ts'),
    })
  })
})

describe('write', () => {
  test('creates files and directories, and replaces contents', async () => {
    const { call, root } = coder()
    expect(await call('write', { path: 'new/a.txt', content: 'one\n' })).toEqual({
      ok: true,
      path: 'new/a.txt',
      operation: 'create',
      size: 4,
      additions: 1,
      deletions: 0,
      diff: '--- /dev/null\n+++ b/new/a.txt\n@@ -0,0 +1 @@\n+one\n',
    })
    expect(await call('write', { path: 'new/a.txt', content: 'one\ntwo\n' })).toEqual({
      ok: true,
      path: 'new/a.txt',
      operation: 'update',
      size: 8,
      additions: 1,
      deletions: 0,
      diff: '--- a/new/a.txt\n+++ b/new/a.txt\n@@ -1 +1,2 @@\n one\n+two\n',
    })
    expect(readFileSync(path.join(root, 'new/a.txt'), 'utf8')).toBe('one\ntwo\n')
  })
})

describe('list', () => {
  test('answers every entry of a directory', async () => {
    const { call, text } = coder({ 'b.txt': 'four', 'a/x': '', '.dot': '' })
    expect(await call('list', {})).toEqual({
      ok: true,
      path: '.',
      items: [
        { name: '.dot', path: '.dot', is_dir: false, size_bytes: 0 },
        { name: 'a', path: 'a', is_dir: true, size_bytes: 0 },
        { name: 'b.txt', path: 'b.txt', is_dir: false, size_bytes: 4 },
      ],
    })
    expect((await call('list', { path: 'a' })).items).toEqual([{ name: 'x', path: 'a/x', is_dir: false, size_bytes: 0 }])
    expect(await text('list', {})).toBe('.dot\na/\nb.txt')
  })

  test('does not cut a large directory short', async () => {
    const files = Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`f${index}`, '']))
    expect((await coder(files).call('list', {})).items).toHaveLength(1200)
  })
})

describe('glob', () => {
  test('answers paths, without those that ignore files hide', async () => {
    const { call } = coder({ 'src/a.ts': '', 'src/deep/b.ts': '', 'c.js': '', 'out/d.ts': '', '.gitignore': 'out/\n' })
    expect(await call('glob', { pattern: '**/*.ts' })).toEqual({ ok: true, matches: ['src/a.ts', 'src/deep/b.ts'] })
    expect(await call('glob', { pattern: 'src/*.ts' })).toEqual({ ok: true, matches: ['src/a.ts'] })
    expect(await call('glob', { pattern: '*.{js,css}' })).toEqual({ ok: true, matches: ['c.js'] })
  })

  test.each(['/etc/*', '../*.ts', 'src/../../*', '~/*'])('refuses %s', async (pattern) => {
    expect(await coder().refusal('glob', { pattern })).toMatchObject({ error_type: 'permission_denied' })
  })
})

describe('grep', () => {
  test('answers matching lines with their place', async () => {
    const { call, text } = coder({ 'a.ts': 'one\ntwo\n', 'src/b.ts': 'twofold\n' })
    expect(await call('grep', { pattern: '^two' })).toEqual({
      ok: true,
      count: 2,
      matches: [
        { path: 'a.ts', line: 2, text: 'two' },
        { path: 'src/b.ts', line: 1, text: 'twofold' },
      ],
    })
    expect(await text('grep', { pattern: '^two', path: 'src' })).toBe('src/b.ts:1: twofold')
  })

  test('stops at 200 matches, or at max_matches', async () => {
    const { call } = coder({ 'a.txt': 'x\n'.repeat(500) })
    expect((await call('grep', { pattern: 'x' })).count).toBe(200)
    expect((await call('grep', { pattern: 'x', max_matches: 3 })).matches).toHaveLength(3)
  })

  test('skips binary files', async () => {
    const { call } = coder({ 'a.bin': Buffer.from('x\0x\n'), 'b.txt': 'x\n' })
    expect((await call('grep', { pattern: 'x' })).matches).toEqual([{ path: 'b.txt', line: 1, text: 'x' }])
  })

  test('a pattern that does not parse is an argument error', async () => {
    expect(await coder().refusal('grep', { pattern: '(' })).toMatchObject({ error_type: 'invalid_input' })
  })
})

describe('patch', () => {
  const two = [
    '--- a/a.txt',
    '+++ b/a.txt',
    '@@ -1,3 +1,3 @@',
    ' one',
    '-two',
    '+TWO',
    ' three',
    '@@ -9,2 +9,3 @@',
    ' nine',
    '+nine and a half',
    ' ten',
    '--- a/gone.txt',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-bye',
    '--- /dev/null',
    '+++ b/new.txt',
    '@@ -0,0 +1,2 @@',
    '+hello',
    '+world',
    '',
  ].join('\n')
  const files = { 'a.txt': 'one\ntwo\nthree\n4\n5\n6\n7\n8\nnine\nten\n', 'gone.txt': 'bye\n' }
  const results = [
    { path: 'a.txt', operation: 'update', hunks: 2, additions: 2, deletions: 1 },
    { path: 'gone.txt', operation: 'delete', hunks: 1, additions: 0, deletions: 1 },
    { path: 'new.txt', operation: 'create', hunks: 1, additions: 2, deletions: 0 },
  ]

  test('applies a unified diff over several files', async () => {
    const { call, root } = coder(files)
    expect(await call('patch', { patch: two })).toEqual({ ok: true, applied: true, results })
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\nTWO\nthree\n4\n5\n6\n7\n8\nnine\nnine and a half\nten\n')
    expect(readFileSync(path.join(root, 'new.txt'), 'utf8')).toBe('hello\nworld\n')
    expect(existsSync(path.join(root, 'gone.txt'))).toBe(false)
  })

  test('says what it would do', async () => {
    const { call, root } = coder(files)
    expect(await call('patch', { patch: two, dry_run: true })).toEqual({ ok: true, applied: false, results })
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe(files['a.txt'])
    expect(existsSync(path.join(root, 'new.txt'))).toBe(false)
  })

  test('a mismatch names file, hunk and lines, and nothing is changed', async () => {
    const { refusal, root } = coder({ ...files, 'a.txt': files['a.txt'].replace('ten', 'TEN') })
    const failure = await refusal('patch', { patch: two })
    expect(failure.message).toMatch(/`a\.txt`: hunk 2 of 2/)
    expect(failure.message).toContain('ten')
    expect(failure.message).toContain('TEN')
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toContain('two')
    expect(existsSync(path.join(root, 'new.txt'))).toBe(false)
    expect(existsSync(path.join(root, 'gone.txt'))).toBe(true)
  })
})

describe('bash', () => {
  test('runs in a login shell at the root of the workspace, with the streams apart', async () => {
    const { call, root } = coder()
    const command = 'pwd; echo "$0"; echo err >&2'
    expect(await call('bash', { command })).toEqual({
      ok: true,
      command,
      exit_code: 0,
      stdout: `${root}\n/bin/sh\n`,
      stderr: 'err\n',
      truncated: false,
      duration_ms: expect.any(Number),
    })
  })

  test('another exit code is a result that is not ok', async () => {
    expect(await coder().call('bash', { command: 'exit 3' })).toMatchObject({ ok: false, exit_code: 3 })
  })

  test('no state is kept between calls', async () => {
    const { call } = coder({ 'sub/x': '' })
    await call('bash', { command: 'cd sub; export A=1' })
    expect(await call('bash', { command: 'ls; echo "[$A]"' })).toMatchObject({ stdout: 'sub\n[]\n' })
  })

  test('a time-out is a result with exit code 124 and the output so far', async () => {
    const { call } = coder({}, { limits: { timeoutMs: 800 } })
    expect(await call('bash', { command: 'echo begun; sleep 300; echo ended' })).toMatchObject({
      ok: false,
      exit_code: 124,
      stdout: 'begun\n',
    })
  })

  test('a time-out says once that everything was killed', async () => {
    const { text } = coder({}, { limits: { timeoutMs: 800 } })
    expect(await text('bash', { command: 'echo begun; sleep 300 & sleep 300' })).toMatch(
      /^begun\n+Command timed out after [\d.]+ s; it and all its child processes were killed$/,
    )
  })

  test('output is kept up to a limit of the host', async () => {
    const { call } = coder({}, { limits: { outputLimitBytes: 1000 } })
    const details = await call('bash', { command: 'seq 1 10000' })
    expect(details).toMatchObject({ ok: true, truncated: true })
    expect(details.stdout.length).toBeLessThan(1100)
    expect(details.stdout).toMatch(/^1\n2\n[^]*…[^]*10000\n$/)
  })
})

describe('lsp_diagnostics, lsp_definition and lsp_hover', () => {
  const lsp = { servers: { typescript: { command: 'no-such-language-server', args: [], extensions: ['.ts'], install: 'npm install no-such-language-server' } } }
  const files = { 'a.ts': 'export const a = 1\n', 'a.unknown': 'x\n' }
  const missing = {
    ok: false,
    server_status: 'missing',
    error: 'no-such-language-server (TypeScript) is not installed.',
    install: 'npm install no-such-language-server',
    fallback: expect.stringContaining('Use `'),
  }

  test('without the server they are not ok, say how to install it and what to do instead, and never throw', async () => {
    const { call } = coder(files, { lsp })
    expect(await call('lsp_diagnostics', { path: 'a.ts' })).toEqual({ ...missing, diagnostics: [], count: 0 })
    expect(await call('lsp_definition', { path: 'a.ts', line: 0, character: 13 })).toEqual({ ...missing, location: null })
    expect(await call('lsp_hover', { path: 'a.ts', line: 0, character: 13 })).toEqual({ ...missing, contents: '' })
  })

  test('a language without a server is reported as such', async () => {
    const { call } = coder(files, { lsp })
    expect(await call('lsp_diagnostics', { path: 'a.unknown' })).toMatchObject({ ok: false, server_status: 'unsupported', diagnostics: [], count: 0 })
  })

  test('lines and characters begin at 0', async () => {
    const { refusal } = coder(files, { lsp })
    const refused = await refusal('lsp_definition', { path: 'a.ts', line: -1, character: 0 })
    expect(refused).toMatchObject({ error_type: 'invalid_input', details: { errors: [{ param: 'line', code: 'OUT_OF_RANGE' }] } })
  })
})

describe('refusals', () => {
  test('paths out of the workspace are permission errors', async () => {
    const outside = workspaceOf({ 'secret.txt': 'x' })
    const { refusal, root } = coder()
    symlinkSync(outside, path.join(root, 'link'))
    for (const [name, params] of [
      ['read', { path: path.join(outside, 'secret.txt') }],
      ['read', { path: 'link/secret.txt' }],
      ['write', { path: '../x', content: '' }],
      ['list', { path: '..' }],
      ['grep', { pattern: 'x', path: '/' }],
      ['patch', { patch: '--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n' }],
    ] as const) {
      expect(await refusal(name, params), name).toMatchObject({ tool: name, error_type: 'permission_denied' })
    }
  })

  test('an unknown tool answers `unknown tool`', async () => {
    expect(await coder().refusal('frob', {})).toMatchObject({ error_type: 'not_found', message: expect.stringMatching(/^unknown tool/) })
  })
})
