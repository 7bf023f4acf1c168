// @ts-check
'use strict'

// Not every realm has it.
const { Buffer } = require('node:buffer')
const { accessSync, closeSync, constants, existsSync, openSync, readSync, readdirSync } = require('node:fs')
const path = require('node:path')

/** The directory of this file; bundles of ES modules have none. */
const HERE = typeof __dirname === 'string' ? __dirname : undefined
/** Names a file to load in place of all others. */
const OVERRIDES = ['TENON_NATIVE_PATH', 'NAPI_RS_NATIVE_LIBRARY_PATH']
const HELPER = 'tenon-helper'
const ENGINE = 'tenon-engine'
/** Where musl's loader is on systems of musl. @type {Record<string, string | undefined>} */
const LOADERS_OF_MUSL = { x64: '/lib/ld-musl-x86_64.so.1', arm64: '/lib/ld-musl-aarch64.so.1' }
/** The part of an ELF program that names its loader. */
const PT_INTERP = 3
/** An archive of Electron, as a part of a path. Programs in it cannot be run; the ones to run are unpacked beside it. */
const ARCHIVE = /\.asar(?=[\\/])/

/**
 * @typedef {{ from: string, load: () => any, file: () => string | undefined, helper?: () => string | undefined }} Candidate
 * @typedef {{ from: string, reason: string }} Failure
 * @typedef {{ binding: any, from: string, file: string, helper?: string, failures: Failure[] }} Loaded
 * @type {Loaded | undefined}
 */
let loaded

/** The native classes. Loaded at the first use, once. */
function loadNative() {
  return (loaded ??= load()).binding
}

/**
 * What was loaded, from where, and what was tried before without success.
 *
 * @returns {Loaded}
 */
function loadedNative() {
  return (loaded ??= load())
}

/**
 * The helper program (Linux): of the platform package, else beside the addon, where bundles may have copied it.
 *
 * @returns {{ file: string, fault?: string } | undefined}
 */
function helperProgram() {
  if (process.platform !== 'linux') return undefined
  const { file: addon, helper } = loadedNative()
  const file = unpacked(helper ?? path.join(path.dirname(addon), HELPER))
  if (process.versions.electron && ARCHIVE.test(file) && !file.includes('.asar.unpacked')) {
    return { file, fault: 'inside an archive; add `**/@tenon/**` to `asarUnpack`' }
  }
  try {
    accessSync(file, constants.X_OK)
    return { file }
  } catch (error) {
    const { code } = /** @type {any} */ (error)
    return { file, fault: code === 'ENOENT' || code === 'ENOTDIR' ? 'not found' : 'not an executable file' }
  }
}

/**
 * The engine as a program: the one that was built in this project, or that of the package for this platform.
 *
 * @returns {string}
 */
function engineProgram() {
  const own = HERE === undefined ? undefined : path.join(HERE, '..', 'native', ENGINE)
  if (own !== undefined && existsSync(own)) return own
  const { engineDirectory } = require('./remote/engine-package.js')
  return path.join(engineDirectory(`${process.platform}-${process.arch}`), ENGINE)
}

/**
 * A file of an Electron archive where it is unpacked.
 *
 * @param {string} file
 */
function unpacked(file) {
  if (!file.includes('.asar')) return file
  const outside = file.replace(ARCHIVE, '.asar.unpacked')
  return outside !== file && existsSync(outside) ? outside : file
}

/** @returns {Loaded} */
function load() {
  /** @type {Failure[]} */
  const failures = []
  for (const { from, load, file, helper } of candidates()) {
    try {
      const binding = load()
      return { binding, from, file: file() ?? fileOf(binding) ?? from, helper: helper?.(), failures }
    } catch (error) {
      failures.push({ from, reason: reasonOf(error) })
    }
  }
  throw new Error(explain(targetTriple(), failures))
}

/**
 * Every place to look, in order. An override is the only candidate.
 *
 * @returns {Generator<Candidate>}
 */
function* candidates() {
  const variable = override()
  if (variable !== undefined) {
    const named = String(process.env[variable])
    const file = path.resolve(named)
    return yield { from: named, load: () => loadFile(file), file: () => file }
  }
  const triple = targetTriple()
  const addon = `tenon.${triple}.node`
  if (HERE !== undefined) yield builtAddon(path.join(HERE, '..', 'native', addon))
  // Not loaded in this project, where it was found by now.
  const { PLATFORM_PACKAGES, Unavailable } = require('./platform-packages.js')
  const known = Object.hasOwn(PLATFORM_PACKAGES, triple) ? PLATFORM_PACKAGES[triple] : undefined
  if (!known) return yield { from: `@tenon/${triple}`, load: missing, file: () => undefined }
  const available = (/** @type {() => any} */ load) => () => {
    const binding = load()
    if (binding instanceof Unavailable) throw binding.error
    return binding
  }
  const place = { file: () => absolute(known.file()), helper: () => absolute(known.helper?.()) }
  yield { from: `@tenon/${triple}`, load: available(known.main), ...place }
  // A host that was compiled by Bun finds a file inside a package, but not its `main`.
  yield { from: `@tenon/${triple}/${addon}`, load: available(known.addon), file: () => undefined, helper: place.helper }
}

/** The variable of the environment that names the addon, if one does. */
function override() {
  return OVERRIDES.find((name) => process.env[name])
}

/**
 * Loads a file that has no name which bundlers could follow. Node.js gives each module a function for it, whose name bundlers take for theirs: so it
 * is got by reflection, and only where there is none `node:module` is loaded, which takes 0.4 ms.
 *
 * @param {string} file
 */
function loadFile(file) {
  const own = typeof module === 'object' ? Reflect.get(module, 'require') : undefined
  return typeof own === 'function' ? own.call(module, file) : requireFile()(file)
}

/** The `require` of this directory, with its cache. */
function requireFile() {
  const { createRequire } = require('node:module')
  return createRequire(HERE === undefined ? path.join(process.cwd(), 'tenon') : path.join(HERE, 'load.js'))
}

/**
 * The addon that was built in this project.
 *
 * @param {string} file
 * @returns {Candidate}
 */
function builtAddon(file) {
  return { from: file, load: () => (existsSync(file) ? loadFile(file) : missing()), file: () => file }
}

/**
 * A path, where it is one: bundlers return names of modules.
 *
 * @param {unknown} value
 * @returns {string | undefined}
 */
function absolute(value) {
  return typeof value === 'string' && path.isAbsolute(value) ? value : undefined
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
 * Whether the C library of this process is musl: its program names the loader.
 * (Node's diagnostic report knows too, but takes 40 ms.)
 */
function isMusl() {
  const loader = LOADERS_OF_MUSL[process.arch]
  if (loader && !existsSync(loader)) return false
  try {
    const named = loaderOf(process.execPath)
    if (named.includes('ld-musl-')) return true
    if (named.includes('ld-linux')) return false
  } catch {
    // Not readable; the directories of loaders show it as well.
  }
  const loaders = ['/lib', '/lib64'].flatMap((directory) => (existsSync(directory) ? readdirSync(directory) : []))
  const has = (/** @type {string} */ start) => loaders.some((name) => name.startsWith(start))
  // A system of glibc may have musl installed for compilers, not the other way round.
  return has('ld-musl-') && !has('ld-linux')
}

/**
 * What an ELF program of 64 bits names as its loader: mostly in its first page, but anywhere in one that was changed after linking.
 *
 * @param {string} file
 */
function loaderOf(file) {
  const descriptor = openSync(file, 'r')
  try {
    const read = (/** @type {number} */ at, /** @type {number} */ size) => {
      const bytes = Buffer.alloc(size)
      return bytes.subarray(0, readSync(descriptor, bytes, 0, size, at))
    }
    const page = read(0, 4096)
    const [start, size, count] = [Number(page.readBigUInt64LE(32)), page.readUInt16LE(54), page.readUInt16LE(56)]
    const header = Array.from({ length: count }, (_, index) => start + index * size).find((at) => page.readUInt32LE(at) === PT_INTERP)
    return header === undefined
      ? ''
      : read(Number(page.readBigUInt64LE(header + 8)), 256)
          .toString('latin1')
          .split('\0', 1)[0]
  } finally {
    closeSync(descriptor)
  }
}

/**
 * The file that an addon was loaded from, for bundles, which give it another name.
 *
 * @param {any} binding
 */
function fileOf(binding) {
  const modules = Object.values(requireFile().cache ?? {})
  return absolute(modules.find((module) => module?.exports === binding)?.filename)
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
  return `The native part of tenon could not be loaded (${triple}, Node ${process.version}). Tried:\n${tried}\n${nextStep(triple)}`
}

/** @param {string} triple */
function nextStep(triple) {
  const variable = override()
  if (variable !== undefined) return `The variable ${variable} names this file, so no other one is tried. Correct the variable, or unset it.`
  const { PLATFORM_PACKAGES } = require('./platform-packages.js')
  if (!Object.hasOwn(PLATFORM_PACKAGES, triple)) {
    return `There is no package for this platform; there are: ${Object.keys(PLATFORM_PACKAGES).join(', ')}. Build it from source with npm run build.`
  }
  return (
    `Install the package for this platform: npm install @tenon/${triple}. It is missing after an install with --omit=optional, ` +
    'or with a lock file or node_modules that were made on another system: delete both there and install again.'
  )
}

module.exports = { engineProgram, helperProgram, isMusl, loadNative, loadedNative, targetTriple }
