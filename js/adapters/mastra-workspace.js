// @ts-check
'use strict'

const { Buffer } = require('node:buffer')
const { randomUUID } = require('node:crypto')
const { posix } = require('node:path')

const { requireOptions, requireToolkit } = require('./calls.js')
const { codeOf } = require('./files.js')
const { quoted } = require('./operations.js')
const { SandboxCommands } = require('./sandbox-commands.js')
const { SandboxFiles } = require('./sandbox-files.js')
const { pathsOf } = require('./sandbox-paths.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/** What Mastra knows failures of files by. */
class WorkspaceFileError extends Error {
  /**
   * @param {string} name of the class that Mastra has for it
   * @param {string} code
   * @param {string} path
   * @param {string} message
   */
  constructor(name, code, path, message) {
    super(message)
    this.name = name
    this.code = code
    this.path = path
  }
}

/**
 * A toolkit as the workspace of an agent of Mastra: `new Workspace(toWorkspace(toolkit))`. Files, commands and processes go through the policy
 * of the toolkit.
 *
 * @param {Toolkit} toolkit
 * @param {{ id?: string }} [options]
 */
function toWorkspace(toolkit, options = {}) {
  requireToolkit('toWorkspace', toolkit)
  requireOptions('toWorkspace', options, ['id'])
  const id = options.id ?? `tenon-${randomUUID()}`
  return { filesystem: new ToolkitFilesystem(toolkit, `${id}-files`), sandbox: new ToolkitSandbox(toolkit, `${id}-sandbox`) }
}

/** `WorkspaceFilesystem` of Mastra. */
class ToolkitFilesystem {
  #files
  #paths
  name = 'ToolkitFilesystem'
  provider = 'tenon'
  status = 'ready'

  /**
   * @param {Toolkit} toolkit
   * @param {string} id
   */
  constructor(toolkit, id) {
    this.id = id
    this.#files = new SandboxFiles(toolkit)
    this.#paths = pathsOf(toolkit)
  }

  getInfo() {
    return { id: this.id, name: this.name, provider: this.provider, status: this.status }
  }

  getInstructions() {
    return 'Files of a workspace, under the permissions of its user. `/` is the workspace.'
  }

  /**
   * @param {string} path
   * @param {{ encoding?: BufferEncoding }} [options]
   */
  async readFile(path, { encoding } = {}) {
    const bytes = await translated(path, () => this.#files.bytes(this.#paths.own(path)))
    if (!bytes) throw missing(path)
    return encoding ? bytes.toString(encoding) : bytes
  }

  /**
   * @param {string} path
   * @param {string | Uint8Array} content
   * @param {{ recursive?: boolean, overwrite?: boolean, expectedMtime?: Date }} [options]
   */
  async writeFile(path, content, { recursive = true, overwrite = true } = {}) {
    const own = this.#paths.own(path)
    if (!overwrite && (await this.exists(path))) throw new WorkspaceFileError('FileExistsError', 'EEXIST', path, `File already exists: ${path}`)
    if (!recursive && !(await this.exists(posix.dirname(own)))) throw missing(posix.dirname(path), true)
    await translated(path, () => this.#files.write(own, content))
  }

  /**
   * @param {string} path
   * @param {string | Uint8Array} content
   */
  async appendFile(path, content) {
    const own = this.#paths.own(path)
    const before = (await translated(path, () => this.#files.bytes(own))) ?? Buffer.alloc(0)
    await translated(path, () => this.#files.write(own, Buffer.concat([before, Buffer.from(/** @type {any} */ (content))])))
  }

  /**
   * @param {string} path
   * @param {{ force?: boolean }} [options]
   */
  async deleteFile(path, { force = false } = {}) {
    const isGone = await translated(path, () => this.#files.remove(this.#paths.own(path)))
    if (!isGone && !force) throw missing(path)
  }

  /**
   * @param {string} from
   * @param {string} to
   * @param {{ overwrite?: boolean, recursive?: boolean }} [options]
   */
  copyFile(from, to, options) {
    const recursive = options?.recursive === true
    return this.#transferred(from, to, options, () => this.#files.copy(this.#paths.own(from), this.#paths.own(to), { recursive }))
  }

  /**
   * @param {string} from
   * @param {string} to
   * @param {{ overwrite?: boolean }} [options]
   */
  moveFile(from, to, options) {
    return this.#transferred(from, to, options, () => this.#files.move(this.#paths.own(from), this.#paths.own(to)))
  }

  /**
   * @param {string} from
   * @param {string} to
   * @param {{ overwrite?: boolean } | undefined} options
   * @param {() => Promise<void>} work
   */
  async #transferred(from, to, options, work) {
    if (!(await this.exists(from))) throw missing(from)
    if (options?.overwrite === false && (await this.exists(to))) throw new WorkspaceFileError('FileExistsError', 'EEXIST', to, `File already exists: ${to}`)
    await translated(from, work)
  }

  /**
   * @param {string} path
   * @param {{ recursive?: boolean }} [options]
   */
  async mkdir(path, { recursive = true } = {}) {
    if (!recursive && !(await this.exists(posix.dirname(this.#paths.own(path))))) throw missing(posix.dirname(path), true)
    const found = await translated(path, () => this.#files.stat(this.#paths.own(path)))
    if (found?.type === 'file') throw new WorkspaceFileError('FileExistsError', 'EEXIST', path, `File already exists: ${path}`)
    if (!found) await translated(path, () => this.#files.makeDirectory(this.#paths.own(path)))
  }

  /**
   * @param {string} path
   * @param {{ recursive?: boolean, force?: boolean }} [options]
   */
  async rmdir(path, { recursive = false, force = false } = {}) {
    const own = this.#paths.own(path)
    const entries = await translated(path, () => this.#files.list(own))
    if (!entries) {
      if (force) return
      throw missing(path, true)
    }
    if (!recursive && entries.length > 0) {
      throw new WorkspaceFileError('DirectoryNotEmptyError', 'ENOTEMPTY', path, `Directory not empty: ${path}`)
    }
    await translated(path, () => this.#files.removeDirectory(own, recursive))
  }

  /**
   * @param {string} path
   * @param {{ recursive?: boolean, extension?: string | string[], maxDepth?: number }} [options]
   * @returns {Promise<{ name: string, type: 'file' | 'directory', size?: number }[]>}
   */
  async readdir(path, { recursive = false, extension, maxDepth = Number.POSITIVE_INFINITY } = {}) {
    const own = this.#paths.own(path)
    const entries = await translated(path, () => this.#files.list(own))
    if (!entries) throw missing(path, true)
    const wanted = extension === undefined ? undefined : [extension].flat()
    const shown = entries.filter(({ name, type }) => type === 'directory' || !wanted || wanted.includes(posix.extname(name)))
    const here = shown.map(({ name, type, size }) => ({ name, type, ...(type === 'file' && { size }) }))
    if (!recursive || maxDepth < 1) return here
    const below = entries
      .filter(({ type }) => type === 'directory')
      .map(async ({ name }) => {
        const inner = await this.readdir(posix.join('/', own, name), { recursive, extension, maxDepth: maxDepth - 1 })
        return inner.map((entry) => ({ ...entry, name: `${name}/${entry.name}` }))
      })
    return [...here, ...(await Promise.all(below)).flat()]
  }

  /** @param {string} path */
  async exists(path) {
    return (await translated(path, () => this.#files.stat(this.#paths.own(path)))) !== undefined
  }

  /** Times are not known here. @param {string} path */
  async stat(path) {
    const own = this.#paths.own(path)
    const found = await translated(path, () => this.#files.stat(own))
    if (!found) throw missing(path)
    const never = new Date(0)
    return { name: found.name, path: this.#paths.shown(own), type: found.type, size: found.size, createdAt: never, modifiedAt: never }
  }
}

/** `WorkspaceSandbox` of Mastra. */
class ToolkitSandbox {
  #toolkit
  name = 'ToolkitSandbox'
  provider = 'tenon'
  status = 'running'

  /**
   * @param {Toolkit} toolkit
   * @param {string} id
   */
  constructor(toolkit, id) {
    this.id = id
    this.#toolkit = toolkit
    this.createdAt = new Date()
    this.processes = new ToolkitProcesses(toolkit)
  }

  async snapshot() {}

  getInfo() {
    return { id: this.id, name: this.name, provider: this.provider, status: this.status, createdAt: this.createdAt }
  }

  getInstructions() {
    return 'Commands run in the workspace, under the permissions of its user. Both of their streams are in stdout.'
  }

  /**
   * @param {string} command
   * @param {string[]} [args]
   * @param {{ timeout?: number, env?: Record<string, string | undefined>, cwd?: string, onStdout?: (text: string) => void, abortSignal?: AbortSignal }} [options]
   */
  async executeCommand(command, args = [], { timeout, env, cwd, onStdout, abortSignal } = {}) {
    const line = [command, ...args.map(quoted)].join(' ')
    const commands = new SandboxCommands(this.#toolkit, { signal: abortSignal })
    const where = cwd === undefined ? undefined : pathsOf(this.#toolkit).own(cwd)
    const done = await commands.run({ command: line, cwd: where, env, timeoutMs: timeout }, onStdout)
    return { ...resultOf(done), command, args }
  }
}

/** `SandboxProcessManager` of Mastra. */
class ToolkitProcesses {
  #toolkit
  /** @type {Map<string, ReturnType<typeof handleOf>>} */
  #handles = new Map()

  /** @param {Toolkit} toolkit */
  constructor(toolkit) {
    this.#toolkit = toolkit
  }

  /**
   * @param {string} command
   * @param {{ timeout?: number, env?: Record<string, string | undefined>, cwd?: string, onStdout?: (text: string) => void, abortSignal?: AbortSignal }} [options]
   */
  async spawn(command, { timeout, env, cwd, onStdout, abortSignal } = {}) {
    const where = cwd === undefined ? undefined : pathsOf(this.#toolkit).own(cwd)
    const process = await new SandboxCommands(this.#toolkit, { signal: abortSignal }).start({ command, cwd: where, env, timeoutMs: timeout })
    const handle = handleOf(process, command, onStdout)
    abortSignal?.addEventListener('abort', () => void handle.kill().catch(() => {}), { once: true })
    this.#handles.set(handle.pid, handle)
    return handle
  }

  async list() {
    return [...this.#handles.values()].map(({ pid, command, exitCode }) => ({ pid, command, running: exitCode === undefined, exitCode }))
  }

  /** @param {string} pid */
  async get(pid) {
    return this.#handles.get(pid)
  }

  /** @param {string} pid */
  release(pid) {
    this.#handles.delete(pid)
  }

  /** @param {string} pid */
  async kill(pid) {
    return (await this.#handles.get(pid)?.kill()) ?? false
  }
}

/**
 * @param {import('./sandbox-commands.js').SandboxProcess} process
 * @param {string} command
 * @param {((text: string) => void) | undefined} onStdout
 */
function handleOf(process, command, onStdout) {
  let stdout = ''
  /** @type {Set<(text: string) => void>} */
  const listeners = new Set(onStdout ? [onStdout] : [])
  process.listen((text) => {
    stdout += text
    for (const listener of listeners) listener(text)
  })
  return {
    pid: String(process.pid ?? process.id ?? randomUUID()),
    command,
    get exitCode() {
      return process.result?.exitCode
    },
    get stdout() {
      return stdout
    },
    stderr: '',
    stdoutTruncated: false,
    stderrTruncated: false,
    stdoutDroppedBytes: 0,
    stderrDroppedBytes: 0,
    kill: () => process.kill(),
    sendStdin: (/** @type {string} */ data) => process.input(data),
    closeStdin: () => process.input('', true),
    /** @param {{ onStdout?: (text: string) => void, abortSignal?: AbortSignal }} [options] */
    wait: async ({ onStdout: listener, abortSignal } = {}) => {
      if (listener) listeners.add(listener)
      abortSignal?.addEventListener('abort', () => void process.kill().catch(() => {}), { once: true })
      try {
        return { ...resultOf(await process.done), command }
      } finally {
        if (listener) listeners.delete(listener)
      }
    },
  }
}

/** @param {import('./sandbox-commands.js').Done} done */
function resultOf({ output, exitCode, signal, timedOut, durationMs }) {
  return {
    success: exitCode === 0,
    exitCode,
    stdout: output,
    stderr: '',
    executionTimeMs: durationMs,
    ...(timedOut && { timedOut: true }),
    ...(signal !== undefined && { killed: true }),
  }
}

/**
 * @param {string} path
 * @param {boolean} [isDirectory]
 */
function missing(path, isDirectory = false) {
  return isDirectory
    ? new WorkspaceFileError('DirectoryNotFoundError', 'ENOENT', path, `Directory not found: ${path}`)
    : new WorkspaceFileError('FileNotFoundError', 'ENOENT', path, `File not found: ${path}`)
}

/**
 * Failures as Mastra has them; those of policy stay as they are, with their reason.
 *
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function translated(path, work) {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'not_found') throw missing(path)
    if (code === 'not_a_file') throw new WorkspaceFileError('IsDirectoryError', 'EISDIR', path, `Path is a directory: ${path}`)
    if (code === 'not_a_directory') throw new WorkspaceFileError('NotDirectoryError', 'ENOTDIR', path, `Path is not a directory: ${path}`)
    throw error
  }
}

module.exports = { toWorkspace }
