// @ts-check
'use strict'

const { invalidInput } = require('./tool-error.js')

/**
 * The built-in groups: `group:fs` to the names of its tools, in the `agent` vocabulary.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const TOOL_GROUPS = Object.freeze(Object.fromEntries(Object.entries(require('./tool-groups.json')).map(([group, members]) => [group, Object.freeze(members)])))

/**
 * A name of a tool as the `agent` vocabulary spells it: `Bash` is `exec`. Other names are returned in lower case.
 *
 * @param {string} name
 * @returns {string}
 */
function normalizeToolName(name) {
  if (typeof name !== 'string') throw invalidInput('normalizeToolName', `The name of a tool must be a string; got ${typeof name}.`)
  return require('./load.js').loadNative().normalizeToolName(name)
}

/**
 * A list of tools with its groups replaced by their members: names as `normalizeToolName` returns them, each once. A group
 * that is not known stays as it is.
 *
 * @param {readonly string[]} [names]
 * @param {Readonly<Record<string, readonly string[]>>} [groups] more groups, with or without `group:` before their names
 * @returns {string[]}
 */
function expandToolGroups(names = [], groups = {}) {
  if (!Array.isArray(names)) throw invalidInput('expandToolGroups', 'The first argument must be a list of names of tools and groups.')
  const own = Object.entries(groups).map(([name, members]) => /** @type {const} */ ([groupName(name), members]))
  const known = new Map([...Object.entries(TOOL_GROUPS), ...own])
  /** @type {(name: string, open: readonly string[]) => string[]} */
  const expand = (name, open) => {
    if (typeof name !== 'string' || !/^\s*group:/i.test(name)) return [normalizeToolName(name)]
    const group = groupName(name)
    const members = known.get(group)
    if (!members) return [group]
    if (open.includes(group)) throw invalidInput('expandToolGroups', `The group \`${group}\` contains itself.`)
    return members.flatMap((member) => expand(member, [...open, group]))
  }
  return [...new Set(names.flatMap((name) => expand(name, [])))]
}

/** @param {string} name */
function groupName(name) {
  return `group:${name
    .trim()
    .replace(/^group:/i, '')
    .toLowerCase()}`
}

module.exports = { TOOL_GROUPS, expandToolGroups, normalizeToolName }
