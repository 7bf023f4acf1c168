import { existsSync } from 'node:fs'
import path from 'node:path'

import { expect, test, vi } from 'vitest'

import { Toolkit, type ApprovalRequest } from '../index.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const write = { file_path: 'a.txt', content: 'x' }

test('an approver is asked with what a person needs to know, and its answer holds', async () => {
  const requests: ApprovalRequest[] = []
  const workspace = workspaceOf()
  const toolkit = new Toolkit({ workspace, onApproval: async (request) => (requests.push(request), 'once' as const) })
  await toolkit.execute('write', write, { toolCallId: 'w' })
  expect(requests).toMatchObject([{ tool: 'write', params: write, toolCallId: 'w', danger: 'high', reason: expect.any(String), preview: { writes: ['a.txt'] } }])
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(true)
  await toolkit.execute('ls', {})
  expect(requests).toHaveLength(1)
  await toolkit.close()
})

test.each<[string, any]>([
  ['throws', () => { throw new Error('broken') }],
  ['rejects', async () => { throw new Error('broken') }],
  ['answers nothing', () => undefined],
  ['answers yes', () => 'yes'],
  ['answers true', async () => true],
  ['answers a list', () => ['once']],
  ['answers a thenable that throws', () => ({ then() { throw new Error('broken') } })],
  ['answers never', () => 'never'],
  ['answers a text that is near', () => 'once '],
])('an approver that %s is a refusal', async (_, onApproval) => {
  const workspace = workspaceOf()
  const toolkit = new Toolkit({ workspace, onApproval })
  expect(await failureOf(toolkit.execute('write', write))).toMatchObject({ error_type: 'permission_denied' })
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(false)
  await toolkit.close()
})

test('a request for approval cannot be answered by changing it', async () => {
  const workspace = workspaceOf()
  const toolkit = new Toolkit({
    workspace,
    onApproval(request) {
      request.params.file_path = 'b.txt'
      return 'once'
    },
  })
  await toolkit.execute('write', write)
  expect(existsSync(path.join(workspace, 'b.txt'))).toBe(false)
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(true)
  await toolkit.close()
})

test('an abort wins over an approver that hangs, and its late answer changes nothing', async () => {
  let answer: (answer: 'once') => void = () => {}
  const workspace = workspaceOf()
  const toolkit = new Toolkit({ workspace, onApproval: () => new Promise((resolve) => (answer = resolve)) })
  const abort = new AbortController()
  const call = failureOf(toolkit.execute('write', write, { signal: abort.signal }))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const start = performance.now()
  abort.abort()
  expect(await call).toMatchObject({ error_type: 'aborted' })
  expect(performance.now() - start).toBeLessThan(200)
  answer('once')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(false)
  await toolkit.close()
})

test('close wins over an approver that hangs', async () => {
  const toolkit = toolkitOf({}, { onApproval: () => new Promise(() => {}) })
  const call = failureOf(toolkit.execute('exec', { command: 'touch a.txt' }))
  await new Promise((resolve) => setTimeout(resolve, 50))
  await toolkit.close()
  expect(await call).toMatchObject({ error_type: 'aborted' })
})

test('always is remembered for the session', async () => {
  const onApproval = vi.fn(async () => 'always' as const)
  const toolkit = toolkitOf({}, { onApproval })
  await toolkit.execute('exec', { command: 'touch a.txt' })
  await toolkit.execute('exec', { command: 'touch a.txt' })
  expect(onApproval).toHaveBeenCalledOnce()
})

test('an approver may use the toolkit itself', async () => {
  const toolkit: Toolkit = toolkitOf({ 'a.txt': 'old' }, {
    onApproval: async () => ((await toolkit.execute('read', { file_path: 'a.txt' })).content.length === 1 ? 'once' : 'never'),
  })
  expect((await toolkit.execute('write', write)).details).toMatchObject({ operation: 'update' })
})
