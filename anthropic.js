// @ts-check
'use strict'

const { adapterWith } = require('./js/adapters/anthropic.js')

module.exports = adapterWith(thrownError())

/** The class of errors whose content the SDK hands to the model as it is. */
function thrownError() {
  try {
    // @ts-ignore: an optional peer
    return require('@anthropic-ai/sdk/lib/tools/ToolError').ToolError
  } catch {
    return undefined
  }
}
