import type { Store, StoreKey, StoreOperation, StorePage, StoreQuery, StoreResult, StoreRow } from './index.js'

/** A client of `ioredis` (`call`) or of `redis` (`sendCommand`), connected, with replies as text. */
export type RedisClient = {
  /** Needed for `watch`: a second connection, which subscribes. */
  duplicate?(...overrides: any[]): any
} & ({ call(command: string, ...args: any[]): Promise<unknown> } | { sendCommand(...args: any[]): Promise<unknown> })

/** Options of `redisStore`. */
export interface RedisStoreOptions {
  /** What all keys begin with, in braces, so that a cluster keeps them together. Stores of different names share nothing. Default: `tenon`. */
  name?: string | undefined
  /** Whether changes are reported over PUBLISH, which needs a second connection while something waits. Default: true. */
  watch?: boolean | undefined
}

/** A store in Redis (6.2 or newer) or Valkey. The client stays the host's: it is never closed. */
export declare class RedisStore implements Store {
  constructor(client: RedisClient, options?: RedisStoreOptions)
  commit(operations: StoreOperation[]): Promise<StoreResult>
  get(keys: StoreKey[]): Promise<(StoreRow | null)[]>
  scan(query: StoreQuery): Promise<StorePage>
  now(): Promise<number>
  watch(names: string[], changed: () => void): () => void
  clear(log: string): Promise<boolean>
  /** Ends its own connection, not yours. */
  close(): Promise<void>
}
