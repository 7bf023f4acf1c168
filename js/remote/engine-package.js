// @ts-check
'use strict'

const { existsSync } = require('node:fs')
const path = require('node:path')

const ENGINE = 'tenon-engine'
/** The directory of this file; bundles of ES modules have none. */
const HERE = typeof __dirname === 'string' ? __dirname : undefined

/** The packages with the engine as a program, static on Linux: for every C library, and for none. Not dependencies: users install the one that they need. */
const PACKAGES = /** @type {Record<string, string>} */ ({
  'linux-x64': '@tenon/engine-linux-x64-musl',
  'linux-arm64': '@tenon/engine-linux-arm64-musl',
  'darwin-x64': '@tenon/engine-darwin-x64',
  'darwin-arm64': '@tenon/engine-darwin-arm64',
})

/**
 * The directory with the engine for a platform, such as `linux-x64`: of its package, or as this project has built it.
 *
 * @param {string} platform
 * @returns {string}
 */
function engineDirectory(platform) {
  const name = PACKAGES[platform]
  if (name === undefined) throw new Error(`There is no engine as a program for ${platform}.`)
  const { createRequire } = require('node:module')
  const from = createRequire(HERE === undefined ? path.join(process.cwd(), 'tenon') : path.join(HERE, 'engine-package.js'))
  try {
    return path.dirname(from.resolve(`${name}/${ENGINE}`))
  } catch {
    const built = builtIn(platform)
    if (built !== undefined) return built
    throw new Error(`The engine as a program for ${platform} is not installed. Install it: npm install ${name}.`)
  }
}

/**
 * Where this project has built one.
 *
 * @param {string} platform
 */
function builtIn(platform) {
  if (HERE === undefined) return undefined
  const native = path.join(HERE, '..', '..', 'native')
  const own = `${process.platform}-${process.arch}` === platform ? [native] : []
  return [path.join(native, `engine-${platform}`), ...own].find((directory) => existsSync(path.join(directory, ENGINE)))
}

module.exports = { engineDirectory }
