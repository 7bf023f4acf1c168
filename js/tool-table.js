// @ts-check
'use strict'

const { agentTool } = require('./agent-tool.js')

/** @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool */

/** The exposed tools of a toolkit, each made at its first use. */
class ToolTable {
  #connection
  /** @type {Map<string, { entry: any, custom?: import('./custom-tool.js').CustomTool, tool?: AgentTool }>} */
  #rows

  /** @param {import('./connection.js').Connection} connection */
  constructor(connection) {
    this.#connection = connection
    this.#rows = new Map(connection.catalog().map((entry) => [entry.name, { entry }]))
  }

  get names() {
    return [...this.#rows.keys()]
  }

  /**
   * @param {string} name
   * @returns {AgentTool | undefined}
   */
  get(name) {
    const row = this.#rows.get(name)
    if (row) row.tool ??= agentTool(row.entry, this.#connection, row.custom)
    return row?.tool
  }

  /** @returns {AgentTool[]} */
  all() {
    return this.names.map((name) => /** @type {AgentTool} */ (this.get(name)))
  }

  /**
   * @param {any} entry
   * @param {import('./custom-tool.js').CustomTool} custom
   */
  set(entry, custom) {
    this.#rows.set(custom.name, { entry, custom })
  }

  /** @param {string} name */
  delete(name) {
    this.#rows.delete(name)
  }
}

module.exports = { ToolTable }
