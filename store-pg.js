// @ts-check
'use strict'

const { PgStore } = require('./js/store/pg.js')

module.exports = { PgStore }
