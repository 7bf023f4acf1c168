// @ts-check
'use strict'

/** Definitions of all servers together that a model is given at once, in characters: about 8,000 tokens. */
const BUDGET = 32_000

/**
 * The tools of a server that the host lets through.
 *
 * @param {Pick<import('./source.js').Server, 'entry' | 'tools'>} server
 * @returns {any[]}
 */
function offered({ entry, tools = [] }) {
  const { allow, deny } = entry.tools
  return tools.filter(({ name }) => (allow === undefined || allow.some((glob) => matches(glob, name))) && !(deny ?? []).some((glob) => matches(glob, name)))
}

/**
 * Whether so many tools are found by search, where neither the host nor a server says so.
 *
 * @param {readonly any[]} tools
 * @param {'auto' | 'on' | 'off'} search the setting
 */
function areSearched(tools, search) {
  if (search !== 'auto') return search === 'on'
  const size = tools.reduce(
    (sum, { name, description = '', inputSchema }) => sum + name.length + Math.min(description.length, 4096) + JSON.stringify(inputSchema ?? {}).length,
    0,
  )
  return size > BUDGET
}

/**
 * Whether a model finds a tool by search only.
 *
 * @param {import('./config.js').ServerEntry} entry
 * @param {any} tool
 * @param {boolean} isSearched
 */
function isHidden({ load }, tool, isSearched) {
  if (typeof load === 'object') return !load.always.some((glob) => matches(glob, tool.name))
  return load === 'search' || (load === 'auto' && isSearched)
}

/**
 * @param {string} glob
 * @param {string} name
 */
function matches(glob, name) {
  const pattern = glob
    .split('*')
    .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${pattern}$`, 's').test(name)
}

module.exports = { areSearched, isHidden, offered }
