// @ts-check
'use strict'

/** @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool */

/**
 * The tools as tool managers register them: `{name, description, category, parameters, handler(params)}`. A handler
 * returns the details, as a manager's `execute` does, and throws `ToolError`.
 *
 * @param {readonly AgentTool[]} tools
 * @returns {import('../index.d.ts').ManagedTool[]}
 */
function forToolManager(tools) {
  let calls = 0
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    category: tool.category,
    parameters: JSON.parse(JSON.stringify(tool.parameters)),
    metadata: { ...tool.metadata },
    async handler(params, { toolCallId, signal } = {}) {
      calls += 1
      const { details } = await tool.execute(toolCallId ?? `managed_${calls}`, params, signal)
      return details
    },
  }))
}

/**
 * The tools as registries of texts take them: `{name, description, inputSchema, execute(input)}`. The result is the
 * text that the model sees; of an image it has the type and size.
 *
 * @param {readonly AgentTool[]} tools
 * @returns {import('../index.d.ts').RegistryTool[]}
 */
function forRegistry(tools) {
  let calls = 0
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: JSON.parse(JSON.stringify(tool.parameters)),
    async execute(input, { toolCallId, signal, abortSignal } = {}) {
      calls += 1
      const { content } = await tool.execute(toolCallId ?? `registry_${calls}`, input, signal ?? abortSignal)
      return content.map(textOf).join('\n')
    },
  }))
}

/** @param {import('../index.d.ts').AgentToolResult['content'][number]} part */
function textOf(part) {
  return part.type === 'text' ? part.text : `[${part.mimeType}, ${part.data.length} characters of base64]`
}

module.exports = { forRegistry, forToolManager }
