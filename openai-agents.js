// @ts-check
'use strict'

// @ts-ignore: an optional peer
const { tool, toolSearchTool } = require('@openai/agents')

const { adapterOver } = require('./js/adapters/openai-agents.js')

// @ts-ignore: newer versions of the peer have it
module.exports = adapterOver({ tool, toolSearchTool, loadSandbox: async () => require('@openai/agents/sandbox') })
