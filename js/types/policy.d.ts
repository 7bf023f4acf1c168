/** What a call would touch; empty lists are missing. Paths are relative to the workspace. */
export interface CallEffects {
  /** Command texts, each with the directory that it runs in. */
  commands?: { text: string; directory: string }[] | undefined
  /** What is typed into commands that run. */
  inputs?: { text: string; into: string; directory: string }[] | undefined
  /** Files and directories whose content is looked at. */
  reads?: string[] | undefined
  /** Files that are created or changed. */
  writes?: string[] | undefined
  /** Files that are removed. */
  deletes?: string[] | undefined
  /** Names of hosts. */
  hosts?: string[] | undefined
  /** Whole addresses. */
  urls?: string[] | undefined
  /** Skills and agents. */
  names?: string[] | undefined
  /** What would be sent, and to whom. */
  message?: MessageEffect | undefined
  /** Where those names lead that are links, or below one. */
  links?: Record<string, string> | undefined
}

/** A message that a call would send, change or remove. */
export interface MessageEffect {
  /** `send`, `edit`, `delete` or `react`. */
  action: string
  /** The channel, by its id. */
  channel: string
  /** Who gets it, as the channel knows them. */
  target?: string | undefined
  /** Who gets it, as users know them. */
  name?: string | undefined
  /** What is sent, or what the message becomes. */
  text?: string | undefined
  /** The message that is changed, removed or reacted to. */
  messageId?: string | undefined
  /** The reaction. */
  emoji?: string | undefined
  /** The message that it replies to. */
  replyTo?: string | undefined
  /** The thread that it goes to. */
  threadId?: string | undefined
  /** In how many parts it is sent; missing for one. */
  parts?: number | undefined
  /** What goes with it, with sizes. */
  media?: string[] | undefined
}

/** What a user needs to decide: what a call would touch, and what it would do to files. */
export interface ApprovalPreview extends CallEffects {
  /** Each simple command, file and host of a command, with its own verdict. */
  parts?: PolicyPart[] | undefined
  /** Every file that would change; empty when nothing would. */
  changes?: FileChange[] | undefined
  /** The changes as a unified diff. What cannot be seen (control and direction characters) is escaped. */
  diff?: string | undefined
  /** Bytes of the diff that are not shown, when it is longer than 64 KiB. */
  diffOmittedBytes?: number | undefined
  /**
   * Stands for exactly these changes: a hash over the content of every file before and afterwards. An answer is
   * bound to it: when a file changes meanwhile, the call is asked about again.
   */
  planHash?: string | undefined
  /** Why the call cannot succeed as things are. */
  problem?: string | undefined
}

/** What policy decides about a call, and why. */
export interface PolicyExplanation {
  /** `allow`: it would run; `ask`: it would require approval; `deny`: it would be refused. */
  verdict: PolicyVerdict
  /** Why, in a sentence or two. */
  reason: string
  /** The rule that decided, as it was written, else the setting that did. */
  matched_rule: string | null
  /** The list that the rule is in. Missing where no rule decided. */
  list?: PolicyVerdict | undefined
  /**
   * For a dialog, where the call requires approval: what would happen, why it requires approval, and the smallest rule that would allow
   * it, or that none is safe.
   */
  explanation?: string | undefined
  /** How much could go wrong; `low` for a call that fails before it does anything. */
  danger: Danger
  /** What is wrong with the parameters, where they are not valid: the call would fail, and the verdict is `deny`. */
  issues?: ValidationIssue[] | undefined
  /** Every rule that matched, of whatever list. */
  matched?: MatchedRule[] | undefined
  /** Everything that was judged, each with its own verdict. */
  parts?: PolicyPart[] | undefined
  /** The smallest rules that, added to `permissions.allow`, would allow the call. */
  suggestion?: string[] | undefined
  /** What the call would touch. */
  effects: CallEffects
  /** What each of its commands does, whatever the rules say; only from `toolkit.explain`. */
  commands?: CommandEffects[] | undefined
  /** Where text came from that was read before (`taint`). Rules may depend on it. */
  sources?: SourceRead[] | undefined
  /**
   * Whether somebody has to be asked what the call touches, such as the host to whom a message goes: it is judged again for that when it runs, and may
   * require approval then. `toolkit.promises.approvalRequest` finds out before.
   */
  provisional?: boolean | undefined
}

/** What one command of a text does, as far as its words show. */
export interface CommandEffects {
  /** Its words on one line; `?` for one that is not known from the text. */
  command: string
  /** The name by which the catalogue knows the program. Missing where the program is not in it. */
  program?: string | undefined
  /** The directories in which it may run, below the workspace where they lie there. Missing where that is not known. */
  directories?: string[] | undefined
  /** The files that it uses, in the order of its arguments. */
  files?: { kind: 'read' | 'write' | 'delete'; name: string; below?: boolean | undefined }[] | undefined
  /** The hosts that it reaches. */
  hosts?: string[] | undefined
  /** What it runs: programs, texts in backticks, `?` for what is not known. */
  runs?: string[] | undefined
  /** The variables that it sets; `?` for one whose name is not known. */
  sets?: string[] | undefined
  /** An option that the program's manual does not have. */
  unknown_option?: string | undefined
}

/** A rule that matched. */
export interface MatchedRule {
  /** As it was written. */
  rule: string
  /** The list that it is in. */
  list: PolicyVerdict
  /** Its place in the list, from 0. */
  index: number
  /** Why it exists. */
  because?: string | undefined
  /** The sources after which it holds, one of which was read. Missing where it always holds. */
  after?: Source[] | undefined
}

/**
 * Where text comes from that the user did not write: another machine, an MCP server, or a file that version control does not have.
 */
export type Source = 'network' | 'mcp' | 'untracked'

/** Where text of a result comes from; in `details.sources` where sources are recorded (`taint`). */
export interface Origin {
  /** What kind of place it is. */
  source: Source
  /** The host, the MCP server, the file. */
  from: string
}

/** A place that text came from which the agents have read. */
export interface SourceRead extends Origin {
  /** The tool that brought the text first. Missing where the application has said it. */
  tool?: string | undefined
  /** The call that brought it first. */
  toolCallId?: string | undefined
  /** The session in which that was. */
  session?: string | undefined
  /** When, in milliseconds since 1970. */
  at: number
}

/** A remark on one rule. */
export interface RuleRemark {
  /** `redundant`: another rule of its list covers it; `shadowed`: a stricter rule decides every call that it matches; `dead`: it can never allow anything; `over_broad`: it opens more than it seems to; `runner`: it allows a program that runs any code, such as `make`. */
  kind: 'redundant' | 'shadowed' | 'dead' | 'over_broad' | 'runner'
  /** The list that the rule is in. */
  list: PolicyVerdict
  /** Its place in the list, from 0. */
  index: number
  /** As it was written. */
  rule: string
  /** What is wrong and what to do. */
  message: string
}

/** The verdict on one thing that a call does. */
export interface PolicyPart {
  /** What the part is; `unclear` is what cannot be understood. */
  kind: 'tool' | 'command' | 'read' | 'write' | 'delete' | 'host' | 'name' | 'variable' | 'directory' | 'unclear'
  /** The command as it is written, the path, the host. */
  subject: string
  /** The verdict on this part alone. */
  verdict: PolicyVerdict
  /** Why, in a sentence. */
  reason: string
  /** The rule that decided, as it was written, else the setting that did. */
  matched_rule: string | null
  /** The list that the rule is in. Missing where no rule decided. */
  list?: PolicyVerdict | undefined
  /** The rule that stands for exactly this part. Missing where no rule can. */
  exact_rule?: string | undefined
}

/** What policy decides. */
export type PolicyVerdict = 'allow' | 'ask' | 'deny'

/** What the present permissions and others decide about one call. */
export interface SimulatedCall {
  /** The tool, as it was called. */
  tool: string
  /** Missing where the call cannot be prepared any more. */
  before?: PolicyVerdict | undefined
  /** What the other permissions would have decided. Missing where the call cannot be prepared any more. */
  after?: PolicyVerdict | undefined
  /** Whether the two differ. */
  changed: boolean
  /** Why, under the other permissions. */
  reason: string
}

/** What an approver is asked. */
export interface ApprovalRequest {
  /** The tool, as the dialect names it. */
  tool: string
  /** Its parameters, as the dialect spells them. */
  params: Record<string, any>
  /** The host's id of the call. */
  toolCallId: string
  /** Why it requires approval. */
  reason: string
  /** For a dialog: what would happen, why it requires approval, and the smallest rule that would allow it, or that none is safe. */
  explanation: string
  /** The rule that asks, as it was written, else the setting that does. */
  matched_rule?: string | undefined
  /** The list that the rule is in. Missing where no rule asks. */
  list?: PolicyVerdict | undefined
  /** How much could go wrong. */
  danger: Danger
  /** What a user needs to decide. */
  preview: ApprovalPreview
  /**
   * What `always` would keep: rules for exactly this command, this file, this host; for a tool that rules only know
   * as a whole, the call with these very parameters. Empty when nothing can be kept.
   */
  remembers: string[]
  /** Where text came from that was read before (`taint`): it may have asked for this call. Missing where there is none. */
  sources?: SourceRead[] | undefined
  /** The session of a sub-agent that makes the call; missing for the first session. */
  session?: { id: string; label: string; depth: number } | undefined
  /**
   * Stands for exactly this call and what is shown of it, for `execute(name, params, { approved: 'once', digest })`:
   * when its parameters or a file that it changes are different by then, it requires approval again.
   */
  digest: string
}

/**
 * How much could go wrong: `low` only reads, `medium` changes files of the workspace, which can be undone, `high`
 * deletes, runs code, reaches the network or what is outside of the workspace, or is not known to only read.
 */
export type Danger = 'low' | 'medium' | 'high'

/** What a tool of the host wants to have asked before a call: a reason, or more. Nothing asks nothing. */
export type OwnApprovalRequest =
  | string
  | { reason?: string | undefined; danger?: Danger | undefined; preview?: Record<string, unknown> | undefined }
  | null
  | undefined
  | false

/** `once`: this call. `always`, `never`: every call that asks the very same, for the session. */
export type ApprovalAnswer = 'once' | 'always' | 'never'

/** How `terminalApprover` asks. */
export interface TerminalApproverOptions {
  /** A terminal that is read. Default: standard input. */
  input?: (InputStream & { isTTY?: boolean | undefined }) | undefined
  /** Where questions are written. Default: standard output. */
  output?: (OutputStream & { isTTY?: boolean | undefined }) | undefined
  /** Default: `auto`, colors where the output is a terminal that has them. */
  color?: 'always' | 'never' | 'auto' | undefined
}

/**
 * An approver for `onApproval` that asks the user at the terminal, one call after the other, with the commands, files and changes of
 * the call. A user who closes the prompt refuses, and so does an input that is not a terminal.
 */
export declare function terminalApprover(
  options?: TerminalApproverOptions,
): (request: ApprovalRequest, context: { signal: AbortSignal }) => Promise<ApprovalAnswer>

/** What a program does, as a row of `programs` in the options. Its examples are checked when the toolkit is made. */
export type ProgramRow = NonNullable<ToolkitDataOptions['programs']>[number]
