/** As much of a stream of Node as is read from. */
export interface InputStream {
  /** Listens to `data`, `end` and `error`. */
  on(event: string, listener: (...values: any[]) => void): unknown
  /** Listens once. */
  once(event: string, listener: (...values: any[]) => void): unknown
  /** Ends that. */
  off(event: string, listener: (...values: any[]) => void): unknown
  /** Reads nothing for a while. */
  pause(): unknown
}

/** As much of a stream of Node as is written to. */
export interface OutputStream {
  /** Writes a text. */
  write(text: string): unknown
  /** Listens once, to `drain` and `error`. */
  once(event: string, listener: (...values: any[]) => void): unknown
}

/** How a toolkit is served over the Model Context Protocol. */
export interface McpOptions {
  /** What the client sends, one message a line. Default: standard input. */
  input?: InputStream | undefined
  /** Where messages to the client go. Default: standard output, to which nothing else may write then. */
  output?: OutputStream | undefined
  /** The name of the server. Default: `tenon`. */
  name?: string | undefined
  /** Its version. Default: that of this package. */
  version?: string | undefined
  /** What the client may show its model about the server. */
  instructions?: string | undefined
  /**
   * Sends details as structured content, with the schemas of outputs. Many clients then show the model those details in place
   * of the text and the images. Default: false: details are in `_meta['tenon/details']`.
   */
  structured?: boolean | undefined
  /**
   * Sends no details and no links to long outputs: for clients that hand `_meta` to their model, such as the MCP adapters of Google ADK and Genkit. Default: false.
   */
  contentOnly?: boolean | undefined
  /** Ends results that leave something out with a link to all of it. Default: for clients that are known to show links, such as Claude Code and VS Code. */
  links?: boolean | undefined
  /** Resources beside the tools. */
  resources?: readonly McpResource[] | undefined
  /** Prompts, which users of clients choose: commands with a slash in many of them. */
  prompts?: readonly McpPrompt[] | undefined
  /**
   * Signs what clients bring back when a call waited for their user (revision 2026-07-28). Give the same to all processes that
   * serve one endpoint. Default: a random key.
   */
  stateKey?: string | Uint8Array | undefined
}

/** A resource of an MCP server. It has a `uri`, or a `uriTemplate` such as `notes://{id}` (`{+path}` may have slashes in it). */
export interface McpResource {
  /** Its address, where there is one resource. */
  uri?: string | undefined
  /** The form of its addresses, where there are many. */
  uriTemplate?: string | undefined
  /** Its name for programs. */
  name: string
  /** What users see. Default: the name. */
  title?: string | undefined
  /** What it is, for users and models. */
  description?: string | undefined
  /** Such as `text/markdown`. */
  mimeType?: string | undefined
  /** The content: a text, bytes, or either with more about it. */
  read(uri: string, variables: Record<string, string>, context: McpRequestContext): McpResourceContent | Promise<McpResourceContent>
  /** Calls `changed` whenever the resource changes, until the function that it returns is called. With it clients can subscribe to the resource. */
  watch?(uri: string, changed: () => void, variables: Record<string, string>): (() => void) | void
  /** Suggests values for the variables of the template. */
  complete?: Record<string, McpCompleter> | undefined
}

/** What a request of a client is, for `askClient` and `logToClient` of `tenon/mcp`. */
export interface McpRequestContext {
  /** The id of the request. */
  toolCallId: string
  /** Aborted when the client cancels. */
  signal: AbortSignal
}

/** Suggests values that begin with, or mean, what was typed so far; `others` are the arguments that are known. The first 100 are sent. */
export type McpCompleter = (value: string, others: Record<string, string>) => Iterable<string> | Promise<Iterable<string>>

/** A prompt of an MCP server: messages that a user of a client begins a conversation with. */
export interface McpPrompt {
  /** Its name for programs. */
  name: string
  /** What users see. Default: the name. */
  title?: string | undefined
  /** What it is for. */
  description?: string | undefined
  /** What a user fills in. */
  arguments?:
    | readonly {
        name: string
        title?: string | undefined
        description?: string | undefined
        required?: boolean | undefined
        complete?: McpCompleter | undefined
      }[]
    | undefined
  /** A text is one message of the user. It may ask the client with `askClient`. */
  get(args: Record<string, string>, context: McpRequestContext): McpPromptContent | Promise<McpPromptContent>
}

/** The messages of a prompt. Their content is a text, or a part as the protocol has it: an image, a resource. */
export type McpPromptContent = string | readonly McpPromptMessage[] | { description?: string | undefined; messages: readonly McpPromptMessage[] }

/** One message of a prompt. */
export interface McpPromptMessage {
  /** Default: `user`. */
  role?: 'user' | 'assistant' | undefined
  /** A text, or a part as the protocol has it. */
  content: string | Record<string, unknown>
}

/** The content of a resource: a text or bytes. */
export type McpResourceContent =
  | string
  | Uint8Array
  | { text?: string | undefined; data?: Uint8Array | undefined; mimeType?: string | undefined; _meta?: Record<string, unknown> | undefined }

/** A client of the Model Context Protocol that is served. */
export interface McpConnection {
  /** Resolved when the client has disconnected or `close` was called. The toolkit stays open. */
  readonly closed: Promise<void>
  /** Aborts running calls and sends nothing any more. */
  close(): void
  /** Asks the user of the client, if the client supports it (elicitation): for `host.askUser`. `mcpHost` of `tenon/mcp` does the same. */
  askUser(request: UserQuestions, context: HostContext): Promise<{ answers: UserAnswers } | null>
}

/**
 * Serves the tools of a toolkit to one client of the Model Context Protocol over streams, in the revisions 2026-07-28 and
 * 2024-11-05 to 2025-11-25: with annotations, progress and cancellation. Policy, history and limits are those of the toolkit.
 */
export declare function serveMcp(toolkit: Toolkit<any>, options?: McpOptions): McpConnection

/** How a toolkit is served over HTTP. */
export interface McpHttpOptions extends Omit<McpOptions, 'input' | 'output'> {
  /**
   * Names of this server, without ports, beside `localhost` and the loopback addresses. A request whose `Host` or `Origin`
   * is another one is refused: a page of the web may lead its name to this machine.
   */
  allowedHosts?: readonly string[] | undefined
  /**
   * Who makes a request (an `IncomingMessage` of Node): sessions are theirs, and what a user approved is taken from nobody else.
   * Default: the client and the user (`sub` or `userId` in `auth.extra` or `auth`) that a middleware has put in `request.auth`;
   * without a user the token, from `auth` or from the header `Authorization`.
   */
  principal?: ((request: any) => string | undefined) | undefined
  /** How often a silent stream says that it is alive, in milliseconds. Default: 20,000. */
  keepAliveMs?: number | undefined
}

/** A listener for `http.createServer`. Who may come to it at all is for the host to decide. */
export interface McpHttpHandler {
  /** Takes an `IncomingMessage` and a `ServerResponse` of Node. */
  (request: any, response: any): Promise<void>
  /** Ends all sessions and what runs in them. The toolkit stays open. */
  close(): void
}

/**
 * Serves the tools of a toolkit over the streamable HTTP transport of the Model Context Protocol, in the
 * same revisions. Those before 2026-07-28 have sessions, at most 100 at a time. All clients share the toolkit: its policy, history and background commands.
 */
export declare function mcpHttpHandler(toolkit: Toolkit<any>, options?: McpHttpOptions): McpHttpHandler
