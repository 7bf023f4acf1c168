// Tries what was built for another platform under a Node of that platform, as an installed package would be.
//
//   node scripts/try-platform.mjs linux-arm64-gnu --into DIR [--seen-as DIR] [--loads 15] -- qemu-aarch64-static -L /usr/aarch64-linux-gnu node
//
// `--into` is emptied and becomes the project; `--seen-as` is its path for that Node, where it has another root directory or drive.
// `--loads` also loads the addon in so many new processes, and shows the median of the time that it takes.

import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { copyBuilt } from './other-platform.mjs'
import { end, ROOT } from './steps.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { into: { type: 'string' }, 'seen-as': { type: 'string' }, loads: { type: 'string', default: '0' } },
})
const [triple = '', program, ...args] = positionals
if (!values.into || program === undefined) end('`--into` or the command of the other Node is missing.')

const project = path.resolve(values.into)
rmSync(project, { recursive: true, force: true })
const installed = path.join(project, 'node_modules', 'tenon')
const [{ files }] = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
)
for (const { path: file } of files) {
  mkdirSync(path.dirname(path.join(installed, file)), { recursive: true })
  copyFileSync(path.join(ROOT, file), path.join(installed, file))
}
const platform = path.join(project, 'node_modules', '@tenon', triple)
cpSync(path.join(ROOT, 'npm', triple), platform, { recursive: true })
copyBuilt(triple, platform)
cpSync(path.join(ROOT, '__test__', 'packed', 'smoke.cjs'), path.join(project, 'smoke.cjs'))

const seen = values['seen-as'] ?? project
const { status, error } = spawnSync(program, [...args, `${seen}/smoke.cjs`, seen], { cwd: project, stdio: 'inherit', timeout: 600_000 })
if (error) end(`${program} cannot be run: ${error.message}`)
process.exitCode = status ?? 1

const loads = Array.from({ length: Number(values.loads) }, () => {
  const script = [
    `const { loadedNative } = require('${seen}/node_modules/tenon/js/load.js')`,
    'const begun = process.hrtime.bigint()',
    'loadedNative()',
    'console.log(Number(process.hrtime.bigint() - begun) / 1e6)',
  ]
  return Number(spawnSync(program, [...args, '-e', script.join(';')], { cwd: project, encoding: 'utf8' }).stdout)
}).sort((a, b) => a - b)
if (loads.length > 0) console.log(`loading the addon: ${loads[Math.floor(loads.length / 2)].toFixed(1)} ms, the median of ${loads.length}`)
