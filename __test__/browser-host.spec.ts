import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

import { expect, onTestFinished, test } from 'vitest'

import type { AgentToolResult, BrowserTransport, ToolkitOptions } from '../index.js'
import { browserProcesses, browserTest, refOf, siteOf, withBrowser } from './support/browser.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const ROOT = path.dirname(__dirname)
const isRoot = process.getuid?.() === 0
const executable = withBrowser
  ? (process.env.TENON_BROWSER ??
    execFileSync('sh', ['-c', 'command -v chromium-headless-shell || command -v chromium || command -v google-chrome'], { encoding: 'utf8' }).trim())
  : ''

function caller(options: Partial<ToolkitOptions>) {
  const toolkit = toolkitOf({}, options)
  let calls = 0
  const call = (params: Record<string, unknown>, signal?: AbortSignal): Promise<AgentToolResult<any>> =>
    toolkit.getTool('browser')!.execute(`call-${calls++}`, params as any, signal)
  return { toolkit, call }
}

/** A browser that is not ours, with a page of its own. */
async function running(): Promise<{ child: ChildProcess; address: string; pages: () => Promise<string[]> }> {
  const directory = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'tenon-foreign-'))
  const child = spawn(
    executable,
    [
      '--headless',
      '--remote-debugging-port=0',
      `--user-data-dir=${directory}`,
      ...(isRoot ? ['--no-sandbox'] : []),
      'data:text/html,<title>Of%20the%20user</title>',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  )
  onTestFinished(async () => {
    const ended = child.exitCode !== null || child.signalCode !== null || new Promise((resolve) => child.once('exit', resolve))
    try {
      // A group of its own: the program may be a script that starts the browser.
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // Nothing of it is left.
    }
    await ended
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  })
  const address = await new Promise<string>((resolve, reject) => {
    child.on('exit', () => reject(new Error('the browser ended')))
    createInterface({ input: child.stderr! }).on('line', (line) => {
      const found = /DevTools listening on (ws:\S+)/.exec(line)
      if (found) resolve(found[1]!)
    })
  })
  const { host } = new URL(address)
  const pages = async () => ((await (await fetch(`http://${host}/json/list`)).json()) as any[]).filter((page) => page.type === 'page').map((page) => page.title)
  return { child, address, pages }
}

browserTest('a browser of the host is worked in a context of its own, behind the same guard, and stays as it was', async () => {
  const inner = await siteOf({ '/': '<h1>Inner</h1>' })
  const site = await siteOf({
    '/': `<title>Site</title><button onclick="this.textContent = 'Clicked'">Click</button><a href="http://127.0.0.1:${inner.port}/">In</a><img src="http://127.0.0.1:${inner.port}/image"><script>fetch('http://127.0.0.1:${inner.port}/fetch', { mode: 'no-cors' })</script>`,
  })
  const foreign = await running()
  const { toolkit, call } = caller({ host: { browser: { connect: () => foreign.address } }, browser: { allowPrivate: [site.server] } })
  const opened = await call({ action: 'open', url: site.url })
  expect(opened.details).toMatchObject({ tab: 't1', title: 'Site' })
  expect(opened.details.guard).toBeUndefined()
  expect((await call({ action: 'click', ref: refOf(opened.details.snapshot, '"Click"') })).details.changed).toBe('page')
  const inward = await call({ action: 'click', ref: refOf(opened.details.snapshot, '"In"') })
  expect(inward.details.blocked).toHaveLength(1)
  for (const url of ['file:///etc/passwd', inner.url, 'http://169.254.169.254/'])
    expect(await failureOf(call({ action: 'open', url })), url).toMatchObject({ error_type: 'permission_denied' })
  expect((await call({ action: 'tabs' })).details.tabs).toHaveLength(1)
  expect(browserProcesses().filter((pid) => pid !== foreign.child.pid)).toEqual([])
  expect(await foreign.pages()).toContain('Of the user')
  await toolkit.close()
  expect(foreign.child.exitCode).toBe(null)
  const end = Date.now() + 30_000
  while ((await foreign.pages()).length > 1 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await foreign.pages()).toEqual(['Of the user'])
  expect(inner.requests).toEqual([])
})

browserTest('a browser of the host takes the pictures of canvases, in a context of its own', async () => {
  const site = await siteOf({ '/': '<h1>Site</h1>' })
  const foreign = await running()
  let connections = 0
  const connect = () => {
    connections++
    return foreign.address
  }
  const { toolkit, call } = caller({ host: { browser: { connect } }, browser: { allowPrivate: [site.server] }, canvas: true })
  await call({ action: 'open', url: site.url })
  await toolkit.execute('canvas', { action: 'present', title: 'Wide', html: '<p style="width: 700px">wide</p><script>missing()</script>' })
  const { details } = await toolkit.execute('canvas', { action: 'snapshot', canvasId: 'c1', width: 400 })
  expect(details).toMatchObject({
    canvasId: 'c1',
    width: 716,
    mimeType: 'image/png',
    overflow: true,
    consoleErrors: [expect.stringContaining('missing is not defined')],
  })
  expect({ connections, own: browserProcesses().filter((pid) => pid !== foreign.child.pid) }).toEqual({ connections: 1, own: [] })
  expect((await call({ action: 'tabs' })).details.tabs).toHaveLength(1)
  await toolkit.close()
  expect(foreign.child.exitCode).toBe(null)
})

browserTest('a browser behind a transport may be anywhere: every URL is judged, and the result says so', async () => {
  const inner = await siteOf({ '/image': 'x' })
  const site = await siteOf({
    '/': `<title>Site</title><h1>Here</h1><img src="http://127.0.0.1:${inner.port}/image"><script>fetch('http://[::1]:${inner.port}/fetch', { mode: 'no-cors' }); new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.1:${inner.port}/worker', { mode: 'no-cors' })"])))</script>`,
  })
  const directory = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'tenon-piped-'))
  const child = spawn(executable, ['--headless', '--remote-debugging-pipe', `--user-data-dir=${directory}`, ...(isRoot ? ['--no-sandbox'] : [])], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  })
  // As Puppeteer's transport over a pipe is.
  const connect = (): BrowserTransport => {
    const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable]
    const transport: BrowserTransport = { send: (message) => input.write(`${message}\0`), close: () => {} }
    let pending = ''
    output.setEncoding('utf8').on('data', (chunk: string) => {
      const messages = (pending + chunk).split('\0')
      pending = messages.pop()!
      for (const message of messages) transport.onmessage?.(message)
    })
    child.once('exit', () => transport.onclose?.())
    return transport
  }
  const { call } = caller({ host: { browser: { connect } }, browser: { allowPrivate: [site.server] } })
  const opened = await call({ action: 'open', url: site.url })
  expect(opened.details).toMatchObject({ title: 'Site', guard: 'interception' })
  expect(await failureOf(call({ action: 'open', url: 'http://10.0.0.1/' }))).toMatchObject({ error_type: 'permission_denied' })
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(inner.requests).toEqual([])
  child.kill('SIGKILL')
  expect(await failureOf(call({ action: 'wait', text: 'never', timeout: 20 }))).toMatchObject({ details: { browser: expect.stringMatching(/crashed|closed/) } })
})

test('what `host.browser` must be is said', async () => {
  expect(() => toolkitOf({}, { host: { browser: 'ws://127.0.0.1:1/' as any } })).toThrow(
    'The option `host.browser` must be an object with a function `connect`',
  )
  expect(() => toolkitOf({}, { host: { browser: { connect: () => 'ws://127.0.0.1:1/' } }, browser: { profile: 'work' } })).toThrow(
    '`browser.profile` and `host.browser` exclude each other',
  )
  const refused: [unknown, string][] = [
    ['http://127.0.0.1:9222', 'is not the address of a WebSocket'],
    [{ url: 'nowhere' }, 'is not the address of a WebSocket'],
    [42, 'it must return the address of a WebSocket'],
    [undefined, 'it must return the address of a WebSocket'],
    ['ws://127.0.0.1:1/', 'ECONNREFUSED'],
  ]
  for (const [answer, message] of refused) {
    const { call } = caller({ host: { browser: { connect: () => answer as any } }, browser: true })
    expect(await failureOf(call({ action: 'open', url: 'http://example.com/' })), String(answer)).toMatchObject({
      message: expect.stringContaining(message),
      details: { code: 'unavailable' },
    })
  }
  const server = createServer((_, response) => void response.writeHead(403).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { call } = caller({ host: { browser: { connect: () => `ws://127.0.0.1:${(server.address() as AddressInfo).port}/` } }, browser: true })
  expect(await failureOf(call({ action: 'open', url: 'http://example.com/' }))).toMatchObject({
    message: expect.stringContaining('answered 403 instead of opening a WebSocket'),
  })
})

/** Says `ready` once a page is open in a browser of its own, and waits to be killed. */
const HOST = `
const { Toolkit } = require(process.argv[1])
const toolkit = new Toolkit({ workspace: process.argv[2], browser: { allowPrivate: [process.argv[4]] } })
toolkit.execute('browser', { action: 'open', url: process.argv[3] }).then(() => console.log('ready'), (error) => { console.log(String(error)); process.exit(1) })
setInterval(() => {}, 1000)
`

async function killed(root: string, wrap: string[]) {
  const site = await siteOf({ '/': '<script>addEventListener("beforeunload", (event) => event.preventDefault())</script><h1>Here</h1>' })
  const workspace = workspaceOf({})
  chmodSync(workspace, 0o777)
  const [program, ...args] = [...wrap, process.execPath, '-e', HOST, root, workspace, site.url, site.server]
  const host = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, HOME: workspace } })
  onTestFinished(() => void host.kill('SIGKILL'))
  const line = await new Promise((resolve) => createInterface({ input: host.stdout }).once('line', resolve))
  expect(line).toBe('ready')
  const before = browserProcesses(host.pid)
  expect(before.length).toBeGreaterThan(0)
  host.kill('SIGKILL')
  const start = Date.now()
  const lives = (pid: number) => existsSync(`/proc/${pid}`)
  while (before.some(lives) && Date.now() - start < 30_000) await new Promise((resolve) => setTimeout(resolve, 20))
  return { left: before.filter(lives), took: Date.now() - start }
}

test.runIf(withBrowser && process.platform === 'linux')(
  'no process of a browser is left 2 seconds after the host was killed',
  { timeout: 120_000 },
  async () => {
    const { left, took } = await killed(ROOT, [])
    expect(left).toEqual([])
    expect(took).toBeLessThan(process.env.CI ? 30_000 : 2_000)
  },
)

test.runIf(withBrowser && isRoot && existsSync('/usr/bin/setpriv'))(
  'the same where the host is another user without privileges',
  { timeout: 120_000 },
  async () => {
    // That user cannot look into the directory of root in which the project may be.
    const copy = mkdtempSync('/tmp/tenon-copy-')
    onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
    chmodSync(copy, 0o755)
    for (const name of ['package.json', 'index.js', 'js', 'native']) cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true })
    const node = path.join(copy, 'node')
    cpSync(process.execPath, node, { dereference: true })
    const wrap = ['/usr/bin/setpriv', '--reuid=65533', '--regid=65533', '--clear-groups', '/usr/bin/env', `PATH=${process.env.PATH}`]
    const site = await siteOf({ '/': '<h1>Here</h1>' })
    const workspace = workspaceOf({})
    chmodSync(workspace, 0o777)
    const host = spawn(wrap[0]!, [...wrap.slice(1), node, '-e', HOST, copy, workspace, site.url, site.server], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HOME: workspace },
    })
    onTestFinished(() => void host.kill('SIGKILL'))
    expect(await new Promise((resolve) => createInterface({ input: host.stdout }).once('line', resolve))).toBe('ready')
    const before = browserProcesses(host.pid)
    expect(before.length).toBeGreaterThan(0)
    for (const pid of before) expect(execFileSync('stat', ['-c', '%u', `/proc/${pid}`], { encoding: 'utf8' }).trim()).toBe('65533')
    host.kill('SIGKILL')
    const start = Date.now()
    while (before.some((pid) => existsSync(`/proc/${pid}`)) && Date.now() - start < 30_000) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(before.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
  },
)

browserTest('an abort ends every action at once', async () => {
  const site = await siteOf({
    '/': '<style>@keyframes m { to { translate: 300px } } #m { animation: m 1s infinite linear }</style><h1>Here</h1><button disabled>Off</button><button id=m>Moving</button><input aria-label=Field disabled><select disabled aria-label=List><option>a</select>',
    '/slow': () => {},
  })
  const { call } = caller({ browser: { allowPrivate: [site.server], evaluate: true } })
  const { snapshot } = (await call({ action: 'open', url: site.url })).details
  const off = refOf(snapshot, '"Off"')
  const slow: Record<string, unknown>[] = [
    { action: 'open', url: `${site.url}/slow` },
    { action: 'navigate', url: `${site.url}/slow` },
    { action: 'wait', text: 'never', timeout: 20 },
    { action: 'evaluate', expression: 'new Promise(() => {})' },
    { action: 'click', ref: off, timeout: 20 },
    { action: 'hover', ref: refOf(snapshot, '"Moving"'), timeout: 20 },
    { action: 'type', ref: refOf(snapshot, '"Field"'), text: 'x', timeout: 20 },
    { action: 'fill', ref: refOf(snapshot, '"Field"'), text: 'x', timeout: 20 },
    { action: 'select', ref: refOf(snapshot, '"List"'), values: ['a'], timeout: 20 },
    { action: 'drag', ref: off, toRef: off, timeout: 20 },
    { action: 'download', ref: off, path: 'x', timeout: 20 },
  ]
  for (const params of slow) {
    const controller = new AbortController()
    let aborted = 0
    const failed = failureOf(call(params, controller.signal))
    setTimeout(() => {
      aborted = performance.now()
      controller.abort()
    }, 150)
    const error = await failed
    expect(error, JSON.stringify(params)).toMatchObject({ error_type: 'aborted' })
    // 50 ms on a machine that has nothing else to do.
    expect(performance.now() - aborted, JSON.stringify(params)).toBeLessThan(2_000)
  }
})

browserTest('two toolkits share nothing, and a named profile is for one of them', async () => {
  const site = await siteOf({ '/': '<title>Here</title><script>document.cookie ||= "who=" + Math.random()</script>' })
  const state = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'tenon-state-'))
  const before = process.env.TENON_STATE_DIR
  process.env.TENON_STATE_DIR = state
  onTestFinished(() => {
    if (before === undefined) delete process.env.TENON_STATE_DIR
    else process.env.TENON_STATE_DIR = before
    rmSync(state, { recursive: true, force: true })
  })
  const options = { browser: { allowPrivate: [site.server], evaluate: true } }
  const [one, two] = [caller(options), caller(options)]
  for (const { call } of [one, two]) await call({ action: 'open', url: site.url })
  const cookies = await Promise.all([one, two].map(async ({ call }) => (await call({ action: 'evaluate', expression: 'document.cookie' })).details.value))
  expect(cookies[0]).not.toBe(cookies[1])
  expect((await one.call({ action: 'tabs' })).details.tabs).toHaveLength(1)
  const name = `test-${process.pid}`
  const named = { browser: { ...options.browser, profile: name } }
  const [holder, other] = [caller(named), caller(named)]
  await holder.call({ action: 'open', url: site.url })
  expect(await failureOf(other.call({ action: 'open', url: site.url }))).toMatchObject({
    message: expect.stringContaining(`process ${process.pid}`),
    details: { browser: 'profile_in_use' },
  })
  await holder.toolkit.close()
  expect((await other.call({ action: 'open', url: site.url })).details.title).toBe('Here')
})
