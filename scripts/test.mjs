// npm test: installs, builds and runs every test.

import process from 'node:process'

import { cargoTest } from './cargo-test.mjs'
import { installCodeServer } from './code-server.mjs'
import { installFrameworks } from './frameworks.mjs'
import { installLanguageServers } from './language-servers.mjs'
import { installMcpSuite } from './mcp-suite.mjs'
import { build, install, run, runLocal } from './steps.mjs'

install()
const servers = installLanguageServers()
console.log(`\n== language servers in ${servers.directory}`)
for (const fault of servers.missing) console.log(`not installed, so its tests are skipped: ${fault}`)
const missing = installMcpSuite()
if (missing) console.log(`the MCP conformance suite is not installed, so its tests are skipped: ${missing}`)
const noEditor = installCodeServer()
if (noEditor) console.log(`VS Code is not installed, so its tests are skipped: ${noEditor}`)
for (const fault of installFrameworks(Boolean(process.env.TENON_REAL_CLIENTS))) console.log(`not installed, so its tests are skipped: ${fault}`)
// One seed for every run: a red test is red again. Set another to look further.
await cargoTest({ PROPTEST_RNG_SEED: process.env.PROPTEST_RNG_SEED ?? '20261120' })
build('debug')
runLocal('vitest', 'vitest', ['run'])
runLocal('jest', 'jest', [])
runLocal('types', 'tsc', ['--project', 'tsconfig.json'])
run('the packed package', process.execPath, ['__test__/packed/run.mjs'])
