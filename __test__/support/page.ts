import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'

import { onTestFinished } from 'vitest'

import { chromium } from './chromium.js'

/** A page of the installed Chromium, driven over its debugging pipe. */
export interface Page {
  send(method: string, params?: object): Promise<any>
  /** What an expression gives, or what its promise resolves to. */
  evaluate(expression: string): Promise<any>
  /** Waits until an expression is true. */
  until(expression: string): Promise<void>
  press(key: string): Promise<void>
  screenshot(): Promise<Buffer>
  /** What the page wrote to its console and threw. */
  faults: string[]
  /** The addresses that were asked for. */
  requests: string[]
}

const KEYS: Record<string, number> = { Tab: 9, Enter: 13, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Home: 36, End: 35 }

/** Opens a page of the test itself, which is trusted, until the test is over. */
export async function pageOf(url: string, { dark = false, width = 1440, height = 900 } = {}): Promise<Page> {
  const program = chromium()
  if (program === undefined) throw new Error('no Chromium is installed')
  const profile = mkdtempSync(path.join(tmpdir(), 'tenon-page-'))
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--hide-scrollbars',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    '--no-first-run',
    'about:blank',
  ]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true })
  onTestFinished(async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null) {
      process.kill(-child.pid!, 'SIGKILL')
      await gone
    }
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable]
  const waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>()
  const [faults, requests]: [string[], string[]] = [[], []]
  let [last, rest] = [0, '']
  let sessionId: string | undefined
  const take = ({ id, result, error, method, params }: any) => {
    if (id !== undefined) return error ? waiting.get(id)?.reject(new Error(error.message)) : waiting.get(id)?.resolve(result)
    if (method === 'Runtime.exceptionThrown') faults.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text)
    if (method === 'Log.entryAdded' && params.entry.level === 'error') faults.push(params.entry.text)
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') faults.push(JSON.stringify(params.args))
    if (method === 'Network.requestWillBeSent') requests.push(params.request.url)
    if (method === 'Page.javascriptDialogOpening') void send('Page.handleJavaScriptDialog', { accept: true })
  }
  output.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0')
    rest = messages.pop()!
    for (const message of messages) take(JSON.parse(message))
  })
  const send = (method: string, params: object = {}) => {
    const id = (last += 1)
    input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`)
    return new Promise<any>((resolve, reject) => waiting.set(id, { resolve, reject }))
  }
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' })
  sessionId = (await send('Target.attachToTarget', { targetId, flatten: true })).sessionId
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`)
  await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
  await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] })
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
  const until = async (expression: string) => {
    for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
      if (await evaluate(`Boolean(${expression})`)) return
    }
    throw new Error(`never came: ${expression}; faults: ${faults.join('\n')}; page: ${await evaluate('document.body.innerText.slice(0, 2000)')}`)
  }
  const press = async (key: string) => {
    const code = KEYS[key] ?? key.toUpperCase().charCodeAt(0)
    const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined
    await send('Input.dispatchKeyEvent', { type: 'keyDown', key, code: key, windowsVirtualKeyCode: code, ...(text && { text }) })
    await send('Input.dispatchKeyEvent', { type: 'keyUp', key, code: key, windowsVirtualKeyCode: code })
  }
  const screenshot = async () => Buffer.from((await send('Page.captureScreenshot', { format: 'png' })).data, 'base64')
  await send('Page.navigate', { url })
  await until(`document.documentElement?.dataset.ready === 'true'`)
  return { send, evaluate, until, press, screenshot, faults, requests }
}
