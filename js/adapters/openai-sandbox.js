// @ts-check
'use strict'

const { posix } = require('node:path')

const { ToolError, invalidInput } = require('../tool-error.js')
const { run } = require('./calls.js')
const { bounded, nameOf, quoted } = require('./operations.js')
const { SandboxCommands } = require('./sandbox-commands.js')
const { SandboxFiles } = require('./sandbox-files.js')
const { pathsOf } = require('./sandbox-paths.js')

/** How long a command is waited for before it goes on by itself, where the agent does not say. */
const YIELD_MS = 10_000
const INPUT_YIELD_MS = 250
const CHARACTERS_OF_A_TOKEN = 4

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/**
 * A client of sandboxes for the OpenAI Agents SDK: each session is a toolkit with these options.
 *
 * @param {(options: any) => Toolkit} create
 * @param {any} options
 * @param {(toolkit: Toolkit) => any} toEditor
 * @param {() => Promise<any>} load the part of the SDK that knows manifests
 */
function clientOver(create, options, toEditor, load) {
  if (typeof options !== 'object' || options === null) throw invalidInput('sandboxClient', '`sandboxClient` takes the options of a toolkit.')
  const open = async (/** @type {any} */ state) => {
    const toolkit = create(options)
    try {
      await toolkit.ready()
    } catch (error) {
      await toolkit.close()
      throw error
    }
    return new ToolkitSession(toolkit, state, toEditor)
  }
  return {
    backendId: 'tenon',
    supportsDefaultOptions: true,
    create: async (/** @type {any} */ given) => {
      const { Manifest } = await load()
      const manifest = isManifest(given) ? given : given?.manifest
      const session = await open({ manifest: isManifest(manifest) ? manifest : new Manifest(manifest ?? {}), environment: {}, workspaceReady: true })
      await session.applyManifest(session.state.manifest)
      return session
    },
    resume: (/** @type {any} */ state) => open(state),
    delete: async () => {},
    serializeSessionState: async (/** @type {any} */ { manifest, environment }) => JSON.parse(JSON.stringify({ manifest, environment })),
    deserializeSessionState: async (/** @type {any} */ { manifest, ...state }) => {
      const { Manifest } = await load()
      return { ...state, manifest: new Manifest(manifest), workspaceReady: true }
    },
  }
}

/** `SandboxSession` of the SDK over a toolkit. */
class ToolkitSession {
  #toolkit
  #files
  #paths
  #toEditor
  /** @type {Map<number, { process: import('./sandbox-commands.js').SandboxProcess, tty: boolean, unread: string }>} */
  #running = new Map()
  #lastId = 0

  /**
   * @param {Toolkit} toolkit
   * @param {any} state
   * @param {(toolkit: Toolkit) => any} toEditor
   */
  constructor(toolkit, state, toEditor) {
    this.state = state
    this.#toolkit = toolkit
    this.#toEditor = toEditor
    this.#files = new SandboxFiles(toolkit)
    this.#paths = () => pathsOf(toolkit, this.state.manifest?.root)
  }

  /** @param {string | undefined} path */
  #own(path) {
    return this.#paths().own(path ?? '.')
  }

  supportsPty() {
    return true
  }

  async running() {
    return true
  }

  /** @param {any} asked */
  async exec({ cmd, workdir, shell, tty = false, yieldTimeMs = YIELD_MS, maxOutputTokens, runAs }) {
    sameUser(runAs)
    const since = Date.now()
    // Policy reads the command of the agent; another shell is a command of its own.
    const command = shell === undefined ? cmd : `${quoted(shell)} -c ${quoted(cmd)}`
    const environment = this.state.environment ?? {}
    const process = await new SandboxCommands(this.#toolkit).start({ command, cwd: this.#own(workdir), env: environment, pty: tty })
    const entry = { process, tty, unread: '' }
    process.listen((text) => void (entry.unread += text))
    return this.#report(entry, since, yieldTimeMs, maxOutputTokens, undefined)
  }

  /** @param {any} asked */
  async execCommand(asked) {
    try {
      return formatted(await this.exec(asked))
    } catch (error) {
      if (!ToolError.is(error)) throw error
      return formatted({ output: error.message, wallTimeSeconds: 0, exitCode: 126 })
    }
  }

  /** @param {any} asked */
  async writeStdin({ sessionId, chars = '', yieldTimeMs = INPUT_YIELD_MS, maxOutputTokens }) {
    const entry = this.#running.get(sessionId)
    if (!entry) return formatted({ output: `write_stdin failed: session not found: ${sessionId}`, wallTimeSeconds: 0, exitCode: 1 })
    const since = Date.now()
    // Without a terminal nothing makes a signal of Ctrl-C.
    const text = entry.tty ? chars : chars.replaceAll('\u0003', '')
    if (!entry.tty && chars.includes('\u0003')) await entry.process.kill()
    if (text !== '') await entry.process.input(text)
    return formatted(await this.#report(entry, since, yieldTimeMs, maxOutputTokens, sessionId))
  }

  /**
   * @param {{ process: import('./sandbox-commands.js').SandboxProcess, tty: boolean, unread: string }} entry
   * @param {number} since
   * @param {number} patience
   * @param {number | undefined} tokens
   * @param {number | undefined} id
   */
  async #report(entry, since, patience, tokens, id) {
    const done = await within(entry.process.done, patience)
    const all = entry.unread
    entry.unread = ''
    const output = bounded(all, tokens === undefined ? undefined : tokens * CHARACTERS_OF_A_TOKEN)
    const report = {
      output,
      stdout: all,
      stderr: '',
      wallTimeSeconds: (Date.now() - since) / 1000,
      ...(output !== all && { originalTokenCount: Math.ceil(all.length / CHARACTERS_OF_A_TOKEN) }),
    }
    if (done) {
      if (id !== undefined) this.#running.delete(id)
      return { ...report, exitCode: done.exitCode }
    }
    if (id === undefined) {
      this.#lastId += 1
      this.#running.set(this.#lastId, entry)
    }
    return { ...report, sessionId: id ?? this.#lastId }
  }

  /** @param {any} asked */
  async readFile({ path, runAs, maxBytes }) {
    sameUser(runAs)
    const bytes = await this.#files.bytes(this.#own(path))
    if (!bytes) throw new Error(`File not found: ${path}`)
    return new Uint8Array(maxBytes === undefined ? bytes : bytes.subarray(0, maxBytes))
  }

  /** @param {any} asked */
  async listDir({ path, runAs }) {
    sameUser(runAs)
    const own = this.#own(path)
    const entries = await this.#files.list(own)
    if (!entries) throw new Error(`Directory not found: ${path}`)
    return entries.map(({ name, type }) => ({ name, path: posix.join(own, name), type: type === 'directory' ? 'dir' : 'file' }))
  }

  /** @param {string} path @param {string} [runAs] */
  async pathExists(path, runAs) {
    sameUser(runAs)
    return (await this.#files.stat(this.#own(path))) !== undefined
  }

  /** @param {string} path @param {string} [runAs] */
  async directoryExists(path, runAs) {
    sameUser(runAs)
    return (await this.#files.stat(this.#own(path)))?.type === 'directory'
  }

  /** @param {any} asked */
  async viewImage({ path, runAs }) {
    sameUser(runAs)
    const { content } = await run(this.#toolkit, nameOf(this.#toolkit, 'read'), { file_path: this.#own(path) })
    const image = content.find((/** @type {any} */ part) => part.type === 'image')
    if (!image) throw new Error(`Image path is not a supported image: ${path}`)
    const { data, mimeType } = /** @type {any} */ (image)
    return { type: 'image', image: { data, mediaType: mimeType } }
  }

  /** @param {string} [runAs] */
  createEditor(runAs) {
    sameUser(runAs)
    const { editor } = this.#toEditor(this.#toolkit)
    const own = (/** @type {any} */ operation) => ({ ...operation, path: this.#own(operation.path) })
    return {
      createFile: (/** @type {any} */ operation) => editor.createFile(own(operation)),
      updateFile: (/** @type {any} */ operation) => editor.updateFile(own(operation)),
      deleteFile: (/** @type {any} */ operation) => editor.deleteFile(own(operation)),
    }
  }

  /** @param {any} asked */
  async materializeEntry({ path, entry, runAs }) {
    sameUser(runAs)
    const own = this.#own(path)
    if (entry.type === 'file') return void (await this.#files.write(own, entry.content))
    if (entry.type !== 'dir') throw new Error(`An entry of the kind \`${entry.type}\` cannot be put into a workspace of tenon: put files there.`)
    await this.#files.makeDirectory(own)
    for (const [name, child] of Object.entries(entry.children ?? {})) await this.materializeEntry({ path: posix.join(own, name), entry: child })
  }

  /** @param {any} manifest @param {string} [runAs] */
  async applyManifest(manifest, runAs) {
    sameUser(runAs)
    for (const [path, entry] of Object.entries(manifest.entries ?? {})) await this.materializeEntry({ path, entry })
    this.state.environment = { ...this.state.environment, ...((await manifest.resolveEnvironment?.()) ?? {}) }
  }

  /** All of the workspace, as a tar archive. */
  async persistWorkspace() {
    return new Uint8Array(await this.#files.archive())
  }

  async stop() {}
  async shutdown() {}
  async delete() {}

  async close() {
    await this.#toolkit.close()
  }
}

/** @param {any} value */
function isManifest(value) {
  return typeof value?.resolveEnvironment === 'function'
}

/** @param {unknown} user */
function sameUser(user) {
  if (user !== undefined && user !== null) throw new Error('A workspace of tenon has one user: leave `runAs` out.')
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} patience
 * @returns {Promise<T | undefined>}
 */
async function within(promise, patience) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, patience)
  })
  try {
    return await Promise.race([promise, /** @type {Promise<undefined>} */ (late)])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * What a model reads of a command, in the form of the sandboxes of the SDK.
 *
 * @param {any} report
 */
function formatted({ output, wallTimeSeconds, sessionId, exitCode, originalTokenCount }) {
  return [
    `Wall time: ${wallTimeSeconds.toFixed(4)} seconds`,
    ...(sessionId === undefined ? [`Process exited with code ${exitCode}`] : [`Process running with session ID ${sessionId}`]),
    ...(originalTokenCount === undefined ? [] : [`Original token count: ${originalTokenCount}`]),
    'Output:',
    output,
  ].join('\n')
}

module.exports = { clientOver }
