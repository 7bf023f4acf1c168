// @ts-check
'use strict'

module.exports = { ...require('./js/ai-sdk.js'), ...require('./js/adapters/ai-sandbox.js'), ...require('./js/agents/ai-sdk.js') }
