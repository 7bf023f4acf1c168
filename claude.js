// @ts-check
'use strict'

module.exports = { ...require('./js/adapters/claude.js'), ...require('./js/agents/claude.js') }
