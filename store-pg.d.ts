import type { Store, StoreHit, StoreKey, StoreOperation, StorePage, StoreQuery, StoreResult, StoreRow } from './index.js'

/** A pool of `pg`, or one that looks like it. */
export interface PgPool {
  query(text: string, values?: unknown[]): Promise<{ rows: any[]; rowCount?: number | null | undefined }>
  /** Needed for `watch`: a connection that listens. */
  connect?(): Promise<PgClient>
}

/** One connection of a pool. */
export interface PgClient {
  query(text: string): Promise<unknown>
  on(event: 'error' | 'end', listener: (error?: any) => void): unknown
  on(event: 'notification', listener: (message: any) => void): unknown
  /** `true` closes the connection instead of returning it to the pool. */
  release(destroy?: boolean): void
}

/** Options of `pgStore`. */
export interface PgStoreOptions {
  /** The schema of the tables, made when it is missing. Stores of different schemas share nothing. Default: `tenon`. */
  schema?: string | undefined
  /** Whether missing tables are made at the first use. Default: true. `PgStore.migration()` returns the statements. */
  migrate?: boolean | undefined
  /**
   * Whether changes are reported over LISTEN and NOTIFY, which needs one connection of the pool while something waits, for all stores over
   * it together. A pool of one connection has none to spare: changes by others are then read every second.
   * Default: true. Turn it off behind a pooler that shares connections between transactions; changes are then read every second.
   */
  watch?: boolean | undefined
}

/** A store in PostgreSQL (12 or newer, a database in UTF-8). The pool stays the host's: it is never ended. */
export declare class PgStore implements Store {
  constructor(pool: PgPool, options?: PgStoreOptions)
  /** The statements that make the tables of a schema. They may run again at any time. */
  static migration(schema?: string): string
  commit(operations: StoreOperation[]): Promise<StoreResult>
  get(keys: StoreKey[]): Promise<(StoreRow | null)[]>
  scan(query: StoreQuery): Promise<StorePage>
  now(): Promise<number>
  watch(names: string[], changed: () => void): () => void
  search(query: { logs: string; text: string; limit: number }): Promise<StoreHit[]>
  clear(log: string): Promise<boolean>
  /** Ends its own connection, not the pool. */
  close(): Promise<void>
}
