// @ts-check
'use strict'

const { spawnSync } = require('node:child_process')
const { existsSync, readFileSync } = require('node:fs')
const os = require('node:os')

const { helperProgram, isMusl, loadNative, loadedNative, targetTriple } = require('./load.js')
const { describe, open } = require('./tool-error.js')

/**
 * What was loaded, from where, and what this system supports.
 *
 * @param {boolean} asJson
 * @returns {{ text: string, isUsable: boolean }}
 */
function doctor(asJson) {
  const found = findings()
  return { text: asJson ? `${JSON.stringify(found, null, 2)}\n` : shown(found), isUsable: !('error' in found.native) }
}

/** What was found, for programs. */
function findings() {
  const native = addon()
  const isUsable = !('error' in native)
  const found = {
    version: require('../package.json').version,
    native,
    platform: { target: targetTriple(), kernel: `${os.type()} ${os.release()}`, libc: libc() },
    helper: isUsable ? helper() : { file: 'unknown' },
    runtime: runtime(),
    ...(isUsable && { state: state(), temporary: temporary() }),
    features: process.platform === 'linux' ? linuxFeatures(isUsable) : {},
  }
  return { ...found, verdict: verdictOn(found) }
}

/**
 * What is wrong, and what to do about it; the first line says how it is on the whole.
 *
 * @param {Record<string, any>} found
 * @returns {string[]}
 */
function verdictOn({ native, helper, features, state, temporary, platform }) {
  if ('error' in native) {
    return [
      'The native addon cannot be loaded: nothing works.',
      `The error above names every place that was tried. Most often this helps: install the package again on this system (${platform.target}), without \`--omit=optional\` and without a lock file that was written for another system; or name an addon with \`TENON_NATIVE_PATH\`.`,
    ]
  }
  const problems = []
  if (helper.fault) {
    problems.push(
      `The helper program is ${helper.fault}: processes that leave their group may survive a command, and commands cannot be sandboxed. Keep \`tenon-helper\` beside the addon, executable.`,
    )
  }
  if (features.sandboxLevel === 'none')
    problems.push(
      'Sandboxes (`sandbox`) cannot keep commands from writing outside of the workspace: there are neither namespaces nor Landlock. Use Linux 5.13 or newer, or a container per agent.',
    )
  if (features.sandboxLevel === 'landlock')
    problems.push(
      'Sandboxes (`sandbox`) have the level `landlock` only, and options that need `full` refuse commands: user namespaces are not permitted here. Permit them, or set `sandbox.require` to `best-effort`.',
    )
  if (features.openat2 === false) problems.push('The kernel has no openat2: paths are checked part by part. Use Linux 5.6 or newer.')
  if (features.inotifyWatches !== undefined && features.inotifyWatches < 8192)
    problems.push(
      `Only ${features.inotifyWatches} directories can be watched, too few for the index of a large workspace. Raise \`fs.inotify.max_user_watches\`.`,
    )
  if (state?.fault) problems.push(`Sessions cannot be stored: ${state.fault} Move the file away, or name another directory with \`TENON_STATE_DIR\`.`)
  if (temporary?.fault)
    problems.push(
      temporary.directory
        ? `The directory for temporary files that \`TMPDIR\` names cannot be used: ${temporary.fault} \`${temporary.directory}\` is used instead. Correct the variable.`
        : `No directory for temporary files can be used: ${temporary.fault} The whole of long outputs is not kept, and no browser starts. Name a writable directory with \`TMPDIR\`.`,
    )
  return problems.length === 0
    ? ['Everything works.']
    : [`It works, with ${problems.length === 1 ? 'one limitation' : `${problems.length} limitations`}:`, ...problems]
}

function addon() {
  try {
    const { from, file, failures } = loadedNative()
    return { file, from, triedBefore: failures }
  } catch (error) {
    return { error: describe(error) }
  }
}

function libc() {
  if (process.platform !== 'linux') return 'system'
  if (isMusl()) return 'musl'
  const version = /** @type {any} */ (process.report?.getReport())?.header?.glibcVersionRuntime
  return version ? `glibc ${version}` : 'glibc'
}

/** What keeps the processes of commands together. Without it they are tracked as well as the system allows. */
function helper() {
  const found = helperProgram()
  if (!found) return { file: 'none for this system' }
  return { file: found.file, usable: !found.fault, ...(found.fault && { fault: found.fault }) }
}

/** Where sessions with an `id` are kept. Nothing is made or opened by asking. */
function state() {
  return open(loadNative().seenState())
}

/** Where temporary files are made. One is made and removed to know. */
function temporary() {
  return open(loadNative().seenTemporary())
}

function runtime() {
  const { node, napi, bun, deno, electron } = process.versions
  return {
    executable: process.execPath,
    node,
    nodeApi: napi,
    ...(bun && { bun }),
    ...(deno && { deno }),
    ...(electron && { electron }),
  }
}

/**
 * What the kernel supports for containment, sandboxing and watching.
 *
 * @param {boolean} isUsable whether there is a helper program to ask
 */
function linuxFeatures(isUsable) {
  const [major, minor] = os.release().split('.').map(Number)
  const isAtLeast = (/** @type {number} */ a, /** @type {number} */ b) => major > a || (major === a && minor >= b)
  const number = (/** @type {string} */ file) => Number(read(file) ?? NaN)
  return {
    openat2: isAtLeast(5, 6),
    pidfd: isAtLeast(5, 3),
    ...(isUsable && sandboxing()),
    seccomp: existsSync('/proc/sys/kernel/seccomp/actions_avail'),
    cgroupV2: existsSync('/sys/fs/cgroup/cgroup.controllers'),
    inotifyWatches: number('/proc/sys/fs/inotify/max_user_watches') || 0,
  }
}

/**
 * What the kernel reports to the helper program: files that describe it may be missing, and what they describe may be
 * forbidden to this user.
 */
function sandboxing() {
  const helper = helperProgram()
  const ask = (/** @type {string} */ word) => (helper && !helper.fault ? spawnSync(helper.file, [word], { stdio: 'ignore', timeout: 5000 }).status : null)
  const landlockVersion = ask('landlock') ?? 0
  const namespaces = ask('namespaces') === 0
  const level = landlockVersion === 0 ? 'none' : namespaces ? 'full' : 'landlock'
  return { landlock: landlockVersion > 0, landlockVersion, namespaces, sandboxLevel: level }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** @param {Record<string, any>} findings */
function shown(findings) {
  const lines = []
  const { verdict, ...groups } = findings
  for (const [group, values] of Object.entries(groups)) {
    if (typeof values !== 'object') {
      lines.push(`${group}: ${values}`)
      continue
    }
    lines.push(`${group}:`)
    for (const [name, value] of Object.entries(values)) lines.push(`  ${name}: ${one(value)}`)
  }
  const [whole, ...problems] = verdict
  return `${[...lines, '', whole, ...problems.map((/** @type {string} */ problem) => `  - ${problem}`)].join('\n')}\n`
}

/** @param {unknown} value */
function one(value) {
  if (!Array.isArray(value)) return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
  return value.length === 0 ? 'none' : value.map(({ from, reason }) => `${from} (${reason})`).join(', ')
}

module.exports = { doctor, findings }
