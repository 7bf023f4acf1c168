import tenon from './index.js'

export const { ToolError, Toolkit, createTools, importRules, isToolAllowedByPolicy, jsonResult, platformNames, toToolDefinitions } = tenon
export default tenon
