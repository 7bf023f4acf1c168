// The tools in the AI SDK (`ai`), versions 5 to 7.

import type { ToolSet } from 'ai' with { 'resolution-mode': 'import' }

import type { MemoryToolOptions } from './anthropic.js'
import type { AgentTool, AgentToolResult, Toolkit } from './index.js'

export { aiAgents, type AIAgentsOptions } from './agents.js'

/** Options of `toAISDKTools`. */
export interface AISDKToolOptions {
  /** The major version of `ai`, which decides how schemas and images are sent to the model. Default: that of the installed package. */
  version?: number | undefined
  /** Whether a call yields partial results while it runs, for streams of a user interface. Default: true. */
  progress?: boolean | undefined
  /**
   * Version 6: whether a call that requires approval needs one of the AI SDK; in version 7 use `toolApproval`. What its user
   * approved runs without another question, if it still does what was shown. Default: false.
   */
  needsApproval?: boolean | undefined
  /**
   * Version 7: whether tools are only exposed when `toolSearch` finds them. `'searched'`: those of MCP servers that `find_tools` would find,
   * which is left out then, with `use_tool`. Default: false.
   */
  deferLoading?: boolean | 'searched' | undefined
}

/**
 * The tools as the AI SDK takes them: for `tools` of `generateText`, `streamText` and its agents. The model gets text and images;
 * the output of a call is the whole result with its details. A call that fails is a tool error whose message is written for the model.
 */
export declare function toAISDKTools(source: Toolkit<any> | readonly AgentTool[], options?: AISDKToolOptions): ToolSet

/** What policy says to a call, in the words of the AI SDK. */
export type ToolApprovalStatus = { type: 'approved' | 'denied' | 'user-approval'; reason: string } | undefined

/** A function for the option `toolApproval` of `generateText` and `streamText`. */
export type ToolApproval = (options: {
  toolCall: { toolName: string; toolCallId?: string | undefined; input: unknown }
  tools?: Record<string, any> | undefined
  messages?: readonly unknown[] | undefined
}) => Promise<ToolApprovalStatus>

/**
 * Version 7: what policy says to each call before it runs. Where it asks, the AI SDK asks its user. What the
 * user approved runs without another question, if it still does what was shown. What policy denies is denied there, too. Other tools keep
 * their own `needsApproval`.
 */
export declare function toolApproval(toolkit: Toolkit<any>): ToolApproval

/** Options of `toNativeTools`. */
export interface NativeToolOptions {
  /** The directory of `memory`, and what holds for it. */
  memory?: MemoryToolOptions | undefined
  /** Whether `bash` begins where the last command ended. Default: `cwd+env` where the toolkit has the option `exec: { state: 'cwd+env' }`. */
  state?: 'cwd+env' | 'none' | undefined
  /** The major version of `ai`, as in `toAISDKTools`. */
  version?: number | undefined
}

/** What runs a tool of a provider, for the function of the provider that makes the tool. */
export interface NativeTool<Input, Output> {
  /** Runs it. Failures are texts for the model. */
  execute(input: Input, options: { toolCallId: string; abortSignal?: AbortSignal | undefined }): Promise<Output>
}

/** A tool of Anthropic: its output is a result of the toolkit, its failure an error that is written for the model. */
export interface AnthropicNativeTool<Input> extends NativeTool<Input, AgentToolResult>, NeedsApproval<Input> {
  /** What the model sees of a result. */
  toModelOutput(options: { output: AgentToolResult }): any
}

/** A tool that the AI SDK asks its user about where policy asks. */
interface NeedsApproval<Input> {
  needsApproval(input: Input, options: { toolCallId: string }): Promise<boolean>
}

/** The tools that models were trained on, each for its function in `@ai-sdk/anthropic` or `@ai-sdk/openai`. */
export interface NativeTools {
  /** For `anthropic.tools.bash_20250124`. */
  readonly bash: AnthropicNativeTool<{ command: string; restart?: boolean | undefined }>
  /** For `anthropic.tools.textEditor_20250728`. */
  readonly textEditor: AnthropicNativeTool<any>
  /** For `anthropic.tools.memory_20250818`; needs the option `memory`. */
  readonly memory: AnthropicNativeTool<any> & { close(): void }
  /** For `openai.tools.shell`. */
  readonly shell: NativeTool<
    { action: { commands: string[]; timeoutMs?: number | undefined; maxOutputLength?: number | undefined } },
    { maxOutputLength?: number; output: { stdout: string; stderr: string; outcome: { type: 'timeout' } | { type: 'exit'; exitCode: number } }[] }
  > &
    NeedsApproval<any>
  /** For `openai.tools.applyPatch`. */
  readonly applyPatch: NativeTool<{ callId: string; operation: any }, { status: 'completed' | 'failed'; output?: string }> & NeedsApproval<any>
  /** For `openai.tools.localShell`. */
  readonly localShell: NativeTool<
    {
      action: {
        type: 'exec'
        command: string[]
        timeoutMs?: number | undefined
        user?: string | undefined
        workingDirectory?: string | undefined
        env?: Record<string, string> | undefined
      }
    },
    { output: string }
  > &
    NeedsApproval<any>
}

/**
 * The tools of providers that models were trained on, under the policy of the toolkit: `anthropic.tools.bash_20250124(toNativeTools(toolkit).bash)`,
 * `openai.tools.shell(toNativeTools(toolkit).shell)`. Where policy asks about a call, the AI SDK asks its user, once for all that the call does. They work
 * with a toolkit of any dialect.
 */
export declare function toNativeTools(toolkit: Toolkit<any>, options?: NativeToolOptions): NativeTools

/** What a sandbox of the AI SDK does; its type of version 7 is `Experimental_SandboxSession`. */
export interface SandboxSession {
  /** What a model reads about it. */
  readonly description: string
  /** The bytes of a file as a stream; `null` where there is none. */
  readFile(options: { path: string; abortSignal?: AbortSignal | undefined }): Promise<ReadableStream<Uint8Array> | null>
  /** The bytes of a file; `null` where there is none. */
  readBinaryFile(options: { path: string; abortSignal?: AbortSignal | undefined }): Promise<Uint8Array | null>
  /** The text of a file, or these lines of it; `null` where there is none. */
  readTextFile(options: {
    path: string
    abortSignal?: AbortSignal | undefined
    encoding?: string | undefined
    startLine?: number | undefined
    endLine?: number | undefined
  }): Promise<string | null>
  /** Writes a whole file from a stream. */
  writeFile(options: { path: string; content: ReadableStream<Uint8Array>; abortSignal?: AbortSignal | undefined }): Promise<void>
  /** Writes a whole file. */
  writeBinaryFile(options: { path: string; content: Uint8Array; abortSignal?: AbortSignal | undefined }): Promise<void>
  /** Writes a whole file of text. */
  writeTextFile(options: { path: string; content: string; encoding?: string | undefined; abortSignal?: AbortSignal | undefined }): Promise<void>
  /** What is there, and its size in bytes; `null` where nothing is. */
  stat(options: { path: string; abortSignal?: AbortSignal | undefined }): Promise<{ type: 'file' | 'directory' | 'other'; size: number } | null>
  /** The entries of a directory; `null` where there is none. */
  listDirectory(options: {
    path: string
    abortSignal?: AbortSignal | undefined
  }): Promise<{ name: string; type: 'file' | 'directory' | 'symlink' | 'other' }[] | null>
  /** Removes a file. */
  deleteFile(options: { path: string; abortSignal?: AbortSignal | undefined }): Promise<boolean>
  /** Starts a command and returns its streams. */
  spawn: {
    (options: SandboxCommand & { stdin: true }): Promise<SandboxProcess & { readonly stdin: WritableStream<Uint8Array> }>
    (options: SandboxCommand & { stdin?: false | undefined }): Promise<SandboxProcess>
    (options: SandboxCommand & { stdin?: boolean | undefined }): Promise<SandboxProcess>
  }
  /** Runs a command and waits for its end. Both streams are in `stdout`. */
  run(options: SandboxCommand): Promise<{ exitCode: number; stdout: string; stderr: string }>
}

/** A command of a sandbox. */
export interface SandboxCommand {
  /** The text, for the shell of the toolkit. */
  command: string
  /** Default: the workspace. */
  workingDirectory?: string | undefined
  /** Variables that are added. */
  env?: Record<string, string> | undefined
  /** Aborting it kills the command. */
  abortSignal?: AbortSignal | undefined
}

/** A command that runs in a sandbox. */
export interface SandboxProcess {
  /** Its process id, where it is on this machine. */
  readonly pid?: number
  /** What it writes, both streams in one. */
  readonly stdout: ReadableStream<Uint8Array>
  /** Always empty. */
  readonly stderr: ReadableStream<Uint8Array>
  /** Resolves when it has ended. */
  wait(): Promise<{ exitCode: number }>
  /** Kills it with all its processes. */
  kill(): Promise<void>
}

/**
 * Version 7: a toolkit, here or elsewhere, as the sandbox of the AI SDK (`experimental_sandbox`). Files and commands go through its policy, as
 * calls of `read`, `write`, `ls`, `apply_patch` and `exec`; what is denied rejects with the reason. Both streams of a command are in `stdout`.
 * `description`: what a model reads about it.
 */
export declare function toSandboxSession(toolkit: Toolkit<any>, options?: { description?: string | undefined }): SandboxSession
