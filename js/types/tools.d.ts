/** What a tool of the host does, as policy judges it. `unknown` is what nothing else is said of. */
export type EffectKind = 'observe' | 'mutate' | 'execute' | 'network' | 'converse' | 'unknown'

/**
 * What a tool of the host does, and which of its parameters name what it touches (a text or a list of texts each).
 * Rules then judge these as they judge those of every other tool, and paths stay inside the workspace.
 */
export interface ToolEffects {
  /** Default: the strongest of what the lists say. */
  kind?: EffectKind | undefined
  /** Parameters that name files or directories whose content is looked at. */
  reads?: string[] | undefined
  /** Parameters that name files that are created or changed. */
  writes?: string[] | undefined
  /** Parameters that name files that are removed. */
  deletes?: string[] | undefined
  /** Parameters that hold command lines for a shell. */
  commands?: string[] | undefined
  /** Parameters that hold addresses that are connected to. */
  hosts?: string[] | undefined
}

/**
 * The schema of a tool's parameters: JSON Schema (draft 7 or 2020-12), TypeBox, Zod 3 or 4, any other Standard Schema,
 * or what `jsonSchema()` of the AI SDK makes. What brings a check of its own is checked by that.
 */
export type ToolSchema = object

/** What is common to all tools that a host registers. */
export interface CustomToolFields {
  /** 1 to 64 letters, digits, `_` and `-`; no digit or `-` first. */
  name: string
  /** What the model reads. */
  description?: string | undefined
  /** What a user sees. Default: the name. */
  label?: string | undefined
  /** Default: `utility`. */
  category?: ToolCategory | undefined
  /** What exposure lists know it by, without `group:`. Default: `foreign`. */
  group?: string | undefined
  /** Hints about what it does. Default: those that follow from `effects`. */
  annotations?: Partial<ToolAnnotations> | undefined
  /** More about the tool, for the host itself. */
  metadata?: Record<string, unknown> | undefined
  /** What MCP clients get of the tool beside its definition. */
  _meta?: Record<string, unknown> | undefined
  /** Whether calls of one batch may run side by side. Default: `parallel`. */
  executionMode?: 'parallel' | 'sequential' | undefined
  /** Whether a call may be repeated when its outcome is unknown after a crash. Default: `safe` for a tool that only looks (`observe`, `network`), else `never`. */
  replay?: 'safe' | 'never' | undefined
  /**
   * What it does. Default: `unknown`, unless `annotations.readOnlyHint` says that it only looks. Where its name means an
   * operation (`bash`, `read`, `write`, `fetch`), rules then hold for what its parameters `command`, `path`, `url` and the like say.
   */
  effects?: EffectKind | ToolEffects | undefined
  /** Longest time of one call in milliseconds. Default: that of every call. */
  timeoutMs?: number | undefined
  /** Where its results come from. Default: `network` for a tool whose effect is `network`. */
  resultContentSource?: 'network' | 'mcp' | undefined
  /** What models read of the parameters, for schemas that cannot say it themselves. */
  jsonSchema?: object | undefined
  /**
   * Words the question before a call, or demands one where policy asks nothing. What policy denies stays denied, and what
   * it asks about is asked, whatever this returns. `toolkit.approvalRequest` and `decide` take what it returns at once.
   */
  approvalRequest?(params: any): OwnApprovalRequest | Promise<OwnApprovalRequest>
}

/** What a function of the host receives about the call that it serves. */
export interface CustomToolContext {
  /** The host's id of the call. */
  toolCallId: string
  /** Aborted when the call is stopped: by its caller, by its time limit, by closing. */
  signal: AbortSignal
  /** Shows a partial result: a text, an `AgentToolResult` or any other value. */
  onUpdate(partial: unknown): void
  /**
   * The files and commands of the workspace, wherever it is. What the tool does there are calls of the toolkit: rules hold, approvals are asked.
   * Not for a file that `effects` names as written: the call holds it.
   */
  readonly workspace: ToolWorkspace
}

/** The workspace as tools of the host work in it; `toSandboxSession` of `tenon/ai-sdk` has the same. Relative paths are those of the workspace. */
export interface ToolWorkspace {
  /** The bytes of a file; `null` where there is none. */
  readBinaryFile(options: { path: string }): Promise<Uint8Array | null>
  /** The text of a file, or these lines of it (from 1, the last one included); `null` where there is none. */
  readTextFile(options: { path: string; encoding?: string | undefined; startLine?: number | undefined; endLine?: number | undefined }): Promise<string | null>
  /** Writes a whole file, and the directories above it. */
  writeBinaryFile(options: { path: string; content: Uint8Array }): Promise<void>
  /** The same with a text. Default of `encoding`: UTF-8. */
  writeTextFile(options: { path: string; content: string; encoding?: string | undefined }): Promise<void>
  /** What is there, and its size in bytes; `null` where nothing is. */
  stat(options: { path: string }): Promise<{ type: 'file' | 'directory' | 'other'; size: number } | null>
  /** The entries of a directory; `null` where there is none. */
  listDirectory(options: { path: string }): Promise<{ name: string; type: 'file' | 'directory' | 'symlink' | 'other' }[] | null>
  /** Removes a file; whether there was one. */
  deleteFile(options: { path: string }): Promise<boolean>
  /** Both streams are in `stdout`, in the order in which they were written. */
  run(options: {
    command: string
    workingDirectory?: string | undefined
    env?: Record<string, string> | undefined
  }): Promise<{ exitCode: number; stdout: string; stderr: string }>
}

/**
 * The parameters that a function gets: those of the schema where it brings a type (Zod, Valibot and other Standard
 * Schemas, TypeBox, raw shapes of Zod), else anything.
 */
export type ParamsOf<S> = S extends { '~standard': { types?: infer Types } }
  ? NonNullable<Types> extends { output: infer Output }
    ? Output
    : any
  : S extends { static: infer Static }
    ? Static
    : S extends { _output: infer Output }
      ? Output
      : S extends Record<string, { _output: unknown } | { '~standard': unknown }>
        ? ShapeOf<S>
        : any

/** What a schema of Zod yields. */
type OutputOf<S> = S extends { _output: infer Output } ? Output : any
/** The names of those that may be missing. */
type OptionalOf<S> = { [K in keyof S]: undefined extends OutputOf<S[K]> ? K : never }[keyof S]
/** The parameters of a raw shape of Zod. */
type ShapeOf<S> = { [K in Exclude<keyof S, OptionalOf<S>>]: OutputOf<S[K]> } & { [K in OptionalOf<S>]?: OutputOf<S[K]> }

/**
 * A tool of the host in one of three forms: an AgentTool, `{parameters, handler(params)}`, or
 * `{inputSchema, execute(input)}`. It may return a string, an AgentToolResult (or the result of an MCP tool), or anything
 * else, which the model reads as JSON; an asynchronous generator returns what it yields last, and streams the rest.
 */
export type CustomTool<S extends ToolSchema = any> = CustomAgentTool<S> | CustomHandlerTool<S> | CustomInputTool<S>

/** A tool of the host as agents have them. */
export interface CustomAgentTool<S extends ToolSchema = any> extends CustomToolFields {
  /** The schema of its parameters. Default: none. */
  parameters?: S | undefined
  /** Not in this form. */
  inputSchema?: undefined
  /** Runs the tool. What it throws is reported to the model. */
  execute(toolCallId: string, params: ParamsOf<S>, signal?: AbortSignal, onUpdate?: (partial: any) => void): unknown
  /** Repairs raw arguments before they are checked. */
  prepareArguments?(args: unknown): unknown
}

/** A tool of the host as tool managers have them. */
export interface CustomHandlerTool<S extends ToolSchema = any> extends CustomToolFields {
  /** The schema of its parameters. Default: none. */
  parameters?: S | undefined
  /** Runs the tool. What it throws is reported to the model. */
  handler(params: ParamsOf<S>, context: CustomToolContext): unknown
}

/** A tool of the host as the AI SDK and MCP servers have them. */
export interface CustomInputTool<S extends ToolSchema = any> extends CustomToolFields {
  /** The schema of its parameters. */
  inputSchema: S
  /** Runs the tool. What it throws is reported to the model. */
  execute(input: ParamsOf<S>, context: CustomToolContext & { abortSignal: AbortSignal }): unknown
}

/** How a client tool is registered. */
export interface ClientToolOptions {
  /** Whether a call waits for `resolveClientTool`; else it is answered at once as pending. Default: false. */
  wait?: boolean | undefined
  /** Longest time of one call in milliseconds, where it waits. Default: that of every call. */
  timeoutMs?: number | undefined
  /** Called for each call that passed validation and policy. */
  onCall?(call: { tool: string; toolCallId: string; params: any }): unknown
  /** Default: `converse`. */
  effects?: EffectKind | ToolEffects | undefined
}

/** A tool that a client runs, as `{function}` of OpenAI. */
export interface ClientTool {
  /** As OpenAI has it. */
  type?: 'function' | undefined
  /** What the model reads. */
  function: { name: string; description?: string | undefined; parameters?: ToolSchema | undefined }
  /** Whether a call waits for `resolveClientTool`. Default: false. */
  wait?: boolean | undefined
}

/** A client tool as a host registers it that keeps its own list; see `toClientToolDefinitions`. */
export interface ClientToolDefinition {
  /** The name by which models call it. */
  name: string
  /** What a user sees. */
  label: string
  /** What the model reads. */
  description: string
  /** JSON Schema of the parameters. */
  parameters: any
  /** Returns `{status: 'pending', tool, message}` at once. */
  execute(toolCallId: string, params: any, ...rest: unknown[]): Promise<AgentToolResult<{ status: 'pending'; tool: string; message: string }>>
}

/**
 * How model providers and protocols take tools. `openai-strict` requires every property and makes optional ones nullable; `gemini-json-schema` is
 * `parametersJsonSchema`. What cannot be said to a provider is asked for as JSON text, which calls read as such.
 */
export type DefinitionFormat = 'json-schema' | 'openai' | 'openai-strict' | 'anthropic' | 'anthropic-strict' | 'gemini' | 'gemini-json-schema' | 'mcp'

/** A tool as tool managers register it; its handler returns the details. */
export interface ManagedTool {
  /** The name by which models call it. */
  name: string
  /** What the model reads. */
  description: string
  /** Where registries file it. */
  category: ToolCategory
  /** JSON Schema of the parameters. */
  parameters: ParametersSchema
  /** The operation behind it, and examples. */
  metadata: Record<string, unknown>
  /** Runs the tool and resolves with its details. @throws {ToolError} */
  handler(params: any, context?: { toolCallId?: string | undefined; signal?: AbortSignal | undefined }): Promise<any>
}

/** A tool as registries of texts take it; it returns what the model sees. */
export interface RegistryTool {
  /** The name by which models call it. */
  name: string
  /** What the model reads. */
  description: string
  /** JSON Schema of the parameters. */
  inputSchema: ParametersSchema
  /** Runs the tool and resolves with the text for the model. @throws {ToolError} */
  execute(input: any, context?: { toolCallId?: string | undefined; signal?: AbortSignal | undefined; abortSignal?: AbortSignal | undefined }): Promise<string>
}

/** A part of the content of a `tools/result`. */
export type ToolUseContent =
  | { type: 'text'; text: string /** In the part of an error. */; isError?: true }
  | { type: 'image'; source: { type: 'base64'; mediaType: string; data: string } }
  | { type: 'diff'; path: string; diff: string }

/** How requests with an `id` are answered: by a message `tools/result` with that id, or by a response of JSON-RPC. */
export type ToolUseWire = 'tools/result' | 'jsonrpc'

/** How a `tools/use` is served. */
export interface ToolUseOptions {
  /** Default: `tools/result`. */
  wire?: ToolUseWire | undefined
}

/** The result of a `tools/use`. */
export interface ToolUseResult {
  /** That of the request. */
  sessionId: string
  /** That of the request. */
  toolCallId: string
  /** For the model. */
  content: ToolUseContent[]
  /** Whether the call failed. */
  isError: boolean
}

/** A tool as model providers take it. */
export interface ToolDeclaration {
  /** The name by which models call it. */
  name: string
  /** What the model reads. */
  description: string
  /** A copy: plain JSON Schema. */
  inputSchema: ParametersSchema
}

/** A tool for hosts that want a result where `execute` would reject; see `toToolDefinitions`. */
export interface ToolDefinition extends Omit<AgentTool, 'execute'> {
  /** Runs the tool. Rejects only when the signal is aborted. */
  execute(toolCallId: string, params: any, onUpdate?: UpdateListener, context?: unknown, signal?: AbortSignal): Promise<AgentToolResult<any>>
}
