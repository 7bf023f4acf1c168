/** A workspace that is elsewhere: what `remote()` of `tenon/remote` returns. */
export interface RemoteWorkspace {
  /** The directory, where the engine is. */
  readonly path: string
  /** How the engine is reached. */
  readonly transport: RemoteTransport
  /** Whether web tools work there (`engine`), or there are none (`off`). */
  readonly web: 'off' | 'engine'
}

/** One connection to an engine elsewhere: a stream of bytes in both directions. */
export interface RemotePipe {
  /** Whether more may be written at once; else `drain` says when. */
  write(bytes: Uint8Array): boolean
  close(): void
  /** Keeps the process alive. */
  ref(): void
  unref(): void
}

/** A way to an engine elsewhere. */
export interface RemoteTransport {
  /** What errors call it. */
  readonly name: string
  /** Shown to the engine, where it was started with one. */
  readonly token?: string | undefined
  /** Whether another connection would reach another engine, which knows nothing of the session. */
  readonly isOnce?: boolean | undefined
  /** Connects. `end` is called once, when the connection has ended, with what is known of the reason. */
  open(events: { data(bytes: Uint8Array): void; drain(): void; end(reason?: string): void }): Promise<RemotePipe>
}

/** What toolkits answer at once, as promises: they work where the engine is elsewhere, too. */
export interface ToolkitPromises {
  approvalRequest(name: string, params: unknown): Promise<ApprovalRequest | null>
  background(toolCallId: string): Promise<boolean>
  canvas(uri: string): Promise<CanvasDocument | undefined>
  canvases(): Promise<{ uri: string; title: string }[] | undefined>
  decide(name: string, params: unknown): Promise<PolicyExplanation>
  explain(name: string, params: unknown): Promise<PolicyExplanation>
  history(): Promise<HistoryEntry[]>
  lint(): Promise<RuleRemark[]>
  setMode(mode: PermissionMode): Promise<void>
  simulate(calls: readonly { tool: string; params: unknown }[], permissions: ToolkitDataOptions['permissions']): Promise<SimulatedCall[]>
  validateParams(name: string, params: unknown): Promise<Validation>
}
