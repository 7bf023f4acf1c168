/** The names of the tools of a dialect. */
export type ToolName<D extends Dialect = 'agent'> = keyof Dialects[D] & string

/** The parameters of a tool. */
export type ToolParams<D extends Dialect, N extends ToolName<D>> = Dialects[D][N] extends {
  params: infer TParams
}
  ? TParams
  : never

/** The details of the results of a tool. */
export type ToolDetails<D extends Dialect, N extends ToolName<D>> = Dialects[D][N] extends {
  details: infer TDetails
}
  ? TDetails
  : never

/** A tool, typed by dialect and name. */
export type ToolOf<D extends Dialect, N extends ToolName<D>> = AgentTool<ToolParams<D, N>, ToolDetails<D, N>> & {
  name: N
}

/** A name that no type is known for: one that is only known at run time, or of a foreign tool. */
export type UntypedName<D extends Dialect, N extends string> = N extends ToolName<D> ? never : N

/** The tools of one dialect over one workspace, with their policy, history and running processes. */
export declare class Toolkit<D extends Dialect = 'agent'> {
  /** @throws {ToolError} when an option cannot be used */
  constructor(options: ToolkitOptions<D>)
  /** The exposed tools, or those of these names. The objects are the same at each call. */
  tools(names?: readonly (ToolName<D> | (string & {}))[]): AgentTool[]
  /** One tool. @throws {ToolError} `not_found` when it is not exposed */
  tool<N extends ToolName<D>>(name: N): ToolOf<D, N>
  tool(name: string): AgentTool
  /** The tools as model providers take them: copies of plain JSON. */
  definitions(allowed?: readonly string[], format?: 'json-schema'): ToolDeclaration[]
  definitions(allowed: readonly string[] | undefined, format: DefinitionFormat): Record<string, any>[]
  /** Runs a tool. @throws {ToolError} */
  execute<N extends ToolName<D>>(name: N, params: ToolParams<D, N>, options?: ExecuteOptions<ToolDetails<D, N>>): Promise<AgentToolResult<ToolDetails<D, N>>>
  execute<N extends string>(name: UntypedName<D, N>, params: unknown, options?: ExecuteOptions): Promise<AgentToolResult<any>>
  /**
   * Registers a tool of the host. It runs like any other (exposure, validation, policy, approval, time limit, history). One of the same name is replaced, with a warning.
   * @returns the tool as agents get it; nothing when the lists of `tools` keep it from this agent
   * @throws {ToolError} for names, schemas and effects that cannot be worked with
   */
  registerTool<S extends ToolSchema>(tool: CustomHandlerTool<S>): AgentTool | undefined
  registerTool<S extends ToolSchema>(tool: CustomInputTool<S>): AgentTool | undefined
  registerTool<S extends ToolSchema>(tool: CustomAgentTool<S>): AgentTool | undefined
  /** MCP servers: what is known of them, and what only the host does with them. */
  readonly mcp: McpClients
  /**
   * Takes in the tools of a connected client of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/client`, which stays the
   * host's to close. They are treated like those of `mcpServers`. @throws {ToolError}
   */
  registerMcpClient(
    client: { listTools(...args: any[]): Promise<any>; callTool(...args: any[]): Promise<any> },
    options: { id: string } & Pick<McpServerOptions, 'tools' | 'load' | 'effects' | 'trustAnnotations' | 'callMs' | 'maxCallMs' | 'outputLimitBytes'>,
  ): Promise<void>
  registerTool(tool: CustomTool): AgentTool | undefined
  /**
   * Registers a tool that a client runs. A call is answered with `{status: 'pending', tool, message}`, or, with `wait`,
   * with what `resolveClientTool` is given.
   */
  registerClientTool(tool: ClientTool, options?: ClientToolOptions): AgentTool | undefined
  /**
   * What a client answered to a call: anything that a tool may answer, or an `Error`.
   * @throws {ToolError} `not_found` when no such call waits
   */
  resolveClientTool(toolCallId: string, result: unknown): AgentToolResult<any>
  /**
   * Serves a JSON-RPC message `tools/use {sessionId, toolCallId, toolName, input}`, a batch, or the text of one: resolves with
   * a message `tools/result`, which has the `id` of the request. The bare parameters resolve with those of the result.
   * `tools/cancel {sessionId, toolCallId}` cancels a call. Rejects for an option that does not exist only.
   */
  handleToolUse(message: unknown, options?: ToolUseOptions): Promise<any>
  /** Removes a tool, also one that the host did not register; running calls continue. Whether there was one. */
  unregisterTool(name: string): boolean
  /** One tool, or nothing. */
  getTool<N extends ToolName<D>>(name: N): ToolOf<D, N> | undefined
  getTool(name: string): AgentTool | undefined
  /** Those of these names that are exposed. */
  getTools(names: readonly string[]): AgentTool[]
  /** The exposed tools. */
  listTools(): AgentTool[]
  /** The exposed tools of a category. */
  getToolsByCategory(category: ToolCategory): AgentTool[]
  /**
   * Resolves when the tools are known: at once, unless the workspace is elsewhere.
   * @throws {ToolError} when the engine cannot be reached, or cannot open the workspace
   */
  ready(): Promise<void>
  /** What is answered at once and needs the engine, by promises: where the workspace is elsewhere only these answer. */
  readonly promises: ToolkitPromises
  /** Checks parameters; runs nothing. */
  validateParams(name: string, params: unknown): Validation
  /** The document of a canvas (`ui://tenon/canvas/<id>`), or the one without content (`ui://tenon/canvas`). */
  canvas(uri: string): CanvasDocument | undefined
  /** What is shown, the oldest first. `undefined` where the option `canvas` is not set. */
  canvases(): { uri: string; title: string }[] | undefined
  /** What policy says to a call; runs nothing and asks nobody. A call that would fail is denied, with `issues`. */
  decide(name: string, params: unknown): PolicyExplanation
  /** The same with `commands`: what each command of the call does, whatever the rules say. */
  explain(name: string, params: unknown): PolicyExplanation
  /**
   * What an approver would be asked; asks nobody. `null` where nobody would be asked: the call is allowed, was approved or declined
   * for the session, or is denied, which no approval changes.
   * @throws {ToolError} for unknown tools and parameters that are not valid
   */
  approvalRequest(name: string, params: unknown): ApprovalRequest | null
  /**
   * Remarks on the rules of `permissions`: those that have no effect, are redundant, open more than they seem to, or
   * (`runner`) allow a program that runs any code, such as `Bash(make:*)`. Only runners give no warning by themselves.
   */
  lint(): RuleRemark[]
  /** The permission mode. */
  readonly mode: PermissionMode
  /**
   * Switches the permission mode, for calls that are judged from now on.
   * @throws {ToolError} for `bypass` where the toolkit was created without `allowBypass` or that mode
   */
  setMode(mode: PermissionMode): void
  /**
   * Listens to the events of the toolkit in their order, those of one type or all (`*`). Returns what ends that. While nobody listens,
   * events are not made.
   */
  on<T extends keyof ToolkitEvents>(type: T, listener: (event: ToolkitEvent<T>) => unknown): () => void
  on(type: '*', listener: (event: ToolkitEvent) => unknown): () => void
  /** The same as `tools_changed`. */
  on(type: 'toolsChanged', listener: (event: ToolkitEvent<'tools_changed'>) => unknown): () => void
  /**
   * Sends the command that this call waits for to the background: the call returns at once with the id of its process and what was
   * printed so far. Returns whether such a call was waiting.
   */
  background(toolCallId: string): boolean
  /** The last calls, newest last. */
  history(): HistoryEntry[]
  /**
   * What the host should know about its options, rules and tools. Each is also a warning of the process, once however many
   * toolkits have it.
   */
  notices(): string[]
  /**
   * The last calls of the session as its store keeps them, those of earlier toolkits too, oldest first. `before` (the `seq`
   * of a call) goes back further; `limit` is 100 by default, at most 1000. Empty for a session without an `id`.
   * @throws {ToolError} when the store fails
   */
  storedCalls(options?: { limit?: number | undefined; before?: number | undefined }): Promise<StoredCall[]>
  /**
   * Where text came from that the agents have read and the user did not write, the first one first: this toolkit, the others of
   * its session, and sub-agents. Empty where nothing is recorded (`taint`).
   */
  sources(): Promise<SourceRead[]>
  /**
   * Says that the application gave the model text of its own that the user did not write: an e-mail, an issue, a message. Rules
   * such as `Bash after network` hold from then on. `from` is shown in approvals.
   * @throws {ToolError} `invalid_input` for a source that does not exist, and where nothing is recorded
   */
  addSource(source: Source, options?: { from?: string | undefined }): Promise<void>
  /**
   * Removes what the store keeps of a session of this workspace: its task list, its history, remembered approvals, the
   * sources it has read, and what it has sent. Without an id that of this toolkit, which goes on and starts over. Returns whether there was anything.
   * @throws {ToolError} `invalid_input` for another session where this toolkit keeps nothing; when the store fails
   */
  forget(sessionId?: string): Promise<boolean>
  /** What other permissions would have decided for calls that were made, such as those of `history()`; runs nothing. */
  simulate(calls: readonly { tool: string; params: unknown }[], permissions: ToolkitDataOptions['permissions']): SimulatedCall[]
  /**
   * Marks the present state of the files as one to come back to, and names it. In a session with an `id` another process finds it
   * by that name.
   */
  checkpoint(): string
  /**
   * Restores every file that tools changed since, byte for byte, all or none. What commands changed
   * counts with the option `exec.changes`; their results name what is not restorable. With the id of a run (`runId` of
   * `task` and `sessions_spawn`) it takes back what this run of a sub-agent and those below it changed, and nothing that
   * others changed.
   * @throws {ToolError} `not_found` for an unknown checkpoint or run; with `details.paths` where something else changed
   * these files in between, unless forced; `invalid_input` for a run that has not ended
   */
  rollback(id: string, options?: { force?: boolean | undefined }): Promise<FileChange[]>
  /**
   * Takes back what one call changed, byte for byte, all or nothing; of calls with the same id the last one that was not undone.
   * Calls are undone in any order, as long as no later one that was not undone has changed the same file. What commands changed
   * counts with `exec.changes` and `undo: true`. With the id of a checkpoint it takes back the last `rollback` to it.
   * @throws {ToolError} `not_found` for a call that changed nothing, was undone, or is no longer kept; with `details.paths` where
   * something changed these files since: later calls are in `details.laterCalls`
   */
  undo(toolCallId: string): Promise<FileChange[]>
  /**
   * What tools changed, file by file: since a checkpoint, since a call and with it, or since the oldest change that is kept.
   * Compares with the files as they are now, so what others changed in them since counts as well.
   * @throws {ToolError} `not_found` for an id of which nothing is kept
   */
  diff(since?: string): Promise<FileDifferences>
  /**
   * Opens the page that shows this toolkit at work: its calls, changes, approvals, rules, tools and processes. It is served on the loopback
   * interface until `close()`; who knows its address can answer approvals and undo changes. It does not keep Node alive.
   */
  inspect(options?: InspectOptions): Promise<InspectPage>
  /**
   * Aborts what runs, ends every process and waits for it. Later calls are refused. Everything is ended even when
   * it rejects.
   * @throws {ToolError} when files that held output or old content could not be removed
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The files that tools changed, of `toolkit.diff()`. */
export interface FileDifferences extends Array<FileDifference> {
  /** Commands of other processes of the session that still run, or whose process ended before they did: what they changed is not known. */
  readonly commandsNotEnded: readonly string[]
}

/** One file that tools changed, of `toolkit.diff()`. */
export interface FileDifference {
  /** The file, relative to the workspace with `/`. */
  path: string
  /** What happened to the file. */
  kind: 'create' | 'update' | 'delete'
  /** A unified diff with three lines of context; missing where `omitted` says why. */
  diff?: string
  /** Lines that were added. */
  additions?: number
  /** Lines that were removed. */
  deletions?: number
  /** `binary`, or `too_large`: more than 4 MiB, or a diff of more than 256 KiB. */
  omitted?: 'binary' | 'too_large'
  /** The ids of the calls that changed it and were not undone, the oldest first. */
  calls: string[]
}

/** How the page of `toolkit.inspect()` is served. */
export interface InspectOptions {
  /** Default: a free one. */
  port?: number | undefined
}

/** The page of `toolkit.inspect()`. */
export interface InspectPage {
  /** With the secret in it that opens the page. */
  url: string
  /** Ends the server of the page. */
  close(): Promise<void>
}
