import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { onTestFinished } from 'vitest'

import { Toolkit, type Dialect, type ToolkitOptions } from '../../index.js'

/** A folder of its own for one test, with these files, gone when the test is over. */
export function workspaceOf(files: Record<string, string | Uint8Array> = {}): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return folder
}

/** A toolkit over a folder of its own, closed when the test is over. */
export function toolkitOf<D extends Dialect = 'agent'>(
  files: Record<string, string | Uint8Array> = {},
  options: Partial<ToolkitOptions<D>> = {},
): Toolkit<D> {
  const toolkit = new Toolkit<D>({ workspace: workspaceOf(files), ...options } as ToolkitOptions<D>)
  onTestFinished(() => toolkit.close())
  return toolkit
}

/** What a promise is rejected with; fails when it is not. */
export async function failureOf(promise: Promise<unknown>): Promise<any> {
  const value = await promise.then(
    (value) => ({ resolved: value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in value) return value.error
  throw new Error(`expected a rejection, got ${JSON.stringify(value.resolved)}`)
}

/** Waits until a condition holds; fails when it does not for two seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 2000
  while (!condition()) {
    if (Date.now() > end) throw new Error(`still not so after two seconds: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Whether a process is there, and not only waiting to be collected. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
