import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { Type as OldType } from '@sinclair/typebox'
import { Type } from 'typebox'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'

import { ToolError, Toolkit, jsonResult, type CustomTool, type TelemetryEvent } from '../index.js'
import { failureOf, toolkitOf, until, workspaceOf } from './support/workspace.js'

const GREET = {
  type: 'object',
  properties: { name: { type: 'string', description: 'Whom.' }, times: { type: 'integer', minimum: 1 } },
  required: ['name'],
  additionalProperties: false,
}
const hello = ({ name, times = 1 }: any) => `hello ${name}`.repeat(times)

/** The same tool in every form and with every kind of schema. */
const FORMS: Record<string, object> = {
  'an AgentTool': { parameters: GREET, execute: async (_id: string, params: any) => hello(params) },
  'a handler': { parameters: GREET, handler: hello },
  'an execute of input': { inputSchema: GREET, execute: async (input: any) => hello(input) },
  'TypeBox 1': { parameters: Type.Object({ name: Type.String(), times: Type.Optional(Type.Integer({ minimum: 1 })) }), handler: hello },
  'TypeBox 0.34': { parameters: OldType.Object({ name: OldType.String(), times: OldType.Optional(OldType.Integer({ minimum: 1 })) }), handler: hello },
  'Zod 4': { parameters: z.object({ name: z.string(), times: z.number().int().min(1).optional() }), handler: hello },
  'a raw shape of Zod 4': { parameters: { name: z.string(), times: z.number().int().min(1).optional() }, handler: hello },
  'a raw shape of Zod 3': { inputSchema: { name: z3.string(), times: z3.number().int().min(1).optional() }, execute: hello },
  'Zod 3': { inputSchema: z3.object({ name: z3.string(), times: z3.number().int().min(1).optional() }), execute: hello },
  'the AI SDK': {
    inputSchema: {
      jsonSchema: GREET,
      validate: (value: any) =>
        typeof value.name === 'string' && (value.times ?? 1) >= 1 ? { success: true, value } : { success: false, error: new Error('no') },
    },
    execute: hello,
  },
}

/** Warnings of the process while a test runs. */
function warnings(): string[] {
  const warned: string[] = []
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warned.push(String(warning)))
  onTestFinished(() => spy.mockRestore())
  return warned
}

test.each(Object.entries(FORMS))('a tool is registered as or with %s', async (_, form) => {
  const toolkit = toolkitOf()
  const tool = toolkit.registerTool({ name: 'greet', description: 'Greets.', ...form } as CustomTool)!
  expect(tool).toBe(toolkit.tool('greet'))
  expect(toolkit.listTools().at(-1)).toBe(tool)
  expect(toolkit.getToolsByCategory('utility')).toEqual([tool])
  expect(tool).toMatchObject({
    label: 'greet',
    description: 'Greets.',
    category: 'utility',
    group: 'foreign',
    metadata: { operation: 'foreign', dialect: 'agent' },
  })
  const definition = toolkit.definitions(['greet'])[0]!
  expect(definition.inputSchema).toMatchObject({
    type: 'object',
    properties: { name: { type: 'string' }, times: { type: 'integer', minimum: 1 } },
    required: ['name'],
  })
  expect(JSON.stringify(definition)).not.toMatch(/\$schema|9007199254740991/)

  const { execute } = { ...tool }
  expect(await execute('1', { name: 'you' })).toEqual({ content: [{ type: 'text', text: 'hello you' }], details: 'hello you' })
  expect(await toolkit.execute('greet', { name: 'you', times: '2' })).toMatchObject({ details: 'hello youhello you' })
  expect(toolkit.validateParams('greet', { name: 'you' })).toEqual({ valid: true })
  const refused = await failureOf(toolkit.execute('greet', { name: 5, times: 0 }))
  expect(refused).toBeInstanceOf(ToolError)
  expect(refused).toMatchObject({ tool: 'greet', error_type: 'invalid_input', details: { code: 'invalid_params' } })
  expect(toolkit.validateParams('greet', { name: 5, times: 0 }).errors).toEqual(refused.details.errors)
  expect(toolkit.history().map(({ tool, outcome }) => [tool, outcome])).toEqual([
    ['greet', 'ok'],
    ['greet', 'ok'],
    ['greet', 'invalid_input'],
  ])
})

test.each(['an AgentTool', 'TypeBox 1', 'TypeBox 0.34', 'Zod 4', 'Zod 3', 'a raw shape of Zod 4', 'a raw shape of Zod 3'])(
  'faults are reported with place and code: %s',
  (form) => {
    const toolkit = toolkitOf()
    toolkit.registerTool({ name: 'greet', ...FORMS[form] } as CustomTool)
    const codes = (params: unknown) => toolkit.validateParams('greet', params).errors?.map(({ param, code }) => `${param} ${code}`)
    expect(codes({})).toEqual(['name MISSING_REQUIRED'])
    expect(codes({ name: {}, times: 0 })).toEqual(['name TYPE_MISMATCH', 'times OUT_OF_RANGE'])
  },
)

test('every code of validation has its case', () => {
  const toolkit = toolkitOf()
  const item = { type: 'object', properties: { id: { type: 'string', pattern: '^t-\\d+$' } }, required: ['id'], additionalProperties: false }
  const parameters = {
    type: 'object',
    properties: {
      mode: { enum: ['a', 'b'] },
      count: { type: 'integer', maximum: 5 },
      text: { type: 'string', minLength: 2 },
      items: { type: 'array', items: item },
    },
    required: ['mode'],
    additionalProperties: false,
  }
  toolkit.registerTool({ name: 'check', parameters, handler: () => '' })
  const params = { count: 9, text: 'x', items: [{ id: 't-1' }, { id: 'x', more: 1 }], odd: 1, mode: 'c' }
  expect(toolkit.validateParams('check', params).errors!.map(({ param, code }) => [param, code])).toEqual([
    ['mode', 'INVALID_ENUM'],
    ['count', 'OUT_OF_RANGE'],
    ['text', 'INVALID_LENGTH'],
    ['items[1].id', 'PATTERN_MISMATCH'],
    ['items[1].more', 'UNKNOWN_PARAM'],
    ['odd', 'UNKNOWN_PARAM'],
  ])
  expect(toolkit.validateParams('check', { count: 'x' }).errors!.map(({ code }) => code)).toEqual(['MISSING_REQUIRED', 'TYPE_MISMATCH'])
  expect(toolkit.validateParams('nope', {}).errors).toMatchObject([{ code: 'TOOL_NOT_FOUND' }])
})

test('a schema that transforms gives the tool what came out of it, and policy sees that too', async () => {
  const seen: unknown[] = []
  const requests: unknown[] = []
  const toolkit = toolkitOf({}, { onApproval: (request) => (requests.push(request.params), 'once') })
  const parameters = z.object({ when: z.string().transform((text) => new Date(text)), size: z.string().transform(Number).default(3), path: z.string().trim() })
  toolkit.registerTool({ name: 'plan', parameters, handler: (params) => void seen.push(params) })
  await toolkit.execute('plan', { when: '2026-01-01', path: ' a ' })
  expect(seen).toEqual([{ when: new Date('2026-01-01'), size: 3, path: 'a' }])
  // A date is not JSON, so the user sees what was sent.
  expect(requests).toEqual([{ when: '2026-01-01', path: ' a ' }])
  toolkit.registerTool({ name: 'trim', parameters: z.object({ path: z.string().trim().default('here') }), handler: (params) => params })
  expect((await toolkit.execute('trim', {})).details).toEqual({ path: 'here' })
  expect(requests[1]).toEqual({ path: 'here' })
  expect(toolkit.approvalRequest('trim', { path: ' x' })).toMatchObject({ params: { path: 'x' } })
})

test('what the check of a tool says is reported alike, wherever it is asked, and JSON comes before it', async () => {
  const toolkit = toolkitOf()
  const questions: unknown[] = []
  const parameters = z.object({ count: z.preprocess((given) => Number(given), z.number().max(5, 'Too many')) })
  toolkit.registerTool({ name: 'draw', parameters, approvalRequest: (params) => void questions.push(params), handler: ({ count }) => count })
  const errors = [{ param: 'count', message: 'Too many.', code: 'OUT_OF_RANGE' }]
  const message = 'Invalid parameters for `draw`: `count`: Too many.'
  expect(await failureOf(toolkit.execute('draw', { count: '9' }))).toMatchObject({ message, details: { errors } })
  expect(toolkit.validateParams('draw', { count: '9' })).toEqual({ valid: false, errors })
  expect(toolkit.decide('draw', { count: '9' })).toMatchObject({ verdict: 'deny', reason: message, issues: errors })
  expect(() => toolkit.approvalRequest('draw', { count: '9' })).toThrow(message)
  const unwritable = 'Invalid parameters for `draw`: `count` is NaN, which JSON cannot represent.'
  expect(await failureOf(toolkit.execute('draw', { count: NaN }))).toMatchObject({ message: unwritable })
  expect(toolkit.decide('draw', { count: NaN })).toMatchObject({ verdict: 'deny', reason: unwritable })
  expect(questions).toEqual([])
  expect(toolkit.validateParams('draw', { count: '5' })).toEqual({ valid: true })
  expect(toolkit.history().map(({ outcome }) => outcome)).toEqual(['invalid_input', 'invalid_input'])
})

test('a check may take its time, and say no', async () => {
  const toolkit = toolkitOf()
  const parameters = z.object({ id: z.string().refine(async (id) => id === 'known', 'Unknown id') })
  toolkit.registerTool({ name: 'find_user', parameters, handler: ({ id }) => id })
  expect((await toolkit.execute('find_user', { id: 'known' })).details).toBe('known')
  expect(await failureOf(toolkit.execute('find_user', { id: 'other' }))).toMatchObject({
    error_type: 'invalid_input',
    details: { errors: [{ param: 'id', message: 'Unknown id.' }] },
  })
})

test('any Standard Schema will do; what it cannot say to models is given beside it', async () => {
  const warned = warnings()
  const toolkit = toolkitOf()
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'own',
      validate: (value: any) => (value.a ? { value: { a: value.a * 2 } } : { issues: [{ message: 'a is missing', path: ['list', { key: 0 }, 'a'] }] }),
    },
  }
  toolkit.registerTool({ name: 'bare', inputSchema: schema, execute: (input: any) => input })
  expect(warned).toEqual(['The schema of the tool `bare` cannot be written as JSON Schema, so models do not see its parameters. Add a `jsonSchema`.'])
  expect((await toolkit.execute('bare', { a: 2 })).details).toEqual({ a: 4 })
  expect(toolkit.validateParams('bare', {}).errors).toEqual([{ param: 'list[0].a', message: 'a is missing.', code: 'MISSING_REQUIRED' }])
  const jsonSchema = { type: 'object', properties: { a: { type: 'number' } } }
  expect(toolkit.registerTool({ name: 'described', inputSchema: schema, jsonSchema, execute: (input: any) => input })!.parameters).toMatchObject(jsonSchema)
  expect(warned).toHaveLength(1)
})

test.each([
  ['a text', 'done', [{ type: 'text', text: 'done' }], 'done'],
  ['an object', { a: 1 }, [{ type: 'text', text: '{\n  "a": 1\n}' }], { a: 1 }],
  ['a list', [1], [{ type: 'text', text: '[\n  1\n]' }], [1]],
  ['a number', 5, [{ type: 'text', text: '5' }], 5],
  ['nothing', undefined, [{ type: 'text', text: 'null' }], undefined],
  [
    'an AgentToolResult',
    {
      content: [
        { type: 'text', text: 'x', textSignature: 's' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
      details: { a: 1 },
    },
    [
      { type: 'text', text: 'x' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    ],
    { a: 1 },
  ],
  [
    'the result of an MCP tool',
    { content: [{ type: 'resource_link', uri: 'x:y' }], structuredContent: { b: 2 } },
    [{ type: 'text', text: '{\n  "type": "resource_link",\n  "uri": "x:y"\n}' }],
    { b: 2 },
  ],
  ['an object that only looks like a result', { content: 'text' }, [{ type: 'text', text: '{\n  "content": "text"\n}' }], { content: 'text' }],
])('what a function answers is a result: %s', async (_, answer, content, details) => {
  const toolkit = toolkitOf()
  toolkit.registerTool({ name: 'answer', handler: async () => answer })
  expect(await toolkit.execute('answer', {})).toEqual({ content, details })
})

test('details come back as the host gave them', async () => {
  const toolkit = toolkitOf()
  const details = { map: new Map([[1, 2]]), self: null as unknown, big: 5n }
  details.self = details
  toolkit.registerTool({
    name: 'own',
    parameters: { properties: { n: { type: 'integer' } } },
    handler: () => ({ content: [{ type: 'text', text: '' }], details }),
  })
  expect((await toolkit.execute('own', {})).details).toBe(details)
  expect((await toolkit.execute('own', { n: '5' })).details).toEqual({ ...details, repairs: [expect.objectContaining({ param: 'n' })] })
})

const cyclic: Record<string, unknown> = { a: 1 }
cyclic.self = cyclic
const deep = JSON.parse('[{"a":'.repeat(150) + '1' + '}]'.repeat(150))

test.each<[string, unknown, string]>([
  ['half a character', 'cut \ud83d', 'cut \ufffd'],
  ['half a character in a member', { 'a\udc00': '\ud83d' }, '{\n  "a\ufffd": "\ufffd"\n}'],
  ['a BigInt', { n: 5n }, '{\n  "n": "5"\n}'],
  ['a cycle', cyclic, '{\n  "a": 1,\n  "self": null\n}'],
  [
    'a getter that throws',
    {
      a: 1,
      get b() {
        throw new Error('no')
      },
    },
    '{\n  "a": 1,\n  "b": null\n}',
  ],
  [
    'a `toJSON` that throws',
    {
      a: {
        toJSON() {
          throw new Error('no')
        },
      },
    },
    '{\n  "a": null\n}',
  ],
  ['an escape that is no half of a character', { a: '\\ud83d' }, '{\n  "a": "\\\\ud83d"\n}'],
])('what JSON cannot represent is a result all the same: %s', async (_, answer, text) => {
  const toolkit = toolkitOf()
  toolkit.registerTool({ name: 'own', handler: () => answer })
  toolkit.registerTool({ name: 'kept', handler: () => ({ content: [{ type: 'text', text: '' }], details: answer }) })
  expect((await toolkit.execute('own', {})).content).toEqual([{ type: 'text', text }])
  expect((await toolkit.execute('kept', {})).details).toBe(answer)
})

test('details that are nested without end cross, and so do a thrown half of a character and its details', async () => {
  const toolkit = toolkitOf()
  toolkit.registerTool({ name: 'deep', handler: () => ({ content: [{ type: 'text', text: 'x' }], details: deep }) })
  toolkit.registerTool({
    name: 'fail',
    handler: () => {
      throw new ToolError('cut \ud83d', { tool: 'fail', error_type: 'not_found', details: { code: 'own', n: 5n as any, half: '\ud83d' } })
    },
  })
  expect(await toolkit.execute('deep', {})).toEqual({ content: [{ type: 'text', text: 'x' }], details: deep })
  expect(await failureOf(toolkit.execute('fail', {}))).toMatchObject({
    error_type: 'not_found',
    message: 'cut \ufffd',
    details: { code: 'own', n: '5', half: '\ufffd' },
  })
})

test.each<[string, unknown, string]>([
  ['`isError` alone', { isError: true }, 'The tool `own` failed.'],
  ['`isError` without content', { isError: true, content: [] }, 'The tool `own` failed.'],
  ['a returned error', new TypeError('it broke'), 'it broke'],
])('a failure that is returned is one: %s', async (_, answer, message) => {
  const toolkit = toolkitOf()
  toolkit.registerTool({ name: 'own', handler: () => answer })
  expect(await failureOf(toolkit.execute('own', {}))).toMatchObject({ error_type: 'execution_failed', message })
})

test('a result without content has none', async () => {
  const toolkit = toolkitOf()
  toolkit.registerTool({ name: 'own', handler: () => ({ content: [] }) })
  expect(await toolkit.execute('own', {})).toEqual({ content: [], details: undefined })
})

test('a handler shows partial results of any kind', async () => {
  const toolkit = toolkitOf()
  toolkit.registerTool({
    name: 'own',
    handler: async (_: unknown, { onUpdate }: any) => {
      onUpdate('50 %')
      await new Promise((resolve) => setTimeout(resolve, 300))
      onUpdate({ n: 5n })
      await new Promise((resolve) => setTimeout(resolve, 300))
      return 'done'
    },
  })
  const seen: unknown[] = []
  await toolkit.execute('own', {}, { onUpdate: (partial: any) => seen.push(partial.content) } as any)
  expect(seen).toEqual([[{ type: 'text', text: '50 %' }], [{ type: 'text', text: '{\n  "n": "5"\n}' }]])
})

/** They cross to JavaScript by columns. */
test('long lists of partial results and results are whole', async () => {
  const rows = Array.from({ length: 1000 }, (_, index) => ({ name: `größe ${index >> 3}`.repeat(10), index, last: index === 999 }))
  const details = { before: 1, rows, after: [{ rows: [] }] }
  const toolkit = toolkitOf()
  toolkit.registerTool({
    name: 'own',
    handler: async (_: unknown, { onUpdate }: any) => {
      onUpdate({ content: [{ type: 'text', text: 'half' }], details })
      await new Promise((resolve) => setTimeout(resolve, 300))
      return { content: [{ type: 'text', text: 'all' }], details }
    },
  })
  const seen: unknown[] = []
  const result = await toolkit.execute('own', {}, { onUpdate: (partial: any) => seen.push(partial.details) } as any)
  expect([seen, result.details]).toStrictEqual([[details], details])
})

test('what a function throws is the message of the failure and its cause', async () => {
  const toolkit = toolkitOf()
  const error = Object.assign(new TypeError('it broke'), { code: 'E_OWN' })
  const throws: [unknown, object][] = [
    [error, { error_type: 'execution_failed', message: 'it broke', details: { code: 'handler_failed' }, cause: error }],
    ['a text', { error_type: 'execution_failed', message: 'a text' }],
    [undefined, { error_type: 'execution_failed', message: 'undefined' }],
    [
      {
        toString: () => {
          throw 1
        },
      },
      { message: 'a value that cannot be shown' },
    ],
    [
      new ToolError('gone', { tool: 'inner', error_type: 'not_found', details: { code: 'own', hint: 1 } }),
      { tool: 'fail', error_type: 'not_found', message: 'gone', details: { code: 'own', hint: 1 } },
    ],
  ]
  let next: unknown
  toolkit.registerTool({
    name: 'fail',
    handler: () => {
      throw next
    },
  })
  for (const [thrown, expected] of throws) {
    next = thrown
    const failure = await failureOf(toolkit.execute('fail', {}))
    expect(failure).toBeInstanceOf(ToolError)
    expect(failure).toMatchObject(expected)
  }
  toolkit.registerTool({ name: 'says_so', handler: () => ({ content: [{ type: 'text', text: 'no luck' }], details: { a: 1 }, isError: true }) })
  expect(await failureOf(toolkit.execute('says_so', {}))).toMatchObject({ error_type: 'execution_failed', message: 'no luck', details: { a: 1 } })
  expect(toolkit.history().at(-1)).toMatchObject({ tool: 'says_so', outcome: 'execution_failed' })
})

test('an answer is bounded as every other', async () => {
  const toolkit = toolkitOf()
  toolkit.registerTool({ name: 'huge', handler: () => 'x'.repeat(3_000_000) })
  const { content } = await toolkit.execute('huge', {})
  expect((content[0] as any).text.length).toBeLessThan(1_100_000)
  expect((content[0] as any).text).toContain('[Output truncated:')
})

test('updates are coalesced, in order, whole, and end with the call', async () => {
  const toolkit = toolkitOf()
  let late: (partial: unknown) => void
  toolkit.registerTool({
    name: 'count',
    async execute(_id: string, _params: unknown, _signal: unknown, onUpdate: any) {
      late = onUpdate
      for (let index = 1; index <= 500; index += 1) {
        onUpdate({ content: [{ type: 'text', text: `${index}` }], details: { index } })
        if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return 'done'
    },
  })
  const updates: number[] = []
  await toolkit.execute('count', {}, { onUpdate: ({ details }) => updates.push(details.index) })
  expect(updates.length).toBeGreaterThan(1)
  expect(updates.length).toBeLessThan(100)
  expect(updates).toEqual([...updates].sort((a, b) => a - b))
  expect(updates.at(-1)).toBe(500)
  const count = updates.length
  late!('too late')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(updates).toHaveLength(count)
})

test('a generator streams what it yields and answers the last of it', async () => {
  const toolkit = toolkitOf()
  toolkit.registerTool({
    name: 'stream',
    inputSchema: { type: 'object' },
    async *execute() {
      for (const step of ['one', 'two', 'three']) {
        yield step
        await new Promise((resolve) => setTimeout(resolve, 70))
      }
    },
  })
  const updates: unknown[] = []
  const { details } = await toolkit.execute('stream', {}, { onUpdate: (partial) => updates.push(partial.details) })
  expect([updates, details]).toEqual([['one', 'two'], 'three'])
})

test('an abort reaches the function with the reason of the caller, and the call ends at once', async () => {
  const toolkit = toolkitOf()
  let seen: AbortSignal | undefined
  toolkit.registerTool({ name: 'wait', handler: (_params, { signal }) => ((seen = signal), new Promise(() => {})) })
  const abort = new AbortController()
  const reason = new Error('enough')
  const running = failureOf(toolkit.execute('wait', {}, { signal: abort.signal }))
  await until(() => seen !== undefined)
  abort.abort(reason)
  expect(await running).toMatchObject({ error_type: 'aborted', cause: reason })
  await until(() => seen!.aborted)
  expect(seen!.reason).toBe(reason)
})

test('a time limit ends a function that goes on, and nothing that it does later harms', async () => {
  const toolkit = toolkitOf()
  let stopped = false
  toolkit.registerTool({
    name: 'slow',
    timeoutMs: 50,
    handler: (_params, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          stopped = true
          setTimeout(() => reject(new Error('too late')), 20)
        })
      }),
  })
  expect(await failureOf(toolkit.execute('slow', {}))).toMatchObject({ error_type: 'timeout', details: { timeout_ms: 50 } })
  await until(() => stopped)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const brief = toolkitOf({}, { limits: { timeoutMs: 50 } })
  brief.registerTool({ name: 'slow', handler: () => new Promise(() => {}) })
  expect(await failureOf(brief.execute('slow', {}))).toMatchObject({ error_type: 'timeout' })
})

test('calls side by side keep their own parameters, contexts and answers', async () => {
  const toolkit = toolkitOf()
  const storage = new AsyncLocalStorage<number>()
  toolkit.registerTool({
    name: 'who',
    parameters: { properties: { n: { type: 'integer' } } },
    async handler({ n }) {
      await new Promise((resolve) => setTimeout(resolve, (n * 7) % 20))
      return { n, context: storage.getStore() }
    },
  })
  const calls = Array.from({ length: 40 }, (_, n) => storage.run(n, () => toolkit.execute('who', { n }, { toolCallId: 'same' })))
  expect((await Promise.all(calls)).map(({ details }) => details)).toEqual(calls.map((_, n) => ({ n, context: n })))
})

test('a second tool of a name takes the place of the first, with a warning; running calls go on', async () => {
  const warned = warnings()
  const toolkit = toolkitOf({ 'a.txt': 'x' })
  let release: (value: string) => void
  toolkit.registerTool({ name: 'twice', handler: () => new Promise((resolve) => (release = resolve)) })
  expect(warned).toEqual([])
  const first = toolkit.execute('twice', {})
  toolkit.registerTool({ name: 'twice', handler: () => 'second' })
  expect(warned).toEqual(['The tool `twice` was replaced by the one that was registered now.'])
  expect((await toolkit.execute('twice', {})).details).toBe('second')
  await until(() => release !== undefined)
  expect(toolkit.unregisterTool('twice')).toBe(true)
  release!('first')
  expect((await first).details).toBe('first')
  expect(toolkit.unregisterTool('twice')).toBe(false)
  expect(toolkit.getTool('twice')).toBeUndefined()
  expect(await failureOf(toolkit.execute('twice', {}))).toMatchObject({ error_type: 'not_found' })
  const names = toolkit.listTools().map((tool) => tool.name)
  toolkit.registerTool({ name: 'read', parameters: { properties: { file_path: { type: 'string' } } }, handler: () => 'mine' })
  expect((await toolkit.execute('read', { file_path: 'a.txt' })).details).toBe('mine')
  expect(toolkit.listTools().map((tool) => tool.name)).toEqual(names)
  expect(toolkit.unregisterTool('read')).toBe(true)
  expect(toolkit.getTool('read')).toBeUndefined()
})

test('what it is not known to do is asked about; what it declares is judged', async () => {
  const asked: string[] = []
  const toolkit = toolkitOf({}, { onApproval: ({ tool }) => (asked.push(tool), 'never'), permissions: { deny: ['Read(secret/**)'] } })
  const properties = { path: { type: 'string' }, url: { type: 'string' } }
  const register = (name: string, more: object) => toolkit.registerTool({ name, parameters: { properties }, handler: () => 'ran', ...more })
  register('unknown', {})
  register('looks', { effects: 'observe' })
  register('hints', { annotations: { readOnlyHint: true } })
  register('reads', { effects: { reads: ['path'] } })
  register('writes', { effects: { writes: ['path'] } })
  expect(await failureOf(toolkit.execute('unknown', {}))).toMatchObject({ error_type: 'permission_denied', details: { code: 'approval_denied' } })
  expect((await toolkit.execute('looks', {})).details).toBe('ran')
  expect((await toolkit.execute('hints', {})).details).toBe('ran')
  expect((await toolkit.execute('reads', { path: 'open/a' })).details).toBe('ran')
  expect(await failureOf(toolkit.execute('reads', { path: 'secret/a' }))).toMatchObject({
    details: { file: 'secret/a', matched_rule: 'Read(secret/**)', list: 'deny' },
  })
  expect(await failureOf(toolkit.execute('reads', { path: '../a' }))).toMatchObject({ details: { code: 'outside_workspace' } })
  expect(await failureOf(toolkit.execute('writes', { path: 'a' }))).toMatchObject({ error_type: 'permission_denied' })
  expect(asked).toEqual(['unknown', 'writes'])
  expect(toolkit.decide('writes', { path: 'a' })).toMatchObject({ verdict: 'ask', effects: { writes: ['a'] } })
  expect(toolkit.tool('looks').annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
  expect(toolkit.tool('unknown').annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: true })
})

test('lists and rules may name tools of the host; a name that means an operation is bound by both', async () => {
  const handler = () => 'ran'
  const toolkit = toolkitOf({}, { customTools: [{ name: 'deploy', handler }, 'later'], tools: { deny: ['Bash'] }, permissions: { deny: ['later'] } })
  expect((await toolkit.execute('deploy', {})).details).toBe('ran')
  toolkit.registerTool({ name: 'later', handler })
  expect(await failureOf(toolkit.execute('later', {}))).toMatchObject({ details: { matched_rule: 'later', list: 'deny' } })
  expect(toolkit.registerTool({ name: 'run_command', handler })).toBeUndefined()
  expect(toolkit.getTool('run_command')).toBeUndefined()
  expect(toolkit.listTools().map((tool) => tool.name)).not.toContain('run_command')
  expect(await failureOf(toolkit.execute('run_command', {}))).toMatchObject({ error_type: 'permission_denied', details: { matched_rule: 'tools.deny: Bash' } })
})

test('what is no tool and no name of one is named by its place', () => {
  const fault = (tool: unknown) => toolkitOf({}, { customTools: [tool] } as never)
  expect(() => fault(1)).toThrow('The option `customTools[0]` must be a tool, or the name of one; got number.')
  expect(() => fault(null)).toThrow('The option `customTools[0]` must be a tool, or the name of one; got null.')
})

test.each([
  [undefined, 'A tool is an object'],
  [{ handler() {} }, 'A tool is an object'],
  [{ name: 'a b', handler() {} }, 'is not a valid tool name'],
  [{ name: 'a' }, 'has no function'],
  [{ name: 'a', handler() {}, description: 5 }, 'The description of the tool `a` is a number'],
  [{ name: 'a', parameters: 'x', handler() {} }, 'must be an object; got string'],
  [{ name: 'a', parameters: { type: 'array' }, handler() {} }, 'not of type `object`'],
  [{ name: 'a', parameters: { properties: { b: { type: 'text' } } }, handler() {} }, '`properties.b.type`'],
  [{ name: 'a', parameters: {}, inputSchema: {}, execute() {} }, 'one of them'],
  [{ name: 'a', handler() {}, effects: { reads: ['nope'] } }, '`nope`'],
  [{ name: 'a', handler() {}, effects: 'harmless' }, '`effects` must be `observe`, '],
  [{ name: 'a', handler() {}, category: 'stuff' }, 'stuff'],
  [{ name: 'a', handler() {}, timeoutMs: 0 }, '`timeoutMs`'],
  [{ name: 'a', handler() {}, metadata: { f() {} } }, '`metadata.f` is a function'],
])('what cannot be registered is refused and says why: %j', (tool, part) => {
  const toolkit = toolkitOf()
  const names = toolkit.listTools().map((known) => known.name)
  expect(() => toolkit.registerTool(tool as never)).toThrow(ToolError)
  expect(() => toolkit.registerTool(tool as never)).toThrow(part)
  expect(toolkit.listTools().map((known) => known.name)).toEqual(names)
})

test('what a tool has beyond is handed on, and its `this` is kept', async () => {
  class Counter {
    name = 'counter'
    description = 'Counts.'
    label = 'Counter'
    parameters = { type: 'object', properties: {} }
    outputSchema = { type: 'object' }
    #count = 0
    async execute() {
      this.#count += 1
      return { content: [], details: { count: this.#count } }
    }
  }
  const tool = toolkitOf().registerTool(new Counter())!
  expect(tool).toMatchObject({ label: 'Counter', outputSchema: { type: 'object' } })
  await tool.execute('1', {})
  expect(await Object.freeze({ ...tool }).execute('2', {})).toEqual({ content: [], details: { count: 2 } })
})

test('arguments are prepared by the tool itself where its schema does not take them', async () => {
  const toolkit = toolkitOf()
  const prepared: unknown[] = []
  const tool = toolkit.registerTool({
    name: 'prepare',
    parameters: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'], additionalProperties: false },
    prepareArguments: (args: any) => (prepared.push(args), args.old ? { file: args.old } : args),
    execute: async (_id: string, params: any) => params,
  })!
  expect((await toolkit.execute('prepare', { old: 'a' })).details).toEqual({ file: 'a' })
  expect((await toolkit.execute('prepare', { file: 'b' })).details).toEqual({ file: 'b' })
  expect(prepared).toEqual([{ old: 'a' }])
  expect(tool.prepareArguments!({ old: 'a' })).toEqual({ file: 'a' })
})

test('a tool of one toolkit works in another', async () => {
  const inner = toolkitOf({ 'a.txt': 'hello\n' }, { tools: { allow: ['read'] } })
  const outer = toolkitOf()
  warnings()
  const tool = outer.registerTool({ ...inner.tool('read'), name: 'read_inner' })!
  expect((await tool.execute('1', { path: 'a.txt' })).content).toEqual((await inner.execute('read', { file_path: 'a.txt' })).content)
  expect(await failureOf(tool.execute('2', { file_path: 'b.txt' }))).toMatchObject({ tool: 'read_inner', error_type: 'not_found' })
  expect(inner.history()).toHaveLength(3)
})

test('telemetry and history record tools of the host, and a closed toolkit runs none', async () => {
  const events: TelemetryEvent[] = []
  const toolkit = new Toolkit({ workspace: workspaceOf(), onTelemetry: (event) => events.push(event) })
  let stopped = false
  toolkit.registerTool({ name: 'say', handler: () => 'four' })
  toolkit.registerTool({ name: 'wait', handler: (_params, { signal }) => new Promise(() => signal.addEventListener('abort', () => (stopped = true))) })
  await toolkit.execute('say', {}, { toolCallId: 'c1' })
  await until(() => events.length === 1)
  expect(events).toEqual([{ event: 'tool_used', tool: 'say', toolCallId: 'c1', duration_ms: expect.any(Number), success: true, decision: 'allow', bytes: 4 }])
  const running = failureOf(toolkit.execute('wait', {}))
  await new Promise((resolve) => setTimeout(resolve, 20))
  await toolkit.close()
  expect(await running).toMatchObject({ error_type: 'aborted' })
  await until(() => stopped)
  expect(await failureOf(toolkit.execute('say', {}))).toMatchObject({ error_type: 'aborted' })
})

test('an approver hears when nobody waits for its answer any more', async () => {
  let signal: AbortSignal | undefined
  const toolkit = toolkitOf({}, { permissions: { defaultMode: 'ask' }, onApproval: (_request, context) => ((signal = context.signal), new Promise(() => {})) })
  const abort = new AbortController()
  const running = failureOf(toolkit.execute('ls', {}, { signal: abort.signal }))
  await until(() => signal !== undefined)
  expect(signal!.aborted).toBe(false)
  abort.abort()
  await running
  await until(() => signal!.aborted)
})

test('jsonResult is what a handler may answer too', async () => {
  const toolkit = toolkitOf()
  toolkit.registerTool({ name: 'json', handler: () => jsonResult({ ok: true }) })
  expect(await toolkit.execute('json', {})).toEqual(jsonResult({ ok: true }))
})

test('a handler changes the file that its call has declared through the toolkit, and other calls wait for it', async () => {
  const workspace = workspaceOf({ 'a.txt': '0' })
  const toolkit = toolkitOf({}, { workspace })
  const content = () => readFileSync(join(workspace, 'a.txt'), 'utf8')
  const steps: string[] = []
  const count = async (text: string) => {
    steps.push(`in ${text}`)
    const before = content()
    await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: before, newText: before + text }] })
    // Those within one call wait for each other as well.
    await Promise.all([1, 2].map((digit) => (toolkit as any).execute('inner', { path: 'a.txt', text: String(digit) })))
    steps.push(`out ${text}`)
  }
  const schema = { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } }
  const tool = { parameters: schema, effects: { writes: ['path'] } }
  toolkit.registerTool({ ...tool, name: 'outer', handler: async ({ text }: any) => count(text) })
  toolkit.registerTool({
    ...tool,
    name: 'inner',
    handler: async ({ text }: any) => {
      const before = content()
      await new Promise((resolve) => setTimeout(resolve, 20))
      await toolkit.execute('write', { file_path: 'a.txt', content: before + text })
    },
  })
  await Promise.all(['a', 'b'].map((text) => (toolkit as any).execute('outer', { path: 'a.txt', text })))
  expect(steps).toEqual(['in a', 'out a', 'in b', 'out b'])
  expect([...content()].sort().join('')).toBe('01122ab')
})

/** A tool that declares the file that it is given, and what its handler does. */
const holding = (name: string, handler: (params: any) => unknown) => ({
  name,
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  effects: { writes: ['path'] },
  handler: async (params: any) => (await handler(params), 'done'),
})

test('undo and rollback in a handler restore the files of its own call', async () => {
  const workspace = workspaceOf({ 'a.txt': '0' })
  const toolkit = toolkitOf({}, { workspace }) as any
  const content = () => readFileSync(join(workspace, 'a.txt'), 'utf8')
  const checkpoint = toolkit.checkpoint()
  const seen: string[] = []
  toolkit.registerTool(
    holding('outer', async () => {
      await toolkit.execute('write', { file_path: 'a.txt', content: '1' }, { toolCallId: 'inner' })
      seen.push(content())
      await toolkit.undo('inner')
      seen.push(content())
      await toolkit.execute('read', { file_path: 'a.txt' })
      await toolkit.execute('write', { file_path: 'a.txt', content: '2' })
      await toolkit.rollback(checkpoint)
    }),
  )
  await toolkit.execute('outer', { path: 'a.txt' })
  expect([...seen, content()]).toEqual(['1', '0', '0'])
})

test('of handlers that change the file of each other the last fails, with the file and who holds it', async () => {
  const workspace = workspaceOf({ 'a.txt': '', 'b.txt': '' })
  const toolkit = toolkitOf({}, { workspace }) as any
  let both = () => {}
  const begun = new Promise<void>((resolve) => (both = resolve))
  let count = 0
  toolkit.registerTool(
    holding('hold', async ({ path }) => {
      count += 1
      if (count === 2) both()
      await begun
      await toolkit.execute('write', { file_path: path === 'a.txt' ? 'b.txt' : 'a.txt', content: path })
    }),
  )
  const calls = ['a.txt', 'b.txt'].map((path) =>
    toolkit.execute('hold', { path }, { toolCallId: `of ${path}` }).then(
      () => 'done',
      (error: any) => error,
    ),
  )
  const ends = await Promise.all(calls)
  const refused = ends.find((end) => end !== 'done')
  expect(ends.filter((end) => end === 'done')).toHaveLength(1)
  expect(refused.message).toMatch(/`[ab]\.txt` is held by the call `of [ab]\.txt` of `hold`, which waits for a file of the call that this one is made in/)
})

test('an undo that would wait for the handler of another call fails as well', async () => {
  const workspace = workspaceOf({ 'a.txt': '', 'b.txt': '' })
  const toolkit = toolkitOf({}, { workspace }) as any
  await toolkit.execute('write', { file_path: 'b.txt', content: '1' }, { toolCallId: 'earlier' })
  let waits: Promise<unknown> | undefined
  toolkit.registerTool(
    holding('first', async () => {
      waits = toolkit.execute('second', { path: 'b.txt' })
      await new Promise((resolve) => setTimeout(resolve, 300))
      throw await failureOf(toolkit.undo('earlier'))
    }),
  )
  toolkit.registerTool(holding('second', () => toolkit.execute('write', { file_path: 'a.txt', content: '2' })))
  // Not within the first call.
  const outside = new (await import('node:async_hooks')).AsyncResource('outside')
  const execute = toolkit.execute.bind(toolkit)
  toolkit.execute = (name: string, ...more: unknown[]) =>
    name === 'second' ? outside.runInAsyncScope(execute, undefined, name, ...more) : execute(name, ...more)
  const error: any = await failureOf(toolkit.execute('first', { path: 'a.txt' }))
  expect(error.message).toContain('which waits for a file of the call that this one is made in')
  await waits
})
