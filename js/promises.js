// @ts-check
'use strict'

const { ToolError } = require('./tool-error.js')

/** What toolkits answer at once, and the connection's name for it. */
const METHODS = /** @type {const} */ ({
  approvalRequest: 'foundApprovalRequest',
  background: 'background',
  canvas: 'canvas',
  canvases: 'canvases',
  decide: 'decide',
  explain: 'explain',
  history: 'history',
  lint: 'lint',
  setMode: 'setMode',
  simulate: 'simulate',
  validateParams: 'validate',
})

/**
 * The methods of a toolkit that are answered at once, as promises: they work wherever the engine is.
 *
 * @param {any} connection
 */
function promisesOf(connection) {
  return Object.fromEntries(Object.entries(METHODS).map(([name, own]) => [name, async (/** @type {unknown[]} */ ...args) => connection[own](...args)]))
}

/** @param {string} method */
function elsewhere(method) {
  return new ToolError(`\`${method}\` cannot answer at once: the engine is elsewhere. Use \`await toolkit.promises.${method}(…)\`.`, {
    tool: method,
    error_type: 'execution_failed',
    details: { code: 'elsewhere' },
  })
}

module.exports = { elsewhere, promisesOf }
