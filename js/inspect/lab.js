// @ts-check
'use strict'

const { quietly } = require('../notices.js')
const { ToolError } = require('../tool-error.js')

/** Most calls of a session that other rules are tried on: the last ones. */
const SIMULATED_MAX = 1000
const DIALECTS = ['agent', 'canonical', 'coder', 'manager', 'acp']

/**
 * What is tried without running anything: calls and rules, over the workspace of the session.
 *
 * @typedef {{ workspace: any, dialect?: any, settings?: any, permissions?: any, tools?: any }} Given
 */
class Laboratory {
  #given
  #own

  /**
   * @param {Given} given the options that decisions depend on
   * @param {any} [own] the running toolkit
   */
  constructor(given, own) {
    this.#given = given
    this.#own = own
  }

  get permissions() {
    return this.#given.permissions ?? {}
  }

  /**
   * What these rules, or the present ones, decide about a call.
   *
   * @param {string} tool
   * @param {unknown} params
   * @param {any} [permissions]
   */
  decide(tool, params, permissions) {
    if (permissions === undefined && this.#own) return this.#own.explain(tool, params)
    return this.#with({ ...this.#given, ...(permissions !== undefined && { permissions }) }, (toolkit) => ({
      ...toolkit.explain(tool, params),
      remarks: toolkit.lint(),
    }))
  }

  /**
   * What these rules would have decided about the calls of a session.
   *
   * @param {import('./model.js').Call[]} calls
   * @param {any} permissions
   */
  simulate(calls, permissions) {
    const last = calls.slice(-SIMULATED_MAX)
    const given = last.map(({ tool, params }) => ({ tool, params: typeof params === 'object' && params !== null ? params : {} }))
    const results = this.#own ? this.#own.simulate(given, permissions) : this.#with(this.#given, (toolkit) => toolkit.simulate(given, permissions))
    return { total: calls.length, calls: results.map((/** @type {any} */ result, /** @type {number} */ index) => ({ n: last[index].n, ...result })) }
  }

  /** The tools by what they do, in each vocabulary, with what their definitions cost. */
  tools() {
    const operations = /** @type {Map<string, Record<string, { name: string, tokens: number }[]>>} */ (new Map())
    const take = (/** @type {string} */ column, /** @type {any} */ toolkit) => {
      const tokens = new Map(toolkit.definitions().map((/** @type {any} */ definition) => [definition.name, tokensOf(definition)]))
      for (const { name, metadata } of toolkit.listTools()) {
        const operation = metadata.operation === 'foreign' ? name : metadata.operation
        const row = operations.get(operation) ?? {}
        // Some vocabularies have several tools for one operation.
        row[column] = [...(row[column] ?? []), { name, tokens: Number(tokens.get(name)) }]
        operations.set(operation, row)
      }
    }
    if (this.#own) take('this toolkit', this.#own)
    for (const dialect of DIALECTS) this.#with({ workspace: this.#given.workspace, dialect }, (toolkit) => take(dialect, toolkit))
    const columns = [...(this.#own ? ['this toolkit'] : []), ...DIALECTS]
    const totals = columns.map((column) =>
      [...operations.values()].reduce((sum, row) => sum + (row[column] ?? []).reduce((part, { tokens }) => part + tokens, 0), 0),
    )
    return { columns, totals, operations: [...operations].map(([operation, names]) => ({ operation, names })) }
  }

  /**
   * @template T
   * @param {any} options
   * @param {(toolkit: any) => T} work
   * @returns {T}
   */
  #with(options, work) {
    const { Toolkit } = require('../toolkit.js')
    const toolkit = quietly(() => new Toolkit(options))
    try {
      return work(toolkit)
    } finally {
      toolkit.close().catch(() => {})
    }
  }
}

/** Four characters of JSON are about a token. @param {unknown} definition */
function tokensOf(definition) {
  return Math.ceil(JSON.stringify(definition).length / 4)
}

/** @param {unknown} error */
function sentenceOf(error) {
  if (ToolError.is(error)) return error.message
  return error instanceof Error ? error.message : String(error)
}

module.exports = { Laboratory, sentenceOf, tokensOf }
