// The tools in the OpenAI Agents SDK (`@openai/agents`).

import type { AgentToolResult, Toolkit } from './index.js'

export interface AgentsToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[]
  /** Whether schemas are for strict mode: every property required, optional ones nullable. Default: false. */
  strict?: boolean
  /** Whether the tools are only loaded when the model searches for them. Default: false. */
  deferLoading?: boolean
  /** Gets partial results. */
  onUpdate?: (update: { tool: string; toolCallId?: string; partial: AgentToolResult<any> }) => void
}

/** A function tool of an agent. */
export interface AgentsTool {
  type: 'function'
  name: string
  description: string
  parameters: { type: 'object'; properties: Record<string, any>; required: string[]; additionalProperties: boolean }
  strict: boolean
  deferLoading?: boolean
  needsApproval: (context: any, input: any, callId?: string) => Promise<boolean>
  isEnabled: () => Promise<boolean>
  invoke: (context: any, input: string, details?: any) => Promise<any>
}

/**
 * The tools for `tools` of an `Agent`. A call that requires approval interrupts the run; approved, it runs once, if it still does
 * what was shown.
 */
export declare function toAgentsTools(toolkit: Toolkit<any>, options?: AgentsToolOptions): AgentsTool[]

/** What came of one command. */
export interface AgentsShellOutput {
  stdout: string
  stderr: string
  outcome: { type: 'exit'; exitCode: number | null } | { type: 'timeout' }
}

/** The commands of OpenAI's `shell`, for `shellTool(toShell(toolkit))`. */
export declare function toShell(toolkit: Toolkit<any>): {
  environment: { type: 'local' }
  shell: { run(action: { commands: string[]; timeoutMs?: number; maxOutputLength?: number }): Promise<{ output: AgentsShellOutput[]; maxOutputLength?: number }> }
  needsApproval: (context: any, action: any) => Promise<boolean>
}

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
