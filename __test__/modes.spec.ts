import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { Toolkit, createTools, type ApprovalRequest, type ToolkitOptions } from '../index.js'
import { failureOf, workspaceOf } from './support/workspace.js'

const write = { file_path: 'a.txt', content: 'x' }
const names = (toolkit: Toolkit) => toolkit.listTools().map(({ name }) => name)

function withApprover(options: Partial<ToolkitOptions<'agent'>> = {}) {
  const asked: ApprovalRequest[] = []
  const workspace = workspaceOf({ 'b.txt': 'b' })
  const toolkit = new Toolkit({ workspace, onApproval: (request) => (asked.push(request), 'once' as const), ...options })
  return { toolkit, asked, workspace }
}

test('the mode is what it was made with, and can be switched', () => {
  expect(withApprover().toolkit.mode).toBe('default')
  const { toolkit } = withApprover({ mode: 'plan' })
  expect(toolkit.mode).toBe('plan')
  toolkit.setMode('dontAsk')
  expect(toolkit.mode).toBe('dontAsk')
  expect(() => toolkit.setMode('yolo' as never)).toThrow('`acceptEdits`')
  expect(() => withApprover({ mode: 'Plan' as never })).toThrow('`plan`')
})

test('plan mode permits what reads and denies the rest, whatever the rules allow', async () => {
  const { toolkit, workspace, asked } = withApprover({ mode: 'plan', permissions: { allow: ['Bash', 'Edit', 'Read'], defaultMode: 'allow' } })
  await toolkit.execute('read', { file_path: 'b.txt' })
  await toolkit.execute('grep', { pattern: 'b' })
  await toolkit.execute('todo_write', { todos: [] })
  expect(await toolkit.execute('exec', { command: 'ls | head -3' })).toMatchObject({ details: { exitCode: 0 } })
  for (const command of ['docker ps -a', 'gh pr view 1', 'npm view x version']) {
    expect(toolkit.decide('exec', { command })).toMatchObject({ verdict: 'allow', danger: 'high' })
  }
  const denied: [string, object][] = [
    ['write', write],
    ['edit', { file_path: 'b.txt', oldText: 'b', newText: 'c' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Add File: c.txt\n+x\n*** End Patch' }],
    ['exec', { command: 'touch c.txt' }],
    ['exec', { command: 'echo x > c.txt' }],
    ['exec', { command: 'ls; node -e 1' }],
    ['exec', { command: 'make' }],
  ]
  for (const [tool, params] of denied) {
    const failure = await failureOf(toolkit.execute(tool as never, params as never))
    expect([params, failure]).toMatchObject([params, { error_type: 'permission_denied', details: { matched_rule: 'mode: plan' } }])
    expect(toolkit.decide(tool, params)).toMatchObject({ verdict: 'deny', matched_rule: 'mode: plan' })
    expect(toolkit.approvalRequest(tool, params)).toBeNull()
  }
  expect(existsSync(path.join(workspace, 'c.txt'))).toBe(false)
  expect(asked).toEqual([])
  await toolkit.close()
})

test('in plan mode tools of the host must say that they only read', async () => {
  const { toolkit } = withApprover({ mode: 'plan', permissions: { defaultMode: 'allow' } })
  const tool = (name: string, more: object) =>
    ({ name, description: name, parameters: { type: 'object', properties: {} }, execute: () => 'done', ...more }) as never
  toolkit.registerTool(tool('looks', { annotations: { readOnlyHint: true } }))
  toolkit.registerTool(tool('unknown', {}))
  expect(await toolkit.execute('looks' as never, {} as never)).toMatchObject({ content: [{ text: 'done' }] })
  expect(await failureOf(toolkit.execute('unknown' as never, {} as never))).toMatchObject({ details: { matched_rule: 'mode: plan' } })
  await toolkit.close()
})

test('a plan goes to the approver, and its approval ends the mode', async () => {
  const { toolkit, asked, workspace } = withApprover({ mode: 'acceptEdits' })
  expect(names(toolkit)).not.toContain('exit_plan')
  toolkit.setMode('plan')
  expect(names(toolkit)).toContain('exit_plan')
  const result = await toolkit.execute('exit_plan', { plan: '# Steps' })
  expect(asked).toMatchObject([{ tool: 'exit_plan', preview: { plan: '# Steps' } }])
  expect(result.details).toEqual({ approved: true, mode: 'acceptEdits', plan: '# Steps' })
  expect([toolkit.mode, names(toolkit).includes('exit_plan')]).toEqual(['acceptEdits', false])
  await toolkit.execute('write', write)
  expect([asked.length, readFileSync(path.join(workspace, 'a.txt'), 'utf8')]).toEqual([1, 'x'])
  expect(await failureOf(toolkit.execute('exit_plan', { plan: 'x' }))).toMatchObject({ error_type: 'invalid_input' })
  await toolkit.close()
})

test('a plan that is declined, or that nobody can approve, keeps the mode', async () => {
  for (const onApproval of [() => 'never' as const, undefined]) {
    const { toolkit } = withApprover({ mode: 'plan', onApproval })
    expect(await failureOf(toolkit.execute('exit_plan', { plan: 'x' }))).toMatchObject({ error_type: 'permission_denied' })
    expect(toolkit.mode).toBe('plan')
    await toolkit.close()
  }
})

test('the approver of a plan chooses the mode that follows', async () => {
  const { toolkit } = withApprover({ mode: 'plan', onApproval: () => (toolkit.setMode('acceptEdits'), 'once') })
  expect(await toolkit.execute('exit_plan', { plan: 'x' })).toMatchObject({ details: { mode: 'acceptEdits' } })
  await toolkit.close()
})

test.each([
  ['canonical', 'ExitPlanMode'],
  ['coder', 'exit_plan'],
  ['manager', 'exit_plan'],
  ['acp', 'exit_plan'],
] as const)('the vocabulary %s has %s in plan mode only', (dialect, name) => {
  const workspace = workspaceOf()
  const has = (options: object) => createTools({ workspace, dialect, ...options } as never).some((tool) => tool.name === name)
  expect([
    has({}),
    has({ mode: 'plan' }),
    has({ mode: 'plan', tools: { deny: [name] } }),
    has({ tools: { add: [name] } }),
    has({ tools: { show: 'all' } }),
  ]).toEqual([false, true, false, true, false])
})

test('acceptEdits spares questions about edits inside the workspace and no others', async () => {
  const { toolkit, asked } = withApprover({ mode: 'acceptEdits', permissions: { ask: ['Edit(asked/**)'], deny: ['Edit(denied/**)'] } })
  await toolkit.execute('write', write)
  await toolkit.execute('edit', { file_path: 'b.txt', oldText: 'b', newText: 'c' })
  expect(toolkit.decide('write', write)).toMatchObject({ verdict: 'allow', matched_rule: 'mode: acceptEdits' })
  expect(asked).toEqual([])
  await toolkit.execute('write', { file_path: 'asked/a', content: 'x' })
  await toolkit.execute('write', { file_path: '.git/hooks/pre-commit', content: 'x' })
  await toolkit.execute('exec', { command: 'touch x' })
  expect(asked.map(({ tool }) => tool)).toEqual(['write', 'write', 'exec'])
  expect(await failureOf(toolkit.execute('write', { file_path: 'denied/a', content: 'x' }))).toMatchObject({ details: { matched_rule: 'Edit(denied/**)' } })
  expect(await failureOf(toolkit.execute('write', { file_path: '../x', content: 'x' }))).toMatchObject({ error_type: 'permission_denied' })
  await toolkit.close()
})

test('dontAsk denies what would be asked', async () => {
  const { toolkit, asked } = withApprover({ mode: 'dontAsk', permissions: { allow: ['Read', 'Edit(ok/**)'] } })
  await toolkit.execute('read', { file_path: 'b.txt' })
  await toolkit.execute('write', { file_path: 'ok/a', content: 'x' })
  expect(await failureOf(toolkit.execute('write', write))).toMatchObject({ error_type: 'permission_denied', details: { matched_rule: 'mode: dontAsk' } })
  expect(asked).toEqual([])
  await toolkit.close()
})

test('bypass asks nothing, keeps denials and containment, and must be allowed at creation', async () => {
  expect(() => withApprover().toolkit.setMode('bypass')).toThrow('allowBypass')
  const { toolkit, asked } = withApprover({ allowBypass: true, permissions: { ask: ['Bash'], deny: ['Bash(touch:*)', 'Read(b.txt)'] } })
  toolkit.setMode('bypass')
  await toolkit.execute('exec', { command: 'echo x' })
  await toolkit.execute('write', write)
  expect(asked).toEqual([])
  expect(await failureOf(toolkit.execute('exec', { command: 'touch y' }))).toMatchObject({ details: { matched_rule: 'Bash(touch:*)' } })
  expect(await failureOf(toolkit.execute('read', { file_path: 'b.txt' }))).toMatchObject({ details: { matched_rule: 'Read(b.txt)' } })
  expect(await failureOf(toolkit.execute('read', { file_path: '/etc/passwd' }))).toMatchObject({ error_type: 'permission_denied' })
  await toolkit.close()
  const created = withApprover({ mode: 'bypass' }).toolkit
  created.setMode('default')
  created.setMode('bypass')
})

test('a mode that is switched while a question is open holds for the answer', async () => {
  const { toolkit, workspace } = withApprover({ onApproval: async () => (toolkit.setMode('plan'), 'once') })
  expect(await failureOf(toolkit.execute('write', write))).toMatchObject({ details: { matched_rule: 'mode: plan' } })
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(false)
  await toolkit.close()
})
