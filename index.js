// @ts-check
'use strict'

const { platformNames } = require('./js/platforms.js')
const { importRules, isToolAllowedByPolicy } = require('./js/policy.js')
const { jsonResult, toToolDefinitions } = require('./js/results.js')
const { ToolError } = require('./js/tool-error.js')
const { Toolkit, createTools } = require('./js/toolkit.js')

module.exports = { ToolError, Toolkit, createTools, importRules, isToolAllowedByPolicy, jsonResult, platformNames, toToolDefinitions }
