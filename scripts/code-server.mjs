// Installs VS Code, as `code-server` from npm, with the Node that it needs, into a cache directory outside of the project, once, for the tests
// of `tenon/vscode`. Never fails: where it cannot be installed, its tests are skipped with the reason.

import { existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { cacheDirectory, isInstalled, npmInstall, once } from './cached-install.mjs'

const TIME_LIMIT_MS = 240_000
const NODE = `node-${process.platform}-${process.arch}`
const TARGET = cacheDirectory('code-server')
/** Pinned: a new release must not turn a test red. */
const PACKAGES = ['code-server@4.139.1', `${NODE}@24.21.0`]
/** Nothing is compiled: two native modules that a test does not need are replaced. */
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
const STUBS = `
const { writeFileSync } = require('node:fs')
const names = ['setLevel', 'getLevel', 'setPattern', 'clearFormatters', 'flush', 'drop', 'trace', 'debug', 'info', 'warn', 'error', 'critical']
writeFileSync('node_modules/@vscode/spdlog/index.js', \`class Logger { \${names.map((name) => name + '() {}').join(' ')} }
module.exports = { version: 0, setLevel() {}, setFlushOn() {}, Logger, createRotatingLogger: async () => new Logger(), createAsyncRotatingLogger: async () => new Logger() }\`)
writeFileSync('node_modules/@vscode/native-watchdog/index.js', 'module.exports = { start() {}, exit(code) { process.exit(code || 0) } }')
`

/**
 * Where VS Code is, or why it is not there.
 *
 * @returns {{ node: string, entry: string, extensions: string } | { missing: string }}
 */
export function codeServer() {
  if (process.platform === 'win32') return { missing: 'code-server does not run on Windows' }
  if (!isInstalled(TARGET, PACKAGES)) return { missing: `code-server is not installed in ${TARGET}: run \`node scripts/code-server.mjs\`` }
  const modules = path.join(TARGET, 'node_modules')
  return {
    node: path.join(modules, NODE, 'bin', 'node'),
    entry: path.join(modules, 'code-server', 'out', 'node', 'entry.js'),
    extensions: path.join(modules, 'code-server', 'lib', 'vscode', 'extensions'),
  }
}

/** @returns {string | undefined} why it could not be installed */
export function installCodeServer() {
  if (process.platform === 'win32') return 'it does not run on Windows'
  const fault = once(TARGET, PACKAGES, Date.now() + TIME_LIMIT_MS, (target) => {
    const code = path.join(target, 'node_modules', 'code-server', 'lib', 'vscode')
    const [npm, args] = npmInstall(target, PACKAGES)
    return [
      [npm, [...args, '--ignore-scripts']],
      [npm, ['install', '--prefix', code, '--omit=dev', ...QUIET]],
      [npm, ['install', '--prefix', path.join(code, 'extensions'), '--omit=dev', ...QUIET]],
      [process.execPath, ['-e', `process.chdir(${JSON.stringify(code)});${STUBS}`]],
    ]
  })
  if (fault) return fault
  const found = codeServer()
  return 'node' in found && !existsSync(found.node) ? `${found.node} does not exist` : undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fault = installCodeServer()
  console.log(fault ? `not installed: ${fault}` : `code-server: ${TARGET}`)
}
