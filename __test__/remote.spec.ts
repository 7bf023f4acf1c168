import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { command, kubectl, remote, unix } from '../remote.js'
import { ENGINE, attachedPeer, cutting, engineOf, peerOf, remoteOf } from './support/remote.js'
import { runScript } from './support/run.js'
import { failureOf, isAlive, toolkitOf, until, workspaceOf } from './support/workspace.js'

const { jsonFrame } = require('../js/remote/frames.js')
const { retryAfter } = require('../js/remote/session.js')

const stdio = () => command([ENGINE, 'serve', '--stdio'])

/** The lines of a file that commands append to. */
const lines = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [])

/** Waits until processes are gone: what ends them waits for a while itself. */
async function gone(pids: number[]) {
  const end = Date.now() + 10_000
  while (pids.some(isAlive) && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(pids.filter(isAlive)).toEqual([])
}

describe('waits before another attempt', () => {
  test('are by chance, up to a limit that grows and ends', () => {
    const limits = [0, 1, 2, 3, 4, 5, 6, 7, 100].map((attempt) => retryAfter(attempt, () => 1 - Number.EPSILON))
    expect(limits).toEqual([50, 100, 200, 500, 1000, 2000, 5000, 5000, 5000])
    expect(retryAfter(6, () => 0)).toBe(0)
    expect(retryAfter(6, () => 0.5)).toBe(2500)
  })
})

describe('a toolkit over an engine that is elsewhere', () => {
  test('lets a handler on this side change the file that its call has declared', async () => {
    const { toolkit } = remoteOf(stdio(), { 'a.txt': 'one\n' })
    toolkit.registerTool({
      name: 'count',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
      effects: { writes: ['path'] },
      handler: () => toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'one\n', newText: 'one\none\n' }], replaceAll: true }),
    })
    await Promise.all([1, 2].map(() => (toolkit as any).execute('count', { path: 'a.txt' })))
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'one\none\none\none\n' }])
  })

  test('answers as the one on this machine does', async () => {
    const files = { 'a.txt': 'one\ntwo\n', 'src/b.ts': 'export const b = 1\n' }
    // Web requests stay on this side.
    const here = toolkitOf(files, { tools: { deny: ['group:web'] } })
    const there = remoteOf(stdio(), files).toolkit
    await there.ready()
    const calls: [string, object][] = [
      ['read', { file_path: 'a.txt' }],
      ['read', { path: 'a.txt', limit: '1' }],
      ['read', { file_path: 'missing.txt' }],
      ['edit', { file_path: 'a.txt', edits: [{ oldText: 'two', newText: 'zwei' }] }],
      ['edit', { file_path: 'a.txt', edits: [{ oldText: 'three', newText: 'drei' }] }],
      ['grep', { pattern: 'zwei|b' }],
      ['write', { file_path: 'big.txt', content: 'x'.repeat(300_000) }],
      ['find', { pattern: '**/*.ts' }],
      ['exec', { command: 'printf "%s" "ä€😀"; exit 3' }],
      ['nothing', {}],
      ['read', { file_path: NaN, limit: 0 }],
      ['ls', { limit: 1n }],
    ]
    const comparable = async (toolkit: any, [name, params]: [string, object]) => {
      const text = JSON.stringify(
        await toolkit.execute(name, params).catch((error: any) => ({ failed: error.error_type, message: error.message, details: error.details })),
      )
      return text.replace(/"durationMs":\d+/g, '')
    }
    for (const call of calls) expect(await comparable(there, call)).toBe(await comparable(here, call))
    expect(there.tools().map(({ name }) => name)).toEqual(here.tools().map(({ name }) => name))
    const plain = (tools: any[]) => tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    expect(plain(there.definitions(['read', 'edit']))).toEqual(plain(here.definitions(['read', 'edit'])))
  })

  test('asks the approver of the host, who sees the preview, and refuses what it refuses', async () => {
    const asked: any[] = []
    const answers = ['once', 'never'] as const
    const { toolkit, root } = remoteOf(
      stdio(),
      { 'a.txt': 'a\n' },
      {
        permissions: { ask: ['Edit(*)'] },
        onApproval: (request) => {
          asked.push(request)
          return answers[asked.length - 1]
        },
      },
    )
    await toolkit.execute('write', { file_path: 'a.txt', content: 'b\n' })
    const refused = await failureOf(toolkit.execute('write', { file_path: 'c.txt', content: 'c\n' }))
    expect(asked.map(({ tool }) => tool)).toEqual(['write', 'write'])
    expect(JSON.stringify(asked[0].preview)).toContain('-a')
    expect(refused.error_type).toBe('permission_denied')
    expect([readFileSync(path.join(root, 'a.txt'), 'utf8'), existsSync(path.join(root, 'c.txt'))]).toEqual(['b\n', false])
  })

  test('runs tools of the host on this side, with the parameters that the model wrote', async () => {
    const { toolkit } = remoteOf(
      stdio(),
      {},
      {
        customTools: [
          {
            name: 'where',
            description: 'Says where it runs.',
            parameters: { type: 'object', properties: { unit: { type: 'string' } }, required: ['unit'] },
            handler: async (params: any) => ({ pid: process.pid, ...params }),
          },
        ],
      },
    )
    expect((await toolkit.execute('where', { unit: 'a' })).details).toEqual({ pid: process.pid, unit: 'a' })
    expect((await failureOf(toolkit.execute('where', {}))).error_type).toBe('invalid_input')
    await toolkit.ready()
    expect(toolkit.tools().map(({ name }) => name)).toContain('where')
  })

  test('what is answered at once and needs the engine says so, and has a twin that waits', async () => {
    const { toolkit } = remoteOf(stdio(), { 'a.txt': 'a' }, { permissions: { deny: ['Read(a.txt)'] } })
    expect(() => toolkit.tools()).toThrow('`tools` needs what the engine knows, which is elsewhere. Wait for `await toolkit.ready()` before.')
    expect(() => toolkit.decide('read', { file_path: 'a.txt' })).toThrow(
      '`decide` cannot answer at once: the engine is elsewhere. Use `await toolkit.promises.decide(…)`.',
    )
    expect((await toolkit.promises.decide('read', { file_path: 'a.txt' })).verdict).toBe('deny')
    expect(await toolkit.promises.validateParams('read', {})).toMatchObject({ valid: false })
    await failureOf(toolkit.execute('read', { file_path: 'a.txt' }))
    expect((await toolkit.promises.history()).map((call: any) => call.outcome)).toEqual(['permission_denied'])
    await toolkit.promises.setMode('plan')
    expect(toolkit.mode).toBe('plan')
  })

  test('goes back to a checkpoint, hears events and updates, and is aborted', async () => {
    const { toolkit, root } = remoteOf(stdio(), { 'a.txt': 'a' })
    const events: string[] = []
    toolkit.on('*', ({ type }) => events.push(type))
    const checkpoint = toolkit.checkpoint()
    await toolkit.execute('write', { file_path: 'a.txt', content: 'b' })
    expect(await toolkit.rollback(checkpoint)).toEqual([{ path: 'a.txt', kind: 'update' }])
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('a')
    const updates: string[] = []
    const abort = new AbortController()
    const running = toolkit.execute(
      'exec',
      { command: 'echo one; sleep 60' },
      { signal: abort.signal, onUpdate: ({ content }: any) => updates.push(content[0].text) },
    )
    await until(() => updates.some((text) => text.includes('one')))
    abort.abort()
    expect((await failureOf(running)).error_type).toBe('aborted')
    expect(events).toContain('started')
  })

  test('half of a character in the answer of a tool of the host ends neither the call nor the session', async () => {
    const { toolkit } = remoteOf(stdio())
    toolkit.registerTool({ name: 'cut', handler: () => ({ content: [{ type: 'text', text: 'cut \ud83d' }], details: { a: '\ud83d' } }) })
    toolkit.registerTool({
      name: 'updates',
      handler: (_: unknown, { onUpdate }) => {
        onUpdate('cut \ud83d')
        return 'done'
      },
    })
    toolkit.registerTool({
      name: 'fail',
      handler: () => {
        throw new Error('cut \ud83d')
      },
    })
    expect((await toolkit.execute('cut', {})).content).toEqual([{ type: 'text', text: 'cut \ufffd' }])
    expect((await toolkit.execute('updates', {})).content).toEqual([{ type: 'text', text: 'done' }])
    expect((await failureOf(toolkit.execute('fail', {}))).message).toBe('cut \ufffd')
    expect((await toolkit.execute('ls', {})).content).toHaveLength(1)
  })

  test('options that mean something on this machine only are refused', () => {
    const workspace = remote({ path: '/w', via: unix('/nowhere') })
    const refusal = (options: object) => {
      try {
        remoteOf(unix('/nowhere'), {}, options)
        return 'taken'
      } catch (error: any) {
        return error.message
      }
    }
    expect(workspace.path).toBe('/w')
    expect(refusal({ mcpServers: { a: { command: 'a' } } })).toContain('The option `mcpServers` cannot be used with a workspace that is elsewhere.')
    expect(refusal({ settings: 'policy.yaml' })).toBe('The option `settings` must be the settings themselves where the workspace is elsewhere, not a file.')
    expect(refusal({ record: 'a.jsonl' })).toContain('The option `record`')
  })

  test('an engine that cannot be reached, and a workspace that is not there, fail every call with the reason', async () => {
    const nowhere = remoteOf(unix(path.join(workspaceOf(), 'none.sock'))).toolkit
    const unreachable = await failureOf(nowhere.execute('read', { file_path: 'a' }))
    expect(unreachable.message).toMatch(
      /^The engine \(unix .*none\.sock\) cannot be reached: connect ENOENT .* Whether `read` was run to its end is not known\.$/,
    )
    expect(unreachable.details.code).toBe('unreachable')
    const { toolkit, root } = remoteOf(stdio())
    rmSync(root, { recursive: true })
    expect((await failureOf(toolkit.ready())).message).toBe(`The workspace \`${root}\` does not exist.`)
    await nowhere.close()
  })

  test('a command says why it could not connect', async () => {
    const toolkit = remoteOf(command(['sh', '-c', 'echo no such container >&2; exit 4'])).toolkit
    const failure = await failureOf(toolkit.ready())
    expect(failure.message).toContain('it ended with code 4: no such container')
  })
})

describe('when connections end', () => {
  test.each([...Array(24).keys()])('at boundary %i of what crosses: each call runs once and none is lost', async (index) => {
    const { socket } = await engineOf()
    // The greeting takes about 300 bytes out and 20 KB in; each call about 200 and 300.
    const cuts = [
      { sent: 40 + index * 97 },
      { received: 30 + index * 1571 },
      { sent: 260 + index * 61, received: 60_000 + index * 83 },
      { received: 40_000 + index * 211 },
    ]
    const { via } = cutting(socket, cuts)
    const { toolkit, root } = remoteOf(via, {}, { limits: {} })
    const log = path.join(root, 'log')
    const calls = [...Array(12).keys()].map((number) => toolkit.execute('exec', { command: `echo ${number} >> log; echo ${number}` }))
    const results = await Promise.all(calls)
    expect(results.map(({ content }: any) => content[0].text.trim())).toEqual([...Array(12).keys()].map(String))
    expect(lines(log).sort()).toEqual([...Array(12).keys()].map(String).sort())
  })

  test('large results and large parameters arrive whole over connections that are cut in the middle of them', async () => {
    const { socket } = await engineOf()
    const { via } = cutting(socket, [{ sent: 200_000 }, { sent: 500_000 }, { received: 250_000 }, { received: 400_000 }])
    const content = Array.from({ length: 40_000 }, (_, number) => `line ${number}`).join('\n')
    const { toolkit, root } = remoteOf(
      via,
      {},
      {
        customTools: [{ name: 'big', description: 'Large.', parameters: { type: 'object', properties: {} }, handler: async () => ({ text: content }) }],
      },
    )
    await toolkit.execute('write', { file_path: 'a.txt', content })
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe(content)
    expect(((await toolkit.execute('big', {})).details as any).text).toBe(content)
  })

  test('commands go on without one, and their result arrives over the next', async () => {
    const { socket } = await engineOf()
    const { via, connections } = cutting(socket, [])
    const { toolkit, root } = remoteOf(via)
    await toolkit.ready()
    const running = toolkit.execute('exec', { command: 'echo start >> log; sleep 0.5; echo end >> log; cat log' })
    await until(() => lines(path.join(root, 'log')).length > 0)
    connections[0].close()
    expect((await running).content).toEqual([{ type: 'text', text: 'start\nend\n' }])
    expect(connections.length).toBe(2)
  })

  test('an engine that was killed fails what ran with the word that nobody knows, and leaves no process', async () => {
    const engine = await engineOf()
    const { toolkit, root } = remoteOf(unix(engine.socket))
    const running = toolkit.execute('exec', { command: 'echo $$ >> pid; sleep 60' })
    const outcome = failureOf(running)
    await until(() => lines(path.join(root, 'pid')).length > 0)
    const pid = Number(lines(path.join(root, 'pid'))[0])
    await engine.kill('SIGKILL')
    // Another one on the same socket knows nothing of the session.
    rmSync(engine.socket, { force: true })
    const other = spawn(ENGINE, ['serve', '--listen', `unix:${engine.socket}`], { stdio: 'ignore' })
    onTestFinished(() => void other.kill())
    const failure = await outcome
    expect(failure.message).toContain('The engine does not know the session: it has ended, or the engine was started again.')
    expect(failure.message).toContain('Whether `exec` was run to its end is not known.')
    await until(() => !isAlive(pid))
    expect((await failureOf(toolkit.execute('read', { file_path: 'a' }))).details.code).toBe('unreachable')
  })

  test('a session that no connection comes back to ends after its time, with its processes', async () => {
    const { socket } = await engineOf(['--linger', '1'])
    const root = workspaceOf()
    const script = `
      const { remote, unix } = require(${JSON.stringify(path.resolve('remote.js'))})
      const toolkit = new tenon.Toolkit({ workspace: remote({ path: ${JSON.stringify(root)}, via: unix(${JSON.stringify(socket)}) }) })
      toolkit.execute('exec', { command: 'echo $$ > pid; sleep 60', background: true }).then(() => process.kill(process.pid, 'SIGKILL'))`
    expect((await runScript(script)).signal).toBe('SIGKILL')
    await until(() => lines(path.join(root, 'pid')).length > 0)
    const pid = Number(readFileSync(path.join(root, 'pid'), 'utf8'))
    expect(isAlive(pid)).toBe(true)
    await gone([pid])
  })

  test('an engine on standard input ends with it', async () => {
    const root = workspaceOf()
    const script = `
      const { remote, command } = require(${JSON.stringify(path.resolve('remote.js'))})
      const toolkit = new tenon.Toolkit({ workspace: remote({ path: ${JSON.stringify(root)}, via: command([${JSON.stringify(ENGINE)}, 'serve', '--stdio']) }) })
      toolkit.execute('exec', { command: 'echo $$ $PPID > pid; sleep 60', background: true }).then(() => process.kill(process.pid, 'SIGKILL'))`
    expect((await runScript(script)).signal).toBe('SIGKILL')
    const pids = readFileSync(path.join(root, 'pid'), 'utf8').trim().split(' ').map(Number)
    await gone(pids)
  })

  test('a toolkit that is closed leaves no process, and the engine no session', async () => {
    const { socket } = await engineOf()
    const { toolkit, root } = remoteOf(unix(socket))
    await toolkit.execute('exec', { command: 'echo $$ > pid; sleep 60', background: true })
    await until(() => lines(path.join(root, 'pid')).length > 0)
    const pid = Number(readFileSync(path.join(root, 'pid'), 'utf8'))
    await toolkit.close()
    expect(isAlive(pid)).toBe(false)
    expect((await failureOf(toolkit.execute('read', { file_path: 'a' }))).message).toContain('The toolkit is closed.')
  })

  test('two hundred calls at once each get their own answer', async () => {
    const { socket } = await engineOf()
    const files = Object.fromEntries([...Array(200).keys()].map((number) => [`${number}.txt`, `text ${number}`]))
    const { toolkit } = remoteOf(unix(socket), files)
    const results = await Promise.all(Object.keys(files).map((file) => toolkit.execute('read', { file_path: file })))
    expect(results.map(({ content }: any) => content[0].text)).toEqual(Object.values(files))
  })
})

describe('attach', () => {
  test('starts the engine where it does not run, and the connection may be killed', async () => {
    const socket = path.join(workspaceOf(), 'engine.sock')
    const started: any[] = []
    const { spawn: spawned } = require('../remote.js')
    const via = spawned(() => {
      const child = spawn(ENGINE, ['attach', '--socket', socket])
      started.push(child)
      return child
    })
    const { toolkit, root } = remoteOf(via)
    const running = toolkit.execute('exec', { command: 'echo $$ > pid; sleep 0.5; echo done' })
    await until(() => lines(path.join(root, 'pid')).length > 0)
    started[0].kill('SIGKILL')
    expect((await running).content).toEqual([{ type: 'text', text: 'done\n' }])
    expect(started.length).toBe(2)
    await toolkit.close()
    const engines = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(socket) && commandOf(pid).includes('serve'))
    for (const pid of engines) process.kill(Number(pid), 'SIGTERM')
    expect(engines.length).toBe(1)
  })
})

test('a container of a pod is reached over kubectl', async () => {
  const directory = workspaceOf()
  const [program, argumentsFile] = ['kubectl', 'arguments'].map((name) => path.join(directory, name)) as [string, string]
  writeFileSync(program, `#!/bin/sh\necho "$@" > ${argumentsFile}\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n`, { mode: 0o755 })
  const { socket: listening } = await engineOf()
  const via = kubectl({ pod: 'agent-1', namespace: 'agents', container: 'main', context: 'prod', kubectl: program, program: ENGINE, socket: listening })
  const { toolkit } = remoteOf(via, { 'a.txt': 'hello' })
  expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'hello' }])
  const words = `--context prod exec -i -n agents agent-1 -c main -- ${ENGINE} attach --socket ${listening}`
  expect(readFileSync(argumentsFile, 'utf8')).toBe(`${words}\n`)
})

/** The command line of a process. */
function commandOf(pid: string) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

describe('the protocol', () => {
  const call = (seq: number, id: string, params: object) => ({ seq, id, method: 'call', params: { tool: 'exec', toolCallId: id, params } })

  test('a call that is sent twice runs once and answers its recorded result', async () => {
    const { socket } = await engineOf()
    const root = workspaceOf()
    const peer = await attachedPeer(socket, root)
    peer.say(call(1, '0.1', { command: 'echo x >> log' }))
    peer.say(call(2, '0.1', { command: 'echo x >> log' }))
    await peer.answer('0.1')
    peer.say(call(3, '0.1', { command: 'echo x >> log' }))
    await until(() => peer.messages.filter(({ id }) => id === '0.1').length === 2)
    const [first, again] = peer.messages.filter(({ id }) => id === '0.1')
    expect({ ...again, seq: first.seq }).toEqual(first)
    peer.say({ method: 'ack', params: { seq: again.seq } })
    peer.say(call(4, '0.1', { command: 'echo x >> log' }))
    await until(() => peer.messages.filter(({ id }) => id === '0.1').length === 3)
    expect(peer.messages.filter(({ id }) => id === '0.1')[2].error.message).toBe(
      'The call `0.1` has ended, and the host has acknowledged its result; it is not kept any more. Use a new id for a new call.',
    )
    expect(lines(path.join(root, 'log'))).toEqual(['x'])
  })

  test('versions that have nothing in common are refused by the engine, with both', async () => {
    const { socket } = await engineOf()
    const peer = await peerOf(socket)
    peer.say({ id: 'hello', method: 'hello', params: { protocol: { min: 2, max: 3 }, client: { version: '9.0.0' } } })
    const { error } = await peer.answer('hello')
    expect(error.code).toBe(-32001)
    expect(error.message).toMatch(
      /^The engine \(tenon \d+\.\d+\.\d+\) speaks protocol 1 to 1, the host \(tenon 9\.0\.0\) 2 to 3\. Use versions that have one in common\.$/,
    )
    await peer.over()
  })

  test('an engine of another version is named by the host', async () => {
    const socket = path.join(workspaceOf(), 'engine.sock')
    const message = 'The engine (tenon 9.0.0) speaks protocol 7 to 8, the host (tenon 0.1.0) 1 to 1. Use versions that have one in common.'
    const server = createServer((stream) => void stream.end(jsonFrame(JSON.stringify({ jsonrpc: '2.0', id: 'hello', error: { code: -32001, message } }))))
    server.listen(socket)
    onTestFinished(() => void server.close())
    const { toolkit } = remoteOf(unix(socket))
    expect((await failureOf(toolkit.ready())).message).toContain(message)
  })

  test('a session belongs to those who have its secret', async () => {
    const { socket } = await engineOf()
    const root = workspaceOf()
    await attachedPeer(socket, root)
    const other = await attachedPeer(socket, root, undefined, 'another-secret-000')
    expect((await other.answer('attach')).error).toEqual({ code: -32004, message: 'The session is that of another host.', data: null })
  })

  test.each([
    ['a frame of no kind', Buffer.from([0, 0, 0, 2, 9, 9])],
    ['a frame that is too long', Buffer.from([255, 255, 255, 255, 1])],
    ['what is not JSON', jsonFrame('{')],
    ['a number that is not the next', jsonFrame('{"seq":9,"method":"call"}')],
  ])('%s ends the connection, and the session takes another one', async (_, bytes) => {
    const { socket } = await engineOf()
    const root = workspaceOf()
    const peer = await attachedPeer(socket, root)
    peer.raw(bytes as Buffer)
    await peer.over()
    const again = await attachedPeer(socket, root)
    expect((await again.answer('attach')).result.resumed).toBe(true)
  })

  test('a reader that has stopped holds up nobody else, and the engine keeps little for it', async () => {
    const { socket, pid } = await engineOf()
    const root = workspaceOf()
    const stopped = await attachedPeer(socket, root)
    stopped.stream.pause()
    stopped.say(call(1, '0.1', { command: 'head -c 1000000000 /dev/zero | tr "\\0" x', timeout: 140 }))
    const { toolkit } = remoteOf(unix(socket), { 'a.txt': 'a' })
    for (let count = 0; count < 20; count += 1) await toolkit.execute('read', { file_path: 'a.txt' })
    stopped.stream.resume()
    // A gigabyte takes its time on a machine that is busy.
    const end = Date.now() + 120_000
    while (!stopped.messages.some(({ id }) => id === '0.1') && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
    const answer = stopped.messages.find(({ id }) => id === '0.1')
    expect(answer.result.details).toMatchObject({ exitCode: 0, truncated: true })
    const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    expect(peak).toBeLessThan(300_000)
  }, 150_000)
})
