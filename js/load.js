// @ts-check
'use strict'

// Not every realm has it.
const { Buffer } = require('node:buffer')
const { accessSync, closeSync, constants, existsSync, openSync, readSync, readdirSync } = require('node:fs')
const path = require('node:path')

/** The folder of the package. */
const ROOT = path.join(__dirname, '..')
/** Names a file to load in place of all others. */
const OVERRIDES = ['TENON_NATIVE_PATH', 'NAPI_RS_NATIVE_LIBRARY_PATH']
/** What there are packages for: platform, architecture, C library. */
const TRIPLES = [
  'linux-x64-gnu',
  'linux-arm64-gnu',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64-msvc',
]

/**
 * @typedef {{ from: string, load: () => any, file?: string }} Candidate
 * @typedef {{ from: string, reason: string }} Failure
 * @typedef {{ binding: any, from: string, file: string, failures: Failure[] }} Loaded
 * @type {Loaded | undefined}
 */
let loaded

/** The native classes. Loaded at the first use, once. */
function loadNative() {
  return (loaded ??= load()).binding
}

/**
 * What was loaded, from where, and what was tried in vain before.
 *
 * @returns {Loaded}
 */
function loadedNative() {
  return (loaded ??= load())
}

/**
 * The helper program of the platform package (Linux), which lies beside the addon.
 *
 * @returns {{ file: string, fault?: string } | undefined}
 */
function helperProgram() {
  if (process.platform !== 'linux') return undefined
  const file = path.join(path.dirname(loadedNative().file), 'tenon-helper')
  try {
    accessSync(file, constants.X_OK)
    return { file }
  } catch (error) {
    const { code } = /** @type {any} */ (error)
    return { file, fault: code === 'ENOENT' ? 'not found' : 'not an executable file' }
  }
}

/** @returns {Loaded} */
function load() {
  /** @type {Failure[]} */
  const failures = []
  for (const { from, load, file } of candidates()) {
    try {
      return { binding: load(), from, file: file ?? fileOf(from), failures }
    } catch (error) {
      failures.push({ from, reason: reasonOf(error) })
    }
  }
  throw new Error(explain(targetTriple(), failures))
}

/**
 * Every place to look, in order. An override stands alone: who names a file wants no other.
 *
 * @returns {Candidate[]}
 */
function candidates() {
  const named = OVERRIDES.map((name) => process.env[name]).find((value) => value)
  if (named) {
    const file = path.resolve(named)
    return [{ from: named, load: () => require(file), file }]
  }
  const triple = targetTriple()
  const file = `tenon.${triple}.node`
  const built = path.join(ROOT, 'native', file)
  const name = `tenon-${triple}`
  return [
    { from: built, load: () => (existsSync(built) ? require(built) : missing()), file: built },
    { from: name, load: () => require(name) },
    // A host that was compiled by Bun finds a file inside a package, but not its `main`.
    { from: `${name}/${file}`, load: () => require(`${name}/${file}`) },
  ]
}

/**
 * What `require` says of a file that is not there, without its search for other spellings.
 *
 * @returns {never}
 */
function missing() {
  throw Object.assign(new Error('not found'), { code: 'MODULE_NOT_FOUND' })
}

/** Such as `linux-x64-gnu`: the name of the platform package. */
function targetTriple() {
  const { arch, platform } = process
  if (platform === 'linux') return `linux-${arch}-${isMusl() ? 'musl' : 'gnu'}`
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`
}

/**
 * Whether the C library of this process is musl: its program names the loader in its first page.
 * (Node's diagnostic report knows too, but takes 40 ms.)
 */
function isMusl() {
  try {
    const head = firstPage(process.execPath)
    if (head.includes('ld-musl-')) return true
    if (head.includes('ld-linux')) return false
  } catch {
    // Not readable; the folders of loaders tell as well.
  }
  const loaders = ['/lib', '/lib64'].flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
  const has = (/** @type {string} */ start) => loaders.some((name) => name.startsWith(start))
  // A system of glibc may have musl installed for compilers, not the other way round.
  return has('ld-musl-') && !has('ld-linux')
}

/** @param {string} file */
function firstPage(file) {
  const descriptor = openSync(file, 'r')
  try {
    const page = Buffer.alloc(4096)
    return page.toString('latin1', 0, readSync(descriptor, page))
  } finally {
    closeSync(descriptor)
  }
}

/** @param {string} request */
function fileOf(request) {
  try {
    return require.resolve(request)
  } catch {
    return request
  }
}

/** @param {any} error */
function reasonOf(error) {
  const [line] = String(error?.message ?? error).split('\n')
  return error?.code === 'MODULE_NOT_FOUND' ? 'not found' : line
}

/**
 * @param {string} triple
 * @param {Failure[]} failures
 */
function explain(triple, failures) {
  const tried = failures.map(({ from, reason }) => `  ${from}: ${reason}`).join('\n')
  const next = TRIPLES.includes(triple)
    ? `Install the package for this platform: npm install tenon-${triple}. It is missing after an install with --omit=optional, ` +
      'or with a lock file or node_modules that were made on another system: delete both there and install again.'
    : `There is no package for this platform; there are: ${TRIPLES.join(', ')}. Build it from source with npm run build.`
  return `The native part of tenon could not be loaded (${triple}, Node ${process.version}). Tried:\n${tried}\n${next}`
}

module.exports = { helperProgram, isMusl, loadNative, loadedNative, targetTriple }
