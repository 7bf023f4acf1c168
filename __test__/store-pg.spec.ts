import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'

import { PgStore } from '../store-pg.js'
import { storeChecks } from '../store-conformance.js'
import { countedTogether, noPostgres, startPostgres, type Server } from './support/databases.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const user = { user: 'tenon', database: 'postgres', host: '127.0.0.1' }
let server: Server
let schemas = 0

const poolOf = (options: pg.PoolConfig = {}) => {
  const pool = new pg.Pool({ ...user, port: server.port, ...options })
  pool.on('error', () => {})
  return pool
}

/** A store of its own, in a schema of its own. */
function emptyStore(options: object = {}): PgStore {
  const pool = poolOf()
  const store = new PgStore(pool, { schema: `s${++schemas}`, ...options })
  onTestFinished(async () => {
    await store.close()
    await pool.end()
  })
  return store
}

describe.skipIf(noPostgres)(`a store in PostgreSQL${noPostgres ? ` (skipped: ${noPostgres})` : ''}`, () => {
  beforeAll(async () => void (server = await startPostgres()), 60_000)
  afterAll(() => server?.stop())

  describe('passes the conformance kit', () => {
    for (const { name, run } of storeChecks(() => emptyStore())) test(name, run, 30_000)
  })

  test('is shared by processes: of many who count over connections of their own, nobody is lost', async () => {
    const stores = [emptyStore({ schema: 'shared' }), emptyStore({ schema: 'shared' }), emptyStore({ schema: 'shared' })]
    expect(await countedTogether(stores, 40)).toBe(120)
  }, 60_000)

  test('shows entries of a log in the order in which they become visible', async () => {
    const stores = [emptyStore({ schema: 'logs' }), emptyStore({ schema: 'logs' })]
    const seen: string[] = []
    let after = 0
    const read = async () => {
      const { rows } = await stores[1].scan({ log: 'l', after, limit: 1000 })
      for (const { seq, id } of rows as { seq: number; id: string }[]) [after] = [seq, seen.push(id)]
    }
    let isWriting = true
    const reading = (async () => {
      while (isWriting) await read()
    })()
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let round = 0; round < 25; round++) await stores[0].commit([{ append: { log: 'l', id: `${writer}-${round}`, value: round } }])
      }),
    )
    isWriting = false
    await reading
    await read()
    expect(new Set(seen).size).toBe(200)
    expect(seen).toHaveLength(200)
  }, 60_000)

  test('commits that name the same rows in other orders never lock each other out', async () => {
    const store = emptyStore()
    const keys = Array.from({ length: 50 }, (_, index) => `k${index}`)
    const puts = (order: string[]) => order.map((key) => ({ put: { space: 'a', key, value: 1 } }))
    await Promise.all(Array.from({ length: 20 }, (_, round) => store.commit(puts(round % 2 ? keys : [...keys].reverse()))))
    expect((await store.scan({ space: 'a', limit: 100 })).rows).toHaveLength(50)
  })

  test('takes a commit of a thousand operations under any isolation that the host has set', async () => {
    const pool = poolOf({ options: '-c default_transaction_isolation=serializable' })
    const store = new PgStore(pool, { schema: 'strict', watch: false })
    onTestFinished(() => pool.end())
    const puts = Array.from({ length: 1000 }, (_, index) => ({ put: { space: 'a', key: String(index), value: index } }))
    const results = await Promise.all([store.commit(puts), store.commit(puts), store.commit(puts)])
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true])
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.commit([{ put: { space: 'a', key: 'claim', value: 1 }, expect: null }])))
    expect(claims.filter(({ ok }) => ok)).toHaveLength(1)
  }, 60_000)

  test('takes names that look like SQL', async () => {
    const store = emptyStore({ schema: `a"b'c; drop table x --` })
    await store.commit([{ put: { space: `'; drop table rows; --`, key: '"\\{},null', value: `'` } }, { append: { log: '%_\\', id: '{"a",b}', value: [] } }])
    expect((await store.scan({ space: `'; drop table rows; --`, prefix: '"\\', limit: 9 })).rows).toMatchObject([{ key: '"\\{},null', value: `'` }])
    expect((await store.scan({ log: '%_\\', limit: 9 })).rows).toMatchObject([{ id: '{"a",b}', value: [] }])
  })

  /** Each store kept a connection of its own: with as many stores as connections every call waited for one in vain. */
  test('stores over one pool listen on one connection of it', async () => {
    const pool = poolOf({ max: 2 })
    onTestFinished(() => pool.end())
    const stores = Array.from({ length: 4 }, () => new PgStore(pool, { schema: 'shared' }))
    const called = [0, 0, 0, 0]
    const ends = stores.map((store, index) => store.watch(['a'], () => void (called[index] = called[index]! + 1)))
    await vi.waitUntil(() => called.every((calls) => calls > 0), 30_000)
    const before = [...called]
    await stores[0]!.close()
    await stores[1]!.commit([{ put: { space: 'a', key: 'k', value: 1 } }])
    await vi.waitUntil(() => called.slice(1).every((calls, index) => calls > before[index + 1]!), 30_000)
    expect(called[0]).toBe(before[0])
    for (const end of ends) end()
  }, 60_000)

  test('a pool of one connection is enough, without reports of changes', async () => {
    const pool = poolOf({ max: 1 })
    onTestFinished(() => pool.end())
    const store = new PgStore(pool, { schema: 'single' })
    expect(store.watch).toBe(undefined)
    await store.commit([{ put: { space: 'a', key: 'k', value: 1 } }])
    expect(await store.get([{ space: 'a', key: 'k' }])).toMatchObject([{ value: 1 }])
  })

  test('reports changes again after its connection was lost', async () => {
    const [store, other] = [emptyStore({ schema: 'lost' }), emptyStore({ schema: 'lost', watch: false })]
    expect(other.watch).toBe(undefined)
    let calls = 0
    const end = store.watch(['a'], () => calls++)
    await vi.waitUntil(() => calls > 0, 30_000)
    const pool = poolOf()
    await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'`)
    await pool.end()
    const before = calls
    await vi.waitUntil(() => calls > before, 30_000)
    const again = calls
    await store.commit([{ put: { space: 'b', key: 'k', value: 1 } }])
    await store.commit([{ put: { space: 'a', key: 'k', value: 1 } }])
    await vi.waitUntil(() => calls > again, 30_000)
    expect(calls).toBe(again + 1)
    end()
  }, 60_000)

  test('says what is missing where it may not make the tables', async () => {
    const pool = poolOf()
    onTestFinished(() => pool.end())
    const store = new PgStore(pool, { schema: 'mine', migrate: false })
    await expect(store.now()).rejects.toThrow(
      'The tables of the store are missing in the schema "mine". Run the text of `PgStore.migration()`, or leave out `migrate: false`.',
    )
    await pool.query(PgStore.migration('mine'))
    await pool.query(PgStore.migration('mine'))
    expect(await store.now()).toBeGreaterThan(0)
    expect(() => new PgStore({} as never)).toThrow('`PgStore` takes a pool of `pg`: an object with the function `query`.')
    expect(() => new PgStore(pool, { schema: 'x'.repeat(58) })).toThrow('a name of 1 to 57 bytes')
  })

  test('makes its tables once when many processes begin at the same time', async () => {
    const stores = Array.from({ length: 6 }, () => emptyStore({ schema: 'begin' }))
    const times = await Promise.all(stores.map((store) => store.now()))
    expect(times.every((time) => Math.abs(time - Date.now()) < 60_000)).toBe(true)
  })

  test('keeps a session for the toolkits of other processes', async () => {
    const workspace = workspaceOf({ 'a.txt': 'A' })
    const session = () => ({ id: 'mine', store: emptyStore({ schema: 'sessions' }) })
    const first = toolkitOf({}, { workspace, session: session() })
    await first.execute('todo_write', { todos: [{ content: 'x', status: 'pending' }] } as never)
    await first.execute('find', { pattern: '*' } as never)
    await first.close()
    const second = toolkitOf({}, { workspace, session: session() })
    expect((await second.execute('todo_read', {})).details).toMatchObject({ items: [{ content: 'x' }] })
    await expect.poll(async () => (await second.storedCalls()).map(({ tool }) => tool), { timeout: 30_000 }).toEqual(['todo_write', 'find', 'todo_read'])
    expect(await second.forget()).toBe(true)
  })
})
