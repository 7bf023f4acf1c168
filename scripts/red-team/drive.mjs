// Runs commands one by one and says which of them made their marker. It is started inside of the sandbox by `../red-team.mjs`:
//
//   node drive.mjs <tasks.json> <results.json>
//
// Every command finds the same files: what the one before changed is written again.

import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** For a program that has waited this often until its end was made, waiting longer shows nothing new. */
const PATIENCE = 3
const IMPATIENT_MS = 250
const OUTPUT_BYTES = 1 << 20

/** @typedef {{ path: string, mode?: number, base64?: string, link?: string }} Sample a directory has neither content nor target */
/** @typedef {{ command: string, output?: boolean, terminal?: boolean }} Task */
/** @typedef {{ samples: Sample[], workspace: string, home: string, marks: string, limitMs: number, totalMs: number, tasks: Task[] }} Tasks */
/** @typedef {{ status: number | null, marked: boolean, output?: string }} Result */

const [, , from, to] = process.argv
const given = /** @type {Tasks} */ (JSON.parse(readFileSync(from, 'utf8')))
const { samples, workspace, home, marks, limitMs, totalMs, tasks } = given
/** What each entry looked like after it was written: another time or size means that a command changed it. */
const written = new Map()
/** @type {Result[]} */
const results = []
let waited = 0

const started = Date.now()
for (const [index, task] of tasks.entries()) {
  if (Date.now() - started > totalMs) break
  restore()
  remove(home)
  mkdirSync(home, { recursive: true })
  const { status, output } = await run(task, String(index))
  results.push({ status, marked: false, ...(task.output ? { output } : {}) })
}
// At the end, since a program may leave something behind that makes the marker later.
for (const name of readdirSync(marks)) if (results[Number(name)]) results[Number(name)].marked = true
writeFileSync(to, JSON.stringify({ results, stray: readdirSync(marks).filter((name) => !results[Number(name)]) }))
process.exit(0)

/** Makes the workspace what it was before the last command. */
function restore() {
  const known = new Set(samples.map((sample) => sample.path))
  removeUnknown('', known)
  for (const sample of samples) {
    const file = path.join(workspace, sample.path)
    if (written.has(sample.path) && written.get(sample.path) === stateOf(file)) continue
    write(sample, file)
    written.set(sample.path, stateOf(file))
  }
}

/** @param {string} below @param {Set<string>} known */
function removeUnknown(below, known) {
  const directory = path.join(workspace, below)
  mkdirSync(directory, { recursive: true })
  // A command may have changed what may be done with it.
  chmodSync(directory, 0o755)
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const name = path.posix.join(below, entry.name)
    if (!known.has(name)) remove(path.join(workspace, name))
    else if (entry.isDirectory()) removeUnknown(name, known)
  }
}

/** @param {string} file */
function remove(file) {
  try {
    rmSync(file, { recursive: true, force: true })
  } catch {
    spawnSync('chmod', ['-R', 'u+rwx', '--', file])
    rmSync(file, { recursive: true, force: true })
  }
}

/** @param {Sample} sample @param {string} file */
function write({ mode, base64, link }, file) {
  const isDirectory = base64 === undefined && link === undefined
  if (isDirectory && stateOf(file) === 'directory') return
  remove(file)
  mkdirSync(path.dirname(file), { recursive: true })
  if (isDirectory) mkdirSync(file)
  else if (link !== undefined) symlinkSync(link, file)
  else writeFileSync(file, Buffer.from(base64 ?? '', 'base64'))
  if (mode !== undefined) chmodSync(file, mode)
}

/** @param {string} file */
function stateOf(file) {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found) return undefined
  return found.isDirectory() ? 'directory' : `${found.ino} ${found.size} ${found.ctimeMs}`
}

/**
 * Runs one command in a group of its own, which is ended with all that is left of it.
 *
 * @param {Task} task
 * @param {string} mark
 * @returns {Promise<{ status: number | null, output: string }>}
 */
function run({ command, output, terminal }, mark) {
  const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', TERM: 'dumb', SHELL: '/bin/bash', TMPDIR: process.env.TMPDIR, HOME: home, MARKS: marks, MARK: mark }
  const help = output ? { MANPAGER: 'cat', PAGER: 'cat', GIT_PAGER: 'cat', MANWIDTH: '400' } : {}
  const stdio = /** @type {const} */ (['ignore', output ? 'pipe' : 'ignore', output ? 'pipe' : 'ignore'])
  const [file, ...args] = terminal ? ['script', '-qec', command, '/dev/null'] : ['bash', '-c', command]
  const child = spawn(file, args, { cwd: workspace, env: { ...env, ...help }, detached: true, stdio: [...stdio] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes) => {
      if (text.length < OUTPUT_BYTES) text += bytes
    })
  }
  return new Promise((resolve) => {
    const finish = (/** @type {number | null} */ status) => {
      clearTimeout(timer)
      endGroup(child.pid)
      resolve({ status, output: text })
    }
    const timer = setTimeout(
      () => {
        waited++
        endGroup(child.pid)
        // What has left the group may hold the pipes open.
        setTimeout(() => finish(null), 100)
      },
      waited > PATIENCE && !output ? IMPATIENT_MS : limitMs,
    )
    child.on('error', () => finish(null))
    child.on(output ? 'close' : 'exit', finish)
  })
}

/** @param {number | undefined} id */
function endGroup(id) {
  if (id === undefined) return
  try {
    process.kill(-id, 'SIGKILL')
  } catch {
    // All of it has ended already.
  }
}
