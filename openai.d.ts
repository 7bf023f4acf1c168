// The tools in the OpenAI SDK (`openai`): Chat Completions, `runTools` and the Responses API with its native tools.

import type { AgentToolResult, ApprovalRequest, Toolkit } from './index.js'

/** Options of `toOpenAITools`. */
export interface OpenAIToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
  /** Whether schemas are for strict mode: every property required, optional ones nullable. Default: false. */
  strict?: boolean | undefined
  /** Gets partial results of calls that `runTools` runs. */
  onUpdate?: ((update: { tool: string; partial: AgentToolResult<any> }) => void) | undefined
}

/** A tool of Chat Completions with the function that `runTools` runs. */
export interface OpenAITool {
  type: 'function'
  /** What the model reads, and what `runTools` runs. */
  function: {
    name: string
    description: string
    parameters: { [keyword: string]: any }
    strict?: boolean
    parse: (text: string) => any
    function: (params: any, runner?: any) => Promise<string>
  }
}

/** The tools for `tools` of `chat.completions.create` and of `chat.completions.runTools`, which gets the texts of results. */
export declare function toOpenAITools(toolkit: Toolkit<any>, options?: OpenAIToolOptions): OpenAITool[]

/** Options of `toResponsesTools`. */
export interface ResponsesToolOptions extends Omit<OpenAIToolOptions, 'onUpdate' | 'strict'> {
  /**
   * Whether schemas are for strict mode: every property required, optional ones nullable. `'prefer'`: they are sent as they are, and the API uses
   * strict mode for those that allow it. Default: false.
   */
  strict?: boolean | 'prefer' | undefined
  /**
   * Whether the tools are only loaded when the model searches for them. `'searched'`: those of MCP servers that `find_tools` would find, with
   * the search of the provider in place of `find_tools` and `use_tool`. Default: false.
   */
  deferLoading?: boolean | 'searched' | undefined
  /** Tools that the model calls with a text in place of JSON: those that need one text only. `apply_patch` has the grammar of patches. */
  custom?: readonly string[] | undefined
}

/** A tool of the Responses API that is called with a text. */
export interface ResponsesCustomTool {
  type: 'custom'
  name: string
  description: string
  /** The grammar of its text, where it has one. */
  format?: { type: 'grammar'; syntax: 'lark'; definition: string }
  /** With the option `deferLoading`. */
  defer_loading?: boolean
}

/** A function tool of the Responses API. */
export interface ResponsesTool {
  type: 'function'
  name: string
  description: string
  /** JSON Schema of the parameters. */
  parameters: { [keyword: string]: unknown }
  /** `null`: the API decides, with `strict: 'prefer'`. */
  strict: boolean | null
  /** With the option `deferLoading`. */
  defer_loading?: boolean
}

/** The tools for `tools` of `responses.create`. */
export declare function toResponsesTools(
  toolkit: Toolkit<any>,
  options: ResponsesToolOptions & { deferLoading: 'searched' },
): (ResponsesTool | ResponsesCustomTool | { type: 'tool_search' })[]
export declare function toResponsesTools(
  toolkit: Toolkit<any>,
  options: ResponsesToolOptions & { custom: readonly string[] },
): (ResponsesTool | ResponsesCustomTool)[]
export declare function toResponsesTools(toolkit: Toolkit<any>, options?: ResponsesToolOptions): ResponsesTool[]

/** Options of `runChatCalls` and `runResponsesCalls`. */
export interface OpenAICallOptions {
  /** Aborting it stops the calls. */
  signal?: AbortSignal | undefined
  /** Gets partial results. */
  onUpdate?: ((update: { tool: string; toolCallId: string; partial: AgentToolResult<any> }) => void) | undefined
  /**
   * What the user said to calls that require approval, by their ids: `false` refuses, `true` approves, a digest of
   * `pendingApprovals` approves exactly what was shown. Calls that are not here go to `onApproval` of the toolkit.
   */
  approvals?: Record<string, boolean | string> | undefined
}

/** A message that answers a call, or shows its images. */
export type ChatAnswer =
  | { role: 'tool'; tool_call_id: string; content: string }
  | { role: 'user'; content: ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[] }

/**
 * Runs the tool calls of a message of Chat Completions. Returns the messages that answer them, in their order; images follow in
 * a message of the user. Calls of other tools are not answered.
 */
export declare function runChatCalls(toolkit: Toolkit<any>, message: object, options?: OpenAICallOptions): Promise<ChatAnswer[]>

/** Text and images for the model. */
type FunctionOutput = string | ({ type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' })[]
/** Who made the call: the model, or a program of it. */
type Caller = { type: 'direct' } | { type: 'program'; caller_id: string }

/** The outcome of one command of `shell`. Both streams are in `stdout`; `stderr` says why a command did not run. */
export interface ShellOutput {
  /** What it wrote, both streams in one. */
  stdout: string
  /** Why it did not run. */
  stderr: string
  /** How it ended. */
  outcome: { type: 'exit'; exit_code: number } | { type: 'timeout' }
}

/** An item that answers a call. */
export type ResponsesAnswer =
  | { type: 'function_call_output'; call_id: string; output: FunctionOutput; namespace?: string; caller?: Caller }
  | { type: 'custom_tool_call_output'; call_id: string; output: FunctionOutput; caller?: Caller }
  | { type: 'shell_call_output'; call_id: string; max_output_length?: number | null; output: ShellOutput[]; caller?: Caller }
  | { type: 'apply_patch_call_output'; call_id: string; status: 'completed' | 'failed'; output: string; caller?: Caller }
  | { type: 'local_shell_call_output'; id: string; output: string; status: 'completed' | 'incomplete' }

/**
 * Runs the calls in the output of a response, side by side: functions and custom tools of the toolkit, `shell`, `apply_patch` and `local_shell`.
 * Returns the items that answer them, in their order. Calls of other tools are not answered.
 */
export declare function runResponsesCalls(toolkit: Toolkit<any>, output: object, options?: OpenAICallOptions): Promise<ResponsesAnswer[]>

/** The calls of a message or a response that require approval, as their user has to see them: for `approvals`. */
export declare function pendingApprovals(toolkit: Toolkit<any>, output: object): Promise<ApprovalRequest[]>
