// @ts-check
'use strict'

const { agentTool } = require('./agent-tool.js')

/** @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool */

/** The exposed tools of a toolkit, each made at its first use. */
class ToolTable {
  #connection
  /** @type {Map<string, { entry: any, custom?: import('./custom-tool.js').CustomTool, tool?: AgentTool }>} */
  #rows
  /** Tools that are called by name only. @type {Set<string>} */
  #hidden = new Set()
  /** Whether tools of the mode `plan` are in it. */
  #isPlanning

  /** @param {import('./connection.js').Connection} connection */
  constructor(connection) {
    this.#connection = connection
    this.#isPlanning = connection.mode() === 'plan'
    this.#rows = new Map(connection.catalog().map((entry) => [entry.name, { entry }]))
  }

  /** Takes in the tools that came with another permission mode, and takes out those that went. */
  update() {
    const isPlanning = this.#connection.mode() === 'plan'
    if (isPlanning === this.#isPlanning) return
    this.#isPlanning = isPlanning
    const rows = this.#rows
    const shown = this.#connection.catalog().filter(({ name }) => !this.#hidden.has(name))
    this.#rows = new Map(shown.map((entry) => [entry.name, rows.get(entry.name) ?? { entry }]))
  }

  /**
   * Puts these tools behind all others, in this order: servers become ready in any order, and models are to be shown the same.
   *
   * @param {readonly string[]} names
   */
  arrange(names) {
    for (const name of names) {
      const row = this.#rows.get(name)
      if (!row) continue
      this.#rows.delete(name)
      this.#rows.set(name, row)
    }
  }

  /** @param {string} name a tool that is called by name only from now on */
  hide(name) {
    this.#hidden.add(name)
  }

  /**
   * Tools that are called by name only.
   *
   * @param {readonly string[]} names
   * @returns {AgentTool[]}
   */
  hiddenOnes(names) {
    const entries = new Map(this.#connection.catalog().map((entry) => [entry.name, entry]))
    return names.flatMap((name) => (entries.has(name) ? [agentTool(entries.get(name), this.#connection, this.#connection.host.tools.get(name))] : []))
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
    this.#hidden.delete(custom.name)
    this.#rows.set(custom.name, { entry, custom })
  }

  /** @param {string} name */
  delete(name) {
    this.#rows.delete(name)
  }
}

module.exports = { ToolTable }
