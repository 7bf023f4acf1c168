import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { docker, ssh, tcp, websocket } from '../remote.js'
import { type DockerEngine, type SshServer, freePort, noDocker, noSshd, processesWith, startDocker, startSshd } from './support/machines.js'
import { testWith } from './support/programs.js'
import { ENGINE, remoteOf } from './support/remote.js'
import { failureOf, until, workspaceOf } from './support/workspace.js'

/** The static engine, as `npm run build:engine` makes it. */
const STATIC = path.join(path.dirname(ENGINE), `engine-linux-${process.arch}`)
const noStatic = existsSync(path.join(STATIC, 'tenon-engine')) ? undefined : 'the static engine is not built: `npm run build:engine`'

// Node.js 20 has none of its own.
const { WebSocket } = require('ws')

describe.skipIf(noDocker !== undefined)(`a container of Docker${noDocker ? ` (skipped: ${noDocker})` : ''}`, () => {
  let engine: DockerEngine
  beforeAll(async () => {
    engine = await startDocker()
    process.env.DOCKER_HOST = engine.host
  }, 120_000)
  afterAll(async () => {
    delete process.env.DOCKER_HOST
    await engine.stop()
  }, 120_000)

  /** A toolkit over a container of its own, and its directory as this machine sees it. */
  function container(options = {}) {
    const root = workspaceOf({ 'a.txt': 'one\n' })
    const id = engine.run(root)
    onTestFinished(() => {
      try {
        engine.kill(id)
      } catch {
        // It was killed by the test.
      }
    })
    const { toolkit } = remoteOf(docker(id, { program: '/opt/tenon/tenon-engine', socket: '/tmp/engine.sock' }), {}, { ...options, path: '/srv' })
    return { root, id, toolkit }
  }

  test('has the files and the commands, and rules hold there', async () => {
    const { toolkit, root } = container({ permissions: { deny: ['Read(secret*)'] } })
    writeFileSync(path.join(root, 'secret.txt'), 'x')
    expect((await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] })).details).toMatchObject({ path: 'a.txt' })
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('two\n')
    expect((await toolkit.execute('exec', { command: 'pwd; ls /opt/tenon' })).content).toEqual([{ type: 'text', text: '/srv\ntenon-engine\ntenon-helper\n' }])
    expect((await failureOf(toolkit.execute('read', { file_path: 'secret.txt' }))).error_type).toBe('permission_denied')
  })

  test('a killed client of Docker loses nothing', async () => {
    const { toolkit, root, id } = container()
    const running = toolkit.execute('exec', { command: 'echo x >> log; sleep 1; echo done; cat log' })
    await until(() => existsSync(path.join(root, 'log')))
    for (const pid of processesWith('exec\0-i', id)) process.kill(pid, 'SIGKILL')
    expect((await running).content).toEqual([{ type: 'text', text: 'done\nx\n' }])
  })

  test('a killed container fails what ran', async () => {
    const { toolkit, root, id } = container()
    const outcome = failureOf(toolkit.execute('exec', { command: 'echo x >> log; sleep 60' }))
    await until(() => existsSync(path.join(root, 'log')))
    engine.kill(id)
    // Nobody can know that it does not come back: the session is given its time.
    const first = await Promise.race([outcome, new Promise((resolve) => setTimeout(resolve, 2000, 'waits'))])
    expect(first).toBe('waits')
    await toolkit.close()
    expect((await outcome).details.code).toBe('unreachable')
  })

  test('a full disk fails the call, leaves the file as it was, and the engine goes on', async () => {
    const id = engine.run(workspaceOf(), '/other', '--tmpfs', '/srv:size=1m')
    onTestFinished(() => engine.kill(id))
    const { toolkit } = remoteOf(docker(id, { program: '/opt/tenon/tenon-engine', socket: '/tmp/engine.sock' }), {}, { path: '/srv' })
    await toolkit.execute('write', { file_path: 'a.txt', content: 'before\n' })
    const failure = await failureOf(toolkit.execute('write', { file_path: 'a.txt', content: 'x'.repeat(3_000_000) }))
    expect(failure.message).toMatch(/[Nn]o space|disk/)
    expect((await toolkit.execute('exec', { command: 'cat a.txt; ls -A' })).details).toMatchObject({ output: 'before\na.txt\n' })
  })

  test('the engine is brought where it is missing, once, and again where it is not what was sent', async () => {
    const root = workspaceOf({ 'a.txt': 'one\n' })
    const id = engine.run(root)
    onTestFinished(() => engine.kill(id))
    // Built for this machine, whose libraries the container borrows.
    const options = { push: { from: path.dirname(ENGINE), to: '/tmp/engines/mine' }, socket: '/tmp/engine.sock' }
    const inside = (command: string) => execFileSync('docker', ['exec', id, 'sh', '-c', command], { encoding: 'utf8' })
    const read = async () => {
      const { toolkit } = remoteOf(docker(id, options), {}, { path: '/srv' })
      const { content } = await toolkit.execute('read', { file_path: 'a.txt' })
      await toolkit.close()
      return content
    }
    expect(await read()).toEqual([{ type: 'text', text: 'one\n' }])
    const [names, first] = [inside('ls /tmp/engines /tmp/engines/mine'), inside('stat -c %i /tmp/engines/mine')]
    expect(names).toBe('/tmp/engines:\nmine\n\n/tmp/engines/mine:\ntenon-engine\ntenon-helper\n')
    await read()
    expect(inside('stat -c %i /tmp/engines/mine')).toBe(first)
    inside('echo x >> /tmp/engines/mine/tenon-helper')
    await read()
    expect(inside('stat -c %i /tmp/engines/mine')).not.toBe(first)
    expect(inside('ls /tmp/engines')).toBe('mine\n')
  }, 120_000)

  describe.skipIf(noStatic !== undefined)(`with the static engine${noStatic ? ` (skipped: ${noStatic})` : ''}`, () => {
    test('an empty container, whose root cannot be written, has files and says that it has no shell', async () => {
      const image = workspaceOf()
      for (const name of ['proc', 'dev', 'sys', 'etc', 'srv', 'run']) mkdirSync(path.join(image, name))
      for (const name of readdirSync(STATIC)) cpSync(path.join(STATIC, name), path.join(image, name))
      engine.image('tenon-empty', image)
      const root = workspaceOf({ 'a.txt': 'one\n' })
      const listens = ['/tenon-engine', 'serve', '--listen', 'unix:/run/engine.sock']
      const id = engine.runEmpty('tenon-empty', listens, '--read-only', '--tmpfs', '/run', '-v', `${root}:/srv`)
      onTestFinished(() => engine.kill(id))
      const { toolkit } = remoteOf(docker(id, { program: '/tenon-engine', socket: '/run/engine.sock' }), {}, { path: '/srv' })
      await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] })
      expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('two\n')
      expect((await toolkit.execute('grep', { pattern: 'tw' })).content[0]).toMatchObject({ text: expect.stringContaining('a.txt') })
      const failure = await failureOf(toolkit.execute('exec', { command: 'echo a' }))
      expect(failure.message).toMatch(/shell/)
    })
  })
})

describe.skipIf(noSshd !== undefined)(`another machine over SSH${noSshd ? ` (skipped: ${noSshd})` : ''}`, () => {
  let server: SshServer
  beforeAll(async () => {
    server = await startSshd()
  }, 120_000)
  afterAll(() => server.stop())

  test('runs calls, also after the connection was killed, and leaves nothing', async () => {
    const socket = path.join(workspaceOf(), 'engine.sock')
    const { toolkit, root } = remoteOf(ssh('root@127.0.0.1', { options: server.options, program: ENGINE, socket }), { 'a.txt': 'hello' })
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'hello' }])
    const running = toolkit.execute('exec', { command: 'echo $$ > pid; sleep 1; echo done' })
    await until(() => existsSync(path.join(root, 'pid')))
    for (const pid of processesWith('ssh', socket, 'attach')) process.kill(pid, 'SIGKILL')
    expect((await running).content).toEqual([{ type: 'text', text: 'done\n' }])
    await toolkit.close()
    for (const pid of processesWith('serve', socket)) process.kill(pid, 'SIGTERM')
    await until(() => processesWith('serve', socket).length === 0)
  }, 30_000)

  test('brings the engine along', async () => {
    const home = workspaceOf()
    const socket = path.join(home, 'engine.sock')
    const push = { from: path.dirname(ENGINE), to: path.join(home, 'engines', 'mine') }
    const { toolkit } = remoteOf(ssh('root@127.0.0.1', { options: server.options, push, socket }), { 'a.txt': 'hello' })
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'hello' }])
    expect(readdirSync(push.to)).toEqual(['tenon-engine', 'tenon-helper'])
    await toolkit.close()
    for (const pid of processesWith('serve', socket)) process.kill(pid, 'SIGTERM')
    await until(() => processesWith('serve', socket).length === 0)
  }, 120_000)

  test('a program that is not there says so', async () => {
    const { toolkit } = remoteOf(ssh('root@127.0.0.1', { options: server.options, program: '/nowhere/tenon-engine' }))
    expect((await failureOf(toolkit.ready())).message).toContain('/nowhere/tenon-engine: No such file or directory')
  }, 30_000)
})

describe('a port', () => {
  const token = 'a token of this test'

  /** An engine that listens on a port. */
  async function listening(args: (directory: string) => string[], protocol: 'ws' | 'wss' | 'tcp' | 'tls') {
    const directory = workspaceOf({ token: `${token}\n` })
    const port = await freePort()
    const child = spawn(ENGINE, ['serve', '--listen', `${protocol}:127.0.0.1:${port}`, '--token-file', path.join(directory, 'token'), ...args(directory)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    onTestFinished(() => void child.kill())
    await until(() => spawnSync('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`]).status === 0)
    return { url: `${protocol}://127.0.0.1:${port}`, port, directory }
  }

  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

  /** A certificate that has signed itself: an authority, or an engine by itself. */
  function certificateOf(directory: string, name: string) {
    const [certificate, key] = [path.join(directory, `${name}-certificate`), path.join(directory, `${name}-key`)]
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
    openssl('req', '-x509', ...CURVE, '-keyout', key, '-out', certificate, '-days', '1', ...subject)
    return { certificate, key, text: readFileSync(certificate, 'utf8') }
  }

  /** What a host shows: its certificate, signed by an authority of this name. */
  function hostOf(directory: string, name: string) {
    const authority = certificateOf(directory, name)
    const at = (what: string) => path.join(directory, `${name}-host-${what}`)
    openssl('req', '-new', ...CURVE, '-keyout', at('key'), '-out', at('request'), '-subj', '/CN=host')
    writeFileSync(at('ext'), 'basicConstraints=CA:FALSE\nextendedKeyUsage=clientAuth\n')
    const signed = ['-CA', authority.certificate, '-CAkey', authority.key, '-CAcreateserial', '-days', '1', '-extfile', at('ext')]
    openssl('x509', '-req', '-in', at('request'), '-out', at('certificate'), ...signed)
    return { authority, cert: readFileSync(at('certificate'), 'utf8'), key: readFileSync(at('key'), 'utf8') }
  }

  testWith('bash')('without WebSocket, with its token on loopback', async () => {
    const { port } = await listening(() => [], 'tcp')
    const { toolkit } = remoteOf(tcp({ port, token }), { 'a.txt': 'hello' })
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'hello' }])
    const other = remoteOf(tcp({ port, token: 'another token of it' })).toolkit
    expect((await failureOf(other.ready())).message).toContain('The token is missing or wrong.')
    expect(() => tcp({ host: '10.0.0.1', port: 80, token })).toThrow('The host `10.0.0.1` needs `tls`: without it others could read the token.')
  })

  testWith('bash', 'openssl')('with certificates on both sides', async () => {
    const { port, directory } = await listening((at) => {
      const own = certificateOf(at, 'engine')
      return ['--tls-certificate', own.certificate, '--tls-key', own.key, '--tls-client-ca', hostOf(at, 'mine').authority.certificate]
    }, 'tls')
    const text = (name: string) => readFileSync(path.join(directory, name), 'utf8')
    const ca = text('engine-certificate')
    const mine = { cert: text('mine-host-certificate'), key: text('mine-host-key') }
    const { toolkit } = remoteOf(tcp({ port, token, tls: { ca, ...mine } }), { 'a.txt': 'hello' })
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'hello' }])
    const nobody = remoteOf(tcp({ port, token, tls: { ca } })).toolkit
    expect((await failureOf(nobody.ready())).details.code).toBe('unreachable')
    const { cert, key } = hostOf(directory, 'stranger')
    const stranger = remoteOf(tcp({ port, token, tls: { ca, cert, key } })).toolkit
    expect((await failureOf(stranger.ready())).details.code).toBe('unreachable')
  })

  testWith('bash')('with its token from a descriptor', async () => {
    const port = await freePort()
    const file = openSync(path.join(workspaceOf({ token }), 'token'), 'r')
    const child = spawn(ENGINE, ['serve', '--listen', `tcp:127.0.0.1:${port}`, '--token-file', '/dev/fd/3'], { stdio: ['ignore', 'ignore', 'inherit', file] })
    closeSync(file)
    onTestFinished(() => void child.kill())
    await until(() => spawnSync('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`]).status === 0)
    const { toolkit } = remoteOf(tcp({ port, token }), { 'a.txt': 'hello' })
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'hello' }])
  })

  testWith('bash')('as WebSocket, with its token on loopback', async () => {
    const { url } = await listening(() => [], 'ws')
    const { toolkit } = remoteOf(websocket(url, { token, WebSocket }), { 'a.txt': 'hello' })
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'hello' }])
    const content = 'x'.repeat(2_000_000)
    await toolkit.execute('write', { file_path: 'b.txt', content })
    expect((await toolkit.execute('exec', { command: 'wc -c < b.txt' })).content).toEqual([{ type: 'text', text: '2000000\n' }])
    const other = remoteOf(websocket(url, { token: 'another token of it', WebSocket })).toolkit
    expect((await failureOf(other.ready())).message).toContain('The token is missing or wrong.')
  })

  testWith('bash', 'openssl')('as WebSocket with TLS', async () => {
    const { url } = await listening((directory) => {
      const { certificate, key } = certificateOf(directory, '127.0.0.1')
      return ['--tls-certificate', certificate, '--tls-key', key]
    }, 'wss')
    class Trusting extends WebSocket {
      constructor(address: string) {
        super(address, { rejectUnauthorized: false })
      }
    }
    const { toolkit } = remoteOf(websocket(url, { token, WebSocket: Trusting }), { 'a.txt': 'hello' })
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'hello' }])
    const strict = remoteOf(websocket(url, { token, WebSocket })).toolkit
    expect((await failureOf(strict.ready())).message).toMatch(/self-signed certificate/)
  })

  test('an address that others can reach needs TLS, on both sides', () => {
    expect(() => websocket('ws://10.0.0.1:80', { token, WebSocket })).toThrow('The address `ws://10.0.0.1:80` must begin with `wss:`')
    const file = path.join(workspaceOf({ token }), 'token')
    const serve = () => execFileSync(ENGINE, ['serve', '--listen', 'ws:0.0.0.0:0', '--token-file', file], { encoding: 'utf8', stdio: 'pipe' })
    expect(serve).toThrow('an address that other machines can reach needs TLS: use `wss:` or `tls:`')
  })
})
