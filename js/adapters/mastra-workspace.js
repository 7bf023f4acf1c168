// @ts-check
'use strict'

const { Buffer } = require('node:buffer')
const { randomUUID } = require('node:crypto')
const { posix } = require('node:path')
const { Readable, Writable } = require('node:stream')

const { requireOptions, requireToolkit } = require('./calls.js')
const { codeOf } = require('./files.js')
const { quoted } = require('./operations.js')
const { SandboxCommands } = require('./sandbox-commands.js')
const { SandboxFiles } = require('./sandbox-files.js')
const { pathsOf } = require('./sandbox-paths.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/** What Mastra knows failures of files by: name, code and text of its classes. */
const FAULTS = /** @type {const} */ ({
  FileNotFoundError: ['ENOENT', 'File not found'],
  DirectoryNotFoundError: ['ENOENT', 'Directory not found'],
  FileExistsError: ['EEXIST', 'File already exists'],
  IsDirectoryError: ['EISDIR', 'Path is a directory'],
  NotDirectoryError: ['ENOTDIR', 'Path is not a directory'],
  DirectoryNotEmptyError: ['ENOTEMPTY', 'Directory not empty'],
})

/** Such a failure, where the classes of Mastra cannot be had. */
class WorkspaceFileError extends Error {
  /**
   * @param {keyof typeof FAULTS} name
   * @param {string} path
   */
  constructor(name, path) {
    const [code, text] = FAULTS[name]
    super(`${text}: ${path}`)
    this.name = name
    this.code = code
    this.path = path
  }
}

/** The failure that a code of ours is. */
const NAMES = /** @type {Record<string, keyof typeof FAULTS | undefined>} */ ({
  not_found: 'FileNotFoundError',
  not_a_file: 'IsDirectoryError',
  not_a_directory: 'NotDirectoryError',
})

/** @typedef {() => unknown} LoadMastra gives `@mastra/core/workspace` as the program has it, by `require` or `import` */

/** @type {LoadMastra} */
// @ts-ignore: an optional peer
const required = () => require('@mastra/core/workspace')

/**
 * A toolkit as the workspace of an agent of Mastra: `new Workspace(toWorkspace(toolkit))`. Files, commands and processes go through the policy
 * of the toolkit.
 *
 * @param {Toolkit} toolkit
 * @param {{ id?: string }} [options]
 * @param {LoadMastra} [load]
 */
function toWorkspace(toolkit, options = {}, load = required) {
  requireToolkit('toWorkspace', toolkit)
  requireOptions('toWorkspace', options, ['id'])
  const id = options.id ?? `tenon-${randomUUID()}`
  return { filesystem: new ToolkitFilesystem(toolkit, `${id}-files`, load), sandbox: new ToolkitSandbox(toolkit, `${id}-sandbox`) }
}

/** `WorkspaceFilesystem` of Mastra. */
class ToolkitFilesystem {
  #files
  #paths
  #load
  name = 'ToolkitFilesystem'
  provider = 'tenon'
  status = 'ready'

  /**
   * @param {Toolkit} toolkit
   * @param {string} id
   * @param {LoadMastra} load
   */
  constructor(toolkit, id, load) {
    this.id = id
    this.#load = load
    this.#files = new SandboxFiles(toolkit)
    this.#paths = pathsOf(toolkit)
  }

  /**
   * A failure as a program that works with Mastra looks for it, by `instanceof`.
   *
   * @param {keyof typeof FAULTS} name
   * @param {string} path
   * @returns {Promise<Error>}
   */
  async #fault(name, path) {
    try {
      const Own = /** @type {any} */ (await this.#load())[name]
      return new Own(path)
    } catch {
      return new WorkspaceFileError(name, path)
    }
  }

  /**
   * Failures as Mastra has them; those of policy stay as they are, with their reason.
   *
   * @template T
   * @param {string} path
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #translated(path, work) {
    try {
      return await work()
    } catch (error) {
      const name = NAMES[codeOf(error) ?? '']
      throw name === undefined ? error : await this.#fault(name, path)
    }
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
    const bytes = await this.#translated(path, () => this.#files.bytes(this.#paths.own(path)))
    if (!bytes) throw await this.#fault('FileNotFoundError', path)
    return encoding ? bytes.toString(encoding) : bytes
  }

  /**
   * @param {string} path
   * @param {string | Uint8Array} content
   * @param {{ recursive?: boolean, overwrite?: boolean, expectedMtime?: Date }} [options]
   */
  async writeFile(path, content, { recursive = true, overwrite = true } = {}) {
    const own = this.#paths.own(path)
    if (!overwrite && (await this.exists(path))) throw await this.#fault('FileExistsError', path)
    if (!recursive && !(await this.exists(posix.dirname(own)))) throw await this.#fault('DirectoryNotFoundError', posix.dirname(path))
    await this.#translated(path, () => this.#files.write(own, content))
  }

  /**
   * @param {string} path
   * @param {string | Uint8Array} content
   */
  async appendFile(path, content) {
    const own = this.#paths.own(path)
    const before = (await this.#translated(path, () => this.#files.bytes(own))) ?? Buffer.alloc(0)
    await this.#translated(path, () => this.#files.write(own, Buffer.concat([before, Buffer.from(/** @type {any} */ (content))])))
  }

  /**
   * @param {string} path
   * @param {{ force?: boolean }} [options]
   */
  async deleteFile(path, { force = false } = {}) {
    const isGone = await this.#translated(path, () => this.#files.remove(this.#paths.own(path)))
    if (!isGone && !force) throw await this.#fault('FileNotFoundError', path)
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
    if (!(await this.exists(from))) throw await this.#fault('FileNotFoundError', from)
    if (options?.overwrite === false && (await this.exists(to))) throw await this.#fault('FileExistsError', to)
    await this.#translated(from, work)
  }

  /**
   * @param {string} path
   * @param {{ recursive?: boolean }} [options]
   */
  async mkdir(path, { recursive = true } = {}) {
    if (!recursive && !(await this.exists(posix.dirname(this.#paths.own(path))))) throw await this.#fault('DirectoryNotFoundError', posix.dirname(path))
    const found = await this.#translated(path, () => this.#files.stat(this.#paths.own(path)))
    if (found?.type === 'file') throw await this.#fault('FileExistsError', path)
    if (!found) await this.#translated(path, () => this.#files.makeDirectory(this.#paths.own(path)))
  }

  /**
   * @param {string} path
   * @param {{ recursive?: boolean, force?: boolean }} [options]
   */
  async rmdir(path, { recursive = false, force = false } = {}) {
    const own = this.#paths.own(path)
    const entries = await this.#translated(path, () => this.#files.list(own))
    if (!entries) {
      if (force) return
      throw await this.#fault('DirectoryNotFoundError', path)
    }
    if (!recursive && entries.length > 0) {
      throw await this.#fault('DirectoryNotEmptyError', path)
    }
    await this.#translated(path, () => this.#files.removeDirectory(own, recursive))
  }

  /**
   * @param {string} path
   * @param {{ recursive?: boolean, extension?: string | string[], maxDepth?: number }} [options]
   * @returns {Promise<{ name: string, type: 'file' | 'directory', size?: number }[]>}
   */
  async readdir(path, { recursive = false, extension, maxDepth = Number.POSITIVE_INFINITY } = {}) {
    const own = this.#paths.own(path)
    const entries = await this.#translated(path, () => this.#files.list(own))
    if (!entries) throw await this.#fault('DirectoryNotFoundError', path)
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
    return (await this.#translated(path, () => this.#files.stat(this.#paths.own(path)))) !== undefined
  }

  /** Times are not known here. @param {string} path */
  async stat(path) {
    const own = this.#paths.own(path)
    const found = await this.#translated(path, () => this.#files.stat(own))
    if (!found) throw await this.#fault('FileNotFoundError', path)
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

  async isReady() {
    return true
  }

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
    if (abortSignal?.aborted) return handleOf(NEVER_STARTED, command, onStdout)
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

  /** One that has ended is given once. @param {string} pid */
  async get(pid) {
    const handle = this.#handles.get(pid)
    if (handle?.exitCode !== undefined) this.release(pid)
    return handle
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

const NOT_STARTED = { output: '', exitCode: 137, signal: 'SIGKILL', timedOut: false, durationMs: 0 }
/** What stands for a process that was to be ended before it began. */
const NEVER_STARTED = /** @type {any} */ ({
  result: NOT_STARTED,
  done: Promise.resolve(NOT_STARTED),
  listen() {},
  kill: async () => false,
  input: () => Promise.reject(new Error('The process was killed before it started.')),
})

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
  const handle = {
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
    /** Its output as a stream, what it has written already first. */
    get reader() {
      const stream = new Readable({ read() {} })
      stream.push(stdout)
      listeners.add((text) => stream.push(text))
      process.done.then(
        () => stream.push(null),
        (error) => stream.destroy(error),
      )
      return stream
    },
    /** Its input as a stream. */
    get writer() {
      return new Writable({
        decodeStrings: false,
        write: (text, _encoding, done) => void handle.sendStdin(String(text)).then(() => done(), done),
        // What has ended needs no end of its input.
        final: (done) =>
          void handle.closeStdin().then(
            () => done(),
            () => done(),
          ),
      })
    },
  }
  return handle
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

module.exports = { toWorkspace }
