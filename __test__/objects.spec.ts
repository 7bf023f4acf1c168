import { expect, test } from 'vitest'

import { type Toolkit, createTools, type AgentTool } from '../index.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const DIALECTS = ['agent', 'canonical', 'coder', 'manager', 'acp'] as const
const FIELDS = [
  'name',
  'label',
  'description',
  'parameters',
  'execute',
  'category',
  'group',
  'annotations',
  'metadata',
  'executionMode',
  'replay',
  'prepareArguments',
  'outputSchema',
]

function readOf(tools: AgentTool[]): AgentTool {
  return tools.find((tool) => tool.name === 'read')!
}

test.each(DIALECTS)('tools of %s are plain objects with own enumerable properties', (dialect) => {
  for (const tool of toolkitOf({}, { dialect }).tools()) {
    expect(Object.getPrototypeOf(tool)).toBe(Object.prototype)
    expect(Object.keys(tool)).toEqual(expect.arrayContaining(FIELDS))
    for (const key of Object.keys(tool)) expect([...FIELDS, 'resultContentSource']).toContain(key)
    for (const property of Object.values(Object.getOwnPropertyDescriptors(tool))) {
      expect(property).toMatchObject({ enumerable: true, writable: true, configurable: true })
    }
    expect(tool).toMatchObject({ metadata: { dialect }, annotations: { title: tool.label }, description: expect.stringMatching(/\S/) })
  }
})

test('details are found as structuredContent too, once', async () => {
  const result = await toolkitOf({ 'a.txt': 'hello\n' }).execute('read', { file_path: 'a.txt' })
  expect(result.structuredContent).toBe(result.details)
  expect(JSON.parse(JSON.stringify(result))).toEqual({ content: result.content, details: result.details })
})

test('a tool that was spread, destructured, frozen or extended still works', async () => {
  const tool = toolkitOf({ 'a.txt': 'hello\n' }).tool('read')
  const params = { file_path: 'a.txt' }
  const expected = await tool.execute('1', params)
  const { execute } = { ...tool }
  expect(await execute('2', params)).toEqual(expected)
  expect(await Object.freeze({ ...tool, extra: 1 }).execute('3', params)).toEqual(expected)
  expect(await Object.assign(Object.create(null), tool).execute('4', params)).toEqual(expected)
  expect(await Reflect.apply(tool.execute, undefined, ['5', params])).toEqual(expected)
})

test('results are plain objects of this realm that serialise to themselves', async () => {
  const result = await toolkitOf({ 'a.txt': 'hello\n' }).tool('read').execute('1', { file_path: 'a.txt' })
  expect(result).toEqual({ content: [{ type: 'text', text: expect.stringContaining('hello') }], details: expect.objectContaining({ path: 'a.txt' }) })
  expect(result.content).toBeInstanceOf(Array)
  expect(Object.getPrototypeOf(result.details)).toBe(Object.prototype)
  expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result)
})

test('an image comes as a text part that names the file and an image part', async () => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
  const workspace = workspaceOf({ 'a.png': png })
  const [tool] = createTools({ workspace }).filter((tool) => tool.name === 'read')
  expect(await tool.execute('1', { file_path: 'a.png' })).toEqual({
    content: [
      { type: 'text', text: `MEDIA:${workspace}/a.png` },
      { type: 'image', data: png.toString('base64'), mimeType: 'image/png' },
    ],
    details: { path: 'a.png', width: 1, height: 1, mimeType: 'image/png' },
  })
})

test('tools are fresh for each createTools, and the same within a toolkit', async () => {
  const workspace = workspaceOf()
  await using one = createTools({ workspace })
  await using other = createTools({ workspace })
  expect(readOf(one)).not.toBe(readOf(other))
  expect(readOf(one).parameters).not.toBe(readOf(other).parameters)
  expect(readOf(one).parameters).toBe(readOf(one).parameters)
  const toolkit = toolkitOf()
  expect(toolkit.tool('read')).toBe(toolkit.tools().find((tool) => tool.name === 'read'))
})

test('the list of createTools is a plain array whose close is out of sight', async () => {
  const tools = createTools({ workspace: workspaceOf() })
  expect(Array.isArray(tools)).toBe(true)
  expect(Object.keys(tools)).toEqual(tools.map((_, index) => String(index)))
  expect(await tools.close()).toBeUndefined()
})

test('prepareArguments repairs what models spell otherwise, and leaves the rest to the host', () => {
  const toolkit = toolkitOf()
  const { prepareArguments } = toolkit.tool('read')
  expect(prepareArguments!({ path: 'a.txt', offset: '5' })).toEqual({ file_path: 'a.txt', offset: 5 })
  expect(prepareArguments!({ file_path: 'a.txt', limit: null })).toEqual({ file_path: 'a.txt' })
  for (const beyond of [{ frob: 1 }, 'text', 5n, undefined]) expect(prepareArguments!(beyond)).toBe(beyond)
  expect(toolkit.history()).toEqual([])
})

test('several toolkits over several directories do not meet', async () => {
  const one = toolkitOf({ 'a.txt': 'one' })
  const other = toolkitOf({ 'a.txt': 'other' }, { dialect: 'canonical' } as object)
  const [first, second] = await Promise.all([one.execute('read', { file_path: 'a.txt' }), (other as Toolkit<any>).execute('Read', { file_path: 'a.txt' })])
  expect(first.content[0]).toMatchObject({ text: expect.stringContaining('one') })
  expect(second.content[0]).toMatchObject({ text: expect.stringContaining('other') })
  expect(one.history()).toHaveLength(1)
})
