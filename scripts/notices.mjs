// What the native part is made of: a bill of materials (CycloneDX) and the licenses of its crates, from `cargo metadata`.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

import { ROOT } from './steps.mjs'

/** Packages of the workspace that end up in a platform package. */
const PARTS = ['tenon', 'tenon-helper']
/** What Rust brings of the licenses of its standard library. */
const STANDARD_LIBRARY = 'share/doc/rust/COPYRIGHT-library.html'
const LICENSE_FILE = /^(licen[cs]e|copying|notice|unlicense)([-._].*)?$/i

/**
 * The crates from elsewhere that are linked into the parts for one target, by name.
 *
 * @param {string} target such as `x86_64-unknown-linux-gnu`
 * @param {string[]} [parts] packages of the workspace
 */
export function cratesOf(target, parts = PARTS) {
  const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform', target]
  const metadata = JSON.parse(execFileSync('cargo', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] }))
  const packages = new Map(metadata.packages.map((/** @type {any} */ one) => [one.id, one]))
  const nodes = new Map(metadata.resolve.nodes.map((/** @type {any} */ one) => [one.id, one]))
  const reached = new Set()
  const visit = (/** @type {string} */ id) => {
    if (reached.has(id)) return
    reached.add(id)
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      // What only builds or tests is not shipped.
      if (kinds.some((/** @type {any} */ { kind }) => kind === null)) visit(pkg)
    }
  }
  for (const one of metadata.packages) if (parts.includes(one.name) && one.source === null) visit(one.id)
  const foreign = [...reached].map((id) => packages.get(id)).filter((one) => one.source !== null)
  return foreign.sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
}

/**
 * Rust's standard library, which is in every program.
 *
 * @returns {{ version: string, notices: string | undefined }} the file with its licenses, where the toolchain has one
 */
export function standardLibrary() {
  const said = (/** @type {string[]} */ args) => execFileSync('rustc', args, { encoding: 'utf8' }).trim()
  const [, version = 'unknown'] = said(['--version']).split(' ')
  const notices = path.join(said(['--print', 'sysroot']), STANDARD_LIBRARY)
  return { version, notices: existsSync(notices) ? notices : undefined }
}

/**
 * A bill of materials of one platform package.
 *
 * @param {{ name: string, version: string }} about
 * @param {any[]} crates
 * @param {string} rust the version of Rust's standard library
 */
export function billOf({ name, version }, crates, rust) {
  const components = crates.map((crate) => component(`pkg:cargo/${crate.name}@${crate.version}`, crate))
  components.push(component(`pkg:generic/rust-std@${rust}`, { name: 'rust-std', version: rust, license: 'MIT OR Apache-2.0' }))
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ expression: 'MIT' }] } },
    components,
    dependencies: [{ ref: purl, dependsOn: components.map(({ purl }) => purl) }],
  }
}

/**
 * @param {string} purl
 * @param {{ name: string, version: string, license?: string }} about
 */
function component(purl, { name, version, license }) {
  const licenses = license && { licenses: [{ expression: license.replaceAll('/', ' OR ') }] }
  return { type: 'library', 'bom-ref': purl, name, version, purl, ...licenses }
}

/**
 * The licenses of the crates: each text once, with those that it holds for.
 *
 * @param {any[]} crates
 * @returns {{ text: string, without: string[] }} `without`: crates that bring no text of their license
 */
export function noticesOf(crates) {
  /** @type {Map<string, { names: string[], text: string }>} */
  const texts = new Map()
  const without = []
  for (const crate of crates) {
    const directory = path.dirname(crate.manifest_path)
    const files = readdirSync(directory).filter((file) => LICENSE_FILE.test(file))
    const name = `${crate.name} ${crate.version} (${crate.license ?? 'see its text'})`
    if (files.length === 0) without.push(name)
    for (const file of files) {
      const text = readFileSync(path.join(directory, file), 'utf8').trim().replace(/\r\n/g, '\n')
      const digest = createHash('sha256').update(text.replace(/\s+/g, ' ')).digest('hex')
      const known = texts.get(digest)
      if (known) known.names.push(name)
      else texts.set(digest, { names: [name], text })
    }
  }
  const parts = [...texts.values()].map(({ names, text }) => `${[...new Set(names)].join('\n')}\n\n${text}\n`)
  const bare = without.length === 0 ? [] : [`These bring no text of their own; the text of the named license holds for them:\n\n${without.join('\n')}\n`]
  return { text: ['This part of tenon contains the following software.\n', ...parts, ...bare].join(`\n${'-'.repeat(80)}\n\n`), without }
}
