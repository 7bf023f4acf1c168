// npm run bench: installs, builds the release addon and runs the benchmarks, side by side with what a user would pick instead.

import process from 'node:process'

import { build, install, run } from './steps.mjs'

install()
build('release', { engine: false })
run('benchmarks', process.execPath, ['benchmark/run.mjs', ...process.argv.slice(2)])
