// @ts-check
'use strict'

const { ToolError } = require('../tool-error.js')
const { run } = require('./calls.js')
const { nameOf } = require('./operations.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {{ toolCallId?: string, signal?: AbortSignal }} Call
 * @typedef {{ name: string, path: string, isDir: boolean, sizeBytes: number }} Entry
 */

/** Longest file that is read as a whole. */
const MOST_CHARACTERS = 16 * 1024 * 1024
/** Longest context, in lines to either side, by which an insertion finds its place. */
const MOST_CONTEXT = 64

/** The files of a toolkit, for one call of a tool of a provider: each step is judged as a call of its own. */
class Files {
  #toolkit
  #call

  /**
   * @param {Toolkit} toolkit
   * @param {Call} call
   */
  constructor(toolkit, call) {
    this.#toolkit = toolkit
    this.#call = call
  }

  /**
   * @param {string} operation
   * @param {object} params
   */
  async #run(operation, params) {
    return run(this.#toolkit, nameOf(this.#toolkit, operation), params, { signal: this.#call.signal })
  }

  /**
   * The entries of a directory; `file` for a file, nothing for what does not exist.
   *
   * @param {string} path
   * @returns {Promise<Entry[] | 'file' | undefined>}
   */
  async list(path) {
    try {
      return (await this.#run('ls', { path, limit: 10_000 })).details.items
    } catch (error) {
      if (codeOf(error) === 'not_a_folder') return 'file'
      if (codeOf(error) === 'not_found') return undefined
      throw error
    }
  }

  /**
   * A page of a file: text of whole lines, or its images.
   *
   * @param {string} path
   * @param {object} page
   */
  read(path, page = {}) {
    return this.#run('read', { file_path: path, ...page })
  }

  /**
   * The whole text of a file, with LF as line ends.
   *
   * @param {string} path
   * @param {number} [most] characters
   * @returns {Promise<string>}
   */
  async text(path, most = MOST_CHARACTERS) {
    let text = ''
    let offset = 1
    for (;;) {
      if (text.length > most)
        throw new ToolError(`\`${path}\` is too large to be read as a whole.`, { tool: 'files', error_type: 'invalid_input', details: { code: 'too_large' } })
      const { content, details } = await this.read(path, { offset })
      if (content.some(({ type }) => type !== 'text')) throw unfit(path, 'is not text')
      if (details.lines === 0) return ''
      const shown = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      if (!details.hasMore) return text + shown
      if (/\n\n\[Line \d+ cut to /.test(shown.slice(-400))) throw unfit(path, 'has a line that is too long for this tool')
      text += `${shown
        .split('\n')
        .slice(0, details.endLine - details.startLine + 1)
        .join('\n')}\n`
      offset = details.endLine + 1
    }
  }

  /**
   * @param {string} path
   * @param {string} content
   */
  write(path, content) {
    return this.#run('write', { file_path: path, content })
  }

  /**
   * Replaces a text that occurs once.
   *
   * @param {string} path
   * @param {string} oldText
   * @param {string} newText
   */
  replace(path, oldText, newText) {
    return this.#run('edit', { file_path: path, edits: [{ oldText, newText }] })
  }

  /**
   * Puts lines after a line of a file; every other byte of it stays.
   *
   * @param {string} path
   * @param {string} content the present text
   * @param {number} line 0 for the beginning
   * @param {string} text
   */
  async insert(path, content, line, text) {
    const lines = content.split('\n')
    const inserted = [...lines.slice(0, line), ...text.split('\n'), ...lines.slice(line)].join('\n')
    for (let context = 1; context <= MOST_CONTEXT; context *= 2) {
      const first = Math.max(0, line - context)
      const last = Math.min(lines.length, line + context)
      const around = lines.slice(first, last).join('\n')
      if (around.trim() === '' || content.split(around).length !== 2) continue
      await this.replace(path, around, [...lines.slice(first, line), ...text.split('\n'), ...lines.slice(line, last)].join('\n'))
      return inserted
    }
    await this.write(path, inserted)
    return inserted
  }

  /**
   * Deletes files, all or none.
   *
   * @param {readonly string[]} paths
   */
  remove(paths) {
    return this.#patch(paths.map((path) => `*** Delete File: ${onOneLine(path)}`))
  }

  /** @param {string[]} lines */
  #patch(lines) {
    return this.#run('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return ToolError.is(error) ? error.details.code : undefined
}

/** @param {string} path */
function onOneLine(path) {
  if (/[\r\n]/.test(path)) throw unfit(path, 'has a line break in its name')
  return path
}

/**
 * @param {string} subject
 * @param {string} fault
 */
function unfit(subject, fault) {
  return new ToolError(`\`${subject}\` ${fault}.`, { tool: 'files', error_type: 'invalid_input', details: { code: 'invalid_params' } })
}

module.exports = { Files, codeOf }
