import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test, vi } from 'vitest'

import { Toolkit, type ApprovalRequest } from '../index.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const write = { file_path: 'a.txt', content: 'x' }

test('an approver is asked with what a user needs to know, and its answer holds', async () => {
  const requests: ApprovalRequest[] = []
  const workspace = workspaceOf()
  const toolkit = new Toolkit({ workspace, onApproval: async (request) => (requests.push(request), 'once' as const) })
  await toolkit.execute('write', write, { toolCallId: 'w' })
  expect(requests).toMatchObject([
    { tool: 'write', params: write, toolCallId: 'w', danger: 'medium', reason: expect.any(String), preview: { writes: ['a.txt'] } },
  ])
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(true)
  await toolkit.execute('ls', {})
  expect(requests).toHaveLength(1)
  await toolkit.close()
})

test.each<[string, any]>([
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
  ['answers nothing', () => undefined],
  ['answers yes', () => 'yes'],
  ['answers true', async () => true],
  ['answers a list', () => ['once']],
  [
    'answers a thenable that throws',
    () => ({
      then() {
        throw new Error('broken')
      },
    }),
  ],
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
  const toolkit: Toolkit = toolkitOf(
    { 'a.txt': 'old' },
    {
      onApproval: async () => ((await toolkit.execute('read', { file_path: 'a.txt' })).content.length === 1 ? 'once' : 'never'),
    },
  )
  expect((await toolkit.execute('write', write)).details).toMatchObject({ operation: 'update' })
})

test('the preview of a change is its diff, and the answer is bound to it', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\ntwo\n' })
  const file = path.join(workspace, 'a.txt')
  const previews: ApprovalRequest['preview'][] = []
  const toolkit = new Toolkit({
    workspace,
    onApproval({ preview }) {
      // Somebody else changes the file while the user reads the first question.
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
  expect(asked?.preview).toEqual(previews[0])
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

test('calls that wait for the same answer share it, and each later one asks again', async () => {
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

test('the time that a user takes does not count', async () => {
  const toolkit = toolkitOf(
    {},
    {
      limits: { timeoutMs: 1000 },
      onApproval: () => new Promise((resolve) => setTimeout(() => resolve('once'), 1500)),
    },
  )
  expect((await toolkit.execute('write', write)).details).toMatchObject({ operation: 'create' })
})

test('never is remembered for the session, for this file alone', async () => {
  const onApproval = vi.fn(({ preview }: ApprovalRequest) => (preview.writes?.[0] === 'a.txt' ? ('never' as const) : ('once' as const)))
  const toolkit = toolkitOf({}, { onApproval })
  expect(await failureOf(toolkit.execute('write', write))).toMatchObject({ details: { code: 'approval_denied' } })
  expect(await failureOf(toolkit.execute('write', { ...write, content: 'y' }))).toMatchObject({ details: { code: 'approval_denied' } })
  expect(onApproval).toHaveBeenCalledOnce()
  await toolkit.execute('write', { ...write, file_path: 'b.txt' })
  expect(onApproval).toHaveBeenCalledTimes(2)
})

test('a call that needs no approval has no request, and so has one that no approval can allow', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'one', '.env': 'x' }, { permissions: { deny: ['Read(.env)'] }, onApproval: () => 'once' as const })
  expect(toolkit.approvalRequest('read', { file_path: 'a.txt' })).toBeNull()
  expect(toolkit.approvalRequest('read', { file_path: '.env' })).toBeNull()
  expect(toolkit.approvalRequest('write', write)).toMatchObject({ tool: 'write', danger: 'medium', digest: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(() => toolkit.approvalRequest('write', {})).toThrow('`file_path`')
})

test('what always allows for the session needs no approval any more', async () => {
  const toolkit = toolkitOf({}, { onApproval: () => 'always' as const })
  expect(toolkit.approvalRequest('write', write)).not.toBeNull()
  await toolkit.execute('write', write)
  expect(toolkit.approvalRequest('write', write)).toBeNull()
})

test('an approval that was given elsewhere is for exactly what was shown', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n' })
  const toolkit = new Toolkit({ workspace, permissions: { defaultMode: 'ask' } })
  const edit = { file_path: 'a.txt', oldText: 'one', newText: 'two' }
  const { digest } = toolkit.approvalRequest('edit', edit)!
  const nobody = await failureOf(toolkit.execute('edit', edit))
  expect(nobody.message).toBe('`edit` needs approval, and nobody can approve in this session. Do not retry; find another way or tell the user.')
  const other = await failureOf(toolkit.execute('edit', { ...edit, newText: 'three' }, { approved: 'once', digest }))
  expect(other).toMatchObject({ error_type: 'permission_denied', message: expect.stringContaining('Ask for approval again.') })
  writeFileSync(path.join(workspace, 'a.txt'), 'one\nmore\n')
  expect(await failureOf(toolkit.execute('edit', edit, { approved: 'once', digest }))).toMatchObject({ error_type: 'permission_denied' })
  const again = toolkit.approvalRequest('edit', edit)!
  expect(again.digest).not.toBe(digest)
  await toolkit.execute('edit', edit, { approved: 'once', digest: again.digest })
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('two\nmore\n')
  await toolkit.close()
})

test('the hash of the changes stands for an approval as well', async () => {
  const toolkit = toolkitOf({}, { permissions: { defaultMode: 'ask' } })
  const { preview } = toolkit.approvalRequest('write', write)!
  await toolkit.execute('write', write, { approved: 'once', digest: preview.planHash })
})

test('a denial stays one, whatever was approved', async () => {
  const workspace = workspaceOf()
  const asks = new Toolkit({ workspace, permissions: { defaultMode: 'ask' } })
  const { digest } = asks.approvalRequest('write', write)!
  const denies = new Toolkit({ workspace, permissions: { deny: ['Edit(a.txt)'] } })
  const error = await failureOf(denies.execute('write', write, { approved: 'once', digest }))
  expect(error).toMatchObject({
    message: 'Denied by the rule `Edit(a.txt)`. Do not retry the same call.',
    details: { file: 'a.txt', matched_rule: 'Edit(a.txt)', list: 'deny' },
  })
  await Promise.all([asks.close(), denies.close()])
})

test.each<any>([{ approved: 'once' }, { approved: 'always', digest: 'x' }, { approved: true, digest: 'x' }])(
  'an approval without what it is for is refused: %j',
  async (options) => {
    const toolkit = toolkitOf({}, { permissions: { defaultMode: 'ask' } })
    expect(await failureOf((async () => toolkit.execute('write', write, options))())).toMatchObject({ error_type: 'invalid_input' })
  },
)

test('a tool of the host words its question, and may demand one', async () => {
  const requests: ApprovalRequest[] = []
  const toolkit = toolkitOf({}, { onApproval: (request) => (requests.push(request), 'once' as const) })
  const approvalRequest = vi.fn(({ to }: any) => (to === 'nobody' ? null : { reason: `Mails ${to}.`, danger: 'high' as const, preview: { to } }))
  toolkit.registerTool({
    name: 'mail',
    effects: 'observe',
    parameters: { type: 'object', properties: { to: { type: 'string' } } },
    handler: () => 'sent',
    approvalRequest,
  })
  await toolkit.execute('mail', { to: 'nobody' })
  expect(requests).toEqual([])
  await toolkit.execute('mail', { to: 'Ann' })
  expect(requests).toMatchObject([{ tool: 'mail', reason: 'Mails Ann.', danger: 'high', preview: { to: 'Ann' } }])
  expect(toolkit.approvalRequest('mail', { to: 'nobody' })).toBeNull()
  expect(toolkit.approvalRequest('mail', { to: 'Ann' })).toMatchObject({ reason: 'Mails Ann.' })
  expect(toolkit.decide('mail', { to: 'Ann' })).toMatchObject({ verdict: 'ask', reason: 'Mails Ann.' })
})

test('a question of a tool changes no denial, and a broken one runs nothing', async () => {
  const handler = vi.fn(() => 'x')
  const approvalRequest = vi.fn(() => null)
  const toolkit = toolkitOf({}, { customTools: ['mail', 'post'] as never, permissions: { deny: ['mail'], ask: ['post'] } })
  toolkit.registerTool({ name: 'mail', handler, approvalRequest })
  toolkit.registerTool({ name: 'post', handler, approvalRequest })
  toolkit.registerTool({
    name: 'send',
    handler,
    approvalRequest: () => {
      throw new Error('broken')
    },
  })
  for (const name of ['mail', 'post', 'send']) expect(await failureOf(toolkit.execute(name, {}))).toMatchObject({ tool: name })
  expect(handler).not.toHaveBeenCalled()
  expect(approvalRequest).toHaveBeenCalledTimes(1)
})
