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
  /** Ends the connection. */
  close(): void
  /** Keeps the process alive. */
  ref(): void
  /** Keeps the process alive no longer. */
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
  /** What an approver would be asked; also asks the host and language servers what only they know. */
  approvalRequest(name: string, params: unknown): Promise<ApprovalRequest | null>
  /** See `toolkit.background`. */
  background(toolCallId: string): Promise<boolean>
  /** See `toolkit.canvas`. */
  canvas(uri: string): Promise<CanvasDocument | undefined>
  /** See `toolkit.canvases`. */
  canvases(): Promise<{ uri: string; title: string }[] | undefined>
  /** See `toolkit.decide`. */
  decide(name: string, params: unknown): Promise<PolicyExplanation>
  /** See `toolkit.explain`. */
  explain(name: string, params: unknown): Promise<PolicyExplanation>
  /** See `toolkit.history`. */
  history(): Promise<HistoryEntry[]>
  /** See `toolkit.lint`. */
  lint(): Promise<RuleRemark[]>
  /** See `toolkit.setMode`. */
  setMode(mode: PermissionMode): Promise<void>
  /** See `toolkit.simulate`. */
  simulate(calls: readonly { tool: string; params: unknown }[], permissions: ToolkitDataOptions['permissions']): Promise<SimulatedCall[]>
  /** See `toolkit.validateParams`. */
  validateParams(name: string, params: unknown): Promise<Validation>
}
