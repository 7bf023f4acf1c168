// Packs the release, tries the tarballs as a user would, and publishes them.
//
//   node scripts/release.mjs --dry-run [--repository https://host/owner/name] [--only linux-x64-gnu,linux-x64-musl] [--out DIR]
//   node scripts/release.mjs --repository https://host/owner/name
//
// Addons are taken from `native/` (those of this machine) and from `artifacts/bindings-<platform>/` (those of CI and of
// `scripts/cross.mjs`).

import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { billOf, cratesOf, noticesOf, standardLibrary } from './notices.mjs'
import { glibcFaultOf } from './oldest-glibc.mjs'
import { PLATFORMS } from './platforms.mjs'
import { publish, refFaultOf } from './publish.mjs'
import { faultOf, inMegabytes, sizeOf } from './sizes.mjs'
import { ENGINE, HELPER, ROOT } from './steps.mjs'
import { buildPolicyModule } from './wasm.mjs'

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    repository: { type: 'string' },
    only: { type: 'string', multiple: true },
    out: { type: 'string' },
  },
})
const isDryRun = values['dry-run']
const SHELL = process.platform === 'win32'
/** Entries that need their framework to be loaded. */
const PEERS = ['./langchain', './openai-agents']
/** Beside each program. */
const BILL = 'sbom.cdx.json'
const NOTICES = 'THIRD-PARTY-NOTICES.txt'
const STANDARD_LIBRARY_NOTICES = 'RUST-STANDARD-LIBRARY-NOTICES.html'
/** A static program has musl in it, wherever it was built. */
const MUSL_NOTICES = 'MUSL-COPYRIGHT.txt'
const manifest = readManifest(ROOT)
const TRIPLES = Object.keys(PLATFORMS)
/** What the engine as a program is made of. */
const ENGINE_PARTS = ['tenon-serve', 'tenon-helper']

/** The engine as a program, by package. Static on Linux: one for every C library, and for none. */
const ENGINES = [
  { triple: 'linux-x64-musl', os: 'linux', cpu: 'x64', programs: [ENGINE, HELPER] },
  { triple: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', programs: [ENGINE, HELPER] },
  { triple: 'darwin-x64', os: 'darwin', cpu: 'x64', programs: [ENGINE] },
  { triple: 'darwin-arm64', os: 'darwin', cpu: 'arm64', programs: [ENGINE] },
]

const named = values.only?.flatMap((names) => names.split(','))
const unknown = named?.find((triple) => !Object.hasOwn(PLATFORMS, triple))
if (unknown !== undefined) end(`There is no platform \`${unknown}\`; there are: ${TRIPLES.join(', ')}.`)
const chosen = named ?? (isDryRun ? TRIPLES.filter((triple) => filesOf(triple) !== undefined) : TRIPLES)
const missing = chosen.filter((triple) => filesOf(triple) === undefined)
if (missing.length > 0) end(`No addon was built for ${missing.join(', ')}. Build them, or name those to pack with \`--only\`.`)
if (chosen.length === 0) end('No addon was built. Run `npm run build` first.')
if (!isDryRun && !values.repository) end('`--repository` is missing: provenance names the repository that a package comes from.')
const refFault = refFaultOf(manifest.version, process.env)
if (!isDryRun && refFault !== undefined) end(refFault)
const hasPolicyModule = buildPolicyModule()
if (!hasPolicyModule && !isDryRun) end('The policy for WebAssembly is missing: `tenon/policy` would not work.')
for (const triple of chosen) {
  const files = filesOf(triple) ?? []
  const fault = faultOf(triple, sizeOf(files))
  if (fault !== undefined) end(fault)
  const glibcFault = glibcFaultOf(triple, files)
  if (glibcFault === undefined) continue
  if (!isDryRun) end(glibcFault)
  console.log(glibcFault)
}

const stage = values.out ? path.resolve(values.out) : mkdtempSync(path.join(tmpdir(), 'tenon-release-'))
mkdirSync(stage, { recursive: true })
try {
  const engines = ENGINES.filter((engine) => programsOf(engine) !== undefined)
  if (!isDryRun && engines.length < ENGINES.length) end('Not every engine was built: `npm run build:engine` builds those for Linux.')
  const packed = [...chosen.map(packPlatform), ...engines.map(packEngine), packMain()]
  for (const { name, file, size } of packed) console.log(`${name}: ${path.basename(file)}, ${inMegabytes(size)}`)
  tryOut(packed)
  if (isDryRun) console.log('\nNothing was published: this was a dry run.')
  // The main package comes last: what it depends on is there by then.
  else publish(packed, manifest.version)
} finally {
  if (!values.out) rmSync(stage, { recursive: true, force: true })
}

/**
 * The files of a platform package, where they were built.
 *
 * @param {string} triple
 * @returns {string[] | undefined}
 */
function filesOf(triple) {
  const wanted = [`tenon.${triple}.node`, ...(PLATFORMS[triple].hasHelper ? [HELPER] : [])]
  for (const directory of directoriesOf(triple)) {
    const files = wanted.map((name) => path.join(directory, name))
    if (files.every((file) => existsSync(file))) return files
  }
  return undefined
}

/** Where parts of a platform may have been built. @param {string} triple */
function directoriesOf(triple) {
  return [path.join(ROOT, 'artifacts', `bindings-${triple}`), ...(triple === thisTriple() ? [path.join(ROOT, 'native')] : [])]
}

/** @param {string} triple */
function packPlatform(triple) {
  const directory = path.join(stage, triple)
  cpSync(path.join(ROOT, 'npm', triple), directory, { recursive: true })
  for (const file of filesOf(triple) ?? []) {
    copyFileSync(file, path.join(directory, path.basename(file)))
    if (path.basename(file) === HELPER) chmodSync(path.join(directory, HELPER), 0o755)
  }
  return packNative(directory, triple, { ...readManifest(directory), version: manifest.version, ...origin(`npm/${triple}`) })
}

/**
 * Packs a package of what was built, with its bill of materials and the licenses of what is in it.
 *
 * @param {string} directory
 * @param {string} triple
 * @param {any} own its manifest
 * @param {string[]} [parts]
 */
function packNative(directory, triple, own, parts) {
  const crates = cratesOf(PLATFORMS[triple].target, parts)
  const without = describe(directory, own, crates)
  console.log(`${own.name}: ${crates.length} crates, ${without.length} without a text of their license`)
  copyFileSync(path.join(ROOT, 'LICENSE'), path.join(directory, 'LICENSE'))
  writeManifest(directory, { ...own, files: [...own.files, BILL, NOTICES, STANDARD_LIBRARY_NOTICES] })
  return pack(directory)
}

/**
 * Writes down beside a program what it is made of, and the licenses of that.
 *
 * @param {string} directory
 * @param {{ name: string, version: string }} about the package
 * @param {any[]} crates
 * @returns {string[]} crates that bring no text of their license
 */
function describe(directory, about, crates) {
  const { text, without } = noticesOf(crates)
  const { version, notices } = standardLibrary()
  writeFileSync(path.join(directory, BILL), `${JSON.stringify(billOf(about, crates, version), null, 2)}\n`)
  writeFileSync(path.join(directory, NOTICES), text)
  if (notices !== undefined) copyFileSync(notices, path.join(directory, STANDARD_LIBRARY_NOTICES))
  else if (!isDryRun) end("The licenses of Rust's standard library are missing in this toolchain.")
  return without
}

/**
 * The directory of an engine, where it was built.
 *
 * @param {typeof ENGINES[number]} engine
 */
function programsOf({ triple, os, cpu, programs }) {
  const native = path.join(ROOT, 'native')
  const own = os === process.platform && cpu === process.arch && os !== 'linux' ? [native] : []
  const directories = [path.join(ROOT, 'artifacts', `bindings-${triple}`), path.join(native, `engine-${os}-${cpu}`), ...own]
  return directories.find((directory) => programs.every((name) => existsSync(path.join(directory, name))))
}

/**
 * The package with an engine. Nothing depends on it, and it can be installed on every system: it runs where it is brought to.
 *
 * @param {typeof ENGINES[number]} engine
 */
function packEngine(engine) {
  const { triple, os, cpu, programs } = engine
  const directory = path.join(stage, `engine-${triple}`)
  mkdirSync(directory, { recursive: true })
  for (const name of programs) {
    copyFileSync(path.join(/** @type {string} */ (programsOf(engine)), name), path.join(directory, name))
    chmodSync(path.join(directory, name), 0o755)
  }
  const isStatic = os === 'linux'
  if (isStatic) copyFileSync(path.join(ROOT, 'npm', MUSL_NOTICES), path.join(directory, MUSL_NOTICES))
  const { version, license, keywords, engines } = manifest
  const description = `The engine of tenon as a program for ${os} on ${cpu}${isStatic ? ', static: for every C library' : ''}.`
  const files = [...programs, ...(isStatic ? [MUSL_NOTICES] : [])]
  const own = { name: `@tenon/engine-${triple}`, version, description, keywords, license, engines, files, ...origin() }
  writeFileSync(path.join(directory, 'README.md'), `# \`${own.name}\`\n\n${description} See \`docs/remote.md\` of the package \`tenon\`.\n`)
  return packNative(directory, triple, own, ENGINE_PARTS)
}

/** The package itself, as it would be packed here, with what only a release has. */
function packMain() {
  const { file } = pack(ROOT)
  const directory = path.join(stage, 'main')
  mkdirSync(directory, { recursive: true })
  execFileSync('tar', ['-xzf', file, '-C', directory, '--strip-components', '1'])
  rmSync(file)
  if (hasPolicyModule) describe(path.join(directory, 'wasm'), manifest, cratesOf('wasm32-unknown-unknown', ['tenon-judge']))
  const { scripts: _scripts, devDependencies: _development, napi: _napi, ...own } = readManifest(directory)
  // Bundlers for the edge import the file itself. Only here, since no clone has it before it is built.
  if (hasPolicyModule) own.exports['./policy.wasm'] = './wasm/tenon-policy.wasm'
  const optionalDependencies = Object.fromEntries(TRIPLES.map((triple) => [readManifest(path.join(ROOT, 'npm', triple)).name, manifest.version]))
  writeManifest(directory, { ...own, optionalDependencies, ...origin() })
  return pack(directory)
}

/**
 * Where a package comes from.
 *
 * @param {string} [directory]
 */
function origin(directory) {
  const url = values.repository?.replace(/\/+$/, '').replace(/\.git$/, '')
  if (url === undefined) return {}
  return { repository: { type: 'git', url: `git+${url}.git`, ...(directory && { directory }) }, homepage: `${url}#readme`, bugs: { url: `${url}/issues` } }
}

/** @param {string} directory @returns {{ name: string, file: string, size: number }} */
function pack(directory) {
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', stage], {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: SHELL,
  })
  const [{ name, filename }] = JSON.parse(output)
  const file = path.join(stage, filename)
  return { name, file, size: statSync(file).size }
}

/**
 * Installs the tarballs into an empty project and uses them there.
 *
 * @param {{ name: string, file: string }[]} packed
 */
function tryOut(packed) {
  const project = mkdtempSync(path.join(tmpdir(), 'tenon-tried-'))
  try {
    const own = packed.filter(({ name }) => [manifest.name, `@tenon/${thisTriple()}`].includes(name))
    if (own.length < 2) return console.log(`\nNot tried: the addon of this machine (${thisTriple()}) is not among those that were packed.`)
    writeFileSync(
      path.join(project, 'package.json'),
      JSON.stringify({ name: 'tried', private: true, dependencies: Object.fromEntries(own.map(({ name, file }) => [name, `file:${file}`])) }),
    )
    // The other platforms are not at the registry yet.
    execFileSync('npm', ['install', '--omit=optional', '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd: project, stdio: 'inherit', shell: SHELL })
    const installed = path.join(project, 'node_modules', manifest.name)
    const bin = path.join(installed, 'bin', 'tenon.js')
    writeFileSync(path.join(project, 'a.txt'), 'hello\n')
    const entries = Object.keys(manifest.exports).filter((name) => !/\.(json|wasm)$/.test(name) && !PEERS.includes(name))
    const names = JSON.stringify(entries.map((name) => path.posix.join(manifest.name, name)))
    console.log('')
    attempt('doctor', [bin, 'doctor'], /Everything works|It works, with/)
    attempt('a call', [bin, 'call', 'read', 'a.txt'], /^hello$/m)
    attempt('a command', [bin, 'call', 'exec', 'echo $((6 * 7))'], /^42$/m)
    attempt('a rule', [bin, 'explain', 'exec', 'rm -rf x'], /^allow/)
    if (hasPolicyModule) {
      const decide =
        "loadPolicyEngine().then((engine) => console.log(engine.compile({ permissions: { deny: ['Bash(rm:*)'] } }).decide('exec', { command: 'rm x' }).verdict))"
      attempt('the policy alone, CommonJS', ['-e', `const { loadPolicyEngine } = require('tenon/policy'); ${decide}`], /^deny$/m)
      attempt('the policy alone, ESM', ['--input-type=module', '-e', `import { loadPolicyEngine } from 'tenon/policy'; await ${decide}`], /^deny$/m)
    }
    attempt('the page in a file', [bin, 'inspect', '--html', 'page.html'], /Wrote/)
    attempt('every entry, CommonJS', ['-e', `for (const name of ${names}) if (Object.keys(require(name)).length === 0) throw new Error(name)`])
    attempt('every entry, ESM', [
      '--input-type=module',
      '-e',
      `for (const name of ${names}) if (Object.keys(await import(name)).length === 0) throw new Error(name)`,
    ])
    for (const file of [
      'README.md',
      'LICENSE',
      'SECURITY.md',
      'CHANGELOG.md',
      'llms.txt',
      'docs/recipes.md',
      'docs/dialects/agent.md',
      'docs/images/inspect-timeline.png',
      'skills/tenon/SKILL.md',
    ]) {
      if (!existsSync(path.join(installed, file))) end(`The package has no \`${file}\`.`)
    }
    const optional = readManifest(installed).optionalDependencies
    if (Object.keys(optional).length !== TRIPLES.length) end('The package does not name every platform package.')

    /** @param {string} title @param {string[]} args @param {RegExp} [expected] */
    function attempt(title, args, expected = /^/) {
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8', timeout: 120_000 })
      if (status !== 0 || !expected.test(stdout)) end(`${title} failed (${status}):\n${stdout}${stderr}`)
      console.log(`  ✓ ${title}`)
    }
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

function thisTriple() {
  const { glibcVersionRuntime } = /** @type {any} */ (process.report.getReport()).header
  const tail = process.platform === 'linux' ? (glibcVersionRuntime ? '-gnu' : '-musl') : process.platform === 'win32' ? '-msvc' : ''
  return `${process.platform}-${process.arch}${tail}`
}

/** @param {string} directory */
function readManifest(directory) {
  return JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'))
}

/** @param {string} directory @param {object} value */
function writeManifest(directory, value) {
  writeFileSync(path.join(directory, 'package.json'), `${JSON.stringify(value, null, 2)}\n`)
}

/** @param {string} message @returns {never} */
function end(message) {
  console.error(`release: ${message}`)
  process.exit(1)
}
