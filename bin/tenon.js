#!/usr/bin/env node
// @ts-check
'use strict'

const { main } = require('../js/command-line.js')

// A reader that closes early, such as `head`, is not a failure.
process.stdout.on('error', (error) => {
  if (/** @type {any} */ (error).code === 'EPIPE') return
  // A full disk, for example. What would follow cannot be written either.
  process.stderr.write(`tenon: The output could not be written: ${error.message}\n`)
  process.exit(1)
})

main(process.argv.slice(2)).then((code) => {
  // Not process.exit(): what was written to a pipe must be flushed.
  process.exitCode = code
})
