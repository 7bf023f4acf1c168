// npm start: installs, builds the release addon and runs a short agent session over this repository.

import process from 'node:process'

import { build, install, run } from './steps.mjs'

install()
build('release', { engine: false })
run('an agent session', process.execPath, ['examples/agent-session.mjs'])
