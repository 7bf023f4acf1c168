// @ts-check
'use strict'

const { forRegistry } = require('./managers.js')
const { invalidInput } = require('./tool-error.js')

/** @typedef {import('../index.d.ts').RegistryTool} RegistryTool */

/** Tools by name, whose results are text: for hosts that hand the model text only. */
class ToolRegistry {
  /** @type {Map<string, RegistryTool>} */
  #tools = new Map()

  /**
   * Adds a tool, or replaces the one of the same name.
   *
   * @param {RegistryTool | import('../index.d.ts').AgentTool<any, any>} tool
   */
  register(tool) {
    if (typeof tool?.name !== 'string' || typeof tool.execute !== 'function') {
      throw invalidInput('register', 'A tool must be an object with a `name` and a function `execute`.')
    }
    this.#tools.set(tool.name, 'inputSchema' in tool ? tool : forRegistry([tool])[0])
  }

  /**
   * @param {string} name
   * @param {any} input
   * @param {Parameters<RegistryTool['execute']>[1]} [context]
   * @returns {Promise<string>}
   */
  async execute(name, input, context) {
    const tool = this.#tools.get(name)
    if (!tool) throw new Error(`Tool not found: ${name}`)
    return tool.execute(input, context)
  }

  /** @returns {import('../index.d.ts').ToolDeclaration[]} */
  getDefinitions() {
    return [...this.#tools.values()].map(({ name, description, inputSchema }) => ({ name, description, inputSchema: structuredClone(inputSchema) }))
  }
}

module.exports = { ToolRegistry }
