import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'

import { storeChecks } from '../store-conformance.js'
import { RedisStore } from '../store-redis.js'
import { countedTogether, noRedis, startRedis, type Server } from './support/databases.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

let server: Server
let names = 0

/** The clients that people use, each with a function that ends it. */
const clients = {
  async ioredis() {
    const client = new Redis({ port: server.port, host: '127.0.0.1' })
    onTestFinished(() => client.disconnect())
    return client
  },
  async redis() {
    const client = createClient({ url: `redis://127.0.0.1:${server.port}` })
    await client.connect()
    onTestFinished(() => client.destroy())
    return client
  },
}

async function emptyStore(kind: keyof typeof clients = 'ioredis', options: object = {}): Promise<RedisStore> {
  const store = new RedisStore((await clients[kind]()) as never, { name: `s${++names}`, ...options })
  onTestFinished(() => store.close())
  return store
}

describe.skipIf(noRedis)(`a store in Redis${noRedis ? ` (skipped: ${noRedis})` : ''}`, () => {
  beforeAll(async () => void (server = await startRedis()), 60_000)
  afterAll(() => server?.stop())

  describe.each(['ioredis', 'redis'] as const)('passes the conformance kit over a client of `%s`', (kind) => {
    for (const { name, run } of storeChecks(() => emptyStore(kind))) test(name, run, 30_000)
  })

  test('is shared by processes: of many who count over connections of their own, nobody is lost', async () => {
    const stores = await Promise.all((['ioredis', 'redis', 'ioredis'] as const).map((kind) => emptyStore(kind, { name: 'shared' })))
    expect(await countedTogether(stores, 40)).toBe(120)
  }, 60_000)

  test('pages through rows of which most have ended', async () => {
    const store = await emptyStore()
    const now = await store.now()
    const puts = Array.from({ length: 500 }, (_, index) => ({
      put: { space: 'a', key: String(1000 + index), value: index, order: index, ...(index % 100 && { expiresAt: now - 1 }) },
    }))
    await store.commit(puts)
    for (const query of [{}, { order: {} }]) {
      const keys: string[] = []
      let after: string | undefined
      do {
        const page: any = await store.scan({ space: 'a', limit: 2, ...query, ...(after !== undefined && { after }) })
        keys.push(...page.rows.map(({ key }: { key: string }) => key))
        after = page.next
      } while (after !== undefined)
      expect(keys).toEqual(['1000', '1100', '1200', '1300', '1400'])
    }
  })

  test('removes rows that have ended, and the texts of its scripts may be lost', async () => {
    const client = await clients.ioredis()
    const store = new RedisStore(client as never, { name: 'gone', watch: false })
    const now = await store.now()
    await store.commit([{ put: { space: 'a', key: 'past', value: 1, expiresAt: now - 1 } }, { put: { space: 'a', key: 'kept', value: 2 } }])
    await client.call('SCRIPT', 'FLUSH')
    await store.commit([{ put: { space: 'a', key: 'kept', value: 3 } }])
    expect(await client.hkeys('{gone}:r:a')).toEqual(['kept'])
    expect((await client.keys('*gone*')).every((key) => key.startsWith('{gone}:'))).toBe(true)
  })

  test('reports changes again after its connection was lost', async () => {
    for (const kind of ['ioredis', 'redis'] as const) {
      const store = await emptyStore(kind, { name: `lost-${kind}` })
      const other = await emptyStore(kind, { name: `lost-${kind}`, watch: false })
      expect(other.watch).toBe(undefined)
      let calls = 0
      const end = store.watch(['a'], () => calls++)
      await vi.waitUntil(() => calls > 0, 30_000)
      const admin = await clients.ioredis()
      await admin.call('CLIENT', 'KILL', 'TYPE', 'PUBSUB')
      const before = calls
      await vi.waitUntil(() => calls > before, 30_000)
      const again = calls
      await other.commit([{ put: { space: 'b', key: 'k', value: 1 } }])
      await other.commit([{ put: { space: 'a', key: 'k', value: 1 } }])
      await vi.waitUntil(() => calls > again, 30_000)
      expect(calls).toBe(again + 1)
      end()
    }
  }, 120_000)

  test('keeps all keys of a store in one slot of a cluster', async () => {
    const cluster = await startRedis(['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'])
    onTestFinished(() => cluster.stop())
    const admin = new Redis({ port: cluster.port, host: '127.0.0.1' })
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
    await vi.waitUntil(async () => String(await admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok'), 30_000)
    admin.disconnect()
    const node = { host: '127.0.0.1', port: cluster.port }
    const first = new Cluster([node])
    const second = createCluster({ rootNodes: [{ socket: node }] })
    await second.connect()
    onTestFinished(() => {
      first.disconnect()
      second.destroy()
    })
    for (const [index, client] of [first, second].entries()) {
      const store = new RedisStore(client as never, { watch: false })
      expect(
        await store.commit([{ put: { space: 'a', key: String(index), value: index, order: 1 } }, { append: { log: 'l', id: String(index), value: 0 } }]),
      ).toMatchObject({ ok: true })
    }
    const store = new RedisStore(first as never)
    onTestFinished(() => store.close())
    expect((await store.scan({ space: 'a', order: {}, limit: 9 })).rows.map(({ value }) => value)).toEqual([0, 1])
    let calls = 0
    const end = store.watch(['a'], () => calls++)
    await vi.waitUntil(() => calls === 1, 30_000)
    await store.commit([{ put: { space: 'a', key: 'k', value: 1 } }])
    await vi.waitUntil(() => calls === 2, 30_000)
    end()
  }, 120_000)

  test('says what it needs', async () => {
    expect(() => new RedisStore({} as never)).toThrow(
      '`RedisStore` takes a client of `ioredis` or `redis`: an object with the function `call` or `sendCommand`.',
    )
    const client = await clients.ioredis()
    expect(() => new RedisStore(client as never, { name: 'a{b' })).toThrow('The `name` of a `RedisStore` has 1 to 64 characters, without braces.')
  })

  test('keeps a session for the toolkits of other processes', async () => {
    const workspace = workspaceOf({ 'a.txt': 'A' })
    const session = async () => ({ id: 'mine', store: await emptyStore('redis', { name: 'sessions' }) })
    const first = toolkitOf({}, { workspace, session: await session() })
    await first.execute('todo_write', { todos: [{ content: 'x', status: 'pending' }] } as never)
    await first.execute('find', { pattern: '*' } as never)
    await first.close()
    const second = toolkitOf({}, { workspace, session: await session() })
    expect((await second.execute('todo_read', {})).details).toMatchObject({ items: [{ content: 'x' }] })
    await expect.poll(async () => (await second.storedCalls()).map(({ tool }) => tool), { timeout: 30_000 }).toEqual(['todo_write', 'find', 'todo_read'])
    expect(await second.forget()).toBe(true)
  })
})
