import { expect, test } from 'vitest'

import { toolkitOf, until } from './support/workspace.js'

const use = (toolName: string, input: unknown, toolCallId = 'c1', id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/use',
  params: { sessionId: 's1', toolCallId, toolName, input },
})

test('a request and a notification are answered with a message of results, a request of plain JSON-RPC with a response', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'hello\n' })
  const result = { sessionId: 's1', toolCallId: 'c1', content: [{ type: 'text', text: expect.stringContaining('hello') }], isError: false }
  const message = use('read', { file_path: 'a.txt' })
  expect(await toolkit.handleToolUse(message)).toEqual({ jsonrpc: '2.0', id: 1, method: 'tools/result', params: result })
  expect(await toolkit.handleToolUse(message, { wire: 'jsonrpc' })).toEqual({ jsonrpc: '2.0', id: 1, result })
  const { id: _, ...notification } = message
  expect(await toolkit.handleToolUse(notification)).toEqual({ jsonrpc: '2.0', method: 'tools/result', params: result })
  expect(await toolkit.handleToolUse(notification, { wire: 'jsonrpc' })).toEqual({ jsonrpc: '2.0', method: 'tools/result', params: result })
  expect(await toolkit.handleToolUse(JSON.stringify(message))).toEqual({ jsonrpc: '2.0', id: 1, method: 'tools/result', params: result })
  await expect(toolkit.handleToolUse(message, { wire: 'soap' } as never)).rejects.toThrow('There is no `wire` `soap`. Known: tools/result, jsonrpc.')
  expect(toolkit.history()[0]).toMatchObject({ id: 'c1', tool: 'read' })
})

test('the bare parameters of a use are answered with those of its result', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'hello\n' })
  const { params } = use('read', { file_path: 'a.txt' })
  const content = [{ type: 'text', text: expect.stringContaining('hello') }]
  expect(await toolkit.handleToolUse(params)).toEqual({ sessionId: 's1', toolCallId: 'c1', content, isError: false })
  expect(await toolkit.handleToolUse({ ...params, sessionId: undefined })).toMatchObject({
    error: { code: -32602, message: '`params.sessionId` must be a non-empty string.' },
  })
})

test('an image has a part of its own, and a change of a file is its diff alone', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'one\n' })
  toolkit.registerTool({ name: 'shot', handler: () => ({ content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }], details: {} }) })
  const shot = await toolkit.handleToolUse(use('shot', {}))
  expect(shot.params.content).toEqual([{ type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'aGk=' } }])
  const edit = await toolkit.handleToolUse(use('edit', { file_path: 'a.txt', oldText: 'one', newText: 'two' }))
  expect(edit.params.content).toEqual([{ type: 'diff', path: 'a.txt', diff: '@@ -1 +1 @@\n-one\n+two\n' }])
  const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+three\n*** Add File: b.txt\n+new\n*** End Patch\n'
  const several = await toolkit.handleToolUse(use('apply_patch', { input: patch }))
  expect(several.params.content).toEqual([{ type: 'text', text: expect.stringContaining('b.txt') }])
})

test('a failed call is a result with one part that says so', async () => {
  const toolkit = toolkitOf()
  const text = async (message: unknown) => {
    const { params } = await toolkit.handleToolUse(message)
    expect(params).toEqual({
      sessionId: 's1',
      toolCallId: 'c1',
      content: [{ type: 'text', text: expect.stringMatching(/^Error: \S/), isError: true }],
      isError: true,
    })
    return params.content[0].text
  }
  expect(await text(use('read', { file_path: 'none' }))).toContain('none')
  expect(await text(use('nope', {}))).toContain('unknown tool `nope`')
  expect(await text(use('read', { frob: 1 }))).toContain('frob')
})

test('calls run side by side, and a cancellation stops the one that it means', async () => {
  const toolkit = toolkitOf()
  let started = 0
  toolkit.registerTool({ name: 'wait', handler: () => ((started += 1), new Promise(() => {})) })
  toolkit.registerTool({ name: 'quick', handler: () => 'done' })
  const waiting = ['a', 'b', 'c'].map((id, index) => toolkit.handleToolUse(use('wait', {}, id, index)))
  await until(() => started === 3)
  expect((await toolkit.handleToolUse(use('quick', {}, 'd'))).params.isError).toBe(false)
  expect(await toolkit.handleToolUse(use('wait', {}, 'a', 9))).toMatchObject({ id: 9, error: { code: -32602 } })
  expect(await toolkit.handleToolUse({ jsonrpc: '2.0', method: 'tools/cancel', params: { sessionId: 's1', toolCallId: 'b' } })).toBeUndefined()
  expect((await waiting[1]).params).toMatchObject({ toolCallId: 'b', isError: true, content: [{ text: expect.stringContaining('aborted') }] })
  expect(await toolkit.handleToolUse({ jsonrpc: '2.0', id: 'x', method: 'tools/cancel', params: { toolCallId: 'nope' } })).toEqual({
    jsonrpc: '2.0',
    id: 'x',
    result: { cancelled: false },
  })
  await toolkit.handleToolUse({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 0 } })
  await toolkit.handleToolUse({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
  expect((await Promise.all(waiting)).map(({ params }) => params.isError)).toEqual([true, true, true])
})

test.each([
  ['{', null, -32700],
  [null, null, -32600],
  [5, null, -32600],
  [[], null, -32600],
  [{}, null, -32600],
  [{ jsonrpc: '1.0', id: 1, method: 'tools/use' }, 1, -32600],
  [{ jsonrpc: '2.0', id: {}, method: 'tools/use' }, null, -32600],
  [{ jsonrpc: '2.0', id: 1, method: 5 }, 1, -32600],
  [{ jsonrpc: '2.0', id: 1, method: 'tools/eat' }, 1, -32601],
  [{ jsonrpc: '2.0', id: 1, method: 'tools/use' }, 1, -32602],
  [{ jsonrpc: '2.0', id: 1, method: 'tools/use', params: [] }, 1, -32602],
  [{ jsonrpc: '2.0', id: 1, method: 'tools/use', params: { sessionId: 's', toolCallId: 5, toolName: 'read' } }, 1, -32602],
  [{ jsonrpc: '2.0', id: 'q', method: 'tools/use', params: { sessionId: 's', toolCallId: 'c', toolName: 'read', input: 'x' } }, 'q', -32602],
])('a malformed message is answered with an error: %j', async (message, id, code) => {
  expect(await toolkitOf().handleToolUse(message)).toEqual({ jsonrpc: '2.0', id, error: { code, message: expect.stringMatching(/\S/) } })
})

test('a batch is answered as one', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'x' })
  const answers = await toolkit.handleToolUse([use('read', { file_path: 'a.txt' }, 'a', 1), use('ls', {}, 'b', 2), 5])
  expect(answers.map((answer: any) => answer.id)).toEqual([1, 2, null])
})
