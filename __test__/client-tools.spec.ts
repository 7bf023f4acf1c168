import { expect, test } from 'vitest'

import { jsonResult } from '../index.js'
import { failureOf, toolkitOf, until } from './support/workspace.js'

const PICK = {
  type: 'function',
  function: { name: 'pick', description: 'Picks.', parameters: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] } },
} as const

test('a call is pending at once, and its client completes it later', async () => {
  const calls: unknown[] = []
  const toolkit = toolkitOf()
  const tool = toolkit.registerClientTool(PICK, { onCall: (call) => calls.push(call) })!
  expect(toolkit.definitions(['pick'])[0]).toMatchObject({ name: 'pick', description: 'Picks.', inputSchema: PICK.function.parameters })
  expect(await tool.execute('c1', { color: 'red' })).toEqual(jsonResult({ status: 'pending', tool: 'pick', message: 'Tool execution delegated to client' }))
  expect(calls).toEqual([{ tool: 'pick', toolCallId: 'c1', params: { color: 'red' } }])
  expect(toolkit.resolveClientTool('c1', { picked: 1 })).toEqual(jsonResult({ picked: 1 }))
  expect(() => toolkit.resolveClientTool('c1', {})).toThrow('No call with the id `c1` is waiting')
  expect(await failureOf(tool.execute('c2', {}))).toMatchObject({ error_type: 'invalid_input' })
  expect(() => toolkit.resolveClientTool('c2', {})).toThrow(expect.objectContaining({ error_type: 'not_found' }))
  await tool.execute('c3', { color: 'red' })
  expect(toolkit.resolveClientTool('c3', new Error('no'))).toEqual(jsonResult({ status: 'error', tool: 'pick', error: 'no' }))
})

test('a call that waits is answered with what the client says', async () => {
  const toolkit = toolkitOf()
  const called: string[] = []
  toolkit.registerClientTool(PICK, { wait: true, onCall: ({ toolCallId }) => called.push(toolCallId) })
  const [one, other] = ['a', 'b'].map((toolCallId) => toolkit.execute('pick', { color: 'red' }, { toolCallId }))
  await until(() => called.length === 2)
  expect(await failureOf(toolkit.execute('pick', { color: 'red' }, { toolCallId: 'a' }))).toMatchObject({
    message: expect.stringContaining('is already waiting'),
  })
  toolkit.resolveClientTool('b', 'second')
  toolkit.resolveClientTool('a', { content: [{ type: 'text', text: 'first' }], details: { n: 1 } })
  expect(await one).toEqual({ content: [{ type: 'text', text: 'first' }], details: { n: 1 } })
  expect(await other).toEqual({ content: [{ type: 'text', text: 'second' }], details: 'second' })
  const failing = failureOf(toolkit.execute('pick', { color: 'red' }, { toolCallId: 'c' }))
  await until(() => called.length === 3)
  toolkit.resolveClientTool('c', new Error('closed the window'))
  expect(await failing).toMatchObject({ error_type: 'execution_failed', message: 'closed the window' })
})

test('a call that waits ends with its time limit and with its caller, and is forgotten', async () => {
  const toolkit = toolkitOf()
  toolkit.registerClientTool({ ...PICK, wait: true }, { timeoutMs: 50 })
  expect(await failureOf(toolkit.execute('pick', { color: 'red' }, { toolCallId: 'late' }))).toMatchObject({ error_type: 'timeout' })
  const abort = new AbortController()
  const aborted = failureOf(toolkit.execute('pick', { color: 'red' }, { toolCallId: 'gone', signal: abort.signal }))
  abort.abort()
  expect(await aborted).toMatchObject({ error_type: 'aborted' })
  await new Promise((resolve) => setTimeout(resolve, 50))
  for (const id of ['late', 'gone', 'never']) expect(() => toolkit.resolveClientTool(id, 'x')).toThrow('No call')
})

test('what is no client tool is refused', () => {
  const toolkit = toolkitOf()
  expect(() => toolkit.registerClientTool({} as never)).toThrow('A client tool must be')
})
