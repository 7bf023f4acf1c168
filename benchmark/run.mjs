// Runs the benchmarks: `npm run bench`, or `npm run bench -- grep read --large`. With `--save` the figures replace those
// of the same cases in `docs/performance/`, tables and plots with them.

import { fork } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { contenders } from './corpora.mjs'
import { tables } from './measure.mjs'
import { publish, save } from './publish.mjs'

const CASES = ['toolkit', 'call', 'decide', 'read', 'edit', 'grep', 'glob', 'exec', 'remote', 'web']
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { large: { type: 'boolean', default: false }, save: { type: 'boolean', default: false }, part: { type: 'string' } },
})
const unknown = positionals.filter((name) => !CASES.includes(name))
if (unknown.length > 0) {
  console.error(`Unknown benchmark ${unknown.join(', ')}. Known are ${CASES.join(', ')}.`)
  process.exit(2)
}

/** Runs one part of a case in a process of its own: what the contenders of another left in memory makes Node spawn slowly. */
function measured(name, part) {
  return new Promise((resolve, reject) => {
    const found = []
    const child = fork(fileURLToPath(import.meta.url), [name, '--part', part])
    child.on('message', (table) => found.push(table))
    child.on('error', reject).on('exit', (code) => (code === 0 ? resolve(found) : reject(new Error(`The benchmark ${name} (${part}) ended with ${code}.`))))
  })
}

if (values.part === undefined) {
  contenders()
  const machine = `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`
  console.log(`${machine}. Medians; the last column is the ratio to the yardstick (first row).`)
  for (const name of positionals.length > 0 ? positionals : CASES) {
    const { parts } = await import(`./cases/${name}.mjs`)
    const found = []
    for (const part of parts?.(values) ?? ['all']) found.push(...(await measured(name, part)))
    if (values.save) {
      save(name, machine, found)
      publish()
    }
  }
} else {
  const { run } = await import(`./cases/${positionals[0]}.mjs`)
  await run(values.part)
  for (const table of tables) process.send(table)
  process.disconnect()
}
