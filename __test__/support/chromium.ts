import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

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

/** Opens a page of the test itself, which is trusted, until the test is over. */
export function browse(program: string, url: string): void {
  const profile = mkdtempSync(path.join(tmpdir(), 'tenon-chromium-'))
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    '--no-first-run',
    url,
  ]
  // It runs until its pipe is closed.
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true })
  onTestFinished(async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null) {
      process.kill(-child.pid!, 'SIGKILL')
      await gone
    }
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
}
