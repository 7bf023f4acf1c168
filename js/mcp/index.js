// @ts-check
'use strict'

const { askClient, logToClient, mcpHost } = require('./calls.js')
const { mcpHttpHandler } = require('./http.js')
const { registerTools } = require('./sdk.js')
const { serveMcp } = require('./stdio.js')

module.exports = { askClient, logToClient, mcpHost, mcpHttpHandler, registerTools, serveMcp }
