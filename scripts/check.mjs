// npm run check: everything that is judged without running the product.

import process from 'node:process'

import { HELPER_FLAGS, install, run, runLocal } from './steps.mjs'

install()
run('format', 'cargo', ['fmt', '--all', '--check'])
run('clippy', 'cargo', ['clippy', '--workspace', '--all-targets', '--', '-D', 'warnings'])
if (process.platform === 'linux') {
  run('clippy of the helper program', 'cargo', ['clippy', '--package', 'tenon-helper', ...HELPER_FLAGS, '--bins', '--', '-D', 'warnings'])
}
// In a log that is no terminal, colours hide what was wrong.
runLocal('format and lint of JavaScript', 'biome', ['ci', '--error-on-warnings', ...(process.stdout.isTTY ? [] : ['--colors=off'])])
run('house rules', 'cargo', ['xtask', 'check'])
run('generated files', 'cargo', ['xtask', 'codegen', '--mode', 'check'])
run('the reference of options', process.execPath, ['scripts/options-page.mjs', '--check'])
runLocal('types', 'tsc', ['--project', 'tsconfig.json'])
runLocal('package', 'publint', ['--strict'])
runLocal('types of the package', 'attw', ['--pack', '.', '--profile', 'node16'])
