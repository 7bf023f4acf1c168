// @ts-check
'use strict'

const { seen } = require('./cli/style.js')
const { placesOf } = require('./sources.js')

/** Longest text of one parameter, and of all of them, in characters: clients show it in a dialog. */
const PARAMETER_CHARACTERS = 2000
const PARAMETERS_CHARACTERS = 6000
/** Lists of a preview, as a user reads them. */
const LISTS = /** @type {const} */ ([
  ['reads', 'Reads'],
  ['writes', 'Writes'],
  ['deletes', 'Deletes'],
  ['urls', 'Requests'],
  ['hosts', 'Connects to'],
  ['names', 'Uses'],
])
/** Members of a preview that are shown by themselves, or say again what these show. */
const KNOWN = new Set(['commands', 'links', 'problem', 'diff', 'diffOmittedBytes', 'parts', 'changes', 'planHash', ...LISTS.map(([name]) => name)])

/**
 * A part of what is asked.
 *
 * @typedef {{ kind: 'command' | 'list' | 'problem' | 'text' | 'diff', label: string, text: string }} Section
 */

/**
 * What a user has to see of a call before it runs, in order. Nothing that the call says is left out: what neither its commands nor
 * its files, hosts and changes show stands there as a parameter. No character in it is invisible.
 *
 * @param {import('../index.d.ts').ApprovalRequest} request
 * @returns {Section[]}
 */
function sectionsOf({ params, preview = {}, sources = [] }) {
  const facts = /** @type {Record<string, any>} */ (preview)
  const { commands = [], links = {}, problem, diff, diffOmittedBytes } = facts
  const lists = LISTS.filter(([name]) => facts[name]?.length > 0)
  /** @type {Section[]} */
  const sections = [
    ...commands.map((/** @type {any} */ command) => ({ kind: 'command', label: 'Runs', text: commandText(command) })),
    ...lists.map(([name, label]) => ({ kind: 'list', label, text: facts[name].join(', ') })),
    ...Object.entries(links).map(([name, place]) => ({ kind: 'list', label: 'Leads to', text: `${name} → ${place}` })),
    ...(typeof problem === 'string' ? [{ kind: 'problem', label: 'It would fail', text: problem }] : []),
    ...Object.entries(facts).flatMap(([name, value]) => (KNOWN.has(name) ? [] : [{ kind: 'text', label: name, text: textOf(value) }])),
  ]
  // A diff is all that such a call would do.
  const changes = typeof diff === 'string' && diff !== ''
  if (!changes) sections.push(...parametersOf(params, facts))
  if (sources.length > 0) sections.push({ kind: 'list', label: 'Read before', text: placesOf(sources) })
  if (changes) sections.push({ kind: 'diff', label: 'Changes', text: diff })
  if (diffOmittedBytes) sections.push({ kind: 'list', label: 'Not shown', text: `${diffOmittedBytes} bytes of the change` })
  return sections.filter(({ text }) => text !== '').map((section) => ({ ...section, label: seen(section.label), text: seen(section.text) }))
}

/** @param {any} command */
function commandText({ text, directory = '.' }) {
  return directory === '.' ? text : `${text}  (in ${directory})`
}

/**
 * The parameters that nothing else shows.
 *
 * @param {unknown} params
 * @param {Record<string, any>} preview
 * @returns {Section[]}
 */
function parametersOf(params, preview) {
  const shown = [...(preview.commands ?? []).map((/** @type {any} */ { text }) => text), ...LISTS.flatMap(([name]) => preview[name] ?? [])]
  const others = Object.values(preview).filter((value) => typeof value === 'string')
  /** @param {unknown} value */
  const isShown = (value) => typeof value === 'string' && (others.includes(value) || shown.some((one) => value === one || value.endsWith(`/${one}`)))
  let left = PARAMETERS_CHARACTERS
  return Object.entries(params ?? {}).flatMap(([name, value]) => {
    if (value === undefined || isShown(value)) return []
    const text = cut(textOf(value), Math.min(PARAMETER_CHARACTERS, left))
    left = Math.max(0, left - text.length)
    return [{ kind: /** @type {const} */ ('text'), label: name, text }]
  })
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value))
}

/**
 * The sections as one text.
 *
 * @param {Section[]} sections
 * @param {number} most characters of a diff
 */
function plainText(sections, most) {
  return sections.map(({ kind, label, text }) => (kind === 'diff' ? cut(text, most) : `${label}: ${text}`)).join('\n')
}

/**
 * @param {string} text
 * @param {number} most
 */
function cut(text, most) {
  if (text.length <= most) return text
  // Not in the middle of a letter.
  const kept = text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
  return `${kept}\n… (${text.length - kept.length} more characters are not shown)`
}

module.exports = { cut, plainText, sectionsOf }
