// Builds the native part for other platforms on this one: Rust's targets, with zig as the C compiler and linker.
//
//   node scripts/cross.mjs [--only linux-arm64-gnu,darwin-arm64] [--profile cross] [--accept-sizes] [--check]
//
// The profile `cross` is for trying; what is published, and has a size, is `release`.
//
// The targets must be installed (`rustup target add`); zig and cargo-zigbuild are installed from PyPI into a cache directory.
// What is built goes to `artifacts/bindings-<platform>/`, where `scripts/release.mjs` takes it from.

import { chmodSync, copyFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

import { builtHelper } from './other-platform.mjs'
import { PLATFORMS } from './platforms.mjs'
import { acceptSizes, faultOf, inMegabytes, sizeOf } from './sizes.mjs'
import { end, HELPER, ROOT } from './steps.mjs'
import { cargo, linkedToNode, prepare, targetDirectory } from './zig.mjs'

/** Sizes are compared for what is published. */
const PUBLISHED = 'release'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    profile: { type: 'string', default: PUBLISHED },
    'accept-sizes': { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})
const profile = String(values.profile)
const wanted = values.only?.split(',') ?? Object.keys(PLATFORMS)
for (const triple of wanted) if (!Object.hasOwn(PLATFORMS, triple)) end(`There is no platform \`${triple}\`; there are: ${Object.keys(PLATFORMS).join(', ')}.`)

prepare(wanted.map((triple) => PLATFORMS[triple]))
/** @type {Record<string, import('./sizes.mjs').Size>} */
const sizes = {}
for (const triple of wanted)
  if (!values.check) sizes[triple] = sizeOf(builtFor(triple))
  else cargo(`checking ${triple}`, PLATFORMS[triple], 'check', ['--package', 'tenon'])

console.log('')
for (const [triple, { unpacked, packed }] of Object.entries(sizes)) console.log(`${triple}: ${inMegabytes(unpacked)}, ${inMegabytes(packed)} packed`)
if (profile === PUBLISHED) {
  const faults = Object.entries(sizes).flatMap(([triple, size]) => faultOf(triple, size) ?? [])
  if (values['accept-sizes']) acceptSizes(sizes)
  else if (faults.length > 0) end(faults.join('\n'))
}

/**
 * Builds the parts of a platform.
 *
 * @param {string} triple
 * @returns {string[]} the files of its package
 */
function builtFor(triple) {
  const platform = PLATFORMS[triple]
  const output = path.join(ROOT, 'artifacts', `bindings-${triple}`)
  mkdirSync(output, { recursive: true })
  const files = []
  /** @param {string} from @param {string} name @param {number} mode */
  const take = (from, name, mode) => {
    const file = path.join(output, name)
    copyFileSync(from, file)
    chmodSync(file, mode)
    return file
  }
  cargo(`building the addon for ${triple}`, platform, 'rustc', ['--package', 'tenon', '--lib', '--profile', profile, ...linkedToNode(platform)])
  files.push(take(path.join(targetDirectory(platform, profile), platform.library), `tenon.${triple}.node`, 0o644))
  if (platform.hasHelper) files.push(take(builtHelper(triple), HELPER, 0o755))
  return files
}
