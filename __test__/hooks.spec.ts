import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

import { expect, onTestFinished, test, vi } from 'vitest'

import { Toolkit, importHooks, type Hook, type HookCall } from '../index.js'
import { testWith } from './support/programs.js'
import { failureOf, workspaceOf } from './support/workspace.js'

/** Where `scripts/language-servers.mjs` installs. */
const LANGUAGE_SERVERS =
  process.env.TENON_LANGUAGE_SERVERS ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'tenon', 'language-servers')

const textOf = (result: any) => result.content.map((part: any) => part.text).join('\n')

test('a hook sees a repaired call before it is judged, and its result', async () => {
  const seen: any[] = []
  const workspace = workspaceOf({ 'a.txt': 'one' })
  const hooks: Hook = {
    before: (call) => void seen.push(['before', call]),
    after: (call, result) => void seen.push(['after', call.toolCallId, result]),
  }
  const toolkit = new Toolkit({ workspace, hooks, session: { id: 's', store: 'memory' } })
  const result = await toolkit.execute('read', { path: 'a.txt' } as never, { toolCallId: 'c' })
  const call: HookCall = { tool: 'read', operation: 'read', params: { file_path: 'a.txt' }, toolCallId: 'c', sessionId: 's', workspace, mode: 'default' }
  expect(seen).toEqual([
    ['before', call],
    ['after', 'c', { content: result.content, details: result.details }],
  ])
  await toolkit.close()
})

test('changed parameters are repaired, validated and judged like those of the model', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one', 'secret.txt': 'two', 'b.txt': 'three' })
  let params: object = {}
  const toolkit = new Toolkit({ workspace, permissions: { deny: ['Read(secret.txt)'] }, hooks: { before: () => ({ params }) } })
  params = { path: 'b.txt' }
  expect(textOf(await toolkit.execute('read', { file_path: 'a.txt' }))).toBe('three')
  params = { file_path: 'secret.txt' }
  expect(await failureOf(toolkit.execute('read', { file_path: 'a.txt' }))).toMatchObject({
    error_type: 'permission_denied',
    details: { matched_rule: 'Read(secret.txt)' },
  })
  params = { file_path: '../outside' }
  expect(await failureOf(toolkit.execute('read', { file_path: 'a.txt' }))).toMatchObject({ error_type: 'permission_denied' })
  params = { nope: 1 }
  expect(await failureOf(toolkit.execute('read', { file_path: 'a.txt' }))).toMatchObject({
    error_type: 'permission_denied',
    message: expect.stringContaining('`hooks[0].before` failed'),
    details: { matched_rule: 'hooks[0].before', errors: expect.any(Array) },
  })
  await toolkit.close()
})

test('a hook denies with its reason, and nothing runs', async () => {
  const workspace = workspaceOf()
  const onApproval = vi.fn(() => 'once' as const)
  const toolkit = new Toolkit({ workspace, onApproval, hooks: { before: () => ({ deny: 'Not on Fridays.' }) } })
  const failure = await failureOf(toolkit.execute('write', { file_path: 'a', content: 'x' }))
  expect(failure).toMatchObject({
    error_type: 'permission_denied',
    message: expect.stringContaining('Not on Fridays.'),
    details: { matched_rule: 'hooks[0].before', subject: 'a' },
  })
  expect(onApproval).not.toHaveBeenCalled()
  expect(existsSync(path.join(workspace, 'a'))).toBe(false)
  expect(toolkit.history()).toMatchObject([{ decision: 'deny', outcome: 'permission_denied' }])
  await toolkit.close()
})

test('a hook demands approval of what rules allow, but not of what they deny', async () => {
  const asked: any[] = []
  const toolkit = new Toolkit({
    workspace: workspaceOf({ 'a.txt': 'x', 'b.txt': 'x' }),
    permissions: { allow: ['Read'], deny: ['Read(b.txt)'], defaultMode: 'allow' },
    onApproval: (request) => (asked.push(request), 'once' as const),
    hooks: { before: () => ({ ask: { reason: 'Look twice.', danger: 'high', preview: { why: 'test' } } }) },
  })
  await toolkit.execute('read', { file_path: 'a.txt' })
  expect(asked).toMatchObject([{ reason: 'Look twice.', danger: 'high', preview: { why: 'test' } }])
  await failureOf(toolkit.execute('read', { file_path: 'b.txt' }))
  expect(asked).toHaveLength(1)
  await toolkit.close()
})

test.each<[string, Hook['before']]>([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('broken')
    },
  ],
  ['returns true', () => true as never],
  ['returns a text', () => 'deny' as never],
  ['returns an unknown member', () => ({ denied: true }) as never],
  ['returns parameters that are no object', () => ({ params: [] })],
  ['returns what is not JSON', () => ({ params: { limit: Number.NaN } })],
  ['never returns', () => new Promise(() => {})],
])('a hook before a call that %s denies it', async (_, before) => {
  const workspace = workspaceOf()
  const toolkit = new Toolkit({ workspace, permissions: { defaultMode: 'allow' }, hooks: { before, timeoutMs: 200 } })
  const failure = await failureOf(toolkit.execute('write', { file_path: 'a', content: 'x' }))
  expect(failure).toMatchObject({
    error_type: 'permission_denied',
    message: expect.stringContaining('`hooks[0].before` failed'),
    details: { matched_rule: 'hooks[0].before' },
  })
  expect(existsSync(path.join(workspace, 'a'))).toBe(false)
  await toolkit.close()
})

test.each<[string, Hook['after']]>([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  ['returns a number', () => 1 as never],
  ['returns odd content', () => ({ content: [{ type: 'video' }] }) as never],
  ['never returns', () => new Promise(() => {})],
])('a hook after a call that %s leaves the result, with a notice', async (_, after) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'a.txt': 'one' }), hooks: { after, timeoutMs: 200 } })
  const { content, details } = await toolkit.execute('read', { file_path: 'a.txt' })
  expect(content).toEqual([
    { type: 'text', text: 'one' },
    { type: 'text', text: expect.stringMatching(/^\[`hooks\[0\]\.after` failed: .*The result is unchanged\.\]$/) },
  ])
  expect(details).toMatchObject({ path: 'a.txt' })
  await toolkit.close()
  warned.mockRestore()
})

test('hooks run in their order, each with what the one before made', async () => {
  const toolkit = new Toolkit({
    workspace: workspaceOf({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }),
    hooks: [
      { before: ({ params }) => (params.file_path === 'a.txt' ? { params: { file_path: 'b.txt' } } : undefined), after: () => 'first' },
      {
        before: ({ params }) => (params.file_path === 'b.txt' ? { params: { file_path: 'c.txt' } } : undefined),
        after: (_, { content }) => `${textOf({ content })} second`,
      },
    ],
  })
  const result = await toolkit.execute('read', { file_path: 'a.txt' })
  expect([textOf(result), result.details]).toMatchObject(['first second', { path: 'c.txt' }])
  await toolkit.close()
})

test('every way to a tool passes the hooks', async () => {
  const seen: string[] = []
  const hooks: Hook = {
    before: ({ tool, params }) => (seen.push(tool), tool === 'echo' ? { params: { text: `${params.text}!` } } : undefined),
    after: (_, { details }) => ({ details: { ...details, seen: true } }),
  }
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'a.txt': 'x' }), hooks })
  toolkit.registerTool({
    name: 'echo',
    description: 'Echo.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    execute: (_: string, { text }: any) => ({ content: [{ type: 'text', text }], details: { text } }),
  } as never)
  expect(await toolkit.execute('echo' as never, { text: 'hi' } as never)).toMatchObject({ content: [{ text: 'hi!' }], details: { text: 'hi!', seen: true } })
  await toolkit.tools(['ls'])[0].execute('c', {})
  await toolkit.handleToolUse({ sessionId: 's', toolCallId: 't', toolName: 'read', input: { file_path: 'a.txt' } })
  expect(seen).toEqual(['echo', 'ls', 'read'])
  await toolkit.close()
})

test('an abort ends the wait for a hook, whose signal is aborted too', async () => {
  const controller = new AbortController()
  const aborted = vi.fn()
  const toolkit = new Toolkit({
    workspace: workspaceOf(),
    hooks: {
      before: (_, { signal }) => {
        signal.addEventListener('abort', aborted)
        setTimeout(() => controller.abort(), 20)
        return new Promise(() => {})
      },
    },
  })
  expect(await failureOf(toolkit.execute('ls', {}, { signal: controller.signal }))).toMatchObject({ error_type: 'aborted' })
  await vi.waitFor(() => expect(aborted).toHaveBeenCalled(), { timeout: 30_000 })
  await toolkit.close()
})

test.for(['hooks', 'host', 'mcpServers', 'mcp', 'web', 'telemetry', 'exec', 'sandbox', 'env', 'undo', 'session'])(
  'an object of another kind in the place of the option %s is refused instead of taken for an empty one',
  (option) => {
    const guard = { before: () => ({ deny: 'no' }) }
    for (const [given, kind, next] of [
      [(async () => guard)(), 'Promise', 'Await it before it is given.'],
      [new Map(Object.entries(guard)), 'Map', 'Give a plain object.'],
      [new Date(), 'Date', 'Give a plain object.'],
      [/x/, 'RegExp', 'Give a plain object.'],
    ] as const) {
      const message = `The option \`${option}\` must be an object, not a ${kind}. ${next}`
      expect(() => new Toolkit({ workspace: workspaceOf(), [option]: given })).toThrow(
        expect.objectContaining({ name: 'ToolError', error_type: 'invalid_input', message }),
      )
    }
  },
)

test.for(['sessions', 'skills', 'env', 'sandbox', 'memory', 'shell', 'undo', 'search', 'canvas', 'host', 'web'])(
  'a list in the place of the option %s is refused',
  (option) => {
    expect(() => new Toolkit({ workspace: workspaceOf(), [option]: [] })).toThrow(
      `The option \`${option}\` must be an object, not a list. Give a plain object.`,
    )
  },
)

test('hooks may be an instance of a class, and one of a list is checked alike', async () => {
  class Guard {
    before() {
      return { deny: 'no' }
    }
  }
  const toolkit = new Toolkit({ workspace: workspaceOf(), hooks: new Guard() as any })
  expect(await failureOf(toolkit.execute('ls', {}))).toMatchObject({ error_type: 'permission_denied' })
  expect(() => new Toolkit({ workspace: workspaceOf(), hooks: [new Guard(), Promise.resolve(new Guard())] as any })).toThrow(
    'The option `hooks[1]` must be an object, not a Promise. Await it before it is given.',
  )
})

test('wrong hooks are refused when the toolkit is made', () => {
  const workspace = workspaceOf()
  for (const [hooks, message] of [
    [1, '`hooks` must be an object'],
    [[null], '`hooks[0]` must be an object'],
    [{ before: 1 }, '`hooks.before` must be a function'],
    [{ befor: () => {} }, '`hooks.befor`'],
    [{ before: () => {}, timeoutMs: 0 }, '`hooks.timeoutMs`'],
    [{ commands: [{ event: 'before' }] }, 'command'],
  ] as [any, string][]) {
    expect(() => new Toolkit({ workspace, hooks })).toThrow(message)
  }
})

/** Settings of Claude Code with one command each. */
const settings = (event: string, command: string, matcher = '', more = {}) =>
  JSON.stringify({ hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command, ...more }] }] } })

testWith('bash').skipIf(process.platform === 'win32')('a command hook of Claude Code reads the call and decides by its exit code', async () => {
  const workspace = workspaceOf({ 'guard.sh': 'cat > input.json\nif grep -q "rm -rf" input.json; then echo "No rm -rf." >&2; exit 2; fi\n' })
  const hooks = importHooks('claude-code', settings('PreToolUse', 'bash "$CLAUDE_PROJECT_DIR/guard.sh"', 'Bash'))
  const toolkit = new Toolkit({ workspace, hooks, permissions: { defaultMode: 'allow' }, session: { id: 'me', store: 'memory' } })
  expect(await failureOf(toolkit.execute('exec', { command: 'rm -rf x' }, { toolCallId: 'c1' }))).toMatchObject({
    error_type: 'permission_denied',
    message: expect.stringContaining('No rm -rf.'),
  })
  expect(JSON.parse(readFileSync(path.join(workspace, 'input.json'), 'utf8'))).toEqual({
    session_id: 'me',
    transcript_path: '',
    cwd: workspace,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'rm -rf x' },
    tool_use_id: 'c1',
  })
  expect(await toolkit.execute('exec', { command: 'echo fine' })).toMatchObject({ details: { output: 'fine\n' } })
  await toolkit.close()
})

test.skipIf(process.platform === 'win32')('a command hook changes parameters and adds to results, in the words of Claude Code', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
  const update = `jq=$(cat); node -e 'const i=JSON.parse(process.argv[1]).tool_input; console.log(JSON.stringify({hookSpecificOutput:{hookEventName:"PreToolUse",permissionDecision:"allow",updatedInput:{...i,file_path:i.file_path.replace("a.txt","b.txt")},additionalContext:"From b."}}))' "$jq"`
  const toolkit = new Toolkit({
    workspace,
    hooks: [
      importHooks('claude-code', settings('PreToolUse', update, 'Read')),
      importHooks('claude-code', settings('PostToolUse', 'echo "Check it." >&2; exit 2', 'Re.d')),
    ],
  })
  expect(textOf(await toolkit.execute('read', { file_path: 'a.txt' }))).toBe('two\n\nFrom b.\nCheck it.')
  await toolkit.close()
})

test.skipIf(process.platform === 'win32')('a command hook that fails or takes too long denies, unless failures are ignored', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one' })
  const read = async (hooks: Hook) => {
    const toolkit = new Toolkit({ workspace, hooks })
    const outcome = await toolkit.execute('read', { file_path: 'a.txt' }).then(textOf, (error) => error.message)
    await toolkit.close()
    return outcome
  }
  const failing = settings('PreToolUse', 'echo oops >&2; exit 1')
  expect(await read(importHooks('claude-code', failing))).toContain('failed with exit code 1: oops')
  expect(await read(importHooks('claude-code', failing, { ignoreFailures: true }))).toBe('one')
  expect(await read(importHooks('claude-code', settings('PreToolUse', 'sleep 60', '', { timeout: 0.3 })))).toContain('did not end within 300 ms')
  expect(await read(importHooks('claude-code', settings('PreToolUse', 'echo "{broken"')))).toContain('is not JSON')
  expect(await read(importHooks('claude-code', settings('PreToolUse', 'exit 2', 'Write')))).toBe('one')
})

test('hooks are imported from a text or a named file', () => {
  const text = settings('PreToolUse', 'check', 'Bash', { timeout: 5 })
  const file = path.join(workspaceOf(), 'settings.json')
  writeFileSync(file, text)
  const expected = { commands: [{ event: 'before', matcher: 'Bash', command: 'check', timeoutMs: 5000, async: false, ignoreFailures: false }], notices: [] }
  expect(importHooks('claude-code', text)).toEqual(expected)
  expect(importHooks('claude-code', file)).toEqual(expected)
  expect(() => importHooks('claude-code', path.join(file, 'nope'))).toThrow('cannot be read')
  expect(() => importHooks('claude-code', settings('PreToolUse', 'x').replace('"command"', '"prompt"'))).toThrow('only `command`')
  expect(() => importHooks('cursor' as never, text)).toThrow()
  expect(importHooks('claude-code', `// of the project\n${text}`)).toEqual(expected)
  expect(importHooks('claude-code', text, null as never)).toEqual(expected)
  for (const timeoutMs of [-1, 0, 1.5, '5', 2 ** 31]) {
    const wrong = 'must be a whole number of milliseconds from 1 to 2147483647.'
    expect(() => importHooks('claude-code', text, { timeoutMs } as never)).toThrow(`The option \`timeoutMs\` of \`importHooks\` ${wrong}`)
    expect(() => new Toolkit({ workspace: workspaceOf(), hooks: { timeoutMs } } as never)).toThrow(`The option \`hooks.timeoutMs\` ${wrong}`)
  }
  expect(() => importHooks('claude-code', text, { ignoreFailures: 'yes' } as never)).toThrow('`ignoreFailures`')
})

test.each([
  ['agent', 'write', { path: 'secret.txt', content: 'x' }],
  ['agent', 'apply_patch', { input: '*** Begin Patch\n*** Update File: secret.txt\n@@\n-one\n+two\n*** End Patch\n' }],
  ['agent', 'apply_patch', { input: '*** Begin Patch\n*** Delete File: secret.txt\n*** End Patch\n' }],
  ['coder', 'patch', { patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+FORBIDDEN\n' }],
  ['agent', 'edit', { path: 'a.txt', edits: [{ oldText: 'one', newText: 'FORBIDDEN' }] }],
  ['acp', 'delete_file', { path: 'secret.txt' }],
  ['agent', 'lsp', { operation: 'replaceSymbolBody', filePath: 'secret.ts', symbol: 'greet', content: 'function greet() {}\n' }],
])('a guard of edits that was written for Claude Code guards %s: %s %j', async (dialect, name, params) => {
  const files = { 'a.txt': 'one\n', 'secret.ts': 'function greet() {\n  return 1\n}\n', 'secret.txt': 'one\n' }
  const workspace = workspaceOf(files)
  const guard = `grep -qE 'secret|FORBIDDEN' && { echo guarded >&2; exit 2; }; exit 0`
  const looked = `node -e "const {tool_input: t} = JSON.parse(require('fs').readFileSync(0)); console.log(t.file_path ?? '', t.new_string ?? '', t.content ?? '')" | { ${guard}; }`
  const hooks = importHooks('claude-code', settings('PreToolUse', looked, 'Edit|MultiEdit|Write'))
  const toolkit = new Toolkit({ workspace, dialect: dialect as never, hooks, onApproval: () => 'once' })
  onTestFinished(() => toolkit.close())
  await expect(toolkit.execute(name as never, params as never)).rejects.toThrow('guarded')
  expect(Object.fromEntries(readdirSync(workspace).map((file) => [file, readFileSync(path.join(workspace, file), 'utf8')]))).toEqual(files)
})

/** A toolkit with a guard of Claude Code that refuses the tools of this matcher where a call says `word`. */
const guarded = (matcher: string, word: string, more: object = {}, files = {}) => {
  const workspace = workspaceOf({ 'keep.txt': 'x', ...files })
  const hooks = importHooks('claude-code', settings('PreToolUse', `grep -q '${word}' && { echo guarded >&2; exit 2; }; exit 0`, matcher))
  const toolkit = new Toolkit({ workspace, hooks, ...more })
  onTestFinished(() => toolkit.close())
  return { toolkit, workspace }
}

testWith('bash').skipIf(process.platform === 'win32')('a guard of commands sees what is typed into one that runs', async () => {
  const { toolkit } = guarded('Bash', '"command":"rm keep.txt"')
  const { details } = await toolkit.execute('exec', { command: 'bash', background: true })
  const { sessionId } = details as { sessionId: string }
  for (const typed of [
    { action: 'write', data: 'rm keep.txt\n' },
    { action: 'submit', data: 'rm keep.txt' },
    { action: 'paste', data: 'rm keep.txt' },
  ])
    await expect(toolkit.execute('process', { sessionId, ...typed } as never)).rejects.toThrow('guarded')
  await toolkit.execute('process', { sessionId, action: 'write', data: 'echo fine\n', timeout: 200 })
  await toolkit.execute('process', { sessionId, action: 'kill' })
})

testWith('bash').skipIf(process.platform === 'win32')('a guard of commands sees the command that runs tests', async () => {
  const files = { 'package.json': '{ "scripts": { "test": "vitest run" }, "devDependencies": { "vitest": "1" } }' }
  const { toolkit } = guarded('Bash', 'vitest', { tools: { add: ['run_tests'] } }, files)
  await expect(toolkit.execute('run_tests' as never, {} as never)).rejects.toThrow('guarded')
})

testWith('bash').skipIf(process.platform === 'win32')('a guard of edits sees every file that a language server would change', async () => {
  const bin = path.join(LANGUAGE_SERVERS, 'typescript', 'node_modules', '.bin')
  if (!existsSync(path.join(bin, 'typescript-language-server'))) return console.log('skipped: typescript-language-server is not installed')
  const files = { 'lib.ts': 'export const one = 1\n', 'use.ts': "import { one } from './lib'\nconsole.log(one)\n", 'tsconfig.json': '{ "include": ["*.ts"] }' }
  const PATH = `${bin}${path.delimiter}${process.env.PATH}`
  const { toolkit, workspace } = guarded('Edit|Write', 'file_path":"[^"]*/use.ts"', { env: { add: { PATH } } }, files)
  const rename = { operation: 'rename', filePath: 'lib.ts', line: 1, symbol: 'one', newName: 'two' } as const
  await expect(toolkit.execute('lsp', rename)).rejects.toThrow('guarded')
  expect(readFileSync(path.join(workspace, 'lib.ts'), 'utf8')).toBe(files['lib.ts'])
  await toolkit.execute('lsp', { ...rename, dryRun: true })
})

testWith('bash')
  .skipIf(process.platform === 'win32')
  .each([
    ['canonical', 'Bash'],
    ['agent', 'exec'],
  ])('a hook sets the time limit of a command in milliseconds: %s', async (dialect, name) => {
  const updatedInput = { command: 'sleep 5; echo done', timeout: 300 }
  const note = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } })
  const workspace = workspaceOf({ 'note.json': note })
  const hooks = importHooks('claude-code', settings('PreToolUse', 'cat note.json', 'Bash'))
  const toolkit = new Toolkit({ workspace, dialect: dialect as never, hooks })
  onTestFinished(() => toolkit.close())
  await expect(toolkit.execute(name as never, { command: 'echo' } as never)).rejects.toThrow(/300 ms|0\.3/)
})

/** A toolkit whose hook adds so many lines to results. */
const withNotes = (event: 'PreToolUse' | 'PostToolUse', lines: number, more = {}) => {
  const additionalContext = Array.from({ length: lines }, (_, row) => `note ${row + 1}`).join('\n')
  const workspace = workspaceOf({ 'a.txt': 'one', 'note.json': JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext } }) })
  const hooks = importHooks('claude-code', settings(event, 'cat "$CLAUDE_PROJECT_DIR/note.json"', 'Read'))
  const toolkit = new Toolkit({ workspace, hooks, ...more })
  onTestFinished(() => toolkit.close())
  return toolkit
}
const partsOf = (result: any): string[] => result.content.map((part: any) => part.text)

test.skipIf(process.platform === 'win32')('what hooks add is at most a page, and all of it is under an address', async () => {
  for (const event of ['PreToolUse', 'PostToolUse'] as const) {
    const toolkit = withNotes(event, 3000)
    const [own, added] = partsOf(await toolkit.execute('read', { file_path: 'a.txt' }))
    expect(own).toBe('one')
    expect(added!.split('\n').slice(1998)).toEqual([
      'note 1999',
      'note 2000',
      '',
      '[Lines 1-2000 of 3,000 lines shown. Full output: `output://1`; read or grep it.]',
    ])
    const [rest] = partsOf(await toolkit.execute('grep', { pattern: 'note 2001', path: 'output://1' }))
    expect(rest).toContain('2001: note 2001')
  }
})

test.skipIf(process.platform === 'win32')('what hooks add counts for the budget of a result', async () => {
  const toolkit = withNotes('PreToolUse', 900, { limits: { maxTokens: 500 } })
  const [own, added] = partsOf(await toolkit.execute('read', { file_path: 'a.txt' }))
  expect(own).toBe('one')
  expect(added).toMatch(/^note 1\n[^]* of 900 lines shown, for a budget of 500 tokens\. Full output: `output:\/\/1`; read or grep it\.\]$/)
  expect(added!.length).toBeLessThan(3000)
})
