// @ts-check
'use strict'

const { parametersOf } = require('../definitions.js')
const { messageOf, requireOptions, requireToolkit, run, toolsOf } = require('./calls.js')
const { textOf } = require('./parts.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/**
 * The tools as LlamaIndex.TS takes them. It has texts only, no signals and no approvals: what requires approval goes to
 * `onApproval` of the toolkit.
 *
 * @param {Toolkit} toolkit
 * @param {import('../../llamaindex.d.ts').LlamaIndexToolOptions} [options]
 */
function toLlamaIndexTools(toolkit, options = {}) {
  requireToolkit('toLlamaIndexTools', toolkit)
  requireOptions('toLlamaIndexTools', options, ['names', 'signal', 'onUpdate'])
  const { names, signal, onUpdate: listener } = options
  return toolsOf(toolkit, names).map((tool) => ({
    metadata: { name: tool.name, description: tool.description, parameters: parametersOf(toolkit, tool) },
    call: async (/** @type {unknown} */ input) => {
      const onUpdate = listener && ((/** @type {any} */ partial) => listener({ tool: tool.name, partial }))
      try {
        return textOf((await run(toolkit, tool.name, input, { signal, onUpdate })).content)
      } catch (error) {
        if (signal?.aborted) throw error
        // A failure that is thrown ends the run of its agents.
        return `Error: ${messageOf(error)}`
      }
    },
  }))
}

module.exports = { toLlamaIndexTools }
