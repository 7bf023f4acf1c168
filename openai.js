// @ts-check
'use strict'

module.exports = require('./js/adapters/openai.js')
