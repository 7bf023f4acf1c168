import { spawnSync } from 'node:child_process'
import path from 'node:path'

import { expect, test } from 'vitest'

import { ROOT } from './support/run.js'

const script = path.join(ROOT, 'scripts/red-team.mjs')

/** Runs the red team, and returns how it ended and its lines. */
function redTeam(...args: string[]): { status: number | null; lines: string[]; errors: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', timeout: 110_000 })
  return { status, lines: stdout.trim().split('\n'), errors: stderr }
}

/** The attacks are options that busybox does not have. */
const isGnu = process.platform === 'linux' && `${spawnSync('tar', ['--version'], { encoding: 'utf8' }).stdout}`.includes('GNU tar')

test.runIf(isGnu)('no attack out of a manual runs anything under a rule on its program', { timeout: 120_000 }, () => {
  const { status, lines, errors } = redTeam('--only', 'tar,git,sort,sed,find,grep', '--limit', '30', '--seconds', '10', '--few-controls')
  expect(errors).toBe('')
  expect(status).toBe(0)
  // Not all machines have all programs of the known attacks, but each that is run must succeed.
  expect(lines[0]).toMatch(/^control: (\d+) of \1 known attacks made their marker/)
  expect(lines.at(-1)).toMatch(/^\d programs, \d+ attacks, \d+ allowed and run, 0 markers$/)
  const attacked = lines.filter((line) => /^\w+: \d+ options, \d+ attacks, \d+ allowed, \d+ run$/.test(line))
  expect(attacked.length).toBeGreaterThan(0)
})
