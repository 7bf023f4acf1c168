import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { ROOT } from './run.js'

/** The engine as a program, as `scripts/steps.mjs` builds it. */
export const ENGINE = path.join(ROOT, 'native', 'tenon-engine')

/** How long an engine may take to listen, on a loaded machine. */
const PATIENCE_MS = 20_000

/** An engine that listens on a socket of its own, until it is stopped. */
export async function startEngine(args: string[] = []): Promise<{ socket: string; pid: number; stop: () => Promise<void> }> {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-engine-')))
  const socket = path.join(directory, 'engine.sock')
  const child = spawn(ENGINE, ['serve', '--listen', `unix:${socket}`, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(directory, { recursive: true, force: true })
  }
  const end = Date.now() + PATIENCE_MS
  while (!(await listens(socket))) {
    if (child.exitCode !== null || Date.now() > end) {
      await stop()
      throw new Error(`\`${ENGINE}\` does not listen: build it with \`npm run build:debug\``)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { socket, pid: child.pid as number, stop }
}

/** Whether somebody accepts connections there. */
function listens(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const stream = connect(socket)
    stream.once('connect', () => resolve(true)).once('error', () => resolve(false))
    stream.once('connect', () => stream.destroy())
  })
}
