// The tools in the OpenAI Agents SDK (`@openai/agents`).

// @ts-ignore: an optional peer
import type { FunctionTool, HostedTool } from '@openai/agents'

import type { AgentToolResult, Toolkit, ToolkitOptions } from './index.js'

/** Options of `toAgentsTools`. */
export interface AgentsToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
  /** Whether schemas are for strict mode: every property required, optional ones nullable. Default: false. */
  strict?: boolean | undefined
  /**
   * Whether the tools are only loaded when the model searches for them. `'searched'`: those of MCP servers that `find_tools` would find, with
   * the search of the provider in place of `find_tools` and `use_tool`. Default: false.
   */
  deferLoading?: boolean | 'searched' | undefined
  /**
   * Whether calls that require approval interrupt the run. The SDK then also interrupts it for arguments that are not JSON. `false`: such
   * calls go to `onApproval` of the toolkit. Default: true.
   */
  needsApproval?: boolean | undefined
  /** Gets partial results. */
  onUpdate?: ((update: { tool: string; toolCallId?: string; partial: AgentToolResult<any> }) => void) | undefined
}

/**
 * The tools for `tools` of an `Agent`. A call that requires approval interrupts the run; approved, it runs once, if it still does
 * what was shown.
 */
export declare function toAgentsTools(
  toolkit: Toolkit<any>,
  options: AgentsToolOptions & { deferLoading: 'searched' },
): (FunctionTool<any, any, any> | HostedTool)[]
export declare function toAgentsTools(toolkit: Toolkit<any>, options?: AgentsToolOptions): FunctionTool<any, any, any>[]

/** The outcome of one command. */
export type AgentsShellOutput = {
  stdout: string
  stderr: string
  outcome: { type: 'exit'; exitCode: number | null } | { type: 'timeout' }
}

/** The commands of OpenAI's `shell`, for `shellTool(toShell(toolkit))`. The SDK gives its shells no signal: `signal` stops what runs. */
export declare function toShell(
  toolkit: Toolkit<any>,
  options?: { signal?: AbortSignal | undefined },
): {
  environment: { type: 'local' }
  shell: {
    run(action: {
      commands: string[]
      timeoutMs?: number | undefined
      maxOutputLength?: number | undefined
    }): Promise<{ output: AgentsShellOutput[]; maxOutputLength?: number }>
  }
  needsApproval: (context: any, action: any) => Promise<boolean>
}

/** What became of a change. */
type EditorResult = { status: 'completed' | 'failed'; output: string }

/** The changes of OpenAI's `apply_patch`, for `applyPatchTool(toEditor(toolkit))`. */
export declare function toEditor(toolkit: Toolkit<any>): {
  editor: {
    createFile(operation: { type: 'create_file'; path: string; diff: string }): Promise<EditorResult>
    updateFile(operation: { type: 'update_file'; path: string; diff: string }): Promise<EditorResult>
    deleteFile(operation: { type: 'delete_file'; path: string }): Promise<EditorResult>
  }
  needsApproval: (context: any, operation: any) => Promise<boolean>
}

/**
 * A client of sandboxes for a `SandboxAgent`: `run(agent, input, { sandbox: { client: sandboxClient(options) } })`. Each session is a toolkit
 * with these options, whose workspace may be elsewhere; files, commands and patches go through its policy, approvals to its `onApproval`. The
 * root of the manifest is the workspace; entries of the kinds `file` and `dir` are put there.
 */
export declare function sandboxClient(options: ToolkitOptions<any>): any
