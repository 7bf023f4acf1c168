import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { codeServer } from '../../scripts/code-server.mjs'
import { chromium, debugging, startChromium } from './chromium.js'
import { freePort } from './machines.js'
import { ROOT } from './run.js'

const found = codeServer()
const browser = chromium()

/** Why no VS Code can be started here, or nothing. */
export const noEditor = 'missing' in found ? found.missing : browser === undefined ? 'no Chromium was found' : undefined

const PATIENCE_MS = 60_000

export interface Editor {
  /** The directory that it has opened. */
  root: string
  /** Runs a scenario of `fixtures/vscode-extension` in the extension host. */
  run(scenario: string, params?: object): Promise<any>
  /** Evaluates JavaScript in its window. */
  evaluate(expression: string): Promise<any>
  /** Clicks a button of a dialog, once it is there; the text of the dialog. */
  press(button: string): Promise<string>
  stop(): Promise<void>
}

/** A VS Code of its own over a directory with these files, in a browser. Its extension is the one of `fixtures/vscode-extension`. */
export async function startEditor(files: Record<string, string>, contributes: object): Promise<Editor> {
  if ('missing' in found || browser === undefined) throw new Error(noEditor)
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-editor-')))
  const root = path.join(directory, 'work')
  mkdirSync(root)
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text)
  // One in the directory of the user counts as removed.
  const name = `tenon-test-${process.pid}`
  const extension = path.join(found.extensions, name)
  cpSync(path.join(ROOT, 'fixtures', 'vscode-extension'), extension, { recursive: true })
  const manifest = JSON.parse(readFileSync(path.join(extension, 'package.json'), 'utf8'))
  writeFileSync(path.join(extension, 'package.json'), JSON.stringify({ ...manifest, name, ...contributes }))
  const [port, portFile] = [await freePort(), path.join(directory, 'port')]
  const own = ['--user-data-dir', path.join(directory, 'user'), '--extensions-dir', path.join(directory, 'extensions')]
  const quiet = ['--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', '--disable-getting-started-override']
  const server = spawn(found.node, [found.entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, ...own, ...quiet, root], {
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, TENON_ROOT: ROOT, TENON_TEST_PORT_FILE: portFile, NODE_OPTIONS: '' },
  })
  const stops = [
    async () => rmSync(extension, { recursive: true, force: true }),
    async () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
    () => ended(server),
  ]
  const stop = async () => {
    while (stops.length > 0) await stops.pop()?.()
  }
  try {
    await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok, 'code-server')
    const page = await openPage(browser, `http://127.0.0.1:${port}/`, path.join(directory, 'profile'))
    stops.push(page.stop)
    await waitFor(async () => existsSync(portFile), 'the extension')
    const address = `http://127.0.0.1:${readFileSync(portFile, 'utf8')}`
    const run = async (scenario: string, params: object = {}) => {
      const answer: any = await (await fetch(address, { method: 'POST', body: JSON.stringify({ scenario, params }) })).json()
      if (answer.error) throw new Error(answer.error)
      return answer.value
    }
    const press = async (button: string) => {
      const text = await waitFor(() => page.evaluate(`document.querySelector('.monaco-dialog-box')?.innerText`), `a dialog with \`${button}\``)
      const buttons = `[...document.querySelectorAll('.monaco-dialog-box .monaco-button')]`
      await waitFor(() => page.evaluate(`(${buttons}.find((it) => it.innerText.trim() === ${JSON.stringify(button)})?.click(), true)`), button)
      return text
    }
    return { root, run, evaluate: page.evaluate, press, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function waitFor(condition: () => Promise<any>, what: string): Promise<any> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const value = await condition().catch(() => undefined)
    if (value) return value
    if (Date.now() > end) throw new Error(`${what} did not come within ${PATIENCE_MS / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Ends a program with all that it has started. */
async function ended(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  try {
    process.kill(-(child.pid as number), 'SIGTERM')
    const late = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), 5000)
    await gone
    clearTimeout(late)
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}

/** A page in a Chromium that this process speaks with over a pipe. */
async function openPage(program: string, url: string, profile: string) {
  const child = startChromium(program, profile)
  const say = debugging(child)
  const { targetId } = await say('Target.createTarget', { url })
  const { sessionId } = await say('Target.attachToTarget', { targetId, flatten: true })
  const evaluate = async (expression: string) =>
    (await say('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId)).result.value
  return { evaluate, stop: () => ended(child) }
}
