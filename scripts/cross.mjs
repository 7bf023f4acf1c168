// Builds the native part for other platforms on this one: Rust's targets, with zig as the C compiler and linker.
//
//   node scripts/cross.mjs [--only linux-arm64-gnu,darwin-arm64] [--profile cross] [--accept-sizes] [--check]
//
// The profile `cross` is for trying; what is published, and has a size, is `release`.
//
// The targets must be installed (`rustup target add`); zig and cargo-zigbuild are installed from PyPI into a cache directory.
// What is built goes to `artifacts/bindings-<platform>/`, where `scripts/release.mjs` takes it from.

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { cacheDirectory, once } from './cached-install.mjs'
import { frameworks, headers } from './mac-frameworks.mjs'
import { PLATFORMS } from './platforms.mjs'
import { acceptSizes, faultOf, inMegabytes, sizeOf } from './sizes.mjs'
import { end, HELPER, HELPER_FLAGS, ROOT } from './steps.mjs'

/** From PyPI. */
const TOOLS = ['ziglang==0.15.2', 'cargo-zigbuild==0.24.0']
/** What an addon for Windows exports. */
const EXPORTS = 'exports.def'
/** Sizes are compared for what is published. */
const PUBLISHED = 'release'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    profile: { type: 'string', default: PUBLISHED },
    'accept-sizes': { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})
const profile = String(values.profile)
const wanted = values.only?.split(',') ?? Object.keys(PLATFORMS)
for (const triple of wanted) if (!Object.hasOwn(PLATFORMS, triple)) end(`There is no platform \`${triple}\`; there are: ${Object.keys(PLATFORMS).join(', ')}.`)

const tools = installTools()
requireTargets(wanted)
/** @type {Record<string, import('./sizes.mjs').Size>} */
const sizes = {}
for (const triple of wanted)
  if (!values.check) sizes[triple] = sizeOf(builtFor(triple))
  else cargo(`checking ${triple}`, PLATFORMS[triple], ['check'], ['--package', 'tenon'])

console.log('')
for (const [triple, { unpacked, packed }] of Object.entries(sizes)) console.log(`${triple}: ${inMegabytes(unpacked)}, ${inMegabytes(packed)} packed`)
if (profile === PUBLISHED) {
  const faults = Object.entries(sizes).flatMap(([triple, size]) => faultOf(triple, size) ?? [])
  if (values['accept-sizes']) acceptSizes(sizes)
  else if (faults.length > 0) end(faults.join('\n'))
}

/** @returns {string} the directory of the programs */
function installTools() {
  const directory = cacheDirectory('cross')
  const python = process.platform === 'win32' ? 'python' : 'python3'
  const fault = once(directory, TOOLS, Date.now() + 600_000, (target) => [
    [python, ['-m', 'venv', target]],
    [path.join(target, 'bin', 'pip'), ['install', '--quiet', ...TOOLS]],
  ])
  if (fault) end(`zig could not be installed: ${fault}`)
  return path.join(directory, 'bin')
}

/** @param {string[]} triples */
function requireTargets(triples) {
  const { stdout } = spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' })
  const missing = triples.map((triple) => rustTarget(PLATFORMS[triple])).filter((target) => !existsSync(path.join(stdout.trim(), 'lib', 'rustlib', target)))
  if (missing.length > 0) end(`Rust's standard library is missing for ${missing.join(', ')}. Install it: rustup target add ${missing.join(' ')}`)
}

/** @param {import('./platforms.mjs').Platform} platform */
function rustTarget({ crossTarget }) {
  return crossTarget.replace(/\..*/, '')
}

/**
 * Builds the parts of a platform.
 *
 * @param {string} triple
 * @returns {string[]} the files of its package
 */
function builtFor(triple) {
  const platform = PLATFORMS[triple]
  const output = path.join(ROOT, 'artifacts', `bindings-${triple}`)
  mkdirSync(output, { recursive: true })
  const files = []
  /** @param {string} from @param {string} name @param {number} mode */
  const take = (from, name, mode) => {
    const file = path.join(output, name)
    copyFileSync(from, file)
    chmodSync(file, mode)
    return file
  }
  const linked = platform.crossTarget.includes('-windows-') ? ['--', '-C', `link-arg=${path.join(nodeLibrary(), EXPORTS)}`] : []
  cargo(`building the addon for ${triple}`, platform, ['rustc'], ['--package', 'tenon', '--lib', '--profile', profile, ...linked])
  files.push(take(path.join(targetDirectory(platform, profile), platform.library), `tenon.${triple}.node`, 0o644))
  if (platform.hasHelper) {
    // It has no C library under it, so both packages of an architecture have the same one.
    const helper = { ...platform, crossTarget: platform.crossTarget.replace(/-musl$/, '-gnu') }
    cargo(`building the helper program for ${triple}`, helper, ['zigbuild'], ['--package', 'tenon-helper', ...HELPER_FLAGS])
    files.push(take(path.join(targetDirectory(helper, 'helper'), HELPER), HELPER, 0o755))
  }
  return files
}

/**
 * @param {import('./platforms.mjs').Platform} platform
 * @param {string} profile
 */
function targetDirectory(platform, profile) {
  return path.join(process.env.CARGO_TARGET_DIR ?? path.join(ROOT, 'target'), rustTarget(platform), profile === 'dev' ? 'debug' : profile)
}

/**
 * @param {string} title
 * @param {import('./platforms.mjs').Platform} platform
 * @param {string[]} command
 * @param {string[]} args
 */
function cargo(title, platform, command, args) {
  console.log(`\n== ${title}`)
  const target = rustTarget(platform)
  const flags = []
  // An addon shares the C library of its host, on musl too.
  if (target.endsWith('-musl')) flags.push('-C target-feature=-crt-static')
  const isMac = target.includes('-apple-')
  if (isMac) flags.push(`-L framework=${written('frameworks', frameworks())}`)
  const { status, error } = spawnSync('cargo-zigbuild', [...command, '--target', platform.crossTarget, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: tools + path.delimiter + process.env.PATH,
      CARGO_BUILD_TARGET: undefined,
      ...(isMac && { [`CFLAGS_${target.replaceAll('-', '_')}`]: `-I${written('headers', headers())}` }),
      ...(target.includes('-windows-') && { LIBNODE_PATH: nodeLibrary() }),
      RUSTFLAGS: [process.env.RUSTFLAGS, ...flags].filter(Boolean).join(' '),
    },
  })
  if (error) end(`cargo-zigbuild cannot be run: ${error.message}`)
  if (status !== 0) end(`${title}: failed (${status})`)
}

/**
 * Writes files into a directory of the cache.
 *
 * @param {string} name of the directory
 * @param {[file: string, text: string][]} files
 * @returns {string} the directory
 */
function written(name, files) {
  const directory = path.join(cacheDirectory('cross'), name)
  for (const [file, text] of files) {
    mkdirSync(path.dirname(path.join(directory, file)), { recursive: true })
    writeFileSync(path.join(directory, file), text)
  }
  return directory
}

/**
 * A library of Node with nothing in it: the build of napi asks for one, and the binding looks its symbols up itself. Beside it the name of
 * the function that Node calls, since zig takes the list of exports that Rust hands to the linker for nothing.
 */
function nodeLibrary() {
  const empty = '!<arch>\n'
  return written('node', [
    ['libnode.dll', empty],
    ['libnode.a', empty],
    [EXPORTS, 'EXPORTS\n  napi_register_module_v1\n'],
  ])
}
