import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Store } from '../../index.js'

/** A server that was started for the tests. */
export interface Server {
  port: number
  /** Ends it and removes its files. */
  stop(): Promise<void>
}

/** Where Debian keeps the programs of PostgreSQL, newest first; they are on the `PATH` elsewhere. */
function postgresPrograms(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const found = existsSync(versions) ? readdirSync(versions).sort((one, other) => Number(other) - Number(one)) : []
  const candidates = [...found.map((version) => join(versions, version, 'bin')), ...(process.env.PATH ?? '').split(':')]
  return candidates.find((directory) => existsSync(join(directory, 'initdb')) && existsSync(join(directory, 'postgres')))
}

/** Why PostgreSQL cannot be tested here, or nothing. */
export const noPostgres = postgresPrograms() === undefined ? 'PostgreSQL is not installed' : undefined

/** Why Redis cannot be tested here, or nothing. */
export const noRedis = spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'Redis is not installed'

/** A free port on loopback. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package made, or as nobody. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (user: string, flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  const user = spawnSync('id', ['-u', 'postgres']).status === 0 ? 'postgres' : 'nobody'
  return { uid: id(user, '-u'), gid: id(user, '-g') }
}

async function started(
  program: string,
  args: string[],
  directory: string,
  owner: { uid?: number; gid?: number },
  ready: string,
  port: number,
): Promise<Server> {
  const child = spawn(program, args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'], ...owner })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      if (output.includes(ready)) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    void ended.then(() => reject(new Error(`${program} ended: ${output}`)))
  })
  return {
    port,
    async stop() {
      child.kill('SIGINT')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL on loopback, with an empty data directory; the user `tenon` may enter without a password. */
export async function startPostgres(): Promise<Server> {
  const programs = postgresPrograms()!
  const directory = mkdtempSync(join(tmpdir(), 'tenon-postgres-'))
  const owner = unprivileged()
  chmodSync(directory, 0o700)
  if (owner.uid !== undefined) chownSync(directory, owner.uid, owner.gid!)
  const data = join(directory, 'data')
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'tenon', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'], { cwd: directory, ...owner })
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', `port=${port}`]
  return started(
    join(programs, 'postgres'),
    ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    directory,
    owner,
    'ready to accept connections',
    port,
  )
}

/** Redis on loopback, in memory. */
export async function startRedis(options: string[] = []): Promise<Server> {
  const directory = mkdtempSync(join(tmpdir(), 'tenon-redis-'))
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory, ...options]
  return started('redis-server', args, directory, {}, 'Ready to accept connections', port)
}

/** What a row comes to that stores count up side by side, each this many times: their product where nobody is lost. */
export async function countedTogether(stores: readonly Store[], rounds: number): Promise<number> {
  const key = { space: 'a', key: 'n' }
  const count = async (store: Store) => {
    for (let round = 0; round < rounds; ) {
      const [row] = await store.get([key])
      const { ok } = await store.commit([{ put: { ...key, value: (row?.value ?? 0) + 1 }, expect: row?.version ?? null }])
      if (ok) round++
    }
  }
  await Promise.all(stores.map(count))
  return (await stores[0]!.get([key]))[0]?.value
}
