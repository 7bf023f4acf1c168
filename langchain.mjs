import { ToolMessage } from '@langchain/core/messages'
import { DynamicStructuredTool } from '@langchain/core/tools'

import langchain from './js/adapters/langchain.js'

// Over the classes of the package as modules import it, not as `require` does.
export const { tenonMiddleware, toBackend, toLangChainTools, toNativeTools } = langchain.adapterOver({ DynamicStructuredTool, ToolMessage })
