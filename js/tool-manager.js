// @ts-check
'use strict'

const { ToolError } = require('./tool-error.js')
const { Toolkit } = require('./toolkit.js')

/** A failure of a `ToolManager`, with what it was about. */
class ManagerError extends ToolError {
  /**
   * @param {ToolError} error
   * @param {Record<string, unknown>} context
   */
  constructor(error, context) {
    super(error.message, { tool: error.tool, error_type: error.error_type, details: error.details, cause: error.cause })
    this.context = context
  }
}

/** No tool of this name. */
class ToolNotFoundError extends ManagerError {}

/** The parameters of a call do not fit. */
class ToolValidationError extends ManagerError {}

/** The call failed, was refused, or took too long. */
class ToolExecutionError extends ManagerError {}

for (const [name, value] of Object.entries({ ToolNotFoundError, ToolValidationError, ToolExecutionError })) {
  Object.defineProperty(value.prototype, 'name', { value: name, writable: true, configurable: true })
}

/** The toolkit with the manners of a tool manager: `execute` answers the details alone. */
class ToolManager extends Toolkit {
  /** @param {import('../index.d.ts').ToolkitOptions<any>} options */
  constructor(options) {
    super({ dialect: 'manager', ...options })
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

  /**
   * @param {ToolError} error
   * @param {string} tool
   * @param {unknown} params
   */
  #managed(error, tool, params) {
    const { error_type, details } = error
    const context = { tool, toolName: tool, params, error_type, ...details }
    if (details.code === 'unknown_tool') return new ToolNotFoundError(error, { ...context, available: this.listTools().map(({ name }) => name) })
    if (details.code === 'invalid_params') return new ToolValidationError(error, context)
    return new ToolExecutionError(error, context)
  }
}

module.exports = { ToolExecutionError, ToolManager, ToolNotFoundError, ToolValidationError }
