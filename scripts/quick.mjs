// npm run test:quick: the tests of what changed since the main branch, for the time between two edits. `npm test` runs everything.
//
// Crates that changed are tested alone, without those that depend on them. Of vitest run all files but those that start a browser, a
// database, a language server or the programs of others; with file names as arguments, these files.

import { execFileSync } from 'node:child_process'
import process from 'node:process'

import { ROOT, build, install, run, runLocal } from './steps.mjs'

/** What takes more than a few seconds for itself, by the beginning of its name. */
const SLOW = [
  'browser',
  'bundlers',
  'canvas',
  'cron',
  'docs',
  'examples',
  'faults',
  'frameworks',
  'inspect',
  'lsp',
  'mcp-client-conformance',
  'mcp-conformance',
  'real-clients',
  'red-team',
  'remote-faults',
  'remote-machines',
  'sessions',
  'shared-stores',
  'store-pg',
  'store-redis',
  'trees',
  'vscode-editor',
]

const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)

/** Every file that differs from the main branch, committed or not. */
function changedFiles() {
  const base = process.env.TENON_QUICK_BASE ?? 'main'
  const fork = git('merge-base', 'HEAD', base)[0] ?? 'HEAD'
  return [...new Set([...git('diff', '--name-only', fork), ...git('ls-files', '--others', '--exclude-standard')])]
}

const changed = changedFiles()
const crates = [...new Set(changed.flatMap((file) => /^crates\/([^/]+)\//.exec(file)?.[1] ?? (file.startsWith('xtask/') ? 'xtask' : [])))]
const rust = crates.some((name) => name !== 'xtask') || changed.some((file) => file.startsWith('src/') || file === 'Cargo.toml')
const files = process.argv.slice(2)

install()
const packages = crates.map((name) => (name === 'xtask' ? name : `tenon-${name}`))
if (packages.length > 0) run(`cargo test of ${packages.join(', ')}`, 'cargo', ['test', ...packages.flatMap((name) => ['-p', name])])
if (rust) build('debug')
runLocal('vitest', 'vitest', [
  'run',
  '--project',
  '!container',
  ...files,
  ...(files.length > 0 ? [] : SLOW.flatMap((name) => ['--exclude', `__test__/**/${name}*`])),
])
runLocal('types', 'tsc', ['--project', 'tsconfig.json'])
