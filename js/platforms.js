// @ts-check
'use strict'

const { loadNative } = require('./load.js')
const { invalidInput, open } = require('./tool-error.js')

/**
 * The API of a platform for each tool of the `canonical` vocabulary, or, with `inverse`, that vocabulary's name for each
 * tool of the platform.
 *
 * @param {import('../index.d.ts').PlatformName} platform
 * @param {{ inverse?: boolean }} [options]
 * @returns {Record<string, string>}
 */
function platformNames(platform, options = {}) {
  require('./unknown-options.js').requireOptions('platformNames', options, ['inverse'])
  const { inverse = false } = options
  if (typeof platform !== 'string') throw invalidInput('platformNames', 'The name of a platform must be a string, such as `opencode`.')
  return open(loadNative().platformNames(platform, inverse === true))
}

module.exports = { platformNames }
