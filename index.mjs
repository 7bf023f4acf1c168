import tenon from './index.js'

export const { ToolError, Toolkit, createTools, jsonResult, toToolDefinitions } = tenon
export default tenon
