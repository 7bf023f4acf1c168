/** The session that calls belong to. */
export interface SessionOptions {
  /**
   * Its name. Toolkits that name the same session over the same workspace share what it keeps: the task list, the history,
   * remembered approvals, checkpoints and changes. Default: a session of its own for each toolkit, in memory.
   */
  id?: string | undefined
  /**
   * Where it is kept: `memory`, a private directory outside of the workspace by its absolute path, or a store of your own.
   * Default for a session with an `id`: the directory that `TENON_STATE_DIR` names, else the user's.
   */
  store?: 'memory' | (string & {}) | Store | undefined
}

/** One call of a session, as its store has kept it: a `HistoryEntry` without secrets. */
export interface StoredCall extends HistoryEntry {
  /** Its number: `before` of the page that goes back further. */
  seq: number
  /** When it ended, in milliseconds since 1970. */
  at: number
}

/** Where a row of a store is. */
export interface StoreKey {
  /** The group of rows that it belongs to. */
  space: string
  /** Its name in that group. */
  key: string
}

/** One part of a commit. `expect: null`: there is no such row; a number: it has this version. */
export type StoreOperation =
  | { put: StoreKey & { value: any; order?: number | undefined; expiresAt?: number | undefined }; expect?: number | null | undefined }
  | { delete: StoreKey; expect?: number | undefined }
  | { append: { log: string; id: string; value: any } }

/** What came of a commit: a number for each operation, or the index of the first whose expectation does not hold. */
export type StoreResult = { ok: true; versions: number[] } | { ok: false; conflict: number }

/** A row as it is now. */
export interface StoreRow {
  /** Its name in its space. */
  key: string
  /** Any JSON. */
  value: any
  /** A number that each change of the row makes larger. */
  version: number
  /** By which rows are read in order. */
  order?: number | undefined
  /** In milliseconds since 1970, by the clock of the store. */
  updatedAt: number
}

/** An entry of a log. */
export interface StoreEntry {
  /** Its number in the log, from 1. */
  seq: number
  /** What an entry is added by only once. */
  id: string
  /** Any JSON. */
  value: any
  /** In milliseconds since 1970, by the clock of the store. */
  at: number
}

/** Which page is read: rows by key, or by number where `order` is given; or entries by their number. */
export type StoreQuery =
  | {
      space: string
      prefix?: string | undefined
      order?: { from?: number | undefined; to?: number | undefined } | undefined
      after?: string | undefined
      limit: number
    }
  | { log: string; after?: number | undefined; before?: number | undefined; limit: number }

/** One page; `next` where there is more. */
export interface StorePage {
  /** Rows of a space, or entries of a log. */
  rows: (StoreRow | StoreEntry)[]
  /** The `after` of the next page. */
  next?: string | undefined
}

/** An entry that was found. */
export interface StoreHit {
  /** The log that it is in. */
  log: string
  /** Its number there. */
  seq: number
  /** Its id. */
  id: string
  /** The text around the words. */
  snippet: string
}

/** Keeps rows and logs. The rules are in docs/store.md; `tenon/store-conformance` checks them. */
export interface Store {
  /** Applies all operations or none. */
  commit(operations: StoreOperation[]): Promise<StoreResult>
  /** The rows of these keys, in their order. */
  get(keys: StoreKey[]): Promise<(StoreRow | null)[]>
  /** One page of a space or a log. */
  scan(query: StoreQuery): Promise<StorePage>
  /** The store's clock in milliseconds since 1970; it never goes back. */
  now(): Promise<number>
  /** Calls `changed` after commits that touch one of these spaces or logs, until the function that it returns is called. */
  watch?(names: string[], changed: () => void): () => void
  /** The entries of logs that begin with `logs` and hold all words of `text`. */
  search?(query: { logs: string; text: string; limit: number }): Promise<StoreHit[]>
  /** Removes a log with all its entries; whether there was one. `toolkit.forget()` needs it. */
  clear?(log: string): Promise<boolean>
  /** Gives back what the store holds, when its last toolkit is closed. */
  close?(): Promise<void>
}
