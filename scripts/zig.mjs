// Cargo for other platforms than this one: Rust's targets, with zig as the C compiler and linker.
//
// The targets must be installed (`rustup target add`); zig and cargo-zigbuild are installed from PyPI into a cache directory.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

import { cacheDirectory, once } from './cached-install.mjs'
import { frameworks, headers } from './mac-frameworks.mjs'
import { end, ROOT } from './steps.mjs'

/** From PyPI. */
const TOOLS = ['ziglang==0.15.2', 'cargo-zigbuild==0.24.0']
/** What an addon for Windows exports. */
const EXPORTS = 'exports.def'
/** More than cargo says of a build, as JSON. */
const MAX_OUTPUT = 256 * 1024 * 1024

/** @typedef {import('./platforms.mjs').Platform} Platform */

/**
 * Installs zig, and ends the process where Rust's standard library is missing for a platform.
 *
 * @param {Platform[]} platforms
 */
export function prepare(platforms) {
  const directory = cacheDirectory('cross')
  const python = process.platform === 'win32' ? 'python' : 'python3'
  const fault = once(directory, TOOLS, Date.now() + 600_000, (target) => [
    [python, ['-m', 'venv', target]],
    [path.join(target, 'bin', 'pip'), ['install', '--quiet', ...TOOLS]],
  ])
  if (fault) end(`zig could not be installed: ${fault}`)
  const { stdout } = spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' })
  const missing = platforms.map(rustTarget).filter((target) => !existsSync(path.join(stdout.trim(), 'lib', 'rustlib', target)))
  if (missing.length > 0) end(`Rust's standard library is missing for ${missing.join(', ')}. Install it: rustup target add ${missing.join(' ')}`)
}

/**
 * Runs zig itself, and ends the process where it fails.
 *
 * @param {string[]} args
 */
export function zig(args) {
  const python = path.join(cacheDirectory('cross'), 'bin', 'python')
  const { status } = spawnSync(python, ['-m', 'ziglang', ...args], { stdio: 'inherit' })
  if (status !== 0) end(`zig ${args[0]}: failed (${status})`)
}

/** @param {Platform} platform */
function rustTarget({ crossTarget }) {
  return crossTarget.replace(/\..*/, '')
}

/**
 * Where cargo puts what it builds.
 *
 * @param {Platform} platform
 * @param {string} profile
 */
export function targetDirectory(platform, profile) {
  return path.join(process.env.CARGO_TARGET_DIR ?? path.join(ROOT, 'target'), rustTarget(platform), profile === 'dev' ? 'debug' : profile)
}

/**
 * The helper program has no C library under it, so both packages of an architecture have the same one.
 *
 * @param {Platform} platform
 * @returns {Platform}
 */
export function ofHelper(platform) {
  return { ...platform, crossTarget: platform.crossTarget.replace(/-musl$/, '-gnu') }
}

/**
 * Flags for what is loaded by Node on Windows.
 *
 * @param {Platform} platform
 */
export function linkedToNode(platform) {
  return platform.crossTarget.includes('-windows-') ? ['--', '-C', `link-arg=${path.join(nodeLibrary(), EXPORTS)}`] : []
}

/**
 * Runs a command of cargo, and ends the process where it fails.
 *
 * @param {string} title
 * @param {Platform} platform
 * @param {string} command
 * @param {string[]} args
 */
export function cargo(title, platform, command, args) {
  run(title, platform, command, args, 'inherit')
}

/**
 * Builds programs.
 *
 * @param {string} title
 * @param {Platform} platform
 * @param {string} command
 * @param {string[]} args
 * @returns {{ name: string, file: string, source: string, isTest: boolean }[]}
 */
export function programsOf(title, platform, command, args) {
  return run(title, platform, command, [...args, '--message-format', 'json-render-diagnostics'], 'pipe')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ executable }) => executable)
    .map(({ target, executable, profile }) => ({ name: target.name, file: executable, source: target.src_path, isTest: profile.test }))
}

/**
 * @param {string} title
 * @param {Platform} platform
 * @param {string} command
 * @param {string[]} args
 * @param {'inherit' | 'pipe'} output
 */
function run(title, platform, command, args, output) {
  console.log(`\n== ${title}`)
  const target = rustTarget(platform)
  const flags = []
  // An addon shares the C library of its host, on musl too.
  if (target.endsWith('-musl')) flags.push('-C target-feature=-crt-static')
  const isMac = target.includes('-apple-')
  // zig takes a date in optimised code of C for an error; mimalloc shows that of its build.
  const cFlags = ['-Wno-date-time', ...(isMac ? [`-I${written('headers', headers())}`] : [])]
  if (isMac) flags.push(`-L framework=${written('frameworks', frameworks())}`)
  const { status, stdout, error } = spawnSync('cargo-zigbuild', [command, '--target', platform.crossTarget, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
    stdio: ['inherit', output, 'inherit'],
    env: {
      ...process.env,
      PATH: path.join(cacheDirectory('cross'), 'bin') + path.delimiter + process.env.PATH,
      CARGO_BUILD_TARGET: undefined,
      [`CFLAGS_${target.replaceAll('-', '_')}`]: cFlags.join(' '),
      ...(target.includes('-windows-') && { LIBNODE_PATH: nodeLibrary() }),
      RUSTFLAGS: [process.env.RUSTFLAGS, ...flags].filter(Boolean).join(' '),
    },
  })
  if (error) end(`cargo-zigbuild cannot be run: ${error.message}`)
  if (status !== 0) end(`${title}: failed (${status})`)
  return stdout ?? ''
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
