// The tools in LangChain (`@langchain/core`, `langchain`).

import type { DynamicStructuredTool } from '@langchain/core/tools'

import type { MemoryToolOptions } from './anthropic.js'
import type { Toolkit } from './index.js'

/** Options of `toLangChainTools`. */
export interface LangChainToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
}

/**
 * The tools for `tools` of `createAgent`, `bindTools` and `ToolNode`. A call is answered with a message: text and images,
 * `artifact` with the details, `status: 'error'` where it failed. Partial results are written to the stream mode `custom`.
 */
export declare function toLangChainTools(toolkit: Toolkit<any>, options?: LangChainToolOptions): DynamicStructuredTool<any, any, any, any>[]

/** Options of `tenonMiddleware`. */
export interface MiddlewareOptions {
  /** What `toNativeTools` returned: calls of the tools that were made of it interrupt the graph, too. */
  native?: NativeTools | undefined
}

/**
 * Middleware of `createAgent`: a call that requires approval interrupts the graph in the form of LangChain's
 * `humanInTheLoopMiddleware`, with the `approvalRequest` of tenon, and is resumed with `{ decisions: [{ type: 'approve' }] }`, `edit` or
 * `reject`. What is approved runs once, if it still does what was shown. A call of a provider's tool that does several things has all of them
 * in `approvalRequests`.
 */
export declare function tenonMiddleware(
  toolkit: Toolkit<any>,
  options?: MiddlewareOptions,
): {
  name: string
  wrapToolCall: (request: any, handler: (request: any) => any) => Promise<any>
}

/** Options of `toNativeTools`. */
export interface NativeToolOptions {
  /** The directory of `memory`, and what holds for it. */
  memory?: MemoryToolOptions | undefined
  /** Whether `bash` begins where the last command ended. Default: `cwd+env` where the toolkit has the option `exec: { state: 'cwd+env' }`. */
  state?: 'cwd+env' | 'none' | undefined
}

/** The outcome of a command of OpenAI's `shell`. */
export interface ShellOutput {
  /** What it wrote, both streams in one. */
  stdout: string
  /** Why it did not run. */
  stderr: string
  /** How it ended. */
  outcome: { type: 'exit'; exit_code: number } | { type: 'timeout' }
}

/** The tools that models were trained on, each for its function in `tools` of `@langchain/anthropic` or `@langchain/openai`. */
export interface NativeTools {
  /** For `tools.bash_20250124`. */
  readonly bash: { execute(input: { command?: string | undefined; restart?: boolean | undefined }): Promise<string> }
  /** For `tools.textEditor_20250728`. */
  readonly textEditor: { execute(input: any): Promise<string> }
  /** For `tools.memory_20250818`; needs the option `memory`. */
  readonly memory: { execute(input: any): Promise<string>; close(): void }
  /** For `tools.shell`. */
  readonly shell: {
    execute(action: {
      commands: string[]
      timeout_ms?: number | null | undefined
      max_output_length?: number | null | undefined
    }): Promise<{ output: ShellOutput[]; maxOutputLength?: number | null | undefined }>
  }
  /** For `tools.applyPatch`. */
  readonly applyPatch: { execute(operation: any): Promise<string> }
  /** For `tools.localShell`. */
  readonly localShell: { execute(action: any): Promise<string> }
}

/**
 * The tools of providers that models were trained on, under the policy of the toolkit: `tools.bash_20250124(toNativeTools(toolkit).bash)`. Failures are
 * texts for the model; what requires approval interrupts the graph where `tenonMiddleware` is given them, and goes to `onApproval` without it. They work
 * with a toolkit of any dialect.
 */
export declare function toNativeTools(toolkit: Toolkit<any>, options?: NativeToolOptions): NativeTools

/** A file of a backend. */
export interface BackendFile {
  /** From `/`, which is the workspace. */
  path: string
  /** Whether it is a directory. */
  is_dir?: boolean
  /** In bytes. */
  size?: number
  /** Always missing: times of files are not known. */
  modified_at?: string
}

/** `SandboxBackendProtocolV2` of deepagents. A failure is a result with `error`. */
export interface ToolkitBackend {
  /** What deepagents knows it by. */
  readonly id: string
  /** The entries of a directory. */
  ls(path: string): Promise<{ error?: string; files?: BackendFile[] }>
  /** A page of a file: `limit` lines from `offset` on, which counts from 0. */
  read(
    path: string,
    offset?: number,
    limit?: number,
  ): Promise<{
    error?: string
    content?: string | Uint8Array
    mimeType?: string
    totalLines?: number
    startLine?: number
    endLine?: number
    nextOffset?: number
  }>
  /** The whole content of a file. */
  readRaw(path: string): Promise<{ error?: string; data?: { content: string | Uint8Array; mimeType: string; created_at: string; modified_at: string } }>
  /** Creates a file, or writes over it. */
  write(path: string, content: string): Promise<{ error?: string; path?: string; filesUpdate?: null }>
  /** Replaces a text that occurs once, or all of its occurrences. */
  edit(
    path: string,
    oldText: string,
    newText: string,
    replaceAll?: boolean,
  ): Promise<{ error?: string; path?: string; filesUpdate?: null; occurrences?: number }>
  /** Removes a file. */
  delete(path: string): Promise<{ error?: string; path?: string; filesUpdate?: null }>
  /** Lines that contain a text. */
  grep(
    pattern: string,
    path?: string | null,
    glob?: string | null,
    maxCount?: number | null,
  ): Promise<{ error?: string; matches?: { path: string; line: number; text: string }[]; truncated?: boolean }>
  /** Files whose names match a pattern. */
  glob(pattern: string, path?: string): Promise<{ error?: string; files?: BackendFile[]; truncated?: boolean }>
  /** Runs a command and waits for its end. */
  execute(command: string): Promise<{ output: string; exitCode: number | null; truncated: boolean }>
  /** Writes files, each by itself. */
  uploadFiles(files: [string, Uint8Array][]): Promise<{ path: string; error: BackendFileError | null }[]>
  /** The bytes of files, each by itself. */
  downloadFiles(paths: string[]): Promise<{ path: string; content: Uint8Array | null; error: BackendFileError | null }[]>
}

/** Why a file could not be taken up or handed out. */
export type BackendFileError = 'file_not_found' | 'permission_denied' | 'is_directory' | 'invalid_path'

/**
 * A toolkit, here or elsewhere, as the backend of `createDeepAgent`: files, searches and commands go through its policy. `/` is the workspace.
 * Times of files are not known. `id`: of the backend; default: a new one.
 */
export declare function toBackend(toolkit: Toolkit<any>, options?: { id?: string | undefined }): ToolkitBackend
