// @ts-check
'use strict'

const { ToolError } = require('../tool-error.js')
const { hashOf } = require('./disk-texts.js')

/** Calls that can be undone in the editor, and the characters of their texts. */
const MOST_CALLS = 1000
const MOST_CHARACTERS = 64 * 1024 * 1024

/**
 * A text of the editor that a call changes: `name` is what the editor calls the file, `path` what the call does.
 *
 * @typedef {{ path: string, target: string, name: string, before: string, after: string, disk: string }} Edit `disk` is a hash
 * @typedef {{ id: string, edits: Edit[], files: string[], isKept: boolean }} EditedCall `files` are those on the disk, absolute
 * @typedef {{ tool: string, signal: AbortSignal }} Caller
 * @typedef {{ open: (caller: Caller, name: string) => Promise<string | undefined>, put: (caller: Caller, name: string, text: string) => Promise<void> }} Texts
 */

/**
 * Hands texts to the editor, all or none.
 *
 * @param {Texts} texts
 * @param {Caller} caller
 * @param {readonly Edit[]} edits
 * @returns {Promise<{ kind: 'done' } | { kind: 'stale' | 'refused', edit: Edit, error?: unknown, left: Edit[] }>} `left` are those that could not be
 * taken back
 */
async function handOver(texts, caller, edits) {
  /** @type {Edit[]} */
  const tried = []
  for (const edit of edits) {
    try {
      // The user may have typed while the call was approved.
      if ((await texts.open(caller, edit.name)) !== edit.before) return { kind: 'stale', edit, left: await takeBack(texts, tried) }
      tried.push(edit)
      await texts.put(caller, edit.name, edit.after)
    } catch (error) {
      return { kind: 'refused', edit, error, left: await takeBack(texts, tried) }
    }
  }
  return { kind: 'done' }
}

/**
 * Takes back what was handed over, the last first, also for a call that was cancelled. Returns what could not be taken back.
 *
 * @param {Texts} texts
 * @param {readonly Edit[]} edits
 */
async function takeBack(texts, edits) {
  /** @type {Edit[]} */
  const left = []
  const caller = { tool: 'undo', signal: new AbortController().signal }
  for (const edit of edits.toReversed()) {
    try {
      const text = await texts.open(caller, edit.name)
      if (text === edit.before) continue
      if (text === undefined || hashOf(text) !== hashOf(edit.after)) left.push(edit)
      else await texts.put(caller, edit.name, edit.before)
    } catch {
      left.push(edit)
    }
  }
  return left
}

/** The calls of a session that have changed files, the oldest first. */
class EditedCalls {
  /** @type {EditedCall[]} */
  #calls = []

  /** @param {Omit<EditedCall, 'isKept'>} call */
  add(call) {
    this.#calls.push({ ...call, isKept: true })
    if (this.#calls.length > MOST_CALLS) this.#calls.shift()
    let characters = 0
    for (const kept of this.#calls.toReversed()) {
      for (const { before, after } of kept.edits) characters += before.length + after.length
      if (characters <= MOST_CHARACTERS) continue
      kept.isKept = kept.edits.length === 0
      for (const edit of kept.edits) edit.before = edit.after = ''
    }
  }

  /** @param {string} id of the last call that it belongs to */
  find(id) {
    return this.#calls.findLast((call) => call.id === id)
  }

  /** @param {EditedCall} call */
  remove(call) {
    this.#calls = this.#calls.filter((other) => other !== call)
  }

  /**
   * The later calls that have changed one of these files.
   *
   * @param {EditedCall} call
   * @param {readonly Edit[]} edits
   */
  after(call, edits) {
    const later = this.#calls.slice(this.#calls.indexOf(call) + 1)
    return later.filter((other) => other.edits.some(({ target }) => edits.some((edit) => edit.target === target))).map(({ id }) => id)
  }
}

/**
 * @param {EditedCall} call
 * @param {readonly Edit[]} edits that were changed since
 * @param {readonly string[]} laterCalls
 */
function changedSince({ id }, edits, laterCalls) {
  const paths = edits.map((edit) => edit.path)
  const names = paths.map((path) => `\`${path}\``).join(', ')
  const by = laterCalls.length > 0 ? `, by the later call \`${laterCalls.at(-1)}\`; undo that call first` : ''
  return new ToolError(`The call \`${id}\` cannot be undone: ${names} in the editor or on the disk changed since${by}. Nothing was restored.`, {
    tool: 'undo',
    error_type: 'execution_failed',
    details: { code: 'stale_file', path: paths[0], paths, toolCallId: id, ...(laterCalls.length > 0 && { laterCalls: [...laterCalls] }) },
  })
}

module.exports = { EditedCalls, changedSince, handOver }
