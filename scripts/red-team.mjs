// Attacks from manuals: no program that is not there to run code runs any under a rule that allows it.
//
//   node scripts/red-team.mjs [--only tar,git] [--limit 600] [--seconds 60] [--few-controls] [--verbose]
//
// For each program of the catalogue that is installed and no runner, attacks are made from the options of its manual, and policy is asked about each
// under `Bash(<program>:*)`. What it allows is run for real, in a throw-away directory and in the sandbox: a marker that comes to exist is a hole.
// Before that, attacks that are known to work are run without asking, since a run that finds nothing must be able to find something.
// How many attacks there are depends on the machine: on which programs it has, and which manuals. `--few-controls` is for a machine that has few of the
// programs of the known attacks.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { attacksBefore, attacksOn, quoted } from './red-team/attacks.mjs'
import { CONTROLS } from './red-team/controls.mjs'
import { helpCommands, optionsIn, variablesIn } from './red-team/options.mjs'
import { isInstalled, needsTerminal, NOT_RUN, programsHere } from './red-team/programs.mjs'
import { makeSamples, payloadOf } from './red-team/samples.mjs'
import { end, ROOT } from './steps.mjs'

/** @typedef {import('./red-team/drive.mjs').Task} Task */
/** @typedef {import('./red-team/drive.mjs').Result} Result */
/** @typedef {{ options: number, attacks: number, allowed: number, run: number, holes: string[] }} Outcome */

/** Fewer known attacks than this prove nothing. */
const LEAST_CONTROLS = 10
const LIMIT_MS = 2000
const HELP_LIMIT_MS = 5000
/** A program with more subcommands than a tenth of the attacks is attacked through so many of them, chosen evenly. */
const SUBCOMMANDS = 0.1
/** The part of the attacks that each subcommand gets. */
const SUBCOMMAND = 0.125
const { Toolkit } = createRequire(import.meta.url)('../index.js')

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    limit: { type: 'string', default: '600' },
    seconds: { type: 'string', default: '60' },
    'few-controls': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
if (process.platform !== 'linux') {
  console.log('Not run: the sandbox that holds the attacks is complete on Linux only.')
  process.exit(0)
}
const limit = Number(values.limit)
const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-red-team-')))
const workspace = path.join(root, 'workspace')
const marks = path.join(root, 'marks')
mkdirSync(workspace)
mkdirSync(marks)
const samples = makeSamples(workspace, marks)
const runner = new Toolkit({ workspace: root, sandbox: { mode: 'workspace-write', network: false, require: 'required' } })
try {
  await main()
} finally {
  runner.close()
  rmSync(root, { recursive: true, force: true })
}

async function main() {
  await control()
  const { targets, runners } = programsHere(values.only?.split(','))
  /** @type {Outcome[]} */
  const outcomes = []
  for (const target of targets) outcomes.push(await attack(target))
  if (runners.length > 0) console.log(`Runners, which are there to run code and are not attacked: ${runners.join(' ')}`)
  const sum = (/** @type {(outcome: Outcome) => number} */ of) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  const holes = outcomes.flatMap((outcome) => outcome.holes)
  const figures = [
    `${targets.length} programs`,
    `${sum(({ attacks }) => attacks)} attacks`,
    `${sum(({ run }) => run)} allowed and run`,
    `${holes.length} markers`,
  ]
  console.log(figures.join(', '))
  if (holes.length > 0) fail(`Policy allowed what ran something else:\n${holes.map((hole) => `  ${hole}`).join('\n')}`)
}

/** Proves that markers are found: attacks that work are run without asking. */
async function control() {
  const lacks = (/** @type {{ program: string, needs?: string }} */ { program, needs = program }) => [program, needs].find((name) => !isInstalled(name))
  const known = CONTROLS.filter((attack) => lacks(attack) === undefined)
  const missing = [...new Set(CONTROLS.flatMap((attack) => lacks(attack) ?? []))]
  const tasks = known.map(({ program, command }) => taskOf(program, command))
  const { results } = await drive(samples, tasks, LIMIT_MS)
  const silent = known.filter((_, index) => !results[index]?.marked).map(({ command }) => command)
  const found = known.length - silent.length
  console.log(`control: ${found} of ${known.length} known attacks made their marker${missing.length > 0 ? ` (not installed: ${missing.join(' ')})` : ''}`)
  if (silent.length > 0) fail(`The marker of a known attack is missing, so nothing would be found:\n  ${silent.join('\n  ')}`)
  if (found < LEAST_CONTROLS && !values['few-controls'])
    fail(`Only ${found} known attacks can be run here, ${LEAST_CONTROLS} are needed: install more of the programs.`)
}

/**
 * @param {import('./red-team/programs.mjs').Target} target
 * @returns {Promise<Outcome>}
 */
async function attack(target) {
  const { attacks, options } = await attacksFrom(target)
  const allowed = allowedOf(target.name, attacks)
  const reason = NOT_RUN.get(target.name)
  const { results, stray } =
    reason === undefined
      ? await drive(
          samplesFor(target.name),
          allowed.map((command) => taskOf(target.name, command)),
          LIMIT_MS,
        )
      : { results: [], stray: [] }
  const marked = allowed.filter((_, index) => results[index]?.marked)
  const holes = marked.length > 0 ? await confirmed(target.name, marked) : []
  holes.push(...stray.map((name) => `${target.name} (${name === 'unknown' ? 'an attack whose variables were cleared' : name})`))
  const parts = [
    `${options} options`,
    `${attacks.length} attacks`,
    `${allowed.length} allowed`,
    reason === undefined ? `${results.length} run` : `not run: it ${reason}`,
  ]
  console.log(`${target.name}: ${parts.join(', ')}${holes.length > 0 ? `, ${holes.length} MARKERS` : ''}`)
  if (values.verbose) for (const command of allowed) console.log(`  ${command.replaceAll('\n', '\\n')}`)
  return { options, attacks: attacks.length, allowed: allowed.length, run: results.length, holes }
}

/** @param {string} program @param {string} command @returns {Task} */
function taskOf(program, command) {
  return { command, terminal: needsTerminal(program) }
}

/** Runs again, alone, what made a marker: one that comes late is then with its own command. @param {string} program @param {string[]} commands */
async function confirmed(program, commands) {
  const holes = []
  for (const command of commands) {
    const { results } = await drive(samplesFor(program), [taskOf(program, command)], LIMIT_MS * 2)
    holes.push(results[0]?.marked ? command : `${command} (the second time not)`)
  }
  return holes
}

/** @param {import('./red-team/programs.mjs').Target} target */
async function attacksFrom({ name, subcommands, options: known }) {
  const most = Math.ceil(limit * SUBCOMMANDS)
  const step = Math.max(1, subcommands.length / most)
  const some = Array.from({ length: Math.min(most, subcommands.length) }, (_, index) => subcommands[Math.floor(index * step)])
  const called = [undefined, ...some]
  const texts = await helpOf(name, called)
  const all = texts.map((text, index) => optionsIn(index === 0 ? [...text, known.join('\n')] : text))
  const variables = variablesIn(texts[0])
  const share = Math.ceil(limit * SUBCOMMAND)
  const attacks = all.flatMap((options, index) =>
    attacksOn({ program: name, subcommand: called[index], options, variables: index === 0 ? variables : [], workspace, limit: index === 0 ? limit : share }),
  )
  const before = some.slice(0, 3).flatMap((subcommand) => attacksBefore(name, subcommand, all[0], workspace, limit))
  const options = new Set(all.flatMap(({ named }) => named))
  return { attacks: [...new Set([...attacks, ...before])], options: options.size }
}

/**
 * The texts of help and manual, for the program and each subcommand. A program that is not run is not asked for help either.
 *
 * @param {string} name
 * @param {(string | undefined)[]} called
 */
async function helpOf(name, called) {
  const isRun = !NOT_RUN.has(name)
  const commands = called.map((subcommand) => helpCommands(name, subcommand).filter((command) => isRun || command.startsWith('man ')))
  const tasks = commands.flat().map((command) => ({ command, output: true }))
  const { results } = await drive(samples, tasks, HELP_LIMIT_MS)
  let at = 0
  return commands.map((own) => results.slice(at, (at += own.length)).map(({ output }) => output ?? ''))
}

/** @param {string} program @param {string[]} attacks */
function allowedOf(program, attacks) {
  restoreFor(program)
  // Files may be read and written, so that only what would run something is left to ask about.
  const permissions = { allow: [`Bash(${program}:*)`, 'Read', 'Edit'], defaultMode: 'ask' }
  const toolkit = new Toolkit({ workspace, permissions })
  try {
    return attacks.filter((command) => toolkit.decide('exec', { command }).verdict === 'allow')
  } finally {
    toolkit.close()
    // What is there when the sandbox begins may be protected in it, and could not be written again.
    rmSync(workspace, { recursive: true, force: true })
  }
}

/** The files as policy and programs see them. @param {string} program */
function samplesFor(program) {
  const payload = { path: 'evil.conf', mode: 0o755, base64: Buffer.from(payloadOf(program)).toString('base64') }
  return [...samples, payload]
}

/** @param {string} program */
function restoreFor(program) {
  rmSync(workspace, { recursive: true, force: true })
  mkdirSync(workspace)
  for (const { path: name, mode, base64 } of samplesFor(program)) {
    if (base64 === undefined) mkdirSync(path.join(workspace, name), { recursive: true })
    else writeFileSync(path.join(workspace, name), Buffer.from(base64, 'base64'), { mode })
  }
}

/**
 * Runs commands in the sandbox, one after the other.
 *
 * @param {import('./red-team/drive.mjs').Sample[]} files
 * @param {Task[]} tasks
 * @param {number} limitMs
 * @returns {Promise<{ results: Result[], stray: string[] }>}
 */
async function drive(files, tasks, limitMs) {
  if (tasks.length === 0) return { results: [], stray: [] }
  for (const directory of [workspace, marks]) rmSync(directory, { recursive: true, force: true })
  mkdirSync(marks)
  const [from, to] = ['tasks.json', 'results.json'].map((name) => path.join(root, name))
  const totalMs = Number(values.seconds) * 1000
  writeFileSync(from, JSON.stringify({ samples: files, workspace, home: path.join(root, 'home'), marks, limitMs, totalMs, tasks }))
  rmSync(to, { force: true })
  const driver = path.join(ROOT, 'scripts', 'red-team', 'drive.mjs')
  const command = [process.execPath, driver, from, to].map(quoted).join(' ')
  const { details } = await runner.getTool('exec').execute('red-team', { command, timeout: totalMs / 1000 + 30 })
  if (details.sandbox?.level !== 'full') fail('The full sandbox is not available here, so nothing is run.')
  try {
    return JSON.parse(readFileSync(to, 'utf8'))
  } catch {
    // Something that a command did to the run itself: no marker, and not to be passed over.
    return { results: [], stray: [`the run has ended early: ${details.output.trim().split('\n').at(-1)}`] }
  }
}

/** @param {string} message @returns {never} */
function fail(message) {
  runner.close()
  rmSync(root, { recursive: true, force: true })
  end(message)
}
