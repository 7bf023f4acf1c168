// Runs a test program, as cargo's `runner`, and ends it when it takes so long that it hangs: a run that never ends says nothing.

import { spawn } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** The slowest of them takes four minutes on a loaded machine. */
const MINUTES = 12
/** What `timeout(1)` exits with. */
const TIMED_OUT = 124
/** What is printed of a program that was ended; `cargo-test.mjs` looks for it. */
export const HUNG = 'hangs, and was ended: '

/** @param {string[]} words the program and its arguments */
function runLimited([program, ...args]) {
  // With what it has started: that holds the pipe of the output open.
  const isGroup = process.platform !== 'win32'
  const tests = spawn(program, args, { stdio: 'inherit', detached: isGroup })
  /** @param {NodeJS.Signals} signal */
  const kill = (signal) => {
    if (!isGroup || tests.pid === undefined) return void tests.kill(signal)
    try {
      process.kill(-tests.pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
  const timer = setTimeout(() => {
    console.log(`\n${HUNG}${program}, after ${MINUTES} minutes`)
    process.exitCode = TIMED_OUT
    kill('SIGKILL')
  }, MINUTES * 60_000)
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => kill(signal))
  tests.on('error', (error) => {
    console.error(`${program} cannot be run: ${error.message}`)
    process.exitCode = 1
  })
  tests.on('exit', (status, signal) => {
    clearTimeout(timer)
    if (signal && process.exitCode !== TIMED_OUT) {
      // Cargo names the signal.
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    }
    process.exitCode ??= status ?? 1
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runLimited(process.argv.slice(2))
