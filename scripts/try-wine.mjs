// Runs the tests of the main crates on Windows as wine has it.
//
//   node scripts/try-wine.mjs --into DIR [--resume] [--programs 'store,policy: decisions'] [--wine /usr/lib/wine/wine64]
//
// Needs Debian's `wine64`. `--into` is emptied, and `engine.log` kept there; with `--resume` what has come to its end by that log is not
// run again until it is built again.

import { spawnSync } from 'node:child_process'
import { appendFileSync, closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import { PLATFORMS } from './platforms.mjs'
import { end, ROOT } from './steps.mjs'
import { beginning, ending, notEnded, PROGRAM_SECONDS, report, testPrograms } from './test-programs.mjs'
import { prepare, zig } from './zig.mjs'

const PLATFORM = PLATFORMS['win32-x64-msvc']
/** The random numbers of Rust's standard library come from a library that wine has since version 9. It has this function only. */
const LIBRARY = 'bcryptprimitives.dll'
const FUNCTION = `
unsigned char __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, unsigned long long length) {
  return SystemFunction036(bytes, (unsigned long)length);
}
`

const { values } = parseArgs({
  options: {
    into: { type: 'string' },
    wine: { type: 'string', default: '/usr/lib/wine/wine64' },
    resume: { type: 'boolean', default: false },
    programs: { type: 'string' },
  },
})
if (!values.into) end('`--into` is missing.')
const into = path.resolve(values.into)
const env = {
  ...process.env,
  WINEPREFIX: path.join(into, 'prefix'),
  WINEDEBUG: '-all',
  INSTA_WORKSPACE_ROOT: ROOT,
  PROPTEST_RNG_SEED: '20261120',
}

const log = path.join(into, 'engine.log')

prepare([PLATFORM])
const programs = testPrograms(PLATFORM, values.programs)
if (!values.resume) rmSync(into, { recursive: true, force: true })
mkdirSync(into, { recursive: true })
if (!existsSync(log)) {
  makePrefix()
  writeFileSync(log, '')
}
for (const program of notEnded(programs, readFileSync(log, 'utf8'))) {
  const { directory, title, file } = program
  console.log(title)
  const output = path.join(into, 'output.log')
  const status = run([file], { cwd: directory, log: output, more: { CARGO_MANIFEST_DIR: directory } })
  appendFileSync(log, `${beginning(program)}\n${readFileSync(output, 'utf8')}\n${ending(status ?? 'killed')}\n`)
}
process.exitCode = report(programs, readFileSync(log, 'utf8')) === 0 ? 0 : 1

/** A Windows of its own, with the library that wine may lack. */
function makePrefix() {
  const source = path.join(into, 'random.c')
  writeFileSync(source, FUNCTION)
  const library = path.join(into, LIBRARY)
  zig(['cc', '-target', 'x86_64-windows-gnu', '-shared', '-o', library, source, '-ladvapi32'])
  if (run(['wineboot', '-i'], { cwd: into, log: path.join(into, 'boot.log') }) !== 0)
    end(`wine cannot be run: install Debian's \`wine64\`, or name it with \`--wine\`.`)
  copyFileSync(library, path.join(into, 'prefix', 'drive_c', 'windows', 'system32', LIBRARY))
}

/**
 * Runs a program under wine. It writes to a file: pipes of wine's programs are none of this system.
 *
 * @param {string[]} args
 * @param {{ cwd: string, log: string, more?: Record<string, string> }} options
 */
function run(args, { cwd, log, more }) {
  const file = openSync(log, 'w')
  const { status } = spawnSync(String(values.wine), args, {
    cwd,
    env: { ...env, ...more },
    stdio: ['ignore', file, file],
    timeout: PROGRAM_SECONDS * 1000,
    killSignal: 'SIGKILL',
  })
  closeSync(file)
  return status
}
