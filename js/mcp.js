// @ts-check
'use strict'

const { askClient, logToClient, mcpHost } = require('./mcp-calls.js')
const { mcpHttpHandler } = require('./mcp-http.js')
const { registerTools } = require('./mcp-sdk.js')
const { serveMcp } = require('./mcp-stdio.js')

module.exports = { askClient, logToClient, mcpHost, mcpHttpHandler, registerTools, serveMcp }
