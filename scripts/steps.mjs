// The steps that the npm scripts are made of. No dependency: they run on a fresh clone.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The helper program, in `native/` and in the platform packages for Linux. */
export const HELPER = 'tenon-helper'
/** It has a profile of its own, since it has no standard library under it. */
export const HELPER_FLAGS = ['--features', 'program', '--profile', 'helper']
/** The engine as a program, in `native/`. */
export const ENGINE = 'tenon-engine'
const IS_WINDOWS = process.platform === 'win32'
/** napi always names the target, and cargo keeps what is built for a named target apart: so all name it, and every crate is compiled once. */
const ONE_TARGET = { CARGO_BUILD_TARGET: process.env.CARGO_BUILD_TARGET ?? hostTarget() }
/** What every call of cargo gets. */
export const cargoEnv = () => ONE_TARGET
/** Says which lock file the installed packages are of. */
const INSTALLED = path.join(ROOT, 'node_modules', '.installed-lock')

/** The triple of the platform that Rust builds for here. Where there is no Rust, the first step that needs it says so. */
function hostTarget() {
  const { stdout } = spawnSync('rustc', ['-vV'], { encoding: 'utf8' })
  return /^host: (.+)$/m.exec(stdout ?? '')?.[1]
}

/**
 * Runs a program in the project and ends this one when it fails.
 *
 * @param {string} title what a user reads
 * @param {string} program
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function run(title, program, args, env = {}) {
  console.log(`\n== ${title}`)
  const { status, signal, error } = spawnSync(program, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...(program === 'cargo' ? ONE_TARGET : {}), ...env },
    shell: IS_WINDOWS && program === 'npm',
  })
  if (error) end(`${program} cannot be run: ${error.message}`)
  if (status !== 0) end(`${title}: failed (${signal ?? status})`)
}

/**
 * Runs a program of a development dependency with this Node.
 *
 * @param {string} title
 * @param {string} name of the program
 * @param {string[]} args
 */
export function runLocal(title, name, args) {
  run(title, process.execPath, [binOf(name), ...args])
}

/** Installs the development dependencies when they are missing or of another lock file. */
export function install() {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(ROOT, 'package-lock.json')))
    .digest('hex')
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lock) return
  // Not `npm ci`: it refuses a lock file from which npm itself left optional packages of other
  // platforms out, which it does for those that ask for a newer Node than the installed one.
  run('installing development dependencies', 'npm', ['install', '--no-save', '--loglevel', 'error'])
  writeFileSync(INSTALLED, lock)
}

/**
 * Builds the addon and its loader into `native/`, and beside them the helper program and the engine as a program.
 *
 * @param {'release' | 'debug'} profile
 * @param {{ engine?: boolean }} [options] `engine: false` leaves out the program behind `tenon serve`: optimised as one, it takes as long as the addon
 */
export function build(profile, { engine = true } = {}) {
  const optimised = profile === 'release' ? ['--release'] : []
  const output = ['--output-dir', 'native', '--js', 'binding.js', '--dts', 'binding.d.ts']
  runLocal(`building the addon (${profile})`, 'napi', ['build', '--package', 'tenon', '--platform', ...optimised, ...output])
  if (process.platform === 'linux') buildProgram('the helper program', HELPER, ['--package', 'tenon-helper', ...HELPER_FLAGS])
  if (engine && !IS_WINDOWS) buildProgram('the engine as a program', ENGINE, ['--package', 'tenon-serve', ...optimised])
}

/**
 * @param {string} title
 * @param {string} name
 * @param {string[]} flags
 */
function buildProgram(title, name, flags) {
  console.log(`\n== building ${title}`)
  const args = ['build', ...flags]
  const { status, stdout, error } = spawnSync('cargo', [...args, '--message-format', 'json-render-diagnostics'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...ONE_TARGET },
  })
  if (error) end(`cargo cannot be run: ${error.message}`)
  if (status !== 0) end(`building ${title}: failed (${status})`)
  const messages = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const { executable } = messages.find(({ executable }) => executable) ?? end(`cargo did not build ${title}`)
  const file = path.join(ROOT, 'native', name)
  // Not over the old one, which may be running.
  rmSync(file, { force: true })
  copyFileSync(executable, file)
  chmodSync(file, 0o755)
}

/** @param {string} name */
function binOf(name) {
  /** @type {Record<string, string>} */
  const packages = { napi: '@napi-rs/cli', tsc: 'typescript', attw: '@arethetypeswrong/cli', biome: '@biomejs/biome' }
  const directory = path.join(ROOT, 'node_modules', packages[name] ?? name)
  const { bin } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'))
  return path.join(directory, typeof bin === 'string' ? bin : bin[name])
}

/**
 * @param {string} message
 * @returns {never}
 */
export function end(message) {
  console.error(`\n${message}`)
  process.exit(1)
}
