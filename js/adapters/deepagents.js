// @ts-check
'use strict'

const { randomUUID } = require('node:crypto')
const { posix } = require('node:path')

const { describe } = require('../tool-error.js')
const { requireOptions, requireToolkit, run } = require('./calls.js')
const { codeOf } = require('./files.js')
const { fromHere, nameOf } = require('./operations.js')
const { SandboxCommands } = require('./sandbox-commands.js')
const { SandboxFiles } = require('./sandbox-files.js')
const { pathsOf } = require('./sandbox-paths.js')

const MOST_FOUND = 10_000
/** Lines of a page, where the agent does not say. */
const PAGE = 500

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/**
 * A toolkit as the backend of an agent of deepagents: its files, searches and commands go through the policy of the toolkit. A failure is a
 * result with `error`, as the protocol wants it.
 *
 * @param {Toolkit} toolkit
 * @param {{ id?: string }} [options]
 */
function toBackend(toolkit, options = {}) {
  requireToolkit('toBackend', toolkit)
  requireOptions('toBackend', options, ['id'])
  const files = new SandboxFiles(toolkit)
  const paths = pathsOf(toolkit)
  const at = (/** @type {string} */ path) => paths.own(path)
  /** What is in a directory that is named by its place on the machine is named so, too. */
  const shownFor = (/** @type {string} */ asked) => (/** @type {string} */ path) => (paths.isReal(asked) ? paths.real(path) : paths.shown(path))
  const call = async (/** @type {string} */ operation, /** @type {object} */ params) => (await run(toolkit, nameOf(toolkit, operation), params)).details
  return {
    id: options.id ?? `tenon-${randomUUID()}`,
    ls: (/** @type {string} */ path) =>
      answered(async () => {
        const entries = (await files.list(at(path))) ?? []
        const top = shownFor(path)(at(path))
        return { files: entries.map(({ name, type, size }) => infoOf(posix.join(top, name), type === 'directory', size)) }
      }),
    read: (/** @type {string} */ path, offset = 0, limit = PAGE) => answered(async () => pageOf(await needed(files, at(path), path), path, offset, limit)),
    readRaw: (/** @type {string} */ path) =>
      answered(async () => {
        const bytes = await needed(files, at(path), path)
        const mimeType = mimeOf(path)
        const now = new Date(0).toISOString()
        return { data: { content: isText(bytes, mimeType) ? bytes.toString('utf8') : new Uint8Array(bytes), mimeType, created_at: now, modified_at: now } }
      }),
    write: (/** @type {string} */ path, /** @type {string} */ content) =>
      answered(async () => {
        await files.write(at(path), content)
        return { path, filesUpdate: null }
      }),
    edit: (/** @type {string} */ path, /** @type {string} */ oldText, /** @type {string} */ newText, replaceAll = false) =>
      answered(async () => {
        const occurrences = await edited({ call, files }, { path: at(path), named: path, oldText, newText, replaceAll })
        return { path, filesUpdate: null, occurrences }
      }),
    delete: (/** @type {string} */ path) =>
      answered(async () => {
        const found = await files.stat(at(path))
        if (!found) throw new Error(`File '${path}' not found`)
        if (found.type === 'directory') await files.removeDirectory(at(path), true)
        else await files.remove(at(path))
        return { path, filesUpdate: null }
      }),
    grep: (
      /** @type {string} */ pattern,
      /** @type {string | null} */ path = null,
      /** @type {string | null} */ glob = null,
      /** @type {number | null} */ maxCount = null,
    ) =>
      answered(async () => {
        const base = path ?? '/'
        const params = { pattern, literal: true, path: at(base), ...(glob && { glob }), limit: maxCount ?? MOST_FOUND }
        const { matches, truncated } = await orNothing(call('grep', params), { matches: [], truncated: false })
        return {
          matches: matches.map((/** @type {any} */ { file, line, text }) => ({ path: shownFor(base)(file), line, text })),
          ...(truncated && { truncated: true }),
        }
      }),
    glob: (/** @type {string} */ pattern, path = '/') =>
      answered(async () => {
        const top = at(path)
        const finding = call('find', { pattern: fromHere(pattern), path: top, limit: MOST_FOUND })
        const { files: found, truncated } = await orNothing(finding, { files: [], truncated: false })
        // Sandboxes of deepagents count from the directory where it is one of the machine, and `*` is all that is in it then, directories too.
        const isReal = paths.isReal(path)
        const named = (/** @type {string} */ file) => (isReal ? posix.relative(top, file) : paths.shown(file))
        const infos = found.map((/** @type {string} */ file) => ({ path: named(file), is_dir: false }))
        if (isReal && pattern === '*') {
          const entries = (await files.list(top)) ?? []
          infos.push(...entries.filter(({ type }) => type === 'directory').map(({ name }) => ({ path: name, is_dir: true })))
        }
        return { files: infos, ...(truncated && { truncated: true }) }
      }),
    execute: (/** @type {string} */ command) => executed(toolkit, command),
    uploadFiles: (/** @type {[string, Uint8Array][]} */ uploads) =>
      Promise.all(
        uploads.map(async ([path, bytes]) => {
          const error = await files.write(at(path), bytes).then(() => null, fileError)
          return { path, error }
        }),
      ),
    downloadFiles: (/** @type {string[]} */ wanted) =>
      Promise.all(
        wanted.map(async (path) => {
          try {
            const bytes = await files.bytes(at(path))
            return bytes ? { path, content: new Uint8Array(bytes), error: null } : { path, content: null, error: 'file_not_found' }
          } catch (error) {
            return { path, content: null, error: fileError(error) }
          }
        }),
      ),
  }
}

/**
 * @param {Toolkit} toolkit
 * @param {string} command
 */
async function executed(toolkit, command) {
  try {
    const { output, exitCode, timedOut } = await new SandboxCommands(toolkit).run({ command })
    return { output, exitCode: timedOut ? null : exitCode, truncated: false }
  } catch (error) {
    // Not run: what shells say of a program that may not be.
    return { output: describe(error), exitCode: 126, truncated: false }
  }
}

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T | { error: string }>}
 */
async function answered(work) {
  try {
    return await work()
  } catch (error) {
    return { error: inTheirWords(error) }
  }
}

/**
 * What is found, or nothing where there is no such directory, as all their backends answer.
 *
 * @template T
 * @param {Promise<T>} finding
 * @param {T} nothing
 */
function orNothing(finding, nothing) {
  return finding.catch((error) => {
    if (codeOf(error) === 'not_found' || codeOf(error) === 'not_a_directory') return nothing
    throw error
  })
}

/** What agents of deepagents call the parameters of an edit. */
const NAMES = /** @type {Record<string, string>} */ ({ oldText: 'old_string', newText: 'new_string', replaceAll: 'replace_all' })

/** @param {unknown} error */
function inTheirWords(error) {
  const text = describe(error).replace(/\b(?:oldText|newText|replaceAll)\b/g, (name) => NAMES[name] ?? name)
  // Their sandboxes say it so, and what is around them looks for it.
  return codeOf(error) === 'not_unique' ? `Multiple occurrences found. ${text}` : text
}

/**
 * Edits a file. How many occurrences were replaced.
 *
 * @param {{ call: (operation: string, params: object) => Promise<any>, files: SandboxFiles }} toolkit
 * @param {{ path: string, named: string, oldText: string, newText: string, replaceAll: boolean }} edit
 */
async function edited({ call, files }, { path, named, oldText, newText, replaceAll }) {
  // Two calls that the protocol knows and an edit refuses: the first text of an empty file, and a text that stays as it is. No other
  // call reads the file here: an edit notices by itself that it has changed since the agent read it.
  if (oldText === '' || oldText === newText) {
    const text = (await needed(files, path, named)).toString('utf8')
    if (oldText === '' && text === '') {
      await files.write(path, newText)
      return 1
    }
    const count = oldText === '' ? 0 : text.split(oldText).length - 1
    if (count === 1 || (count > 1 && replaceAll)) return count
  }
  try {
    const { replacements } = await call('edit', { file_path: path, edits: [{ oldText, newText }], replaceAll })
    return replacements
  } catch (error) {
    throw codeOf(error) === 'not_found' ? new Error(`File '${named}' not found`) : error
  }
}

/**
 * @param {SandboxFiles} files
 * @param {string} path
 * @param {string} named
 */
async function needed(files, path, named) {
  const bytes = await files.bytes(path)
  if (!bytes) throw new Error(`File '${named}' not found`)
  return bytes
}

/**
 * @param {Buffer} bytes
 * @param {string} path
 * @param {number} offset
 * @param {number} limit
 */
function pageOf(bytes, path, offset, limit) {
  const mimeType = mimeOf(path)
  // As all their backends say it.
  if (bytes.length === 0) return { content: 'System reminder: File exists but has empty contents', mimeType }
  ;[offset, limit] = [wholeNumber(offset), wholeNumber(limit)]
  if (!isText(bytes, mimeType)) return { content: new Uint8Array(bytes), mimeType }
  const lines = bytes.toString('utf8').split('\n')
  const total = lines.at(-1) === '' ? lines.length - 1 : lines.length
  if (offset >= total && total > 0) throw new Error(`Line offset ${offset} exceeds file length (${total} lines)`)
  const end = Math.min(offset + limit, total)
  // A page ends without a line end; all of a file is as it is.
  const content = offset === 0 && end === total ? lines.join('\n') : lines.slice(offset, end).join('\n')
  return { content, mimeType, totalLines: total, startLine: offset + 1, endLine: end, ...(end < total && { nextOffset: end }) }
}

/** @param {number} value */
function wholeNumber(value) {
  return Number.isFinite(value) ? Math.max(0, Math.trunc(value)) : 0
}

/**
 * @param {string} path
 * @param {boolean} isDir
 * @param {number} size
 */
function infoOf(path, isDir, size) {
  return isDir ? { path: `${path}/`, is_dir: true, size: 0 } : { path, is_dir: false, size }
}

const MIME = /** @type {Record<string, string>} */ ({
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.zip': 'application/zip',
})

/** @param {string} path */
function mimeOf(path) {
  return MIME[posix.extname(path).toLowerCase()] ?? 'text/plain'
}

/**
 * @param {Buffer} bytes
 * @param {string} mimeType
 */
function isText(bytes, mimeType) {
  return mimeType === 'text/plain' && !bytes.includes(0)
}

/** @param {unknown} error */
function fileError(error) {
  const code = codeOf(error)
  if (code === 'not_found') return 'file_not_found'
  if (code === 'not_a_file') return 'is_directory'
  return code === 'policy_denied' || code === 'approval_denied' || code === 'access_denied' ? 'permission_denied' : 'invalid_path'
}

module.exports = { toBackend }
