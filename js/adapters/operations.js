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
 * A glob that counts from the directory that is searched; `find` takes one without a slash for a name at any depth.
 *
 * @param {string} pattern
 */
function fromHere(pattern) {
  const relative = pattern.replace(/^\/+/, '')
  return relative.includes('/') ? relative : `./${relative}`
}

/**
 * A patch of one file, from an operation as OpenAI's models write it.
 *
 * @param {any} operation
 */
function patchOf({ type, path, diff = '', moveTo, move_to = moveTo }) {
  const title = TITLES[/** @type {keyof typeof TITLES} */ (type)]
  if (!title) throw unfit(`The operation \`${type}\` does not exist. Use \`create_file\`, \`update_file\` or \`delete_file\`.`)
  requirePath('path', path)
  if (move_to != null) requirePath('move_to', move_to)
  if (move_to != null && type !== 'update_file') throw unfit(`\`move_to\` is for \`update_file\`, not for \`${type}\`.`)
  if (typeof diff !== 'string') throw unfit('`diff` must be a string.')
  const lines = diff.replace(/\r?\n$/, '').split('\n')
  const other = lines.find((line) => line.startsWith('*** ') && !/^\*\*\* End of File\r?$/.test(line))
  if (other !== undefined) throw unfit(`\`diff\` must be about \`${path}\` alone; it has the line \`${other}\`.`)
  const move = move_to == null ? [] : [`*** Move to: ${move_to}`]
  // A file that only moves has no change.
  const body = type === 'delete_file' || (move.length > 0 && diff === '') ? [] : lines
  return ['*** Begin Patch', `*** ${title}: ${path}`, ...move, ...body, '*** End Patch'].join('\n')
}

/**
 * @param {string} name
 * @param {unknown} path
 */
function requirePath(name, path) {
  // In an envelope blanks around a path are not part of it.
  if (typeof path === 'string' && path !== '' && path.trim() === path && !/[\r\n]/.test(path)) return
  throw unfit(`\`${name}\` must be the path of one file, without blanks around it.`)
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

module.exports = { bounded, fromHere, nameOf, patchOf, quoted, requireOperations }
