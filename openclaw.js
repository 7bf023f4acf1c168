// @ts-check
'use strict'

module.exports = require('./js/adapters/openclaw.js')
