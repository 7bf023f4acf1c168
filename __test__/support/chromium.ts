import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'

import { onTestFinished } from 'vitest'

const NAMES = ['chromium-headless-shell', 'chrome-headless-shell', 'chromium', 'google-chrome', 'chromium-browser']

/** A Chromium of this machine, where there is one. */
export function chromium(): string | undefined {
  if (process.platform === 'win32') return undefined
  for (const name of NAMES) {
    try {
      return execFileSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).trim()
    } catch {
      // Another name.
    }
  }
  return undefined
}

/** Starts a Chromium that shows pages of the test itself, which are trusted. It runs until its pipe is closed. */
export function startChromium(program: string, profile: string, ...more: string[]): ChildProcess {
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--hide-scrollbars',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    '--no-first-run',
    ...more,
  ]
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true })
}

/** The same with a profile of its own, until the test is over. */
export function chromiumOfTest(program: string, ...more: string[]): ChildProcess {
  const profile = mkdtempSync(path.join(tmpdir(), 'tenon-chromium-'))
  const child = startChromium(program, profile, ...more)
  onTestFinished(async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null) {
      process.kill(-child.pid!, 'SIGKILL')
      await gone
    }
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  return child
}

/** Opens an address until the test is over. */
export function browse(program: string, url: string): void {
  chromiumOfTest(program, url)
}

export type Send = (method: string, params?: object, sessionId?: string) => Promise<any>

/** Speaks with a Chromium over its debugging pipe; `onEvent` is called with each event. */
export function debugging(child: ChildProcess, onEvent: (method: string, params: any) => void = () => {}): Send {
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable]
  const waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>()
  let [last, rest] = [0, '']
  const take = ({ id, result, error, method, params }: any) => {
    if (id === undefined) return onEvent(method, params)
    const { resolve, reject } = waiting.get(id)!
    waiting.delete(id)
    if (error) reject(new Error(error.message))
    else resolve(result)
  }
  output.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0')
    rest = messages.pop()!
    for (const message of messages) take(JSON.parse(message))
  })
  return (method, params = {}, sessionId) => {
    const id = (last += 1)
    input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    return new Promise<any>((resolve, reject) => waiting.set(id, { resolve, reject }))
  }
}
