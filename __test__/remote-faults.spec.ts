// What must not happen whatever becomes of connections, engines and clocks: a call that runs twice, one that is lost, a process that is left.

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'

import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { command, docker, kubectl, ssh, unix } from '../remote.js'
import { testWith } from './support/programs.js'
import { ENGINE, cuttingAtFrame, engineOf, peerOf, remoteOf } from './support/remote.js'
import { failureOf, isAlive, until, workspaceOf } from './support/workspace.js'

const { Decoder, jsonFrame } = require('../js/remote/frames.js')

const LARGE = Array.from({ length: 12_000 }, (_, number) => `line ${number}`).join('\n')

/** Everything that crosses: a command, an approval with its preview, a tool of the host, large parameters, a large answer of the host. */
async function exchange(via: any) {
  const counts = { runs: 0, approvals: [] as string[] }
  const { toolkit, root } = remoteOf(
    via,
    { 'a.txt': 'one\n' },
    {
      permissions: { ask: ['Edit(a.txt)'], defaultMode: 'allow' },
      onApproval: ({ preview }: any) => {
        counts.approvals.push(JSON.stringify(preview))
        return 'once'
      },
      customTools: [
        {
          name: 'large',
          description: 'Large.',
          parameters: { type: 'object', properties: {} },
          effects: 'observe' as const,
          handler: async () => {
            counts.runs += 1
            return { text: LARGE }
          },
        },
      ],
    },
  )
  const results = await Promise.all([
    toolkit.execute('exec', { command: 'echo x >> log; echo done' }),
    toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] }),
    toolkit.execute('write', { file_path: 'b.txt', content: LARGE }),
    toolkit.execute('large', {}),
  ])
  await toolkit.close()
  const read = (name: string) => readFileSync(path.join(root, name), 'utf8')
  return {
    output: (results[0] as any).details.output,
    log: read('log'),
    edited: read('a.txt'),
    written: read('b.txt') === LARGE,
    answered: (results[3] as any).details.text === LARGE,
    runs: counts.runs,
    approvals: counts.approvals.length,
  }
}

const WHOLE = { output: 'done\n', log: 'x\n', edited: 'two\n', written: true, answered: true, runs: 1, approvals: 1 }

describe.each(['sent', 'received'] as const)('a connection that is cut behind each frame that is %s', (direction) => {
  test.each([
    ['whole', 0],
    ['in the middle of the next', 3],
  ])(
    '%s: every call runs once, and none is lost',
    async (_, more) => {
      const { socket, pid } = await engineOf()
      const counted = cuttingAtFrame(socket)
      expect(await exchange(counted.via)).toEqual(WHOLE)
      const frames = counted.frames[direction]
      expect(frames).toBeGreaterThan(10)
      for (let frame = 0; frame <= frames; frame += 1) {
        const { via } = cuttingAtFrame(socket, { direction, frame, more })
        expect([frame, await exchange(via)]).toEqual([frame, WHOLE])
      }
      expect(childrenOf(pid)).toEqual([])
    },
    180_000,
  )
})

/** The processes that a process has started and that are still there. */
function childrenOf(pid: number) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
}

describe('a host that comes back', () => {
  test.each([0, 50, 900])('after %i ms finds its calls and processes', async (away) => {
    const { socket } = await engineOf(['--linger', '20'])
    const { via, connections, gate } = gated(socket)
    const { toolkit, root } = remoteOf(via)
    const running = toolkit.execute('exec', { command: 'echo $$ > pid; echo x >> log; sleep 0.3; echo end' })
    await until(() => existsSync(path.join(root, 'pid')))
    gate.isOpen = false
    connections.at(-1).close()
    await new Promise((resolve) => setTimeout(resolve, away))
    gate.isOpen = true
    expect((await running).details).toMatchObject({ output: 'end\n', exitCode: 0 })
    expect(readFileSync(path.join(root, 'log'), 'utf8')).toBe('x\n')
  })

  test('after its time finds that the session has ended, and no process is left', async () => {
    const { socket } = await engineOf(['--linger', '1'])
    const { via, connections, gate } = gated(socket)
    const { toolkit, root } = remoteOf(via)
    const failed = failureOf(toolkit.execute('exec', { command: 'echo $$ > pid; echo x >> log; sleep 60' }))
    await until(() => existsSync(path.join(root, 'pid')) && readFileSync(path.join(root, 'pid'), 'utf8').endsWith('\n'))
    const pid = Number(readFileSync(path.join(root, 'pid'), 'utf8'))
    gate.isOpen = false
    connections.at(-1).close()
    const end = Date.now() + 10_000
    while (isAlive(pid) && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isAlive(pid)).toBe(false)
    gate.isOpen = true
    const failure = await failed
    expect([failure.details.code, readFileSync(path.join(root, 'log'), 'utf8')]).toEqual(['unreachable', 'x\n'])
    expect(failure.message).toContain('Whether `exec` was run to its end is not known.')
  })

  test('is not given up because the clock of the system jumped', async () => {
    const { socket } = await engineOf(['--linger', '5'])
    const { via, connections, gate } = gated(socket)
    const { toolkit, root } = remoteOf(via)
    const running = toolkit.execute('exec', { command: 'echo $$ > pid; sleep 0.5; echo end' })
    await until(() => existsSync(path.join(root, 'pid')))
    gate.isOpen = false
    connections.at(-1).close()
    await new Promise((resolve) => setTimeout(resolve, 50))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    onTestFinished(() => void vi.useRealTimers())
    await new Promise((resolve) => setTimeout(resolve, 200))
    gate.isOpen = true
    expect((await running).details).toMatchObject({ output: 'end\n' })
  })
})

/** The way to a socket that can be closed to new connections for a while. */
function gated(socket: string) {
  const whole = unix(socket) as any
  const gate = { isOpen: true }
  const connections: any[] = []
  const open = async (events: any) => {
    if (!gate.isOpen) throw new Error('the network is down')
    const pipe = await whole.open(events)
    connections.push(pipe)
    return pipe
  }
  return { via: { name: 'a network', open }, connections, gate }
}

describe('a host and an engine of different versions', () => {
  test('speak the newest protocol that both have, and pass over what they do not know', async () => {
    const { socket } = await engineOf()
    const peer = await peerOf(socket)
    peer.say({ id: 'hello', method: 'hello', params: { protocol: { min: 1, max: 9 }, client: { version: '9.0.0' }, later: true } })
    expect((await peer.answer('hello')).result.protocol).toBe(1)
    const open = { options: { workspace: workspaceOf({ 'a.txt': 'a' }) }, parts: [], later: {} }
    peer.say({ id: 'attach', method: 'attach', params: { session: 'session-of-a-test-1', secret: 'secret-of-a-test-01', lastSeen: 0, open, later: 1 } })
    await peer.answer('attach')
    peer.say({ seq: 1, id: '0.1', method: 'call', params: { tool: 'read', toolCallId: 'c', params: { file_path: 'a.txt' }, later: [1] } })
    expect((await peer.answer('0.1')).result.content).toBe('a')
    peer.say({ seq: 2, id: '0.2', method: 'invented', params: {} })
    expect((await peer.answer('0.2')).error.message).toContain('The engine does not know `invented`. It may be older than the host: update it.')
  })

  test('a newer engine may say what this host does not know', async () => {
    const socket = path.join(workspaceOf(), 'engine.sock')
    const facts = { catalog: [], mode: 'default', notices: [], later: 1 }
    const answers: Record<string, any> = {
      hello: { protocol: 1, engine: { version: '9.0.0' }, capabilities: ['later'] },
      attach: { lastSeen: 0, lingerMs: 1000, facts },
    }
    const server = createServer((stream) => {
      const decoder = new Decoder()
      const say = (message: object) => void stream.write(jsonFrame(JSON.stringify({ jsonrpc: '2.0', ...message })))
      stream.on('data', (bytes) => {
        decoder.push(bytes)
        for (let frame = decoder.next(); frame; frame = decoder.next()) {
          const { id, method } = JSON.parse(frame.payload.toString('utf8'))
          if (answers[method]) say({ id, result: answers[method] })
          if (method === 'close') say({ seq: 3, id, result: null })
          if (method === 'attach') say({ seq: 1, method: 'invented', params: {} })
          if (method === 'call') say({ seq: 2, id, result: { details: { a: 1 }, content: 'said', later: true } })
        }
      })
      stream.on('error', () => {})
    }).listen(socket)
    onTestFinished(() => void server.close())
    const { toolkit } = remoteOf(unix(socket))
    expect((await toolkit.execute('read', { file_path: 'a' })).content).toEqual([{ type: 'text', text: 'said' }])
  })
})

const isRoot = process.getuid?.() === 0
/** Root may have its Node in a directory that others may not enter. */
const canBeNobody = isRoot && spawnSync(process.execPath, ['--version'], { uid: 65534 }).status === 0

test.skipIf(!canBeNobody)('a socket takes nobody but its user, whatever its mode', async () => {
  const { socket } = await engineOf()
  chmodSync(path.dirname(socket), 0o777)
  chmodSync(socket, 0o666)
  const hello = jsonFrame(JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'hello', params: { protocol: { min: 1, max: 1 } } }))
  const script = `const s = require('node:net').connect(${JSON.stringify(socket)}); let said = 0; s.on('data', (b) => (said += b.length)); s.on('error', () => {}); s.on('close', () => console.log(said)); s.write(Buffer.from('${hello.toString('hex')}', 'hex'))`
  const say = (uid: number) =>
    spawnSync(process.execPath, ['-e', `${uid === 0 ? `setTimeout(() => process.exit(console.log(said)), 500);` : ''}${script}`], {
      uid,
      encoding: 'utf8',
    }).stdout.trim()
  expect(say(65534)).toBe('0')
  expect(Number(say(0))).toBeGreaterThan(0)
})

/** A directory to be the root of a process: these programs with their libraries, and nothing else. */
function rootOf(programs: string[]) {
  const root = path.join(workspaceOf(), 'root')
  for (const name of ['tmp', 'dev', 'srv', 'bin']) mkdirSync(path.join(root, name), { recursive: true })
  spawnSync('mknod', [path.join(root, 'dev/null'), 'c', '1', '3'])
  for (const program of programs) {
    copyFileSync(program, path.join(root, 'bin', path.basename(program)))
    const libraries = spawnSync('ldd', [program], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? []
    for (const library of libraries.filter(existsSync)) {
      mkdirSync(path.join(root, path.dirname(library)), { recursive: true })
      copyFileSync(library, path.join(root, library))
    }
  }
  return root
}

testWith('dash', 'ldd').skipIf(!isRoot || process.platform !== 'linux')('an engine without /proc and without bash runs files and commands', async () => {
  const helper = path.join(path.dirname(ENGINE), 'tenon-helper')
  const root = rootOf([ENGINE, helper, '/bin/dash', '/bin/cat', '/bin/ls', '/usr/bin/wc'])
  const options = { path: '/srv', shell: { path: '/bin/dash', args: ['-c'] } }
  const { toolkit } = remoteOf(command(['chroot', root, '/bin/tenon-engine', 'serve', '--stdio']), {}, options)
  await toolkit.execute('write', { file_path: 'a.txt', content: 'one\n' })
  await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] })
  expect((await toolkit.execute('exec', { command: 'cat a.txt; ls /proc 2>/dev/null | wc -l' })).details).toMatchObject({ output: 'two\n0\n', exitCode: 0 })
  expect((await toolkit.execute('grep', { pattern: 'tw' })).content[0]).toMatchObject({ text: expect.stringContaining('a.txt') })
})

describe('a shell that prints something when it starts', () => {
  const behind = (...said: string[]) => command(['sh', '-c', `${said.join('; ')}; exec "$0" serve --stdio`, ENGINE])

  test('is not taken for the engine', async () => {
    const { toolkit } = remoteOf(behind('echo "Welcome to build-1"', 'printf "%s\\n" "ünï" ""'), { 'a.txt': 'one\n' })
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'one\n' }])
  })

  test('and starts no engine is reported at once, with what it printed', async () => {
    const { toolkit } = remoteOf(command(['sh', '-c', 'echo "This account is closed."; exit 3']))
    expect((await failureOf(toolkit.ready())).message).toContain('; before that it said `This account is closed.`')
    const { toolkit: other } = remoteOf(command(['sh', '-c', 'yes welcome']))
    expect((await failureOf(other.ready())).message).toContain('it said what makes no sense (it is text and no engine); before that it said `welcome welcome')
  })

  test.each([
    ['host', () => ssh('-oProxyCommand=x')],
    ['container', () => docker('--privileged')],
    ['pod', () => kubectl({ pod: '-x' })],
  ])('names of a %s are no options', (name, made) => {
    expect(made).toThrow(`is not the name of a ${name}.`)
  })
})
