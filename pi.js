// @ts-check
'use strict'

module.exports = require('./js/adapters/pi.js')
