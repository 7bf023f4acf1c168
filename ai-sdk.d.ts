// The tools in the AI SDK (`ai`), versions 6 and 7.

import type { ToolSet } from 'ai'

import type { AgentTool, Toolkit } from './index.js'

export { aiAgents, type AIAgentsOptions } from './agents.js'

export interface AISDKToolOptions {
  /** The major version of `ai`, which decides how images are sent to the model. Default: that of the installed package. */
  version?: number
  /** Whether a call yields partial results while it runs, for streams of a user interface. Default: true. */
  progress?: boolean
  /**
   * Version 6: whether a call that requires approval needs one of the AI SDK; in version 7 use `toolApproval`. What its user
   * approved runs without another question, if it still does what was shown. Default: false.
   */
  needsApproval?: boolean
}

/**
 * The tools as the AI SDK takes them: for `tools` of `generateText`, `streamText` and its agents. The model gets text and images;
 * the output of a call is the whole result with its details. A call that fails is a tool error whose message is written for the model.
 */
export declare function toAISDKTools(source: Toolkit<any> | readonly AgentTool[], options?: AISDKToolOptions): ToolSet

/** What policy says to a call, in the words of the AI SDK. */
export type ToolApprovalStatus = { type: 'approved' | 'denied' | 'user-approval'; reason: string } | undefined

/** A function for the option `toolApproval` of `generateText` and `streamText`. */
export type ToolApproval = (options: { toolCall: { toolName: string; toolCallId?: string; input: unknown } }) => ToolApprovalStatus

/**
 * Version 7: what policy says to each call before it runs. Where it asks, the AI SDK asks its user. What the
 * user approved runs without another question, if it still does what was shown. What policy denies is denied there, too.
 */
export declare function toolApproval(toolkit: Toolkit<any>): ToolApproval
