// What the documents say is so: recipes run, links lead somewhere, and lists are complete.

import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import ts from 'typescript'
import { expect, test } from 'vitest'

import { ROOT, run } from './support/run.js'
import { workspaceOf } from './support/workspace.js'
import { optionRows, optionsPage } from '../scripts/options-page.mjs'

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const INDEX_URL = path.join(ROOT, 'index.mjs')

/** Every page that a reader may open. */
function pages(directory = ''): string[] {
  return readdirSync(path.join(ROOT, directory)).flatMap((name) => {
    const file = path.posix.join(directory, name)
    if (statSync(path.join(ROOT, file)).isDirectory())
      return directory.startsWith('docs') || file === 'docs' || file === 'skills' || directory === 'skills' ? pages(file) : []
    return /\.md$|^llms\.txt$/.test(name) ? [file] : []
  })
}

/** The names that headings of a page have in addresses, as GitHub makes them. */
function anchors(text: string): string[] {
  const headings = [...text.replace(/^```[^]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)]
  return headings.map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}

test('links and pictures lead to files and headings that exist', () => {
  const broken = pages().flatMap((page) => {
    const text = read(page)
      .replace(/^```[^]*?^```/gm, '')
      .replace(/`[^`\n]*`/g, '')
    return [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].flatMap(([, link]) => {
      const [file, anchor] = link!.split('#')
      const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file!)
      if (!existsSync(path.join(ROOT, target))) return [`${page}: ${link}`]
      if (anchor === undefined || !target.endsWith('.md')) return []
      return anchors(read(target)).includes(anchor) ? [] : [`${page}: ${link}`]
    })
  })
  expect(broken).toEqual([])
})

/** Directories of the repository, whose files pages name in backticks. `src` is not one: examples have files of their own there. */
const NAMED = /`((?:crates|js|scripts|docs|fixtures|xtask|__test__|fuzz|examples)\/[\w./-]+)`/g

test('paths of the repository that pages name exist', () => {
  const missing = pages().flatMap((page) =>
    [...read(page).matchAll(NAMED)].flatMap(([, name]) => (existsSync(path.join(ROOT, name!)) ? [] : [`${page}: ${name}`])),
  )
  expect(missing).toEqual([])
})

const recipes = read('docs/recipes.md').split(/^## /m).slice(1)

test.each(recipes.map((recipe) => [recipe.split('\n')[0]!, /^```ts\n([^]*?)^```/m.exec(recipe)![1]!]))('the recipe "%s" runs', async (_, code) => {
  const workspace = workspaceOf()
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } })
  const local = outputText
    .replace(/from 'tenon'/g, `from ${JSON.stringify(INDEX_URL)}`)
    .replace(/from 'zod'/g, `from ${JSON.stringify(path.join(ROOT, 'node_modules/zod/index.js'))}`)
  const file = path.join(workspaceOf(), 'recipe.mjs')
  writeFileSync(file, local)
  const done = await run(process.execPath, [file], { cwd: workspace })
  expect(done).toMatchObject({ code: 0, signal: null })
  // A comment behind `console.log` says what it prints.
  for (const [, said] of code.matchAll(/console\.log\(.*\) \/\/ (\w[\w ]*)$/gm)) expect(done.stdout).toContain(said)
})

test('troubleshooting has every code of an error, with its kind', () => {
  const declared = read('crates/contract/src/error.rs')
  const snake = (name: string) =>
    ({
      NotFound: 'not_found',
      InvalidInput: 'invalid_input',
      ExecutionFailed: 'execution_failed',
      PermissionDenied: 'permission_denied',
      Timeout: 'timeout',
      Aborted: 'aborted',
    })[name]
  const codes = [...declared.matchAll(/^ {4}\w+ = "(\w+)" => (\w+);/gm)].map(([, code, type]) => [code, snake(type!)])
  // What the facade itself refuses where the engine is elsewhere.
  codes.push(['elsewhere', 'execution_failed'], ['not_ready', 'execution_failed'], ['unreachable', 'execution_failed'])
  const listed = [...read('docs/troubleshooting.md').matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)].map(([, code, type]) => [code, type])
  expect(codes.length).toBeGreaterThan(25)
  expect(listed.sort()).toEqual(codes.sort())
})

test('every exported type, option and method of the package says what it is', { timeout: 60_000 }, () => {
  const file = path.join(ROOT, 'index.d.ts')
  const program = ts.createProgram([file], { strict: true, skipLibCheck: true, types: [] })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)!
  const isSilent = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length === 0
  const silent = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!).flatMap((type) => {
    const members = (type.declarations ?? []).flatMap(membersOf).map((name) => checker.getSymbolAtLocation(name)!)
    return [...(isSilent(type) ? [type.name] : []), ...members.filter(isSilent).map((member) => `${type.name}.${member.name}`)]
  })
  expect(silent).toEqual([])
})

/** The names of the members of an interface or a class, but for those that are symbols. */
function membersOf(declaration: ts.Declaration): ts.PropertyName[] {
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) return []
  return declaration.members.flatMap(({ name }) => (name && !ts.isComputedPropertyName(name) ? [name as ts.PropertyName] : []))
}

test('the reference of options has every option', () => {
  const names = optionRows().map(({ name }: { name: string }) => name)
  const declared = /const TOOLKIT = \{([^]*?)\n\}/.exec(read('js/option-names.js'))![1]!
  const known = [...declared.matchAll(/^ {2}(\w+): true/gm)].map(([, name]) => name)
  expect(names.filter((name: string) => !name.includes('.')).sort()).toEqual(known.sort())
  expect(names).toEqual(
    expect.arrayContaining([
      'limits.command.memoryBytes',
      'web.fetch.timeoutMs',
      'web.search.provider',
      'web.search.apiKey',
      'sandbox.network',
      'tools.profile',
    ]),
  )
  expect(optionsPage()).toContain('| `workspace` | `string \\| ')
})

test('every difference between platforms has an owner in the code', () => {
  const rows = [...read('docs/platforms.md').matchAll(/^\| [^|]+ \| [^|]+ \| [^|]+ \| [^|]+ \| `([^`]+)` \|$/gm)].map(([, owner]) => owner!)
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter((owner) => !existsSync(path.join(ROOT, owner)))).toEqual([])
})

test('every command is in the page of the command line', () => {
  const { COMMANDS } = require('../js/cli/usage.js')
  const listed = [...read('docs/command-line.md').matchAll(/^\| `tenon ([a-z-]+)/gm)].map(([, name]) => name)
  expect(listed.sort()).toEqual(Object.keys(COMMANDS).sort())
})

test('the site is made without a network and without a warning, and can be searched', { timeout: 300_000 }, async () => {
  const site = path.join(workspaceOf(), 'site')
  const made = await run(process.execPath, [path.join(ROOT, 'scripts/site.mjs'), site])
  expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' })
  for (const file of [
    'index.html',
    'assets/search.js',
    'classes/index.Toolkit.html',
    'modules/ai-sdk.html',
    'documents/docs_approvals.html',
    'documents/docs_options.html',
    'documents/docs_frameworks_ai-sdk.html',
  ])
    expect([file, existsSync(path.join(site, file))]).toEqual([file, true])
  const page = readFileSync(path.join(site, 'documents/docs_approvals.html'), 'utf8')
  expect(page.match(/(?:src|href)="https?:\/\/[^"]*\.(?:js|css)"/g)).toBeNull()
})
