// @ts-check
'use strict'

const { spawn } = require('node:child_process')
const { constants } = require('node:os')

/** Signals that are handed on. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/**
 * Runs the engine as a program, with these arguments and the input and output of this process.
 *
 * @param {readonly string[]} args
 * @returns {Promise<number>} its exit code
 */
function runEngine(args) {
  const { engineProgram } = require('../load.js')
  const child = spawn(engineProgram(), args, { stdio: 'inherit' })
  const forwards = SIGNALS.map((signal) => /** @type {const} */ ([signal, () => void child.kill(signal)]))
  for (const [signal, forward] of forwards) process.on(signal, forward)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      for (const [name, forward] of forwards) process.off(name, forward)
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}

module.exports = { runEngine }
