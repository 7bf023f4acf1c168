// @ts-check
'use strict'

const { ToolError } = require('../tool-error.js')
const { questionsOf } = require('./calls.js')
const { grantsOf } = require('./grants.js')
const { nameOf } = require('./operations.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {{ toolCallId?: string, signal?: AbortSignal, isGated?: boolean, isAsked?: boolean }} Call `isGated`: no call runs that its framework has
 *   not judged, maybe in another process; `isAsked`: the framework asked its user about exactly this call
 * @typedef {{ operation: string, params: any }} Step
 * @typedef {{ name: string, path: string, isDir: boolean, sizeBytes: number }} Entry
 */

/** Longest file that is read as a whole. */
const MOST_CHARACTERS = 16 * 1024 * 1024
/** Longest notice at the end of a page, in characters. */
const MOST_NOTICE = 400
/** What a page says of a line that it shows in part; where the line goes on, if another page has it. */
const CUT = /\n\n\[(?:[^\n]* )?Line \d+ cut to [^\n]*\]$/
const REST = /Read `(output:\/\/[^`]+)` for the rest/
/** Longest context, in lines to either side, by which an insertion finds its place. */
const MOST_CONTEXT = 64

/** The files of a toolkit, for one call of a tool of a provider: each step is judged as a call of its own. */
class Files {
  #toolkit
  #call
  /** Whether the approval of the call covers steps that could not be foreseen. @type {boolean | undefined} */
  #isCovered
  /** The steps that were judged before the call. @type {Step[]} */
  #judged = []

  /**
   * @param {Toolkit} toolkit
   * @param {Call} call
   */
  constructor(toolkit, call) {
    this.#toolkit = toolkit
    this.#call = call
  }

  /**
   * @param {Step} step
   * @returns {Promise<import('./calls.js').AgentToolResult>}
   */
  async #run({ operation, params }) {
    const { toolCallId, signal, isGated = false, isAsked = false } = this.#call
    const name = nameOf(this.#toolkit, operation)
    const grants = grantsOf(this.#toolkit)
    this.#isCovered ??= isGated && !grants.isJudged(name, params, toolCallId)
    const approval = await grants.take(name, params, toolCallId, this.#isCovered)
    // What a call does to a file that may not be read before it is approved cannot be shown before.
    if (isAsked && approval.approved) this.#isCovered = true
    return this.#toolkit.execute(name, params, { signal, ...approval })
  }

  /**
   * What a user has to be asked about a step of this call.
   *
   * @param {Step} step
   */
  questions(step) {
    this.#judged.push(step)
    const { operation, params } = step
    return questionsOf(this.#toolkit, [{ id: /** @type {string} */ (this.#call.toolCallId), name: nameOf(this.#toolkit, operation), params }])
  }

  /** The user did not approve the call: nothing that was shown of it counts. */
  forget() {
    for (const { operation, params } of this.#judged) grantsOf(this.#toolkit).forget(nameOf(this.#toolkit, operation), params, this.#call.toolCallId)
  }

  /** The same files for steps that are no part of the call. */
  beforehand() {
    return new Files(this.#toolkit, { signal: this.#call.signal })
  }

  /**
   * The entries of a directory; `file` for a file, nothing for what does not exist.
   *
   * @param {string} path
   * @returns {Promise<Entry[] | 'file' | undefined>}
   */
  async list(path) {
    try {
      return (await this.#run(listing(path))).details.items
    } catch (error) {
      if (codeOf(error) === 'not_a_directory') return 'file'
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
    return this.#run(reading(path, page))
  }

  /**
   * The whole text of a file, with LF as line ends.
   *
   * @param {string} path
   * @param {number} [most] characters
   * @returns {Promise<string>}
   */
  async text(path, most = MOST_CHARACTERS) {
    return (await this.decoded(path, most)).text
  }

  /**
   * The same, and in which encoding the file has it; nothing for UTF-8.
   *
   * @param {string} path
   * @param {number} [most] characters
   * @returns {Promise<{ text: string, encoding?: string }>}
   */
  async decoded(path, most = MOST_CHARACTERS) {
    let text = ''
    let offset = 1
    for (;;) {
      if (text.length > most) throw tooLarge(path)
      const { content, details } = await this.read(path, { offset })
      if (content.some(({ type }) => type !== 'text')) throw unfit(path, 'is not text')
      const encoding = details.encoding ?? undefined
      if (details.lines === 0) return { text: '', encoding }
      const shown = textOf(content)
      const isCut = CUT.test(shown.slice(-MOST_NOTICE))
      if (!details.hasMore && !isCut) return { text: text + shown, encoding }
      const lines = shown.split('\n').slice(0, details.endLine - details.startLine + 1)
      if (isCut) lines.push((lines.pop() ?? '') + (await this.#restOf(path, shown, most)))
      text += lines.join('\n')
      if (!details.hasMore) return { text, encoding }
      text += '\n'
      offset = details.endLine + 1
    }
  }

  /**
   * The rest of a line of an output that a page shows in part. Lines of files have no address.
   *
   * @param {string} path
   * @param {string} shown
   * @param {number} most
   */
  async #restOf(path, shown, most) {
    let rest = ''
    for (;;) {
      const address = REST.exec(shown.slice(-MOST_NOTICE))?.[1]
      if (address === undefined) throw unfit(path, 'has a line that is too long for this tool')
      if (rest.length > most) throw tooLarge(path)
      const { content, details } = await this.read(address)
      shown = textOf(content)
      if (CUT.test(shown.slice(-MOST_NOTICE))) rest += shown.split('\n', 1)[0]
      else return rest + (details.hasMore ? shown.split('\n', 1)[0] : shown)
    }
  }

  /**
   * @param {string} path
   * @param {string} content
   */
  write(path, content) {
    return this.#run(writing(path, content))
  }

  /**
   * Replaces a text that occurs once.
   *
   * @param {string} path
   * @param {string} oldText
   * @param {string} newText
   */
  replace(path, oldText, newText) {
    return this.#run(replacing(path, oldText, newText))
  }

  /**
   * Puts lines after a line of a file; every other byte of it stays.
   *
   * @param {string} path
   * @param {string} content the present text
   * @param {number} line 0 for the beginning
   * @param {string} text
   */
  insert(path, content, line, text) {
    return this.#run(inserting(path, content, line, text))
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
    return this.#run({ operation: 'apply_patch', params: { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') } })
  }
}

/**
 * @param {string} path
 * @returns {Step}
 */
function listing(path) {
  return { operation: 'ls', params: { path, limit: 10_000 } }
}

/**
 * @param {string} path
 * @param {object} page
 * @returns {Step}
 */
function reading(path, page) {
  return { operation: 'read', params: { file_path: path, ...page } }
}

/**
 * @param {string} path
 * @param {string} content
 * @returns {Step}
 */
function writing(path, content) {
  return { operation: 'write', params: { file_path: path, content } }
}

/**
 * @param {string} path
 * @param {string} oldText
 * @param {string} newText
 * @returns {Step}
 */
function replacing(path, oldText, newText) {
  return { operation: 'edit', params: { file_path: path, edits: [{ oldText, newText }] } }
}

/**
 * An insertion: where the lines around it occur once, their replacement.
 *
 * @param {string} path
 * @param {string} content the present text
 * @param {number} line
 * @param {string} text
 * @returns {Step}
 */
function inserting(path, content, line, text) {
  const lines = content.split('\n')
  const added = text.split('\n')
  for (let context = 1; context <= MOST_CONTEXT; context *= 2) {
    const first = Math.max(0, line - context)
    const last = Math.min(lines.length, line + context)
    const around = lines.slice(first, last).join('\n')
    // Occurrences may overlap.
    if (around.trim() === '' || content.indexOf(around) !== content.lastIndexOf(around)) continue
    return replacing(path, around, [...lines.slice(first, line), ...added, ...lines.slice(line, last)].join('\n'))
  }
  return writing(path, [...lines.slice(0, line), ...added, ...lines.slice(line)].join('\n'))
}

/** @param {import('./calls.js').AgentToolResult['content']} content */
function textOf(content) {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** @param {string} path */
function tooLarge(path) {
  return new ToolError(`\`${path}\` is too large to be read as a whole.`, { tool: 'files', error_type: 'invalid_input', details: { code: 'too_large' } })
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

module.exports = { Files, codeOf, inserting, listing, reading, replacing, writing }
