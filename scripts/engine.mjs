// node scripts/engine.mjs [x64] [arm64] [--debug]: the engine as one static program for Linux, with the helper beside it, into
// `native/engine-linux-<arch>/`. They need no C library there, and nothing else of a system: they run in an empty container.
//
// On a system of musl cargo builds them as it is. Elsewhere zig is the C compiler and the linker: `pip install cargo-zigbuild ziglang`, and
// `rustup target add x86_64-unknown-linux-musl`. Neither is needed for the build and the tests of this project.

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { ENGINE, HELPER, HELPER_FLAGS, ROOT, end } from './steps.mjs'

const CPUS = { x64: 'x86_64', arm64: 'aarch64' }
const { values, positionals } = parseArgs({ options: { debug: { type: 'boolean', default: false } }, allowPositionals: true })
const unknown = positionals.find((arch) => !Object.hasOwn(CPUS, arch))
if (unknown !== undefined) end(`There is no engine for \`${unknown}\`: ${Object.keys(CPUS).join(', ')}.`)

for (const arch of positionals.length > 0 ? positionals : Object.keys(CPUS)) build(/** @type {keyof typeof CPUS} */ (arch))

/** @param {keyof typeof CPUS} arch */
function build(arch) {
  const target = `${CPUS[arch]}-unknown-linux-musl`
  const builds = isNative(target) ? ['build'] : ['zigbuild']
  if (builds[0] === 'zigbuild' && spawnSync('cargo', ['zigbuild', '--help']).status !== 0) {
    end(`The C compiler for ${target} is missing: pip install cargo-zigbuild ziglang, then rustup target add ${target}.`)
  }
  const directory = path.join(ROOT, 'native', `engine-linux-${arch}`)
  mkdirSync(directory, { recursive: true })
  const optimised = values.debug ? [] : ['--release']
  for (const [name, flags] of [
    [ENGINE, ['--package', 'tenon-serve', ...optimised]],
    [HELPER, ['--package', 'tenon-helper', ...HELPER_FLAGS]],
  ]) {
    const from = executableOf(name, target, [...builds, ...flags])
    const to = path.join(directory, name)
    rmSync(to, { force: true })
    copyFileSync(from, to)
    chmodSync(to, 0o755)
    if (interpreterOf(readFileSync(to))) end(`\`${name}\` for ${target} wants a dynamic linker: it is not static.`)
    console.log(`${path.relative(ROOT, to)}: ${(readFileSync(to).length / 1e6).toFixed(1)} MB, static`)
  }
}

/** @param {string} target */
function isNative(target) {
  const { stdout } = spawnSync('rustc', ['-vV'], { encoding: 'utf8' })
  return /^host: (.+)$/m.exec(stdout ?? '')?.[1] === target
}

/**
 * @param {string} name
 * @param {string} target
 * @param {string[]} args
 */
function executableOf(name, target, args) {
  console.log(`\n== building ${name} for ${target}`)
  // Flags of the addon, which must not be static, are not for programs.
  const env = { ...process.env, RUSTFLAGS: '', CARGO_BUILD_TARGET: target }
  const { status, stdout, error } = spawnSync('cargo', [...args, '--target', target, '--message-format', 'json-render-diagnostics'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  if (error) end(`cargo cannot be run: ${error.message}`)
  if (status !== 0) end(`building ${name} for ${target}: failed (${status})`)
  const messages = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const { executable } = messages.findLast(({ executable }) => executable && path.basename(executable) === name) ?? end(`cargo did not build ${name}`)
  if (!existsSync(executable)) end(`cargo did not build ${name}`)
  return executable
}

/**
 * Whether an ELF program names a dynamic linker.
 *
 * @param {Buffer} elf of 64 bits, little-endian
 */
function interpreterOf(elf) {
  const [start, size, count] = [Number(elf.readBigUInt64LE(32)), elf.readUInt16LE(54), elf.readUInt16LE(56)]
  return Array.from({ length: count }, (_, index) => elf.readUInt32LE(start + index * size)).includes(3)
}
