// The tools in the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk`).

import type { ApprovalRequest, Toolkit } from './index.js'

export { claudeAgents, type ClaudeAgentsOptions } from './agents.js'

/** What `canUseTool` returns. */
export type ClaudePermission =
  | { behavior: 'allow'; updatedInput?: Record<string, unknown> | undefined }
  | { behavior: 'deny'; message: string; interrupt?: boolean | undefined }

/** Asks the user about a call; `request` is missing for tools of others. Anything but `true` and a permission refuses the call. */
export type ClaudeAsk = (
  request: ApprovalRequest | undefined,
  call: { toolName: string; input: Record<string, unknown>; signal: AbortSignal; [fact: string]: any },
) => boolean | ClaudePermission | Promise<boolean | ClaudePermission>

/** Options of `toCanUseTool`. */
export interface CanUseToolOptions {
  /** The name of the server. Default: `tenon`. */
  name?: string | undefined
  /** Asks the user about calls that require approval. Default: they go to `onApproval` of the toolkit. */
  ask?: ClaudeAsk | undefined
}

/** Options of `toClaudeOptions`. */
export interface ClaudeOptions extends CanUseToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
}

/** Options of `toSdkMcpServer`. */
export interface ClaudeServerOptions {
  /** The name of the server. Default: `tenon`. */
  name?: string | undefined
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
  /** What the model is shown of the server. */
  instructions?: string | undefined
}

/** A server in this process, as `createSdkMcpServer` makes them. */
export interface ClaudeServer {
  type: 'sdk'
  /** The name of the server. */
  name: string
  /** The server itself. */
  instance: any
}

/** Asks what policy says to a call. */
export type ClaudeCanUseTool = (toolName: string, input: Record<string, unknown>, options: any) => Promise<any>

/**
 * Options of `query` that put the tools in the place of Claude Code's own: `query({ prompt, options: toClaudeOptions(toolkit) })`. With
 * the dialect `canonical` the model uses them by the names that it knows.
 */
export declare function toClaudeOptions(
  toolkit: Toolkit<any>,
  options?: ClaudeOptions,
): {
  /** The workspace, where it is on this machine. */
  cwd?: string
  /** None: settings and hooks in files are not those of the toolkit. Name `'project'` and the like behind the options to load them. */
  settingSources: []
  mcpServers: Record<string, ClaudeServer>
  tools: string[]
  toolAliases: Record<string, string>
  canUseTool: ClaudeCanUseTool
}

/** A server for `mcpServers`. */
export declare function toSdkMcpServer(toolkit: Toolkit<any>, options?: ClaudeServerOptions): ClaudeServer

/** A function for `canUseTool`: what policy allows and denies is decided, the rest goes to `ask`. */
export declare function toCanUseTool(toolkit: Toolkit<any>, options?: CanUseToolOptions): ClaudeCanUseTool
