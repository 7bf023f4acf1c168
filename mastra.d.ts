// The tools in Mastra (`@mastra/core`).

import type { AgentToolResult, Toolkit } from './index.js'

/** Options of `toMastraTools`. */
export interface MastraToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
  /** Whether partial results are written to the stream, as `data-tenon-progress`. Default: true. */
  progress?: boolean | undefined
}

/** A tool of an agent. */
export interface MastraTool {
  /** The name by which models call it. */
  id: string
  /** What a user sees. */
  title: string
  /** What the model reads. */
  description: string
  /** JSON Schema of the parameters. */
  inputSchema: any
  /** Whether a call with this input suspends the run. */
  requireApproval: (input: any) => boolean
  /** Runs the tool. */
  execute: (input: any, context: any) => Promise<AgentToolResult<any>>
  /** What the model sees of a result. */
  toModelOutput: (output: any) => any
}

/**
 * The tools for `tools` of an `Agent`. A call that requires approval suspends the run; approved, it runs once, if it still does what
 * was shown.
 */
export declare function toMastraTools(toolkit: Toolkit<any>, options?: MastraToolOptions): Record<string, MastraTool>

/**
 * A toolkit, here or elsewhere, as the workspace of an agent: `new Workspace(toWorkspace(toolkit))`. Files, commands and processes go through
 * its policy; `/` is the workspace. Both streams of a command are in `stdout`. Times of files are not known, so `expectedMtime` is not
 * compared: a file that was changed meanwhile is noticed by tenon itself. `id`: of its parts; default: a new one.
 */
export declare function toWorkspace(toolkit: Toolkit<any>, options?: { id?: string | undefined }): { filesystem: any; sandbox: any }
