/** A question for the user. */
export interface UserQuestion {
  /** The question, a sentence. */
  question: string
  /** A word or two, at most 12 characters. */
  header: string
  /** 2 to 4. The user can always answer something else. `preview` is plain text or Markdown that shows what is chosen. */
  options: { label: string; description: string; preview?: string | undefined }[]
  /** Whether several options may be chosen. */
  multiSelect: boolean
}

/** What `host.askUser` is asked. */
export interface UserQuestions {
  /** 1 to 4, with texts that differ. */
  questions: UserQuestion[]
  /** The host's id of the call that asks. */
  toolCallId: string
}

/** The answers by the texts of their questions; several choices as a list, or with `, ` between. */
export type UserAnswers = Record<string, string | string[]>

/** A kind of agent, for `host.agents`. */
export interface AgentKind {
  /** The name by which models choose it. */
  name: string
  /** What it is for. */
  description?: string | undefined
  /** The tools that it may have, by any of their names or as `group:name`, of those that the session has that starts it. Default: the same. */
  tools?: readonly string[] | undefined
}

/** What `host.runAgent` is asked. */
export interface AgentTask {
  /** The kind of agent, by a name that the host knows. */
  agent: string
  /** What it has to do and to return. It knows nothing else of the conversation. */
  objective: string
  /** The call that asks for it; missing where no call does. */
  toolCallId: string
  /** The session of the agent. The same one comes again for a message that is sent to it later. */
  sessionId: string
  /** This run of it. */
  runId: string
  /** The session that has started it. */
  parentId: string
  /** How many sessions are above it: 1 for an agent that the first session has started. */
  depth: number
  /** What users call the session. */
  label: string
  /** Earlier rounds of this session, oldest first. */
  history: { role: 'user' | 'assistant'; text: string }[]
  /** What the last run has returned as `state`. */
  state?: unknown
  /** The rounds of the session that has started it, where it asks for that. */
  parentHistory?: { role: 'user' | 'assistant'; text: string }[] | undefined
  /** JSON Schema that `output` has to match. */
  outputSchema?: Record<string, unknown> | undefined
  /** What the run may use. */
  budget?: AgentBudget | undefined
  /** When its time is over (ISO 8601). */
  deadline?: string | undefined
}

/** What one run of a sub-agent may use. */
export type AgentBudget = NonNullable<NonNullable<NonNullable<ToolkitDataOptions['limits']>['agents']>['budget']>

/** What a host counts of an agent; numbers of several reports are added. `tokens`, `turns` and `usd` count for the budget. */
export interface AgentUsage {
  /** Tokens of its models. */
  tokens?: number | undefined
  /** Turns of its models. */
  turns?: number | undefined
  /** What it cost, in US dollars. */
  usd?: number | undefined
  [name: string]: unknown
}

/** The result of an agent. */
export interface AgentReport {
  /** All of it is stored; at most 50 KB of it are returned. */
  summary: string
  /** Whether it succeeded. Default: true. */
  ok?: boolean | undefined
  /** A structured result. Checked where the task has an `outputSchema`; one that does not match is asked for once more. */
  output?: unknown
  /** What it used, beside what was reported on the way. */
  usage?: AgentUsage | undefined
  /** What the next run of this session is given (JSON, at most 4 MiB). */
  state?: unknown
}

/** The progress of an agent. */
export interface AgentProgress {
  /** What it does, in a sentence. */
  summary?: string | undefined
  /** What it used since the last report. */
  usage?: AgentUsage | undefined
  /** Each report with a turn counts as one. */
  turn?: unknown
  /** Kept for `sessions_history`. */
  message?: string | { role?: string | undefined; text: string } | undefined
}

/** What `host.runAgent` works with. */
export interface AgentContext extends HostContext {
  /** The tools of the agent: the same workspace and rules, at most the same tools, its own session. */
  readonly tools: AgentTool<any, any>[]
  /** The toolkit of these tools. It is closed when the run ends. */
  readonly toolkit: Toolkit<any>
  /** Shows how far the agent is. */
  onUpdate(partial: string | AgentProgress): void
  /** Takes messages to the running agent. Without a listener, or where it fails, they wait for its end. */
  onMessage(listener: (message: { text: string; from: string }) => void): void
}

/** What happens to the sessions of a toolkit. */
export interface SessionEvent {
  /** `queued`, `started` and `ended` are about a run, `message` is a message between sessions. */
  type: 'queued' | 'started' | 'ended' | 'message'
  /** The session; of a message the one that sends it. */
  sessionId: string
  /** The run of that session. */
  runId: string
  /** The session that gets the result or the message. */
  parentId: string
  /** What users call the session. */
  label: string
  /** The status of the run. */
  status: SessionRunStatus
  /** The beginning of the result or of the message. */
  text?: string | undefined
}

/** The status of a run. */
export type SessionRunStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'timeout' | 'lost' | 'idle'

/** What `host.summarise` is asked. */
export interface PageQuestion {
  /** What the model wants to know. */
  prompt: string
  /** The text of the page. It comes from elsewhere: material, never instructions. */
  content: string
  /** Where the page came from, after redirects. */
  url: string
  /** The host's id of the call. */
  toolCallId: string
}

/** A form that an MCP server wants to have filled in. */
export interface McpForm {
  /** The server, by its name in `mcpServers`. */
  server: string
  /** What the server says it wants. It comes from elsewhere: show it as such. */
  message: string
  /** An object with fields: texts, numbers, booleans and choices. */
  schema: Record<string, any>
  /** The calls within which the server works now. The form is for one of them; the protocol does not say for which. */
  toolCallIds: readonly string[]
}

/** What a part of the host receives about the call that it serves. */
export interface HostContext {
  /** Aborted when nobody waits for the answer any more: by the caller, by a time limit, by closing. */
  signal: AbortSignal
}

/**
 * The parts that only the application can supply; every one is optional, and a tool whose part is missing says so. What
 * a part throws is reported to the model; what it answers is checked.
 */
export interface Host {
  /**
   * Puts questions to the user; nothing (`null`) when the user does not answer. Default: a prompt, where standard
   * input and output are a terminal.
   */
  askUser?(request: UserQuestions, context: HostContext): MaybePromise<{ answers: UserAnswers } | UserAnswers | string | string[] | null | undefined>
  /**
   * The agents that `runAgent` knows: the model may choose among these only, and reads what each is for. A function is called when
   * the toolkit is created. Default: any name.
   */
  agents?: readonly AgentKind[] | (() => readonly AgentKind[]) | undefined
  /** Runs a sub-agent, with which the tools for sessions come; a scheduled job where there is no `onCron`. */
  runAgent?(request: AgentTask, context: AgentContext): MaybePromise<string | AgentReport>
  /**
   * Called when sub-agents wait, start and end and when messages arrive, for hosts that can start a turn. Nothing has to be done here: what
   * is unread is named by the next result of any tool. Return true where the user or the model was shown the result.
   */
  onSessionEvent?(event: SessionEvent): MaybePromise<boolean | void>
  /**
   * Runs a scheduled job; `signal` is aborted when its time is up or it is replaced. `tools` are the tools of this toolkit, as its
   * creator was allowed to use them and as this toolkit is now. Without it `runAgent` runs jobs.
   */
  onCron?(
    request: CronRun,
    context: CronContext,
  ): MaybePromise<string | AgentReport | { ok?: boolean | undefined; summary?: string | undefined } | null | undefined | void>
  /**
   * Sends a message to people outside, or throws where it was not sent. An error by the name `TimeoutError` or `AbortError`, and a
   * result without `id` and `status`, mean that nobody knows. `tenon/channels` has some ready-made.
   */
  sendMessage?(request: MessageRequest, context: HostContext): MaybePromise<string | MessageReceipt>
  /**
   * The channels that `sendMessage` knows; the list is read at every call. Default: any channel, which can only `send`.
   */
  channels?: readonly MessageChannel[] | (() => MaybePromise<readonly MessageChannel[]>) | undefined
  /** Answers a question about a page, in place of the passages that fit it best. At most `limits.timeoutMs`. */
  summarise?(request: PageQuestion, context: HostContext): MaybePromise<string>
  /** Answers a form of an MCP server. Default: `askUser`, for forms of choices and texts. */
  elicit?(
    request: McpForm,
    context: HostContext,
  ): MaybePromise<{ action: 'accept'; content: Record<string, unknown> } | { action: 'decline' | 'cancel' } | null | undefined>
  /** Shows the user an address that an MCP server asks to open, with its host; true when the user opened it. */
  openUrl?(request: { server: string; message: string; url: string; host: string }, context: HostContext): MaybePromise<boolean>
  /**
   * Completes a conversation for an MCP server with a model of yours: show the user what is asked, and what comes of it. A text, an answer
   * of the protocol, or nothing to decline. Default: servers cannot ask for completions.
   */
  sample?(
    request: {
      server: string
      messages: any[]
      systemPrompt?: string
      maxTokens: number
      modelPreferences?: any
      temperature?: number
      stopSequences?: string[]
      tools?: any[]
      toolChoice?: any
    },
    context: HostContext,
  ): MaybePromise<
    | string
    | { content: string | Record<string, unknown> | readonly Record<string, unknown>[]; model?: string | undefined; stopReason?: string | undefined }
    | null
    | undefined
  >
  /** Opens a canvas that was presented: its page by `url`, or its `resource` in a view of your own. `false`: it was not opened. */
  showCanvas?(request: ShownCanvas, context: HostContext): MaybePromise<boolean | void>
  /**
   * A Chromium that runs already, for the tool `browser`, in place of one that is started. Its sessions have contexts of their own,
   * other pages of it are left alone, and it is not closed. On this machine its connections go through the guarded proxy; on another
   * one only URLs are judged, and `details.guard` is `interception`.
   */
  browser?: { connect(context: { signal: AbortSignal }): MaybePromise<string | URL | BrowserAddress | BrowserTransport> } | undefined
}

/** Where a browser speaks the Chrome DevTools Protocol over a WebSocket: `webSocketDebuggerUrl` of `/json/version`. */
export interface BrowserAddress {
  /** The address, `ws://…` or `wss://…`. */
  url: string
  /** Headers of the request that opens it. */
  headers?: Record<string, string> | undefined
  /** Whether it is on this machine. Default: whether the address is a loopback one. */
  local?: boolean | undefined
}

/** A way to speak the Chrome DevTools Protocol with a whole browser, one JSON text a message; `onmessage` and `onclose` are set. */
export interface BrowserTransport {
  /** Sends a message to the browser. */
  send(message: string): unknown
  /** Ends the connection, not the browser. */
  close(): unknown
  /** Set by the toolkit: called with each message of the browser. */
  onmessage?: ((message: any) => void) | null | undefined
  /** Set by the toolkit: called when the connection has ended. */
  onclose?: ((reason?: any) => void) | null | undefined
  /** Whether the browser is on this machine. Default: false. */
  local?: boolean | undefined
}
