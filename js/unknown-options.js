// @ts-check
'use strict'

const { invalidInput } = require('./tool-error.js')

/**
 * Refuses options that do not exist.
 *
 * @param {string} where
 * @param {any} options
 * @param {readonly string[]} known
 */
function requireOptions(where, options, known) {
  if (typeof options !== 'object' || options === null) throw invalidInput(where, `The options of \`${where}\` must be an object.`)
  const other = Object.keys(options).find((name) => !known.includes(name) && options[name] !== undefined)
  if (other === undefined) return
  const { nearest } = require('./nearest.js')
  const near = nearest(other, known)
  const next = near === undefined ? `Known options: ${known.map((name) => `\`${name}\``).join(', ')}.` : `Did you mean \`${near}\`?`
  throw invalidInput(where, `Unknown option \`${other}\` of \`${where}\`. ${next}`)
}

module.exports = { requireOptions }
