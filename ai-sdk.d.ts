// The tools in the AI SDK (`ai`), versions 6 and 7.

import type { ToolSet } from 'ai'

import type { AgentTool, Toolkit } from './index.js'

export { aiAgents, type AIAgentsOptions } from './agents.js'

export interface AISDKToolOptions {
  /** The major version of `ai`, which decides how images are sent to the model. Default: that of the installed package. */
  version?: number
  /** Whether a call yields partial results while it runs, for streams of a user interface. Default: true. */
  progress?: boolean
  /**
   * Version 6: whether a call that requires approval needs one of the AI SDK; in version 7 use `toolApproval`. What its user
   * approved runs without another question, if it still does what was shown. Default: false.
   */
  needsApproval?: boolean
  /**
   * Version 7: whether tools are only exposed when `toolSearch` finds them. `'searched'`: those of MCP servers that `find_tools` would find,
   * which is left out then, with `use_tool`. Default: false.
   */
  deferLoading?: boolean | 'searched'
}

/**
 * The tools as the AI SDK takes them: for `tools` of `generateText`, `streamText` and its agents. The model gets text and images;
 * the output of a call is the whole result with its details. A call that fails is a tool error whose message is written for the model.
 */
export declare function toAISDKTools(source: Toolkit<any> | readonly AgentTool[], options?: AISDKToolOptions): ToolSet

/** What policy says to a call, in the words of the AI SDK. */
export type ToolApprovalStatus = { type: 'approved' | 'denied' | 'user-approval'; reason: string } | undefined

/** A function for the option `toolApproval` of `generateText` and `streamText`. */
export type ToolApproval = (options: { toolCall: { toolName: string; toolCallId?: string; input: unknown } }) => ToolApprovalStatus

/**
 * Version 7: what policy says to each call before it runs. Where it asks, the AI SDK asks its user. What the
 * user approved runs without another question, if it still does what was shown. What policy denies is denied there, too.
 */
export declare function toolApproval(toolkit: Toolkit<any>): ToolApproval

/** What a sandbox of the AI SDK does; its type of version 7 is `Experimental_SandboxSession`. */
export interface SandboxSession {
  readonly description: string
  readFile(options: { path: string; abortSignal?: AbortSignal }): Promise<ReadableStream<Uint8Array> | null>
  readBinaryFile(options: { path: string; abortSignal?: AbortSignal }): Promise<Uint8Array | null>
  readTextFile(options: { path: string; abortSignal?: AbortSignal; encoding?: string; startLine?: number; endLine?: number }): Promise<string | null>
  writeFile(options: { path: string; content: ReadableStream<Uint8Array>; abortSignal?: AbortSignal }): Promise<void>
  writeBinaryFile(options: { path: string; content: Uint8Array; abortSignal?: AbortSignal }): Promise<void>
  writeTextFile(options: { path: string; content: string; encoding?: string; abortSignal?: AbortSignal }): Promise<void>
  stat(options: { path: string; abortSignal?: AbortSignal }): Promise<{ type: 'file' | 'directory' | 'other'; size: number } | null>
  listDirectory(options: { path: string; abortSignal?: AbortSignal }): Promise<{ name: string; type: 'file' | 'directory' | 'symlink' | 'other' }[] | null>
  deleteFile(options: { path: string; abortSignal?: AbortSignal }): Promise<boolean>
  spawn: {
    (options: SandboxCommand & { stdin: true }): Promise<SandboxProcess & { readonly stdin: WritableStream<Uint8Array> }>
    (options: SandboxCommand & { stdin?: false }): Promise<SandboxProcess>
    (options: SandboxCommand & { stdin?: boolean }): Promise<SandboxProcess>
  }
  run(options: SandboxCommand): Promise<{ exitCode: number; stdout: string; stderr: string }>
}

export interface SandboxCommand {
  command: string
  workingDirectory?: string
  env?: Record<string, string>
  abortSignal?: AbortSignal
}

export interface SandboxProcess {
  readonly pid?: number
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
  wait(): Promise<{ exitCode: number }>
  kill(): Promise<void>
}

/**
 * Version 7: a toolkit, here or elsewhere, as the sandbox of the AI SDK (`experimental_sandbox`). Files and commands go through its policy, as
 * calls of `read`, `write`, `ls`, `apply_patch` and `exec`; what is denied rejects with the reason. Both streams of a command are in `stdout`.
 * `description`: what a model reads about it.
 */
export declare function toSandboxSession(toolkit: Toolkit<any>, options?: { description?: string }): SandboxSession
