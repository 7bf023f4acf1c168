// The tests of the main crates as programs for another platform, for the scripts that run them there.
//
// A log has a line before the output of each program and one behind it. Programs are slow there, so that a run can be resumed: what its
// log says of a program holds as long as the program is not built again.

import { statSync } from 'node:fs'
import path from 'node:path'

import { end, ROOT } from './steps.mjs'
import { programsOf } from './zig.mjs'

/** What most calls go through. */
const CRATES = ['workspace', 'edit', 'search', 'shell', 'policy', 'process', 'store']
/** Tests need no optimisation; one profile for them and for the addon compiles each crate once. */
export const PROFILE = 'cross'
/** How long one of them may take. */
export const PROGRAM_SECONDS = 3600
/** How one ends of which tests have failed. */
const TESTS_FAILED = 101

/** @typedef {{ directory: string, title: string, file: string }} TestProgram where it is run, as cargo does it, and what it is called */
/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * Builds them.
 *
 * @param {import('./platforms.mjs').Platform} platform
 * @param {string} [only] titles, and names of crates for all of theirs, with commas between them; no other crate is compiled
 * @returns {TestProgram[]}
 */
export function testPrograms(platform, only) {
  const wanted = only?.split(',') ?? CRATES
  const crates = [...new Set(wanted.map((name) => name.replace(/: .*/, '')))]
  for (const name of crates) if (!CRATES.includes(name)) end(`There is no crate \`${name}\` with tests for this; there are: ${CRATES.join(', ')}.`)
  const args = ['--no-run', ...crates.flatMap((name) => ['--package', `tenon-${name}`]), '--profile', PROFILE]
  return programsOf('building the tests', platform, 'test', args)
    .filter(({ isTest }) => isTest)
    .map(({ name, file, source }) => {
      const directory = /^.*\/crates\/[^/]+/.exec(source)?.[0] ?? ROOT
      return { directory, title: `${path.basename(directory)}: ${name}`, file }
    })
    .filter(({ title }) => wanted.includes(title) || wanted.includes(title.replace(/: .*/, '')))
}

/**
 * The line before the output of a program: another one when it is built again.
 *
 * @param {TestProgram} program
 */
export function beginning({ title, file }) {
  return `== ${title} (built ${statSync(file).mtime.toISOString()})`
}

/**
 * The line behind it.
 *
 * @param {number | string | null} status
 */
export function ending(status) {
  return `-- ended: ${status}`
}

/**
 * What a log says of the programs that came to their end, by the lines that they begin with.
 *
 * @param {string} log
 * @returns {Map<string, Counts & { isBroken: boolean }>}
 */
export function resultsIn(log) {
  /** @type {Map<string, Counts & { isBroken: boolean }>} */
  const results = new Map()
  // One that was killed with its run has no end.
  for (const part of log.split(/^(?=== .* \(built )/m)) {
    const [, begins, output, status] = /^(.*)\n([^]*)^-- ended: (.*)$/m.exec(part) ?? []
    if (begins === undefined) continue
    const isBroken = Number(status) !== 0 && Number(status) !== TESTS_FAILED
    // The last one: a test that runs its program again, as another user, shows those of that run before.
    const [own = ''] = output.match(/^test result: .*$/gm)?.slice(-1) ?? []
    results.set(begins, { ...countsOf(own, /^.*$/g), isBroken })
  }
  return results
}

/**
 * Says what came of the programs.
 *
 * @param {TestProgram[]} programs
 * @param {string} log
 * @returns {number} how many tests failed, and programs broke or did not end
 */
export function report(programs, log) {
  const results = resultsIn(log)
  const sum = { passed: 0, failed: 0, skipped: 0, broken: 0 }
  for (const program of programs) {
    const result = results.get(beginning(program)) ?? { passed: 0, failed: 0, skipped: 0, isBroken: true }
    const { passed, failed, skipped, isBroken } = result
    console.log(`${program.title}: ${passed} passed, ${failed} failed, ${skipped} skipped${isBroken ? ', did not end' : ''}`)
    sum.passed += passed
    sum.failed += failed
    sum.skipped += skipped
    sum.broken += Number(isBroken)
  }
  console.log(`\nengine: ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped, ${sum.broken} of ${programs.length} programs did not end`)
  return sum.failed + sum.broken
}

/**
 * Those of the programs that a log says nothing of, or that they broke.
 *
 * @param {TestProgram[]} programs
 * @param {string} log
 */
export function notEnded(programs, log) {
  const results = resultsIn(log)
  return programs.filter((program) => results.get(beginning(program))?.isBroken !== false)
}

/**
 * How many tests passed, failed and were not run, by the lines that runners end with.
 *
 * @param {string} output
 * @param {RegExp} lines
 * @returns {Counts}
 */
export function countsOf(output, lines) {
  const all = [...output.matchAll(lines)].map(([line]) => line).join('\n')
  const sum = (/** @type {RegExp} */ word) => [...all.matchAll(word)].reduce((total, [, number]) => total + Number(number), 0)
  return { passed: sum(/(\d+) passed/g), failed: sum(/(\d+) failed/g), skipped: sum(/(\d+) (?:ignored|skipped)/g) }
}
