// @ts-check
'use strict'

const { MemoryStore, checkStore, storeChecks } = require('./js/store/conformance.js')

module.exports = { MemoryStore, checkStore, storeChecks }
