import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { describe, expect, onTestFinished, test, vi } from 'vitest'

import type { Store } from '../index.js'
import { Toolkit } from '../index.js'
import { MemoryStore, checkStore, storeChecks } from '../store-conformance.js'
import { failureOf, toolkitOf, until, workspaceOf } from './support/workspace.js'

const todos = [{ content: 'x', status: 'pending' }]
const contents = async (toolkit: any) => (await toolkit.execute('todo_read', {})).details.items.map((todo: any) => todo.content)

/** A directory that only this user may enter. */
function directory(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-state-')))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** The names of all files below a directory. */
function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
}

/** Runs a script in a process of its own, with a home and an environment of its own. */
function run(script: string, env: Record<string, string>): string {
  const prelude = `const { Toolkit } = require(${JSON.stringify(resolve('index.js'))});`
  const body = `${prelude} (async () => { ${script} })().catch((error) => { console.error(error); process.exit(1) })`
  const { PATH } = process.env
  return execFileSync(process.execPath, ['-e', body], { env: { PATH, ...env }, encoding: 'utf8' })
}

/** All warnings of this process until the test ends. */
function warnings(): string[] {
  const warned: string[] = []
  const listen = (warning: Error) => void warned.push(warning.message)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  return warned
}

describe('the conformance kit', () => {
  for (const { name, run } of storeChecks(() => new MemoryStore())) test(name, run)

  const faults: [string, (store: any) => void, string][] = [
    [
      'forgets expectations',
      (store) => {
        const { commit } = store
        store.commit = (operations: any[]) =>
          commit.call(
            store,
            operations.map(({ expect: _, ...rest }) => rest),
          )
      },
      'of many who claim, one wins',
    ],
    [
      'loses U+0000',
      (store) => {
        const { commit } = store
        store.commit = (operations: any[]) =>
          commit.call(store, JSON.parse(JSON.stringify(operations).replaceAll('b\\u0000', '').replaceAll('a\\u0000b', 'ab')))
      },
      'values come back deep-equal',
    ],
    [
      'counts versions from the start',
      (store) => {
        const { commit } = store
        store.commit = async (operations: any[]) => {
          const result = await commit.call(store, operations)
          return result.ok ? { ok: true, versions: result.versions.map(() => 1) } : result
        }
      },
      'versions grow, past deletion too',
    ],
    [
      'keeps entries of a cleared log',
      (store) => {
        store.clear = async () => true
      },
      'a cleared log is gone, and begins again',
    ],
    [
      'returns versions as texts',
      (store) => {
        const { get } = store
        store.get = async (keys: any[]) => (await get.call(store, keys)).map((row: any) => row && { ...row, version: String(row.version) })
      },
      'nothing is lost between those who count',
    ],
    [
      'returns nothing for a commit',
      (store) => {
        store.commit = async () => undefined
      },
      'a commit is applied whole or not at all',
    ],
    [
      'begins every page at the first',
      (store) => {
        const { scan } = store
        store.scan = (query: any) => scan.call(store, { ...query, after: undefined })
      },
      'rows are listed by the bytes of their keys',
    ],
    [
      'has a watch that reports nothing',
      (store) => {
        store.watch = () => () => {}
      },
      'a watch reports changes of its names, and nothing once it has ended',
    ],
    [
      'has a broken search',
      (store) => {
        store.search = async () => []
      },
      'a search finds words of every script',
    ],
  ]
  test.each(faults)('finds a store that %s', async (_, spoil, expected) => {
    const report = await checkStore(() => {
      const store = new MemoryStore()
      spoil(store)
      return store
    })
    expect(report.failed.map(({ name }) => name)).toContain(expected)
    // A message says what was wrong, not only that something was.
    for (const { name, error } of report.failed) {
      expect(String(error)).toContain(`The store fails the check "${name}": `)
      expect(String(error)).not.toMatch(/Expected values to be|Cannot read properties/)
    }
  })

  test('says what it needs', () => {
    expect(() => storeChecks(undefined as never)).toThrow('`storeChecks` takes a function that makes an empty store.')
  })
})

describe('a session with a store of the host', () => {
  test('keeps its task list and its calls there', async () => {
    const store = new MemoryStore()
    const workspace = workspaceOf({ 'a.txt': 'A' })
    const options = { session: { id: 'mine', store } }
    const first = toolkitOf({}, { workspace, ...options })
    await first.execute('todo_write', { todos } as never)
    await first.execute('read', { path: 'a.txt', token: 'secret' } as never).catch(() => {})
    await first.close()
    const second = toolkitOf({}, { workspace, ...options })
    expect(await contents(second)).toEqual(['x'])
    expect(second.history().map(({ tool }) => tool)).toEqual(['todo_read'])
    const calls = await second.storedCalls()
    expect(calls.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ['todo_write', 'ok'],
      ['read', 'invalid_input'],
      ['todo_read', 'ok'],
    ])
    expect(calls[1].params).toEqual({ path: 'a.txt', token: '[redacted]' })
    expect((await second.storedCalls({ limit: 1, before: calls[1].seq })).map(({ seq }) => seq)).toEqual([calls[0].seq])
    expect(Math.abs(calls[0].at - Date.now())).toBeLessThan(60_000)
    const { rows } = await store.scan({ space: 'todos', limit: 9 })
    expect(rows.map(({ value }) => value)).toEqual([{ workspace, session: 'mine', todos }])
  })

  test('remembers approvals for the next toolkit, and only what was asked', async () => {
    const store = new MemoryStore()
    const workspace = workspaceOf()
    const onApproval = vi.fn(async () => 'always' as const)
    const make = () => toolkitOf({}, { workspace, session: { id: 'mine', store }, onApproval })
    await make().execute('exec', { command: 'echo one' })
    expect(onApproval).toHaveBeenCalledTimes(1)
    await make().execute('exec', { command: 'echo one' })
    expect(onApproval).toHaveBeenCalledTimes(1)
    await make().execute('exec', { command: 'echo two' })
    expect(onApproval).toHaveBeenCalledTimes(2)
    const { rows } = await store.scan({ space: 'approvals', limit: 9 })
    expect(JSON.stringify(rows)).not.toContain('echo')
  })

  test('a refusal for good holds for the next toolkit', async () => {
    const store = new MemoryStore()
    const workspace = workspaceOf()
    const make = (answer: 'always' | 'never') => toolkitOf({}, { workspace, session: { id: 'mine', store }, onApproval: async () => answer })
    await failureOf(make('never').execute('exec', { command: 'echo one' }))
    expect((await failureOf(make('always').execute('exec', { command: 'echo one' }))).error_type).toBe('permission_denied')
  })

  test('a store that fails takes no work away and grants nothing', async () => {
    const warned = warnings()
    const fail = async () => {
      throw new Error('the cable is out')
    }
    const store: Store = { commit: fail, get: fail, scan: fail, now: fail }
    const workspace = workspaceOf()
    const onApproval = vi.fn(async () => 'always' as const)
    const make = () => toolkitOf({}, { workspace, session: { id: 'mine', store }, onApproval })
    const toolkit = make()
    await toolkit.execute('todo_write', { todos } as never)
    expect(await contents(toolkit)).toEqual(['x'])
    for (const again of [make(), make()]) await again.execute('exec', { command: 'echo one' })
    expect(onApproval).toHaveBeenCalledTimes(2)
    expect((await failureOf(toolkit.storedCalls())).message).toBe('`session.store.scan` failed: the cable is out.')
    await until(() => warned.length >= 4)
    expect(warned.map((warning) => warning.split(': `')[0]).sort()).toEqual([
      'An approval could not be stored, and will be asked again',
      'Remembered approvals could not be read, so approval is requested again',
      'The history could not be stored',
      'The task list could not be stored, and is kept in memory',
    ])
  })

  test.each([
    ['get', async () => 7, 'it returned something else than a list of rows'],
    ['get', async () => [], 'it returned another number of rows than keys'],
    ['get', async () => [{ version: 1 }], 'it returned a row without a `value`'],
    ['get', async () => [{ value: 1 }], 'it returned something of another shape'],
    ['commit', async () => undefined, 'it returned something of another shape'],
    ['commit', async () => ({ ok: true, versions: [] }), 'it returned another number of versions than operations'],
  ])('a %s that returns nonsense is a failure', async (name, method, expected) => {
    const warned = warnings()
    const store: any = new MemoryStore()
    store[name] = method
    const toolkit = toolkitOf({}, { session: { id: `nonsense ${expected}`, store } })
    await (name === 'get' ? contents(toolkit) : toolkit.execute('todo_write', { todos } as never))
    await until(() => warned.some((warning) => warning.includes(`\`session.store.${name}\` failed: ${expected}`)))
  })

  test('an object that is no store is refused by name', () => {
    const message = 'The option `session.store` has no function `scan`; a store has commit, get, scan, now.'
    expect(() => toolkitOf({}, { session: { store: { commit() {}, get() {} } as never } })).toThrow(message)
  })

  test('values cross unchanged', async () => {
    const store = new MemoryStore()
    const odd = [{ content: 'a\u0000b \u{1f600}', status: 'pending' }]
    const workspace = workspaceOf()
    await toolkitOf({}, { workspace, session: { id: 's', store } }).execute('todo_write', { todos: odd } as never)
    expect(await contents(toolkitOf({}, { workspace, session: { id: 's', store } }))).toEqual(['a\u0000b \u{1f600}'])
  })
})

describe('a session that is forgotten', () => {
  test.each(['a store of the host', 'a file'])('leaves nothing in %s, and goes on', async (kind) => {
    const store = kind === 'a file' ? directory() : new MemoryStore()
    const workspace = workspaceOf()
    const onApproval = vi.fn(async () => 'always' as const)
    const make = (id: string) => toolkitOf({}, { workspace, session: { id, store }, onApproval })
    const [own, other] = [make('own'), make('other')]
    for (const toolkit of [own, other]) {
      await toolkit.execute('todo_write', { todos } as never)
      await toolkit.execute('exec', { command: 'echo one' })
    }
    expect(onApproval).toHaveBeenCalledTimes(2)
    expect((await other.storedCalls()).length).toBe(2)
    expect([await own.forget('other'), await own.forget('other'), await own.forget('never')]).toEqual([true, false, false])
    expect([await contents(other), await contents(own)]).toEqual([[], ['x']])
    expect(await own.forget()).toBe(true)
    expect([await own.storedCalls(), await contents(own)]).toEqual([[], []])
    await own.execute('todo_write', { todos } as never)
    expect(await contents(own)).toEqual(['x'])
    await make('other').execute('exec', { command: 'echo one' })
    expect(onApproval).toHaveBeenCalledTimes(3)
  })

  test('stays whole where the store cannot remove a log', async () => {
    const store = new MemoryStore()
    Object.defineProperty(store, 'clear', { value: undefined })
    const toolkit = toolkitOf({}, { workspace: workspaceOf(), session: { id: 'mine', store } })
    await toolkit.execute('todo_write', { todos } as never)
    const { message } = await failureOf(toolkit.forget())
    expect(message).toBe('`session.store` has no function `clear`, which removes a log: add it, so that history can be removed. Nothing was.')
    expect(await contents(toolkit)).toEqual(['x'])
  })

  test.each([[''], [7], [null], [{}]])('%j is no name of one', async (name) => {
    const toolkit = toolkitOf({}, { session: { id: 'mine', store: new MemoryStore() } })
    expect(await failureOf(toolkit.forget(name as never))).toMatchObject({
      error_type: 'invalid_input',
      message: expect.stringContaining('The id of a session must be a string'),
    })
  })
})

describe('a session in memory', () => {
  const made = (workspace: string, id: string, host = {}) => toolkitOf({}, { workspace, session: { id, store: 'memory' }, host } as any) as any

  test('is continued by the next toolkit, however much was called meanwhile', async () => {
    const workspace = workspaceOf({ 'a.txt': 'x' })
    const first = made(workspace, 'long')
    await first.execute('todo_write', { todos })
    const calls = Array.from({ length: 400 }, (_, index) => `toolu_01A09q90qw90lq9178${String(index).padStart(4, '0')}`)
    for (const toolCallId of calls) await first.execute('write', { file_path: 'b.txt', content: toolCallId }, { toolCallId })
    await first.close()
    const second = made(workspace, 'long')
    expect(await contents(second)).toEqual(['x'])
    const again = await second.execute('write', { file_path: 'b.txt', content: calls[0] }, { toolCallId: calls[0] })
    expect(again.content[0].text).toContain('b.txt')
    expect(readFileSync(join(workspace, 'b.txt'), 'utf8')).toBe(calls.at(-1))
  }, 60_000)

  test('loses no result of a hundred agents', async () => {
    const workspace = workspaceOf()
    const runAgent = async ({ objective }: any) => objective
    const first = made(workspace, 'busy', { runAgent })
    const tasks = Array.from({ length: 100 }, (_, index) => `${index}`)
    await Promise.all(tasks.map((task) => first.execute('sessions_spawn', { task })))
    await vi.waitFor(
      async () => {
        const { sessions } = (await first.execute('sessions_list', { kinds: ['agent'], limit: 200 })).details
        expect(sessions.map(({ status }: any) => status)).toEqual(tasks.map(() => 'completed'))
      },
      { timeout: 60_000, interval: 200 },
    )
    await first.close()
    const { details } = await made(workspace, 'busy', { runAgent }).execute('subagents', { action: 'wait', mode: 'all' })
    const said = details.results.map(({ summary }: any) => summary)
    expect(said.sort((a: string, b: string) => Number(a) - Number(b))).toEqual(tasks)
  }, 90_000)
})

describe('a session in a file', () => {
  test('is continued by another process', () => {
    const [workspace, state] = [workspaceOf(), directory()]
    const options = JSON.stringify({ workspace, session: { id: 'mine' } })
    const write = `const toolkit = new Toolkit(${options}); await toolkit.execute('todo_write', { todos: ${JSON.stringify(todos)} }); await toolkit.close()`
    const read = `const toolkit = new Toolkit(${options}); const { details } = await toolkit.execute('todo_read', {}); console.log(JSON.stringify([details.items, (await toolkit.storedCalls()).map(({ tool }) => tool)])); await toolkit.close()`
    const env = { TENON_STATE_DIR: state }
    run(write, env)
    expect(statSync(join(state, 'state.db')).mode & 0o777).toBe(0o600)
    expect(JSON.parse(run(read, env))).toEqual([todos, ['todo_write', 'todo_read']])
  })

  test('a process that has used a store ends by itself, without closing', () => {
    const script = `const toolkit = new Toolkit(${JSON.stringify({ workspace: workspaceOf(), session: { id: 'mine' } })}); await toolkit.execute('todo_write', { todos: [] }); console.log('over')`
    expect(run(script, { TENON_STATE_DIR: directory() })).toBe('over\n')
  })

  test('worker threads share it, and leave nothing behind when they are ended', () => {
    const [workspace, store] = [workspaceOf(), directory()]
    const options = (id: string) => JSON.stringify({ workspace, session: { id, store } })
    const work = `const { Toolkit } = require(${JSON.stringify(resolve('index.js'))}); const { parentPort } = require('node:worker_threads');
      new Toolkit(${options('of a worker')}).execute('todo_write', { todos: ${JSON.stringify(todos)} }).then(() => { parentPort.postMessage('written'); setInterval(() => {}, 1000) })`
    const script = `const { Worker } = require('node:worker_threads'); const { once } = require('node:events')
      const workers = [1, 2, 3].map(() => new Worker(${JSON.stringify(work)}, { eval: true }))
      await Promise.all(workers.map((worker) => once(worker, 'message')))
      await Promise.all(workers.map((worker) => worker.terminate()))
      const toolkit = new Toolkit(${options('of a worker')})
      console.log((await toolkit.execute('todo_read', {})).details.count)
      await toolkit.close()`
    expect(run(script, {})).toBe('1\n')
  })

  test('without a name nothing is written to a home', () => {
    const home = directory()
    const script = `const toolkit = new Toolkit(${JSON.stringify({ workspace: workspaceOf({ a: 'x' }) })}); await toolkit.execute('todo_write', { todos: [] }); await toolkit.execute('read', { path: 'a' }); await toolkit.storedCalls(); await toolkit.close()`
    run(script, { HOME: home })
    expect(filesIn(home)).toEqual([])
    run(script.replace('"workspace"', '"session":{"id":"mine","store":"memory"},"workspace"'), { HOME: home })
    expect(filesIn(home)).toEqual([])
  })

  test('with a name it lies in the state directory of the user', () => {
    const home = directory()
    const script = `const toolkit = new Toolkit(${JSON.stringify({ workspace: workspaceOf(), session: { id: 'mine' } })}); await toolkit.execute('todo_write', { todos: [] }); await toolkit.close()`
    run(script, { HOME: home })
    expect(readdirSync(join(home, '.local/state/tenon'))).toContain('state.db')
  })

  test('two toolkits of one process share it', async () => {
    const [workspace, store] = [workspaceOf(), directory()]
    const make = () => new Toolkit({ workspace, session: { id: 'mine', store } })
    const [one, other] = [make(), make()]
    await one.execute('todo_write', { todos } as never)
    expect(await contents(other)).toEqual(['x'])
    await Promise.all([one.close(), other.close()])
  })

  test('a directory that the workspace holds, or that is none, is refused', () => {
    const workspace = workspaceOf()
    const refused = (store: string) => {
      const message = `The state directory \`${store}\` cannot be used: it must be an absolute path outside the workspace, to a directory that only this user can enter (mode 0700).`
      expect(() => toolkitOf({}, { workspace, session: { id: 'mine', store } })).toThrow(message)
    }
    refused(join(workspace, 'state'))
    refused('state')
    const file = join(directory(), 'file')
    writeFileSync(file, '')
    refused(file)
  })
})
