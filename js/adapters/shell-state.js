// @ts-check
'use strict'

const { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')

const { invalidInput } = require('../tool-error.js')
const { quoted } = require('./operations.js')

/** The variable that names which state a command writes. */
const STATE = 'TENON_SHELL_STATE'
/** The codes of refusals for the directory that a command would begin in. */
const REFUSED_PLACES = ['outside_workspace', 'not_found', 'not_a_directory', 'access_denied']
/** What a shell changes by itself. */
const OWN = [STATE, '_', 'SHLVL', 'PWD', 'OLDPWD', 'BASHPID', 'BASH_EXECUTION_STRING']
/** What the name of a directory of states begins with; the id of its process follows. */
const PREFIX = 'tenon-state-'
/** After so long the directory of a process that is gone is removed: a process of another container may only seem to be. */
const STALE_MS = 24 * 60 * 60 * 1000

/**
 * Runs a command as it is and notes, where it ends, the directory and the exported variables, before and after. The command is the
 * first argument, so that policy, history and approvals see nothing else. It is all one line, so that bash counts the lines of the command.
 *
 * @param {string} directory
 */
function shellOf(directory) {
  const file = `${quoted(directory)}/"$${STATE}"`
  const noted = `{ __tenon_code=$?; set +x; } 2>/dev/null; __tenon_file=${file}; { pwd; export -p; } >"$__tenon_file.after" 2>/dev/null; exit $__tenon_code`
  return [`case "$${STATE}" in (''|*[!0-9]*) eval "$1"; exit $?;; esac`, `export -p >${file}.before`, `trap ${quoted(noted)} EXIT`, 'eval "$1"'].join('; ')
}

/** The directory in which the commands of a toolkit note their state. @type {WeakMap<object, string>} */
const directories = new WeakMap()

/** What is removed when the process ends without closing its toolkits. @type {Set<string>} */
const left = new Set()
let isFirst = true

/**
 * The options with a shell that notes its state, where they ask for it, and the directory in which it does.
 *
 * @param {any} options
 * @returns {{ options: any, directory?: string }}
 */
function withShellState(options) {
  const state = options?.exec?.state
  if (state === undefined || state === null) return { options }
  if (state !== 'cwd+env') throw invalidInput('toolkit', "The option `exec.state` must be 'cwd+env'.")
  if (options.shell !== undefined)
    throw invalidInput('toolkit', 'The options `exec.state` and `shell` exclude each other: a carried state needs a bash of its own.')
  if (isFirst) {
    process.once('exit', () => left.forEach(remove))
    removeStale()
  }
  isFirst = false
  const directory = mkdtempSync(path.join(tmpdir(), `${PREFIX}${process.pid}-`))
  left.add(directory)
  const { state: _, ...exec } = options.exec
  return { options: { ...options, exec, shell: { path: 'bash', args: ['-c', shellOf(directory), 'bash'] } }, directory }
}

/**
 * @param {object} toolkit
 * @param {string | undefined} directory
 */
function keepDirectory(toolkit, directory) {
  if (directory !== undefined) directories.set(toolkit, directory)
}

/** @param {object} toolkit */
function removeDirectory(toolkit) {
  const directory = directories.get(toolkit)
  if (directory !== undefined) remove(directory)
}

/** @param {string} directory */
function remove(directory) {
  left.delete(directory)
  rmSync(directory, { recursive: true, force: true })
}

/** Removes the directories of processes that were killed. */
function removeStale() {
  for (const name of namesIn(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (!(pid > 0) || isAlive(pid)) continue
    try {
      const directory = path.join(tmpdir(), name)
      if (Date.now() - statSync(directory).mtimeMs > STALE_MS) remove(directory)
    } catch {
      // Of another user, or gone meanwhile.
    }
  }
}

/** @param {string} directory */
function namesIn(directory) {
  try {
    return readdirSync(directory)
  } catch {
    // Making a directory there says what is wrong with it.
    return []
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return /** @type {any} */ (error).code === 'EPERM'
  }
}

/** @typedef {import('./calls.js').Outcome} Outcome */

/** A directory and exported variables that go from one command to the next. Each command is a fresh process, judged by itself. */
class ShellState {
  static #count = 0
  #toolkit
  /** @type {string | undefined} */
  #cwd
  /** @type {Record<string, string>} */
  #env = {}
  /** Variables that no call may set: they make programs load or run other code. @type {Set<string>} */
  #refused = new Set()

  /** @param {object} toolkit */
  constructor(toolkit) {
    this.#toolkit = toolkit
  }

  reset() {
    this.#cwd = undefined
    this.#env = {}
  }

  /**
   * A command as it would run from where the last one ended.
   *
   * @param {any} params of `exec`
   */
  complete(params) {
    if (!hasShellState(this.#toolkit)) return params
    ShellState.#count += 1
    const workdir = this.#cwd === undefined ? {} : { workdir: this.#cwd }
    return { ...params, ...workdir, env: { ...this.#env, [STATE]: String(ShellState.#count) } }
  }

  /**
   * Runs a command from where the last one ended. Where that is refused it is not run, says what was carried on, and the next
   * command begins without it: to run it elsewhere, or with other programs, than its model expects would be worse.
   *
   * @param {any} params of `exec`
   * @param {(params: any, isShown: boolean) => Promise<Outcome>} call gets whether it is what its user was shown
   * @param {any} [shown] what its user was shown of it: `complete` before
   * @returns {Promise<Outcome>}
   */
  async run(params, call, shown) {
    const complete = this.complete(params)
    // Approved is what was shown: where the directory or a variable changed since, it is not that any more.
    const isSame = shown !== undefined && stateless(shown) === stateless(complete)
    const given = isSame ? shown : complete
    const outcome = await this.#noted(given, () => call(given, shown === undefined || isSame))
    const notice = outcome.isError ? this.#leftOut(outcome.details) : undefined
    return notice === undefined ? outcome : { ...outcome, content: [...outcome.content, { type: 'text', text: notice }] }
  }

  /**
   * @template T
   * @param {any} given
   * @param {() => Promise<T>} call
   */
  async #noted(given, call) {
    const directory = directories.get(this.#toolkit)
    try {
      return await call()
    } finally {
      if (directory !== undefined) this.#take(path.join(directory, given.env[STATE]))
    }
  }

  /**
   * Leaves out of the state what a command was not started for, and says so. Nothing where it was something else.
   *
   * @param {any} details of the failure
   */
  #leftOut({ code, variable, path: place } = /** @type {any} */ ({})) {
    if (code === 'policy_denied' && Object.hasOwn(this.#env, variable ?? '')) {
      delete this.#env[variable]
      this.#refused.add(variable)
      return `The command was not run: an earlier one exported \`${variable}\`, which is not kept from one command to the next. The next command begins without it; set it in each command that needs it.`
    }
    const cwd = this.#cwd
    if (cwd === undefined || typeof place !== 'string' || !REFUSED_PLACES.includes(code)) return undefined
    if (cwd !== place && !cwd.endsWith(`/${place}`)) return undefined
    this.#cwd = undefined
    return `The command was not run: the one before ended in \`${cwd}\`, where none can begin. The next command begins in the workspace; change the directory in the command that needs it.`
  }

  /** @param {string} file */
  #take(file) {
    const before = read(`${file}.before`)
    const after = read(`${file}.after`)
    for (const end of ['before', 'after']) rmSync(`${file}.${end}`, { force: true })
    // Killed, or in a sandbox that shares no files: the state is as it was.
    if (before === undefined || after === undefined) return
    const end = after.indexOf('\n')
    this.#cwd = after.slice(0, end)
    const old = exported(before)
    for (const [name, value] of exported(after.slice(end + 1))) {
      if (!OWN.includes(name) && !this.#refused.has(name) && old.get(name) !== value) this.#env[name] = value
    }
    for (const name of Object.keys(this.#env)) if (!after.includes(`declare -x ${name}`)) delete this.#env[name]
  }
}

/**
 * The variables in the output of `export -p` of bash.
 *
 * @param {string} text
 */
function exported(text) {
  /** @type {Map<string, string>} */
  const variables = new Map()
  for (const { 1: name, 2: quoted, 3: special } of text.matchAll(/^declare -[a-zA-Z]*x[a-zA-Z]* (\w+)=(?:"((?:[^"\\]|\\[^])*)"|\$'((?:[^'\\]|\\[^])*)')$/gm)) {
    variables.set(name, quoted !== undefined ? quoted.replace(/\\([^])/g, '$1') : unescaped(special))
  }
  return variables
}

/** @type {Record<string, string>} */
const ESCAPES = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', v: '\v' }

/** @param {string} text as within `$'…'` */
function unescaped(text) {
  return text.replace(/\\(?:([0-7]{1,3})|([^]))/g, (_, octal, other) => (octal ? String.fromCharCode(Number.parseInt(octal, 8)) : (ESCAPES[other] ?? other)))
}

/** @param {any} params */
function stateless(params) {
  return JSON.stringify({ ...params, env: { ...params.env, [STATE]: '' } })
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** @param {object} toolkit */
function hasShellState(toolkit) {
  return directories.has(toolkit)
}

module.exports = { ShellState, hasShellState, keepDirectory, removeDirectory, withShellState }
