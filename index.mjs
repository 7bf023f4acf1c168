import tenon from './index.js'

export const {
  ToolError,
  ToolExecutionError,
  ToolManager,
  ToolNotFoundError,
  ToolValidationError,
  Toolkit,
  createTools,
  forRegistry,
  forToolManager,
  importRules,
  isToolAllowedByPolicy,
  jsonResult,
  mcpHttpHandler,
  platformNames,
  serveMcp,
  toToolDefinitions,
} = tenon
export default tenon
