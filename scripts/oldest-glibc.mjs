// The oldest glibc that a package is for: the one behind the target in `scripts/platforms.mjs`. What was built on a newer system than that needs
// the newer glibc, which is only seen where it is missing.

import { readFileSync } from 'node:fs'

import { PLATFORMS } from './platforms.mjs'

/**
 * What is wrong with files that need a newer glibc than their platform is for.
 *
 * @param {string} triple
 * @param {string[]} files
 * @returns {string | undefined}
 */
export function glibcFaultOf(triple, files) {
  const [, oldest] = /-gnu\.2\.(\d+)$/.exec(PLATFORMS[triple].crossTarget) ?? []
  if (oldest === undefined) return undefined
  const minors = files.flatMap((file) => [...readFileSync(file, 'latin1').matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor)))
  const newest = Math.max(0, ...minors)
  if (newest <= Number(oldest)) return undefined
  return `${triple} needs glibc 2.${newest}, and its package is for 2.${oldest}. Build it for that: node scripts/cross.mjs --only ${triple}.`
}
