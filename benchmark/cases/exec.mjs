// Commands, in hosts of three sizes: Node forks the whole host, the core does not.

import { spawn } from 'node:child_process'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { tmpdir } from 'node:os'

import { Toolkit } from 'tenon'
import { heldUpTo, resident } from '../hosts.mjs'
import { measure, report } from '../measure.mjs'
import { ofPi } from '../pi.mjs'

/** Megabytes that the host is to have resident; the first is what it has anyway. */
const HOSTS = [60, 300, 1000]
const OUTPUT = 'yes | head -c 100000000'
/** Bytes that are no text: secrets are looked for between them. */
const BYTES = 'head -c 10000000 /dev/urandom'
/** What every contender is asked for before it counts: it must have been done. */
const COMMANDS = 30

export async function run() {
  const workspace = tmpdir()
  const toolkits = [new Toolkit({ workspace })]
  const exec = toolkits[0].getTool('exec')
  const posix = made(toolkits, { workspace, shell: { path: '/bin/sh', args: ['-c'] } })
  const sandboxed = process.platform === 'linux' ? made(toolkits, { workspace, sandbox: { mode: 'read-only', require: 'best-effort' } }) : undefined
  const ballast = []
  for (const megabytes of HOSTS) {
    ballast.push(...heldUpTo(megabytes))
    const host = `host of ${resident()} MB`
    const starts = [
      { name: 'spawn true', run: () => byNode('true', []), yardstick: true },
      { name: 'spawn bash -c true', run: () => byNode('bash', ['-c', 'true']) },
      { name: 'tenon exec true (bash -c)', run: () => exec.execute('1', { command: 'true' }) },
      { name: 'tenon exec true (sh -c)', run: () => posix.execute('1', { command: 'true' }) },
      ...(sandboxed ? [{ name: 'tenon exec true, sandbox', run: () => sandboxed.execute('1', { command: 'true' }) }] : []),
      ...ofPi((pi) => ({ name: 'pi bash true', run: () => pi.createBashTool(workspace).execute('1', { command: 'true' }) })),
    ]
    report(`exec true, ${host}`, await measure(starts, COMMANDS))
    const outputs = [
      { name: 'spawn, Buffers', run: () => byNode('bash', ['-c', OUTPUT]), yardstick: true },
      { name: 'tenon exec', run: () => exec.execute('1', { command: OUTPUT }) },
      ...ofPi((pi) => ({ name: 'pi bash', run: () => pi.createBashTool(workspace).execute('1', { command: OUTPUT }) })),
    ]
    report(`exec, 100 MB of output, ${host}`, await measure(outputs, 5))
  }
  const bytes = [
    { name: 'spawn, Buffers', run: () => byNode('bash', ['-c', BYTES]), yardstick: true },
    { name: 'tenon exec', run: () => exec.execute('1', { command: BYTES }) },
  ]
  report('exec, 10 MB of random bytes', await measure(bytes, 5))
  await lag(exec, ballast)
  await Promise.all(toolkits.map((toolkit) => toolkit.close()))
}

/** The event loop while commands run. No test asserts this: what else the machine does shows in it. */
async function lag(exec, ballast) {
  const contenders = [
    ['spawn bash -c true', () => byNode('bash', ['-c', 'true'])],
    ['tenon exec true', () => exec.execute('1', { command: 'true' })],
    ['tenon exec, 100 MB of output', () => exec.execute('1', { command: OUTPUT }), 1],
  ]
  console.log(`\nevent loop, host of ${resident()} MB (${ballast.length * 10} MB of ballast), 20 commands at a time`)
  for (const [name, start, at = 20] of contenders) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    await Promise.all(Array.from({ length: at }, start))
    delay.disable()
    console.log(`  ${name.padEnd(30)} p50 ${milliseconds(delay.percentile(50))}  p99 ${milliseconds(delay.percentile(99))}  worst ${milliseconds(delay.max)}`)
  }
}

function made(toolkits, options) {
  const toolkit = new Toolkit(options)
  toolkits.push(toolkit)
  return toolkit.getTool('exec')
}

const milliseconds = (nanoseconds) => `${(nanoseconds / 1e6).toFixed(1).padStart(6)} ms`

function byNode(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const parts = []
    child.stdout.on('data', (part) => parts.push(part))
    child.on('error', reject).on('close', () => resolve(Buffer.concat(parts)))
  })
}
