// The official conformance suite of the Model Context Protocol against `mcpHttpHandler`, in both eras. What it may fail is in
// `fixtures/mcp-conformance`.

import { mkdtempSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { expect, test } from 'vitest'

import { mcpSuite } from '../scripts/mcp-suite.mjs'
import { examined } from './support/conformance.js'
import { ROOT, run } from './support/run.js'

// The suite gives a server half a second for some messages, which a busy machine may not keep: it is run again then.
const OPTIONS = { timeout: 120_000, retry: 2 }

/** How many checks passed, of the scenarios that the revision requires or that are about to be required. */
const LEAST_PASSED = { '2026-07-28': 162, '2025-11-25': 80 }

test.for(['2026-07-28', '2025-11-25'] as const)('the server passes the official suite of revision %s', OPTIONS, async (revision, { skip }) => {
  const found = mcpSuite()
  if ('missing' in found) return skip(found.missing)
  const url = await examined()
  const output = mkdtempSync(path.join(os.tmpdir(), 'tenon-conformance-results-'))
  const baseline = path.join(ROOT, 'fixtures/mcp-conformance', `${revision}.yaml`)
  const args = [found.suite, 'server', '--url', url.href, '--requirements', revision, '--expected-failures', baseline, '--output-dir', output]
  const { code, stdout } = await run(found.node, args, { cwd: output })
  const summary = stdout.slice(stdout.indexOf('=== SUMMARY ==='))
  expect({ code, summary }).toEqual({ code: 0, summary: expect.stringContaining('Total: ') })
  expect(Number(/Total: (\d+) passed/.exec(summary)?.[1])).toBeGreaterThanOrEqual(LEAST_PASSED[revision])
  // Those that are not scored yet, but of features that there are.
  for (const scenario of [
    'json-schema-2020-12',
    ...(revision === '2026-07-28' ? ['http-header-validation', 'http-custom-header-server-validation'] : ['server-session-lifecycle']),
  ]) {
    expect(summary).toMatch(new RegExp(`✓ ${scenario}: \\d+ passed, 0 failed`))
  }
  expect(readFileSync(baseline, 'utf8')).not.toMatch(/^ *- *[\w-]+ *$/m)
})
