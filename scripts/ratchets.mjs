// Instructions and memory of representative calls, held to what they were: `benchmark/ratchets.json`.
//
//   node scripts/ratchets.mjs [--only grep,edit] [--accept]
//
// Instructions are counted by valgrind, so a busy machine changes little; where there is no valgrind this says so and ends well.
// What is counted is the build that the tests have (`dev`), since building an optimised one takes a quarter of an hour: numbers are to be
// compared with themselves only. A call is counted as the difference between few rounds and many, so its process and its workspace
// are not in it. All run on one processor and without the variables of the user: threads of a search and lengths of paths would be counted. The calls are in `crates/runtime/examples/calls.rs`.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { cargoEnv, end, ROOT } from './steps.mjs'

const FILE = path.join(ROOT, 'benchmark', 'ratchets.json')
/** By how much a figure may exceed what was written down. Hash tables are seeded, threads take turns, and memory comes in pages. */
const SLACK = { instructions: 1.1, memoryKiB: 1.25 }
const FEW = 1
const MANY = 4
/** How often a call is measured at most. */
const TIMES = 4
/** What a program is started by so that it sees one processor. */
const ON_ONE_PROCESSOR = spawnSync('taskset', ['-c', '0', 'true']).status === 0 ? ['taskset', '-c', '0'] : []
/** Toolkits that are kept at the same time for their memory. */
const IDLE = 100

/** @typedef {{ instructions: number, memoryKiB?: number }} Figures */

const { values } = parseArgs({ options: { only: { type: 'string' }, accept: { type: 'boolean', default: false } } })
if (process.platform !== 'linux' || spawnSync('valgrind', ['--version']).error) {
  console.log('Not counted: there is no valgrind here.')
  process.exit(0)
}

const program = built()
const known = /** @type {Record<string, Figures>} */ (JSON.parse(readFileSync(FILE, 'utf8')))
const names = values.only?.split(',') ?? output([program]).trim().split('\n')
/** @type {Record<string, Figures>} */
const measured = {}
for (const name of names) {
  measured[name] = steadyFiguresOf(name)
  console.log(lineOf(name, measured[name], known[name]))
}
if (values.accept) writeFileSync(FILE, `${JSON.stringify({ ...known, ...measured }, null, 2)}\n`)
const faults = values.accept ? [] : Object.entries(measured).flatMap(([name, figures]) => faultsOf(name, figures, known[name]))
console.log(`${names.length - new Set(faults.map(({ name }) => name)).size} passed, ${new Set(faults.map(({ name }) => name)).size} failed`)
if (faults.length > 0) end(`${faults.map(({ text }) => text).join('\n')}\nFind out why, or accept it: node scripts/ratchets.mjs --accept.`)

/**
 * Figures that are above their bound are measured again: what waits for another process looks more often on a busy machine.
 *
 * @param {string} name
 * @returns {Figures}
 */
function steadyFiguresOf(name) {
  let lowest = figuresOf(name)
  for (let again = 1; again < TIMES && !values.accept && faultsOf(name, lowest, known[name]).length > 0; again += 1) {
    const figures = figuresOf(name)
    if (figures.instructions < lowest.instructions) lowest = figures
  }
  return lowest
}

/** Builds the program, and says where it is. */
function built() {
  const args = ['build', '--quiet', '--package', 'tenon-runtime', '--example', 'calls', '--message-format', 'json']
  const { stdout, status } = spawnSync('cargo', args, {
    cwd: ROOT,
    // As in continuous integration: with incremental compilation code is cut, and inlined, in another way.
    env: { ...process.env, ...cargoEnv(), CARGO_INCREMENTAL: '0' },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const messages = stdout.split('\n').filter((line) => line.startsWith('{'))
  const file = messages.map((line) => JSON.parse(line)).find(({ target, executable }) => target?.name === 'calls' && executable)?.executable
  if (status !== 0 || !file) end('The calls could not be built.')
  return file
}

/**
 * @param {string} name
 * @returns {Figures}
 */
function figuresOf(name) {
  const [few, many] = [FEW, MANY].map((rounds) => instructionsOf(name, rounds))
  const instructions = Math.round((many - few) / (MANY - FEW))
  if (name === 'idle') return { instructions, memoryKiB: Math.round((memoryOf(name, IDLE) - memoryOf(name, 0)) / IDLE) }
  if (name.startsWith('grep')) return { instructions, memoryKiB: memoryOf(name, MANY) }
  return { instructions }
}

/** @param {string} name @param {number} rounds */
function instructionsOf(name, rounds) {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenon-ratchet-'))
  try {
    const counts = path.join(directory, 'counts')
    output(['valgrind', '--tool=cachegrind', '--cache-sim=no', `--cachegrind-out-file=${counts}`, program, name, String(rounds)], directory)
    const summary = /^summary: (\d+)/m.exec(readFileSync(counts, 'utf8'))?.[1]
    if (summary === undefined) end(`valgrind has not counted ${name}.`)
    return Number(summary)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** @param {string} name @param {number} rounds */
function memoryOf(name, rounds) {
  const all = [1, 2, 3].map(() => Number(output([program, name, String(rounds)]).trim()))
  return Math.min(...all)
}

/**
 * What a program prints that is alone with itself.
 *
 * @param {string[]} command
 * @param {string} [home] nothing that an earlier process left there is read
 */
function output(command, home = '/nonexistent') {
  const [file, ...args] = [...ON_ONE_PROCESSOR, ...command]
  const { stdout, stderr, status } = spawnSync(file, args, {
    encoding: 'utf8',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home },
    timeout: 600_000,
    maxBuffer: 1 << 26,
  })
  if (status !== 0) end(`${command.join(' ')}: ${stderr}`)
  return stdout
}

/** @param {string} name @param {Figures} figures @param {Figures} [before] */
function lineOf(name, { instructions, memoryKiB }, before) {
  const parts = [`${instructions.toLocaleString('en')} instructions${before ? ` (${(instructions / before.instructions).toFixed(2)})` : ''}`]
  if (memoryKiB !== undefined) parts.push(`${memoryKiB} KiB${before?.memoryKiB ? ` (${(memoryKiB / before.memoryKiB).toFixed(2)})` : ''}`)
  return `${name}: ${parts.join(', ')}`
}

/**
 * @param {string} name
 * @param {Figures} figures
 * @param {Figures} [before]
 * @returns {{ name: string, text: string }[]}
 */
function faultsOf(name, figures, before) {
  if (!before) return [{ name, text: `${name} has no bound.` }]
  return /** @type {const} */ (['instructions', 'memoryKiB']).flatMap((kind) => {
    const [now, bound] = [figures[kind], before[kind]]
    if (now === undefined || bound === undefined || now <= bound * SLACK[kind]) return []
    return [
      { name, text: `${name}: ${now.toLocaleString('en')} ${kind}, ${(now / bound).toFixed(2)} of the ${bound.toLocaleString('en')} that were written down.` },
    ]
  })
}
