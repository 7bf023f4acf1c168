// @ts-check
'use strict'

// Every export is loaded at its first use, so that loading the package costs next to nothing. The names of the files are
// written out for bundlers.

/** @type {Record<string, () => any>} */
const loaders = {
  createApplyPatchTool: () => require('./js/agent-tools.js').createApplyPatchTool,
  createAskUserTool: () => require('./js/agent-tools.js').createAskUserTool,
  createEditTool: () => require('./js/agent-tools.js').createEditTool,
  createExecTool: () => require('./js/agent-tools.js').createExecTool,
  createFindTool: () => require('./js/agent-tools.js').createFindTool,
  createGrepTool: () => require('./js/agent-tools.js').createGrepTool,
  createLspTool: () => require('./js/agent-tools.js').createLspTool,
  createLsTool: () => require('./js/agent-tools.js').createLsTool,
  createProcessTool: () => require('./js/agent-tools.js').createProcessTool,
  createReadTool: () => require('./js/agent-tools.js').createReadTool,
  createSkillTool: () => require('./js/agent-tools.js').createSkillTool,
  createTaskTool: () => require('./js/agent-tools.js').createTaskTool,
  createTodoReadTool: () => require('./js/agent-tools.js').createTodoReadTool,
  createTodoWriteTool: () => require('./js/agent-tools.js').createTodoWriteTool,
  createTools: () => require('./js/toolkit.js').createTools,
  createWebFetchTool: () => require('./js/agent-tools.js').createWebFetchTool,
  createWebSearchTool: () => require('./js/agent-tools.js').createWebSearchTool,
  createWriteTool: () => require('./js/agent-tools.js').createWriteTool,
  expandToolGroups: () => require('./js/tool-groups.js').expandToolGroups,
  forRegistry: () => require('./js/managers.js').forRegistry,
  forToolManager: () => require('./js/managers.js').forToolManager,
  importRules: () => require('./js/policy.js').importRules,
  isToolAllowedByPolicy: () => require('./js/policy.js').isToolAllowedByPolicy,
  jsonResult: () => require('./js/results.js').jsonResult,
  mcpHttpHandler: () => require('./js/mcp-http.js').mcpHttpHandler,
  normalizeToolName: () => require('./js/tool-groups.js').normalizeToolName,
  platformNames: () => require('./js/platforms.js').platformNames,
  serveMcp: () => require('./js/mcp-server.js').serveMcp,
  toClientToolDefinitions: () => require('./js/client-tools.js').toClientToolDefinitions,
  TOOL_GROUPS: () => require('./js/tool-groups.js').TOOL_GROUPS,
  ToolCategory: () => require('./js/tool-manager.js').ToolCategory,
  ToolError: () => require('./js/tool-error.js').ToolError,
  ToolExecutionError: () => require('./js/tool-manager.js').ToolExecutionError,
  Toolkit: () => require('./js/toolkit.js').Toolkit,
  ToolManager: () => require('./js/tool-manager.js').ToolManager,
  ToolNotFoundError: () => require('./js/tool-manager.js').ToolNotFoundError,
  ToolRegistry: () => require('./js/tool-registry.js').ToolRegistry,
  ToolValidationError: () => require('./js/tool-manager.js').ToolValidationError,
  toToolDefinitions: () => require('./js/results.js').toToolDefinitions,
}

for (const [name, load] of Object.entries(loaders)) {
  const replace = (/** @type {any} */ value) => {
    Object.defineProperty(module.exports, name, { value, enumerable: true, configurable: true, writable: true })
    return value
  }
  Object.defineProperty(module.exports, name, { get: () => replace(load()), set: replace, enumerable: true, configurable: true })
}
