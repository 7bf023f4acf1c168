// @ts-check
'use strict'

module.exports = { ...require('./js/adapters/pi.js'), ...require('./js/agents/pi.js') }
