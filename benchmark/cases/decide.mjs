// What policy says to a command text of 10 kB, beside bash that only reads it.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { Toolkit } from 'tenon'
import { batched, measure, report } from '../measure.mjs'

const LENGTH = 10_000

const permissions = {
  deny: ['Bash(rm:*)', 'Bash(git push:*)', 'Read(.env)', 'Edit(secrets/**)'],
  ask: ['Bash(git commit:*)'],
  allow: ['ls', 'cat', 'echo', 'git', 'grep', 'sort', 'wc'].map((name) => `Bash(${name}:*)`).concat('Read(**)', 'Edit(**)'),
}

const SCRIPT = readFileSync(new URL('everyday.sh', import.meta.url), 'utf8')

/** Pieces until the text is long enough; `@` becomes the number of the piece. */
function text(piece) {
  let whole = ''
  for (let number = 0; whole.length < LENGTH; number += 1) whole += piece.replaceAll('@', String(number))
  return whole
}

const TEXTS = {
  'an everyday script': text(SCRIPT),
  'a list of one command': text('ls -la src && ') + 'ls',
  'pipelines, each another': text('grep -n word@ src/f@.rs | sort -u > build/out@\n'),
  'conditions, each another': text('if [ -f a@ ] && ! grep -q x a@; then rm -f b@; else mv a@ b@; fi\n'),
  'files with redirections': text("echo 'größe 漢字@' > build/ü@; "),
}

export async function run() {
  const workspace = mkdtempSync(join(tmpdir(), 'tenon-bench-'))
  for (const directory of ['src', 'build']) mkdirSync(join(workspace, directory))
  const toolkit = new Toolkit({ workspace, dialect: 'canonical', permissions })
  const times = 20
  const bash = promisify(execFile)
  const decided = Object.entries(TEXTS).map(([name, command]) => ({
    name: `tenon: ${name}`,
    run: batched(() => toolkit.decide('Bash', { command }), times),
  }))
  const script = TEXTS['an everyday script']
  const read = { name: 'bash -n: an everyday script', run: batched(() => bash('bash', ['-nc', script]), times), yardstick: true }
  const rows = await measure([read, ...decided], 20)
  report(
    'decide, a command text of 10 kB',
    rows.map((row) => ({ ...row, milliseconds: row.milliseconds / times })),
    'µs',
  )
  await toolkit.close()
}
