/** What kind of change a call made to a file. */
export interface FileChange {
  /** Relative to the workspace. */
  path: string
  kind: 'create' | 'update' | 'delete' | 'move'
}

/** One finished call. */
export interface HistoryEntry {
  id: string
  tool: string
  /** Long texts are cut. */
  params: any
  /** What policy said; absent when the call never came so far. */
  decision?: PolicyVerdict | undefined
  durationMs: number
  outcome: 'ok' | ToolErrorType
  /** The files that it changed. */
  changes?: FileChange[] | undefined
  /** Where the text of its result came from (`taint`). */
  sources?: Origin[] | undefined
}

/** What `onTelemetry` hears of each call. */
export interface TelemetryEvent {
  event: 'tool_used'
  tool: string
  toolCallId: string
  duration_ms: number
  success: boolean
  error_type?: ToolErrorType
  decision?: PolicyVerdict
  /** Of the content that went to the model. */
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
  startSpan(name: string, options?: { kind?: number; attributes?: Record<string, string | number | boolean>; startTime?: number }): TracerSpan
}

/** A span, as OpenTelemetry has them. */
export interface TracerSpan {
  setAttribute(key: string, value: string | number | boolean): unknown
  /** What happened to the call on its way, such as `tenon.asked`. */
  addEvent?(name: string, attributes?: Record<string, string | number | boolean>, time?: number): unknown
  setStatus(status: { code: number; message?: string }): unknown
  recordException(exception: any): unknown
  end(): unknown
}
