// @ts-check
'use strict'

const { failed } = require('./calls.js')
const { inserting, listing, reading, replacing, writing } = require('./files.js')
const { linesOf, numbered, refusal, said } = require('./texts.js')

/**
 * @typedef {import('./calls.js').Outcome} Outcome
 * @typedef {import('./calls.js').Question} Question
 * @typedef {import('./files.js').Files} Files
 */

/** Lines that are shown around a change. */
const SNIPPET = 4
const REVIEW = 'Review the changes and make sure they are as expected'

/** `text_editor_20250728` with the words that Claude was trained on. */
class TextEditor {
  #files
  #limit

  /**
   * @param {Files} files
   * @param {number | undefined} limit most characters of a file that are shown
   */
  constructor(files, limit) {
    this.#files = files
    this.#limit = limit
  }

  /**
   * @param {any} input
   * @returns {Promise<Outcome>}
   */
  async run(input) {
    const given = checked(input)
    const { command, path } = given
    const found = await this.#files.list(path)
    if (found === undefined && command !== 'create') throw refusal(`The path ${path} does not exist. Please provide a valid path.`)
    if (Array.isArray(found) && command !== 'view') throw refusal(`The path ${path} is a directory and only the \`view\` command can be used on directories`)
    switch (command) {
      case 'view':
        return Array.isArray(found) ? this.#viewDirectory(given, found) : this.#viewFile(given)
      case 'create':
        return this.#create(given, found)
      case 'str_replace':
        return this.#replace(given)
      default:
        return this.#insert(given)
    }
  }

  /**
   * What a user has to be asked before a call: all of its steps that can be foreseen. None where it fails by itself.
   *
   * @param {any} input
   * @returns {Promise<Question[]>}
   */
  async questions(input) {
    try {
      return await this.#questions(checked(input))
    } catch (error) {
      failed(error)
      return []
    }
  }

  /** @param {any} input */
  async #questions(input) {
    const { command, path, file_text, old_str, new_str = '' } = input
    const listed = await this.#files.questions(listing(path))
    if (command === 'view') return listed.length > 0 ? listed : this.#viewQuestions(path)
    if (command === 'create') return [...listed, ...(await this.#files.questions(writing(path, file_text)))]
    const read = [...listed, ...(await this.#files.questions(reading(path, { offset: 1 })))]
    if (command === 'str_replace') return [...read, ...(await this.#files.questions(replacing(path, old_str, new_str)))]
    // Where the lines go is only known of a file that may be read.
    if (read.length > 0) return read
    const { content, line, text } = insertion(input, await this.#files.beforehand().text(path))
    return this.#files.questions(inserting(path, content, line, text))
  }

  /** @param {string} path */
  async #viewQuestions(path) {
    const found = await this.#files.beforehand().list(path)
    if (found === undefined) return []
    if (found === 'file') return this.#files.questions(reading(path, { limit: 1 }))
    for (const { name, isDir } of visible(found)) {
      if (!isDir) continue
      // One answer counts for all of them.
      const asked = await this.#files.questions(listing(`${baseOf(path)}/${name}`))
      if (asked.length > 0) return asked
    }
    return []
  }

  /**
   * @param {any} input
   * @param {import('./files.js').Entry[]} entries
   */
  async #viewDirectory({ path, view_range }, entries) {
    if (view_range) throw refusal('The `view_range` parameter is not allowed when `path` points to a directory.')
    const lines = [path]
    const base = baseOf(path)
    for (const { name, isDir } of visible(entries)) {
      lines.push(`${base}/${name}`)
      if (!isDir) continue
      const below = await this.#files.list(`${base}/${name}`)
      if (Array.isArray(below)) lines.push(...visible(below).map((entry) => `${base}/${name}/${entry.name}`))
    }
    return said(`Here's the files and directories up to 2 levels deep in ${path}, excluding hidden items:\n${lines.join('\n')}\n`)
  }

  /** @param {any} input */
  async #viewFile({ path, view_range }) {
    const { content } = await this.#files.read(path, { limit: 1 })
    // An image is shown as it is.
    if (content.some(({ type }) => type === 'image')) return { content, details: undefined, isError: false }
    const lines = (await this.#files.text(path)).split('\n')
    const [first, last] = rangeOf(view_range, lines.length)
    const text = numbered(lines.slice(first - 1, last), first)
    const shown =
      this.#limit !== undefined && text.length > this.#limit
        ? `${text.slice(0, this.#limit)}\n[${text.length - this.#limit} characters omitted. Use \`view_range\` to see them.]`
        : text
    return said(`Here's the result of running \`cat -n\` on ${path}:\n${shown}\n`)
  }

  /**
   * @param {any} input
   * @param {unknown} found
   */
  async #create({ path, file_text }, found) {
    if (found === 'file') throw refusal(`File already exists at: ${path}. Cannot overwrite files using command \`create\`.`)
    await this.#files.write(path, file_text)
    return said(`File created successfully at: ${path}`)
  }

  /** @param {any} input */
  async #replace({ path, old_str, new_str = '' }) {
    const content = await this.#files.text(path)
    const lines = old_str === '' ? [] : linesOf(content, old_str)
    if (lines.length === 0) throw refusal(`No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${path}.`)
    if (lines.length > 1)
      throw refusal(
        `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines [${[...new Set(lines)].join(', ')}]. Please ensure it is unique`,
      )
    await this.#files.replace(path, old_str, new_str)
    const changed = content.replace(old_str, () => new_str).split('\n')
    const first = Math.max(0, lines[0] - 1 - SNIPPET)
    const snippet = changed.slice(first, lines[0] + SNIPPET + new_str.split('\n').length - 1)
    return said(
      `The file ${path} has been edited. Here's the result of running \`cat -n\` on a snippet of ${path}:\n${numbered(snippet, first + 1)}\n${REVIEW}. Edit the file again if necessary.`,
    )
  }

  /** @param {any} input */
  async #insert({ path, ...input }) {
    const { content, line, text, lines } = insertion(input, await this.#files.text(path))
    await this.#files.insert(path, content, line, text)
    const snippet = [...lines.slice(Math.max(0, line - SNIPPET), line), ...text.split('\n'), ...lines.slice(line, line + SNIPPET)]
    return said(
      `The file ${path} has been edited. Here's the result of running \`cat -n\` on a snippet of the edited file:\n${numbered(snippet, Math.max(1, line - SNIPPET + 1))}\n` +
        `${REVIEW} (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`,
    )
  }
}

/** The commands, with the parameters that each needs. */
const COMMANDS = {
  view: [],
  create: [['file_text', 'string']],
  str_replace: [['old_str', 'string']],
  insert: [['insert_line', 'number']],
}

/**
 * A call that has what its command needs.
 *
 * @param {any} input
 */
function checked(input) {
  const { command, path } = input ?? {}
  if (!Object.hasOwn(COMMANDS, command ?? ''))
    throw refusal(`Unrecognized command ${command}. The allowed commands for the str_replace_based_edit_tool tool are: ${Object.keys(COMMANDS).join(', ')}`)
  if (typeof path !== 'string' || path === '') throw refusal(`Parameter \`path\` is required for command: ${command}`)
  const given = { ...input }
  for (const [name, kind] of COMMANDS[/** @type {keyof typeof COMMANDS} */ (command)]) {
    if (given[name] === undefined || given[name] === null) throw refusal(`Parameter \`${name}\` is required for command: ${command}`)
    if (kind === 'number' && typeof given[name] === 'string' && /^\s*-?\d+\s*$/.test(given[name])) given[name] = Number(given[name])
    if (typeof given[name] !== kind)
      throw refusal(`Invalid \`${name}\` parameter: ${JSON.stringify(given[name])}. It should be ${kind === 'number' ? 'an integer' : 'a string'}.`)
  }
  return given
}

/**
 * Which lines are put after which line of a file.
 *
 * @param {any} input
 * @param {string} content
 */
function insertion({ insert_line: line, insert_text, new_str }, content) {
  const text = insert_text ?? new_str
  if (typeof text !== 'string') throw refusal('Parameter `insert_text` is required for command: insert')
  const lines = content.split('\n')
  if (!Number.isInteger(line) || line < 0 || line > lines.length) {
    throw refusal(`Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`)
  }
  return { content, line, text: text.replace(/\n$/, ''), lines }
}

/** @param {string} path */
function baseOf(path) {
  return path.replace(/\/+$/, '')
}

/**
 * @param {unknown} range
 * @param {number} count lines of the file
 * @returns {[first: number, last: number]}
 */
function rangeOf(range, count) {
  if (range === undefined || range === null) return [1, count]
  if (!Array.isArray(range) || range.length !== 2 || !range.every(Number.isInteger)) throw refusal('Invalid `view_range`. It should be a list of two integers.')
  const [first, last] = range
  const words = `[${first}, ${last}]`
  if (first < 1 || first > count)
    throw refusal(`Invalid \`view_range\`: ${words}. Its first element \`${first}\` should be within the range of lines of the file: [1, ${count}]`)
  if (last > count)
    throw refusal(`Invalid \`view_range\`: ${words}. Its second element \`${last}\` should be smaller than the number of lines in the file: \`${count}\``)
  if (last !== -1 && last < first)
    throw refusal(`Invalid \`view_range\`: ${words}. Its second element \`${last}\` should be larger or equal than its first \`${first}\``)
  return [first, last === -1 ? count : last]
}

/** @param {import('./files.js').Entry[]} entries */
function visible(entries) {
  return entries.filter(({ name }) => !name.startsWith('.'))
}

module.exports = { TextEditor }
