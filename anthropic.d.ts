// The tools in the Anthropic SDK (`@anthropic-ai/sdk`): the Messages API, `toolRunner`, and the tools that Claude was trained on.

import type { AgentToolResult, ApprovalRequest, Toolkit, ToolkitOptions } from './index.js'

/** Options of `toAnthropicTools`. */
export interface AnthropicToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
  /** Strict tool use: the model can send nothing that does not fit. The API takes at most 20 such tools in a request. Default: false. */
  strict?: boolean | undefined
  /**
   * Whether the tools are only loaded when the model searches for them. `'searched'`: those of MCP servers that `find_tools` would find, with
   * the search of the provider in place of `find_tools` and `use_tool`. Default: false.
   */
  deferLoading?: boolean | 'searched' | undefined
}

/** A tool of the Messages API. */
export interface AnthropicTool {
  type: 'custom'
  name: string
  description: string
  /** JSON Schema of the parameters. */
  input_schema: { type: 'object'; [keyword: string]: unknown }
  /** With the option `strict`. */
  strict?: true
  /** With the option `deferLoading`. */
  defer_loading?: boolean
}

/** The search of the Messages API, which loads tools that are deferred. */
export interface AnthropicToolSearch {
  type: 'tool_search_tool_bm25_20251119'
  name: 'tool_search_tool_bm25'
}

/** The tools for `tools` of `messages.create`. */
export declare function toAnthropicTools(
  toolkit: Toolkit<any>,
  options: AnthropicToolOptions & { deferLoading: 'searched' },
): (AnthropicTool | AnthropicToolSearch)[]
export declare function toAnthropicTools(toolkit: Toolkit<any>, options?: AnthropicToolOptions): AnthropicTool[]

/** Options of `runToolUses`. */
export interface AnthropicCallOptions {
  /** Aborting it stops the calls. */
  signal?: AbortSignal | undefined
  /** Gets partial results. */
  onUpdate?: ((update: { tool: string; toolCallId: string; partial: AgentToolResult<any> }) => void) | undefined
  /**
   * What the user said to uses that require approval, by their ids: `false` refuses, `true` approves, a digest of
   * `pendingApprovals` approves exactly what was shown. Uses that are not here go to `onApproval` of the toolkit.
   */
  approvals?: Record<string, boolean | string> | undefined
}

/** The content of a result. */
export type AnthropicContent =
  | string
  | (
      | { type: 'text'; text: string }
      | { type: 'image'; source: { type: 'base64'; media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'; data: string } }
    )[]

/** A block that answers the use of a tool. */
export interface ToolResultBlock {
  type: 'tool_result'
  /** The use that it answers. */
  tool_use_id: string
  /** Text and images for the model. */
  content: AnthropicContent
  /** Whether the call failed. */
  is_error?: boolean
}

/**
 * Runs the tools that a message uses, side by side. Returns the blocks that answer them, in their order: the content of the
 * next message of the user. Uses of other tools are not answered.
 */
export declare function runToolUses(toolkit: Toolkit<any>, message: object, options?: AnthropicCallOptions): Promise<ToolResultBlock[]>

/** The uses in a message that require approval, as their user has to see them: for `approvals`. */
export declare function pendingApprovals(toolkit: Toolkit<any>, message: object): Promise<ApprovalRequest[]>

/** A tool as the runners of the SDK run it. */
export type RunnableTool<T extends object = AnthropicTool> = T & {
  parse: (input: unknown) => any
  run: (input: any, context?: any) => Promise<AnthropicContent>
  close?: () => void | Promise<void>
}

/** Options of `betaTools`. */
export interface BetaToolOptions extends AnthropicToolOptions {
  /** Gets partial results. */
  onUpdate?: ((update: { tool: string; toolCallId?: string; partial: AgentToolResult<any> }) => void) | undefined
}

/** The tools for `tools` of `beta.messages.toolRunner`. */
export declare function betaTools(toolkit: Toolkit<any>, options: BetaToolOptions & { deferLoading: 'searched' }): (RunnableTool | AnthropicToolSearch)[]
export declare function betaTools(toolkit: Toolkit<any>, options?: BetaToolOptions): RunnableTool[]

/** How commands of `bash` follow each other. */
export interface BashToolOptions {
  /**
   * `cwd+env`: a command begins where the last one ended, in its directory and with the variables that it exported. Each is a fresh
   * process, judged by itself. Needs a toolkit with `exec: { state: 'cwd+env' }`, and is the default there. Else `none`.
   */
  state?: 'cwd+env' | 'none' | undefined
}

/** `bash_20250124` over `exec`, one command after the other. */
export declare function bashTool(toolkit: Toolkit<any>, options?: BashToolOptions): RunnableTool<{ type: 'bash_20250124'; name: 'bash' }>

/** Options of `textEditorTool`. */
export interface TextEditorToolOptions {
  /** Most characters of a file that `view` shows. Default: no limit. */
  maxCharacters?: number | undefined
}

/** `text_editor_20250728` over `read`, `ls`, `write` and `edit`. */
export declare function textEditorTool(
  toolkit: Toolkit<any>,
  options?: TextEditorToolOptions,
): RunnableTool<{ type: 'text_editor_20250728'; name: 'str_replace_based_edit_tool'; max_characters?: number }>

/** Options of `memoryTool`. */
export interface MemoryToolOptions extends Pick<ToolkitOptions, 'permissions' | 'onApproval'> {
  /** The directory that is `/memories` for the model. It is created when it is needed, for its owner only. */
  dir: string
}

/** `memory_20250818`, confined to one directory. */
export declare function memoryTool(options: MemoryToolOptions): RunnableTool<{ type: 'memory_20250818'; name: 'memory' }>

/**
 * `agent_toolset_20260401`: `bash`, `read`, `write`, `edit`, `glob` and `grep`, for tool runners and for `EnvironmentWorker`, whose
 * `ctx.workdir` is then the workspace of the toolkit.
 */
export declare function agentToolset(toolkit: Toolkit<any>, options?: BashToolOptions): RunnableTool[]
