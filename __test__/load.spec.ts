import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { ROOT, run } from './support/run.js'
import { workspaceOf } from './support/workspace.js'

const ADDON = readdirSync(path.join(ROOT, 'native')).find((name) => name.endsWith('.node'))!
const TRIPLE = ADDON.split('.')[1]!

/** The package as it is installed: without `native/`. */
function installed(): string {
  const directory = workspaceOf()
  const root = path.join(directory, 'node_modules', 'tenon')
  for (const name of ['js', 'bin', 'index.js', 'package.json']) cpSync(path.join(ROOT, name), path.join(root, name), { recursive: true })
  return directory
}

const load = (directory: string, env: NodeJS.ProcessEnv = {}) =>
  run(process.execPath, ['-e', 'const { createTools } = require("tenon"); console.log(createTools({ workspace: "." }).length > 0)'], { cwd: directory, env })

test('a missing platform package is named with each place that was tried and what to do', async () => {
  const { code, stderr } = await load(installed())
  expect(code).toBe(1)
  for (const part of [
    `@tenon/${TRIPLE}: not found`,
    `@tenon/${TRIPLE}/${ADDON}: not found`,
    `npm install @tenon/${TRIPLE}`,
    '--omit=optional',
    process.version,
  ]) {
    expect(stderr).toContain(part)
  }
})

test('the platform package is found by its name', async () => {
  const directory = installed()
  const root = path.join(directory, 'node_modules', `@tenon/${TRIPLE}`)
  mkdirSync(root, { recursive: true })
  copyFileSync(path.join(ROOT, 'native', ADDON), path.join(root, ADDON))
  writeFileSync(path.join(root, 'package.json'), JSON.stringify({ name: `@tenon/${TRIPLE}`, version: '0.1.0', main: ADDON }))
  expect(await load(directory)).toMatchObject({ code: 0, stdout: 'true\n' })
})

test('the platform package is found by its file where its main is not', async () => {
  const directory = installed()
  const root = path.join(directory, 'node_modules', `@tenon/${TRIPLE}`)
  mkdirSync(root, { recursive: true })
  copyFileSync(path.join(ROOT, 'native', ADDON), path.join(root, ADDON))
  writeFileSync(path.join(root, 'package.json'), JSON.stringify({ name: `@tenon/${TRIPLE}`, version: '0.1.0', main: 'elsewhere.node' }))
  expect(await load(directory)).toMatchObject({ code: 0, stdout: 'true\n' })
})

test.each(['TENON_NATIVE_PATH', 'NAPI_RS_NATIVE_LIBRARY_PATH'])('%s names the file, and only that is tried', async (name) => {
  const directory = installed()
  const file = path.join(ROOT, 'native', ADDON)
  expect(await load(directory, { [name]: file })).toMatchObject({ code: 0, stdout: 'true\n' })
  const broken = await load(directory, { [name]: path.join(directory, 'broken.node') })
  expect(broken.code).toBe(1)
  expect(broken.stderr).toContain(`${path.join(directory, 'broken.node')}: not found`)
  expect(broken.stderr).toContain(`The variable ${name} names this file, so no other one is tried.`)
  expect(broken.stderr).not.toContain(`@tenon/${TRIPLE}`)
})

test('a file that is no addon is named with the reason of the system', async () => {
  const directory = workspaceOf({ 'bad.node': 'this is no library' })
  const { stderr } = await load(installed(), { TENON_NATIVE_PATH: path.join(directory, 'bad.node') })
  expect(stderr).toMatch(/bad\.node: .*(file too short|invalid ELF header|Exec format error|not a|not valid)/)
})

test.runIf(process.platform === 'linux')('the helper program of an Electron archive is found where it is unpacked', async () => {
  const directory = workspaceOf()
  const packed = path.join(directory, 'app.asar')
  const place = (root: string, files: readonly string[]) => {
    const target = path.join(root, 'node_modules', `@tenon/${TRIPLE}`)
    mkdirSync(target, { recursive: true })
    for (const name of files) copyFileSync(path.join(ROOT, 'native', name), path.join(target, name))
    writeFileSync(path.join(target, 'package.json'), JSON.stringify({ name: `@tenon/${TRIPLE}`, version: '0.1.0', main: ADDON }))
  }
  for (const name of ['js', 'index.js', 'package.json']) cpSync(path.join(ROOT, name), path.join(packed, 'node_modules/tenon', name), { recursive: true })
  // Files of an archive can be read, but programs in it cannot be run; a directory with such a name stands for one.
  place(packed, [ADDON])
  writeFileSync(path.join(packed, 'node_modules', `@tenon/${TRIPLE}`, 'tenon-helper'), 'packed')
  const script = 'const { helperProgram } = require("tenon/js/load.js"); console.log(JSON.stringify(helperProgram()))'
  const helper = async () => JSON.parse((await run(process.execPath, ['-e', script.replace('tenon/js', './node_modules/tenon/js')], { cwd: packed })).stdout)
  expect(await helper()).toMatchObject({ fault: 'not an executable file' })
  place(path.join(directory, 'app.asar.unpacked'), ['tenon-helper'])
  expect(await helper()).toEqual({ file: path.join(directory, 'app.asar.unpacked/node_modules', `@tenon/${TRIPLE}`, 'tenon-helper') })
})

const LOADER_OF_MUSL = `/lib/ld-musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`

test.runIf(existsSync(LOADER_OF_MUSL))('a Node for musl is known where glibc is installed as well, wherever it names its loader', async () => {
  // As `auditwheel` changes programs: the name is far behind the first page.
  const program = Buffer.alloc(20_000)
  program.write('\u007fELF', 'latin1')
  program.writeBigUInt64LE(64n, 32)
  program.writeUInt16LE(56, 54)
  program.writeUInt16LE(1, 56)
  program.writeUInt32LE(3, 64)
  program.writeBigUInt64LE(16_384n, 72)
  const triples = [LOADER_OF_MUSL, '/lib64/ld-linux-x86-64.so.2'].map(async (loader) => {
    const changed = Buffer.from(program)
    changed.write(`${loader}\0`, 16_384, 'latin1')
    const file = path.join(workspaceOf({ node: changed }), 'node')
    const script = `process.execPath = ${JSON.stringify(file)}; console.log(require(${JSON.stringify(path.join(ROOT, 'js/load.js'))}).targetTriple())`
    return (await run(process.execPath, ['-e', script])).stdout.trim()
  })
  expect(await Promise.all(triples)).toEqual([`linux-${process.arch}-musl`, `linux-${process.arch}-gnu`])
})
