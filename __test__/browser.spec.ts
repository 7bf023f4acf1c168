import { readFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import type { AgentToolResult, ToolkitOptions } from '../index.js'
import { browserProcesses, browserTest, refOf, siteOf, type Pages } from './support/browser.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

function textOf(result: AgentToolResult<unknown>): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** A toolkit with a browser, and a site that it may open. */
async function staged(pages: Pages, options: Partial<ToolkitOptions> = {}, files: Record<string, string> = {}) {
  const site = await siteOf(pages)
  const { browser, ...others } = options
  const settings = typeof browser === 'object' ? browser : {}
  const workspace = workspaceOf(files)
  const toolkit = toolkitOf({}, { ...others, workspace, browser: { ...settings, allowPrivate: [site.server, ...(settings.allowPrivate ?? [])] } })
  let calls = 0
  const tool = toolkit.getTool('browser')!
  const call = (params: Record<string, unknown>, signal?: AbortSignal): Promise<AgentToolResult<any>> => tool.execute(`call-${calls++}`, params as any, signal)
  return { site, toolkit, workspace, call }
}

const FORM = `<title>Sign up</title><h1>Sign up</h1><form action=/done method=post>
  <label>Name <input name=name></label><label>Country <select name=country><option>Norway<option>Chad</select></label>
  <label><input type=checkbox name=ok> I agree</label><button>Send</button></form>`

test('there is no browser tool unless the host turns it on', () => {
  expect(toolkitOf().getTool('browser')).toBeUndefined()
  expect(toolkitOf({}, { browser: false }).getTool('browser')).toBeUndefined()
  expect(toolkitOf({}, { browser: true }).getTool('browser')?.name).toBe('browser')
  expect(() => toolkitOf({}, { browser: { evalute: true } as any })).toThrow('Unknown option `browser.evalute`. Did you mean `browser.evaluate`?')
  expect(() => toolkitOf({}, { browser: { profile: '../x' } })).toThrow('`browser.profile` is `../x`')
})

browserTest('a form is filled and sent by references', async () => {
  const { site, call } = await staged({ '/': FORM, '/done': '<h1>Welcome</h1>' })
  const opened = await call({ action: 'open', url: site.url })
  expect(opened.details).toMatchObject({ ok: true, action: 'open', tab: 't1', url: `${site.url}/`, title: 'Sign up', httpStatus: 200, truncated: false })
  const snapshot: string = opened.details.snapshot
  expect(textOf(opened)).toContain('untrusted content')
  expect(textOf(opened)).toContain(snapshot)
  const fields = [
    { ref: refOf(snapshot, '"Name"'), value: 'Ada' },
    { ref: refOf(snapshot, '"Country"'), value: 'Chad' },
    { ref: refOf(snapshot, '"I agree"'), value: 'true' },
  ]
  const filled = await call({ action: 'fill', fields })
  expect(filled.details.changed).toBe('page')
  const sent = await call({ action: 'click', ref: refOf(snapshot, '"Send"') })
  expect(sent.details).toMatchObject({ changed: 'navigation', url: `${site.url}/done` })
  expect(sent.details.snapshot).toContain('Welcome')
  expect(site.bodies).toEqual(['name=Ada&country=Chad&ok=on'])
})

browserTest('calls of OpenClaw are understood', async () => {
  const { site, call } = await staged({ '/': '<button onclick="this.textContent = \'Clicked\'">Click</button>' })
  const opened = await call({ action: 'open', targetUrl: site.url })
  const ref = refOf(opened.details.snapshot, '"Click"')
  const clicked = await call({ action: 'act', targetId: 't1', request: { kind: 'click', ref, timeoutMs: 5000 } })
  expect(clicked.details).toMatchObject({ action: 'click', changed: 'page' })
  expect(clicked.details.repairs.length).toBeGreaterThan(1)
  const flat = await call({ action: 'act', kind: 'wait', text: 'Clicked' })
  expect(flat.details).toMatchObject({ action: 'wait', matched: true })
})

browserTest('every way to look at a page', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => `<tr><td>${i}<td>Customer ${i}<td><button>Edit</button>`).join('')
  const { site, call } = await staged({
    '/': `<title>List</title><h1>Customers</h1><table>${rows}</table><script>console.error('broken'); fetch('/missing')</script>`,
  })
  const opened = await call({ action: 'open', url: site.url })
  expect(opened.details.omitted.rows).toBeGreaterThan(25)
  const fold = refOf(opened.details.snapshot, 'more rows like these')
  const rest = await call({ action: 'snapshot', scope: fold })
  expect(rest.details.snapshot).toContain('Customer 30')
  expect((await call({ action: 'snapshot', query: 'Customer 33' })).details.snapshot).toContain('Customer 33')
  expect((await call({ action: 'text' })).details.text).toContain('Customer 39')
  const picture = await call({ action: 'screenshot', format: 'png', path: 'shot.png', labels: true })
  expect(picture.content.find((part) => part.type === 'image')).toMatchObject({ mimeType: 'image/png' })
  expect(picture.details).toMatchObject({ path: 'shot.png', width: 1280, height: 800, scale: 1, mimeType: 'image/png' })
  expect((await call({ action: 'console' })).details.entries).toContainEqual(expect.objectContaining({ level: 'error', text: 'broken' }))
  expect((await call({ action: 'network', filter: 'missing' })).details.entries).toEqual([expect.objectContaining({ method: 'GET', status: 404 })])
  expect((await call({ action: 'tabs' })).details.tabs).toEqual([{ tab: 't1', url: `${site.url}/`, title: 'List', active: true }])
  expect(await failureOf(call({ action: 'evaluate', expression: '1' }))).toMatchObject({ error_type: 'permission_denied' })
  expect((await call({ action: 'close' })).details.tabs).toEqual([])
  expect(await failureOf(call({ action: 'snapshot' }))).toMatchObject({ error_type: 'not_found' })
})

browserTest('what the agent may not read is not uploaded, and what it may not write is not downloaded', async () => {
  const { site, workspace, call } = await staged(
    {
      '/': '<input type=file aria-label=File onchange="this.files[0].text().then((text) => document.title = text)"><a href=/report download="../../evil.csv">Report</a>',
      '/report': (_, response) => void response.setHeader('content-type', 'text/csv').end('a,b\n'),
    },
    { permissions: { deny: ['Read(secret/**)', 'Edit(locked/**)'] } },
    { 'a.txt': 'hello', 'secret/key': 'x', 'locked/x': '' },
  )
  const { snapshot } = (await call({ action: 'open', url: site.url })).details
  const [file, report] = [refOf(snapshot, '"File"'), refOf(snapshot, '"Report"')]
  expect(await failureOf(call({ action: 'upload', ref: file, paths: ['secret/key'] }))).toMatchObject({
    error_type: 'permission_denied',
    details: { matched_rule: 'Read(secret/**)' },
  })
  expect(await failureOf(call({ action: 'upload', ref: file, paths: ['../../etc/passwd'] }))).toMatchObject({ error_type: 'permission_denied' })
  expect((await call({ action: 'upload', ref: file, paths: ['a.txt'] })).details.files).toEqual(['a.txt'])
  expect((await call({ action: 'wait', text: 'Report' })).details.title).toBe('hello')
  expect(await failureOf(call({ action: 'download', ref: report, path: 'locked/r.csv' }))).toMatchObject({
    error_type: 'permission_denied',
    details: { matched_rule: 'Edit(locked/**)' },
  })
  expect(site.requests).not.toContain('GET /report')
  const taken = await call({ action: 'download', ref: report, path: 'out/r.csv' })
  expect(taken.details).toMatchObject({ path: 'out/r.csv', size: 4, mimeType: 'text/plain' })
  expect(readFileSync(path.join(workspace, 'out/r.csv'), 'utf8')).toBe('a,b\n')
})

browserTest('addresses that lead inward are refused, wherever they come from', async () => {
  const inner = await siteOf({ '/': '<h1>Inner</h1>' })
  const { site, call } = await staged({
    '/': `<h1>Start</h1><a href="http://127.0.0.1:${inner.port}/">In</a><a href=/away>Away</a><iframe src="http://127.0.0.1:${inner.port}/frame"></iframe><img src="http://127.0.0.1:${inner.port}/image">`,
    '/away': (_, response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
    '/meta': '<meta http-equiv=refresh content="0;url=file:///etc/passwd"><h1>Meta</h1>',
  })
  for (const url of [
    'http://169.254.169.254/',
    `http://localhost:${inner.port}/`,
    inner.url,
    'http://[::ffff:127.0.0.1]/',
    'http://2130706433/',
    'file:///etc/passwd',
    'chrome://version',
    'javascript:1',
    'data:text/html,x',
    'view-source:http://a.example',
  ]) {
    expect(await failureOf(call({ action: 'open', url })), url).toMatchObject({ error_type: 'permission_denied' })
  }
  const { snapshot } = (await call({ action: 'open', url: site.url })).details
  for (const [link, url] of [
    ['"In"', `${inner.url}/`],
    ['"Away"', 'http://169.254.169.254/latest/meta-data'],
  ] as const) {
    const clicked = await call({ action: 'click', ref: refOf(snapshot, link) })
    expect(clicked.details.blocked, link).toEqual([expect.objectContaining({ url })])
    expect(textOf(clicked)).toContain(`Not opened: ${url}`)
  }
  expect(await failureOf(call({ action: 'navigate', url: `${site.url}/away` }))).toMatchObject({ error_type: 'permission_denied' })
  await call({ action: 'navigate', url: `${site.url}/meta` })
  expect((await call({ action: 'text' })).details.text).not.toContain('root:')
  expect(inner.requests).toEqual([])
})

browserTest('a name that leads inward is refused when it is resolved, and when it is resolved again', async () => {
  const inner = await siteOf({ '/': '<h1>Inner</h1>', '/again': '<h1>Inner</h1>' })
  const lookups: string[] = []
  const resolve = (host: string) => (lookups.push(host), ['127.0.0.1'])
  const { call } = await staged({}, { web: { fetch: { resolve } } })
  for (const url of [`http://rebind.example:${inner.port}/`, `http://rebind.example:${inner.port}/again`]) {
    expect(await failureOf(call({ action: 'open', url }))).toMatchObject({ error_type: 'permission_denied', details: { code: 'policy_denied', url } })
  }
  expect(await failureOf(call({ action: 'open', url: 'https://rebind.example/' }))).toMatchObject({
    error_type: 'execution_failed',
    details: { code: 'network' },
  })
  expect(lookups.length).toBeGreaterThanOrEqual(3)
  expect(inner.requests).toEqual([])
})

browserTest('rules on hosts hold for pages, frames, clicks and redirects', async () => {
  const other = await siteOf({ '/': '<h1>Other</h1>', '/frame': '<p>Framed</p>' })
  const place = `localhost:${other.port}`
  const { site, call } = await staged(
    {
      '/': `<h1>Start</h1><a href="http://${place}/">Other</a><a href=/hop>Hop</a><iframe src="http://${place}/frame"></iframe>`,
      '/hop': (_, response) => void response.writeHead(302, { location: `http://${place}/` }).end(),
    },
    { permissions: { deny: ['Browser(domain:localhost)'] }, browser: { allowPrivate: [place] } },
  )
  expect(await failureOf(call({ action: 'open', url: `http://${place}/` }))).toMatchObject({
    error_type: 'permission_denied',
    details: { matched_rule: 'Browser(domain:localhost)' },
  })
  const { snapshot } = (await call({ action: 'open', url: site.url })).details
  expect(snapshot).not.toContain('Framed')
  for (const link of ['"Other"', '"Hop"']) {
    const { details } = await call({ action: 'click', ref: refOf(snapshot, link) })
    expect(details.blocked, link).toEqual([expect.objectContaining({ url: `http://${place}/`, rule: 'Browser(domain:localhost)' })])
  }
  expect(other.requests).toEqual([])
})

browserTest('an approval holds a document until it is given, and a refusal is final', async () => {
  const other = await siteOf({ '/': '<h1>Other</h1>', '/again': '<h1>Again</h1>' })
  const place = `localhost:${other.port}`
  const asked: string[] = []
  const answers: Record<string, 'once' | 'never'> = {}
  const { site, call } = await staged(
    { '/': `<h1>Start</h1><a href="http://${place}/">Other</a><a href="http://${place}/again">Again</a>` },
    {
      permissions: { ask: ['WebFetch(domain:localhost)'] },
      browser: { allowPrivate: [place] },
      onApproval: async (request) => {
        asked.push(`${request.tool} ${JSON.stringify((request.preview as any).urls)}`)
        await new Promise((resolve) => setTimeout(resolve, 300))
        return answers[String((request.preview as any).urls?.[0])] ?? 'never'
      },
    },
  )
  const { snapshot } = (await call({ action: 'open', url: site.url })).details
  const refused = await call({ action: 'click', ref: refOf(snapshot, '"Other"') })
  expect(refused.details.blocked).toHaveLength(1)
  expect(other.requests).toEqual([])
  answers[`http://${place}/`] = 'once'
  answers[`http://${place}/again`] = 'once'
  expect((await call({ action: 'click', ref: refOf(snapshot, '"Other"') })).details.blocked).toHaveLength(1)
  const allowed = await call({ action: 'click', ref: refOf(snapshot, '"Again"') })
  expect(allowed.details).toMatchObject({ changed: 'navigation', url: `http://${place}/again` })
  expect(asked).toEqual([`browser ["http://${place}/"]`, `browser ["http://${place}/again"]`])
})

browserTest('data for a host that nobody has named requires approval, from forms and from scripts', async () => {
  const other = await siteOf({ '/take': '<h1>Taken</h1>' })
  const place = `localhost:${other.port}`
  const asked: string[] = []
  const { site, call } = await staged(
    {
      '/': `<form method=post action="http://${place}/take"><input name=q value=secret><button>Send</button></form><button onclick="fetch('http://${place}/take', { method: 'POST', mode: 'no-cors', body: 'secret' }); navigator.sendBeacon('http://${place}/take', 'secret')">Fetch</button><button onclick="fetch('/own', { method: 'POST', body: 'fine' })">Own</button>`,
      '/own': 'ok',
    },
    {
      browser: { allowPrivate: [place] },
      permissions: { deny: ['Read(.env)'] },
      onApproval: (request) => (asked.push(String((request.preview as any).hosts)), 'never' as const),
    },
  )
  const { snapshot } = (await call({ action: 'open', url: site.url })).details
  await call({ action: 'click', ref: refOf(snapshot, '"Own"') })
  const fetched = await call({ action: 'click', ref: refOf(snapshot, '"Fetch"') })
  expect(fetched.details.blocked.length).toBeGreaterThan(0)
  const sent = await call({ action: 'click', ref: refOf(snapshot, '"Send"') })
  expect(sent.details.blocked).toHaveLength(1)
  expect(site.bodies).toEqual(['fine'])
  expect(other.bodies).toEqual([])
  expect(new Set(asked)).toEqual(new Set(['localhost']))
})

browserTest('a frame that a page writes does not name its host for what the page sends', async () => {
  const other = await siteOf({ '/frame': '<p>Framed</p>', '/take': 'ok' })
  const place = `localhost:${other.port}`
  const send = `fetch('http://${place}/take', { method: 'POST', mode: 'no-cors', body: 'secret' })`
  const { site, call } = await staged(
    { '/': `<iframe src="http://${place}/frame"></iframe><button onclick="${send}">Fetch</button>` },
    { browser: { allowPrivate: [place], writes: 'deny' } },
  )
  const { snapshot } = (await call({ action: 'open', url: site.url })).details
  expect(snapshot).toContain('Framed')
  const fetched = await call({ action: 'click', ref: refOf(snapshot, '"Fetch"') })
  expect(fetched.details.blocked.length).toBeGreaterThan(0)
  expect(other.bodies).toEqual([])
})

browserTest('where only some hosts are allowed, actions on them need no approval and others do', async () => {
  const { site, call } = await staged(
    { '/': '<button onclick="this.textContent = \'Clicked\'">Click</button>' },
    { permissions: { allow: ['Browser(domain:127.0.0.1)'] } },
  )
  const { snapshot } = (await call({ action: 'open', url: site.url })).details
  expect((await call({ action: 'click', ref: refOf(snapshot, '"Click"') })).details.changed).toBe('page')
  expect(await failureOf(call({ action: 'open', url: 'http://example.com/' }))).toMatchObject({ error_type: 'permission_denied' })
})

browserTest('an abort ends a call at once, and the browser goes with the toolkit', async () => {
  const { site, toolkit, call } = await staged({ '/': '<h1>Here</h1>', '/slow': () => {} })
  await call({ action: 'open', url: site.url })
  expect(browserProcesses().length).toBeGreaterThan(0)
  const controller = new AbortController()
  const slow = failureOf(call({ action: 'navigate', url: `${site.url}/slow` }, controller.signal))
  setTimeout(() => controller.abort(), 200)
  expect(await slow).toMatchObject({ error_type: 'aborted' })
  expect((await call({ action: 'navigate', url: site.url })).details.snapshot).toContain('Here')
  await toolkit.close()
  expect(browserProcesses()).toEqual([])
})

browserTest('a browser that nobody uses is closed, and the next page gets a new one', async () => {
  const { site, call } = await staged({ '/': '<h1>Here</h1>' }, { browser: { idleMs: 300 } })
  const { snapshot } = (await call({ action: 'open', url: site.url })).details
  expect(snapshot).toContain('Here')
  const end = Date.now() + 30_000
  while (browserProcesses().length > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(browserProcesses()).toEqual([])
  expect(await failureOf(call({ action: 'snapshot' }))).toMatchObject({ message: 'The browser was closed. Open the page again.' })
  expect((await call({ action: 'open', url: site.url })).details.tab).toBe('t1')
})

test.runIf(process.platform === 'linux')('without a browser the error names one command', async () => {
  const toolkit = toolkitOf({}, { browser: { executable: '/nowhere/chromium' } })
  expect(await failureOf(toolkit.execute('browser', { action: 'open', url: 'http://example.com/' }))).toMatchObject({
    details: { code: 'unavailable' },
    message: expect.stringContaining('`/nowhere/chromium`'),
  })
})

test('hosts see that what pages say comes from the network', () => {
  const toolkit = toolkitOf({}, { browser: true, web: { search: { provider: async () => [] } } })
  for (const name of ['browser', 'web_fetch', 'web_search']) expect(toolkit.getTool(name)?.resultContentSource, name).toBe('network')
  expect(toolkit.getTool('read')?.resultContentSource).toBeUndefined()
})

/** A site that opens sockets, and remembers who connected. */
async function socketSite() {
  const upgrades: string[] = []
  const site = await siteOf({})
  site.http.on('upgrade', (request, socket) => {
    upgrades.push(String(request.url))
    socket.destroy()
  })
  return { ...site, upgrades }
}

/** Connects to this place over and over, from the page and from workers, and sends there. */
const sender = (place: string) =>
  `<h1>Sender</h1><script>const from = (name) => \`const connect = () => { const socket = new WebSocket('ws://${place}/\${name}'); socket.onclose = () => setTimeout(connect, 50) }; connect(); fetch('http://${place}/\${name}', { method: 'POST', mode: 'no-cors', body: '\${name}' }).catch(() => 0)\`;
  eval(from('page')); new Worker(URL.createObjectURL(new Blob([from('worker')]))); navigator.serviceWorker.register('/service.js')</script>`

const service = (place: string) => (_: unknown, response: import('node:http').ServerResponse) =>
  void response
    .setHeader('content-type', 'text/javascript')
    .end(`fetch('http://${place}/service', { method: 'POST', mode: 'no-cors', body: 'service' }).catch(() => 0); new WebSocket('ws://${place}/service')`)

async function until(found: () => boolean) {
  const end = Date.now() + 30_000
  while (!found() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50))
}

browserTest('sockets and workers reach any public host where nothing is restricted', async () => {
  const other = await socketSite()
  const { site, call } = await staged({ '/': sender(other.server), '/service.js': service(other.server) }, { browser: { allowPrivate: [other.server] } })
  await call({ action: 'open', url: site.url })
  await until(
    () => other.upgrades.includes('/page') && other.upgrades.includes('/worker') && other.bodies.includes('service') && other.bodies.includes('worker'),
  )
  expect(other.upgrades).toEqual(expect.arrayContaining(['/page', '/worker']))
  expect(other.bodies).toEqual(expect.arrayContaining(['page', 'worker', 'service']))
})

for (const answer of ['never', 'once'] as const)
  browserTest(`what workers and sockets send to a host that nobody has named requires approval: ${answer}`, async () => {
    const other = await socketSite()
    // Another name of the same machine: what is decided about is a host.
    const place = `localhost:${other.port}`
    const asked = new Set<string>()
    const { site, call } = await staged(
      { '/': sender(place), '/service.js': service(place) },
      {
        browser: { allowPrivate: [place] },
        permissions: { deny: ['Read(.env)'] },
        onApproval: (request) => (asked.add(String((request.preview as any).hosts)), answer),
      },
    )
    const opened = await call({ action: 'open', url: site.url })
    await call({ action: 'wait', time: 2 })
    expect([...asked]).toEqual(['localhost'])
    if (answer === 'never') {
      expect(other.upgrades).toEqual([])
      expect(other.bodies).toEqual([])
      const blocked = [...(opened.details.blocked ?? []), ...((await call({ action: 'scroll' })).details.blocked ?? [])]
      expect(blocked.map((it: any) => it.url)).toEqual(expect.arrayContaining([expect.stringContaining(`//${place}/`)]))
      return
    }
    await until(() => other.upgrades.includes('/page') && other.bodies.includes('page'))
    expect(other.upgrades).toContain('/page')
    expect(other.bodies).toContain('page')
  })
