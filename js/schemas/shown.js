// @ts-check
'use strict'

const { decoded } = require('./decode.js')
const { portable } = require('./portable.js')
const { ANTHROPIC_NAMES, RULES } = require('./rules.js')
const { translated } = require('./translate.js')

/**
 * Translated schemas by the schema that they are of, and the format.
 *
 * @type {WeakMap<object, Map<string, any>>}
 */
const known = new WeakMap()

/**
 * The schema of parameters as a provider takes it, with what is needed to read what a model sends for it. Shared: not to be changed.
 *
 * @param {any} schema
 * @param {string} format
 */
function shownAs(schema, format) {
  let formats = known.get(schema)
  if (!formats) known.set(schema, (formats = new Map()))
  let shown = formats.get(format)
  if (shown === undefined) {
    const plain = portable(JSON.parse(JSON.stringify(schema)), format === 'anthropic' ? ANTHROPIC_NAMES : undefined)
    shown = Object.hasOwn(RULES, format) ? translated(plain, RULES[format]) : plain
    formats.set(format, shown)
  }
  return shown
}

/**
 * What a model has sent, as the schema has it.
 *
 * @param {any} schema
 * @param {string | undefined} format in which the model was shown it, as far as that is known
 * @param {any} value
 */
function readAs(schema, format, value) {
  try {
    return decoded(shownAs(schema, format ?? 'gemini'), value, format !== undefined)
  } catch {
    // What cannot be read is for the call to refuse.
    return value
  }
}

module.exports = { readAs, shownAs }
