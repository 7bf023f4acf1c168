// @ts-check
'use strict'

module.exports = {
  ...require('./js/agents/ai-sdk.js'),
  ...require('./js/agents/claude.js'),
  ...require('./js/agents/pi.js'),
}
