// The tools in LlamaIndex.TS (`llamaindex`).

import type { AgentToolResult, Toolkit } from './index.js'

/** Options of `toLlamaIndexTools`. */
export interface LlamaIndexToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
  /** LlamaIndex gives its tools no signal. */
  signal?: AbortSignal | undefined
  /** Gets partial results. */
  onUpdate?: ((update: { tool: string; partial: AgentToolResult<any> }) => void) | undefined
}

/** A tool of an agent. */
export interface LlamaIndexTool {
  /** What the model reads. */
  metadata: { name: string; description: string; parameters: any }
  /** Runs the tool and resolves with its text. */
  call: (input: any) => Promise<string>
}

/** The tools for `tools` of `agent()` and of chats. They return text; an image is named. */
export declare function toLlamaIndexTools(toolkit: Toolkit<any>, options?: LlamaIndexToolOptions): LlamaIndexTool[]
