import { expect, test } from 'vitest'

import {
  ToolCategory,
  ToolError,
  ToolExecutionError,
  ToolManager,
  ToolRegistry,
  ToolNotFoundError,
  ToolValidationError,
  Toolkit,
  forRegistry,
  forToolManager,
} from '../index.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

function managerOf(files: Record<string, string>) {
  return new ToolManager({ workspace: workspaceOf(files) })
}

test('execute resolves with the details alone', async () => {
  const manager = managerOf({ 'a.txt': 'hello\n' })
  expect(manager).toBeInstanceOf(Toolkit)
  expect(await manager.execute('read_file', { path: 'a.txt' })).toEqual({ path: 'a.txt', content: 'hello\n', size: 6, encoding: 'utf-8' })
  manager.registerTool({
    name: 'greet',
    description: 'Greets.',
    category: 'utility',
    parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    handler: async ({ name }) => ({ message: `Hello ${name}` }),
  })
  expect(await manager.execute('greet', { name: 'you' })).toEqual({ message: 'Hello you' })
  expect(manager.getToolsByCategory('utility').map(({ name }) => name)).toContain('greet')
  await manager.close()
})

test('it rejects with three kinds of errors, each with its context', async () => {
  const manager = managerOf({})
  const unknown = await failureOf(manager.execute('nope', { a: 1 }))
  expect(unknown).toBeInstanceOf(ToolNotFoundError)
  expect(unknown).toMatchObject({ name: 'ToolNotFoundError', message: "Tool 'nope' not found", error_type: 'not_found' })
  expect(unknown.context).toEqual({ toolName: 'nope', availableTools: manager.listTools().map(({ name }) => name) })
  const invalid = await failureOf(manager.execute('read_file', { encoding: 'klingon' } as never))
  expect(invalid).toBeInstanceOf(ToolValidationError)
  expect(invalid.message).toBe("Invalid parameters for tool 'read_file'")
  const issue = (param: string, code: string) => ({ param, code, message: expect.any(String) })
  expect(invalid.context).toEqual({ toolName: 'read_file', errors: [issue('path', 'MISSING_REQUIRED'), issue('encoding', 'INVALID_ENUM')] })
  const cause = new Error('boom')
  manager.registerTool({
    name: 'fail',
    handler: () => {
      throw cause
    },
  })
  const failed = await failureOf(manager.execute('fail', {}))
  expect(failed).toBeInstanceOf(ToolExecutionError)
  expect(failed).toMatchObject({ name: 'ToolExecutionError', message: "Tool 'fail' execution failed: boom", cause, error_type: 'execution_failed' })
  expect(failed.context).toEqual({ toolName: 'fail', params: {}, error: cause })
  const missing = await failureOf(manager.execute('read_file', { path: 'none.txt' }))
  expect(missing).toBeInstanceOf(ToolExecutionError)
  expect(missing).toMatchObject({ message: expect.stringMatching(/^Tool 'read_file' execution failed: `none.txt` does not exist/), error_type: 'not_found' })
  expect(missing.context.error).toMatchObject({ name: 'ToolError', error_type: 'not_found' })
  for (const error of [unknown, invalid, failed]) expect([error instanceof ToolError, error instanceof Error]).toEqual([true, true])
  expect(manager.validateParams('nope', {})).toEqual({ valid: false, errors: [{ param: 'tool', message: "Tool 'nope' not found", code: 'TOOL_NOT_FOUND' }] })
  await manager.close()
})

test('without options it works in the current directory', async () => {
  const workspace = workspaceOf({ 'a.txt': 'hello\n' })
  const before = process.cwd()
  process.chdir(workspace)
  const manager = new ToolManager()
  process.chdir(before)
  expect(await manager.execute('read_file', { path: 'a.txt' })).toMatchObject({ content: 'hello\n' })
  await manager.close()
})

test('every tool has a handler that does what execute does', async () => {
  const manager = managerOf({ 'a.txt': 'hello\n' })
  manager.registerTool({ name: 'greet', category: ToolCategory.UTILITY, handler: ({ name }: any) => ({ message: `Hello ${name}` }) })
  expect(await manager.getTool('read_file')!.handler({ path: 'a.txt' })).toMatchObject({ content: 'hello\n' })
  expect(await manager.getTool('greet')!.handler({ name: 'you' })).toEqual({ message: 'Hello you' })
  expect(await failureOf(manager.getTool('read_file')!.handler({}))).toBeInstanceOf(ToolValidationError)
  expect(manager.getTool('nope')).toBeUndefined()
  for (const tool of [...manager.listTools(), ...manager.getTools(['greet']), ...manager.getToolsByCategory(ToolCategory.UTILITY)])
    expect(tool.handler).toBeTypeOf('function')
  expect(manager.getTool('greet')).toBe(manager.getTool('greet'))
  await manager.close()
})

test('a registry returns what the model sees, of our tools and of others', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'hello\n' })
  const registry = new ToolRegistry()
  registry.register(toolkit.tool('read'))
  registry.register(forRegistry([toolkit.tool('ls')])[0]!)
  registry.register({
    name: 'greet',
    description: 'Greets.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    execute: async ({ name }) => `Hello ${name}`,
  })
  expect(await registry.execute('read', { file_path: 'a.txt' })).toBe('hello\n')
  expect(await registry.execute('ls', {})).toContain('a.txt')
  expect(await registry.execute('greet', { name: 'you' })).toBe('Hello you')
  expect(await failureOf(registry.execute('nope', {}))).toMatchObject({ message: 'Tool not found: nope' })
  const [greet] = registry.getDefinitions().splice(2)
  expect(registry.getDefinitions().slice(0, 2)).toEqual(toolkit.definitions(['read', 'ls']))
  expect(greet).toEqual({ name: 'greet', description: 'Greets.', inputSchema: { type: 'object', properties: {}, additionalProperties: false } })
  expect(() => registry.register({ name: 'none' } as never)).toThrow('A tool must be an object with a `name` and a function `execute`.')
})

/** A tool manager as its users have written it. */
class TheirManager {
  tools = new Map<string, { handler(params: any): Promise<any>; parameters: any; category: string }>()
  registerTool(tool: any) {
    this.tools.set(tool.name, tool)
  }
  async execute(name: string, params: any) {
    const { handler, parameters } = this.tools.get(name)!
    for (const required of parameters.required ?? []) if (!(required in params)) throw new Error(`missing ${required}`)
    return handler(params)
  }
}

test('the tools go into other managers', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'hello\n' })
  const theirs = new TheirManager()
  for (const tool of forToolManager(toolkit.tools())) theirs.registerTool(tool)
  expect(await theirs.execute('read', { file_path: 'a.txt' })).toMatchObject({ path: 'a.txt', lines: 1 })
  expect(await failureOf(theirs.execute('read', { file_path: 'b.txt' }))).toMatchObject({ error_type: 'not_found' })
  expect(theirs.tools.get('read')!.category).toBe('file_system')
  const [read] = forRegistry(toolkit.tools(['read']))
  expect(await read!.execute({ file_path: 'a.txt' })).toContain('hello')
  expect(read!.inputSchema).toMatchObject({ type: 'object', required: ['file_path'] })
  const abort = new AbortController()
  abort.abort()
  expect(await failureOf(read!.execute({ file_path: 'a.txt' }, { abortSignal: abort.signal }))).toMatchObject({ error_type: 'aborted' })
})
