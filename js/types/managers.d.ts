/** Why a call of a `ToolManager` failed. */
declare class ManagerError<Context> extends ToolError {
  /** Facts of the failure. */
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
  /** Runs a tool and resolves with its details. @throws {ToolNotFoundError}, {ToolValidationError} or {ToolExecutionError} */
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

/** The tool `apply_patch` alone. */
export declare function createApplyPatchTool(options: SingleToolOptions): SingleTool<'apply_patch'>
/** The tool `ask_user` alone. */
export declare function createAskUserTool(options: SingleToolOptions): SingleTool<'ask_user'>
/** The tool `browser` alone. */
export declare function createBrowserTool(options: SingleToolOptions): SingleTool<'browser'>
/** The tool `canvas` alone. */
export declare function createCanvasTool(options: SingleToolOptions): SingleTool<'canvas'>
/** The tool `cron` alone. */
export declare function createCronTool(options: SingleToolOptions): SingleTool<'cron'>
/** The tool `edit` alone. */
export declare function createEditTool(options: SingleToolOptions): SingleTool<'edit'>
/** The tool `exec` alone. */
export declare function createExecTool(options: SingleToolOptions): SingleTool<'exec'>
/** The tool `exit_plan` alone. */
export declare function createExitPlanTool(options: SingleToolOptions): SingleTool<'exit_plan'>
/** The tool `find` alone. */
export declare function createFindTool(options: SingleToolOptions): SingleTool<'find'>
/** The tool `grep` alone. */
export declare function createGrepTool(options: SingleToolOptions): SingleTool<'grep'>
/** The tool `ls` alone. */
export declare function createLsTool(options: SingleToolOptions): SingleTool<'ls'>
/** The tool `lsp` alone. */
export declare function createLspTool(options: SingleToolOptions): SingleTool<'lsp'>
/** The tool `memory` alone. */
export declare function createMemoryTool(options: SingleToolOptions): SingleTool<'memory'>
/** The tool `message` alone. */
export declare function createMessageTool(options: SingleToolOptions): SingleTool<'message'>
/** The tool `process` alone. */
export declare function createProcessTool(options: SingleToolOptions): SingleTool<'process'>
/** The tool `read` alone. */
export declare function createReadTool(options: SingleToolOptions): SingleTool<'read'>
/** The tool `session_status` alone. */
export declare function createSessionStatusTool(options: SingleToolOptions): SingleTool<'session_status'>
/** The tool `sessions_history` alone. */
export declare function createSessionsHistoryTool(options: SingleToolOptions): SingleTool<'sessions_history'>
/** The tool `sessions_list` alone. */
export declare function createSessionsListTool(options: SingleToolOptions): SingleTool<'sessions_list'>
/** The tool `sessions_send` alone. */
export declare function createSessionsSendTool(options: SingleToolOptions): SingleTool<'sessions_send'>
/** The tool `sessions_spawn` alone. */
export declare function createSessionsSpawnTool(options: SingleToolOptions): SingleTool<'sessions_spawn'>
/** The tool `skill` alone. */
export declare function createSkillTool(options: SingleToolOptions): SingleTool<'skill'>
/** The tool `subagents` alone. */
export declare function createSubagentsTool(options: SingleToolOptions): SingleTool<'subagents'>
/** The tool `task` alone. */
export declare function createTaskTool(options: SingleToolOptions): SingleTool<'task'>
/** The tool `todo_read` alone. */
export declare function createTodoReadTool(options: SingleToolOptions): SingleTool<'todo_read'>
/** The tool `todo_write` alone. */
export declare function createTodoWriteTool(options: SingleToolOptions): SingleTool<'todo_write'>
/** The tool `web_fetch` alone. */
export declare function createWebFetchTool(options: SingleToolOptions): SingleTool<'web_fetch'>
/** The tool `web_search` alone. */
export declare function createWebSearchTool(options: SingleToolOptions): SingleTool<'web_search'>
/** The tool `write` alone. */
export declare function createWriteTool(options: SingleToolOptions): SingleTool<'write'>
