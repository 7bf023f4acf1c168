import vm from 'node:vm'

import { expect, test } from 'vitest'

import { toAISDKTools } from '../ai-sdk.js'
import { ToolError, platformNames, terminalApprover, type ValidationIssue } from '../index.js'
import { mcpHttpHandler, serveMcp } from '../mcp.js'
import { failureOf, toolkitOf } from './support/workspace.js'

/** The faults of a call, as `param: code`. */
async function faultsOf(params: unknown, name = 'edit'): Promise<string[]> {
  const toolkit = toolkitOf({ 'a.txt': 'old\n' })
  const failure = await failureOf(toolkit.execute(name, params))
  expect(failure).toBeInstanceOf(ToolError)
  expect(failure).toMatchObject({ tool: name, error_type: 'invalid_input', details: { code: 'invalid_params' } })
  const errors: ValidationIssue[] = failure.details.errors
  for (const { message } of errors) expect(failure.message).toContain(message)
  return errors.map(({ param, code }) => `${param}: ${code}`)
}

const edit = { file_path: 'a.txt', edits: [{ oldText: 'old', newText: 'new' }] }

test.each([
  ['a missing parameter', {}, ['file_path: MISSING_REQUIRED']],
  ['a wrong type', { file_path: { a: 1 }, content: 'x' }, ['file_path: TYPE_MISMATCH']],
  ['an unknown parameter', { file_path: 'a', content: 'x', frob: 1 }, ['frob: UNKNOWN_PARAM']],
  ['null for a required one', { file_path: null, content: 'x' }, ['file_path: TYPE_MISMATCH']],
])('%s is named', async (_, params, expected) => {
  expect(await faultsOf(params, 'write')).toEqual(expect.arrayContaining(expected))
})

test('all faults are reported at once, those of JSON and those of the schema, each with its path', async () => {
  const faults = await faultsOf({
    edits: [
      { oldText: 'a', newText: 'b' },
      { oldText: NaN, newText: 1n },
      { oldText: '\ud800', newText: {} },
    ],
    frob: 1,
  })
  expect(faults).toEqual(
    expect.arrayContaining([
      'edits[1].oldText: TYPE_MISMATCH',
      'edits[1].newText: TYPE_MISMATCH',
      'edits[2].oldText: TYPE_MISMATCH',
      'edits[2].newText: TYPE_MISMATCH',
      'file_path: MISSING_REQUIRED',
      'frob: UNKNOWN_PARAM',
    ]),
  )
  expect(new Set(faults).size).toBe(faults.length)
})

test('a call that does not cross is in the history, with null where the value was', async () => {
  const toolkit = toolkitOf()
  const failure = await failureOf(toolkit.execute('read', { file_path: NaN, limit: 0 } as never))
  expect(failure.message).toBe(
    'Invalid parameters for `read`: `file_path` is NaN, which JSON cannot represent. `limit`: Expected a number of at least 1, got 0.',
  )
  expect(toolkit.history()).toMatchObject([{ tool: 'read', outcome: 'invalid_input', params: { file_path: null, limit: 0 } }])
  expect(toolkit.decide('read', { file_path: NaN, limit: 0 })).toMatchObject({
    verdict: 'deny',
    reason: failure.message,
    issues: failure.details.errors,
  })
})

const cyclic: Record<string, unknown> = { ...edit }
cyclic.self = cyclic
let deep: unknown = 'x'
for (let depth = 0; depth < 100_000; depth += 1) deep = [deep]
let shared: unknown = 'x'
for (let depth = 0; depth < 40; depth += 1) shared = [shared, shared]

test.each<[string, unknown]>([
  ['NaN', NaN],
  ['Infinity', -Infinity],
  ['a BigInt', 5n],
  ['a function', () => 'x'],
  ['a symbol', Symbol('x')],
  ['half a surrogate pair', 'a\udc00b'],
  ['half a surrogate pair in a name', { 'a\ud800': 'x' }],
  ['a Date', new Date(0)],
  ['a Map', new Map()],
  ['a Buffer', Buffer.from('x')],
  ['a boxed string', new String('x')],
  ['a promise', Promise.resolve('x')],
  ['an object that writes itself otherwise', new URL('file:///a')],
  ['a list with a hole', [, 'x']],
  ['a list with undefined', [undefined]],
  ['a cycle', cyclic],
  ['nesting without end', deep],
  ['shared references without end', shared],
  ['a list of a billion holes', new Array(1e9)],
])('%s is refused, not changed', async (_, value) => {
  const faults = await faultsOf({ ...edit, edits: value })
  expect(faults.length).toBeGreaterThan(0)
  expect(faults.length).toBeLessThanOrEqual(100)
  for (const fault of faults) expect(fault).toMatch(/^edits.*: /)
})

test.each<[string, unknown]>([
  [
    'a getter that throws',
    {
      ...edit,
      get edits() {
        throw new Error('no')
      },
    },
  ],
  [
    'a proxy that throws',
    new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('no')
        },
      },
    ),
  ],
  [
    'a revoked proxy',
    (() => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy
    })(),
  ],
  ['a list', [1]],
  ['a number', 5],
  ['a text', 'file_path'],
  ['a function', () => edit],
])('%s for parameters is a typed error', async (_, params) => {
  await faultsOf(params)
})

test.each<[string, unknown]>([
  ['frozen', Object.freeze({ ...edit, edits: Object.freeze([Object.freeze({ oldText: 'old', newText: 'new' })]) })],
  ['without prototype', Object.assign(Object.create(null), edit)],
  ['of another realm', vm.runInNewContext(`(${JSON.stringify(edit)})`)],
  ['a proxy', new Proxy({ ...edit }, {})],
  ['an instance of a class', Object.assign(new (class Params {})(), edit)],
  [
    'with getters',
    {
      file_path: 'a.txt',
      get edits() {
        return edit.edits
      },
    },
  ],
  ['with undefined and null for absent ones', { ...edit, oldText: undefined, newText: null, replaceAll: null }],
  ['with symbols', { ...edit, [Symbol('mark')]: 1 }],
])('parameters that are %s work', async (_, params) => {
  const toolkit = toolkitOf({ 'a.txt': 'old\n' })
  const result = await toolkit.execute('edit', params as never)
  expect(result.details).toMatchObject({ path: 'a.txt', replacements: 1 })
})

test('a value is read once, so that what was checked is what is sent', async () => {
  let reads = 0
  const params = {
    content: 'x',
    get file_path() {
      return (reads += 1) === 1 ? 'once.txt' : 'twice.txt'
    },
  }
  const result = await toolkitOf().execute('write', params)
  expect(result.details.path).toBe('once.txt')
  expect(reads).toBe(1)
})

test('a member called __proto__ is a member', async () => {
  expect(await faultsOf(JSON.parse('{"file_path": "a", "content": "x", "__proto__": {"content": "y"}}'), 'write')).toContain('__proto__: UNKNOWN_PARAM')
})

test('NUL in a path is refused, text beyond the basic plane is not', async () => {
  const toolkit = toolkitOf({ 'grüße 😀.txt': '😀 ok\n' })
  expect(await failureOf(toolkit.execute('read', { file_path: 'a\0b' }))).toMatchObject({ error_type: 'invalid_input' })
  const { content } = await toolkit.execute('read', { file_path: 'grüße 😀.txt' })
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('😀 ok') }])
})

test('huge texts cross whole', async () => {
  const text = 'ä'.repeat(5_000_000) + '\n'
  const toolkit = toolkitOf()
  expect((await toolkit.execute('write', { file_path: 'big.txt', content: text })).details.size).toBe(10_000_001)
  const failure = await failureOf(toolkit.execute('read', { file_path: 'x'.repeat(5_000_000) }))
  expect(ToolError.is(failure)).toBe(true)
  expect(failure.message.length).toBeLessThan(20_000)
})

test('parameters may be left out where none are required', async () => {
  const ls = toolkitOf({ 'a.txt': '' }).tool('ls')
  const expected = await ls.execute('1', {})
  expect(await ls.execute('2', undefined as never)).toEqual(expected)
  expect(await ls.execute('3', null as never)).toEqual(expected)
})

test('execute rejects every misuse and throws none', async () => {
  const toolkit = toolkitOf()
  const misuse = async (call: () => Promise<unknown>) => {
    // A call that throws has no promise.
    const promise = call()
    return promise.then(
      () => 'resolved',
      (error) => [error.name, error.message],
    )
  }
  expect(await misuse(() => toolkit.execute('ls', {}, { maxTokens: 0 }))).toEqual(['ToolError', '`maxTokens` must be an integer of at least 200.'])
  expect(await misuse(() => toolkit.execute('ls', {}, { approved: 'yes' } as never))).toEqual([
    'ToolError',
    "`approved` must be 'once', together with the `digest` of `approvalRequest(name, params)`.",
  ])
  expect(await misuse(() => toolkit.execute('ls', {}, null as never))).toEqual(['ToolError', 'The options of `execute` must be an object.'])
  expect(await misuse(() => toolkit.execute(5 as never, {} as never))).toEqual(['ToolError', 'The name of a tool must be a string; got number.'])
})

test.each(['decide', 'explain', 'approvalRequest', 'validateParams'] as const)('%s refuses what is no name of a tool', (method) => {
  const toolkit = toolkitOf() as any
  for (const [name, kind] of [
    [undefined, 'undefined'],
    [null, 'null'],
    [5, 'number'],
    [{}, 'object'],
  ]) {
    expect(() => toolkit[method](name, {})).toThrow(
      expect.objectContaining({ name: 'ToolError', error_type: 'invalid_input', message: `The name of a tool must be a string; got ${kind}.` }),
    )
  }
})

test.each(['tools', 'definitions'] as const)('%s refuses what is no list of names', (method) => {
  const toolkit = toolkitOf() as any
  for (const [names, kind] of [
    [null, 'null'],
    [5, 'number'],
    ['read', 'string'],
  ]) {
    expect(() => toolkit[method](names)).toThrow(
      expect.objectContaining({ name: 'ToolError', error_type: 'invalid_input', message: `The names of tools must be a list; got ${kind}.` }),
    )
  }
})

test('options of another type are refused with their names', () => {
  const toolkit = toolkitOf() as any
  for (const [options, message] of [
    [{ input: 5 }, 'The option `input` of `serveMcp` must be a stream to read; got number.'],
    [{ output: {} }, 'The option `output` of `serveMcp` must be a stream to write; got object.'],
    [{ resources: 5 }, 'The option `resources` of `serveMcp` must be a list; got number.'],
    [{ prompts: {} }, 'The option `prompts` of `serveMcp` must be a list; got object.'],
  ] as const) {
    expect(() => serveMcp(toolkit, options as any)).toThrow(expect.objectContaining({ name: 'ToolError', error_type: 'invalid_input', message }))
  }
  for (const record of ['', { file: '' }]) {
    expect(() => toolkitOf({}, { record } as any)).toThrow('The option `record` is an empty text; it must be the path of a file.')
  }
})

test('an option that does not exist is refused with the nearest that does', async () => {
  const toolkit = toolkitOf()
  const refusal = async (call: () => unknown) => {
    try {
      await call()
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }
  const tool = { function: { name: 'shown', description: 'd', parameters: { type: 'object', properties: {} } } }
  expect([
    await refusal(() => toAISDKTools(toolkit, { names: ['ls'] } as never)),
    await refusal(() => (toAISDKTools as any)()),
    await refusal(() => serveMcp(toolkit, { structurd: true } as never)),
    await refusal(() => mcpHttpHandler(toolkit, { allowedHost: [] } as never)),
    await refusal(() => terminalApprover({ colour: 'never' } as never)),
    await refusal(() => toolkit.handleToolUse({}, { wires: 'jsonrpc' } as never)),
    await refusal(() => toolkit.registerClientTool(tool as never, { timeout: 5 } as never)),
    await refusal(() => platformNames('opencode', { invers: true } as never)),
  ]).toEqual([
    'Unknown option `names` of `toAISDKTools`. Known options: `version`, `progress`, `needsApproval`, `deferLoading`.',
    'The first argument must be a toolkit or a list of its tools.',
    'Unknown option `structurd` of `serveMcp`. Did you mean `structured`?',
    'Unknown option `allowedHost` of `mcpHttpHandler`. Did you mean `allowedHosts`?',
    'Unknown option `colour` of `terminalApprover`. Did you mean `color`?',
    'Unknown option `wires` of `handleToolUse`. Did you mean `wire`?',
    'Unknown option `timeout` of `registerClientTool`. Did you mean `timeoutMs`?',
    'Unknown option `invers` of `platformNames`. Did you mean `inverse`?',
  ])
})
