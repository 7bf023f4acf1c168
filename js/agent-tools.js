// @ts-check
'use strict'

const { hide } = require('./schema.js')
const { asyncDispose, Toolkit } = require('./toolkit.js')

/**
 * Toolkits by the options object that they were made with: tools that are created from the same one share their session.
 *
 * @type {WeakMap<object, Toolkit>}
 */
const toolkits = new WeakMap()

/**
 * A function that creates one tool of the `agent` vocabulary.
 *
 * @param {string} name
 */
function creatorOf(name) {
  return (/** @type {import('../index.d.ts').SingleToolOptions} */ options) => {
    let toolkit = toolkits.get(options)
    if (!toolkit) {
      // Who creates a tool by name wants it, also where calling it needs a part of the host that is missing.
      toolkit = new Toolkit({
        ...options,
        dialect: 'agent',
        browser: options?.browser ?? true,
        canvas: options?.canvas ?? true,
        tools: { ...options?.tools, show: 'all', add: [...(options?.tools?.add ?? []), 'exit_plan'] },
      })
      toolkits.set(options, toolkit)
    }
    const opened = toolkit
    const tool = opened.tool(name)
    hide(tool, 'close', () => closed(options, opened))
    hide(tool, asyncDispose, () => closed(options, opened))
    return tool
  }
}

/**
 * @param {object} options
 * @param {Toolkit} toolkit
 */
function closed(options, toolkit) {
  if (toolkits.get(options) === toolkit) toolkits.delete(options)
  return toolkit.close()
}

module.exports = {
  createApplyPatchTool: creatorOf('apply_patch'),
  createAskUserTool: creatorOf('ask_user'),
  createBrowserTool: creatorOf('browser'),
  createCanvasTool: creatorOf('canvas'),
  createCronTool: creatorOf('cron'),
  createEditTool: creatorOf('edit'),
  createExecTool: creatorOf('exec'),
  createExitPlanTool: creatorOf('exit_plan'),
  createFindTool: creatorOf('find'),
  createGrepTool: creatorOf('grep'),
  createLsTool: creatorOf('ls'),
  createLspTool: creatorOf('lsp'),
  createMemoryTool: creatorOf('memory'),
  createMessageTool: creatorOf('message'),
  createProcessTool: creatorOf('process'),
  createReadTool: creatorOf('read'),
  createSessionStatusTool: creatorOf('session_status'),
  createSessionsHistoryTool: creatorOf('sessions_history'),
  createSessionsListTool: creatorOf('sessions_list'),
  createSessionsSendTool: creatorOf('sessions_send'),
  createSessionsSpawnTool: creatorOf('sessions_spawn'),
  createSkillTool: creatorOf('skill'),
  createSubagentsTool: creatorOf('subagents'),
  createTaskTool: creatorOf('task'),
  createTodoReadTool: creatorOf('todo_read'),
  createTodoWriteTool: creatorOf('todo_write'),
  createWebFetchTool: creatorOf('web_fetch'),
  createWebSearchTool: creatorOf('web_search'),
  createWriteTool: creatorOf('write'),
}
