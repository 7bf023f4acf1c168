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
/** How many bytes of a file one command shows. */
const PART_BYTES = 1024 * 1024
/** tar(5): archives are whole blocks. */
const TAR_BLOCK = 512
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
    return this.#dumped(path, stat.size)
  }

  /**
   * The bytes of a file by `od`, part by part. In pairs of digits nothing looks like a secret, which would be left out; in base64 any file does
   * sooner or later.
   *
   * @param {string} path
   * @param {number} size -1 where it is not known
   */
  async #dumped(path, size) {
    const parts = []
    let length = 0
    for (;;) {
      const part = await this.#hex(`od -An -v -tx1 -j ${length} -N ${PART_BYTES} ${operand(path)}`, path)
      parts.push(part)
      length += part.length
      if (part.length < PART_BYTES || length === size) break
    }
    if (size >= 0 && length !== size) throw incomplete(path, `${length} of its ${size} bytes came`)
    return Buffer.concat(parts)
  }

  /** All that is in the workspace, as a tar archive. */
  async archive() {
    // GNU tar ends with 1 where a file changed meanwhile, and with 2 where one could not be read.
    const archived = '{ tar -cf - . 2>/dev/null; [ $? -le 1 ] || echo "tar could not read every file" >&2; }'
    const bytes = await this.#hex(`${archived} | od -An -v -tx1`, '.')
    if (bytes.length === 0 || bytes.length % TAR_BLOCK > 0) throw incomplete('.', `its archive ended after ${bytes.length} bytes`)
    return bytes
  }

  /**
   * @param {string} command writes bytes as pairs of digits
   * @param {string} path
   */
  async #hex(command, path) {
    const { output } = await this.#command(command)
    if (/[^0-9a-f\s]/.test(output)) throw incomplete(path, 'a part of it could not be read')
    return Buffer.from(output.replace(/\s+/g, ''), 'hex')
  }

  /**
   * What `read` shows of a file, where that is its bytes but for line ends.
   *
   * @param {string} path
   */
  async #shown(path) {
    try {
      const { text, encoding } = await this.#files.decoded(path)
      return encoding === undefined ? Buffer.from(text) : undefined
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
    const written = (await this.#writeText(path, text)) ?? ((await this.#shown(path)) && (await this.#writeText(path, text)))
    // A file keeps its line ends and its encoding where a model writes it; here the bytes are meant.
    const isWhole = written && (written.operation === 'create' || (written.size === bytes.length && (await this.#shown(path))?.equals(bytes)))
    if (!isWhole) await this.#writeBytes(path, bytes)
  }

  /**
   * Details of the write; nothing where the file is not known as it is. Who writes the whole file has decided what is in it.
   *
   * @param {string} path
   * @param {string} content
   */
  async #writeText(path, content) {
    try {
      return (await this.#run('write', { file_path: path, content })).details
    } catch (error) {
      if (codeOf(error) !== 'stale_file' && codeOf(error) !== 'not_read') throw error
      return undefined
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
      await this.#command(`printf %s ${quoted(part)} | base64 -d ${at === 0 ? '>' : '>>'} ${operand(path)}`)
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
    await this.#command(recursive ? `rm -r ${operand(path)}` : `rmdir ${operand(path)}`)
  }

  /**
   * Makes a directory and those above it.
   *
   * @param {string} path
   */
  async makeDirectory(path) {
    await this.#command(`mkdir -p ${operand(path)}`)
  }

  /**
   * Copies a file to where no directory is, or what is in a directory into another one.
   *
   * @param {string} from
   * @param {string} to
   * @param {{ recursive?: boolean }} [options]
   */
  async copy(from, to, { recursive = true } = {}) {
    const [source, target] = [await this.stat(from), await this.stat(to)]
    if (source?.type === 'directory') {
      if (!recursive) throw isDirectory(from)
      return void (await this.#command(`mkdir -p ${operand(to)} && cp -R ${operand(`${from}/.`)} ${operand(to)}`))
    }
    if (target?.type === 'directory') throw isDirectory(to)
    await this.#command(`mkdir -p ${operand(posix.dirname(to))} && cp ${operand(from)} ${operand(to)}`)
  }

  /**
   * Gives a file or a directory another name, which no directory has.
   *
   * @param {string} from
   * @param {string} to
   */
  async move(from, to) {
    if ((await this.stat(to))?.type === 'directory') throw isDirectory(to)
    await this.#command(`mkdir -p ${operand(posix.dirname(to))} && mv ${operand(from)} ${operand(to)}`)
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

/**
 * A path as a word of a command that no program takes for an option.
 *
 * @param {string} path
 */
function operand(path) {
  return quoted(path.startsWith('-') ? `./${path}` : path)
}

/**
 * @param {string} path
 * @param {string} fault
 */
function incomplete(path, fault) {
  return new ToolError(`\`${path}\` could not be read as a whole: ${fault}. If it was being changed, read it again.`, {
    tool: 'files',
    error_type: 'execution_failed',
    details: { code: 'process_failed' },
  })
}

/** @param {string} path */
function isDirectory(path) {
  return new ToolError(`\`${path}\` is a directory.`, { tool: 'files', error_type: 'invalid_input', details: { code: 'not_a_file' } })
}

module.exports = { SandboxFiles }
