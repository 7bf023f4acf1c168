import adapter from './claude.js'

export const { claudeAgents, toCanUseTool, toClaudeOptions, toSdkMcpServer } = adapter
