// A program that uses tenon, traced or bundled, runs in another directory than the one it was made in.

import { copyFileSync, cpSync, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { nodeFileTrace } from '@vercel/nft'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import webpack from 'webpack'

import { targetTriple } from '../js/load.js'
import { ROOT, run } from './support/run.js'
import { workspaceOf } from './support/workspace.js'

const PLATFORM = `@tenon/${targetTriple()}`
const ADDON = `tenon.${targetTriple()}.node`
const HELPER = 'tenon-helper'
const BINARIES = process.platform === 'linux' ? [ADDON, HELPER] : [ADDON]
/** Reads itself, and names the program that keeps the processes of a command. */
const APP = `
  const toolkit = new Toolkit({ workspace: process.cwd() })
  const text = async (name, params) => (await toolkit.execute(name, params)).content[0].text.trim()
  Promise.all([text('read', { file_path: 'hello.txt' }), text('exec', { command: 'cat /proc/$PPID/comm' })]).then((texts) => {
    console.log(texts.join(' from '))
    return toolkit.close()
  })`
const LIMIT_MS = 120_000
/** What the program prints where the helper program was found, and where it was not. */
const WITH_HELPER = process.platform === 'linux' ? `hello from ${HELPER}\n` : expect.stringMatching(/^hello from /)
const WITHOUT_HELPER = expect.stringMatching(/^hello from (?!tenon-helper)/)

/** Links a file where that can be done: the addon is large. */
function place(from: string, to: string) {
  mkdirSync(path.dirname(to), { recursive: true })
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}

/** The package as it is installed, in `node_modules` of a directory. */
function installPackage(directory: string) {
  for (const name of ['js', 'index.js', 'index.mjs', 'package.json'])
    cpSync(path.join(ROOT, name), path.join(directory, 'node_modules/tenon', name), { recursive: true })
}

/** The package of this platform. */
function installPlatform(directory: string) {
  const target = path.join(directory, 'node_modules', PLATFORM)
  for (const name of BINARIES) place(path.join(ROOT, 'native', name), path.join(target, name))
  copyFileSync(path.join(ROOT, 'npm', targetTriple(), 'package.json'), path.join(target, 'package.json'))
}

/** A project with a program that is to be bundled. */
function project(): string {
  const directory = workspaceOf({ 'app.cjs': `const { Toolkit } = require('tenon')${APP}`, 'app.mjs': `import { Toolkit } from 'tenon'${APP}` })
  installPackage(directory)
  installPlatform(directory)
  return directory
}

/** What a program prints that runs in its own directory. */
async function output(file: string): Promise<string> {
  const directory = path.dirname(file)
  writeFileSync(path.join(directory, 'hello.txt'), 'hello\n')
  const { stdout, stderr } = await run(process.execPath, [file], { cwd: directory })
  expect(stderr).toBe('')
  return stdout
}

test('a file tracer finds the addon and the helper program', { timeout: LIMIT_MS }, async () => {
  const directory = project()
  const { fileList, warnings } = await nodeFileTrace([path.join(directory, 'app.cjs')], { base: directory })
  expect([...fileList]).toEqual(expect.arrayContaining([...BINARIES, 'package.json'].map((name) => `node_modules/${PLATFORM}/${name}`)))
  // The packages of other platforms are not installed.
  expect([...warnings].map(String).filter((warning) => !/@tenon\/(linux|darwin|win32)-/.test(warning))).toEqual([])
  const elsewhere = workspaceOf()
  for (const file of fileList) place(path.join(directory, file), path.join(elsewhere, file))
  expect(await output(path.join(elsewhere, 'app.cjs'))).toEqual(WITH_HELPER)
})

test('esbuild bundles all of it; the helper program is copied beside', { timeout: LIMIT_MS }, async () => {
  const elsewhere = workspaceOf()
  const { warnings } = await build({
    entryPoints: [path.join(project(), 'app.cjs')],
    bundle: true,
    platform: 'node',
    loader: { '.node': 'copy' },
    outdir: elsewhere,
    logLevel: 'silent',
  })
  expect(warnings).toEqual([])
  const file = path.join(elsewhere, 'app.js')
  expect(await output(file)).toEqual(WITHOUT_HELPER)
  if (process.platform !== 'linux') return
  place(path.join(ROOT, 'native', HELPER), path.join(elsewhere, HELPER))
  expect(await output(file)).toEqual(WITH_HELPER)
})

test('esbuild bundles an ES module that has a `require`', { timeout: LIMIT_MS }, async () => {
  const elsewhere = workspaceOf()
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" }
  const outfile = path.join(elsewhere, 'app.mjs')
  const directory = project()
  await build({
    entryPoints: [path.join(directory, 'app.mjs')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner,
    loader: { '.node': 'copy' },
    outfile,
    logLevel: 'silent',
  })
  expect(await output(outfile)).toEqual(WITHOUT_HELPER)
})

/** Bundlers with what they leave out, and what has to be installed beside the bundle for that. */
const PACKAGES = [
  ['tenon', /^tenon$/, [installPackage, installPlatform]],
  ['the platform packages', /^@tenon\//, [installPlatform]],
] as const

test.for(PACKAGES)('rolldown bundles a program without %s', { timeout: LIMIT_MS }, async ([, external, install]) => {
  const elsewhere = workspaceOf()
  const warnings: string[] = []
  const bundle = await rolldown({ input: path.join(project(), 'app.mjs'), platform: 'node', external, onwarn: ({ message }) => void warnings.push(message) })
  await bundle.write({ file: path.join(elsewhere, 'app.cjs'), format: 'cjs' })
  await bundle.close()
  expect(warnings).toEqual([])
  for (const each of install) each(elsewhere)
  expect(await output(path.join(elsewhere, 'app.cjs'))).toEqual(WITH_HELPER)
})

const MODES = PACKAGES.flatMap(([name, ...rest]) => [[name, 'production', ...rest] as const, [name, 'development', ...rest] as const])

test.for(MODES)('webpack bundles a program without %s for %s', { timeout: LIMIT_MS }, async ([, mode, external, install]) => {
  const elsewhere = workspaceOf()
  const stats = await new Promise<webpack.Stats>((resolve, reject) => {
    const options: webpack.Configuration = {
      mode,
      target: 'node',
      entry: path.join(project(), 'app.cjs'),
      output: { path: elsewhere, filename: 'app.cjs' },
      externals: [({ request = '' }, done) => (external.test(request) ? done(undefined, `commonjs ${request}`) : done())],
    }
    webpack(options, (error, stats) => (stats ? resolve(stats) : reject(error)))
  })
  expect(stats.toJson({ errors: true, warnings: true })).toMatchObject({ errors: [], warnings: [] })
  for (const each of install) each(elsewhere)
  expect(await output(path.join(elsewhere, 'app.cjs'))).toEqual(WITH_HELPER)
})
