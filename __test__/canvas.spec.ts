// The tool `canvas`: policy, the host's part, MCP Apps in a client of the official SDK and in the official host in Chromium.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { PassThrough } from 'node:stream'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { build } from 'esbuild'
import { expect, onTestFinished, test, vi } from 'vitest'

import { serveMcp, type ApprovalRequest, type ShownCanvas, type Toolkit } from '../index.js'
import { browse, chromium } from './support/chromium.js'
import { ROOT } from './support/run.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const UI = 'io.modelcontextprotocol/ui'
const MIME_TYPE = 'text/html;profile=mcp-app'
const APPS = { extensions: { [UI]: { mimeTypes: [MIME_TYPE] } } }

/** The text of a result. */
const textOf = ({ content }: { content: any[] }) => content.map((part) => part.text ?? `[${part.mimeType}]`).join('\n')

/** A client over streams, with these capabilities. */
async function clientOf(toolkit: Toolkit<any>, capabilities: any) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const connection = serveMcp(toolkit, { input, output })
  const client = new Client({ name: 'client', version: '1.0.0' }, { capabilities })
  let pending = ''
  const transport: any = {
    start: async () => {
      output.on('data', (chunk) => {
        const lines = (pending + chunk).split('\n')
        pending = lines.pop()!
        for (const line of lines) transport.onmessage?.(JSON.parse(line))
      })
    },
    send: async (message: object) => void input.write(`${JSON.stringify(message)}\n`),
    close: async () => transport.onclose?.(),
  }
  onTestFinished(async () => {
    await client.close()
    connection.close()
  })
  await client.connect(transport)
  return client
}

test('the tool is there only with the option', async () => {
  const names = (toolkit: Toolkit<any>) => toolkit.listTools().map(({ name }) => name)
  expect(names(toolkitOf())).not.toContain('canvas')
  expect(names(toolkitOf({}, { canvas: false }))).not.toContain('canvas')
  expect(names(toolkitOf({}, { canvas: true }))).toContain('canvas')
  const plain = toolkitOf()
  expect(plain.canvases()).toBeUndefined()
  expect(plain.canvas('ui://tenon/canvas')).toBeUndefined()
  const error = await failureOf(plain.execute('canvas', { action: 'list' }))
  expect(error).toMatchObject({ error_type: 'execution_failed', details: { code: 'unavailable' } })
})

test('options that do not exist, and origins that are none, are named', () => {
  const message = (canvas: any) => {
    try {
      toolkitOf({}, { canvas })
    } catch (error: any) {
      return error.message
    }
  }
  expect(message({ conect: [] })).toContain('Did you mean `canvas.connect`?')
  expect(message({ browser: { sandbx: true } })).toContain('Did you mean `canvas.browser.sandbox`?')
  expect(message({ connect: ['http://a.test'] })).toContain('`canvas.connect`: `http://a.test` is not an origin')
  expect(message('yes')).toBeDefined()
})

test('a canvas is presented, changed, hidden and listed, and every result says what is shown', async () => {
  const toolkit = toolkitOf({ 'page.html': '<h1>From a file</h1>' }, { canvas: true })
  const present = await toolkit.execute('canvas', {
    action: 'present',
    title: 'Chart',
    name: 'chart',
    parts: [
      {
        kind: 'bar',
        title: 'Sales',
        rows: [
          { month: 'Jan', sold: 3 },
          { month: 'Feb', sold: 5 },
        ],
      },
    ],
  })
  const { url, bytes } = present.details
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/c1$/)
  expect(present.details).toEqual({
    ok: true,
    action: 'present',
    canvasId: 'c1',
    name: 'chart',
    title: 'Chart',
    url,
    resourceUri: 'ui://tenon/canvas/c1',
    version: 1,
    bytes,
    hidden: false,
    eventCount: 0,
  })
  expect(textOf(present)).toBe(`Presented canvas c1 \`chart\` "Chart", version 1 (${bytes} bytes): bar "Sales" of 2 labels, 1 series, 3 to 5.\nURL: ${url}`)
  const changed = await toolkit.execute('canvas', { action: 'update', name: 'chart', path: 'page.html', data: { n: 1 } })
  expect(changed.details).toMatchObject({ canvasId: 'c1', version: 2, url })
  expect(textOf(changed)).toContain('text "From a file"')
  expect(toolkit.canvas('ui://tenon/canvas/c1')!.state).toMatchObject({ html: '<h1>From a file</h1>', data: { n: 1 }, version: 2 })
  const hidden = await toolkit.execute('canvas', { action: 'hide', canvasId: 'c1' })
  expect(textOf(hidden)).toBe('Hidden: canvas c1 `chart` "Chart".')
  const updated = await toolkit.execute('canvas', { action: 'update', canvasId: 'c1', data: { n: 2 } })
  expect(textOf(updated)).toContain('It is hidden: present it again to show it.')
  const list = await toolkit.execute('canvas', { action: 'list' })
  expect(list.details.canvases).toMatchObject([{ canvasId: 'c1', hidden: true, version: 3 }])
  expect(toolkit.canvases()).toEqual([{ uri: 'ui://tenon/canvas/c1', title: 'Chart' }])
  await toolkit.close()
  await expect(fetch(url!)).rejects.toThrow()
})

test.for([
  [{ action: 'present', title: 'x', html: '<p>a</p>\n<script>if (</script>' }, 'syntax_error', 'line 2, column'],
  [{ action: 'present', title: 'x' }, 'invalid_params', 'There is nothing to show. Pass `html`, `path` or `parts`.'],
  [{ action: 'present', html: 'x' }, 'invalid_params', '`title` is required (string).'],
  [{ action: 'present', title: 'x', html: 'x', path: 'y' }, 'invalid_params', 'Pass one of `html`, `path` and `parts`, not several.'],
  [{ action: 'present', title: 'x', path: '../y.html' }, 'outside_workspace', ''],
  [{ action: 'present', title: 'x', path: 'missing.html' }, 'not_found', 'missing.html'],
  [{ action: 'present', title: 'x', html: 'x', connect: ['https://a.test/path'] }, 'invalid_params', '`connect`: `https://a.test/path` is not an origin.'],
  [{ action: 'present', title: 'x', html: 'x', name: 'a/b' }, 'invalid_params', '`name` must be 1 to 64 letters'],
  [{ action: 'present', title: 'x'.repeat(121), html: 'x' }, 'invalid_params', 'title'],
  [{ action: 'present', title: 'x', html: 'x'.repeat(256 * 1024 + 1) }, 'too_large', 'the limit is 262144'],
  [{ action: 'present', title: 'x', html: 'x', data: { x: 'x'.repeat(256 * 1024) } }, 'too_large', '`data` has 262152 bytes of JSON'],
  [{ action: 'present', title: 'x', html: 'x', width: 10 }, 'invalid_params', 'width'],
  [{ action: 'update', canvasId: 'c9', data: {} }, 'not_found', '`canvasId`: there is no canvas `c9`. Nothing is shown.'],
  [{ action: 'update', canvasId: 'c9' }, 'invalid_params', 'There is nothing to update.'],
  [{ action: 'snapshot' }, 'invalid_params', '`canvasId` or `name` is required for this action.'],
  [{ action: 'show' }, 'invalid_params', 'action'],
  [{ action: 'present', title: 'x', parts: [{ kind: 'pie' }] }, 'invalid_params', 'kind'],
] as const)('what cannot be shown is refused by its name: %j', async ([params, code, text]) => {
  const error = await failureOf(toolkitOf({}, { canvas: true }).execute('canvas', params as any))
  expect(error.details.code).toBe(code)
  expect(error.message).toContain(text)
})

test('showing asks nobody, but origins of others do, each time that something is sent there', async () => {
  const asked: ApprovalRequest[] = []
  const answers = ['once', 'never'] as const
  const onApproval = async (request: ApprovalRequest) => answers[asked.push(request) - 1] ?? 'never'
  const toolkit = toolkitOf({}, { canvas: { connect: ['https://granted.test'] }, onApproval })
  await toolkit.execute('canvas', { action: 'present', title: 'Plain', html: 'x', connect: ['https://granted.test'] })
  expect(asked).toEqual([])
  await toolkit.execute('canvas', { action: 'present', title: 'Open', html: 'x', connect: ['https://api.test'] })
  expect(asked).toHaveLength(1)
  expect(JSON.stringify(asked[0])).toContain('api.test')
  const error = await failureOf(toolkit.execute('canvas', { action: 'update', canvasId: 'c2', data: { secret: 1 } }))
  expect(error.error_type).toBe('permission_denied')
  expect(asked).toHaveLength(2)
  expect(toolkit.canvas('ui://tenon/canvas/c2')!.csp).toEqual({ connectDomains: ['https://api.test', 'https://granted.test'], resourceDomains: [] })
})

test('rules on hosts and on the tool bind', async () => {
  const denied = toolkitOf({}, { canvas: true, permissions: { deny: ['WebFetch(domain:api.test)'] } })
  const open = { action: 'present' as const, title: 'x', html: 'x', resources: ['https://api.test'] }
  expect((await failureOf(denied.execute('canvas', open))).error_type).toBe('permission_denied')
  await denied.execute('canvas', { ...open, resources: ['https://other.test'] })
  const secret = toolkitOf({ 'secret.html': '<p>secret' }, { canvas: true, permissions: { deny: ['Read(secret.html)'] } })
  expect((await failureOf(secret.execute('canvas', { action: 'present', title: 'x', path: 'secret.html' }))).error_type).toBe('permission_denied')
  const off = toolkitOf({}, { canvas: true, permissions: { deny: ['canvas'] } })
  expect((await failureOf(off.execute('canvas', { action: 'list' }))).error_type).toBe('permission_denied')
})

test('the host opens what is presented; where it cannot, the canvas is there all the same', async () => {
  const shown: ShownCanvas[] = []
  const showCanvas = vi.fn(async (request: ShownCanvas) => void shown.push(request))
  const toolkit = toolkitOf({}, { canvas: true, host: { showCanvas } })
  const present = (title: string) => toolkit.execute('canvas', { action: 'present', title, html: '<p>here</p>' }, { toolCallId: 'call-1' })
  const first = await present('One')
  expect(first.details.opened).toBe(true)
  const { text, ...resource } = shown[0]!.resource
  expect({ ...shown[0], resource }).toEqual({
    toolCallId: 'call-1',
    canvasId: 'c1',
    name: null,
    title: 'One',
    url: first.details.url,
    resource: { uri: 'ui://tenon/canvas/c1', mimeType: MIME_TYPE, _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } } },
  })
  expect(text).toContain('<p>here</p>')
  showCanvas.mockRejectedValueOnce(new Error('no window'))
  const second = await present('Two')
  expect(second.details.opened).toBe(false)
  expect(textOf(second)).toContain('`host.showCanvas` failed: no window. Give the user the URL.')
  showCanvas.mockResolvedValueOnce(false as any)
  expect((await present('Three')).details.opened).toBe(false)
})

test('an MCP client without the extension sees a tool like others, and no pages', async () => {
  const toolkit = toolkitOf({}, { canvas: true })
  for (const capabilities of [{}, { extensions: { [UI]: {} } }, { extensions: { [UI]: { mimeTypes: ['text/html'] } } }]) {
    const client = await clientOf(toolkit, capabilities)
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, logging: {}, resources: {} })
    const tool = (await client.listTools()).tools.find(({ name }) => name === 'canvas')!
    expect(tool._meta).toBeUndefined()
    const result: any = await client.callTool({ name: 'canvas', arguments: { action: 'present', title: 'x', name: 'x', html: 'x' } })
    expect(Object.keys(result._meta)).toEqual(['tenon/details'])
    expect(await client.listResources()).toEqual({ resources: [] })
  }
})

test('a toolkit that shows no pages offers none to a client with the extension', async () => {
  const client = await clientOf(toolkitOf(), APPS)
  expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, logging: {}, resources: {} })
})

test('an MCP client with the extension gets the tool with its page, the content with the result, and every canvas as a resource', async () => {
  const client = await clientOf(toolkitOf({}, { canvas: true }), APPS)
  expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, logging: {}, resources: {}, extensions: { [UI]: { mimeTypes: [MIME_TYPE] } } })
  const { tools } = await client.listTools()
  expect(tools.find(({ name }) => name === 'canvas')!._meta).toEqual({
    ui: { resourceUri: 'ui://tenon/canvas', visibility: ['model'] },
    'ui/resourceUri': 'ui://tenon/canvas',
  })
  expect(tools.filter(({ _meta }) => _meta && 'ui' in _meta)).toHaveLength(1)
  const result: any = await client.callTool({ name: 'canvas', arguments: { action: 'present', title: 'Title', html: '<p>x</p>', data: { n: 1 } } })
  expect(result._meta['tenon/canvas']).toEqual({ canvasId: 'c1', title: 'Title', hash: 'c1-1', version: 1, html: '<p>x</p>', data: { n: 1 } })
  expect(textOf(result)).not.toContain('<p>')
  const listed: any = await client.callTool({ name: 'canvas', arguments: { action: 'list' } })
  expect(listed._meta).not.toHaveProperty('tenon/canvas')
  const { resources } = await client.listResources()
  expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
    ['ui://tenon/canvas', MIME_TYPE],
    ['ui://tenon/canvas/c1', MIME_TYPE],
  ])
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['output://{number}{?offset}', 'ui://tenon/canvas/{id}'])
  const { contents } = await client.readResource({ uri: 'ui://tenon/canvas/c1' })
  expect(contents[0]).toMatchObject({
    uri: 'ui://tenon/canvas/c1',
    mimeType: MIME_TYPE,
    _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
  })
  expect((contents[0] as any).text).toContain('<p>x</p>')
  await expect(client.readResource({ uri: 'ui://tenon/canvas/c2' })).rejects.toThrow('There is no resource')
})

test('`tenon mcp --canvas` shows pages', async () => {
  const client = new Client({ name: 'client', version: '1.0.0' }, { capabilities: APPS as any })
  const args = [path.join(ROOT, 'bin/tenon.js'), 'mcp', '--workspace', workspaceOf(), '--canvas']
  onTestFinished(() => client.close())
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }))
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('canvas')
})

/** Shows a scene in the official host in Chromium and returns what it reported, once that is enough. */
async function host(program: string, scene: object, isEnough: (reports: any[]) => boolean) {
  const bundle = await build({
    entryPoints: [path.join(ROOT, '__test__/support/apps-host.mjs')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  })
  const script = bundle.outputFiles[0]!.text
  const reports: any[] = []
  let tearDown = () => {}
  const isOver = new Promise<void>((resolve) => (tearDown = resolve))
  const server = createServer(async (request, response) => {
    if (request.url === '/scene') return response.end(JSON.stringify(scene))
    if (request.url === '/host.js') return response.setHeader('content-type', 'text/javascript').end(script)
    if (request.url === '/torndown') {
      await isOver
      return response.end('now')
    }
    if (request.url === '/report') {
      const chunks = []
      for await (const chunk of request) chunks.push(chunk)
      reports.push(JSON.parse(Buffer.concat(chunks).toString()))
      return response.end()
    }
    return response.setHeader('content-type', 'text/html').end('<!doctype html><body><script type="module" src="/host.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  browse(program, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await vi.waitFor(() => expect(isEnough(reports), JSON.stringify(reports)).toBe(true), { timeout: 60_000, interval: 50 })
  tearDown()
  await vi.waitFor(() => expect(reports.at(-1)?.kind === 'torndown' || reports.some(({ kind }) => kind === 'torndown')).toBe(true), {
    timeout: 30_000,
    interval: 50,
  })
  return reports
}

test.for(['ui://tenon/canvas', 'ui://tenon/canvas/c1'])(
  'the official host of MCP Apps shows %s and takes its events',
  { timeout: 120_000 },
  async (uri, { skip }) => {
    const program = chromium()
    if (program === undefined) return skip('no Chromium is installed')
    const toolkit = toolkitOf({}, { canvas: true })
    const client = await clientOf(toolkit, APPS)
    const { tools } = await client.listTools()
    const html = `<h1>Shown</h1><button id=yes data-event=approve data-value=yes>Yes</button><a id=away href="https://example.com/">Away</a><div style="height: 300px"></div>
    <script>
      let seen = []
      tenon.onData((data) => { seen.push(data.n); if (data.n === 2) { yes.click(); away.click(); tenon.message('seen ' + seen.join()); setTimeout(() => missing(), 0) } })
    </script>`
    const input = { action: 'present', title: 'Shown', html, data: { n: 1 } }
    const first = await client.callTool({ name: 'canvas', arguments: input })
    const { contents } = await client.readResource({ uri })
    const second = await client.callTool({ name: 'canvas', arguments: { action: 'update', canvasId: 'c1', data: { n: 2 } } })
    const [{ text, _meta }] = contents as any
    const scene = { html: text, csp: _meta.ui.csp, tool: tools.find(({ name }) => name === 'canvas'), input, results: [first, second] }
    const kinds = (reports: any[]) => new Set(reports.map(({ kind }) => kind))
    const reports = await host(
      program,
      scene,
      (reports) => kinds(reports).has('fault') || ['app', 'size', 'message', 'context', 'link', 'log'].every((kind) => kinds(reports).has(kind)),
    )
    const one = (kind: string) => reports.find((report) => report.kind === kind)
    expect(one('fault')).toBeUndefined()
    expect(one('app')).toMatchObject({ info: { name: 'tenon-canvas' }, capabilities: { availableDisplayModes: ['inline', 'fullscreen'] } })
    expect(one('message')).toEqual({ kind: 'message', role: 'user', content: [{ type: 'text', text: 'seen 1,2' }] })
    expect(one('context').structuredContent.event).toEqual({ type: 'approve', data: 'yes' })
    expect(one('context').content).toEqual([{ type: 'text', text: 'approve "yes"' }])
    expect(one('link')).toEqual({ kind: 'link', url: 'https://example.com/' })
    expect(one('log')).toMatchObject({ level: 'error' })
    expect(reports.filter(({ kind }) => kind === 'size').at(-1).height).toBeGreaterThan(300)
  },
)

test('a page reports to the model over its own server, and a picture shows it', { timeout: 120_000 }, async (_, { skip } = _ as any) => {
  if (chromium() === undefined) return skip('no Chromium is installed')
  const toolkit = toolkitOf({}, { canvas: true })
  await toolkit.execute('canvas', { action: 'present', title: 'Picture', parts: [{ kind: 'facts', rows: [{ State: 'done' }] }] })
  const picture = await toolkit.execute('canvas', { action: 'snapshot', canvasId: 'c1', width: 400 })
  expect(picture.details).toMatchObject({ action: 'snapshot', canvasId: 'c1', width: 400, mimeType: 'image/png', consoleErrors: [], overflow: false })
  expect(picture.content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' })
  expect(textOf(picture)).toContain('It shows facts (State: done).')
})
