import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { ToolError, Toolkit, createTools, jsonResult, toToolDefinitions, type TelemetryEvent } from '../index.js'
import { ROOT, run, runScript } from './support/run.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

test('tools are found by name, by names, by category and as a list', () => {
  const toolkit = toolkitOf()
  const names = toolkit.listTools().map((tool) => tool.name)
  expect(names).toEqual(toolkit.tools().map((tool) => tool.name))
  expect(names).toEqual(expect.arrayContaining(['read', 'write', 'edit', 'ls', 'find', 'grep', 'exec']))
  expect(toolkit.tools(['grep', 'read']).map((tool) => tool.name)).toEqual(['grep', 'read'])
  expect(toolkit.getTools(['nope', 'read']).map((tool) => tool.name)).toEqual(['read'])
  expect(toolkit.getTool('nope')).toBeUndefined()
  expect(toolkit.getToolsByCategory('runtime').map((tool) => tool.name)).toEqual(['exec', 'process'])
})

test.skipIf(process.platform !== 'linux')('a toolkit that is closed keeps no descriptor open', async () => {
  const descriptors = () => readdirSync('/proc/self/fd').length
  const record = path.join(workspaceOf(), 'session.jsonl')
  const workspace = workspaceOf({ 'a.txt': 'x' })
  const before = descriptors()
  for (let count = 0; count < 20; count += 1) {
    const toolkit = new Toolkit({ workspace, record, onApproval: () => 'once' })
    await toolkit.execute('read', { file_path: 'a.txt' })
    for (const pty of [false, true]) await toolkit.execute('exec', { command: 'cat', background: true, pty })
    await toolkit.close()
  }
  expect(descriptors() - before).toBeLessThan(10)
})

test('a tool that is not exposed is named with those that are', () => {
  const toolkit = toolkitOf({}, { tools: { allow: ['read', 'grep'] } })
  const failure = (() => {
    try {
      toolkit.tool('exec')
    } catch (error) {
      return error
    }
  })()
  expect(failure).toMatchObject({ name: 'ToolError', tool: 'exec', error_type: 'not_found', details: { code: 'unknown_tool' } })
  expect(String(failure)).toBe('ToolError: There is no tool `exec` in this toolkit. Available: `read`, `grep`.')
  expect(() => toolkit.tools(['nope'])).toThrow(ToolError)
})

test('definitions are plain copies that model providers take', () => {
  const toolkit = toolkitOf()
  const [definition] = toolkit.definitions(['read'])
  expect(definition).toEqual({
    name: 'read',
    description: toolkit.tool('read').description,
    inputSchema: JSON.parse(JSON.stringify(toolkit.tool('read').parameters)),
  })
  definition!.inputSchema.properties = {}
  expect(toolkit.definitions(['read'])[0]!.inputSchema.properties).not.toEqual({})
  expect(toolkit.definitions()).toHaveLength(toolkit.tools().length)
  expect(toolkit.definitions([])).toEqual([])
})

test('execute runs a tool by name and refuses a name that does not exist', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'hello\n' })
  expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: expect.stringContaining('hello') }])
  expect(await failureOf(toolkit.execute('nope', {}))).toMatchObject({ tool: 'nope', error_type: 'not_found', details: { code: 'unknown_tool' } })
})

test('the id of the call reaches history; without one there is a default', async () => {
  const toolkit = toolkitOf({ 'a.txt': '' })
  await toolkit.execute('read', { file_path: 'a.txt' }, { toolCallId: 'mine' })
  await toolkit.tool('ls').execute(undefined as never, {})
  await failureOf(toolkit.execute('read', { file_path: 'b.txt' }, { toolCallId: 'fails' }))
  expect(toolkit.history()).toMatchObject([
    { id: 'mine', tool: 'read', params: { file_path: 'a.txt' }, outcome: 'ok', durationMs: expect.any(Number) },
    { id: expect.stringMatching(/./), tool: 'ls', outcome: 'ok' },
    { id: 'fails', tool: 'read', outcome: 'not_found' },
  ])
})

test('telemetry hears of each call before its promise settles, and may throw', async () => {
  const events: TelemetryEvent[] = []
  const toolkit = toolkitOf(
    {},
    {
      onTelemetry(event) {
        events.push(event)
        throw new Error('the listener is broken')
      },
    },
  )
  await toolkit.execute('ls', {}, { toolCallId: '1' })
  expect(events).toMatchObject([{ event: 'tool_used', tool: 'ls', toolCallId: '1', success: true, bytes: expect.any(Number) }])
  await failureOf(toolkit.execute('read', {} as never, { toolCallId: '2' }))
  expect(events[1]).toMatchObject({ tool: 'read', toolCallId: '2', success: false, error_type: 'invalid_input' })
})

test('validateParams names every fault and runs nothing', () => {
  const toolkit = toolkitOf()
  expect(toolkit.validateParams('read', { file_path: 'a' })).toEqual({ valid: true })
  const codes = (params: unknown) => toolkit.validateParams('edit', params).errors?.map(({ param, code }) => `${param}: ${code}`)
  expect(codes({ edits: [{ oldText: 'a', newText: 5 }, { oldText: 'b' }], nope: 1 })).toEqual(
    expect.arrayContaining(['file_path: MISSING_REQUIRED', 'edits[0].newText: TYPE_MISMATCH', 'edits[1].newText: MISSING_REQUIRED', 'nope: UNKNOWN_PARAM']),
  )
  expect(codes({ file_path: 'a', edits: [{ oldText: NaN, newText: 5 }] })).toEqual(
    expect.arrayContaining(['edits[0].oldText: TYPE_MISMATCH', 'edits[0].newText: TYPE_MISMATCH']),
  )
  expect(toolkit.validateParams('nope', {})).toMatchObject({ valid: false, errors: [{ code: 'TOOL_NOT_FOUND' }] })
  expect(toolkit.history()).toEqual([])
})

test('explain adds what each command of a call does, whatever the rules say', () => {
  const toolkit = toolkitOf({}, { permissions: { deny: ['Bash(rm:*)'] } })
  expect(toolkit.decide('exec', { command: 'rm a' })).not.toHaveProperty('commands')
  expect(toolkit.explain('exec', { command: 'rm -rf a && nope > b' })).toMatchObject({
    verdict: 'deny',
    commands: [
      { command: 'rm -rf a', program: 'rm', directories: ['.'], files: [{ kind: 'delete', name: 'a', below: true }] },
      { command: 'nope', directories: ['.'], files: [{ kind: 'write', name: 'b' }] },
    ],
  })
  expect(toolkit.explain('exec', {})).toMatchObject({ verdict: 'deny', issues: expect.any(Array) })
})

test('decide and approvalRequest explain a call and run nothing', () => {
  const toolkit = toolkitOf({}, { permissions: { defaultMode: 'ask' } })
  expect(toolkit.decide('write', { file_path: 'a.txt', content: 'x' })).toMatchObject({ verdict: 'ask', effects: { writes: ['a.txt'] } })
  expect(toolkit.approvalRequest('exec', { command: 'ls' })).toMatchObject({
    tool: 'exec',
    danger: 'low',
    preview: { commands: [{ text: 'ls' }] },
  })
  expect(toolkit.approvalRequest('exec', { command: 'rm -rf /' })).toMatchObject({ danger: 'high' })
  expect(toolkit.history()).toEqual([])
})

test.each([
  [undefined, 'The option `workspace` is missing: the directory that the tools work in.'],
  [{}, 'The option `workspace` is missing: the directory that the tools work in.'],
  [{ cwd: '/' }, 'Unknown option `cwd`. Did you mean `workspace`?'],
  [{ workspace: '/', worksapce: '/' }, 'Unknown option `worksapce`. Did you mean `workspace`?'],
  [{ workspace: '/', onApprove: () => 'once' }, 'Unknown option `onApprove`. Did you mean `onApproval`?'],
  [{ workspace: '/', host: { askUsr: () => '' } }, 'Unknown option `host.askUsr`. Did you mean `host.askUser`?'],
  [{ workspace: '/', web: { serach: {} } }, 'Unknown option `web.serach`. Did you mean `web.search`?'],
  [{ workspace: '/', web: { search: { providr: () => [] } } }, 'Unknown option `web.search.providr`. Did you mean `web.search.provider`?'],
  [{ workspace: '/', web: { fetch: { zzz: 1 } } }, 'Unknown option `web.fetch.zzz`. Known options: `web.fetch.allowPrivate`, '],
  [
    { workspace: '/', telemetry: { trace: {} }, timeout: 5 },
    'Unknown option `timeout`. Did you mean `limits.timeoutMs`? Unknown option `telemetry.trace`. Did you mean `telemetry.tracer`?',
  ],
  [{ workspace: '/', tools: { allow: () => [] } }, '`tools.allow` is a function, which JSON cannot represent.'],
  [{ workspace: '/nowhere/at/all' }, 'The workspace `/nowhere/at/all` does not exist.'],
  [{ workspace: process.execPath }, `The workspace \`${process.execPath}\` is not a directory.`],
  [{ workspace: '/', onApproval: 'yes' }, 'The option `onApproval` must be a function; got string.'],
  [{ workspace: '/', limits: { timeoutMs: NaN } }, '`limits.timeoutMs` is NaN'],
  [{ workspace: '/', dialect: 'klingon' }, 'klingon'],
])('options %j are refused by name', (options, part) => {
  expect(() => new Toolkit(options as never)).toThrow(ToolError)
  expect(() => createTools(options as never)).toThrow(part)
})

test('close can be called twice; later calls are refused, earlier ones aborted', async () => {
  const toolkit = toolkitOf()
  const running = failureOf(toolkit.execute('exec', { command: 'sleep 60' }))
  await new Promise((resolve) => setTimeout(resolve, 50))
  await Promise.all([toolkit.close(), toolkit.close()])
  expect(await running).toMatchObject({ error_type: 'aborted' })
  expect(await failureOf(toolkit.execute('ls', {}))).toMatchObject({ error_type: 'aborted', message: expect.stringContaining('closed') })
  // Contexts of vm lack the symbol on Node 20.
  await toolkit[Symbol.asyncDispose ?? (Symbol.for('Symbol.asyncDispose') as never)]()
})

test('close reports what it could not clear away, and has ended everything all the same', async () => {
  const toolkit = new Toolkit({ workspace: workspaceOf() })
  const { details } = await toolkit.execute('exec', { command: 'yes x | head -c 200000' })
  const directory = path.dirname(details.fullOutputPath!)
  const running = failureOf(toolkit.execute('exec', { command: 'sleep 60' }))
  rmSync(directory, { recursive: true })
  writeFileSync(directory, 'in the way')
  onTestFinished(() => rmSync(directory))
  expect(await failureOf(toolkit.close())).toMatchObject({ tool: 'close', message: expect.stringContaining('command output') })
  expect(await failureOf(toolkit.close())).toBeInstanceOf(ToolError)
  expect(await running).toMatchObject({ error_type: 'aborted' })
})

test('output that somebody else has cleared away does not make close fail', async () => {
  const toolkit = new Toolkit({ workspace: workspaceOf() })
  const { details } = await toolkit.execute('exec', { command: 'yes x | head -c 200000' })
  rmSync(path.dirname(details.fullOutputPath!), { recursive: true })
  expect(await toolkit.close()).toBeUndefined()
})

test('jsonResult shows its payload as indented JSON', () => {
  expect(jsonResult({ a: [1] })).toEqual({ content: [{ type: 'text', text: '{\n  "a": [\n    1\n  ]\n}' }], details: { a: [1] } })
  expect(jsonResult(undefined)).toEqual({ content: [{ type: 'text', text: 'null' }], details: undefined })
})

test('toToolDefinitions turns errors into results, but not an abort', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'hello\n' })
  const [read, exec] = toToolDefinitions(toolkit.tools(['read', 'exec']))
  // An error that is returned as a result does not fit the schema of the details.
  const { outputSchema: _, ...kept } = toolkit.tool('read')
  expect(Object.keys(read!)).toEqual(Object.keys(kept))
  expect((await read!.execute('1', { file_path: 'a.txt' })).content[0]).toMatchObject({ type: 'text' })
  const missing = await read!.execute('2', { file_path: 'b.txt' })
  expect(missing.details).toEqual({ status: 'error', tool: 'read', error: expect.stringContaining('b.txt') })
  const updates: unknown[] = []
  await exec!.execute('3', { command: 'echo a; sleep 0.2' }, (update) => updates.push(update), { any: 'context' })
  expect(updates).not.toEqual([])
  const abort = new AbortController()
  const aborted = failureOf(exec!.execute('4', { command: 'sleep 60' }, undefined, undefined, abort.signal))
  abort.abort()
  expect(await aborted).toMatchObject({ error_type: 'aborted' })
})

test('a relative workspace is relative to the directory of the process', async () => {
  const workspace = workspaceOf({ 'a.txt': 'x' })
  const toolkit = new Toolkit({ workspace: path.relative(process.cwd(), workspace) })
  expect(await toolkit.execute('read', { file_path: 'a.txt' })).toBeTruthy()
  await toolkit.close()
})

// Windows holds directories by their path alone.
test.skipIf(process.platform === 'win32')(
  'when the workspace is removed, moved or replaced, every tool says so, and none works on another directory',
  async () => {
    const calls: [string, object][] = [
      ['read', { file_path: 'a.txt' }],
      ['write', { file_path: 'b.txt', content: 'x' }],
      ['edit', { file_path: 'a.txt', oldText: 'a', newText: 'b' }],
      ['apply_patch', { input: '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n' }],
      ['ls', {}],
      ['find', { pattern: '*' }],
      ['grep', { pattern: 'a' }],
      ['exec', { command: 'touch c.txt' }],
      ['lsp', { operation: 'documentSymbol', filePath: 'a.txt' }],
    ]
    const changes: [string, (workspace: string) => void][] = [
      ['removed', (workspace) => rmSync(workspace, { recursive: true })],
      [
        'removed and made again',
        (workspace) => (rmSync(workspace, { recursive: true }), mkdirSync(workspace), writeFileSync(path.join(workspace, 'a.txt'), 'a\n')),
      ],
      ['moved', (workspace) => renameSync(workspace, path.join(workspace, '../elsewhere'))],
      ['replaced by a link', (workspace) => (renameSync(workspace, `${workspace}-old`), symlinkSync(`${workspace}-old`, workspace))],
    ]
    for (const [what, change] of changes) {
      const workspace = path.join(workspaceOf({ 'ws/a.txt': 'a\n' }), 'ws')
      const toolkit = new Toolkit({ workspace })
      onTestFinished(() => toolkit.close())
      await toolkit.execute('ls', {})
      change(workspace)
      for (const [tool, params] of calls) {
        const failure = await failureOf(toolkit.execute(tool, params))
        expect({ what, tool, ...failure.details }).toEqual({ what, tool, code: 'workspace_gone', workspace })
        expect(failure.message).toContain(`The workspace directory \`${workspace}\` was removed, moved or replaced`)
      }
      // What has nothing to do with files goes on.
      expect(await toolkit.execute('todo_read', {})).toMatchObject({ details: {} })
      if (existsSync(workspace)) expect(readdirSync(workspace)).toEqual(['a.txt'])
    }
  },
)

test('a warning is emitted once per process, and each toolkit knows all of its own', async () => {
  const script = `
    const options = { workspace: process.cwd(), tools: { deny: ['nosuchtool'] } }
    const [one, other] = [new tenon.Toolkit(options), new tenon.Toolkit(options)]
    for (const toolkit of [one, other]) for (const time of [1, 2]) toolkit.registerTool({ name: 'twice', handler: () => time })
    console.log(JSON.stringify([one.notices(), other.notices()]))`
  const { stdout, stderr } = await runScript(script, { cwd: workspaceOf() })
  const [one, other] = JSON.parse(stdout)
  expect(one).toEqual([expect.stringContaining('`nosuchtool`'), 'The tool `twice` was replaced by the one that was registered now.'])
  expect(other).toEqual(one)
  expect(stderr.match(/TenonWarning/g)).toHaveLength(2)
})

test('loading the package loads neither the native part nor what a first call does not need', async () => {
  const script = `
    const { Toolkit } = require(${JSON.stringify(ROOT)})
    const files = () => Object.keys(require.cache).map((file) => require('node:path').basename(file))
    const before = files()
    const crypto = process.moduleLoadList.includes('NativeModule crypto')
    new Toolkit({ workspace: process.cwd(), permissions: { allow: ['read'] } })
      .execute('read', { path: 'app.cjs' })
      .then(() => console.log(JSON.stringify({ before, crypto, after: files() })))`
  // Not as an argument: for that Node itself loads its module of cryptography.
  const cwd = workspaceOf({ 'app.cjs': script })
  const { before, crypto, after } = JSON.parse((await run(process.execPath, ['app.cjs'], { cwd })).stdout)
  expect({ before, crypto }).toEqual({ before: ['app.cjs', 'index.js', 'toolkit.js', 'tool-error.js'], crypto: false })
  // Each file takes 0.1 ms and more. One that is added here makes the first call of every process slower.
  const needed = ['connection.js', 'host.js', 'params.js', 'load.js', 'options.js']
  expect(after.filter((file: string) => !before.includes(file) && !file.endsWith('.node')).sort()).toEqual(needed.sort())
})

test('the approver of options that are an object of a class is asked, although its name is inherited', async () => {
  const asked: string[] = []
  class Given {
    workspace = workspaceOf({ 'a.txt': 'hello' })
    permissions = { ask: ['read'] }
    onApproval({ tool }: any) {
      asked.push(tool)
      return 'once' as const
    }
  }
  const { content } = await new Toolkit(new Given()).execute('read', { file_path: 'a.txt' })
  expect({ asked, content }).toEqual({ asked: ['read'], content: [{ type: 'text', text: 'hello' }] })
})

test.each(['limits', 'permissions'])('`%s` must be an object of options, not one that keeps its members elsewhere', async (name) => {
  const options = [Promise.resolve({}), new Map(), []]
  const made = options.map((value) => failureOf((async () => toolkitOf({}, { [name]: value } as any))()))
  expect((await Promise.all(made)).map(({ message }) => message)).toEqual([
    `The option \`${name}\` must be an object, not a Promise. Await it before it is given.`,
    `The option \`${name}\` must be an object, not a Map. Give a plain object.`,
    `The option \`${name}\` must be an object, not a list. Give a plain object.`,
  ])
})

describe('decide does not throw for parameters that no call could be made with', () => {
  const refusing = { name: 'refusing', inputSchema: z.object({ a: z.string() }), execute: () => 'done' }
  const failing = {
    '~standard': {
      version: 1,
      vendor: 'own',
      validate: () => {
        throw new Error('out of order')
      },
    },
  }
  const cyclic: any = {}
  cyclic.self = cyclic
  test.each<[string, string, () => unknown, string, string]>([
    ['nothing', 'read', () => ({}), 'file_path', 'MISSING_REQUIRED'],
    ['one too many', 'read', () => ({ file_path: 'a', frob: 1 }), 'frob', 'UNKNOWN_PARAM'],
    ['a bigint', 'read', () => ({ file_path: 5n }), 'file_path', 'TYPE_MISMATCH'],
    ['a cycle', 'read', () => cyclic, 'self', 'TYPE_MISMATCH'],
    [
      'a getter that throws',
      'read',
      () => ({
        file_path: 'a',
        get limit() {
          throw new Error('no')
        },
      }),
      'limit',
      'TYPE_MISMATCH',
    ],
    ['a list', 'read', () => [], '', 'TYPE_MISMATCH'],
    ['a string', 'read', () => 'a.txt', '', 'TYPE_MISMATCH'],
    ['a function', 'read', () => () => {}, '', 'TYPE_MISMATCH'],
    ['what a tool of the host refuses', 'refusing', () => ({ a: 5 }), 'a', 'TYPE_MISMATCH'],
    ['nothing for a tool of the host', 'refusing', () => undefined, 'a', 'MISSING_REQUIRED'],
    ['anything for a check that throws', 'failing', () => ({ a: 5 }), '', 'TYPE_MISMATCH'],
  ])('%s', (_, name, params, param, code) => {
    const toolkit = toolkitOf({}, { customTools: [refusing, { name: 'failing', inputSchema: failing, jsonSchema: { type: 'object' }, execute: () => 'done' }] })
    const decision = toolkit.decide(name, params())
    expect(decision).toMatchObject({ verdict: 'deny', reason: expect.stringMatching(/\S/), matched_rule: null })
    expect(decision.issues).toContainEqual({ param, code, message: expect.stringMatching(/\S/) })
    expect(toolkit.history()).toEqual([])
  })

  test('valid parameters have no issues', () => {
    const decision = toolkitOf({}, { customTools: [refusing] }).decide('refusing', { a: 'x' })
    expect(decision).toMatchObject({ verdict: 'allow' })
    expect(decision.issues ?? []).toEqual([])
  })
})

// Each named another option, or none.
test.each<[object, string]>([
  [{ web: { fetch: { allowPrivate: ['localhost'] } } }, '`web.fetch.allowPrivate`: `localhost` is not a host and a port, such as `localhost:3000`.'],
  [{ browser: { allowPrivate: ['localhost'] } }, '`browser.allowPrivate`: `localhost` is not a host and a port, such as `localhost:3000`.'],
  [{ exec: { stat: 'cwd+env' } }, 'Unknown option `exec.stat`. Did you mean `exec.state`?'],
  [{ limits: { timeoutMs: 1.5 } }, '`limits.timeoutMs` must be an integer, not 1.5.'],
  [{ mcp: { pins: { file: '' } } }, "The option `mcp.pins` must be 'session', 'off', `{ file }` or a store with `load` and `save`."],
  [{ mcp: { credentials: { file: '' } } }, 'The option `mcp.credentials` must be `{ file }` or a store with `load` and `save`.'],
])('what is wrong with %j is said of that option', (options, message) => {
  expect(() => toolkitOf({}, options as any)).toThrow(message)
})
