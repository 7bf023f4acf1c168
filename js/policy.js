// @ts-check
'use strict'

const { loadNative } = require('./load.js')
const { jsonOf } = require('./params.js')
const { invalidInput, open } = require('./tool-error.js')

/**
 * Rules of another agent, for `permissions`, and those that could not be imported.
 *
 * @param {import('../index.d.ts').RuleFormat} format
 * @param {string} text
 * @returns {import('../index.d.ts').ImportedRules}
 */
function importRules(format, text) {
  if (typeof text !== 'string') throw invalidInput('importRules', 'The rules must be the text of a file. Read the file first.')
  return open(loadNative().importRules(jsonOf('importRules', format), text))
}

/**
 * Whether a profile with its lists exposes the tool of this name.
 *
 * @param {string} name
 * @param {import('../index.d.ts').ToolkitDataOptions['tools']} [policy]
 * @returns {boolean}
 */
function isToolAllowedByPolicy(name, policy) {
  if (typeof name !== 'string') throw invalidInput('isToolAllowedByPolicy', 'The name of a tool must be a string.')
  return open(loadNative().isToolAllowed(name, jsonOf('isToolAllowedByPolicy', policy ?? {})))
}

/**
 * What the catalogue knows of a program of the command line, as data and as a text; `null` for one that is not in it.
 *
 * @param {string} name
 * @returns {{ program: object, text: string } | null}
 */
function describeProgram(name) {
  return open(loadNative().describeProgram(name))
}

module.exports = { describeProgram, importRules, isToolAllowedByPolicy }
