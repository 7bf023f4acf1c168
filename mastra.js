// @ts-check
'use strict'

module.exports = { ...require('./js/adapters/mastra.js'), ...require('./js/adapters/mastra-workspace.js') }
