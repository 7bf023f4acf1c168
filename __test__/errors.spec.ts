import { expect, test } from 'vitest'

import { ToolError } from '../index.js'
import { failureOf, toolkitOf } from './support/workspace.js'

test('a failure is a real error: own enumerable facts, a name, a message that stands alone', async () => {
  const failure = await failureOf(toolkitOf({ 'notes.txt': '' }).tool('read').execute('1', { file_path: 'note.txt' }))
  expect(failure).toBeInstanceOf(ToolError)
  expect(failure).toBeInstanceOf(Error)
  expect(Object.keys(failure)).toEqual(['tool', 'error_type', 'details'])
  expect(failure).toMatchObject({ name: 'ToolError', tool: 'read', error_type: 'not_found', details: { code: 'not_found' } })
  expect(failure.message).toContain('`note.txt`')
  expect(failure.message).toContain('notes.txt')
  expect(failure.message).not.toMatch(/^(Tool)?Error/)
  expect(String(failure)).toBe(`ToolError: ${failure.message}`)
})

test('the stack leads to the caller', async () => {
  const toolkit = toolkitOf()
  async function theCaller() {
    await toolkit.tool('exec').execute('1', { command: 'sleep 5', timeout: 0.05 })
  }
  async function theCallerByName() {
    await toolkit.execute('read', { file_path: 'missing.txt' })
  }
  expect((await failureOf(theCaller())).stack).toMatch(/^ToolError: .*\n(.*\n)*.*theCaller.*errors\.spec\.ts/)
  expect((await failureOf(theCallerByName())).stack).toMatch(/theCallerByName.*errors\.spec\.ts/)
})

test('ToolError.is knows its own, also of another copy of the package, and nothing else', async () => {
  const failure = await failureOf(
    toolkitOf()
      .tool('read')
      .execute('1', {} as never),
  )
  expect(ToolError.is(failure)).toBe(true)
  const ofAnotherCopy = Object.create({ [Symbol.for('tenon.ToolError')]: true })
  expect(ToolError.is(ofAnotherCopy)).toBe(true)
  for (const other of [new Error('x'), { tool: 'read', error_type: 'not_found' }, null, undefined, 'ToolError']) {
    expect(ToolError.is(other)).toBe(false)
  }
})

test('an error can be made by a host as well', () => {
  const cause = new Error('below')
  const error = new ToolError('It failed.', { tool: 'mine', error_type: 'execution_failed', details: { code: 'io' }, cause })
  expect(error).toMatchObject({ message: 'It failed.', tool: 'mine', error_type: 'execution_failed', cause })
  expect(Object.keys(error)).toEqual(['tool', 'error_type', 'details'])
})

test('a time-out names itself and keeps the output so far', async () => {
  const failure = await failureOf(toolkitOf().tool('exec').execute('1', { command: 'echo early; sleep 60', timeout: 0.3 }))
  expect(failure).toMatchObject({ error_type: 'timeout', details: { code: 'timeout' } })
  expect(JSON.stringify(failure.details)).toContain('early')
})

test('a path outside the workspace is a permission error', async () => {
  const failure = await failureOf(toolkitOf().tool('read').execute('1', { file_path: '../../../etc/passwd' }))
  expect(failure).toMatchObject({ error_type: 'permission_denied', details: { code: 'outside_workspace' } })
})

test('a thousand failures at once are a thousand errors', async () => {
  const toolkit = toolkitOf()
  const failures = await Promise.all(
    Array.from({ length: 1000 }, (_, id) => failureOf(toolkit.execute('read', { file_path: `f${id}` }, { toolCallId: String(id) }))),
  )
  expect(new Set(failures.map((failure) => failure.error_type))).toEqual(new Set(['not_found']))
  expect(failures[123].message).toContain('`f123`')
})

test('a next step names a parameter as the vocabulary does, and only where it has one', async () => {
  const searching = (dialect: 'agent' | 'canonical' | 'coder', name: string, pattern: string) =>
    failureOf(toolkitOf({ 'a.txt': '' }, { dialect }).execute(name, { pattern, path: '.' }))
  expect((await searching('agent', 'grep', 'f(')).message).toMatch(/To search for this text literally, set `literal: true` or write `f\\\(`\.$/)
  expect((await searching('canonical', 'Grep', 'f(')).message).toMatch(/To search for this text literally, write `f\\\(`\.$/)
  expect((await searching('canonical', 'Grep', 'a\\nb')).message).toMatch(/To match across lines, set `multiline: true` or search for one of the lines\.$/)
  expect((await searching('coder', 'grep', 'a\\nb')).message).toMatch(/To match across lines, search for one of the lines\.$/)
})

test('a failure stays readable whatever the size of what was sent', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'text\n' })
  const huge = 'x('.repeat(200_000)
  const calls: [string, object][] = [
    ['grep', { pattern: huge }],
    ['find', { pattern: `[${huge}` }],
    ['read', { file_path: huge }],
    ['edit', { file_path: 'a.txt', edits: [{ oldText: huge, newText: '' }] }],
    ['apply_patch', { input: huge }],
    ['exec', { command: 'true', cwd: huge }],
    [huge, {}],
    ['read', { [huge]: 1 }],
    ['ls', { limit: huge }],
  ]
  for (const [tool, params] of calls) {
    const failure = await failureOf(toolkit.execute(tool, params))
    expect(failure.message.length, tool.slice(0, 20)).toBeLessThan(17_000)
  }
})
