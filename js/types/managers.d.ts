/** Why a call of a `ToolManager` failed. */
declare class ManagerError<Context> extends ToolError {
  context: Context
}
/** No tool of this name. */
export declare class ToolNotFoundError extends ManagerError<{ toolName: string; availableTools: string[] }> {}
/** The parameters of a call are not valid. */
export declare class ToolValidationError extends ManagerError<{ toolName: string; errors: ValidationIssue[] }> {}
/** The call failed, was denied, or timed out; `context.error` is what was thrown. */
export declare class ToolExecutionError extends ManagerError<{ toolName: string; params: unknown; error: unknown }> {}

/** A tool of a `ToolManager`. */
export interface ManagerTool extends AgentTool {
  /** Runs the tool as the manager's `execute` does. */
  handler(params: any, options?: ExecuteOptions): Promise<any>
}

/** A toolkit as tool managers are used: `execute` returns the details, and every tool has a `handler`. */
export interface ToolManager<D extends Dialect = 'manager'> extends Omit<Toolkit<D>, 'execute' | 'getTool' | 'getTools' | 'listTools' | 'getToolsByCategory'> {
  /** One tool, or nothing. */
  getTool(name: string): ManagerTool | undefined
  /** Those of these names that are exposed. */
  getTools(names: readonly string[]): ManagerTool[]
  /** The exposed tools. */
  listTools(): ManagerTool[]
  /** The exposed tools of a category. */
  getToolsByCategory(category: ToolCategory): ManagerTool[]
  /** @throws {ToolNotFoundError | ToolValidationError | ToolExecutionError} */
  execute<N extends ToolName<D>>(name: N, params: ToolParams<D, N>, options?: ExecuteOptions<ToolDetails<D, N>>): Promise<ToolDetails<D, N>>
  execute<N extends string>(name: UntypedName<D, N>, params: unknown, options?: ExecuteOptions): Promise<any>
}
export declare const ToolManager: {
  /** Works in the current directory unless `workspace` names another one. */
  new <D extends Dialect = 'manager'>(options?: Partial<ToolkitOptions<D>>): ToolManager<D>
}

/** Tools by name, whose results are text: for hosts that hand the model text only. */
export declare class ToolRegistry {
  /** Adds a tool, or replaces the one of the same name. */
  register(tool: RegistryTool | AgentTool): void
  /** What the model sees. @throws `Tool not found: x`, or what the tool throws */
  execute(name: string, input: any, context?: { toolCallId?: string; signal?: AbortSignal; abortSignal?: AbortSignal }): Promise<string>
  /** The tools as model providers take them. */
  getDefinitions(): ToolDeclaration[]
}

/** The tools as tool managers register them: objects with `handler(params)`. */
export declare function forToolManager(tools: readonly AgentTool[]): ManagedTool[]

/** The tools as registries of texts take them: objects with `inputSchema` and `execute(input)`. */
export declare function forRegistry(tools: readonly AgentTool[]): RegistryTool[]

/** The tools of a new toolkit. They come with a way to end what they run; it is not enumerable. */
export type Tools = AgentTool[] & AsyncDisposable & { close(): Promise<void> }

/** The tools of a new toolkit: one line for the common case. @throws {ToolError} */
export declare function createTools<D extends Dialect = 'agent'>(options: ToolkitOptions<D>): Tools

/** The options of a single tool of the `agent` vocabulary: those of a toolkit. */
export type SingleToolOptions = Omit<ToolkitOptions<'agent'>, 'dialect'>

/** A single tool. It comes with a way to end what it runs; tools that were created from one options object share their session and end together. */
export type SingleTool<N extends ToolName<'agent'>> = ToolOf<'agent', N> & AsyncDisposable & { close(): Promise<void> }

export declare function createApplyPatchTool(options: SingleToolOptions): SingleTool<'apply_patch'>
export declare function createAskUserTool(options: SingleToolOptions): SingleTool<'ask_user'>
export declare function createBrowserTool(options: SingleToolOptions): SingleTool<'browser'>
export declare function createCanvasTool(options: SingleToolOptions): SingleTool<'canvas'>
export declare function createCronTool(options: SingleToolOptions): SingleTool<'cron'>
export declare function createEditTool(options: SingleToolOptions): SingleTool<'edit'>
export declare function createExecTool(options: SingleToolOptions): SingleTool<'exec'>
export declare function createExitPlanTool(options: SingleToolOptions): SingleTool<'exit_plan'>
export declare function createFindTool(options: SingleToolOptions): SingleTool<'find'>
export declare function createGrepTool(options: SingleToolOptions): SingleTool<'grep'>
export declare function createLsTool(options: SingleToolOptions): SingleTool<'ls'>
export declare function createLspTool(options: SingleToolOptions): SingleTool<'lsp'>
export declare function createMemoryTool(options: SingleToolOptions): SingleTool<'memory'>
export declare function createMessageTool(options: SingleToolOptions): SingleTool<'message'>
export declare function createProcessTool(options: SingleToolOptions): SingleTool<'process'>
export declare function createReadTool(options: SingleToolOptions): SingleTool<'read'>
export declare function createSessionStatusTool(options: SingleToolOptions): SingleTool<'session_status'>
export declare function createSessionsHistoryTool(options: SingleToolOptions): SingleTool<'sessions_history'>
export declare function createSessionsListTool(options: SingleToolOptions): SingleTool<'sessions_list'>
export declare function createSessionsSendTool(options: SingleToolOptions): SingleTool<'sessions_send'>
export declare function createSessionsSpawnTool(options: SingleToolOptions): SingleTool<'sessions_spawn'>
export declare function createSkillTool(options: SingleToolOptions): SingleTool<'skill'>
export declare function createSubagentsTool(options: SingleToolOptions): SingleTool<'subagents'>
export declare function createTaskTool(options: SingleToolOptions): SingleTool<'task'>
export declare function createTodoReadTool(options: SingleToolOptions): SingleTool<'todo_read'>
export declare function createTodoWriteTool(options: SingleToolOptions): SingleTool<'todo_write'>
export declare function createWebFetchTool(options: SingleToolOptions): SingleTool<'web_fetch'>
export declare function createWebSearchTool(options: SingleToolOptions): SingleTool<'web_search'>
export declare function createWriteTool(options: SingleToolOptions): SingleTool<'write'>
