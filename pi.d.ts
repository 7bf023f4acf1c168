// The tools in pi (`@earendil-works/pi-agent-core`).

import type { AgentTool, ApprovalRequest, Toolkit } from './index.js'

export { piAgents, piFollowUps, type PiAgentsOptions } from './agents.js'

/** Options of `toPiTools`. */
export interface PiToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
  /** Other names for tools, such as `{ exec: 'bash' }`. */
  rename?: Readonly<Record<string, string>> | undefined
}

/** The tools for `initialState.tools` of an `Agent`. */
export declare function toPiTools(toolkit: Toolkit<any>, options?: PiToolOptions): AgentTool[]

/** Asks the user about a call that requires approval. Anything but `true` refuses it. */
export type PiAsk = (request: ApprovalRequest, context: { signal?: AbortSignal }) => boolean | Promise<boolean>

/**
 * The option `beforeToolCall` of an `Agent`: what policy denies is blocked with its reason, and `ask` decides what requires approval.
 * What it approves runs once, if it still does what was shown. `options` are those of `toPiTools`.
 */
export declare function toBeforeToolCall(
  toolkit: Toolkit<any>,
  ask: PiAsk,
  options?: PiToolOptions,
): (context: any, signal?: AbortSignal) => Promise<{ block: true; reason: string } | undefined>
