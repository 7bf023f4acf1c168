// `acpClient` and `acpMcpServer` of `tenon/acp`: what an agent asks of its client is treated as every call.

import { readFileSync } from 'node:fs'
import path from 'node:path'

import * as v1 from '@agentclientprotocol/sdk'
import * as v2 from '@agentclientprotocol/sdk/experimental/v2'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, onTestFinished, test } from 'vitest'

import { acpClient, acpMcpServer, type AcpClientOptions } from '../../acp.js'
import { Toolkit, type ToolkitOptions } from '../../index.js'
import { until } from '../support/acp.js'
import { failureOf, toolkitOf, workspaceOf } from '../support/workspace.js'

const OPTIONS = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
] as const

/** An agent's view of a client over a toolkit. */
function agentOf(options: Partial<ToolkitOptions> = {}, files: Record<string, string> = {}, client: AcpClientOptions = {}, sdk: any = v1) {
  const workspace = workspaceOf(files)
  const toolkit = new Toolkit({ workspace, ...options } as ToolkitOptions)
  const handlers = acpClient(toolkit, { RequestError: sdk.RequestError, ...client })
  const app = sdk.client({ name: 'client' })
  handlers.register(app, { protocolVersion: sdk === v1 ? 1 : 2 })
  let peer: any
  const connection = app.connect(
    sdk.agent({ name: 'agent' }).onRequest('initialize', ({ client }: any) => {
      peer = client
      return sdk === v1 ? { protocolVersion: 1 } : { protocolVersion: 2, info: { name: 'a', version: '1' } }
    }),
  )
  onTestFinished(async () => {
    connection.close()
    await handlers.close()
    await toolkit.close()
  })
  const info = { name: 'c', version: '1' }
  const ready = connection.agent.request('initialize', sdk === v1 ? { protocolVersion: 1 } : { protocolVersion: 2, info })
  const ask = async (method: string, params: object, more?: object) => {
    await ready
    return peer.request(method, { sessionId: 's', ...params }, more)
  }
  return { workspace, toolkit, handlers, ask }
}

describe('files', () => {
  test('are read and written inside the workspace, by the rules', async () => {
    const { workspace, ask, toolkit } = agentOf({ permissions: { deny: ['Read(.env)', 'Write(locked/**)'] } }, { 'a.txt': '1\n2\n3\n4\n', '.env': 'SECRET=1' })
    const at = (name: string) => path.join(workspace, name)
    expect(await ask('fs/read_text_file', { path: at('a.txt') })).toEqual({ content: '1\n2\n3\n4\n' })
    expect(await ask('fs/read_text_file', { path: at('a.txt'), line: 2, limit: 2 })).toEqual({ content: '2\n3\n' })
    expect(await ask('fs/write_text_file', { path: at('b/c.txt'), content: 'new\n' })).toEqual({})
    expect(readFileSync(at('b/c.txt'), 'utf8')).toBe('new\n')
    expect(await failureOf(ask('fs/read_text_file', { path: at('.env') }))).toMatchObject({ code: -32603, message: expect.stringContaining('Read(.env)') })
    expect(await failureOf(ask('fs/write_text_file', { path: at('locked/x'), content: '' }))).toMatchObject({ code: -32603 })
    expect(await failureOf(ask('fs/read_text_file', { path: at('none') }))).toMatchObject({ code: -32002 })
    for (const outside of ['/etc/passwd', `${workspace}/../x`])
      expect((await failureOf(ask('fs/read_text_file', { path: outside }))).message).toMatch(/outside|does not exist/)
    expect(await failureOf(ask('fs/read_text_file', { path: 'a.txt' }))).toMatchObject({ code: -32602, message: expect.stringContaining('absolute') })
    expect(toolkit.history().map(({ tool }) => tool)).toContain('write')
  })

  test('more than one page of a file is one text', async () => {
    const text = Array.from({ length: 30_000 }, (_, index) => `line ${index}\n`).join('')
    const { workspace, ask } = agentOf({}, { 'long.txt': text })
    expect((await ask('fs/read_text_file', { path: path.join(workspace, 'long.txt') })).content).toBe(text)
  })

  test.each(['canonical', 'coder', 'manager', 'acp'] as const)('the vocabulary %s serves them as well', async (dialect) => {
    const { workspace, ask } = agentOf({ dialect } as any, { 'a.txt': 'one\n' })
    expect(await ask('fs/read_text_file', { path: path.join(workspace, 'a.txt') })).toEqual({ content: 'one\n' })
    const { terminalId } = await ask('terminal/create', { command: 'echo', args: ['hi'] })
    expect(await ask('terminal/wait_for_exit', { terminalId })).toEqual({ exitCode: 0, signal: null })
  })
})

describe('terminals', () => {
  test('run a program with its arguments, and no shell finds anything in them', async () => {
    const { workspace, ask } = agentOf({}, { 'sub/x': '' })
    const args = ['$HOME', '; touch never', "it's", '*', 'ä b']
    const { terminalId } = await ask('terminal/create', {
      command: 'printf',
      args: ['%s\\n', ...args],
      env: [{ name: 'WORD', value: 'w' }],
      cwd: path.join(workspace, 'sub'),
    })
    expect(await ask('terminal/wait_for_exit', { terminalId })).toEqual({ exitCode: 0, signal: null })
    expect(await ask('terminal/output', { terminalId })).toEqual({
      output: `${args.join('\n')}\n`,
      truncated: false,
      exitStatus: { exitCode: 0, signal: null },
    })
    const { terminalId: env } = await ask('terminal/create', {
      command: 'sh',
      args: ['-c', 'echo $WORD; pwd; exit 3'],
      env: [{ name: 'WORD', value: 'w' }],
      cwd: path.join(workspace, 'sub'),
    })
    expect(await ask('terminal/wait_for_exit', { terminalId: env })).toEqual({ exitCode: 3, signal: null })
    expect((await ask('terminal/output', { terminalId: env })).output).toBe(`w\n${path.join(workspace, 'sub')}\n`)
    await ask('terminal/release', { terminalId })
    expect(await failureOf(ask('terminal/output', { terminalId }))).toMatchObject({ code: -32002 })
    const { terminalId: own } = await ask('terminal/create', { command: 'A=b', args: ['touch', 'never'] })
    expect(await ask('terminal/wait_for_exit', { terminalId: own })).toEqual({ exitCode: 127, signal: null })
  })

  test('keep the end of the output, from the beginning of a character', async () => {
    const { ask } = agentOf()
    const { terminalId } = await ask('terminal/create', { command: 'sh', args: ['-c', 'printf "aäöü"'], outputByteLimit: 5 })
    await ask('terminal/wait_for_exit', { terminalId })
    expect(await ask('terminal/output', { terminalId })).toMatchObject({ output: 'öü', truncated: true })
  })

  test('a huge output keeps its end', async () => {
    const { ask } = agentOf()
    const { terminalId } = await ask('terminal/create', { command: 'sh', args: ['-c', 'seq 2000000'], outputByteLimit: 1000 })
    await ask('terminal/wait_for_exit', { terminalId })
    const { output, truncated } = await ask('terminal/output', { terminalId })
    expect([output.length <= 1000, output.endsWith('1999999\n2000000\n'), truncated]).toEqual([true, true, true])
  })

  test.each([
    ['no limit', undefined, 108_894],
    ['a limit that is not reached', 4_000_000, 108_894],
    ['a limit', 60_000, 60_000],
  ])('with %s all of a long output is there from its end, also for two readers at once', async (_, outputByteLimit, expected) => {
    const { ask } = agentOf()
    const { terminalId } = await ask('terminal/create', { command: 'seq', args: ['20000'], outputByteLimit })
    await Promise.all([ask('terminal/output', { terminalId }), ask('terminal/output', { terminalId })])
    await ask('terminal/wait_for_exit', { terminalId })
    const all = Array.from({ length: 20_000 }, (_, n) => `${n + 1}\n`).join('')
    const exitStatus = { exitCode: 0, signal: null }
    const output = { output: all.slice(-expected), truncated: expected < all.length, exitStatus }
    expect(await Promise.all([ask('terminal/output', { terminalId }), ask('terminal/output', { terminalId })])).toEqual([output, output])
  })

  test('are stopped, and belong to their session', async () => {
    const { ask } = agentOf()
    const { terminalId } = await ask('terminal/create', { command: 'sleep', args: ['60'] })
    expect(await failureOf(ask('terminal/kill', { terminalId, sessionId: 'other' }))).toMatchObject({ code: -32002 })
    const waiting = ask('terminal/wait_for_exit', { terminalId })
    await ask('terminal/kill', { terminalId })
    expect(await waiting).toEqual({ exitCode: null, signal: 'SIGTERM' })
    expect(await ask('terminal/output', { terminalId })).toMatchObject({ exitStatus: { signal: 'SIGTERM' } })
  })

  test('are judged like every command', async () => {
    const { ask } = agentOf({ permissions: { deny: ['Bash(rm:*)'] } })
    expect((await failureOf(ask('terminal/create', { command: 'rm', args: ['-rf', 'x'] }))).message).toContain('Bash(rm:*)')
    // Types that the SDK lets pass, when it is used without.
    const handlers = acpClient(toolkitOf())
    onTestFinished(() => handlers.close())
    for (const params of [
      null,
      { command: 7 },
      { command: 'x', args: 'y' },
      { command: 'x', args: [1] },
      { command: 'x', env: [{ name: 1 }] },
      { command: 'x', env: {} },
      {
        command: 'x',
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
    ]) {
      await failureOf(handlers.createTerminal({ params: params && { sessionId: 's', ...params } }))
    }
  })
})

describe('requests for permission', () => {
  const rules: Partial<ToolkitOptions> = {
    permissions: {
      allow: ['Bash(npm test:*)', 'Edit(src/**)', 'Read'],
      deny: ['Bash(rm:*)', 'Edit(.env)', 'Edit(src/kept/x)', 'Read(secrets/**)'],
      defaultMode: 'ask',
    },
  }
  const call = (fields: object) => ({ toolCall: { toolCallId: 't', ...fields }, options: OPTIONS })

  test.each([
    ['an allowed command', { kind: 'execute', rawInput: { command: 'npm test -- x' } }, 'yes'],
    ['an allowed command as words', { kind: 'execute', rawInput: { command: ['npm', 'test'] } }, 'yes'],
    ['a denied command', { kind: 'execute', rawInput: { command: 'npm test && rm -rf x' } }, 'no'],
    ['a denied command for a shell', { kind: 'execute', rawInput: { command: ['bash', '-lc', 'rm -rf x'] } }, 'no'],
    ['an unknown command', { kind: 'execute', rawInput: { command: 'make' } }, 'asked'],
    ['a command that is not named', { kind: 'execute', title: 'npm test', rawInput: {} }, 'asked'],
    ['a denied command in the title only', { kind: 'execute', title: 'npm test && rm -rf x' }, 'no'],
    ['a denied file in the title of another kind', { kind: 'think', title: 'rm -rf x' }, 'asked'],
    ['a command of another type', { kind: 'execute', rawInput: { command: { line: 'npm test' } } }, 'asked'],
    ['an allowed file', { kind: 'edit', locations: [{ path: 'src/a.ts' }] }, 'yes'],
    ['an allowed diff', { kind: 'edit', content: [{ type: 'diff', path: 'src/a.ts', newText: '' }] }, 'yes'],
    [
      'a diff of another file than the one that is named',
      { kind: 'edit', locations: [{ path: 'src/a.ts' }], content: [{ type: 'diff', path: '.env', newText: '' }] },
      'no',
    ],
    ['a file outside', { kind: 'edit', locations: [{ path: '/etc/passwd' }] }, 'no'],
    ['the arguments of a denied command', { kind: 'execute', rawInput: { command: 'rm', args: ['-rf', 'src'] } }, 'no'],
    ['the arguments of an allowed one', { kind: 'execute', rawInput: { command: 'npm', args: ['test'], env: [] } }, 'yes'],
    ['arguments that a shell would run', { kind: 'execute', rawInput: { command: 'npm', args: ['test', '; rm -rf src'] } }, 'no'],
    ['arguments that are none', { kind: 'execute', rawInput: { command: 'npm test', args: 'x' } }, 'asked'],
    ['a variable that runs something else', { kind: 'execute', rawInput: { command: 'npm test', env: { LD_PRELOAD: '/tmp/x.so' } } }, 'asked'],
    ['the same as the protocol lists it', { kind: 'execute', rawInput: { command: 'npm test', env: [{ name: 'LD_PRELOAD', value: '/tmp/x.so' }] } }, 'asked'],
    ['a variable with two values', { kind: 'execute', rawInput: { command: 'npm test', env: ['a', 'b'].map((value) => ({ name: 'X', value })) } }, 'asked'],
    ['an allowed command elsewhere', { kind: 'execute', rawInput: { command: 'npm test', dir_path: '/etc' } }, 'no'],
    ['a denied command that is said to read', { kind: 'read', locations: [{ path: 'src/a.ts' }], rawInput: { command: ['bash', '-lc', 'rm -rf src'] } }, 'no'],
    ['an unknown command that is said to search', { kind: 'search', rawInput: { command: 'make', path: 'src' } }, 'asked'],
    ['the command of a tool that edits', { kind: 'edit', rawInput: { command: 'str_replace', path: 'src/a.ts', old_str: 'a', new_str: 'b' } }, 'yes'],
    ['files in objects', { kind: 'edit', locations: [{ path: 'src/a.ts' }], rawInput: { files: [{ path: '.env' }] } }, 'no'],
    ['files that cannot be read', { kind: 'edit', locations: [{ path: 'src/a.ts' }], rawInput: { files: [{ where: '.env' }] } }, 'asked'],
    ['a file below a directory', { kind: 'edit', rawInput: { file_path: 'a.ts', directory: 'src' } }, 'yes'],
    ['a directory that is searched', { kind: 'search', rawInput: { pattern: 'x', dir_path: '/etc' } }, 'no'],
    ['a pattern that leads elsewhere', { kind: 'search', rawInput: { pattern: '/etc/*', path: 'src' } }, 'asked'],
    ['a directory with a file that is protected', { kind: 'search', rawInput: { pattern: 'x', path: '.' } }, 'asked'],
    ['the same by its working directory', { kind: 'search', rawInput: { pattern: 'x', cwd: '.', include: 'secrets/**' } }, 'asked'],
    ['a directory that is read', { kind: 'read', rawInput: { path: '.' } }, 'asked'],
    ['a directory without one', { kind: 'search', rawInput: { pattern: 'x', path: 'src' } }, 'yes'],
    ['a directory that is denied', { kind: 'search', rawInput: { pattern: 'x', path: 'secrets' } }, 'no'],
    ['a directory that is deleted with a file that is protected', { kind: 'delete', rawInput: { path: 'src/kept' } }, 'asked'],
    ['a directory that is moved with one', { kind: 'move', rawInput: { from: 'src/kept', to: 'src/b' } }, 'asked'],
    ['a directory that is deleted without one', { kind: 'delete', rawInput: { path: 'src/free' } }, 'yes'],
    ['a pattern that leads up in its middle', { kind: 'search', rawInput: { pattern: 'src/../../etc/*', path: 'src' } }, 'asked'],
    ['a pattern one of whose names leads up', { kind: 'search', rawInput: { pattern: '{../x,y}/*', path: 'src' } }, 'asked'],
    ['a pattern one of whose names is elsewhere', { kind: 'search', rawInput: { pattern: 'x', include: '{a,/etc}/*', path: 'src' } }, 'asked'],
    ['a pattern with points', { kind: 'search', rawInput: { pattern: 'a...b', path: 'src' } }, 'yes'],
    ['a file of the home directory', { kind: 'read', rawInput: { path: '~/.ssh/id_rsa' } }, 'asked'],
    ['a pattern as a file', { kind: 'read', rawInput: { paths: ['src/*'] } }, 'asked'],
    ['edits of other files', { kind: 'edit', locations: [{ path: 'src/a.ts' }], rawInput: { edits: [{ path: '.env', newText: 'x' }] } }, 'no'],
    ['edits of the same file', { kind: 'edit', locations: [{ path: 'src/a.ts' }], rawInput: { edits: [{ oldText: 'a', newText: 'x' }] } }, 'yes'],
    ['edits that are nested too deep', { kind: 'edit', locations: [{ path: 'src/a.ts' }], rawInput: { edits: [[[[[[{ path: '.env' }]]]]]] } }, 'asked'],
    ['a diff of another file', { kind: 'edit', locations: [{ path: 'src/a.ts' }], rawInput: { diff: '--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-a\n+b\n' } }, 'no'],
    [
      'a diff with a line like a head',
      { kind: 'edit', locations: [{ path: 'src/a.ts' }], rawInput: { diff: '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n--- .env\n+x\n' } },
      'yes',
    ],
    ['a command with what it consists of', { kind: 'execute', rawInput: { command: 'npm test', commands: ['npm test'] } }, 'yes'],
    [
      'a command with the risk that the agent sees in it',
      { kind: 'execute', rawInput: { command: 'npm test', summary: 'x', riskLevelReason: 'x', riskLevel: 'low', fireAndForget: true } },
      'yes',
    ],
    ['patterns in a directory', { kind: 'search', rawInput: { patterns: ['**/*.ts'], excludePatterns: ['a'], directory_path: 'src' } }, 'yes'],
    ['patterns of which one leads elsewhere', { kind: 'search', rawInput: { patterns: ['**/*.ts', '/etc/*'], directory_path: 'src' } }, 'asked'],
    ['patterns in a directory that is denied', { kind: 'search', rawInput: { patterns: ['**'], directory_path: 'secrets' } }, 'no'],
    ['several commands', { kind: 'execute', rawInput: { commands: ['npm test', 'npm test -- a'] } }, 'yes'],
    ['several commands with one that is denied', { kind: 'execute', rawInput: { command: 'npm test', commands: ['npm test', 'rm x'] } }, 'no'],
    ['several commands with one that no rule allows', { kind: 'execute', rawInput: { commands: ['npm test', ['make', 'all']] } }, 'asked'],
    ['commands that are no texts', { kind: 'execute', rawInput: { command: 'npm test', commands: [{ run: 'rm x' }] } }, 'asked'],
    ['a file that a command is given along', { kind: 'execute', rawInput: { command: 'npm test', path: 'x' } }, 'asked'],
    ['a parameter that nobody knows', { kind: 'read', locations: [{ path: 'src/a.ts' }], rawInput: { as_user: 'root' } }, 'asked'],
    ['two directories', { kind: 'execute', rawInput: { command: 'npm test', cwd: '.', dir_path: 'src' } }, 'asked'],
    ['a directory that is no text', { kind: 'execute', rawInput: { command: 'npm test', cwd: { path: '/etc' } } }, 'asked'],
    ['arguments of no command', { kind: 'read', locations: [{ path: 'src/a.ts' }], rawInput: { args: ['-rf'] } }, 'asked'],
    ['parameters that are a text', { kind: 'read', locations: [{ path: 'src/a.ts' }], rawInput: 'rm -rf src' }, 'asked'],
    ['a change of the mode', { kind: 'switch_mode', rawInput: { command: 'npm test' } }, 'asked'],
    ['a thought', { kind: 'think' }, 'asked'],
    ['no kind', { rawInput: { command: 'npm test' } }, 'asked'],
    ['an unknown kind', { kind: 'other', rawInput: { command: 'npm test' } }, 'asked'],
  ])('%s', async (_, fields, expected) => {
    const asked: any[] = []
    const { ask } = agentOf(
      rules,
      { 'src/a.ts': '', 'src/kept/x': '', 'src/free/y': '', 'secrets/k': '' },
      { ask: (permission) => (asked.push(permission), 'always') },
    )
    const { outcome } = await ask('session/request_permission', call(fields))
    expect([outcome, asked.length]).toEqual([{ outcome: 'selected', optionId: expected === 'asked' ? 'always' : expected }, expected === 'asked' ? 1 : 0])
  })

  test('where no command is allowed, only the user says whether a directory may be searched', async () => {
    const permissions = { allow: ['Read'], deny: ['Bash', 'Read(secrets/**)'], defaultMode: 'ask' as const }
    const asked: any[] = []
    const { ask } = agentOf({ permissions }, { 'a.ts': '', 'secrets/k': '' }, { ask: (permission) => (asked.push(permission.reason), 'no') })
    const of = async (path: string) => (await ask('session/request_permission', call({ kind: 'read', rawInput: { path } }))).outcome.optionId
    expect([await of('a.ts'), await of('none'), await of('.'), asked]).toEqual([
      'yes',
      'yes',
      'no',
      ['What lies below `.` cannot be judged, since no command is allowed.'],
    ])
  })

  test('the narrowest answer is chosen, and none that the agent did not offer', async () => {
    const { ask } = agentOf(rules, {}, { ask: () => 'root' })
    const allowed = { toolCallId: 't', kind: 'execute', rawInput: { command: 'npm test' } }
    const denied = { ...allowed, rawInput: { command: 'rm x' } }
    const option = (kind: string) => ({ optionId: kind, name: kind, kind })
    const of = (toolCall: object, ...kinds: string[]) => ask('session/request_permission', { toolCall, options: kinds.map(option) })
    expect(await of(allowed, 'allow_always', 'allow_once', 'reject_once')).toEqual({ outcome: { outcome: 'selected', optionId: 'allow_once' } })
    // Allowing it for ever is for the user, who said something that is no option.
    expect(await of(allowed, 'allow_always', 'reject_always')).toEqual({ outcome: { outcome: 'selected', optionId: 'reject_always' } })
    expect(await of(denied, 'allow_once', 'reject_always')).toEqual({ outcome: { outcome: 'selected', optionId: 'reject_always' } })
    expect(await failureOf(of(denied, 'allow_once'))).toMatchObject({ message: expect.stringContaining('Not permitted') })
    const choices = { toolCall: allowed, options: [option('allow_once'), { ...option('allow_once'), optionId: 'b' }, option('reject_once')] }
    expect(await ask('session/request_permission', choices)).toEqual({ outcome: { outcome: 'selected', optionId: 'reject_once' } })
  })

  test('what is denied is no question to the user, whatever there is to choose', async () => {
    const asked: string[] = []
    const { ask } = agentOf(rules, {}, { ask: ({ reason }) => (asked.push(reason), 'allow') })
    const options = [
      { optionId: 'a', name: 'With tests', kind: 'allow_once' },
      { optionId: 'allow', name: 'Without tests', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ]
    const of = async (command: string) => {
      const toolCall = { toolCallId: 't', kind: 'execute', title: command, rawInput: { command, is_background: false, description: 'x' } }
      return (await ask('session/request_permission', { toolCall, options })).outcome.optionId
    }
    expect([await of('rm x'), await of('npm test')]).toEqual(['no', 'allow'])
    expect(asked).toEqual(['The agent offers several choices.'])
  })

  test('of several ways to allow once policy takes the one that does nothing else', async () => {
    const asked: string[] = []
    const { ask } = agentOf(rules, {}, { ask: ({ reason }) => (asked.push(reason), 'no') })
    const toolCall = { toolCallId: 't', kind: 'execute', title: 'npm test', rawInput: { command: 'npm test' } }
    const of = async (...once: [string, string][]) => {
      const options = [...once.map(([optionId, name]) => ({ optionId, name, kind: 'allow_once' })), { optionId: 'no', name: 'No', kind: 'reject_once' }]
      return (await ask('session/request_permission', { toolCall, options })).outcome.optionId
    }
    // As Qwen Code offers them, whatever the order.
    const [plain, more] = [
      ['proceed_once', 'Allow'],
      ['proceed_once_and_switch', 'Switch to Default Mode and allow once (recommended)'],
    ] as const
    expect([await of([...plain], [...more]), await of([...more], [...plain])]).toEqual(['proceed_once', 'proceed_once'])
    expect(asked).toEqual([])
    // Which of them counts is not clear.
    expect([
      await of([...plain], ['other', 'Yes']),
      await of(['a', 'Allow'], ['a', 'Allow all from now on']),
      await of(['a', 'First'], ['b', 'Second']),
    ]).toEqual(['no', 'no', 'no'])
    expect(asked).toEqual(Array.from({ length: 3 }, () => 'The agent offers several choices.'))
  })

  test('without a user what policy asks is refused, and the host sees what was', async () => {
    const notices: any[] = []
    const { ask } = agentOf(rules, {}, { notice: (notice) => void notices.push(notice) })
    expect(await ask('session/request_permission', call({ kind: 'execute', rawInput: { command: 'make' } }))).toEqual({
      outcome: { outcome: 'selected', optionId: 'no' },
    })
    expect(notices).toMatchObject([{ verdict: 'ask', reason: expect.stringContaining('make') }])
  })

  test('only a cancelled turn is answered as cancelled', async () => {
    let signal: AbortSignal | undefined
    const { ask, handlers } = agentOf(rules, {}, { ask: (_, context) => new Promise(() => (signal = context.signal)) })
    const waiting = ask('session/request_permission', call({ kind: 'think' }))
    await until(() => signal)
    handlers.cancel('another')
    expect(signal!.aborted).toBe(false)
    handlers.cancel('s')
    expect(await waiting).toEqual({ outcome: { outcome: 'cancelled' } })
    expect(signal!.aborted).toBe(true)
  })

  test('version 2 names a command or a call as its subject', async () => {
    const asked: any[] = []
    const { ask, workspace, handlers } = agentOf(rules, {}, { ask: (permission) => (asked.push(permission), 'no') }, v2)
    const of = (subject: object | null) => ask('session/request_permission', { title: 'May I?', subject, options: OPTIONS })
    expect(await of({ type: 'command', command: 'npm test', cwd: workspace })).toMatchObject({ outcome: { optionId: 'yes' } })
    expect(await of({ type: 'command', command: 'rm x', cwd: workspace })).toMatchObject({ outcome: { optionId: 'no' } })
    expect(
      await of({
        type: 'tool_call',
        toolCall: { toolCallId: 't', kind: 'edit', content: [{ type: 'diff', changes: [{ operation: 'modify', path: `${workspace}/src/a` }] }] },
      }),
    ).toMatchObject({ outcome: { optionId: 'yes' } })
    expect(asked.length).toBe(0)
    await of(null)
    await of({ type: '_own', what: 1 })
    expect(asked.length).toBe(2)
    // A client of version 1 would show the other one.
    const two = async (path: string) => {
      const subject = { type: 'command', command: 'npm test', cwd: workspace }
      const toolCall = { toolCallId: 't', kind: 'edit', locations: [{ path }] }
      const params: any = { sessionId: 's', title: 'May I?', options: OPTIONS, subject, toolCall }
      expect(await handlers.requestPermission({ params })).toMatchObject({ outcome: { optionId: 'no' } })
      return asked.length
    }
    expect([await two('.env'), await two(`${workspace}/src/a`)]).toEqual([2, 3])
  })
})

describe('the tools as a server', () => {
  test('an agent calls them in this process', async () => {
    const toolkit = toolkitOf({ 'notes.txt': 'one\n' })
    const server = acpMcpServer(toolkit)
    onTestFinished(() => server.close())
    expect(JSON.parse(JSON.stringify(server))).toEqual({
      name: 'tenon',
      command: process.execPath,
      args: [expect.stringContaining('bridge.js'), expect.any(String)],
      env: [],
    })
    expect(acpMcpServerType(toolkit)).toBe('stdio')
    const client = new Client({ name: 'agent', version: '1' })
    await client.connect(new StdioClientTransport({ command: server.command, args: server.args }))
    onTestFinished(() => client.close())
    const result: any = await client.callTool({ name: 'read', arguments: { file_path: 'notes.txt' } })
    expect(result.content[0].text).toBe('one\n')
    expect(toolkit.history()).toMatchObject([{ tool: 'read' }])
  })

  const acpMcpServerType = (toolkit: any) => {
    const server: any = acpMcpServer(toolkit, { protocolVersion: 2 })
    onTestFinished(() => server.close())
    return server.type
  }
})
