// @ts-check
'use strict'

const { ToolError } = require('./tool-error.js')
const { Toolkit } = require('./toolkit.js')

/** @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool */

/** Where managers file tools. */
const ToolCategory = Object.freeze({
  FILE_SYSTEM: 'file_system',
  CODE_ANALYSIS: 'code_analysis',
  TESTING: 'testing',
  DIAGNOSTICS: 'diagnostics',
  SEARCH: 'search',
  REFACTORING: 'refactoring',
  GIT: 'git',
  UTILITY: 'utility',
  RUNTIME: 'runtime',
  WEB: 'web',
  SESSION: 'session',
  MESSAGING: 'messaging',
})

/** A failure of a `ToolManager`, with its context. */
class ManagerError extends ToolError {
  /**
   * @param {string} message
   * @param {ToolError} error
   * @param {Record<string, unknown>} context
   */
  constructor(message, error, context) {
    super(message, { tool: error.tool, error_type: error.error_type, details: error.details, cause: error.cause ?? error })
    this.context = context
  }
}

/** No tool of this name. */
class ToolNotFoundError extends ManagerError {}

/** The parameters of a call are not valid. */
class ToolValidationError extends ManagerError {}

/** The call failed, was denied, or timed out. */
class ToolExecutionError extends ManagerError {}

for (const [name, value] of Object.entries({ ToolNotFoundError, ToolValidationError, ToolExecutionError })) {
  Object.defineProperty(value.prototype, 'name', { value: name, writable: true, configurable: true })
}

/** A toolkit as tool managers are used: `execute` returns the details, and every tool has a `handler`. */
class ToolManager extends Toolkit {
  /** Tools with their handlers, by the tool. @type {WeakMap<AgentTool, import('../index.d.ts').ManagerTool>} */
  #handled = new WeakMap()

  /** @param {Partial<import('../index.d.ts').ToolkitOptions<any>>} [options] */
  constructor(options) {
    super({ dialect: 'manager', ...options, workspace: options?.workspace ?? process.cwd() })
  }

  /**
   * @param {string} name
   * @param {unknown} params
   * @param {import('../index.d.ts').ExecuteOptions<any>} [options]
   * @returns {Promise<any>}
   */
  async execute(name, params, options) {
    try {
      const { details } = await super.execute(name, params, options)
      return details
    } catch (error) {
      throw ToolError.is(error) ? this.#managed(error, name, params) : error
    }
  }

  /** @param {string} name */
  getTool(name) {
    const tool = super.getTool(name)
    return tool && this.#withHandler(tool)
  }

  /** @param {readonly string[]} names */
  getTools(names) {
    return super.getTools(names).map((tool) => this.#withHandler(tool))
  }

  listTools() {
    return super.listTools().map((tool) => this.#withHandler(tool))
  }

  /**
   * @param {string} name
   * @param {unknown} params
   */
  validateParams(name, params) {
    if (super.getTool(name)) return super.validateParams(name, params)
    return { valid: false, errors: [{ param: 'tool', message: `Tool '${name}' not found`, code: /** @type {const} */ ('TOOL_NOT_FOUND') }] }
  }

  /**
   * @param {AgentTool} tool
   * @returns {import('../index.d.ts').ManagerTool}
   */
  #withHandler(tool) {
    const known = this.#handled.get(tool)
    if (known) return known
    const handled = { ...tool, handler: (/** @type {any} */ params, /** @type {any} */ options) => this.execute(tool.name, params, options) }
    this.#handled.set(tool, handled)
    return handled
  }

  /**
   * @param {ToolError} error
   * @param {string} toolName
   * @param {unknown} params
   */
  #managed(error, toolName, params) {
    const { code, errors = [] } = error.details
    if (code === 'unknown_tool') {
      const availableTools = super.listTools().map(({ name }) => name)
      return new ToolNotFoundError(`Tool '${toolName}' not found`, error, { toolName, availableTools })
    }
    if (code === 'invalid_params') return new ToolValidationError(`Invalid parameters for tool '${toolName}'`, error, { toolName, errors })
    const failed = error.cause ?? error
    return new ToolExecutionError(`Tool '${toolName}' execution failed: ${error.message}`, error, { toolName, params, error: failed })
  }
}

module.exports = { ToolCategory, ToolExecutionError, ToolManager, ToolNotFoundError, ToolValidationError }
