// @ts-check
'use strict'

module.exports = require('./js/adapters/mastra.js')
