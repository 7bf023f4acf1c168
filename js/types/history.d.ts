/** One change of a file. */
export interface FileChange {
  /** Relative to the workspace. */
  path: string
  /** What happened to the file. */
  kind: 'create' | 'update' | 'delete' | 'move'
}

/** One finished call. */
export interface HistoryEntry {
  /** The host's id of the call. */
  id: string
  /** The tool, by the name that was called. */
  tool: string
  /** Long texts are cut. */
  params: any
  /** What policy decided. Missing when the call failed before that. */
  decision?: PolicyVerdict | undefined
  /** How long it took, in milliseconds, approvals included. */
  durationMs: number
  /** `ok`, else what kind of failure it was. */
  outcome: 'ok' | ToolErrorType
  /** The files that it changed. */
  changes?: FileChange[] | undefined
  /** Where the text of its result came from (`taint`). */
  sources?: Origin[] | undefined
}

/** What `onTelemetry` is called with, once for each call. */
export interface TelemetryEvent {
  /** Always a finished call. */
  event: 'tool_used'
  /** The tool, by the name that was called. */
  tool: string
  /** The host's id of the call. */
  toolCallId: string
  /** How long it took, in milliseconds. */
  duration_ms: number
  /** Whether it returned a result. */
  success: boolean
  /** What kind of failure it was. Missing for a success. */
  error_type?: ToolErrorType
  /** What policy decided. Missing when the call failed before that. */
  decision?: PolicyVerdict
  /** Size of the content for the model, in bytes. */
  bytes: number
  /** The files that the call changed. */
  changes?: FileChange[]
}

/** Where calls are reported, in addition to `onTelemetry`. */
export interface TelemetryOptions {
  /**
   * Begins a span for each call, called `execute_tool <name>`, with the attributes of OpenTelemetry's conventions for
   * generative AI; its parent is the span that is active where the call is made. What it throws does not touch the call.
   */
  tracer?: Tracer | undefined
}

/** A tracer, as OpenTelemetry has them (`trace.getTracer(…)`). */
export interface Tracer {
  /** Begins a span. */
  startSpan(name: string, options?: { kind?: number; attributes?: Record<string, string | number | boolean>; startTime?: number }): TracerSpan
}

/** A span, as OpenTelemetry has them. */
export interface TracerSpan {
  /** Adds a fact about the call. */
  setAttribute(key: string, value: string | number | boolean): unknown
  /** What happened to the call on its way, such as `tenon.asked`. */
  addEvent?(name: string, attributes?: Record<string, string | number | boolean>, time?: number): unknown
  /** Says whether the call failed: `code` 2. */
  setStatus(status: { code: number; message?: string }): unknown
  /** Notes the error of a call that failed. */
  recordException(exception: any): unknown
  /** Ends the span with the call. */
  end(): unknown
}
