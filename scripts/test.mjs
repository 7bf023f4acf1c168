// npm test: installs, builds and runs every test.

import process from 'node:process'

import { build, install, run, runLocal } from './steps.mjs'

install()
run('cargo test', 'cargo', ['test'])
build('debug')
runLocal('vitest', 'vitest', ['run'])
runLocal('jest', 'jest', [])
runLocal('types', 'tsc', ['--project', 'tsconfig.json'])
run('the packed package', process.execPath, ['__test__/packed/run.mjs'])
