/** What a search function of the host receives. */
export interface SearchWishes {
  /** Most results that are wanted. */
  count: number
  /** Only these domains; empty: all. They are enforced on the results all the same. */
  allowedDomains: string[]
  /** None of these domains. */
  blockedDomains: string[]
  /** Aborted when nobody waits for the results any more. */
  signal: AbortSignal
}

/** One page that was found. */
export interface SearchResult {
  /** Its title. */
  title: string
  /** Its address. */
  url: string
  /** What it says, in a sentence or two. */
  snippet?: string | undefined
}

/** Looks something up in a way that only the host knows. */
export type SearchFunction = (query: string, wishes: SearchWishes) => MaybePromise<SearchResult[] | { results: SearchResult[] }>

/** Addresses of a host, as `dns.lookup` answers them. What is not public is refused all the same. */
export type ResolveFunction = (host: string, context: HostContext) => MaybePromise<string | { address: string } | (string | { address: string })[]>

/** The part of the option `web` that is data. */
type WebData = NonNullable<ToolkitDataOptions['web']>

/** Pages and search. */
export interface WebToolOptions extends Omit<WebData, 'fetch' | 'search'> {
  /** Pages and requests. */
  fetch?:
    | (NonNullable<WebData['fetch']> & {
        /** Finds the addresses of hosts. Default: the system's resolver. */
        resolve?: ResolveFunction | undefined
      })
    | undefined
  /** The tool `web_search`. */
  search?:
    | (Omit<NonNullable<WebData['search']>, 'provider'> & {
        /** The provider by name, or a function. Default: the first whose environment variable is set. */
        provider?: NonNullable<WebData['search']>['provider'] | SearchFunction
      })
    | undefined
}

/** Commands. */
export type ExecToolOptions = NonNullable<ToolkitDataOptions['exec']> & {
  /**
   * `cwd+env`: the directory and the exported variables in which a command ends can go on to the next one, which is a fresh process all the
   * same: for `bashTool` and `agentToolset` of `tenon/anthropic`, whose models know a shell that stays. Commands then run in bash.
   * Default: each command begins in the workspace.
   */
  state?: 'cwd+env' | undefined
}

/** Options of one call. */
export interface ExecuteOptions<TDetails = any> {
  /** The host's id of the call. Default: one of our own. */
  toolCallId?: string | undefined
  /** Aborting it rejects the call and stops its work. */
  signal?: AbortSignal | undefined
  /** Receives partial results. */
  onUpdate?: UpdateListener<TDetails> | undefined
  /** For skills: the host loads it by itself, not for a model that asks. Policy may still deny it, but asks nobody. */
  auto?: boolean | undefined
  /**
   * Somebody approved this call before, as it was shown by `approvalRequest(name, params)`. Together with `digest`. A
   * call that is denied stays denied; one that would do something else by now requires approval again.
   */
  approved?: 'once' | undefined
  /** The `digest` of that request, or its `preview.planHash`. */
  digest?: string | undefined
  /** Most tokens of the text of the result, at least 200. `limits.maxTokens` holds in any case. */
  maxTokens?: number | undefined
}

/** The vocabularies. */
export type Dialect = keyof Dialects & string

/** The options of a toolkit: its data and the functions of the host. */
export interface ToolkitOptions<D extends Dialect = Dialect>
  extends Omit<ToolkitDataOptions, 'workspace' | 'dialect' | 'customTools' | 'web' | 'session' | 'exec'> {
  /** The directory that the tools work in, or one that is elsewhere: what `remote()` of `tenon/remote` returns. */
  workspace: string | RemoteWorkspace
  /** Commands. */
  exec?: ExecToolOptions | undefined
  /** The vocabulary of the tools. Default: `agent`. */
  dialect?: D | undefined
  /**
   * Decides about calls that require approval. Anything but `once`, `always` or `never` (an exception, a rejection,
   * another value) refuses the call; without an approver every such call is refused.
   */
  // TypeScript widens what an async function returns here to `string`, so a promise may hold any text.
  onApproval?:
    | ((
        request: ApprovalRequest,
        context: { /** Aborted when nobody waits for the answer any more. */ signal: AbortSignal },
      ) => ApprovalAnswer | Promise<ApprovalAnswer | (string & {})>)
    | undefined
  /** See and change every call before it is judged, and every result; alone or in order. */
  hooks?: Hook | readonly Hook[] | undefined
  /** Sees every call whole, to show it elsewhere: what `acpSession` of `tenon/acp` returns. */
  observe?: CallObserver | undefined
  /**
   * The user of the page that `toolkit.inspect()` opens approves calls, where there is no `onApproval`. With `onApproval` both can
   * answer, and the first answer counts. Default: false.
   */
  inspect?: boolean | undefined
  /** What becomes of commands in the background. What it throws does not affect them. */
  onProcess?: ((event: ProcessEvent) => unknown) | undefined
  /** What only the application can do: ask the user, run agents, summarise. */
  host?: Host | undefined
  /** Servers of the Model Context Protocol, by name or as a list: their tools become tools of this toolkit. */
  mcpServers?: Record<string, McpServerOptions> | readonly (McpServerOptions & ({ id: string } | { name: string }))[] | undefined
  /** What holds for all MCP servers. */
  mcp?: McpClientOptions | undefined
  /** Pages and search. */
  web?: WebToolOptions | undefined
  /** The session that calls belong to. */
  session?: SessionOptions | undefined
  /** Scheduled jobs: the tool `cron`, and whether this toolkit runs them. Default: none, unless there is `host.onCron`. */
  cron?: CronOptions | undefined
  /** Called once for each call, when it has ended. What it throws does not affect the call. */
  onTelemetry?: ((event: TelemetryEvent) => unknown) | undefined
  /** Spans for the calls. */
  telemetry?: TelemetryOptions | undefined
  /** Tools of the host, as for `registerTool`, or names of those that it will register later: so rules may name them. */
  customTools?: readonly (CustomTool | string)[] | undefined
}
