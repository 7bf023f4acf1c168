// @ts-check
'use strict'

// @ts-ignore: an optional peer
const { tool } = require('@openai/agents')

const { adapterOver } = require('./js/adapters/openai-agents.js')

module.exports = adapterOver({ tool })
