/** A channel over which messages are sent. */
export interface MessageChannel {
  /** The name in calls and rules: `Message(slack)`. */
  id: string
  /** What users call it. */
  label?: string | undefined
  /** What it can do. Default: `['send']`. */
  actions?: ('send' | 'edit' | 'delete' | 'react')[] | undefined
  /** The longest text in UTF-16 units, as `String.length` counts: longer ones are sent in parts. */
  maxText?: number | undefined
  /** Who can be reached. Default: anybody. */
  targets?: { id: string; label?: string | undefined }[] | undefined
}

/** A message, or a part of one. */
export interface MessageRequest {
  /** What happens to the message. */
  action: 'send' | 'edit' | 'delete' | 'react'
  /** The channel, by its id. */
  channel: string
  /** The id of the target. */
  target: string | null
  /** What users call the target. */
  targetLabel: string | null
  /** The text of this part. */
  text: string | null
  /** Files of the workspace by their bytes, and addresses. */
  media: ({ name: string; mimeType: string; size: number; data: Uint8Array } | { url: string })[]
  /** The message that it replies to. */
  replyTo: string | null
  /** The thread that it goes to. */
  threadId: string | null
  /** The message to edit, delete or react to. */
  messageId: string | null
  /** The reaction. */
  emoji: string | null
  /** Whether nobody is notified. */
  silent: boolean
  /** From 1. */
  part: number
  /** How many parts there are. */
  parts: number
  /** The host's id of the call. */
  toolCallId: string
  /** The same for the same part of the same call. */
  idempotencyKey: string
}

/** What became of a message. */
export interface MessageReceipt {
  /** What the channel calls the message, for edits and replies. */
  id?: string | undefined
  /** Default: `sent`, where there is an `id`. */
  status?: 'sent' | 'queued' | 'failed' | 'unknown' | 'suppressed' | undefined
  /** Why it was not sent. */
  error?: string | undefined
}

/** A run of a scheduled job. */
export interface CronRun {
  /** The job. */
  jobId: string
  /** The job and the time that it was scheduled for: the same for no two runs. */
  runId: string
  /** What users call the job. */
  name: string
  /** The task, for an agent. */
  prompt: string | null
  /** The kind of agent that does it. */
  agent: string | null
  /** Data of the application that the job carries. */
  data: Record<string, any> | null
  /** RFC 3339, with the offset of the time zone of the job. */
  scheduledFor: string
  /** `schedule`: its time has come; `catchup`: a run that was missed; `manual`: it was asked for. */
  trigger: 'schedule' | 'catchup' | 'manual'
  /** Occurrences that were missed and that this run stands for as well. */
  missed: number
  /** The IANA time zone of the job. */
  timeZone: string
}

/** What a function that runs a job works with. */
export interface CronContext extends HostContext {
  /** Shows the progress of the run. */
  onUpdate(partial: string | AgentReport): void
  /** Tools with a session of their own, under the rules of those who made the job and of this toolkit. Closed when the run ends. */
  readonly tools: AgentTool<any, any>[]
  /** Their toolkit. */
  readonly toolkit: Toolkit
}

/** Scheduled jobs of the workspace. */
export interface CronOptions {
  /** Whether this toolkit runs the jobs. Default: false: it only keeps them. */
  run?: boolean | undefined
  /** Whether Node stays alive for jobs to come, until the toolkit is closed. Only with `run`. Default: false. */
  keepAlive?: boolean | undefined
  /** The IANA time zone of schedules that name none. Default: that of the system. */
  timeZone?: string | undefined
}

/** A canvas that was presented. */
export interface ShownCanvas {
  /** The call that presented it. */
  toolCallId: string
  /** The canvas, as the tool names it. */
  canvasId: string
  /** The name that the model gave it. */
  name: string | null
  /** What users read above it. */
  title: string
  /** Its page on this machine. Who knows the address can open it. */
  url: string
  /** Its document for a host of MCP Apps: an HTML text to show in a frame with an origin of its own. */
  resource: { uri: string; mimeType: string; text: string; _meta: { ui: { csp: CanvasCsp } } }
}

/** The origins that a canvas may use, in the words of MCP Apps. */
export interface CanvasCsp {
  /** For `fetch`, `EventSource` and `WebSocket`. */
  connectDomains: string[]
  /** For scripts, styles, images, fonts and media. */
  resourceDomains: string[]
}

/** A canvas as a host of MCP Apps takes it. */
export interface CanvasDocument {
  /** `ui://tenon/canvas/<id>`, or `ui://tenon/canvas` for the document that takes its content from the result of a call. */
  uri: string
  /** What users read above it. */
  title: string
  /** `text/html;profile=mcp-app` */
  mimeType: string
  /** The whole document. */
  text: string
  /** The origins that it may use. */
  csp: CanvasCsp
  /** What the document without content takes as `_meta['tenon/canvas']` of the result of a call; null for that document itself. */
  state: { canvasId: string; title: string; hash: string; version: number; html: string; data: unknown } | null
}

/** How the browser is used. */
export type BrowserOptions = Exclude<NonNullable<ToolkitDataOptions['browser']>, boolean>

/** How pages are shown. */
export type CanvasOptions = Exclude<NonNullable<ToolkitDataOptions['canvas']>, boolean>

/** A value, at once or later. */
type MaybePromise<T> = T | Promise<T>
