// Publishes packed packages with provenance, in their order.

import { execFileSync, spawnSync } from 'node:child_process'
import process from 'node:process'

const SHELL = process.platform === 'win32'

/**
 * What is at the registry already is skipped: a run that failed halfway can be repeated.
 *
 * @param {{ name: string, file: string }[]} packed
 * @param {string} version
 */
export function publish(packed, version) {
  for (const { name, file } of packed) {
    if (isPublished(name, version)) console.log(`${name}: ${version} is published already`)
    else execFileSync('npm', ['publish', file, '--access', 'public', '--provenance'], { stdio: 'inherit', shell: SHELL })
  }
}

/**
 * What a release may not be made of, by the variables of the workflow; nothing where there is no workflow.
 *
 * @param {string} version
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} the fault
 */
export function refFaultOf(version, { GITHUB_REF_TYPE: type, GITHUB_REF_NAME: name }) {
  if (type === undefined || (type === 'tag' && name === `v${version}`)) return undefined
  return `The version ${version} is published from the tag \`v${version}\`, and this is the ${type} \`${name}\`.`
}

/** @param {string} name @param {string} version */
function isPublished(name, version) {
  // The registry answers with an error where there is no such package, and with nothing where it has no such version.
  const { stdout } = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8', shell: SHELL })
  return stdout?.trim() === version
}
