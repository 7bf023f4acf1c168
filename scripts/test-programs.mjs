// The tests of the main crates as programs for another platform, for the scripts that run them there.

import path from 'node:path'

import { ROOT } from './steps.mjs'
import { programsOf } from './zig.mjs'

/** What most calls go through. */
const CRATES = ['workspace', 'edit', 'search', 'shell', 'policy', 'process', 'store'].map((name) => `tenon-${name}`)
/** Tests need no optimisation; one profile for them and for the addon compiles each crate once. */
export const PROFILE = 'cross'
/** How long one of them may take. */
export const PROGRAM_SECONDS = 3600
/** How one ends of which tests have failed. */
export const TESTS_FAILED = 101

/**
 * Builds them.
 *
 * @param {import('./platforms.mjs').Platform} platform
 * @returns {{ directory: string, title: string, file: string }[]} where each is run, as cargo does it, and what it is called
 */
export function testPrograms(platform) {
  const args = ['--no-run', ...CRATES.flatMap((name) => ['--package', name]), '--profile', PROFILE]
  return programsOf('building the tests', platform, 'test', args)
    .filter(({ isTest }) => isTest)
    .map(({ name, file, source }) => {
      const directory = /^.*\/crates\/[^/]+/.exec(source)?.[0] ?? ROOT
      return { directory, title: `${path.basename(directory)}: ${name}`, file }
    })
}

/**
 * How many tests passed, failed and were not run, by the lines that runners end with.
 *
 * @param {string} output
 * @param {RegExp} lines
 */
export function countsOf(output, lines) {
  const all = [...output.matchAll(lines)].map(([line]) => line).join('\n')
  const sum = (/** @type {RegExp} */ word) => [...all.matchAll(word)].reduce((total, [, number]) => total + Number(number), 0)
  return { passed: sum(/(\d+) passed/g), failed: sum(/(\d+) failed/g), skipped: sum(/(\d+) (?:ignored|skipped)/g) }
}
