// @ts-check
'use strict'

const { ToolMessage } = require('@langchain/core/messages')
const { DynamicStructuredTool } = require('@langchain/core/tools')

const { adapterOver } = require('./js/adapters/langchain.js')

module.exports = adapterOver({ DynamicStructuredTool, ToolMessage })
