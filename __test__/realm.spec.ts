import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import vm from 'node:vm'

import { expect, test } from 'vitest'

import { workspaceOf } from './support/workspace.js'

const root = path.resolve(__dirname, '..')
const nodeRequire = createRequire(path.join(root, 'index.js'))

/** Loads the package inside a context of its own, as jest and vmThreads do. */
function loadInContext(context: vm.Context, file = path.join(root, 'index.js'), cache = new Map<string, any>()): any {
  if (cache.has(file)) return cache.get(file).exports
  const module = { exports: {} as any }
  cache.set(file, module)
  const require = (request: string) => {
    if (request.endsWith('.node')) return nodeRequire(request)
    return request.startsWith('.') ? loadInContext(context, path.resolve(path.dirname(file), request), cache) : nodeRequire(request)
  }
  const wrapper = vm.runInContext(`(function (module, exports, require, __dirname, process) {${readFileSync(file, 'utf8')}\n})`, context, { filename: file })
  wrapper(module, module.exports, require, path.dirname(file), process)
  return module.exports
}

test('objects, errors and promises are of the realm that loaded the package', async () => {
  const context = vm.createContext({ performance, queueMicrotask })
  const tenon = loadInContext(context)
  const inside = (code: string) => vm.runInContext(code, context)
  const toolkit = new tenon.Toolkit({ workspace: workspaceOf({ 'a.txt': 'hello\n' }) })
  const pending = toolkit.execute('read', { file_path: 'a.txt' })
  expect(pending).toBeInstanceOf(inside('Promise'))
  const result = await pending
  expect(result).toBeInstanceOf(inside('Object'))
  expect(result.content).toBeInstanceOf(inside('Array'))
  expect(result.details).toBeInstanceOf(inside('Object'))
  const [tool] = toolkit.tools()
  expect(tool).toBeInstanceOf(inside('Object'))
  expect(tool.parameters).toBeInstanceOf(inside('Object'))
  const error = await toolkit.execute('read', { file_path: 'b.txt' }).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(inside('Error'))
  expect(error).toBeInstanceOf(tenon.ToolError)
  expect(error).not.toBeInstanceOf(Error)
  await toolkit.close()
})

test('an error of one realm is known in another', async () => {
  const [one, other] = [loadInContext(vm.createContext({})), loadInContext(vm.createContext({}))]
  const toolkit = new one.Toolkit({ workspace: workspaceOf() })
  const error = await toolkit.execute('nope', {}).catch((error: unknown) => error)
  expect(error).not.toBeInstanceOf(other.ToolError)
  expect(other.ToolError.is(error)).toBe(true)
  await toolkit.close()
})

test('a signal and parameters of another realm work', async () => {
  const context = vm.createContext({ AbortController, setTimeout })
  const tenon = loadInContext(vm.createContext({}))
  const toolkit = new tenon.Toolkit({ workspace: workspaceOf() })
  const signal = vm.runInContext('const abort = new AbortController(); setTimeout(() => abort.abort(), 50); abort.signal', context)
  const params = vm.runInContext('({ command: "sleep 60" })', context)
  const error = await toolkit
    .tool('exec')
    .execute('1', params, signal)
    .catch((error: unknown) => error)
  expect(error).toMatchObject({ error_type: 'aborted' })
  await toolkit.close()
})

test('loaded again and again, each copy works', async () => {
  const workspace = workspaceOf({ 'a.txt': 'x' })
  for (let round = 0; round < 10; round += 1) {
    const tenon = loadInContext(vm.createContext({}))
    const tools = tenon.createTools({ workspace })
    expect(await tools[0].execute('1', { file_path: 'a.txt' })).toBeTruthy()
    if (round % 2) await tools.close()
  }
})
