// @ts-check
'use strict'

const { mkdirSync } = require('node:fs')
const { lstat, rmdir } = require('node:fs/promises')
const path = require('node:path')

const { ToolError, invalidInput } = require('../tool-error.js')
const { Files, codeOf } = require('./files.js')
const { linesOf, numbered, refusal, said } = require('./texts.js')

/**
 * @typedef {import('./calls.js').Outcome} Outcome
 * @typedef {import('./files.js').Entry} Entry
 */

/** What the model calls the directory. */
const ROOT = '/memories'
/** Directories whose entries are shown below the one that is asked for. */
const LEVELS = 2
const UNITS = ['B', 'K', 'M', 'G']
const SNIPPET = 2

/** `memory_20250818` in one directory, with the words that Claude was trained on. */
class MemoryTool {
  #dir
  /** @type {any} */
  #toolkit
  #options

  /** @param {import('../../anthropic.d.ts').MemoryToolOptions} options */
  constructor({ dir, ...options }) {
    if (typeof dir !== 'string' || dir === '') throw invalidInput('memoryTool', 'The option `dir` must be the path of a directory.')
    this.#dir = path.resolve(dir)
    this.#options = options
  }

  async close() {
    await this.#toolkit?.close()
    this.#toolkit = undefined
  }

  #files(/** @type {{ toolCallId?: string, signal?: AbortSignal }} */ call) {
    if (!this.#toolkit) {
      const { Toolkit } = require('../toolkit.js')
      // For nobody else, as notes about a user are.
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
      this.#toolkit = new Toolkit({
        workspace: this.#dir,
        tools: { allow: ['read', 'write', 'edit', 'apply_patch', 'ls'] },
        edits: { syntax: 'off' },
        ...this.#options,
      })
    }
    return new Files(this.#toolkit, call)
  }

  /**
   * @param {any} input
   * @param {{ toolCallId?: string, signal?: AbortSignal }} call
   * @returns {Promise<Outcome>}
   */
  async run(input, call) {
    const files = this.#files(call)
    try {
      return said(await this.#run(files, input ?? {}))
    } catch (error) {
      if (codeOf(error) !== 'outside_workspace') throw error
      throw new ToolError(`Path ${input.path ?? input.old_path} would escape ${ROOT} directory`, {
        tool: 'memory',
        error_type: 'permission_denied',
        details: { code: 'outside_workspace' },
      })
    }
  }

  /**
   * @param {Files} files
   * @param {any} input
   * @returns {Promise<string>}
   */
  async #run(files, input) {
    switch (input.command) {
      case 'view':
        return this.#view(files, input)
      case 'create':
        return this.#create(files, input)
      case 'str_replace':
        return this.#replace(files, input)
      case 'insert':
        return this.#insert(files, input)
      case 'delete':
        return this.#delete(files, input)
      case 'rename':
        return this.#rename(files, input)
      default:
        throw refusal(`Unrecognized command ${input.command}. The commands are: view, create, str_replace, insert, delete, rename`)
    }
  }

  /**
   * @param {Files} files
   * @param {any} input
   */
  async #view(files, { path: name, view_range }) {
    const found = await files.list(inside(name))
    if (found === undefined) throw refusal(`The path ${name} does not exist. Please provide a valid path.`)
    if (found !== 'file') {
      const lines = [`${await this.#size(inside(name))}\t${name}`, ...(await this.#below(files, inside(name), name, found, 1))]
      return `Here're the files and directories up to 2 levels deep in ${name}, excluding hidden items and node_modules:\n${lines.join('\n')}`
    }
    const lines = (await files.text(inside(name))).split('\n')
    const [first, last] = Array.isArray(view_range) && view_range.length === 2 ? view_range : [1, -1]
    const start = Math.max(1, first)
    return `Here's the content of ${name} with line numbers:\n${numbered(lines.slice(start - 1, last === -1 ? lines.length : last), start)}`
  }

  /**
   * @param {Files} files
   * @param {string} real
   * @param {string} shown
   * @param {Entry[]} entries
   * @param {number} level
   * @returns {Promise<string[]>}
   */
  async #below(files, real, shown, entries, level) {
    const lines = []
    const listed = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules').sort((one, other) => (one.name < other.name ? -1 : 1))
    for (const { name, isDir, sizeBytes } of listed) {
      const below = `${real}/${name}`
      lines.push(isDir ? `${await this.#size(below)}\t${shown}/${name}/` : `${sizeOf(sizeBytes)}\t${shown}/${name}`)
      if (!isDir || level >= LEVELS) continue
      const found = await files.list(below)
      if (Array.isArray(found)) lines.push(...(await this.#below(files, below, `${shown}/${name}`, found, level + 1)))
    }
    return lines
  }

  /** @param {string} name of a directory that was listed */
  async #size(name) {
    return sizeOf((await lstat(path.join(this.#dir, name))).size)
  }

  /**
   * @param {Files} files
   * @param {any} input
   */
  async #create(files, { path: name, file_text }) {
    if (typeof file_text !== 'string') throw refusal('Parameter `file_text` is required for command: create')
    if ((await files.list(inside(name))) !== undefined) throw refusal(`File ${name} already exists`)
    await files.write(inside(name), file_text)
    return `File created successfully at: ${name}`
  }

  /**
   * @param {Files} files
   * @param {any} input
   */
  async #replace(files, { path: name, old_str, new_str = '' }) {
    const content = await this.#textOf(files, name)
    if (typeof old_str !== 'string') throw refusal('Parameter `old_str` is required for command: str_replace')
    const lines = old_str === '' ? [] : linesOf(content, old_str)
    if (lines.length === 0) throw refusal(`No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${name}.`)
    if (lines.length > 1)
      throw refusal(
        `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${[...new Set(lines)].join(', ')}. Please ensure it is unique`,
      )
    await files.replace(inside(name), old_str, new_str)
    const changed = content.replace(old_str, () => new_str).split('\n')
    const first = Math.max(0, lines[0] - 1 - SNIPPET)
    return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${numbered(changed.slice(first, lines[0] + SNIPPET), first + 1)}`
  }

  /**
   * @param {Files} files
   * @param {any} input
   */
  async #insert(files, { path: name, insert_line, insert_text }) {
    const content = await this.#textOf(files, name)
    const count = content.split('\n').length
    if (typeof insert_text !== 'string') throw refusal('Parameter `insert_text` is required for command: insert')
    if (!Number.isInteger(insert_line) || insert_line < 0 || insert_line > count) {
      throw refusal(`Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${count}]`)
    }
    await files.insert(inside(name), content, insert_line, insert_text.replace(/\n$/, ''))
    return `The file ${name} has been edited.`
  }

  /**
   * @param {Files} files
   * @param {any} input
   */
  async #delete(files, { path: name }) {
    if (inside(name) === '.') throw refusal(`Cannot delete the ${ROOT} directory itself`)
    const found = await files.list(inside(name))
    if (found === undefined) throw refusal(`The path ${name} does not exist`)
    const tree = await treeOf(files, inside(name), found)
    if (tree.files.length > 0) await files.remove(tree.files)
    await this.#clear(tree.directories)
    return `Successfully deleted ${name}`
  }

  /**
   * @param {Files} files
   * @param {any} input
   */
  async #rename(files, { old_path, new_path }) {
    const [from, to] = [inside(old_path), inside(new_path)]
    if (from === '.') throw refusal(`Cannot rename the ${ROOT} directory itself`)
    if ((await files.list(to)) !== undefined) throw refusal(`The destination ${new_path} already exists`)
    const found = await files.list(from)
    if (found === undefined) throw refusal(`The path ${old_path} does not exist`)
    if (`${to}/`.startsWith(`${from}/`)) throw refusal(`The path ${old_path} cannot be moved into itself`)
    const tree = await treeOf(files, from, found)
    if (tree.files.length > 0) await files.move(tree.files.map((file) => [file, to + file.slice(from.length)]))
    await this.#clear(tree.directories)
    return `Successfully renamed ${old_path} to ${new_path}`
  }

  /**
   * Removes directories that are empty now.
   *
   * @param {readonly string[]} directories parents first
   */
  async #clear(directories) {
    for (const directory of [...directories].reverse()) await rmdir(path.join(this.#dir, directory))
  }

  /**
   * @param {Files} files
   * @param {string} name
   */
  async #textOf(files, name) {
    const found = await files.list(inside(name))
    if (found === undefined) throw refusal(`The path ${name} does not exist. Please provide a valid path.`)
    if (found !== 'file') throw refusal(`The path ${name} is not a file.`)
    return files.text(inside(name))
  }
}

/**
 * A path of the model within the directory.
 *
 * @param {unknown} name
 */
function inside(name) {
  if (typeof name !== 'string' || (name !== ROOT && !name.startsWith(`${ROOT}/`))) throw refusal(`Path must start with ${ROOT}, got: ${name}`)
  const relative = path.posix.normalize(name.slice(ROOT.length + 1) || '.').replace(/\/$/, '')
  // One that leads out stays as it is, for the engine to refuse.
  return relative === '' ? '.' : relative
}

/**
 * Everything that a path stands for.
 *
 * @param {Files} files
 * @param {string} root
 * @param {Entry[] | 'file'} found
 */
async function treeOf(files, root, found) {
  if (found === 'file') return { files: [root], directories: [] }
  const tree = { files: /** @type {string[]} */ ([]), directories: [root] }
  for (const { name, isDir } of found) {
    const below = `${root}/${name}`
    const entries = isDir ? ((await files.list(below)) ?? []) : 'file'
    const { files: inner, directories } = await treeOf(files, below, entries)
    tree.files.push(...inner)
    tree.directories.push(...directories)
  }
  return tree
}

/** @param {number} bytes */
function sizeOf(bytes) {
  if (bytes === 0) return '0B'
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  const size = bytes / 1024 ** unit
  return `${size % 1 === 0 ? size : size.toFixed(1)}${UNITS[unit]}`
}

module.exports = { MemoryTool }
