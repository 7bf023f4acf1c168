import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { ROOT } from './run.js'

const has = (program: string) =>
  (process.env.PATH ?? '')
    .split(':')
    .concat('/usr/sbin')
    .some((directory) => existsSync(path.join(directory, program)))
const isRoot = process.getuid?.() === 0

/** Why no Docker engine can be started here, or nothing. */
export const noDocker =
  process.platform !== 'linux' || !isRoot
    ? 'a Docker engine is started as root on Linux'
    : has('dockerd') && has('docker')
      ? undefined
      : 'Docker is not installed'
/** Why no SSH server can be started here, or nothing. */
export const noSshd = existsSync('/usr/sbin/sshd') && has('ssh') ? (isRoot ? undefined : 'the SSH server is started as root') : 'OpenSSH is not installed'

/** A free port on loopback. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function waitFor(condition: () => boolean, what: string) {
  const end = Date.now() + 20_000
  while (!condition()) {
    if (Date.now() > end) throw new Error(`${what} did not come within 20 s`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export interface DockerEngine {
  /** What the client of Docker needs in its environment. */
  host: string
  /** Starts a container with this directory as `/srv` or another one, without a network; its id. The engine is in `/opt/tenon`. More arguments of `docker run` follow. */
  run(directory: string, at?: string, ...more: string[]): string
  /** The same in the network of this machine. */
  runOnline(directory: string, at: string): string
  /** The same without the engine and without the programs of this machine: of an image with these files only. */
  runEmpty(image: string, command: string[], ...more: string[]): string
  /** Makes an image of a directory. */
  image(name: string, directory: string): void
  kill(container: string): void
  stop(): Promise<void>
}

/** A Docker engine of its own, without networks; its only image borrows the programs of this machine. */
export async function startDocker(): Promise<DockerEngine> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenon-docker-'))
  const at = (name: string) => path.join(directory, name)
  const host = `unix://${at('docker.sock')}`
  const storage = ['--storage-driver=vfs', '--bridge=none', '--iptables=false', '--data-root', at('data'), '--exec-root', at('exec')]
  const engine = spawn('dockerd', [...storage, '-H', host, '--pidfile', at('pid')], { stdio: 'ignore' })
  const ended = new Promise((resolve) => engine.once('exit', resolve))
  const docker = (...args: string[]) => execFileSync('docker', ['-H', host, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  await waitFor(() => spawnSync('docker', ['-H', host, 'version'], { stdio: 'ignore' }).status === 0, 'the Docker engine')
  const image = at('image')
  for (const name of ['usr', 'tmp', 'proc', 'dev', 'etc', 'srv', 'opt/tenon', 'root']) mkdirSync(path.join(image, name), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, path.join(image, name))
  execFileSync('sh', ['-c', `tar -C ${image} -c . | docker -H ${host} import - tenon-test`], { stdio: 'ignore' })
  const native = at('native')
  mkdirSync(native)
  for (const program of ['tenon-engine', 'tenon-helper']) cpSync(path.join(ROOT, 'native', program), path.join(native, program))
  const run = (network: string, work: string, there: string, more: string[]) => {
    const mounts = ['-v', '/usr:/usr:ro', '-v', `${native}:/opt/tenon:ro`, '-v', `${work}:${there}`]
    return docker('run', '-d', '--network', network, ...mounts, ...more, 'tenon-test', '/bin/sleep', '3000')
  }
  return {
    host,
    run: (work, there = '/srv', ...more) => run('none', work, there, more),
    runOnline: (work, there) => run('host', work, there, []),
    runEmpty: (image, command, ...more) => docker('run', '-d', '--network', 'none', ...more, image, ...command),
    image: (name, from) => void execFileSync('sh', ['-c', 'tar -C "$0" -c . | docker -H "$1" import - "$2"', from, host, name], { stdio: 'ignore' }),
    kill: (container) => void docker('kill', container),
    async stop() {
      for (const container of docker('ps', '-q').split('\n').filter(Boolean)) docker('kill', container)
      engine.kill('SIGTERM')
      await ended
      // Of a container in the network of this machine.
      spawnSync('umount', [at('exec/netns/default')], { stdio: 'ignore' })
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export interface SshServer {
  /** Arguments of `ssh` before the host. */
  options: string[]
  stop(): Promise<void>
}

/** An SSH server on loopback with keys of its own. */
export async function startSshd(): Promise<SshServer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenon-ssh-'))
  const at = (name: string) => path.join(directory, name)
  for (const key of ['host', 'key']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(key)])
  mkdirSync('/run/sshd', { recursive: true })
  const port = await freePort()
  const settings = ['ListenAddress=127.0.0.1', `HostKey=${at('host')}`, `AuthorizedKeysFile=${at('key.pub')}`, 'PidFile=none', 'StrictModes=no', 'UsePAM=no']
  const server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', '/dev/null', '-p', String(port), ...settings.flatMap((setting) => ['-o', setting])], {
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const options = ['-p', String(port), '-i', at('key'), '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR']
  await waitFor(() => spawnSync('ssh', [...options, '-o', 'BatchMode=yes', 'root@127.0.0.1', 'true'], { stdio: 'ignore' }).status === 0, 'the SSH server')
  return {
    options,
    async stop() {
      server.kill('SIGTERM')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The processes of this machine whose command line has all of these words. */
export function processesWith(...words: string[]): number[] {
  const commandOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && words.every((word) => commandOf(pid).includes(word)))
    .map(Number)
}
