import { fork, spawn, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, onTestFinished, test, vi } from 'vitest'

import { Toolkit } from '../index.js'
import { MemoryStore } from '../store-conformance.js'
import { ROOT } from './support/run.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const patience = { timeout: 60_000, interval: 50 }
const forever = () => new Promise<never>(() => {})

/** What a program in another process begins with: a store that asks the one in this process. */
const REMOTE = `
  const { Toolkit } = require(${JSON.stringify(join(ROOT, 'index.js'))})
  const open = new Map()
  let last = 0
  process.on('message', ({ number, value, error }) => {
    const { resolve, reject } = open.get(number)
    open.delete(number)
    error ? reject(new Error(error)) : resolve(value)
  })
  const ask = (method) => (...args) => new Promise((resolve, reject) => {
    open.set(++last, { resolve, reject })
    process.send({ number: last, method, args })
  })
  const store = Object.fromEntries(['commit', 'get', 'scan', 'now', 'clear'].map((method) => [method, ask(method)]))
`

type AtCommit = (number: number, written: boolean, child: ChildProcess) => boolean

/** Runs a program in a process of its own over a store of this one. `at` says at which commit nothing is returned any more. */
function remote(store: any, program: string, at: AtCommit = () => false): ChildProcess {
  const file = join(workspaceOf(), 'program.cjs')
  writeFileSync(file, REMOTE + program)
  const child = fork(file, [], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.on('error', () => {})
  let commits = 0
  let isDead = false
  child.on('message', async ({ number, method, args }: any) => {
    if (isDead) return
    const commit = method === 'commit' ? commits++ : -1
    if (commit >= 0 && at(commit, false, child)) return void (isDead = true)
    const said = await store[method](...args).then(
      (value: unknown) => ({ number, value }),
      (error: Error) => ({ number, error: error.message }),
    )
    if (isDead || (commit >= 0 && at(commit, true, child))) return void (isDead = true)
    // It may die in this moment, as it is meant to.
    if (child.connected) child.send(said, () => {})
  })
  return child
}

const exited = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))

test('a process that is killed at any write of a run loses no result and doubles none', async () => {
  const workspace = workspaceOf()
  let [isWhole, writes] = [false, 0]
  for (let number = 0; number < 40 && !isWhole; number++) {
    writes = number
    for (const phase of [false, true]) {
      const store: any = new MemoryStore()
      const program = `
        const toolkit = new Toolkit({ workspace: ${JSON.stringify(workspace)}, session: { id: 's', store }, host: { runAgent: async ({ objective }) => 'done ' + objective } })
        ;(async () => {
          await toolkit.execute('sessions_spawn', { task: 'one', label: 'one' })
          await toolkit.execute('subagents', { action: 'wait' })
          await toolkit.execute('ls', {})
          await toolkit.close()
          process.exit(7)
        })()`
      const child = remote(store, program, (at, written, victim) => at === number && written === phase && victim.kill('SIGKILL'))
      const code = await exited(child)
      isWhole ||= code === 7
      expect([7, null]).toContain(code)
      await afterTheKill(store, workspace, `write ${number}, ${phase ? 'after' : 'before'}`)
    }
  }
  expect(isWhole).toBe(true)
  // The start, the end, what was shown, and the history.
  expect(writes).toBeGreaterThan(3)
}, 300_000)

/** What another process finds. */
async function afterTheKill(store: any, workspace: string, place: string) {
  const options: any = {
    workspace,
    session: { id: 's', store },
    limits: { agents: { maxConcurrent: 1 } },
    host: { runAgent: async ({ objective }: any) => `done ${objective}` },
  }
  const toolkit: any = new Toolkit(options)
  const agents = async () => (await toolkit.execute('sessions_list', { kinds: ['agent'] })).details.sessions
  const [before] = await agents()
  const { details } = await toolkit.execute('subagents', { action: 'wait', mode: 'all', timeout: 30 })
  expect(details.results.length, place).toBeLessThanOrEqual(1)
  const [after] = await agents()
  if (before) {
    expect(['completed', 'lost', 'cancelled'], place).toContain(after.status)
    const { messages } = (await toolkit.execute('sessions_history', { sessionId: 'one' })).details
    const said = messages.filter(({ role }: any) => role === 'assistant').map(({ text }: any) => text)
    expect(said, place).toEqual(after.status === 'completed' ? ['done one'] : [])
    const summaries: Record<string, string> = { completed: 'done one', lost: expect.stringContaining('Which files it changed is not known'), cancelled: '' }
    for (const result of details.results) expect([result.status, result.summary], place).toEqual([after.status, summaries[after.status]])
  }
  const again = (await toolkit.execute('subagents', { action: 'wait', timeout: 0 })).details
  expect(again.results, place).toEqual([])
  expect((await toolkit.execute('task', { agent: 'b', objective: 'next' })).details.summary, place).toBe('done next')
  await toolkit.close()
}

test('two processes on one session see the same agents, and one waits for those of the other', async () => {
  const [workspace, directory] = [workspaceOf(), workspaceOf()]
  const program = `
    const { Toolkit } = require(${JSON.stringify(join(ROOT, 'index.js'))})
    const toolkit = new Toolkit({ workspace: ${JSON.stringify(workspace)}, session: { id: 's', store: ${JSON.stringify(directory)} }, host: { runAgent: () => new Promise((resolve) => process.stdin.once('data', () => resolve('from the other'))) } })
    toolkit.execute('sessions_spawn', { task: 'x', label: 'theirs' }).then(() => console.log('started'))`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const toolkit: any = toolkitOf({}, { workspace, session: { id: 's', store: directory }, host: { runAgent: () => 'own' } } as any)
  const own = await toolkit.execute('sessions_spawn', { task: 'y', label: 'ours', wait: 30 })
  expect(own.details.result.summary).toBe('own')
  const { sessions } = (await toolkit.execute('sessions_list', { kinds: ['agent'] })).details
  expect(sessions.map(({ label, status }: any) => `${label} ${status}`).sort()).toEqual(['ours completed', 'theirs running'])
  const waiting = toolkit.execute('subagents', { action: 'wait', timeout: 60 })
  child.stdin.write('go\n')
  expect((await waiting).details.results).toMatchObject([{ label: 'theirs', status: 'completed', summary: 'from the other' }])
})

test('where a store watches, a change by another toolkit wakes who waits, and nobody watches after the end', async () => {
  const store: any = new MemoryStore()
  const watched: string[][] = []
  let open = 0
  const watch = store.watch.bind(store)
  store.watch = (names: string[], changed: () => void) => {
    watched.push(names)
    open++
    const end = watch(names, changed)
    return () => (open--, end())
  }
  const release: (() => void)[] = []
  const workspace = workspaceOf()
  const made = (runAgent: any) => new Toolkit({ workspace, session: { id: 's', store }, host: { runAgent } }) as any
  const [one, two] = [made(() => new Promise((resolve) => release.push(() => resolve('held')))), made(forever)]
  const { details } = await one.execute('sessions_spawn', { task: 'x', label: 'x' })
  await vi.waitFor(() => expect(release).toHaveLength(1), patience)
  const waiting = two.execute('subagents', { action: 'wait', sessionIds: [details.sessionId], timeout: 60 })
  await vi.waitFor(() => expect(open).toBe(2), patience)
  expect(watched[0]).toContain('agent_trees')
  release[0]!()
  expect((await waiting).details.results).toMatchObject([{ summary: 'held' }])
  await one.close()
  await two.close()
  await vi.waitFor(() => expect(open).toBe(0), patience)
})

test('a store whose watch fails is polled, with a warning', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const store: any = new MemoryStore()
  store.watch = () => {
    throw new Error('no channel')
  }
  const toolkit: any = toolkitOf({}, { session: { id: 's', store }, host: { runAgent: async () => 'ok' } } as any)
  expect((await toolkit.execute('task', { agent: 'a', objective: 'x' })).details.summary).toBe('ok')
  expect(warned).toHaveBeenCalledWith(expect.stringContaining('`session.store.watch` failed: no channel'), 'TenonWarning')
  warned.mockRestore()
})

/** Seconds for which the event loop of the other process turns no more; 60 where `TENON_BLOCKED_S` says so. */
const BLOCKED_S = Number(process.env.TENON_BLOCKED_S ?? 3)

for (const kind of ['a file', 'a store of the host']) {
  test(
    `a process whose event loop is blocked keeps its run, in ${kind}`,
    async () => {
      const [workspace, directory, store] = [workspaceOf(), workspaceOf(), new MemoryStore()]
      const inFile = kind === 'a file'
      const program = `
      const toolkit = new Toolkit({ workspace: ${JSON.stringify(workspace)}, session: { id: 's', store: ${inFile ? JSON.stringify(directory) : 'store'} }, host: { runAgent: () => new Promise((resolve) => setTimeout(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${BLOCKED_S * 1000})
        resolve('awake')
      }, 500)) } })
      toolkit.execute('sessions_spawn', { task: 'x', label: 'blocked' }).then(() => process.stdout.write('started\\n'))`
      const child = remote(store, program)
      await new Promise((resolve) => child.stdout!.once('data', resolve))
      const toolkit: any = toolkitOf({}, { workspace, session: { id: 's', store: inFile ? directory : store }, host: { runAgent: forever } } as any)
      const status = async () => (await toolkit.execute('sessions_list', { kinds: ['agent'] })).details.sessions[0].status
      const end = Date.now() + BLOCKED_S * 1000
      while (Date.now() < end) {
        expect(await status()).toBe('running')
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
      const { details } = await toolkit.execute('subagents', { action: 'wait', timeout: 60 })
      expect(details.results).toMatchObject([{ label: 'blocked', status: 'completed', summary: 'awake' }])
      expect(details.results[0].late).toBeUndefined()
    },
    (BLOCKED_S + 90) * 1000,
  )
}

test.skipIf(process.platform !== 'linux')(
  'an idle toolkit wakes no thread, whatever it was made with',
  async () => {
    const [workspace, directory] = [workspaceOf({ 'a.txt': 'x' }), workspaceOf()]
    const program = `
    const { readdirSync, readFileSync } = require('node:fs')
    const { Toolkit } = require(${JSON.stringify(join(ROOT, 'index.js'))})
    const switches = () => Object.fromEntries(readdirSync('/proc/self/task').flatMap((task) => {
      try {
        const status = readFileSync('/proc/self/task/' + task + '/status', 'utf8')
        return [[task + ' ' + /Name:\\s*(.*)/.exec(status)[1], Number(/\\nvoluntary_ctxt_switches:\\s*(\\d+)/.exec(status)[1])]]
      } catch {
        return []
      }
    }))
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    ;(async () => {
      const toolkit = new Toolkit({ workspace: ${JSON.stringify(workspace)}, session: { id: 's', store: ${JSON.stringify(directory)} }, record: ${JSON.stringify(join(directory, 'record.jsonl'))},
        hooks: { before() {} }, mode: 'acceptEdits', cron: {}, host: { runAgent: async () => 'ok', onCron() {}, sendMessage: () => ({ id: '1' }) } })
      await toolkit.execute('task', { agent: 'a', objective: 'x' })
      await toolkit.execute('write', { file_path: 'b.txt', content: 'x' })
      await toolkit.execute('cron', { action: 'status' })
      toolkit.checkpoint()
      await toolkit.execute('subagents', { action: 'wait', timeout: 0 })
      // Threads that were needed go after some seconds.
      await sleep(14_000)
      const before = switches()
      await sleep(5_000)
      const after = switches()
      const woken = Object.entries(after).filter(([task, count]) => /tenon/.test(task) && count !== before[task])
      console.log(JSON.stringify(woken.map(([task, count]) => [task.split(' ')[1], count - (before[task] ?? 0)])))
      await toolkit.close()
    })()`
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (data) => (text += data))
    await new Promise((resolve) => child.once('close', resolve))
    expect(JSON.parse(text)).toEqual([])
  },
  90_000,
)
