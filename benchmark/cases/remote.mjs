// What it costs that the engine is elsewhere: the same calls over a Unix socket and in this process, and the memory of 1,000 idle sessions.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { Toolkit } from 'tenon'
import { remote, unix } from 'tenon/remote'
import { batched, measure, report } from '../measure.mjs'

const ENGINE = fileURLToPath(new URL('../../native/tenon-engine', import.meta.url))
const SESSIONS = 1000

export const parts = () => ['calls', 'sessions']

export async function run(part) {
  const directory = mkdtempSync(join(tmpdir(), 'tenon-bench-'))
  const engine = await startEngine(join(directory, 'engine.sock'))
  try {
    await (part === 'calls' ? calls(directory, engine.socket) : sessions(directory, engine.socket))
  } finally {
    engine.child.kill('SIGTERM')
    await engine.ended
    rmSync(directory, { recursive: true, force: true })
  }
}

async function calls(directory, socket) {
  const workspace = join(directory, 'work')
  mkdirSync(join(workspace, 'empty'), { recursive: true })
  const text = Array.from({ length: 250 }, (_, line) => `line ${line} of a file that is edited, as agents do`).join('\n')
  writeFileSync(join(workspace, 'here.txt'), text)
  writeFileSync(join(workspace, 'there.txt'), text)
  const lines = Array.from({ length: 100_000 }, (_, line) => `${line} ${line % 97 === 0 ? 'needle' : 'hay'} and some more text`)
  writeFileSync(join(workspace, 'lines.txt'), lines.join('\n'))
  const here = new Toolkit({ workspace })
  const crossings = { count: 0 }
  const there = new Toolkit({ workspace: remote({ path: workspace, via: counted(socket, crossings) }) })
  await there.ready()
  const times = 100
  await compare('remote, a call (ls of an empty directory)', here, there, (toolkit) => toolkit.execute('ls', { path: 'empty' }), times)
  let turn = 0
  const edit = (toolkit, file) => {
    const [oldText, newText] = turn++ % 2 === 0 ? ['line 7 of', 'LINE 7 of'] : ['LINE 7 of', 'line 7 of']
    return toolkit.execute('edit', { file_path: file, edits: [{ oldText, newText }] })
  }
  for (const [toolkit, file] of [
    [here, 'here.txt'],
    [there, 'there.txt'],
  ]) {
    turn = 0
    await edit(toolkit, file)
    await edit(toolkit, file)
  }
  crossings.count = 0
  turn = 0
  await edit(there, 'there.txt')
  const trips = crossings.count
  await edit(there, 'there.txt')
  const state = new Map([
    [here, 'here.txt'],
    [there, 'there.txt'],
  ])
  await compare(
    `remote, an edit of 12 kB (${trips} round trip)`,
    here,
    there,
    async (toolkit) => {
      turn = 0
      await edit(toolkit, state.get(toolkit))
      await edit(toolkit, state.get(toolkit))
    },
    10,
  )
  await compare('remote, grep of 100,000 lines', here, there, (toolkit) => toolkit.execute('grep', { pattern: 'needle', path: 'lines.txt', limit: 1000 }), 3)
  await Promise.all([here.close(), there.close()])
}

async function compare(title, here, there, call, times) {
  const rows = await measure(
    [
      { name: 'tenon in this process', run: batched(() => call(here), times), yardstick: true },
      { name: 'tenon over a Unix socket', run: batched(() => call(there), times) },
    ],
    20,
  )
  const each = rows.map((row) => ({ ...row, milliseconds: row.milliseconds / times }))
  each[1]['added µs'] = ((each[1].milliseconds - each[0].milliseconds) * 1000).toFixed(0)
  report(title, each, 'µs')
}

/** A way to a socket that counts how often an answer came after something was sent. */
function counted(socket, crossings) {
  const whole = unix(socket)
  const open = async (events) => {
    let isWaiting = false
    const pipe = await whole.open({
      ...events,
      data: (bytes) => {
        if (isWaiting) crossings.count += 1
        isWaiting = false
        events.data(bytes)
      },
    })
    return {
      ...pipe,
      write: (bytes) => {
        // An acknowledgement alone is no question.
        isWaiting ||= bytes.includes('"method":"call"')
        return pipe.write(bytes)
      },
    }
  }
  return { name: whole.name, open }
}

async function sessions(directory, socket) {
  const memory = () => {
    globalThis.gc?.()
    return process.memoryUsage().rss
  }
  const before = memory()
  const all = []
  for (let index = 0; index < SESSIONS; index += 1) {
    const toolkit = new Toolkit({ workspace: remote({ path: directory, via: unix(socket) }) })
    await toolkit.ready()
    all.push(toolkit)
  }
  const megabytes = (memory() - before) / 1e6
  console.log(`\n1,000 idle remote sessions in one host: ${megabytes.toFixed(1)} MB`)
  await Promise.all(all.map((toolkit) => toolkit.close()))
}

async function startEngine(socket) {
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
