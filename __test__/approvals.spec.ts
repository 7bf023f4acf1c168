import { existsSync, readFileSync, writeFileSync } from 'node:fs'
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

test('the preview of a change is its diff, and the answer is bound to it', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\ntwo\n' })
  const file = path.join(workspace, 'a.txt')
  const previews: ApprovalRequest['preview'][] = []
  const toolkit = new Toolkit({
    workspace,
    onApproval({ preview }) {
      // Somebody else changes the file while the person reads the first question.
      if (previews.push(preview) === 1) writeFileSync(file, 'one\ntwo\nthree\n')
      return 'once'
    },
  })
  const edit = { file_path: 'a.txt', oldText: 'one', newText: 'ONE' }
  const asked = toolkit.approvalRequest('edit', edit)
  await toolkit.execute('edit', edit)
  expect(previews.map(({ diff }) => diff)).toEqual([
    '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n',
    '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-one\n+ONE\n two\n three\n',
  ])
  expect(previews[0].changes).toEqual([{ path: 'a.txt', kind: 'update' }])
  expect(asked.preview).toEqual(previews[0])
  expect(previews[0].planHash).not.toBe(previews[1].planHash)
  expect(readFileSync(file, 'utf8')).toBe('ONE\ntwo\nthree\n')
  await toolkit.close()
})

test('an edit that cannot match asks nobody', async () => {
  const onApproval = vi.fn(() => 'once' as const)
  const toolkit = toolkitOf({ 'a.txt': 'one' }, { onApproval })
  const error = await failureOf(toolkit.execute('edit', { file_path: 'a.txt', oldText: 'none', newText: 'x' }))
  expect(error).toMatchObject({ error_type: 'not_found', details: { code: 'no_match' } })
  expect(onApproval).not.toHaveBeenCalled()
})

test('calls that wait for the same answer share it, and each later one asks anew', async () => {
  const answers: ((answer: 'once') => void)[] = []
  const toolkit = toolkitOf({}, { onApproval: () => new Promise((resolve) => answers.push(resolve)) })
  const run = () => toolkit.execute('exec', { command: 'true' })
  const calls = [run(), run(), run()]
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(answers).toHaveLength(1)
  answers[0]('once')
  await Promise.all(calls)
  const later = run()
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  answers[1]('once')
  await later
})

test('the time that a person takes does not count', async () => {
  const toolkit = toolkitOf({}, {
    limits: { timeoutMs: 1000 },
    onApproval: () => new Promise((resolve) => setTimeout(() => resolve('once'), 1500)),
  })
  expect((await toolkit.execute('write', write)).details).toMatchObject({ operation: 'create' })
})

test('never is remembered for the session, for this file alone', async () => {
  const onApproval = vi.fn(({ preview }: ApprovalRequest) => (preview.writes?.[0] === 'a.txt' ? 'never' as const : 'once' as const))
  const toolkit = toolkitOf({}, { onApproval })
  expect(await failureOf(toolkit.execute('write', write))).toMatchObject({ details: { code: 'approval_denied' } })
  expect(await failureOf(toolkit.execute('write', { ...write, content: 'y' }))).toMatchObject({ details: { code: 'approval_denied' } })
  expect(onApproval).toHaveBeenCalledOnce()
  await toolkit.execute('write', { ...write, file_path: 'b.txt' })
  expect(onApproval).toHaveBeenCalledTimes(2)
})
