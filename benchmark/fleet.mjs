// node benchmark/fleet.mjs [--workspaces 200] [--engines 4] [--storm 10000]: many workspaces of one host over many engines, and what becomes of
// them when all connections are lost at once. With `--workspaces 10000 --engines 100` it needs 8 GB and some minutes.
//
// The engines are real, on Unix sockets of this machine. The storm of the third table is computed: so many hosts, an engine that greets so many
// of them a second, and the waits of `js/remote/session.js`.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const require = createRequire(import.meta.url)
const { Toolkit } = require('../index.js')
const { remote, unix } = require('../remote.js')
const { RETRIES_MS, retryAfter } = require('../js/remote/session.js')

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ENGINE = path.join(ROOT, 'native', 'tenon-engine')
const { values } = parseArgs({
  options: { workspaces: { type: 'string', default: '200' }, engines: { type: 'string', default: '4' }, storm: { type: 'string', default: '10000' } },
})
const [workspaces, engineCount, storm] = [Number(values.workspaces), Number(values.engines), Number(values.storm)]
/** As many open or call at the same time. */
const AT_ONCE = 64

const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-fleet-')))
const engines = await Promise.all(Array.from({ length: engineCount }, (_, index) => startEngine(index)))
const toolkits = []
try {
  console.log(`${workspaces} workspaces over ${engineCount} engines, Node.js ${process.version}\n`)
  const pipes = new Set()
  await open(pipes)
  await reconnect(pipes)
  computedStorm()
} finally {
  await each(toolkits, (toolkit) => toolkit.close())
  for (const { child } of engines) child.kill('SIGTERM')
  await Promise.all(engines.map(({ ended }) => ended))
  rmSync(directory, { recursive: true, force: true })
}

async function startEngine(index) {
  const socket = path.join(directory, `${index}.sock`)
  const child = spawn(ENGINE, ['serve', '--listen', `unix:${socket}`], { stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  while (!(await listens(socket))) await new Promise((resolve) => setTimeout(resolve, 20))
  return { socket, child, ended }
}

function listens(socket) {
  return new Promise((resolve) => {
    const stream = connect(socket)
    stream.once('connect', () => {
      stream.destroy()
      resolve(true)
    })
    stream.once('error', () => resolve(false))
  })
}

/** A way to an engine whose connections can be cut from here. */
function cuttable(socket, pipes) {
  const way = unix(socket)
  const open = async (events) => {
    let own
    const pipe = await way.open({
      ...events,
      end: (reason) => {
        pipes.delete(own)
        events.end(reason)
      },
    })
    own = pipe
    pipes.add(own)
    return pipe
  }
  return { name: way.name, open }
}

async function open(pipes) {
  const before = { host: hostMemory(), engines: engineMemory() }
  const since = performance.now()
  await each(
    Array.from({ length: workspaces }, (_, index) => index),
    async (index) => {
      const via = cuttable(engines[index % engines.length].socket, pipes)
      const toolkit = new Toolkit({ workspace: remote({ path: directory, via }) })
      toolkits.push(toolkit)
      await toolkit.ready()
    },
  )
  const opened = performance.now() - since
  const after = { host: hostMemory(), engines: engineMemory() }
  const calls = await timed((toolkit) => toolkit.execute('ls', {}))
  console.log('| opening | |\n| --- | ---: |')
  row('all workspaces, s', (opened / 1000).toFixed(1))
  row('one, ms', (opened / workspaces).toFixed(2))
  row('memory of an idle one in the host, KiB', ((after.host - before.host) / workspaces / 1024).toFixed(0))
  row('memory of an idle one in its engine, KiB', ((after.engines - before.engines) / workspaces / 1024).toFixed(0))
  row('memory of an engine without workspaces, MiB', (before.engines / engines.length / 1024 / 1024).toFixed(1))
  row(`a call, ${AT_ONCE} at once, median ms`, median(calls).toFixed(2))
  row('the slowest, ms', Math.max(...calls).toFixed(0))
}

/** All connections are lost at once; then each workspace makes a call, which needs a new one. */
async function reconnect(pipes) {
  const lost = pipes.size
  for (const pipe of [...pipes]) pipe.close()
  const since = performance.now()
  const calls = await Promise.all(
    toolkits.map(async (toolkit) => {
      await toolkit.execute('ls', {})
      return performance.now() - since
    }),
  )
  console.log('\n| all connections lost at once | |\n| --- | ---: |')
  row('connections', lost)
  row('calls that were answered', calls.length)
  row('until half of them were, ms', median(calls).toFixed(0))
  row('until all were, ms', Math.max(...calls).toFixed(0))
}

/** Hosts that lost one engine, which comes back after two seconds and greets so many a second; what is more is refused. */
function computedStorm() {
  const [capacity, backMs] = [500, 2000]
  console.log(
    `\n| ${storm} hosts lose an engine for ${backMs / 1000} s; it greets ${capacity} a second | waits without chance | waits by chance |\n| --- | ---: | ---: |`,
  )
  const seeded = chance(1)
  const fixed = play(storm, capacity, backMs, (attempt) => RETRIES_MS[Math.min(attempt, RETRIES_MS.length - 1)])
  const random = play(storm, capacity, backMs, (attempt) => retryAfter(attempt, seeded))
  const figures = [
    ['most attempts within 100 ms, once it is back', 'peak'],
    ['attempts in all', 'attempts'],
    ['until all are connected, s', 'seconds'],
    ['hosts still without it after 60 s', 'left'],
  ]
  for (const [name, key] of figures) console.log(`| ${name} | ${fixed[key]} | ${random[key]} |`)
}

function play(hosts, capacity, backMs, wait) {
  const due = Array.from({ length: hosts }, () => ({ at: 0, attempt: 0 }))
  const slots = new Map()
  const tries = new Map()
  let attempts = 0
  let last = 0
  // By time: a host that is refused comes back later.
  const queue = new Map()
  const put = (host) => {
    const tick = Math.ceil(host.at / 10)
    queue.set(tick, [...(queue.get(tick) ?? []), host])
  }
  const all = new Map([[0, due]])
  let left = hosts
  for (let tick = 0; tick < 6000 && left > 0; tick += 1) {
    const here = [...(all.get(tick) ?? []), ...(queue.get(tick) ?? [])]
    queue.delete(tick)
    for (const host of here) {
      attempts += 1
      const now = tick * 10
      const slot = Math.floor(now / 100)
      if (now >= backMs) tries.set(slot, (tries.get(slot) ?? 0) + 1)
      const taken = slots.get(slot) ?? 0
      if (now >= backMs && taken < capacity / 10) {
        slots.set(slot, taken + 1)
        left -= 1
        last = now
        continue
      }
      host.at = Math.max(now + 10, now + wait(host.attempt))
      host.attempt += 1
      put(host)
    }
  }
  return { peak: Math.max(0, ...tries.values()), attempts, seconds: (last / 1000).toFixed(1), left }
}

/** The same figures in every run. */
function chance(seed) {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

async function timed(call) {
  const times = []
  await each(toolkits, async (toolkit) => {
    const since = performance.now()
    await call(toolkit)
    times.push(performance.now() - since)
  })
  return times
}

async function each(list, work) {
  const rest = [...list]
  const worker = async () => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

function hostMemory() {
  globalThis.gc?.()
  return process.memoryUsage().rss
}

function engineMemory() {
  return engines.reduce((sum, { child }) => sum + Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024, 0)
}

function median(list) {
  return list.toSorted((one, other) => one - other)[list.length >> 1]
}

function row(name, value) {
  console.log(`| ${name} | ${value} |`)
}
