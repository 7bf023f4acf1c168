import { expect, test } from 'vitest'

import { ToolError, ToolExecutionError, ToolManager, ToolNotFoundError, ToolValidationError, Toolkit, forRegistry, forToolManager } from '../index.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

function managerOf(files: Record<string, string>) {
  return new ToolManager({ workspace: workspaceOf(files) })
}

test('execute resolves with the details alone', async () => {
  const manager = managerOf({ 'a.txt': 'hello\n' })
  expect(manager).toBeInstanceOf(Toolkit)
  expect(await manager.execute('read_file', { path: 'a.txt' })).toEqual({ path: 'a.txt', content: 'hello\n', size: 6, encoding: 'utf-8' })
  manager.registerTool({ name: 'greet', description: 'Greets.', category: 'utility', parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }, handler: async ({ name }) => ({ message: `Hello ${name}` }) })
  expect(await manager.execute('greet', { name: 'you' })).toEqual({ message: 'Hello you' })
  expect(manager.getToolsByCategory('utility').map(({ name }) => name)).toContain('greet')
  await manager.close()
})

test('it rejects with three kinds of errors, each with its context', async () => {
  const manager = managerOf({})
  const unknown = await failureOf(manager.execute('nope', { a: 1 }))
  expect(unknown).toBeInstanceOf(ToolNotFoundError)
  expect(unknown).toMatchObject({ name: 'ToolNotFoundError', context: { tool: 'nope', params: { a: 1 }, available: expect.arrayContaining(['read_file']) } })
  const invalid = await failureOf(manager.execute('read_file', { encoding: 'klingon' } as never))
  expect(invalid).toBeInstanceOf(ToolValidationError)
  expect(invalid.context).toMatchObject({ tool: 'read_file', errors: [{ param: 'path', code: 'MISSING_REQUIRED' }, { param: 'encoding', code: 'INVALID_ENUM' }] })
  const cause = new Error('boom')
  manager.registerTool({ name: 'fail', handler: () => { throw cause } })
  const failed = await failureOf(manager.execute('fail', {}))
  expect(failed).toBeInstanceOf(ToolExecutionError)
  expect(failed).toMatchObject({ name: 'ToolExecutionError', message: 'boom', cause, context: { tool: 'fail', params: {}, error_type: 'execution_failed' } })
  expect(await failureOf(manager.execute('read_file', { path: 'none.txt' }))).toBeInstanceOf(ToolExecutionError)
  for (const error of [unknown, invalid, failed]) expect([error instanceof ToolError, error instanceof Error]).toEqual([true, true])
  expect(manager.validateParams('nope', {}).errors).toMatchObject([{ code: 'TOOL_NOT_FOUND' }])
  await manager.close()
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
