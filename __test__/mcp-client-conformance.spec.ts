// The official conformance suite of the Model Context Protocol against the client: a toolkit with the suite's server in `mcpServers`. What it
// may fail is in `fixtures/mcp-conformance/client.yaml`.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { mcpSuite } from '../scripts/mcp-suite.mjs'
import { ROOT, run } from './support/run.js'

// Each scenario starts a process, and gives some messages half a second: on a busy machine it is run again.
const OPTIONS = { timeout: 900_000, retry: 1 }
/** How many checks passed, those of scenarios that fail included. */
const LEAST_PASSED = { '2026-07-28': 540, '2025-11-25': 340 }

/** How the suite starts the client. */
const COMMAND = `"${process.execPath}" "${path.join(ROOT, '__test__/support/conformance-client.mjs')}"`

test.for(['2026-07-28', '2025-11-25'] as const)('the client passes the official suite of revision %s', OPTIONS, async (revision, { skip }) => {
  const found = mcpSuite()
  if ('missing' in found) return skip(found.missing)
  const output = mkdtempSync(path.join(os.tmpdir(), 'tenon-conformance-results-'))
  onTestFinished(() => rmSync(output, { recursive: true, force: true }))
  const args = [found.suite, 'client', '--command', COMMAND, '--requirements', revision, '--timeout', '60000', '--output-dir', output]
  const { stdout } = await run(found.node, args, { cwd: output })
  const summary = stdout.slice(stdout.indexOf('=== SUITE SUMMARY ==='))
  const scenarios = [...summary.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gmu)].map(([, name, passed, failed]) => ({
    name,
    passed: Number(passed),
    failed: Number(failed),
  }))
  const baseline = readFileSync(path.join(ROOT, 'fixtures/mcp-conformance/client.yaml'), 'utf8')
  const expected = [...baseline.matchAll(/^ *- (\S+)$/gm)].map(([, name]) => name)
  expect(
    scenarios
      .filter(({ failed, passed }) => failed > 0 || passed === 0)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(expected)
  expect(scenarios.reduce((sum, { passed }) => sum + passed, 0)).toBeGreaterThanOrEqual(LEAST_PASSED[revision])
})

// Extensions are required by no revision: each scenario is run by itself.
test.for(['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'])(
  'the client passes the official scenario of skills %s',
  OPTIONS,
  async (name, { skip }) => {
    const found = mcpSuite()
    if ('missing' in found) return skip(found.missing)
    const { code, stdout, stderr } = await run(found.node, [
      found.suite,
      'client',
      '--command',
      COMMAND,
      '--scenario',
      `sep-2640-client-${name}`,
      '--timeout',
      '60000',
    ])
    // The suite reports a single scenario on standard error.
    expect({ code, output: stdout + stderr }).toEqual({ code: 0, output: expect.stringContaining('Passed: 1/1, 0 failed, 0 warnings') })
  },
)
