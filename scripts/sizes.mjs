// How large the native part of each platform may be: `npm/sizes.json`, in bytes, which only shrinks.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

import { ROOT } from './steps.mjs'

const FILE = path.join(ROOT, 'npm', 'sizes.json')
/** By how much an addon may be larger than what was written down, in bytes. */
const SLACK = 1_000_000

/** @typedef {{ unpacked: number, packed: number }} Size */

/**
 * What files take on the disk, and as npm packs them.
 *
 * @param {string[]} files
 * @returns {Size}
 */
export function sizeOf(files) {
  const contents = files.map((file) => readFileSync(file))
  const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, number) => total + number, 0)
  return { unpacked: sum(contents.map(({ length }) => length)), packed: sum(contents.map((content) => gzipSync(content, { level: 9 }).length)) }
}

/** @returns {Record<string, Size>} */
function knownSizes() {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

/**
 * What is wrong with the size of a platform; nothing where it is within its limit, or none is known.
 *
 * @param {string} triple
 * @param {Size} size
 * @param {Record<string, Size>} [known]
 */
export function faultOf(triple, size, known = knownSizes()) {
  const limit = known[triple]
  if (limit === undefined) return undefined
  for (const kind of /** @type {const} */ (['unpacked', 'packed'])) {
    const over = size[kind] - limit[kind]
    if (over > SLACK) {
      return `${triple} grew by ${inMegabytes(over)} (${kind}, ${inMegabytes(size[kind])} now). Find out why, or accept it: node scripts/cross.mjs --accept-sizes.`
    }
  }
  return undefined
}

/**
 * Writes sizes down.
 *
 * @param {Record<string, Size>} sizes
 */
export function acceptSizes(sizes) {
  const all = Object.entries({ ...knownSizes(), ...sizes }).sort(([a], [b]) => a.localeCompare(b))
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
}

/** @param {number} bytes */
export function inMegabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
