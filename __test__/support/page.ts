import { chromium, chromiumOfTest, debugging } from './chromium.js'

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
  const [faults, requests]: [string[], string[]] = [[], []]
  let sessionId: string | undefined
  const sendTo = debugging(chromiumOfTest(program, 'about:blank'), (method, params) => {
    if (method === 'Runtime.exceptionThrown') faults.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text)
    if (method === 'Log.entryAdded' && params.entry.level === 'error') faults.push(params.entry.text)
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') faults.push(JSON.stringify(params.args))
    if (method === 'Network.requestWillBeSent') requests.push(params.request.url)
    if (method === 'Page.javascriptDialogOpening') void send('Page.handleJavaScriptDialog', { accept: true })
  })
  const send = (method: string, params: object = {}) => sendTo(method, params, sessionId)
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
