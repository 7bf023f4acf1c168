// The tools in LangChain (`@langchain/core`, `langchain`).

import type { DynamicStructuredTool } from '@langchain/core/tools'

import type { Toolkit } from './index.js'

export interface LangChainToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[]
}

/**
 * The tools for `tools` of `createAgent`, `bindTools` and `ToolNode`. A call is answered with a message: text and images,
 * `artifact` with the details, `status: 'error'` where it failed. Partial results are written to the stream mode `custom`.
 */
export declare function toLangChainTools(toolkit: Toolkit<any>, options?: LangChainToolOptions): DynamicStructuredTool<any, any, any, any>[]

/**
 * Middleware of `createAgent`: a call that requires approval interrupts the graph in the form of LangChain's
 * `humanInTheLoopMiddleware`, with the `approvalRequest` of tenon, and is resumed with `{ decisions: [{ type: 'approve' }] }`, `edit` or
 * `reject`. What is approved runs once, if it still does what was shown.
 */
export declare function tenonMiddleware(toolkit: Toolkit<any>): {
  name: string
  wrapToolCall: (request: any, handler: (request: any) => any) => Promise<any>
}
