/** A call of a model, as an observer sees it. */
export interface ObservedCall {
  /** The tool, by the name that was called. */
  tool: string
  /** As they were given. */
  params: unknown
  /** The host's id of the call. */
  toolCallId: string
  /** The toolkit that it is made with: of a sub-agent its own. */
  toolkit: Toolkit<any>
}

/** Sees every call of a toolkit and of its sub-agents whole: to show them elsewhere. `acpSession` of `tenon/acp` is one. */
export interface CallObserver {
  /** Called when the toolkit was created. */
  opened?(toolkit: Toolkit<any>, workspace: string): void
  /**
   * Called for each call. `run` makes it, once; `onUpdate` gets its partial results, and aborting `signal` stops it. What this returns or
   * throws is what the call does.
   */
  around(
    call: ObservedCall,
    run: (options: { onUpdate(partial: AgentToolResult<any>): void; signal: AbortSignal }) => Promise<AgentToolResult<any>>,
  ): Promise<AgentToolResult<any>>
  /** Called when a call is undone. `run` takes back what it changed on the disk; what this returns or throws is what `undo` does. */
  undo?(toolCallId: string, run: () => Promise<FileChange[]>): Promise<FileChange[]>
}

/** A call, as hooks see it. */
export interface HookCall {
  /** The tool, as the dialect names it. */
  tool: string
  /** What it does, in any dialect: `execute`, `edit`, `foreign` for a tool of the host. */
  operation: string
  /** Its parameters, repaired and valid. */
  params: any
  /** The host's id of the call. */
  toolCallId: string
  /** The session that the call belongs to. */
  sessionId: string
  /** The workspace, by its absolute path. */
  workspace: string
  /** The permission mode. */
  mode: PermissionMode
}

/** What a hook wants of a call. Nothing: it continues as it is. */
export interface HookDecision {
  /** Other parameters: repaired, checked and judged like those that the model sent. */
  params?: object | undefined
  /** Why the call is denied. `true`: without a reason. */
  deny?: string | boolean | undefined
  /** Demands approval, whatever the rules allow: the reason, or `{ reason, danger, preview }`. */
  ask?:
    | string
    | boolean
    | { reason?: string | undefined; danger?: 'low' | 'medium' | 'high' | undefined; preview?: Record<string, unknown> | undefined }
    | undefined
}

/** Functions that see every call of every tool: built-in, of the host, over MCP and JSON-RPC alike. */
export interface Hook {
  /**
   * Called when the parameters are valid and before policy judges them. What it throws, a time-out and a value of another
   * form deny the call.
   */
  before?(
    call: HookCall,
    context: { /** Aborted with the call and at the time limit. */ signal: AbortSignal },
  ): HookDecision | null | undefined | void | Promise<HookDecision | null | undefined | void>
  /**
   * Called with the result of a call that succeeded. Returns another result, or its text. Where it fails, the result stays as it is,
   * with a notice.
   */
  after?(call: HookCall, result: { content: AgentToolResult['content']; details: any }, context: { signal: AbortSignal }): HookResult | Promise<HookResult>
  /** Longest time of one run, in milliseconds. Default: 60 000. */
  timeoutMs?: number | undefined
  /** Commands, as `importHooks` returns them. */
  commands?: readonly HookCommand[] | undefined
  /** Ignored: what `importHooks` left out. */
  notices?: readonly string[] | undefined
}

/** What `after` may return. */
export type HookResult = string | { content?: string | AgentToolResult['content'] | undefined; details?: unknown } | null | undefined | void

/** A command that is run for calls of certain tools, in the protocol of Claude Code. */
export interface HookCommand {
  /** `before` is `PreToolUse`, `after` is `PostToolUse`. */
  event: 'before' | 'after'
  /** The tools by their names in Claude Code: a name, several with `|` between them, or a regular expression. Default: all. */
  matcher?: string | undefined
  /** The text that the shell is given. */
  command: string
  /** Longest time in milliseconds. Default: 60 000. */
  timeoutMs?: number | undefined
  /** Nobody waits for it, and what it prints is ignored. */
  async?: boolean | undefined
  /** Whether a command that fails lets the call continue. Default: false. */
  ignoreFailures?: boolean | undefined
}

/** Whose hooks `importHooks` reads. */
export type HookFormat = 'claude-code'

/** Options of `importHooks`. */
export interface ImportHookOptions {
  /** Longest time of commands that have no `timeout` of their own, in milliseconds. Default: 60 000. */
  timeoutMs?: number | undefined
  /**
   * Whether a command before a call that fails (an exit code other than 0 and 2, a time-out, output that is not understood)
   * lets the call continue, as in Claude Code. Default: false, which denies the call.
   */
  ignoreFailures?: boolean | undefined
}

/** Hooks of another agent: for the option `hooks`. */
export interface ImportedHooks extends Hook {
  commands: HookCommand[]
  /** What was left out, a sentence each. */
  notices: string[]
}

/**
 * Reads the `PreToolUse` and `PostToolUse` command hooks of a settings file of Claude Code, given as its text or its path.
 * @throws {ToolError} for a text that is not such a file, and for a hook before calls that cannot be run here
 */
export declare function importHooks(format: HookFormat, source: string | URL, options?: ImportHookOptions): ImportedHooks

/** What becomes of a command in the background. */
export type ProcessEvent = {
  seq: number
  /** In milliseconds since 1970. */
  at: number
  /** What the tools call it. */
  sessionId: string
  pid: number
  /** Its text without secrets. */
  command: string
} & (
  | { type: 'started' }
  /** What it wrote since the last event, at most ten times a second; the model has not read it by that. */
  | { type: 'output'; text: string; omittedBytes?: number }
  /** It seems to wait for input; `text` is the end of its output. */
  | { type: 'waiting'; text: string }
  | { type: 'exit'; status: 'completed' | 'failed' | 'timeout' | 'killed'; exitCode?: number; signal?: string; durationMs: number }
)

/** What holds for calls beside the rules. */
export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypass'

/** The call that an event is about. */
interface EventOfCall {
  /** The host's id of the call. */
  toolCallId: string
  /** The tool, by the name that was called. */
  tool: string
}

/** The command in the background that an event is about. */
interface EventOfProcess {
  /** What the tools call it. */
  sessionId: string
  /** Its process id. */
  pid: number
  /** Its text without secrets. */
  command: string
}

/** Events by their types. Texts and parameters are bounded and without secrets. */
export interface ToolkitEvents {
  /** With `record: { replay: true }` the parameters are whole, and `workspace` is there. */
  called: EventOfCall & { params: unknown; workspace?: string | undefined }
  /** Parameters were repaired before they were checked. */
  repaired: EventOfCall & { repairs: { param: string; message: string }[] }
  /** It leads nowhere, for this many times: the same failure, two edits that undo each other, polls without news. Its answer says so. */
  looping: EventOfCall & { kind: 'failure' | 'ping_pong' | 'poll'; times: number }
  /** A hook (`hooks[0].before`) did something, or failed. */
  hooked: EventOfCall & { hook: string; outcome: 'changed' | 'denied' | 'asked' | 'failed'; reason?: string | undefined }
  /** Policy decided. */
  judged: EventOfCall & Pick<PolicyExplanation, 'verdict' | 'reason' | 'matched_rule' | 'list' | 'matched' | 'parts' | 'suggestion'> & { mode: PermissionMode }
  /** An approver was asked. */
  asked: EventOfCall & {
    reason: string
    danger: 'low' | 'medium' | 'high'
    matched_rule?: string | undefined
    digest: string
    preview: ApprovalPreview
    sources?: SourceRead[] | undefined
  }
  /** Somebody or something remembered answered, after this many milliseconds. */
  answered: EventOfCall & { answer: ApprovalAnswer | 'failed'; by: 'approver' | 'session' | 'host'; afterMs: number }
  /** The work begins: everything before it was allowed. */
  started: EventOfCall
  /** A partial result, as text. */
  update: EventOfCall & { bytes: number; text: string }
  /** The call ended. */
  finished: EventOfCall & {
    success: boolean
    error_type?: ToolErrorType | undefined
    decision?: PolicyVerdict | undefined
    durationMs: number
    summary: string
    bytes: number
    estimatedTokens: number
    changes?: FileChange[] | undefined
    /** Where its text comes from (`taint`). */
    sources?: Origin[] | undefined
    /** Of its result or its error; long texts are cut. */
    details: unknown
    /** The whole text of its result or its error, with `record: { replay: true }`. */
    output?: string | undefined
  }
  /** Text of another place was read, for the first time by the agents of this tree (`taint`); without a call where the application said so. */
  source_added: Partial<EventOfCall> & Origin
  /** A command runs in the background. */
  process_started: EventOfProcess
  /** What it wrote since the last event. */
  process_output: EventOfProcess & { text: string; omittedBytes?: number | undefined }
  /** It seems to wait for input; `text` is the end of its output. */
  process_waiting: EventOfProcess & { text: string }
  /** It ended. */
  process_exited: EventOfProcess & {
    status: 'completed' | 'failed' | 'timeout' | 'killed'
    exitCode?: number | undefined
    signal?: string | undefined
    durationMs: number
  }
  /** Tools came, went or changed, by their names. */
  tools_changed: { added: string[]; removed: string[]; changed: string[] }
  /**
   * An MCP server asked the user (a form, an address) or the host's model, and was answered. `content` has no values of fields whose names
   * announce a secret; of `sampling` it has neither the conversation nor the completion.
   */
  server_asked: {
    server: string
    kind: 'form' | 'url' | 'sampling'
    message: string
    answer: 'accept' | 'decline' | 'cancel' | 'failed'
    content?: Record<string, unknown> | undefined
    afterMs: number
  }
  /** The permission mode was switched. */
  mode_changed: { mode: PermissionMode; previous: PermissionMode }
  /**
   * A run of a sub-agent or of a scheduled job ended. `session` is the one that has started it; `toolCallId` and `tool` are
   * the call that did, where it was made here; `jobId` is the scheduled job.
   */
  run_ended: Partial<EventOfCall> & {
    agent: string
    label: string
    status: 'completed' | 'failed' | 'cancelled' | 'timeout' | 'lost'
    sessionId: string
    runId: string
    jobId?: string | undefined
  }
  /** The toolkit was closed: the last event. */
  closed: {}
}

/** One event of a toolkit. */
export type ToolkitEvent<T extends keyof ToolkitEvents = keyof ToolkitEvents> = {
  [K in T]: {
    type: K
    /** Its number, without gaps while somebody listens. */
    seq: number
    /** In milliseconds since 1970. */
    at: number
    /** The session in which it happened: that of the toolkit, or of a sub-agent below it. */
    session: string
    /** On what happens in a sub-agent below this toolkit: the session that has started the sub-agent. */
    parent?: string | undefined
  } & ToolkitEvents[K]
}[T]

/** How the calls of a record are made again. */
export interface ReplayOptions {
  /** The directory in which they are made, and which they change: the files as they were before the session. */
  workspace: string
  /** The vocabulary of the session that was recorded. Default: `agent`. */
  dialect?: Dialect | undefined
  /**
   * Names of tools whose calls are made although they act on more than the workspace and the session (`metadata.repetition` is
   * `once`, or their answers come from other machines). Default: none.
   */
  run?: readonly string[] | undefined
  /** Further options of the toolkit that makes the calls. Default: everything inside the workspace is allowed. */
  toolkit?: Partial<ToolkitOptions<any>> | undefined
}

/** One call of a record that was made again. */
export interface ReplayedCall {
  /** The id of the call in the record. */
  toolCallId: string
  /** The tool, by the name that was called. */
  tool: string
  /** `equal`: the same text and the same changes of files. */
  status: 'equal' | 'different' | 'skipped'
  /** Why it was skipped. */
  reason?: string
  /** What the record has, paths of its workspace in place of those of the other. */
  expected?: { success: boolean; text: string; changes: FileChange[] }
  /** What it returned now. */
  found?: { success: boolean; text: string; changes: FileChange[] }
  /** The lines in which the texts differ. */
  diff?: string
}

/** What came of a replay. */
export interface ReplayReport {
  /** In the order in which they ended in the record. */
  calls: ReplayedCall[]
  /** How many calls returned the same. */
  equal: number
  /** How many did not. */
  different: number
  /** How many were not made. */
  skipped: number
}

/**
 * Makes the calls of a record again, over another workspace, and compares what they return. The record must have whole parameters
 * (`record: { file, replay: true }`); calls of sub-agents are not made.
 * @throws {ToolError} `invalid_input` for a record that cannot be read and for options that do not exist
 */
export declare function replay(file: string, options: ReplayOptions): Promise<ReplayReport>
