// Tries what was built for another platform under a Node of that platform, as an installed package would be.
//
//   node scripts/try-platform.mjs linux-arm64-gnu --into DIR [--seen-as DIR] -- qemu-aarch64-static -L /usr/aarch64-linux-gnu node
//
// `--into` is emptied and becomes the project; `--seen-as` is its path for that Node, where it has another root directory or drive.

import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { PLATFORMS } from './platforms.mjs'
import { end, HELPER, ROOT } from './steps.mjs'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { into: { type: 'string' }, 'seen-as': { type: 'string' } } })
const [triple = '', program, ...args] = positionals
if (!Object.hasOwn(PLATFORMS, triple)) end(`There is no platform \`${triple}\`; there are: ${Object.keys(PLATFORMS).join(', ')}.`)
if (!values.into || program === undefined) end('`--into` or the command of the other Node is missing.')
const artifacts = path.join(ROOT, 'artifacts', `bindings-${triple}`)
if (!existsSync(artifacts)) end(`Nothing was built for ${triple}: node scripts/cross.mjs --only ${triple}`)

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
for (const file of readdirSync(artifacts)) copyFileSync(path.join(artifacts, file), path.join(platform, file))
if (PLATFORMS[triple].hasHelper) chmodSync(path.join(platform, HELPER), 0o755)
cpSync(path.join(ROOT, '__test__', 'packed', 'smoke.cjs'), path.join(project, 'smoke.cjs'))

const seen = values['seen-as'] ?? project
const { status, error } = spawnSync(program, [...args, `${seen}/smoke.cjs`, seen], { cwd: project, stdio: 'inherit', timeout: 600_000 })
if (error) end(`${program} cannot be run: ${error.message}`)
process.exitCode = status ?? 1
