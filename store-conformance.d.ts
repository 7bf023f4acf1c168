import type { Store, StoreHit, StoreKey, StoreOperation, StoreResult, StoreRow, StorePage, StoreQuery } from './index.js'

/** One check of a store. */
export interface StoreCheck {
  /** What the store does when it passes. */
  name: string
  /** Makes a store, checks it and closes it. Rejects with an `AssertionError` when the store fails. */
  run(): Promise<void>
}

/** What became of all checks. */
export interface StoreReport {
  /** Names of checks that passed. */
  passed: string[]
  /** Checks that failed, and why. */
  failed: { name: string; error: unknown }[]
}

/** The checks that every store passes. `make` makes a store that is empty. */
export declare function storeChecks(make: () => Store | Promise<Store>): StoreCheck[]

/** Runs all checks, one after the other. */
export declare function checkStore(make: () => Store | Promise<Store>): Promise<StoreReport>

/** A store in memory, in plain JavaScript: a pattern for stores of other kinds. */
export declare class MemoryStore implements Store {
  commit(operations: StoreOperation[]): Promise<StoreResult>
  get(keys: StoreKey[]): Promise<(StoreRow | null)[]>
  scan(query: StoreQuery): Promise<StorePage>
  now(): Promise<number>
  watch(names: string[], changed: () => void): () => void
  search(query: { logs: string; text: string; limit: number }): Promise<StoreHit[]>
  /** Gives back what the store holds. */
  close(): Promise<void>
}
