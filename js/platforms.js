// @ts-check
'use strict'

const { open } = require('./envelope.js')
const { loadNative } = require('./load.js')
const { invalidInput } = require('./tool-error.js')

/**
 * What the names of tools in the files of another platform are called in the `canonical` vocabulary.
 *
 * @param {import('../index.d.ts').PlatformName} platform
 * @returns {Record<string, string>}
 */
function platformNames(platform) {
  if (typeof platform !== 'string') throw invalidInput('platformNames', 'The name of a platform is a text, such as `opencode`.')
  return open(loadNative().platformNames(platform))
}

module.exports = { platformNames }
