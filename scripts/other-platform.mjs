// What was built for another platform, for the scripts that try it.

import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'

import { PLATFORMS } from './platforms.mjs'
import { end, HELPER, HELPER_FLAGS, ROOT } from './steps.mjs'
import { cargo, ofHelper, targetDirectory } from './zig.mjs'

/**
 * Copies the files of a platform's package, which `scripts/cross.mjs` has built. Ends the process where there are none.
 *
 * @param {string} triple
 * @param {string} directory
 */
export function copyBuilt(triple, directory) {
  if (!Object.hasOwn(PLATFORMS, triple)) end(`There is no platform \`${triple}\`; there are: ${Object.keys(PLATFORMS).join(', ')}.`)
  const artifacts = path.join(ROOT, 'artifacts', `bindings-${triple}`)
  if (!existsSync(artifacts)) end(`Nothing was built for ${triple}: node scripts/cross.mjs --only ${triple}`)
  mkdirSync(directory, { recursive: true })
  for (const file of readdirSync(artifacts)) copyFileSync(path.join(artifacts, file), path.join(directory, file))
  if (PLATFORMS[triple].hasHelper) chmodSync(path.join(directory, HELPER), 0o755)
}

/**
 * Builds the helper program.
 *
 * @param {string} triple
 * @returns {string} the file
 */
export function builtHelper(triple) {
  const helper = ofHelper(PLATFORMS[triple])
  cargo(`building the helper program for ${triple}`, helper, 'zigbuild', ['--package', 'tenon-helper', ...HELPER_FLAGS])
  return path.join(targetDirectory(helper, 'helper'), HELPER)
}
