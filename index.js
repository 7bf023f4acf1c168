// @ts-check
'use strict'

// Files are loaded at their first use, so that loading the package costs next to nothing. Their names are written out for
// bundlers.

/**
 * A function that is loaded at its first call.
 *
 * @param {() => Function} load
 */
function lazy(load) {
  return (/** @type {unknown[]} */ ...args) => load()(...args)
}

/** @type {Record<string, () => any>} */
const values = {
  TOOL_GROUPS: () => require('./js/tool-groups.js').TOOL_GROUPS,
  ToolCategory: () => require('./js/tool-manager.js').ToolCategory,
  ToolError: () => require('./js/tool-error.js').ToolError,
  ToolExecutionError: () => require('./js/tool-manager.js').ToolExecutionError,
  Toolkit: () => require('./js/toolkit.js').Toolkit,
  ToolManager: () => require('./js/tool-manager.js').ToolManager,
  ToolNotFoundError: () => require('./js/tool-manager.js').ToolNotFoundError,
  ToolRegistry: () => require('./js/tool-registry.js').ToolRegistry,
  ToolValidationError: () => require('./js/tool-manager.js').ToolValidationError,
}

module.exports = {
  createApplyPatchTool: lazy(() => require('./js/agent-tools.js').createApplyPatchTool),
  createAskUserTool: lazy(() => require('./js/agent-tools.js').createAskUserTool),
  createBrowserTool: lazy(() => require('./js/agent-tools.js').createBrowserTool),
  createCanvasTool: lazy(() => require('./js/agent-tools.js').createCanvasTool),
  createCronTool: lazy(() => require('./js/agent-tools.js').createCronTool),
  createEditTool: lazy(() => require('./js/agent-tools.js').createEditTool),
  createExecTool: lazy(() => require('./js/agent-tools.js').createExecTool),
  createExitPlanTool: lazy(() => require('./js/agent-tools.js').createExitPlanTool),
  createFindTool: lazy(() => require('./js/agent-tools.js').createFindTool),
  createGrepTool: lazy(() => require('./js/agent-tools.js').createGrepTool),
  createLspTool: lazy(() => require('./js/agent-tools.js').createLspTool),
  createMemoryTool: lazy(() => require('./js/agent-tools.js').createMemoryTool),
  createLsTool: lazy(() => require('./js/agent-tools.js').createLsTool),
  createMessageTool: lazy(() => require('./js/agent-tools.js').createMessageTool),
  createProcessTool: lazy(() => require('./js/agent-tools.js').createProcessTool),
  createReadTool: lazy(() => require('./js/agent-tools.js').createReadTool),
  createSessionStatusTool: lazy(() => require('./js/agent-tools.js').createSessionStatusTool),
  createSessionsHistoryTool: lazy(() => require('./js/agent-tools.js').createSessionsHistoryTool),
  createSessionsListTool: lazy(() => require('./js/agent-tools.js').createSessionsListTool),
  createSessionsSendTool: lazy(() => require('./js/agent-tools.js').createSessionsSendTool),
  createSessionsSpawnTool: lazy(() => require('./js/agent-tools.js').createSessionsSpawnTool),
  createSkillTool: lazy(() => require('./js/agent-tools.js').createSkillTool),
  createSubagentsTool: lazy(() => require('./js/agent-tools.js').createSubagentsTool),
  createTaskTool: lazy(() => require('./js/agent-tools.js').createTaskTool),
  createTodoReadTool: lazy(() => require('./js/agent-tools.js').createTodoReadTool),
  createTodoWriteTool: lazy(() => require('./js/agent-tools.js').createTodoWriteTool),
  createTools: lazy(() => require('./js/toolkit.js').createTools),
  createWebFetchTool: lazy(() => require('./js/agent-tools.js').createWebFetchTool),
  createWebSearchTool: lazy(() => require('./js/agent-tools.js').createWebSearchTool),
  createWriteTool: lazy(() => require('./js/agent-tools.js').createWriteTool),
  estimateTokens: lazy(() => require('./js/tokens.js').estimateTokens),
  expandToolGroups: lazy(() => require('./js/tool-groups.js').expandToolGroups),
  forRegistry: lazy(() => require('./js/managers.js').forRegistry),
  forToolManager: lazy(() => require('./js/managers.js').forToolManager),
  importHooks: lazy(() => require('./js/hooks.js').importHooks),
  importMcpServers: lazy(() => require('./js/mcp/import.js').importMcpServers),
  importRules: lazy(() => require('./js/policy.js').importRules),
  isToolAllowedByPolicy: lazy(() => require('./js/policy.js').isToolAllowedByPolicy),
  jsonResult: lazy(() => require('./js/results.js').jsonResult),
  mcpHttpHandler: lazy(() => require('./js/mcp/http.js').mcpHttpHandler),
  normalizeToolName: lazy(() => require('./js/tool-groups.js').normalizeToolName),
  platformNames: lazy(() => require('./js/platforms.js').platformNames),
  replay: lazy(() => require('./js/replay.js').replay),
  serveMcp: lazy(() => require('./js/mcp/stdio.js').serveMcp),
  terminalApprover: lazy(() => require('./js/terminal-approver.js').terminalApprover),
  toClientToolDefinitions: lazy(() => require('./js/client-tools.js').toClientToolDefinitions),
  toToolDefinitions: lazy(() => require('./js/results.js').toToolDefinitions),
}

for (const [name, load] of Object.entries(values)) {
  const replace = (/** @type {any} */ value) => {
    Object.defineProperty(module.exports, name, { value, enumerable: true, configurable: true, writable: true })
    return value
  }
  Object.defineProperty(module.exports, name, { get: () => replace(load()), set: replace, enumerable: true, configurable: true })
}
