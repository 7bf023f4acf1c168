// The tools as a server of the Model Context Protocol, revisions 2026-07-28 and 2024-11-05 to 2025-11-25.

import type { ApprovalAnswer, ApprovalRequest, HostContext, McpForm, McpOptions, Toolkit, UserAnswers, UserQuestions } from './index.js'

export { mcpHttpHandler, serveMcp } from './index.js'
export type {
  McpCompleter,
  McpConnection,
  McpHttpHandler,
  McpHttpOptions,
  McpOptions,
  McpPrompt,
  McpPromptContent,
  McpPromptMessage,
  McpRequestContext,
  McpResource,
  McpResourceContent,
} from './index.js'

/** The parts of a host whose user is the one of the MCP client that calls. */
export interface McpHost {
  /** Shows the user what the call would do; they allow it once, always or never. A client that cannot ask is a refusal. */
  onApproval(request: ApprovalRequest, context: { signal: AbortSignal }): Promise<ApprovalAnswer>
  /** Members of the option `host`. */
  host: {
    /** Shows the user a form of a server that the toolkit itself is a client of (`mcpServers`). */
    elicit(request: McpForm, context: HostContext): Promise<{ action: 'accept'; content: Record<string, unknown> } | { action: 'decline' | 'cancel' }>
    /** Shows the user a form. */
    askUser(request: UserQuestions, context: HostContext): Promise<{ answers: UserAnswers } | null>
  }
}

/**
 * For the options of a toolkit that is served over MCP: `new Toolkit({ workspace, ...mcpHost })`. What policy asks is then put
 * to the user of the client that calls, by elicitation.
 */
export declare const mcpHost: McpHost

/** The call that a question belongs to. */
export interface AskClientContext {
  /** What the tool was given. */
  toolCallId: string
  /** Aborting it ends the question. */
  signal?: AbortSignal | undefined
  /** Names the question, in revision 2026-07-28. Default: `input_1`, `input_2`, … in the order of the calls. */
  key?: string | undefined
}

/**
 * Asks the client of a running call, from within a tool of the host: `elicitation/create` shows its user a form,
 * `sampling/createMessage` asks its model, `roots/list` its directories. In revision 2026-07-28 the call ends there and the client
 * makes it again with the answer, so ask before you change anything. Rejects where the client does not support it.
 */
export declare function askClient(
  method: 'elicitation/create',
  params: { message: string; requestedSchema: object } | { mode: 'url'; message: string; url: string },
  context: AskClientContext,
): Promise<{ action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string | number | boolean | string[]> }>
export declare function askClient(method: 'sampling/createMessage' | 'roots/list', params: object, context: AskClientContext): Promise<any>

/** A message for the log of a client. */
export interface LogMessage {
  /** How important it is. */
  level: 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'
  /** Who says it. */
  logger?: string | undefined
  /** A text, or anything that JSON can hold. Never put a secret into it. */
  data: unknown
}

/**
 * Sends a log message to the client of a running call, from within a tool, a prompt or a resource of the host; whether it was sent. Clients say
 * which levels they want; older ones that say nothing get `info` and above. The protocol has deprecated its log: prefer progress.
 */
export declare function logToClient(message: LogMessage, context: { toolCallId: string }): boolean

/** How tools are registered with a server of an official SDK. */
export interface RegisterToolsOptions extends Pick<McpOptions, 'structured' | 'stateKey'> {
  /** The names of the tools. Default: all that are exposed. */
  tools?: readonly string[] | undefined
}

/** As much of a `Server` or `McpServer` of an official SDK as is used. */
export type SdkServer = { setRequestHandler: (...args: any[]) => any } | { server: { setRequestHandler: (...args: any[]) => any } }

/**
 * Registers the tools of a toolkit with a `Server` or `McpServer` of `@modelcontextprotocol/sdk` (1.x) or
 * `@modelcontextprotocol/server` (2.x), in both of its eras: with progress, abort, approvals and questions (`mcpHost`). Tools that the
 * server has already stay. Register further tools of your own before.
 */
export declare function registerTools(server: SdkServer, toolkit: Toolkit<any>, options?: RegisterToolsOptions): void
