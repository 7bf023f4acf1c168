// Agents and editors that speak the Agent Client Protocol, versions 1 and 2.

import type { CallObserver, Host, PolicyVerdict, Toolkit, ToolkitOptions } from './index.js'

/** As much of a connection of `@agentclientprotocol/sdk` as is used: what handlers get as `client` or `agent`, or a connection, also `AgentSideConnection` of versions before 2. */
export type AcpPeer =
  | { request: (...args: any[]) => Promise<any>; notify: (...args: any[]) => Promise<void> }
  | { client: { request: (...args: any[]) => Promise<any>; notify: (...args: any[]) => Promise<void> } }
  | { sessionUpdate: (...args: any[]) => Promise<any>; requestPermission: (...args: any[]) => Promise<any> }

/** The session of an agent in an editor. */
export interface AcpSessionOptions {
  /** The connection to the editor. */
  ctx: AcpPeer
  /** The id of the session, as `session/new` returned it. */
  sessionId: string
  /** What the editor has said of itself in `initialize`: `clientCapabilities`, in version 2 `capabilities`. */
  clientCapabilities?: object | null | undefined
  /** The version that was agreed on. Default: 1. */
  protocolVersion?: 1 | 2 | undefined
  /**
   * `editor`: before a file is changed, the text that the editor has of it is compared with the disk. What the user has not saved is
   * edited in the editor, never lost. Version 1 only: in version 2 editors have no files. Default: `disk`.
   */
  files?: 'disk' | 'editor' | undefined
}

/** What `acpSession` returns: options for a toolkit, and what the editor may ask of it. */
export interface AcpSession {
  /** For the options of a toolkit: `new Toolkit({ workspace, ...acp.options })`. */
  options: { onApproval: NonNullable<ToolkitOptions['onApproval']>; host: Pick<Host, 'askUser'>; observe: CallObserver }
  /** Stops all calls that run. For `session/cancel`. */
  cancel(): void
  /** Stops one call. For `tool_call/cancel`. Returns whether it was running. */
  cancelToolCall(toolCallId: string): boolean
  /** Stops a command. For `terminal/cancel`. Returns whether there was one. */
  cancelTerminal(terminalId: string): Promise<boolean>
  /** The skills as commands of the user, for the response to `session/new` of version 2. They are reported by themselves as well. */
  commands(toolkit: Toolkit<any>): Promise<{ name: string; description: string }[]>
}

/**
 * An agent's side: every call of the toolkit is reported to the editor by itself, with diffs, terminals and plan; what policy asks and
 * what the model asks is put to the user there.
 */
export declare function acpSession(options: AcpSessionOptions): AcpSession

/** What an agent wants to do, and what policy says to it. */
export interface AcpPermission {
  /** `ask` goes to the user, `deny` is refused. */
  verdict: PolicyVerdict
  /** Why, in a sentence. */
  reason: string
  /** The rule that decided, as it was written. */
  matched_rule?: string | null
  /** The request, as the agent sent it. */
  request: any
}

/** How an agent is served by `acpClient`. */
export interface AcpClientOptions {
  /**
   * Puts a request for permission to the user, and returns the `optionId` that they chose; nothing is a refusal. Without it everything
   * that policy asks is refused.
   */
  ask?(permission: AcpPermission, context: { signal: AbortSignal }): string | null | undefined | Promise<string | null | undefined>
  /** Receives what was refused. */
  notice?(permission: AcpPermission): unknown
  /** The name of the server of `acpMcpServer` that the agent has: requests about its tools are judged by their own names. */
  server?: string | undefined
  /** The class of the SDK: errors then have their codes. Without it they are internal errors with the same message. */
  RequestError?: (new (code: number, message: string, data?: unknown) => Error) | undefined
}

/** A handler as `onRequest` takes it. */
export type AcpHandler = (context: { params: any; signal?: AbortSignal | undefined }) => Promise<any>

/** The handlers of a client, by the methods that they serve. */
export interface AcpClientHandlers {
  /** For `fs/read_text_file`. */
  readTextFile: AcpHandler
  /** For `fs/write_text_file`. */
  writeTextFile: AcpHandler
  /** For `terminal/create`. */
  createTerminal: AcpHandler
  /** For `terminal/output`. */
  terminalOutput: AcpHandler
  /** For `terminal/wait_for_exit`. */
  waitForTerminalExit: AcpHandler
  /** For `terminal/kill`. */
  killTerminal: AcpHandler
  /** For `terminal/release`. */
  releaseTerminal: AcpHandler
  /** For `session/request_permission`. */
  requestPermission: AcpHandler
  /** For `clientCapabilities` of `initialize`, version 1. */
  capabilities: { fs: { readTextFile: true; writeTextFile: true }; terminal: true }
  /** Registers all of them with the app of a client. Version 2 has only requests for permission. */
  register<App extends { onRequest: (...args: any[]) => any }>(app: App, options?: { protocolVersion?: 1 | 2 | undefined }): App
  /** Answers what waits for the user with `cancelled`. For when you send `session/cancel`. */
  cancel(sessionId: string): void
  /** Ends the commands that the agent has left. */
  close(): Promise<void>
}

/** A client's side: files and commands of an agent are calls of the toolkit, and what it asks permission for is judged by policy. */
export declare function acpClient(toolkit: Toolkit<any>, options?: AcpClientOptions): AcpClientHandlers

/** How the tools are served to an agent. */
export interface AcpMcpServerOptions {
  /** Default: `tenon`. */
  name?: string | undefined
  /** Default: 1. */
  protocolVersion?: 1 | 2 | undefined
  /** What the agent's model reads of the server. */
  instructions?: string | undefined
}

/** An entry of `mcpServers`. It can be copied and sent; `close` stays here. */
export interface AcpMcpServer {
  /** The name of the server. */
  name: string
  /** The program that connects the agent with this process. */
  command: string
  /** Its arguments. */
  args: string[]
  /** Its variables: none. */
  env: { name: string; value: string; _meta?: { [key: string]: unknown } | null }[]
  /** More about the entry, as the protocol has it. */
  _meta?: { [key: string]: unknown } | null
  /** Ends the server. */
  close(): Promise<void>
}

/** The tools of this toolkit, served from this process, as an MCP server for `session/new`. Call `close()` at the end. */
export declare function acpMcpServer(toolkit: Toolkit<any>, options?: AcpMcpServerOptions): AcpMcpServer
