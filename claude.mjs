import adapter from './claude.js'

export const { toCanUseTool, toClaudeOptions, toSdkMcpServer } = adapter
