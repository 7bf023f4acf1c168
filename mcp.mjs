import adapter from './mcp.js'

export const { askClient, logToClient, mcpHost, mcpHttpHandler, registerTools, serveMcp } = adapter
