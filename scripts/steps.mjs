// The steps that the npm scripts are made of. No dependency: they run on a fresh clone.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const IS_WINDOWS = process.platform === 'win32'
/** Says which lock file the installed packages are of. */
const INSTALLED = path.join(ROOT, 'node_modules', '.installed-lock')

/**
 * Runs a program in the project and ends this one when it fails.
 *
 * @param {string} title what a person reads
 * @param {string} program
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function run(title, program, args, env = {}) {
  console.log(`\n== ${title}`)
  const { status, signal, error } = spawnSync(program, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
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
  const lock = createHash('sha256').update(readFileSync(path.join(ROOT, 'package-lock.json'))).digest('hex')
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lock) return
  // Not `npm ci`: it refuses a lock file from which npm itself left optional packages of other
  // platforms out, which it does for those that ask for a newer Node than the one at hand.
  run('installing development dependencies', 'npm', ['install', '--no-save', '--loglevel', 'error'])
  writeFileSync(INSTALLED, lock)
}

/**
 * Builds the addon and its loader into `native/`.
 *
 * @param {'release' | 'debug'} profile
 */
export function build(profile) {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  const [, ...args] = scripts[profile === 'release' ? 'build' : 'build:debug'].split(' ')
  runLocal(`building the addon (${profile})`, 'napi', args)
}

/** @param {string} name */
function binOf(name) {
  const packages = { napi: '@napi-rs/cli', tsc: 'typescript', attw: '@arethetypeswrong/cli' }
  const folder = path.join(ROOT, 'node_modules', packages[name] ?? name)
  const { bin } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  return path.join(folder, typeof bin === 'string' ? bin : bin[name])
}

/** @param {string} message */
function end(message) {
  console.error(`\n${message}`)
  process.exit(1)
}
