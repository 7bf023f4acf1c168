// @ts-check
'use strict'

const { Buffer } = require('node:buffer')
const { posix } = require('node:path')

const { ToolError } = require('../tool-error.js')
const { run } = require('./calls.js')
const { Files, codeOf } = require('./files.js')
const { nameOf, quoted } = require('./operations.js')
const { SandboxCommands } = require('./sandbox-commands.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {{ name: string, type: 'file' | 'directory', size: number }} Entry
 */

const MOST_ENTRIES = 100_000
/** Characters of base64 in one command: Linux allows a word of 128 KiB. */
const COMMAND_CHARACTERS = 96 * 1024

/**
 * The files of a toolkit as interfaces of sandboxes want them: whole, as bytes. Each step is judged as the call that it is, of `read`, `write`,
 * `ls`, `apply_patch` or `exec`.
 */
class SandboxFiles {
  #toolkit
  #signal
  #files
  #commands

  /**
   * @param {Toolkit} toolkit
   * @param {{ signal?: AbortSignal }} [call]
   */
  constructor(toolkit, { signal } = {}) {
    this.#toolkit = toolkit
    this.#signal = signal
    this.#files = new Files(toolkit, { signal })
    this.#commands = new SandboxCommands(toolkit, { signal })
  }

  /**
   * @param {string} operation
   * @param {object} params
   */
  #run(operation, params) {
    return run(this.#toolkit, nameOf(this.#toolkit, operation), params, { signal: this.#signal })
  }

  /**
   * The bytes of a file; nothing for what does not exist. What `read` shows is taken where it is all of the file; line ends, encodings and
   * what is no text come by a command.
   *
   * @param {string} path
   * @returns {Promise<Buffer | undefined>}
   */
  async bytes(path) {
    const stat = await this.stat(path)
    if (!stat) return undefined
    if (stat.type === 'directory') throw isDirectory(path)
    if (stat.size === 0) return Buffer.alloc(0)
    const shown = await this.#shown(path)
    if (shown && shown.length === stat.size) return shown
    const { output } = await this.#command(`base64 ${quoted(path)}`)
    return Buffer.from(output.replace(/\s+/g, ''), 'base64')
  }

  /** @param {string} path */
  async #shown(path) {
    try {
      return Buffer.from(await this.#files.text(path))
    } catch (error) {
      const code = codeOf(error)
      if (code === 'binary_file' || code === 'unsupported_encoding' || code === 'invalid_params' || code === 'too_large') return undefined
      throw error
    }
  }

  /**
   * Writes a file, and the directories that it needs.
   *
   * @param {string} path
   * @param {string | Uint8Array} content
   */
  async write(path, content) {
    const bytes = Buffer.from(/** @type {any} */ (content))
    const text = bytes.toString('utf8')
    if (!bytes.equals(Buffer.from(text)) || text.includes('\0')) return this.#writeBytes(path, bytes)
    // A file keeps its line ends where a model writes it; here the bytes are meant.
    const write = async () => {
      const { details } = await this.#run('write', { file_path: path, content: text })
      return details.size === undefined || details.size === bytes.length ? undefined : this.#writeBytes(path, bytes)
    }
    try {
      return await write()
    } catch (error) {
      if (codeOf(error) !== 'stale_file' && codeOf(error) !== 'not_read') throw error
      // Who writes the whole file has decided what is in it.
      await this.#shown(path)
      return write()
    }
  }

  /**
   * @param {string} path
   * @param {Buffer} bytes
   */
  async #writeBytes(path, bytes) {
    const above = posix.dirname(path)
    if (above !== '.' && above !== '/') await this.makeDirectory(above)
    const coded = bytes.toString('base64')
    for (let at = 0; at === 0 || at < coded.length; at += COMMAND_CHARACTERS) {
      const part = coded.slice(at, at + COMMAND_CHARACTERS)
      await this.#command(`printf %s ${quoted(part)} | base64 -d ${at === 0 ? '>' : '>>'} ${quoted(path)}`)
    }
  }

  /**
   * What there is at a path. Links are followed.
   *
   * @param {string} path
   * @returns {Promise<Entry | undefined>}
   */
  async stat(path) {
    const name = posix.basename(path)
    const found = await this.#files.list(path)
    if (found === undefined) return undefined
    if (found !== 'file') return { name, type: 'directory', size: 0 }
    const around = await this.list(posix.dirname(path))
    return around?.find((entry) => entry.name === name) ?? { name, type: 'file', size: -1 }
  }

  /**
   * The entries of a directory; nothing for what does not exist.
   *
   * @param {string} path
   * @returns {Promise<Entry[] | undefined>}
   */
  async list(path) {
    try {
      const { details } = await this.#run('ls', { path, limit: MOST_ENTRIES })
      return details.items.map((/** @type {any} */ { name, isDir, sizeBytes }) => ({ name, type: isDir ? 'directory' : 'file', size: sizeBytes }))
    } catch (error) {
      if (codeOf(error) === 'not_found') return undefined
      throw error
    }
  }

  /**
   * Deletes a file; whether there was one.
   *
   * @param {string} path
   */
  async remove(path) {
    const stat = await this.stat(path)
    if (!stat) return false
    if (stat.type === 'directory') throw isDirectory(path)
    await this.#files.remove([path])
    return true
  }

  /**
   * @param {string} path
   * @param {boolean} recursive
   */
  async removeDirectory(path, recursive) {
    await this.#command(recursive ? `rm -r ${quoted(path)}` : `rmdir ${quoted(path)}`)
  }

  /** @param {string} path */
  async makeDirectory(path) {
    await this.#command(`mkdir -p ${quoted(path)}`)
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  async copy(from, to) {
    await this.#command(`mkdir -p ${quoted(posix.dirname(to))} && cp -r ${quoted(from)} ${quoted(to)}`)
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  async move(from, to) {
    await this.#command(`mkdir -p ${quoted(posix.dirname(to))} && mv ${quoted(from)} ${quoted(to)}`)
  }

  /** @param {string} command */
  async #command(command) {
    const done = await this.#commands.run({ command })
    if (done.exitCode === 0) return done
    throw new ToolError(done.output.trim() || `\`${command.slice(0, 80)}\` ended with code ${done.exitCode}.`, {
      tool: 'exec',
      error_type: 'execution_failed',
      details: { code: 'process_failed', exitCode: done.exitCode },
    })
  }
}

/** @param {string} path */
function isDirectory(path) {
  return new ToolError(`\`${path}\` is a directory.`, { tool: 'files', error_type: 'invalid_input', details: { code: 'not_a_file' } })
}

module.exports = { SandboxFiles }
