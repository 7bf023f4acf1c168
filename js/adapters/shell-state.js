// @ts-check
'use strict'

const { mkdtempSync, readFileSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')

const { invalidInput } = require('../tool-error.js')

/** The variable that names which state a command writes. */
const STATE = 'TENON_SHELL_STATE'
/** What a shell changes by itself. */
const OWN = [STATE, '_', 'SHLVL', 'PWD', 'OLDPWD', 'BASHPID', 'BASH_EXECUTION_STRING']
/**
 * Runs a command as it is and notes, where it ends, the directory and the exported variables, before and after. The command is the
 * first argument, so that policy, history and approvals see nothing else.
 */
const SHELL = [
  `case "$${STATE}" in (''|*[!0-9]*) eval "$1"; exit $?;; esac`,
  `export -p >"$0/$${STATE}.before"`,
  `trap '__tenon_code=$?; { pwd; export -p; } >"$0/$${STATE}.after" 2>/dev/null; exit $__tenon_code' EXIT`,
  'eval "$1"',
].join('\n')

/** The directory in which the commands of a toolkit note their state. @type {WeakMap<object, string>} */
const directories = new WeakMap()

/** Removes what is left when a process ends without closing its toolkits. @type {Set<string>} */
const left = new Set()

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
  const directory = mkdtempSync(path.join(tmpdir(), 'tenon-state-'))
  if (left.size === 0) process.once('exit', () => left.forEach(remove))
  left.add(directory)
  const { state: _, ...exec } = options.exec
  return { options: { ...options, exec, shell: { path: 'bash', args: ['-c', SHELL, directory] } }, directory }
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

/** A directory and exported variables that go from one command to the next. Each command is a fresh process, judged by itself. */
class ShellState {
  static #count = 0
  #toolkit
  /** @type {string | undefined} */
  #cwd
  /** @type {Record<string, string>} */
  #env = {}

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
   * Runs a command from where the last one ended.
   *
   * @template T
   * @param {any} params of `exec`
   * @param {(params: any, isShown: boolean) => Promise<T>} call gets whether it is what its user was shown
   * @param {any} [shown] what its user was shown of it: `complete` before
   */
  async run(params, call, shown) {
    const complete = this.complete(params)
    // Approved is what was shown: where the directory or a variable changed since, it is not that any more.
    const isSame = shown !== undefined && stateless(shown) === stateless(complete)
    const directory = directories.get(this.#toolkit)
    const given = isSame ? shown : complete
    try {
      return await call(given, shown === undefined || isSame)
    } finally {
      if (directory !== undefined) this.#take(path.join(directory, given.env[STATE]))
    }
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
      if (!OWN.includes(name) && old.get(name) !== value) this.#env[name] = value
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
