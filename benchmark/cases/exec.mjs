// Commands, in hosts of three sizes: Node forks the whole host, the core does not.

import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'

import { Toolkit } from 'tenon'
import { measure, report } from '../measure.mjs'
import { ofPi } from '../pi.mjs'

export async function run() {
  const toolkit = new Toolkit({ workspace: tmpdir() })
  const exec = toolkit.getTool('exec')
  const ballast = []
  for (const megabytes of [0, 300]) {
    while (ballast.length * 10 < megabytes) ballast.push(Buffer.alloc(10 << 20, 1))
    const host = `${Math.round(process.memoryUsage().rss / (1 << 20))} MB host`
    const command = (text) => [
      { name: 'child_process.spawn', run: () => byNode(text), yardstick: true },
      { name: 'tenon exec', run: () => exec.execute('1', { command: text }) },
      ...ofPi((pi) => ({ name: 'pi bash', run: () => pi.createBashTool(tmpdir()).execute('1', { command: text }) })),
    ]
    report(`exec true, ${host}`, await measure(command('true'), 15))
    report(`exec, 100 MB of output, ${host}`, await measure(command("head -c 100000000 /dev/zero | tr '\\0' 'x'"), 3))
  }
  await toolkit.close()
}

function byNode(command) {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] })
    const parts = []
    child.stdout.on('data', (part) => parts.push(part))
    child.on('error', reject).on('close', () => resolve(Buffer.concat(parts)))
  })
}
