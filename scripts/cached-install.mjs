// Installs programs that tests speak with into a cache directory outside of the project, once.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

export const IS_WINDOWS = process.platform === 'win32'

/**
 * A directory of the cache of this user.
 *
 * @param {string} name
 */
export function cacheDirectory(name) {
  const caches = process.env.XDG_CACHE_HOME || (IS_WINDOWS ? process.env.LOCALAPPDATA : path.join(os.homedir(), '.cache'))
  return path.join(caches || os.tmpdir(), 'tenon', name)
}

/**
 * The step that installs npm packages into a directory.
 *
 * @param {string} target
 * @param {string[]} packages
 * @returns {[string, string[]]}
 */
export function npmInstall(target, packages) {
  return ['npm', ['install', '--prefix', target, '--no-audit', '--no-fund', '--loglevel', 'error', ...packages]]
}

/**
 * Whether these packages were installed there.
 *
 * @param {string} target
 * @param {string[]} packages
 */
export function isInstalled(target, packages) {
  const stamp = stampOf(target)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === packages.join('\n')
}

/**
 * Runs `steps` unless they were completed before, for these packages.
 *
 * @param {string} target
 * @param {string[]} packages
 * @param {number} deadline
 * @param {(target: string) => [string, string[]][]} steps
 * @returns {string | undefined} what went wrong
 */
export function once(target, packages, deadline, steps) {
  if (isInstalled(target, packages)) return undefined
  mkdirSync(target, { recursive: true })
  for (const [program, args] of steps(target)) {
    const left = deadline - Date.now()
    if (left <= 0) return 'there was no time left'
    const { status, signal, error, stderr } = spawnSync(program, args, {
      cwd: target,
      encoding: 'utf8',
      timeout: left,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: IS_WINDOWS && program === 'npm',
    })
    if (error) return `${program} cannot be run (${error.message})`
    if (status !== 0) return `${program} failed (${signal ?? status}): ${stderr.trim().split('\n').pop()}`
  }
  writeFileSync(stampOf(target), packages.join('\n'))
  return undefined
}

/** @param {string} target */
function stampOf(target) {
  return path.join(target, '.installed')
}
