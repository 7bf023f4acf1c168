// What it costs to have toolkits: loading the package, the first toolkit with its first call, each further one, a thousand idle ones.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

import { Toolkit } from 'tenon'
import { batched, measure, median, report } from '../measure.mjs'

const IDLE = 1000
const STARTS = 15

export const parts = () => ['start', 'further', 'idle']

/** @param {string} part one of `parts` */
export async function run(part) {
  const workspace = mkdtempSync(join(tmpdir(), 'tenon-bench-'))
  writeFileSync(join(workspace, 'a.txt'), 'hello\n')
  if (part === 'start') starts(workspace)
  if (part === 'further') await further(workspace)
  if (part === 'idle') idle(workspace)
}

/** In a fresh process each: what was loaded once is not loaded again. */
function starts(workspace) {
  const program = `
    const started = performance.now()
    const { Toolkit } = require(${JSON.stringify(createRequire(import.meta.url).resolve('tenon'))})
    const loaded = performance.now()
    new Toolkit({ workspace: ${JSON.stringify(workspace)} }).execute('read', { path: 'a.txt' }).then(() => {
      console.log(JSON.stringify([loaded - started, performance.now() - loaded]))
    })`
  const node = `
    const started = performance.now()
    require('node:http')
    console.log(performance.now() - started)`
  const yardstick = []
  const loads = []
  const firsts = []
  for (let round = 0; round < STARTS; round += 1) {
    const [load, first] = JSON.parse(fresh(program))
    yardstick.push(Number(fresh(node)))
    loads.push(load)
    firsts.push(first)
  }
  const row = (name, times) => ({ name, milliseconds: median(times), ratio: median(times.map((time, round) => time / yardstick[round])) })
  report('toolkit, start', [row("require('node:http')", yardstick), row("require('tenon')", loads), row('the first toolkit with its first call', firsts)])
}

/** @param {string} program */
function fresh(program) {
  return spawnSync(process.execPath, ['-e', program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).stdout
}

async function further(workspace) {
  const kept = new Toolkit({ workspace })
  const read = (toolkit) => toolkit.execute('read', { path: 'a.txt' })
  const times = 50
  const rows = await measure(
    [
      { name: 'a call of a kept toolkit', run: batched(() => read(kept), times), yardstick: true },
      { name: 'a further toolkit', run: batched(async () => void new Toolkit({ workspace }), times) },
      { name: 'a further toolkit with its call', run: batched(() => read(new Toolkit({ workspace })), times) },
    ],
    30,
  )
  report(
    'toolkit, further',
    rows.map((row) => ({ ...row, milliseconds: row.milliseconds / times })),
  )
}

/** Each with a workspace of its own, which is the dearer case. */
function idle(workspace) {
  const held = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0)
  const kept = [new Toolkit({ workspace })]
  const [memory, descriptors, started] = [process.memoryUsage().rss, held(), performance.now()]
  for (let number = 0; number < IDLE; number += 1) {
    const directory = join(workspace, String(number))
    mkdirSync(directory)
    kept.push(new Toolkit({ workspace: directory }))
  }
  const milliseconds = (performance.now() - started) / IDLE
  const megabytes = ((process.memoryUsage().rss - memory) / 1e6).toFixed(1)
  report(`toolkit, ${IDLE} idle`, [{ name: 'each', milliseconds, ratio: 1, MB: megabytes, descriptors: held() - descriptors }])
  if (kept.length <= IDLE) throw new Error('Some were not kept.')
}
