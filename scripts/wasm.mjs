// Builds the policy for WebAssembly (`tenon/policy`) into `wasm/`, where Rust's target for it is installed.
//
//   node scripts/wasm.mjs

import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import { end, ROOT } from './steps.mjs'

const TARGET = 'wasm32-unknown-unknown'
const PROFILE = 'wasm'
/** What the package has. */
const POLICY_MODULE = path.join(ROOT, 'wasm', 'tenon-policy.wasm')

/** Whether Rust's standard library is there for it. */
function hasWasmTarget() {
  const { stdout } = spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' })
  return existsSync(path.join((stdout ?? '').trim(), 'lib', 'rustlib', TARGET))
}

/** Builds the module. @returns {boolean} whether it is there */
export function buildPolicyModule() {
  if (!hasWasmTarget()) {
    console.log(`\nThe policy for WebAssembly is not built: Rust's target is missing. Install it: rustup target add ${TARGET}`)
    return existsSync(POLICY_MODULE)
  }
  console.log('\n== building the policy for WebAssembly')
  const args = ['rustc', '--package', 'tenon-judge', '--crate-type', 'cdylib', '--target', TARGET, '--profile', PROFILE]
  const { status, error } = spawnSync('cargo', args, { cwd: ROOT, stdio: 'inherit' })
  if (error) end(`cargo cannot be run: ${error.message}`)
  if (status !== 0) end(`building the policy for WebAssembly: failed (${status})`)
  mkdirSync(path.dirname(POLICY_MODULE), { recursive: true })
  copyFileSync(path.join(process.env.CARGO_TARGET_DIR ?? path.join(ROOT, 'target'), TARGET, PROFILE, 'tenon_judge.wasm'), POLICY_MODULE)
  const packed = gzipSync(readFileSync(POLICY_MODULE), { level: 9 }).length
  console.log(`${(statSync(POLICY_MODULE).size / 1e6).toFixed(2)} MB, ${(packed / 1e6).toFixed(2)} MB packed`)
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !buildPolicyModule()) process.exitCode = 1
