// All tests of Rust. One that fails is run once more, alone: on a loaded machine a test that starts a browser or watches a clock can fail
// for want of time. One that fails twice fails the run; one that passes then is named, so that somebody looks at it.

import { spawn, spawnSync } from 'node:child_process'
import process from 'node:process'

import { ROOT, cargoEnv, end } from './steps.mjs'

const COLORS = /\u001b\[[0-9;]*m/g

/**
 * Runs `cargo test` and shows what it prints.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ status: number | null, text: string }>}
 */
function runAll(env) {
  const tests = spawn('cargo', ['test', '--no-fail-fast'], { cwd: ROOT, stdio: ['inherit', 'pipe', 'pipe'], env })
  let text = ''
  for (const [from, to] of /** @type {const} */ ([
    [tests.stdout, process.stdout],
    [tests.stderr, process.stderr],
  ])) {
    from.setEncoding('utf8')
    from.on('data', (/** @type {string} */ piece) => {
      text += piece
      to.write(piece)
    })
  }
  return new Promise((resolve, reject) => {
    tests.on('error', reject)
    tests.on('close', (status) => resolve({ status, text }))
  })
}

/**
 * What of the output has to be run again: the arguments that cargo names for each failed target, and the names of the failed tests.
 *
 * @param {string} output
 */
export function failuresOf(output) {
  const text = output.replace(COLORS, '')
  const targets = new Set([...text.matchAll(/`(-p [^`]+)`/g)].map(([, words]) => words))
  const names = new Set([...text.matchAll(/^test (.+?)(?: - should panic)? \.\.\. FAILED$/gm)].map(([, name]) => name))
  return { targets: [...targets], names: [...names] }
}

/**
 * Runs every test, and once more what failed. Ends the process when that fails too.
 *
 * @param {NodeJS.ProcessEnv} extra
 */
export async function cargoTest(extra) {
  console.log('\n== cargo test')
  const env = { ...process.env, ...cargoEnv(), ...(process.stdout.isTTY ? { CARGO_TERM_COLOR: 'always' } : {}), ...extra }
  const { status, text } = await runAll(env)
  if (status === 0) return
  const { targets, names } = failuresOf(text)
  if (names.length === 0) end(`cargo test: failed (${status})`)
  console.log(`\n== once more, alone: ${names.join(', ')}`)
  for (const target of targets) {
    const words = ['test', ...target.split(' '), '--', '--exact', '--test-threads', '1', ...names]
    const again = spawnSync('cargo', words, { cwd: ROOT, stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8', env })
    process.stdout.write(again.stdout)
    // A target of which no test ran failed for another reason, such as a signal.
    const ran = /^test result: .*\b[1-9]\d* passed/m.test(again.stdout.replace(COLORS, ''))
    if (again.status !== 0 || !ran) end(`cargo test: failed (${again.status ?? again.signal}): ${target}`)
  }
  for (const name of names) console.log(`unsteady: ${name} failed once, and passed alone`)
}
