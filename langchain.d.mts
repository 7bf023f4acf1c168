import type { DynamicStructuredTool } from '@langchain/core/tools'

import type { Toolkit } from './index.js'
import type { LangChainToolOptions } from './langchain.js'

export type { BackendFile, BackendFileError, LangChainToolOptions, NativeToolOptions, NativeTools, ShellOutput, ToolkitBackend } from './langchain.js'
export { tenonMiddleware, toBackend, toNativeTools } from './langchain.js'

/**
 * The tools for `tools` of `createAgent`, `bindTools` and `ToolNode`: of the classes that modules import, which TypeScript holds for others than
 * those that are required.
 */
export declare function toLangChainTools(toolkit: Toolkit<any>, options?: LangChainToolOptions): DynamicStructuredTool<any, any, any, any>[]
