// @ts-check
'use strict'

/** @typedef {import('../../index.d.ts').CallEffects} CallEffects */

/** What a client shows of an operation, by its icon. @type {Record<string, string>} */
const KINDS = {
  read: 'read',
  write: 'edit',
  edit: 'edit',
  patch: 'edit',
  delete: 'delete',
  notebook_edit: 'edit',
  list: 'search',
  find: 'search',
  grep: 'search',
  execute: 'execute',
  process: 'execute',
  run_tests: 'execute',
  lsp: 'search',
  diagnostics: 'read',
  git_status: 'read',
  todo_read: 'think',
  todo_write: 'think',
  memory: 'think',
  skill: 'read',
  task: 'think',
  exit_plan: 'switch_mode',
  web_fetch: 'fetch',
  web_search: 'fetch',
  web_request: 'fetch',
  browser: 'fetch',
}
/** What a call that touches these is, where its operation says nothing; the first that fits. @type {readonly (readonly [keyof CallEffects, string])[]} */
const BY_EFFECT = [
  ['commands', 'execute'],
  ['deletes', 'delete'],
  ['writes', 'edit'],
  ['hosts', 'fetch'],
  ['reads', 'read'],
]
const TITLE_CHARACTERS = 200

/**
 * @param {string | undefined} operation
 * @param {CallEffects} effects
 */
function kindOf(operation, effects) {
  const known = operation === undefined ? undefined : KINDS[operation]
  if (known !== undefined) return known
  return BY_EFFECT.find(([name]) => /** @type {any} */ (effects[name])?.length > 0)?.[1] ?? 'other'
}

/**
 * What a user reads of a call: the command, or what it is about.
 *
 * @param {string} label of the tool
 * @param {string} kind
 * @param {CallEffects} effects
 * @param {any} params
 */
function titleOf(label, kind, effects, params) {
  const [command] = effects.commands ?? []
  if (kind === 'execute' && command) return code(command.text)
  const subject = subjectOf(effects, params)
  return subject === undefined ? label : `${label} ${code(subject)}`
}

/**
 * @param {CallEffects} effects
 * @param {any} params
 * @returns {string | undefined}
 */
function subjectOf(effects, params) {
  for (const name of ['pattern', 'query', 'url']) if (typeof params?.[name] === 'string' && params[name] !== '') return params[name]
  const { writes = [], deletes = [], urls = [], reads = [], names = [] } = effects
  const list = [writes, deletes, urls, reads, names].find((found) => found.length > 0)
  if (!list) return undefined
  return list.length === 1 ? list[0] : `${list[0]} (and ${list.length - 1} more)`
}

/**
 * A text as code on one line, whatever it contains.
 *
 * @param {string} text
 */
function code(text) {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const letters = Array.from(line)
  const shown = letters.length > TITLE_CHARACTERS ? `${letters.slice(0, TITLE_CHARACTERS).join('')}…` : line
  return shown.includes('`') ? `\`\` ${shown} \`\`` : `\`${shown}\``
}

module.exports = { KINDS, code, kindOf, titleOf }
