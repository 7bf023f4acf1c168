// @ts-check
'use strict'

const { forRegistry, forToolManager } = require('./js/managers.js')
const { mcpHttpHandler } = require('./js/mcp-http.js')
const { serveMcp } = require('./js/mcp-server.js')
const { platformNames } = require('./js/platforms.js')
const { importRules, isToolAllowedByPolicy } = require('./js/policy.js')
const { jsonResult, toToolDefinitions } = require('./js/results.js')
const { ToolError } = require('./js/tool-error.js')
const { ToolExecutionError, ToolManager, ToolNotFoundError, ToolValidationError } = require('./js/tool-manager.js')
const { Toolkit, createTools } = require('./js/toolkit.js')

module.exports = {
  ToolError,
  ToolExecutionError,
  ToolManager,
  ToolNotFoundError,
  ToolValidationError,
  Toolkit,
  createTools,
  forRegistry,
  forToolManager,
  importRules,
  isToolAllowedByPolicy,
  jsonResult,
  mcpHttpHandler,
  platformNames,
  serveMcp,
  toToolDefinitions,
}
