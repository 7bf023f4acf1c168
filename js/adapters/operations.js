// @ts-check
'use strict'

const { nativeName } = require('../native-names.js')
const { ToolError, invalidInput } = require('../tool-error.js')
const { isElsewhere } = require('./grants.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/**
 * The name of the tool that runs an operation, whatever the dialect of the toolkit.
 *
 * @param {Toolkit} toolkit
 * @param {string} operation as the `agent` vocabulary names it
 */
function nameOf(toolkit, operation) {
  // An engine that is elsewhere answers for itself.
  if (isElsewhere(toolkit) || isAvailable(toolkit, operation)) return nativeName(operation)
  throw new ToolError(`\`${operation}\` is not available in this toolkit. Continue without it.`, {
    tool: operation,
    error_type: 'not_found',
    details: { code: 'unknown_tool' },
  })
}

/**
 * @param {Toolkit} toolkit
 * @param {string} operation
 */
function isAvailable(toolkit, operation) {
  const { errors = [] } = toolkit.validateParams(nativeName(operation), {})
  return !errors.some(({ code }) => code === 'TOOL_NOT_FOUND')
}

/**
 * Refuses a toolkit that a tool of a provider could not work with.
 *
 * @param {string} where
 * @param {Toolkit} toolkit
 * @param {readonly string[]} operations
 */
function requireOperations(where, toolkit, operations) {
  if (isElsewhere(toolkit)) return
  const missing = operations.filter((operation) => !isAvailable(toolkit, operation))
  if (missing.length === 0) return
  const names = missing.map((name) => `\`${name}\``).join(', ')
  throw invalidInput(where, `\`${where}\` needs ${names}, which the option \`tools\` of this toolkit hides. Allow it there.`)
}

/**
 * A word of a command line.
 *
 * @param {string} word
 */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`
}

/**
 * A patch of one file, from an operation as OpenAI's models write it.
 *
 * @param {any} operation
 */
function patchOf({ type, path, diff = '', moveTo, move_to = moveTo }) {
  const title = TITLES[/** @type {keyof typeof TITLES} */ (type)]
  if (!title) throw unfit(`The operation \`${type}\` does not exist. Use \`create_file\`, \`update_file\` or \`delete_file\`.`)
  const isMoved = move_to !== undefined && move_to !== null
  if (isMoved && type !== 'update_file') throw unfit(`\`move_to\` is for \`update_file\`, not for \`${type}\`.`)
  for (const [name, given] of [['path', path], ...(isMoved ? [['move_to', move_to]] : [])]) {
    // In an envelope blanks around a path are not part of it.
    if (typeof given !== 'string' || given === '' || given.trim() !== given || /[\r\n]/.test(given)) {
      throw unfit(`\`${name}\` must be the path of one file, without blanks around it.`)
    }
  }
  if (typeof diff !== 'string') throw unfit('`diff` must be a string.')
  const lines = diff.replace(/\r?\n$/, '').split('\n')
  const other = lines.find((line) => line.startsWith('*** ') && !/^\*\*\* End of File\r?$/.test(line))
  if (other !== undefined) throw unfit(`\`diff\` must be about \`${path}\` alone; it has the line \`${other}\`.`)
  const body = type === 'delete_file' ? [] : lines
  const move = isMoved ? [`*** Move to: ${move_to}`] : []
  return ['*** Begin Patch', `*** ${title}: ${path}`, ...move, ...body, '*** End Patch'].join('\n')
}

const TITLES = { create_file: 'Add File', update_file: 'Update File', delete_file: 'Delete File' }

/** @param {string} message */
function unfit(message) {
  return invalidInput('apply_patch', message)
}

/**
 * What a command wrote, cut in its middle where it is longer than the caller wants it.
 *
 * @param {string} text
 * @param {number | null | undefined} limit
 */
function bounded(text, limit) {
  if (typeof limit !== 'number' || !(limit >= 0) || text.length <= limit) return text
  const head = Math.ceil(limit / 2)
  const tail = Math.floor(limit / 2)
  return `${text.slice(0, head)}\n[${text.length - head - tail} characters omitted]\n${tail > 0 ? text.slice(-tail) : ''}`
}

module.exports = { bounded, nameOf, patchOf, quoted, requireOperations }
