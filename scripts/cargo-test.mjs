// All tests of Rust. One that fails is run once more, alone: on a loaded machine a test that starts a browser or watches a clock can fail
// for want of time. One that fails twice fails the run; one that passes then is named, so that somebody looks at it. The same holds of one that
// hangs.

import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'

import { HUNG } from './limited.mjs'
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

/** Makes cargo run each test program through `limited.mjs`. */
function runner() {
  const { CARGO_BUILD_TARGET: target } = cargoEnv()
  if (!target) return {}
  const name = `CARGO_TARGET_${target.toUpperCase().replaceAll('-', '_')}_RUNNER`
  // Cargo parts the words at spaces and has no quotes for them.
  const words = [process.execPath, path.join(ROOT, 'scripts', 'limited.mjs')]
  return process.env[name] || words.some((word) => word.includes(' ')) ? {} : { [name]: words.join(' ') }
}

/**
 * What of the output has to be run again: the arguments that cargo names for each failed target, the names of the failed tests, and of those
 * in programs that were ended because they hung.
 *
 * @param {string} output
 */
function failuresOf(output) {
  const text = output.replace(COLORS, '')
  const targets = new Set([...text.matchAll(/`(-p [^`]+)`/g)].map(([, words]) => words))
  const names = new Set([...text.matchAll(/^test (.+?)(?: - should panic)? \.\.\. FAILED$/gm)].map(([, name]) => name))
  const slow = [...text.matchAll(/^test (.+?) has been running for over 60 seconds$/gm)].map(([, name]) => name)
  const hung = text.includes(`\n${HUNG}`) ? slow.filter((name) => !text.includes(`\ntest ${name} ... `)) : []
  return { targets: [...targets], names: [...names], hung }
}

/**
 * Runs every test, and once more what failed. Ends the process when that fails too.
 *
 * @param {NodeJS.ProcessEnv} extra
 */
export async function cargoTest(extra) {
  console.log('\n== cargo test')
  const env = { ...process.env, ...cargoEnv(), ...(process.stdout.isTTY ? { CARGO_TERM_COLOR: 'always' } : {}), ...runner(), ...extra }
  const { status, text } = await runAll(env)
  if (status === 0) return
  const { targets, names, hung } = failuresOf(text)
  if (names.length + hung.length === 0) end(`cargo test: failed (${status})`)
  console.log(`\n== once more, alone: ${[...names, ...hung].join(', ')}`)
  // One that hangs keeps others from being run.
  const only = hung.length > 0 ? [] : ['--exact', ...names]
  for (const target of targets) {
    const words = ['test', ...target.split(' '), '--', '--test-threads', '1', ...only]
    const again = spawnSync('cargo', words, { cwd: ROOT, stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8', env })
    process.stdout.write(again.stdout)
    // A target of which no test ran failed for another reason, such as a signal.
    const ran = /^test result: .*\b[1-9]\d* passed/m.test(again.stdout.replace(COLORS, ''))
    if (again.status !== 0 || !ran) end(`cargo test: failed (${again.status ?? again.signal}): ${target}`)
  }
  for (const name of names) console.log(`unsteady: ${name} failed once, and passed alone`)
  for (const name of hung) console.log(`unsteady, it hung: ${name}`)
}
