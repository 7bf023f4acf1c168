// @ts-check
'use strict'

const path = require('node:path')

const { gitPatch, hunksOf, textOf } = require('./diffs.js')

/**
 * What happens to a call and to a session, in the words of one version of the protocol.
 *
 * @typedef {import('./diffs.js').Change} Change
 * @typedef {{ toolCallId: string, title?: string, kind?: string, status?: string, content?: any[], locations?: any[], rawInput?: any, rawOutput?: any, _meta?: any }} CallFields
 * @typedef {{ content: string, status: string, priority?: string }} Todo
 * @typedef {object} Wire
 * @property {(fields: CallFields) => any} begin
 * @property {(fields: CallFields) => any} update
 * @property {(changes: readonly Change[], workspace: string) => any[]} diffs of changed files
 * @property {(diff: string, workspace: string, changes: any[]) => any[]} preview of a diff
 * @property {(todos: readonly Todo[]) => any} plan
 * @property {(skills: readonly { name: string, description: string }[]) => any} commands
 * @property {(request: any, call: CallFields, title: string, options: any[]) => any} permission
 * @property {string} cancelled the status of a call that was cancelled
 */

/** What the entries of a plan are in the words of the protocol. @type {Record<string, string>} */
const STATUS = {
  pending: 'pending',
  in_progress: 'in_progress',
  'in-progress': 'in_progress',
  completed: 'completed',
  done: 'completed',
  cancelled: 'cancelled',
}
const PRIORITIES = ['high', 'medium', 'low']

/** @type {Record<1 | 2, Wire>} */
const WIRES = {
  1: {
    begin: (fields) => ({ sessionUpdate: 'tool_call', ...fields }),
    update: (fields) => ({ sessionUpdate: 'tool_call_update', ...fields }),
    diffs: (changes) =>
      changes.flatMap(({ path: file, before, after }) => {
        const [oldText, newText] = [textOf(before), textOf(after)]
        if (oldText === undefined || newText === undefined) return []
        return [{ type: 'diff', path: file, oldText: before === 'missing' ? null : oldText, newText }]
      }),
    preview: (diff, workspace) => hunksOf(diff).map((hunk) => ({ type: 'diff', ...hunk, path: path.resolve(workspace, hunk.path) })),
    plan: (todos) => ({ sessionUpdate: 'plan', entries: entriesOf(todos, ['pending', 'in_progress', 'completed']) }),
    commands: (skills) => ({
      sessionUpdate: 'available_commands_update',
      availableCommands: skills.map(({ name, description }) => ({ name, description, input: { hint: 'arguments' } })),
    }),
    permission: (_request, toolCall, _title, options) => ({ toolCall, options }),
    cancelled: 'failed',
  },
  2: {
    begin: (fields) => ({ sessionUpdate: 'tool_call_update', ...fields }),
    update: (fields) => ({ sessionUpdate: 'tool_call_update', ...fields }),
    diffs: (changes, workspace) => {
      if (changes.length === 0) return []
      const patches = changes.map((change) => gitPatch(change, relative(workspace, change.path)))
      const known = patches.filter((patch) => patch !== undefined).join('')
      return [{ type: 'diff', changes: changes.map(changeOf), ...(known !== '' && { patch: { format: 'git_patch', text: known } }) }]
    },
    preview: (diff, workspace, changes) => {
      const listed = changes.map(({ path: file, kind }) => ({ operation: OPERATIONS[kind] ?? 'modify', path: path.resolve(workspace, file) }))
      return [{ type: 'diff', changes: listed, patch: { format: 'git_patch', text: withGitHeads(diff) } }]
    },
    plan: (todos) => ({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'todo', entries: entriesOf(todos, Object.values(STATUS)) } }),
    commands: (skills) => ({ sessionUpdate: 'available_commands_update', availableCommands: skills.map(commandOf) }),
    permission: ({ reason, session }, toolCall, title, options) => ({
      title,
      description: session ? `${session.label}: ${reason}` : reason,
      subject: { type: 'tool_call', toolCall },
      options,
    }),
    cancelled: 'cancelled',
  },
}

/** @type {Record<string, string>} */
const OPERATIONS = { create: 'add', update: 'modify', delete: 'delete', move: 'add' }

/** @param {Change} change */
function changeOf({ path: file, before, after }) {
  const operation = before === 'missing' ? 'add' : after === 'missing' ? 'delete' : 'modify'
  const content = after === 'missing' ? before : after
  return { operation, path: file, ...(typeof content === 'object' ? { fileType: 'text' } : content === 'binary' && { fileType: 'binary' }) }
}

/** @param {{ name: string, description: string }} skill */
function commandOf({ name, description }) {
  return { type: 'command', name, description, input: { type: 'text', hint: 'arguments' } }
}

/**
 * A unified diff with the heads by which git knows its files.
 *
 * @param {string} diff
 */
function withGitHeads(diff) {
  return diff.replace(/^--- (\S.*)\n\+\+\+ (\S.*)$/gm, (heads, old, now) => {
    const from = old === '/dev/null' ? now.replace(/^b\//, 'a/') : old
    const to = now === '/dev/null' ? old.replace(/^a\//, 'b/') : now
    const mode = old === '/dev/null' ? 'new file mode 100644\n' : now === '/dev/null' ? 'deleted file mode 100644\n' : ''
    return `diff --git ${from} ${to}\n${mode}${heads}`
  })
}

/**
 * @param {readonly Todo[]} todos
 * @param {readonly string[]} statuses that the version knows
 */
function entriesOf(todos, statuses) {
  return todos.map(({ content, status, priority }) => {
    const known = STATUS[status] ?? 'pending'
    return {
      content,
      priority: priority !== undefined && PRIORITIES.includes(priority) ? priority : 'medium',
      // What will not be done any more is not open.
      status: statuses.includes(known) ? known : 'completed',
    }
  })
}

/**
 * @param {string} workspace
 * @param {string} file
 */
function relative(workspace, file) {
  const name = path.relative(workspace, file)
  return (name.startsWith('..') ? file.replace(/^\/+/, '') : name).split(path.sep).join('/')
}

module.exports = { WIRES }
