// npm run docs: the site, from `docs/`, README.md and index.d.ts, into `site/`.

import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import * as typedoc from 'typedoc'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const out = path.resolve(process.argv[2] ?? path.join(ROOT, 'site'))

/** The pages in the order in which they are read. What is not named comes behind. */
const FIRST = [
  'options',
  'recipes',
  'approvals',
  'policy',
  'policy-commands',
  'catalogue',
  'policy-alone',
  'sandbox',
  'inspect',
  'command-line',
  'hooks',
  'agents',
  'mcp',
  'deployment',
  'platforms',
  'troubleshooting',
  'comparison',
  'migration',
]
/** Texts for those who work on tenon. */
const INTERNAL = ['style']

/** @param {string} directory */
function pagesIn(directory) {
  return readdirSync(path.join(ROOT, directory))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${directory}/${name}`)
}

const named = pagesIn('docs').filter((page) => !INTERNAL.includes(path.basename(page, '.md')))
const rank = (/** @type {string} */ page) => FIRST.indexOf(path.basename(page, '.md')) + 1 || FIRST.length + 1
/** The types of every entry of the package. */
const declarations = Object.values(JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).exports).flatMap((entry) =>
  entry.require ? [path.join(ROOT, entry.require.types)] : [],
)
const app = await typedoc.Application.bootstrap({
  name: 'tenon',
  entryPoints: declarations,
  tsconfig: path.join(ROOT, 'tsconfig.json'),
  readme: path.join(ROOT, 'README.md'),
  projectDocuments: [...named.sort((a, b) => rank(a) - rank(b)), 'SECURITY.md', ...pagesIn('docs/frameworks'), ...pagesIn('docs/dialects')].map((page) =>
    path.resolve(ROOT, page),
  ),
  includeVersion: true,
  searchInComments: true,
  searchInDocuments: true,
  skipErrorChecking: true,
  disableSources: true,
  sort: ['source-order'],
  excludeExternals: true,
  highlightLanguages: [
    'bash',
    'console',
    'css',
    'diff',
    'docker',
    'dockerfile',
    'html',
    'javascript',
    'json',
    'json5',
    'jsonc',
    'markdown',
    'rust',
    'sh',
    'toml',
    'typescript',
    'yaml',
  ],
  githubPages: true,
  validation: { notExported: false, invalidLink: true, invalidPath: true, rewrittenLink: false, notDocumented: false },
  logLevel: 'Warn',
})
const project = await app.convert()
if (!project) throw new Error('the site could not be made: see the errors above')
app.validate(project)
mkdirSync(out, { recursive: true })
await app.generateDocs(project, out)
// A link that leads nowhere is a warning of TypeDoc.
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1
console.log(`site: ${out} (${app.logger.warningCount} warnings)`)
