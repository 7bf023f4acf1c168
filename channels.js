// @ts-check
'use strict'

const { channels, consoleChannel, discord, slack, teams, webhook } = require('./js/channels.js')

module.exports = { channels, consoleChannel, discord, slack, teams, webhook }
