import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { failureOf, readyOf, signaturesOf, toolkitOf, workspaceOf } from '../support/workspace.js'

/** A toolkit that speaks `agent`, and its calls. */
function agent(files: Record<string, string | Uint8Array> = {}, options: object = {}) {
  const root = workspaceOf(files)
  const toolkit = toolkitOf({}, { workspace: root, ...options })
  const execute = (name: string, params: object): Promise<any> => toolkit.execute(name, params)
  const call = async (name: string, params: object) => (await execute(name, params)).details
  const text = async (name: string, params: object) => (await execute(name, params)).content[0].text as string
  const content = (name: string) => readFileSync(path.join(root, name), 'utf8')
  return { toolkit, root, execute, call, text, content, refusal: (name: string, params: object) => failureOf(execute(name, params)) }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

test('the vocabulary', async () => {
  const toolkit = await readyOf(agent({}, { tools: { show: 'all' } }).toolkit)
  expect(signaturesOf(toolkit)).toEqual(
    expect.arrayContaining([
      'read(file_path, offset?, limit?, more?)',
      'write(file_path, content)',
      'edit(file_path, edits?, oldText?, newText?, replaceAll?)',
      'apply_patch(input, dryRun?)',
      'ls(path?, limit?)',
      'find(pattern, path?, limit?, fuzzy?, order?, ignored?, cursor?)',
      'grep(pattern, path?, glob?, ignoreCase?, literal?, context?, limit?, multiline?, order?, ignored?, cursor?)',
      'web_search(query, count?, allowedDomains?, blockedDomains?)',
      'web_fetch(url, prompt?, maxChars?, offset?, format?)',
    ]),
  )
  const exec = toolkit.tool('exec').parameters
  expect(Object.keys(exec.properties)).toEqual(expect.arrayContaining(['command', 'workdir', 'env', 'timeout', 'background', 'yieldMs', 'pty']))
  expect(toolkit.tool('process').parameters.properties.action.enum).toEqual(
    expect.arrayContaining(['list', 'poll', 'log', 'write', 'send_keys', 'submit', 'paste', 'kill', 'clear', 'remove']),
  )
})

describe('read', () => {
  test('answers the text as it stands, and where it stands', async () => {
    const { execute } = agent({ 'src/a.txt': 'one\ntwo\nthree\n' })
    expect(await execute('read', { file_path: 'src/a.txt' })).toEqual({
      content: [{ type: 'text', text: 'one\ntwo\nthree\n' }],
      details: { path: 'src/a.txt', lines: 3, startLine: 1, endLine: 3, hasMore: false },
    })
  })

  test('offset and limit choose lines, and the answer names the next call', async () => {
    const { execute } = agent({ 'a.txt': numbered(10) })
    expect(await execute('read', { file_path: 'a.txt', offset: 3, limit: 2 })).toEqual({
      content: [{ type: 'text', text: 'line 3\nline 4\n\n[6 more lines in file. Use offset=5 to continue.]' }],
      details: { path: 'a.txt', lines: 10, startLine: 3, endLine: 4, hasMore: true },
    })
  })

  test('2000 lines or 50 KB at once, in the words of pi', async () => {
    const { execute } = agent({ 'a.txt': numbered(2500) })
    const { content, details } = await execute('read', { file_path: 'a.txt' })
    expect(content[0].text).toMatch(/line 2000\n\n\[Showing lines 1-2000 of 2500\. Use offset=2001 to continue\.\]$/)
    expect(details).toMatchObject({
      endLine: 2000,
      hasMore: true,
      truncation: { truncated: true, truncatedBy: 'lines', outputLines: 2000, totalLines: 2500, maxLines: 2000, maxBytes: 51200 },
    })
  })

  test('an image is a place and the image', async () => {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGNkYPjPwMDAxAAGAAkLAQXH1W4DAAAAAElFTkSuQmCC', 'base64')
    const { execute, root } = agent({ 'a.png': png })
    const { content, details } = await execute('read', { file_path: 'a.png' })
    expect(content).toEqual([
      { type: 'text', text: `MEDIA:${path.join(root, 'a.png')}` },
      { type: 'image', data: expect.any(String), mimeType: 'image/png' },
    ])
    expect(details).toEqual({ path: 'a.png', width: 2, height: 2, mimeType: 'image/png' })
  })

  test('an image whose end is missing is refused with the reason, not shown', async () => {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGNkYPjPwMDAxAAGAAkLAQXH1W4DAAAAAElFTkSuQmCC', 'base64')
    const { toolkit } = agent({ 'a.png': png.subarray(0, 60) })
    expect(await failureOf(toolkit.execute('read', { file_path: 'a.png' }))).toMatchObject({
      error_type: 'invalid_input',
      message: '`a.png` begins like an image but is damaged: it is cut off, its end is missing after 60 bytes. Make or fetch it again.',
      details: { path: 'a.png' },
    })
  })

  test('a missing file is an error that names similar ones; so is an offset past the end', async () => {
    const { refusal } = agent({ 'src/server.ts': 'x\n' })
    expect(await refusal('read', { file_path: 'src/sever.ts' })).toMatchObject({ error_type: 'not_found', message: expect.stringContaining('src/server.ts') })
    expect(await refusal('read', { file_path: 'src/server.ts', offset: 9 })).toMatchObject({
      error_type: 'invalid_input',
      message: expect.stringContaining('has 1 line'),
    })
  })
})

test('write creates directories and files, and answers the change', async () => {
  const { call, content } = agent({ 'a.txt': 'one\n' })
  expect(await call('write', { file_path: 'new/b.txt', content: 'größe\n' })).toMatchObject({
    path: 'new/b.txt',
    size: 8,
    operation: 'create',
    additions: 1,
    deletions: 0,
  })
  expect(await call('write', { file_path: 'a.txt', content: 'two\n' })).toMatchObject({
    operation: 'update',
    additions: 1,
    deletions: 1,
    diff: expect.stringContaining('-one\n+two\n'),
  })
  expect(content('a.txt')).toBe('two\n')
})

describe('edit', () => {
  test('one replacement, or a list of them on the original file', async () => {
    const { execute, content } = agent({ 'a.txt': 'one\ntwo\nthree\n' })
    const { content: answer, details } = await execute('edit', { file_path: 'a.txt', oldText: 'two', newText: '2' })
    expect(answer).toEqual([{ type: 'text', text: 'Successfully replaced 1 block(s) in a.txt.' }])
    expect(details).toMatchObject({
      path: 'a.txt',
      replacements: 1,
      firstChangedLine: 2,
      diff: expect.stringMatching(/^ 1 one\n-2 two\n\+2 2\n 3 three/m),
      patch: expect.stringContaining('@@ -1,3 +1,3 @@'),
      match: { strategy: 'exact', exact: true, line: 2 },
    })
    await execute('edit', {
      file_path: 'a.txt',
      edits: [
        { oldText: 'one', newText: 'two' },
        { oldText: '2', newText: 'one' },
      ],
    })
    expect(content('a.txt')).toBe('two\none\nthree\n')
  })

  test('what occurs several times needs replaceAll', async () => {
    const { call, refusal, content } = agent({ 'a.txt': 'x\ny\nx\n' })
    expect(await refusal('edit', { file_path: 'a.txt', oldText: 'x', newText: 'z' })).toMatchObject({
      error_type: 'invalid_input',
      details: { code: 'not_unique' },
    })
    expect(await call('edit', { file_path: 'a.txt', oldText: 'x', newText: 'z', replaceAll: true })).toMatchObject({ replacements: 2 })
    expect(content('a.txt')).toBe('z\ny\nz\n')
  })

  test('what does not occur is an error that shows the closest text', async () => {
    const { refusal } = agent({ 'a.ts': 'function add(a, b) {\n  return a + b\n}\n' })
    const { details, message } = await refusal('edit', { file_path: 'a.ts', oldText: 'function sub(a, b) {\n  return a - b\n}', newText: '' })
    expect(details.code).toBe('no_match')
    expect(message).toContain('the file: function add(a, b) {')
  })
})

test('apply_patch takes an envelope over several files, dry as well', async () => {
  const { call, content, root } = agent({ 'a.txt': 'one\ntwo\n', 'b.txt': 'gone\n' })
  const input = '*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** Add File: c.txt\n+new\n*** Delete File: b.txt\n*** End Patch'
  const results = [
    { path: 'a.txt', operation: 'update', additions: 1, deletions: 1 },
    { path: 'c.txt', operation: 'create', additions: 1, deletions: 0 },
    { path: 'b.txt', operation: 'delete', additions: 0, deletions: 1 },
  ]
  expect(await call('apply_patch', { input, dryRun: true })).toMatchObject({ applied: false, results })
  expect(content('a.txt')).toBe('one\ntwo\n')
  expect(await call('apply_patch', { input })).toMatchObject({ applied: true, results })
  expect([content('a.txt'), content('c.txt'), statSync(root).isDirectory()]).toEqual(['one\n2\n', 'new\n', true])
})

test('ls lists a directory, directories with a slash', async () => {
  const { execute } = agent({ 'b.txt': 'xy', 'A/c.txt': '', '.dot': '' })
  const { content, details } = await execute('ls', {})
  expect(content[0].text).toBe('.dot\nA/\nb.txt')
  expect(details).toEqual({
    path: '.',
    items: [
      { name: '.dot', path: '.dot', isDir: false, sizeBytes: 0 },
      { name: 'A', path: 'A', isDir: true, sizeBytes: 0 },
      { name: 'b.txt', path: 'b.txt', isDir: false, sizeBytes: 2 },
    ],
    truncated: false,
  })
})

test('find answers the files that a glob matches', async () => {
  const { execute, text } = agent({ 'a.ts': '', 'src/b.ts': '', 'c.js': '' })
  expect(await execute('find', { pattern: '*.ts' })).toMatchObject({
    content: [{ text: 'a.ts\nsrc/b.ts' }],
    details: { files: ['a.ts', 'src/b.ts'], count: 2, truncated: false },
  })
  expect(await text('find', { pattern: '*.ts', limit: 1 })).toMatch(/\[.*Use limit=2 for more, or narrow pattern\]$/)
})

test('all searches report a missing directory in the same way', async () => {
  const { refusal } = agent({ 'a.txt': 'x\n' })
  for (const [name, params] of [
    ['find', { pattern: '*' }],
    ['grep', { pattern: 'x' }],
    ['ls', {}],
  ] as const) {
    const refused = await refusal(name, { ...params, path: 'nope' })
    expect(refused).toMatchObject({ error_type: 'not_found', message: '`nope` does not exist. Use `find` to find it.', details: { path: 'nope' } })
  }
  expect(await refusal('find', { pattern: '*', path: 'a.txt' })).toMatchObject({
    error_type: 'invalid_input',
    message: expect.stringContaining('`a.txt` is a file, not a directory.'),
  })
})

test('grep answers matching lines with their places', async () => {
  const { execute, text, call } = agent({ 'a.ts': 'one\nTwo\n', 'src/b.ts': 'two (2)\n' })
  expect(await execute('grep', { pattern: 'two', ignoreCase: true })).toEqual({
    content: [{ type: 'text', text: 'a.ts:2: Two\nsrc/b.ts:1: two (2)' }],
    details: {
      matches: [
        { file: 'a.ts', line: 2, text: 'Two' },
        { file: 'src/b.ts', line: 1, text: 'two (2)' },
      ],
      totalMatches: 2,
      truncated: false,
    },
  })
  expect(await text('grep', { pattern: '(2)', literal: true })).toBe('src/b.ts:1: two (2)')
  expect(await text('grep', { pattern: 'Two', context: 1 })).toBe('a.ts-1- one\na.ts:2: Two')
  expect(await text('grep', { pattern: 'two', glob: '*.js' })).toContain('No matches found')
  expect((await call('grep', { pattern: 'one\\nTwo', multiline: true })).totalMatches).toBeGreaterThan(0)
})

describe('exec', () => {
  test('a non-zero exit is a result, a time-out an error with the output so far', async () => {
    const { execute, refusal } = agent({ 'sub/x': '' })
    expect(await execute('exec', { command: 'echo out; echo err >&2; exit 3' })).toMatchObject({
      content: [{ type: 'text', text: 'out\nerr\n\nCommand exited with code 3' }],
      details: { status: 'failed', exitCode: 3, cwd: '.', output: 'out\nerr\n', truncated: false },
    })
    expect(await execute('exec', { command: 'ls; echo $WHO', workdir: 'sub', env: { WHO: 'me' } })).toMatchObject({
      details: { status: 'completed', exitCode: 0, cwd: 'sub', output: 'x\nme\n' },
    })
    expect(await refusal('exec', { command: 'echo begun; sleep 300', timeout: 0.5 })).toMatchObject({ error_type: 'timeout', details: { output: 'begun\n' } })
  })

  test('what runs on is a session for process', async () => {
    const { execute, call } = agent()
    const { content, details } = await execute('exec', { command: 'cat', background: true })
    expect(details).toMatchObject({ status: 'running', sessionId: expect.stringMatching(/./) })
    expect(details.pid).toBeGreaterThan(1)
    expect(content[0].text).toContain('Use process with action poll, log or kill.')
    const { sessionId } = details
    expect(await call('process', { action: 'list' })).toMatchObject({ sessions: [{ sessionId, status: 'running', command: 'cat' }] })
    await call('process', { action: 'write', sessionId, data: 'hello\n' })
    expect(await call('process', { action: 'poll', sessionId, waitFor: { output: 'hello' } })).toMatchObject({
      sessionId,
      status: 'running',
      ready: true,
      output: 'hello\n',
    })
    expect(await call('process', { action: 'kill', sessionId })).toMatchObject({ sessionId, status: 'killed' })
    expect(await call('process', { action: 'remove', sessionId })).toMatchObject({ sessionId })
    expect(await call('process', { action: 'list' })).toMatchObject({ sessions: [] })
  })
})

test('web_fetch refuses private addresses, web_search says which options a provider needs', async () => {
  const { refusal } = agent()
  expect(await refusal('web_fetch', { url: 'http://127.0.0.1:1/' })).toMatchObject({ error_type: 'permission_denied' })
  const keys = ['BRAVE_API_KEY', 'TAVILY_API_KEY', 'EXA_API_KEY', 'SEARXNG_URL', 'SERPER_API_KEY']
  if (keys.every((key) => process.env[key] === undefined)) {
    expect(await refusal('web_search', { query: 'x' })).toMatchObject({
      error_type: 'execution_failed',
      message: expect.stringContaining('Web search is not available'),
    })
  }
})
