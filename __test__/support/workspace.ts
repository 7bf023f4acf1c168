import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { onTestFinished } from 'vitest'

import { Toolkit, type Dialect, type ToolkitOptions } from '../../index.js'
import { docker, remote, unix } from '../../remote.js'

/** A directory of its own for one test, with these files, gone when the test is over. */
export function workspaceOf(files: Record<string, string | Uint8Array> = {}): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-test-')))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return directory
}

/** A toolkit over a directory of its own, closed when the test is over. */
export function toolkitOf<D extends Dialect = 'agent'>(files: Record<string, string | Uint8Array> = {}, options: Partial<ToolkitOptions<D>> = {}): Toolkit<D> {
  const given = { workspace: workspaceOf(files), ...options } as ToolkitOptions<D>
  const toolkit = new Toolkit<D>(elsewhere(given))
  onTestFinished(() => toolkit.close())
  return toolkit
}

/** The same options over the engine that the project `remote` or `container` of vitest has started: its directories are those of this machine. */
function elsewhere<D extends Dialect>(options: ToolkitOptions<D>): ToolkitOptions<D> {
  const { TENON_TEST_ENGINE: socket, TENON_TEST_CONTAINER: container } = process.env
  if (socket === undefined && container === undefined) return options
  const via = socket === undefined ? docker(container as string, { program: '/opt/tenon/tenon-engine', socket: '/opt/engine.sock' }) : unix(socket)
  return { ...options, workspace: remote({ path: options.workspace as string, via, web: 'engine' }) }
}

/** A toolkit whose tools are known: at once, unless the engine is elsewhere. */
export async function readyOf<T extends Toolkit<any>>(toolkit: T): Promise<T> {
  await toolkit.ready()
  return toolkit
}

/** The tools of a toolkit with the names of their parameters: `read(path, offset?)`. */
export function signaturesOf(toolkit: Toolkit<any>): string[] {
  return toolkit.tools().map(({ name: tool, parameters: { properties, required = [] } }) => {
    const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`))
    return `${tool}(${names.join(', ')})`
  })
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
