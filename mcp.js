// @ts-check
'use strict'

module.exports = require('./js/mcp/index.js')
