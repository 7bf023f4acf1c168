import anthropic from './js/adapters/anthropic.js'

// The class of errors whose content the SDK hands to the model as it is, as modules import it.
// @ts-ignore: an optional peer
const sdk = await import('@anthropic-ai/sdk/lib/tools/ToolError').catch(() => undefined)

export const { agentToolset, bashTool, betaTools, memoryTool, pendingApprovals, runToolUses, textEditorTool, toAnthropicTools } = anthropic.adapterWith(
  sdk?.ToolError,
)
