#!/usr/bin/env node
// @ts-check
'use strict'

const { main } = require('../js/command-line.js')

// A reader that closes early, such as `head`, is not a failure.
process.stdout.on('error', (error) => {
  if (/** @type {any} */ (error).code !== 'EPIPE') throw error
})

main(process.argv.slice(2)).then((code) => {
  // Not process.exit(): what was written to a pipe must be flushed.
  process.exitCode = code
})
