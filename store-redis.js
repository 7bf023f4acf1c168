// @ts-check
'use strict'

const { RedisStore } = require('./js/store/redis.js')

module.exports = { RedisStore }
