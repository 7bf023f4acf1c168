// Tools one by one, and the names and groups of the `agent` vocabulary.

import { expect, onTestFinished, test } from 'vitest'

import * as tenon from '../index.js'
import { createEditTool, createReadTool, createWriteTool, expandToolGroups, normalizeToolName, toClientToolDefinitions, TOOL_GROUPS } from '../index.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const functionFor = (tool: string) => `create${tool.replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase())}Tool`

test('there is a function for each tool of the vocabulary', () => {
  const workspace = workspaceOf()
  const names = toolkitOf({}, { mode: 'plan', tools: { show: 'all' } })
    .listTools()
    .map(({ name }) => name)
  const own = Object.keys(tenon).filter((name) => /^create.+Tool$/.test(name))
  expect(own.sort()).toEqual(names.map(functionFor).sort())
  const options = { workspace }
  for (const name of names) expect((tenon as any)[functionFor(name)](options).name).toBe(name)
  return createReadTool(options).close()
})

test('tools of one options object share their session, and end together', async () => {
  const options = { workspace: workspaceOf({ 'a.txt': 'one\n' }), edits: { requireRead: true } }
  const [read, edit] = [createReadTool(options), createEditTool(options)]
  const params = { file_path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] }
  const other = createEditTool({ ...options })
  onTestFinished(() => other.close())
  await read.execute('1', { file_path: 'a.txt' })
  expect(await failureOf(other.execute('2', params))).toBeInstanceOf(tenon.ToolError)
  expect((await edit.execute('3', params)).details).toMatchObject({ path: 'a.txt' })
  expect(Object.keys(read)).not.toContain('close')
  await edit.close()
  expect(await failureOf(read.execute('4', { file_path: 'a.txt' }))).toBeInstanceOf(tenon.ToolError)
  await using again = createWriteTool(options)
  expect((await again.execute('5', { file_path: 'b.txt', content: 'x' })).details).toMatchObject({ path: 'b.txt' })
})

test('a tool that the options deny is not created', () => {
  expect(() => createReadTool({ workspace: workspaceOf(), tools: { deny: ['read'] } })).toThrow('There is no tool `read` in this toolkit.')
  expect(() => createReadTool(undefined as never)).toThrow('The option `workspace` is missing')
})

test('groups name the tools that the option `tools` would expose by them', () => {
  expect(Object.keys(TOOL_GROUPS)).toContain('group:fs')
  const known = toolkitOf()
    .listTools()
    .map(({ name }) => name)
  for (const [group, members] of Object.entries(TOOL_GROUPS)) {
    const exposed = toolkitOf({}, { tools: { allow: [group] } })
      .listTools()
      .map(({ name }) => name)
    expect({ group, exposed: exposed.sort() }).toEqual({ group, exposed: members.filter((name) => known.includes(name)).sort() })
  }
  expect(Object.isFrozen(TOOL_GROUPS) && Object.values(TOOL_GROUPS).every(Object.isFrozen)).toBe(true)
})

test.each([
  ['Bash', 'exec'],
  ['apply-patch', 'apply_patch'],
  [' run_command ', 'exec'],
  ['Glob', 'find'],
  ['MyTool', 'mytool'],
])('%j is the tool %j', (given, name) => expect(normalizeToolName(given)).toBe(name))

test('groups are replaced by their members, each once', () => {
  expect(expandToolGroups()).toEqual([])
  expect(expandToolGroups(['Read', 'group:search', 'grep', 'deploy'])).toEqual(['read', 'ls', 'find', 'grep', 'deploy'])
  expect(expandToolGroups(['group:mine', 'GROUP:Other', 'group:none'], { mine: ['Bash', 'group:other'], 'group:other': ['deploy'] })).toEqual([
    'exec',
    'deploy',
    'group:none',
  ])
  expect(() => expandToolGroups(['group:a'], { a: ['group:b'], b: ['group:a'] })).toThrow('The group `group:a` contains itself.')
  expect(() => expandToolGroups('read' as never)).toThrow('must be a list')
})

test('client tools as definitions return at once as pending', async () => {
  const calls: unknown[] = []
  const parameters = { type: 'object', properties: { color: { type: 'string' } } }
  const [pick] = toClientToolDefinitions([{ type: 'function', function: { name: 'pick', description: 'Picks.', parameters } }], {
    onCall: (call) => calls.push(call),
  })
  expect(pick).toMatchObject({ name: 'pick', label: 'pick', description: 'Picks.', parameters })
  const details = { status: 'pending', tool: 'pick', message: 'Tool execution delegated to client' }
  expect(await pick!.execute('c1', { color: 'red' })).toEqual({ content: [{ type: 'text', text: JSON.stringify(details, null, 2) }], details })
  expect(calls).toEqual([{ tool: 'pick', toolCallId: 'c1', params: { color: 'red' } }])
  expect(() => toClientToolDefinitions([{} as never])).toThrow('A client tool must be')
})
