// The tools in the Google Gen AI SDK (`@google/genai`).

import type { AgentToolResult, ApprovalRequest, Toolkit } from './index.js'

/** Options of `toCallableTool`. */
export interface GoogleToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
  /**
   * Whether parameters are sent as JSON Schema (`parametersJsonSchema`), which newer models take, in place of the subset of OpenAPI. Free objects
   * are then objects, not JSON text. Default: false.
   */
  parametersJsonSchema?: boolean | undefined
  /** The SDK gives its tools no signal. */
  signal?: AbortSignal | undefined
  /** Gets partial results. */
  onUpdate?: ((update: { tool: string; toolCallId: string; partial: AgentToolResult<any> }) => void) | undefined
  /** What the user said to calls that require approval, by their ids; see `pendingApprovals`. */
  approvals?: Record<string, boolean | string> | undefined
}

/** A `CallableTool` of the SDK. */
export interface GoogleTool {
  /** The declarations for the model. */
  tool(): Promise<{ functionDeclarations: Record<string, any>[] }>
  /** Runs calls of the model, side by side. */
  callTool(
    calls: { id?: string | undefined; name?: string | undefined; args?: Record<string, unknown> | undefined }[],
  ): Promise<
    { functionResponse: { id?: string; name: string; response: Record<string, unknown>; parts?: { inlineData: { mimeType: string; data: string } }[] } }[]
  >
}

/** The tools for `config.tools` of `models.generateContent` and of chats, which then call them by themselves. */
export declare function toCallableTool(toolkit: Toolkit<any>, options?: GoogleToolOptions): GoogleTool

/** The calls of a response that require approval, as their user has to see them: for `approvals`. */
export declare function pendingApprovals(toolkit: Toolkit<any>, response: object): Promise<ApprovalRequest[]>
