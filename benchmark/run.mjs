// Runs the benchmarks: `npm run bench`, or `npm run bench -- grep read --large`. With `--save` the figures replace those
// of the same cases in `docs/performance/`, tables and plots with them.

import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'

import { contenders } from './corpora.mjs'
import { tables } from './measure.mjs'
import { publish, save } from './publish.mjs'

const CASES = ['call', 'read', 'edit', 'grep', 'glob', 'exec', 'web']
const { values, positionals } = parseArgs({ allowPositionals: true, options: { large: { type: 'boolean', default: false }, save: { type: 'boolean', default: false } } })
const unknown = positionals.filter((name) => !CASES.includes(name))
if (unknown.length > 0) {
  console.error(`Unknown benchmark ${unknown.join(', ')}. Known are ${CASES.join(', ')}.`)
  process.exit(2)
}

contenders()
const machine = `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`
console.log(`${machine}. Medians; the last column is the ratio to the yardstick (first row).`)
for (const name of positionals.length > 0 ? positionals : CASES) {
  const { run } = await import(`./cases/${name}.mjs`)
  await run(values)
  if (values.save) {
    save(name, machine, tables.splice(0))
    publish()
  }
}
