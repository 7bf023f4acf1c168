import adapter from './mcp.js'

export const { askClient, mcpHost, mcpHttpHandler, registerTools, serveMcp } = adapter
