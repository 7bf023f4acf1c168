// @ts-check
'use strict'

const { createHash } = require('node:crypto')
const { readFileSync, statSync } = require('node:fs')

const { ToolError } = require('../tool-error.js')
const { connectionOf } = require('../toolkit.js')

/** Operations whose changes can be made in a text of the editor. */
const EDITS = ['write', 'edit', 'patch', 'notebook_edit']
/** Larger files are not compared: they are edited on the disk. */
const FILE_MAX_BYTES = 16 * 1024 * 1024
/** A client that takes longer does not answer. */
const ANSWER_MS = 30_000

/**
 * Files that are open in the editor of a user. The disk is the truth; what the user has not saved is edited in the editor, so that
 * nothing of it is lost.
 */
class Editor {
  #session
  /** Texts that a file had on the disk in this session, as hashes: an editor that has one of these has nothing of its user. @type {Map<string, Set<string>>} */
  #seen = new Map()
  /** The text that editor and disk had both, the last time that they were equal. @type {Map<string, string>} */
  #base = new Map()
  /** Calls that change one file wait for each other. @type {Map<string, Promise<unknown>>} */
  #last = new Map()
  /** Since when something of this session may have changed files. @type {number | undefined} */
  #changesSince

  /** @param {any} session */
  constructor(session) {
    this.#session = session
  }

  /**
   * Runs a call on the files as the user has them.
   *
   * @param {import('./report.js').CallReport} report
   * @param {() => Promise<any>} work
   */
  async run(report, work) {
    const { fs } = this.#session.capabilities
    const { writes = [], deletes = [], reads = [] } = report.effects
    const isEdit = EDITS.includes(report.operation ?? '')
    const isCommand = report.kind === 'execute'
    for (const file of reads) this.#note(report.absolute(file))
    const files = isCommand ? [] : [...new Set([...writes, ...deletes])].map((file) => report.absolute(file))
    const may = fs?.readTextFile === true && report.verdict !== 'deny'
    if (!may || files.length === 0) {
      if (isCommand || files.length > 0) this.#changesSince ??= Date.now()
      return work()
    }
    return this.#alone(files, async () => {
      const drafts = await this.#drafts(report, files)
      this.#changesSince ??= Date.now()
      if (drafts.size === 0) return work()
      const removed = deletes.map((file) => report.absolute(file)).find((file) => drafts.has(file))
      if (!isEdit || removed !== undefined || fs?.writeTextFile !== true) throw unsaved(report, removed ?? [...drafts.keys()][0])
      return this.#edit(report, drafts, work)
    })
  }

  /**
   * @param {readonly string[]} files
   * @param {() => Promise<any>} work
   */
  async #alone(files, work) {
    const before = Promise.all(files.map((file) => this.#last.get(file)))
    const run = before.then(work, work)
    const end = run.then(
      () => {},
      () => {},
    )
    for (const file of files) this.#last.set(file, end)
    try {
      return await run
    } finally {
      for (const file of files) if (this.#last.get(file) === end) this.#last.delete(file)
    }
  }

  /**
   * The texts of those files that the user has not saved.
   *
   * @param {import('./report.js').CallReport} report
   * @param {readonly string[]} files
   */
  async #drafts(report, files) {
    /** @type {Map<string, string>} */
    const drafts = new Map()
    for (const file of files) {
      const text = await this.#open(report, file)
      if (text === undefined) continue
      const disk = this.#note(file)
      if (disk === 'unknown') continue
      if (disk === undefined) {
        // A file that was never saved: a new one on the disk would be written over when it is.
        if (text !== '' && !this.#seen.get(file)?.has(hashOf(text))) throw unsaved(report, file)
      } else if (this.#isUnsaved(report, file, text, disk)) drafts.set(file, text)
    }
    return drafts
  }

  /**
   * Whether the editor has something that the disk never had.
   *
   * @param {import('./report.js').CallReport} report
   * @param {string} file
   * @param {string} text
   * @param {string} disk
   */
  #isUnsaved(report, file, text, disk) {
    const [ofText, ofDisk] = [hashOf(text), hashOf(disk)]
    if (ofText === ofDisk) {
      this.#base.set(file, ofDisk)
      return false
    }
    // Editors are slow to notice that a command has changed the disk.
    if (this.#seen.get(file)?.has(ofText)) return false
    const base = this.#base.get(file)
    const wasChanged = this.#changesSince !== undefined && statSync(file).mtimeMs >= this.#changesSince
    if (base !== ofDisk && wasChanged) throw conflict(report, file)
    this.#base.set(file, ofDisk)
    return true
  }

  /**
   * @param {import('./report.js').CallReport} report
   * @param {Map<string, string>} drafts
   * @param {() => Promise<any>} work
   */
  async #edit(report, drafts, work) {
    const connection = /** @type {any} */ (connectionOf(report.toolkit))
    /** @type {Map<string, string>} */
    const changed = new Map()
    let result
    try {
      for (const [file, text] of drafts) {
        connection.holdDraft(file, text)
        report.startsFrom(file, text)
      }
      result = await work()
    } catch (error) {
      throw explained(error, [...drafts.keys()])
    } finally {
      for (const file of drafts.keys()) {
        const text = connection.releaseDraft(file)
        if (text !== null) changed.set(file, text)
      }
    }
    for (const [file, text] of changed) {
      await this.#write(report, file, /** @type {string} */ (drafts.get(file)), text)
      report.drafts.set(file, text)
    }
    const notes = Array.from(
      changed.keys(),
      (file) =>
        `\`${file}\` has unsaved changes in the editor of the user, so it was edited there; the file on the disk ${this.#isSaved(file, changed) ? 'has them as well now' : 'is as before until the user saves it'}.`,
    )
    return notes.length === 0 ? result : { ...result, content: [...result.content, { type: 'text', text: notes.join('\n') }] }
  }

  /**
   * @param {string} file
   * @param {Map<string, string>} changed
   */
  #isSaved(file, changed) {
    const disk = this.#note(file)
    return disk !== undefined && disk !== 'unknown' && hashOf(disk) === hashOf(/** @type {string} */ (changed.get(file)))
  }

  /**
   * @param {import('./report.js').CallReport} report
   * @param {string} file
   * @param {string} before
   * @param {string} text
   */
  async #write(report, file, before, text) {
    // The user may have typed while the call was approved.
    if ((await this.#open(report, file)) !== before) {
      throw fault(report, 'stale_file', `\`${file}\` was changed in the editor while the call ran, so nothing was changed in it. Call it again.`)
    }
    try {
      await this.#session.request('fs/write_text_file', { path: file, content: text }, report.signal)
    } catch (error) {
      throw fault(
        report,
        'io',
        `\`${file}\` has unsaved changes in the editor, which did not accept the edit: ${messageOf(error)}. Nothing was changed in it.`,
        error,
      )
    }
  }

  /**
   * The text that the editor has of a file; nothing where it has none.
   *
   * @param {import('./report.js').CallReport} report
   * @param {string} file
   * @returns {Promise<string | undefined>}
   */
  async #open(report, file) {
    const limit = AbortSignal.timeout(ANSWER_MS)
    const signal = AbortSignal.any([report.signal, limit])
    try {
      const answer = await this.#session.request('fs/read_text_file', { path: file }, signal)
      return typeof answer?.content === 'string' ? answer.content : undefined
    } catch (error) {
      if (limit.aborted)
        throw fault(
          report,
          'timeout',
          `The editor did not say within ${ANSWER_MS / 1000} s whether \`${file}\` has unsaved changes, so nothing was changed. Try again later.`,
          error,
        )
      if (report.signal.aborted) throw error
      return undefined
    }
  }

  /**
   * Remembers the text that a file has on the disk, and returns it; `unknown` where it has none.
   *
   * @param {string} file
   * @returns {string | undefined | 'unknown'}
   */
  #note(file) {
    try {
      if (statSync(file).size > FILE_MAX_BYTES) return 'unknown'
      const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
      const seen = this.#seen.get(file) ?? new Set()
      this.#seen.set(file, seen.add(hashOf(text)))
      return text
    } catch (error) {
      return /** @type {any} */ (error).code === 'ENOENT' ? undefined : 'unknown'
    }
  }
}

/**
 * The same for texts that editors take for the same: they have line ends and marks of their own.
 *
 * @param {string} text
 */
function hashOf(text) {
  return createHash('sha256')
    .update(text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'))
    .digest('base64')
}

/**
 * @param {import('./report.js').CallReport} report
 * @param {string} file
 */
function unsaved(report, file) {
  return fault(
    report,
    'unsaved_changes',
    `\`${file}\` has unsaved changes in the editor of the user, which this call would lose. Ask the user to save or close it, then call again.`,
  )
}

/**
 * @param {import('./report.js').CallReport} report
 * @param {string} file
 */
function conflict(report, file) {
  return fault(
    report,
    'unsaved_changes',
    `\`${file}\` was changed on the disk, and the editor of the user has another text of it. Ask the user to save or reload it, then read it again.`,
  )
}

/**
 * A failure in a text that the model has never read.
 *
 * @param {unknown} error
 * @param {readonly string[]} files
 */
function explained(error, files) {
  if (!ToolError.is(error) || error.error_type === 'permission_denied' || error.error_type === 'aborted') return error
  const { tool, error_type, details, message } = error
  const names = files.map((file) => `\`${file}\``).join(', ')
  return new ToolError(
    `${message} The editor of the user has unsaved changes of ${names}, in which this call works: ask the user to save, then read the file again.`,
    { tool, error_type, details, cause: error },
  )
}

/**
 * @param {import('./report.js').CallReport} report
 * @param {string} code
 * @param {string} message
 * @param {unknown} [cause]
 */
function fault(report, code, message, cause) {
  return new ToolError(message, { tool: report.tool, error_type: code === 'timeout' ? 'timeout' : 'execution_failed', details: { code }, cause })
}

/** @param {any} error */
function messageOf(error) {
  return String(error?.message ?? error).replace(/\.$/, '')
}

module.exports = { Editor }
