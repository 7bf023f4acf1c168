// The page of `tenon inspect`, live and recorded, in a real browser where there is one.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { expect, onTestFinished, test, vi } from 'vitest'

import type { ToolkitOptions } from '../index.js'
import { chromium } from './support/chromium.js'
import { pageOf, type Page } from './support/page.js'
import { ROOT, run } from './support/run.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const BIN = path.join(ROOT, 'bin/tenon.js')
const AXE = readFileSync(path.join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
const VIEWS = ['timeline', 'changes', 'approvals', 'policy', 'tools', 'processes', 'machine']
/** Whether the policy was built for WebAssembly. */
const HAS_POLICY = existsSync(path.join(ROOT, 'wasm/tenon-policy.wasm'))
const patience = { timeout: 30_000, interval: 20 }
/** Where pictures for the docs go; they are taken only when this is set. */
const PICTURES = process.env.TENON_PICTURES

const pageTest = (name: string, work: () => Promise<void>) => test.skipIf(chromium() === undefined)(name, { timeout: 120_000 }, work)

/** A request of a client that chooses its headers itself. */
function ask(
  url: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; headers: Record<string, any>; text: string }> {
  const { hostname, port, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: pathname + search, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const post = (url: string, body: object) => ask(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

async function live(options: Partial<ToolkitOptions> = {}, files: Record<string, string> = { 'a.txt': 'one\n' }) {
  const toolkit = toolkitOf({}, { workspace: workspaceOf(files), ...options })
  const { url, close } = await toolkit.inspect()
  return { toolkit, url, close, read: async (name: string) => JSON.parse((await ask(url + name)).text) }
}

/** `tenon inspect` until the test is over. */
async function served(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [BIN, 'inspect', ...args], { cwd: ROOT })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  onTestFinished(() => void child.kill('SIGKILL'))
  await vi.waitFor(() => expect(printed).toMatch(/^http:\S+\n$/), patience)
  return printed.trim()
}

/** A record as a toolkit writes it, of this many calls in two sessions. */
function recordOf(count: number): string {
  const lines: string[] = []
  let at = 1_795_440_000_000
  for (let index = 0; index < count; index += 1) {
    const call = { toolCallId: `call_${index}`, tool: ['read', 'exec', 'edit', 'grep'][index % 4] }
    const push = (type: string, more: object = {}) =>
      lines.push(JSON.stringify({ seq: lines.length + 1, at: (at += 7), session: index % 10 === 9 ? 'child' : 'main', type, ...call, ...more }))
    push('called', { params: index % 4 === 1 ? { command: `npm test -- file${index}` } : { file_path: `src/file-${index}.ts` } })
    push('judged', { verdict: 'allow', reason: 'No rule matches.', matched_rule: null, parts: [], mode: 'default' })
    push('started')
    push('finished', {
      success: index % 17 !== 0,
      durationMs: 20,
      summary: 'line '.repeat(60),
      bytes: 300,
      estimatedTokens: 75,
      details: { path: 'x', lines: 3 },
    })
  }
  const file = path.join(workspaceOf(), 'session.jsonl')
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

test('only who knows the address gets an answer, and no other page of the web', async () => {
  const { url, close } = await live()
  const origin = new URL(url).origin
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/)
  const statusOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).status
  expect(await statusOf(url)).toBe(200)
  expect(await statusOf(`${origin}/`)).toBe(404)
  expect(await statusOf(`${origin}/${'x'.repeat(32)}/session`)).toBe(404)
  expect(await statusOf(`${url}nope`)).toBe(404)
  expect(await statusOf(`${url}../session`)).toBe(404)
  for (const host of ['evil.example', `localhost:${new URL(url).port}`, '127.0.0.1', `127.0.0.1:${new URL(url).port}.evil.example`])
    expect(await statusOf(url, { headers: { host } })).toBe(403)
  expect(await statusOf(`${url}session`, { headers: { origin: 'http://evil.example' } })).toBe(403)
  expect(await statusOf(`${url}session`, { headers: { 'sec-fetch-site': 'cross-site' } })).toBe(403)
  expect(await statusOf(`${url}answer`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' })).toBe(415)
  expect(await statusOf(`${url}answer`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[' })).toBe(400)
  expect(await statusOf(`${url}answer`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: 'null' })).toBe(400)
  expect(await statusOf(`${url}answer`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: `"${'x'.repeat(1_100_000)}"` })).toBe(413)
  expect(await statusOf(url, { method: 'PUT' })).toBe(405)
  const { headers } = await ask(url)
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  })
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'sha256-[^']+' 'sha256-[^']+' 'wasm-unsafe-eval'; style-src 'sha256-[^']+'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
  await close()
  await expect(ask(url)).rejects.toThrow()
})

test('a running toolkit is shown with full results, and calls of the session are tried with other rules', async () => {
  const { toolkit, read, url } = await live()
  await toolkit.execute('read', { file_path: 'a.txt' }, { toolCallId: 'r' })
  await toolkit.execute('exec', { command: 'echo hi' }, { toolCallId: 'x' })
  await toolkit.execute('read', { file_path: 'nope' }).catch(() => {})
  await vi.waitFor(
    async () =>
      expect((await read('session')).rows.map(({ tool, state }: any) => [tool, state])).toEqual([
        ['read', 'done'],
        ['exec', 'done'],
        ['read', 'failed'],
      ]),
    patience,
  )
  expect(await read('call?n=0')).toMatchObject({
    id: 'r',
    params: { file_path: 'a.txt' },
    result: { content: [{ type: 'text', text: 'one\n' }] },
    decisions: [{ verdict: 'allow' }],
  })
  expect((await ask(`${url}call?n=99`)).status).toBe(404)
  const simulated = JSON.parse((await post(`${url}simulate`, { permissions: { deny: ['Bash(echo:*)'] } })).text)
  expect(simulated.calls.map(({ n, before, after, changed }: any) => [n, before, after, changed])).toEqual([
    [0, 'allow', 'allow', false],
    [1, 'allow', 'deny', true],
    [2, 'allow', 'allow', false],
  ])
  const decided = JSON.parse((await post(`${url}decide`, { tool: 'exec', params: { command: 'rm -rf a && ls' }, permissions: { ask: ['Bash(rm:*)'] } })).text)
  expect(decided).toMatchObject({
    verdict: 'ask',
    parts: [
      { subject: 'rm -rf a', verdict: 'ask', matched_rule: 'Bash(rm:*)' },
      { subject: 'ls', verdict: 'allow' },
    ],
  })
  expect((await post(`${url}decide`, { tool: 'exec', params: { command: 'x' }, permissions: { deny: ['Nope('] } })).status).toBe(422)
  const imported = JSON.parse((await post(`${url}import`, { format: 'claude-code', text: '{"permissions":{"deny":["Bash(rm:*)"]}}' })).text)
  expect(imported).toMatchObject({ permissions: { deny: ['Bash(rm:*)'] }, report: [] })
  expect((await post(`${url}import`, { format: 'nope', text: '{' })).status).toBe(422)
  const { columns, operations, totals } = await read('tools')
  expect(columns).toEqual(['this toolkit', 'agent', 'canonical', 'coder', 'manager', 'acp'])
  expect(operations.find(({ operation }: any) => operation === 'read').names).toMatchObject({
    canonical: [{ name: 'Read', tokens: expect.any(Number) }],
    acp: [{ name: 'read_file' }],
  })
  expect(totals[0]).toBe(totals[1])
  expect(await read('machine')).toMatchObject({ native: { file: expect.any(String) }, verdict: expect.any(Array) })
})

test('the page approves, refuses and remembers; the approver of the host may be quicker', async () => {
  const alone = await live({ inspect: true, permissions: { defaultMode: 'ask' } })
  const asked = async (session: any) => {
    await vi.waitFor(async () => expect((await session.read('session')).inbox).toHaveLength(1), patience)
    return (await session.read('session')).inbox[0]
  }
  const write = alone.toolkit.execute('write', { file_path: 'b.txt', content: 'x\n' })
  const { id, request: shown } = await asked(alone)
  expect(shown).toMatchObject({ tool: 'write', preview: { diff: expect.stringContaining('+x') }, remembers: ['Edit(b.txt)'] })
  expect((await post(`${alone.url}answer`, { id, answer: 'maybe' })).status).toBe(409)
  expect((await post(`${alone.url}answer`, { id, answer: 'once' })).status).toBe(200)
  expect((await post(`${alone.url}answer`, { id, answer: 'once' })).status).toBe(409)
  await write
  const refused = alone.toolkit.execute('exec', { command: 'rm b.txt' })
  await post(`${alone.url}answer`, { id: (await asked(alone)).id, answer: 'never' })
  await expect(refused).rejects.toMatchObject({ error_type: 'permission_denied' })
  await vi.waitFor(
    async () =>
      expect((await alone.read('session')).answers).toMatchObject([
        { tool: 'write', answered: { answer: 'once', by: 'approver' } },
        { tool: 'exec', answered: { answer: 'never' } },
      ]),
    patience,
  )

  let received: AbortSignal | undefined
  const both = await live({
    permissions: { defaultMode: 'ask' },
    onApproval: (request, { signal }) => {
      received = signal
      return request.tool === 'exec' ? 'once' : new Promise(() => {})
    },
  })
  await both.toolkit.execute('exec', { command: 'echo x' })
  const waiting = both.toolkit.execute('write', { file_path: 'c.txt', content: '' })
  await post(`${both.url}answer`, { id: (await asked(both)).id, answer: 'once' })
  await waiting
  expect(received?.aborted).toBe(true)
})

test('without an open page nobody approves, and a call that is aborted leaves the inbox', async () => {
  const toolkit = toolkitOf({}, { inspect: true, permissions: { defaultMode: 'ask' } })
  await expect(toolkit.execute('exec', { command: 'echo x' })).rejects.toThrow('call `toolkit.inspect()` first')
  expect(() => toolkitOf({}, { inspect: 'yes' as never })).toThrow('`inspect` must be true or false')
  await expect(toolkit.inspect({ prot: 1 } as never)).rejects.toThrow('Unknown option `prot` of `inspect`')
  const { url } = await toolkit.inspect()
  expect((await toolkit.inspect()).url).toBe(url)
  const abort = new AbortController()
  const call = toolkit.execute('exec', { command: 'echo x' }, { signal: abort.signal })
  const inbox = async () => JSON.parse((await ask(`${url}session`)).text).inbox
  await vi.waitFor(async () => expect(await inbox()).toHaveLength(1), patience)
  abort.abort()
  await expect(call).rejects.toMatchObject({ error_type: 'aborted' })
  await vi.waitFor(async () => expect(await inbox()).toEqual([]), patience)
  const left = toolkit.execute('exec', { command: 'echo y' })
  await vi.waitFor(async () => expect(await inbox()).toHaveLength(1), patience)
  await (await toolkit.inspect()).close()
  await expect(left).rejects.toThrow('the page that answers was closed')
  const again = await toolkit.inspect()
  await toolkit.close()
  await expect(ask(url)).rejects.toThrow()
  await expect(ask(again.url)).rejects.toThrow()
})

test('changes are undone to before a call, and not over those of others', async () => {
  const { toolkit, read, url } = await live()
  const file = (toolkit as any).history && path.join((await read('session')).title, 'a.txt')
  await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] })
  await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'two', newText: 'three' }] })
  await vi.waitFor(
    async () =>
      expect((await read('changes')).map(({ diff, canUndo }: any) => [diff.includes('+three'), canUndo])).toEqual([
        [false, true],
        [true, true],
      ]),
    patience,
  )
  expect((await post(`${url}undo`, { n: 1 })).status).toBe(200)
  expect(readFileSync(file, 'utf8')).toBe('two\n')
  writeFileSync(file, 'mine\n')
  expect((await post(`${url}undo`, { n: 0 })).status).toBe(422)
  expect(readFileSync(file, 'utf8')).toBe('mine\n')
  expect((await post(`${url}undo`, { n: 0, force: true })).status).toBe(200)
  expect(readFileSync(file, 'utf8')).toBe('one\n')
})

test('the calls of sub-agents are lanes of their own, live and recorded', async () => {
  const record = path.join(workspaceOf(), 'session.jsonl')
  const runAgent = async (_: unknown, { tools }: any) => {
    await tools.find(({ name }: any) => name === 'read').execute('inner', { file_path: 'a.txt' })
    return 'done'
  }
  const { toolkit, read } = await live({ record, host: { runAgent }, permissions: { defaultMode: 'allow' } })
  await toolkit.execute('task', { agent: 'scout', objective: 'look' })
  const check = (session: any) => {
    expect(session.rows.map(({ tool }: any) => tool)).toEqual(['task', 'read'])
    expect(session.rows[1].session).not.toBe(session.rows[0].session)
    expect(session.sessions.find(({ id }: any) => id === session.rows[1].session)).toMatchObject({ agent: 'scout', status: 'completed' })
  }
  await vi.waitFor(async () => check(await read('session')), patience)
  await toolkit.close()
  check(JSON.parse((await ask(`${await served(record)}session`)).text))
})

test('a record is read as it grows, with the files that it was renamed to; broken lines are counted', async () => {
  const [whole] = [readFileSync(recordOf(3), 'utf8').trimEnd().split('\n')]
  const file = path.join(workspaceOf(), 'r.jsonl')
  writeFileSync(`${file}.2`, `${whole.slice(0, 4).join('\n')}\n`)
  writeFileSync(`${file}.1`, `${whole.slice(4, 7).join('\n')}\n`)
  writeFileSync(file, `${whole[7]}\nnot json\nnull\n{"type":"lost","count":3}\n`)
  const url = await served(file)
  const session = async () => JSON.parse((await ask(`${url}session`)).text)
  expect(await session()).toMatchObject({
    rows: [
      { id: 'call_0', state: 'failed' },
      { id: 'call_1', state: 'done' },
    ],
    unreadable: 2,
    lost: 3,
    isLive: false,
  })
  writeFileSync(file, `${whole.slice(8).join('\n')}\n{"type":"called","half`, { flag: 'a' })
  await vi.waitFor(async () => expect((await session()).rows).toHaveLength(3), patience)
  expect((await post(`${url}undo`, { n: 0 })).status).toBe(409)
  expect((await post(`${url}decide`, { tool: 'exec', params: { command: 'ls' } })).status).toBe(200)
})

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(`${AXE};0`)
  const found: string[] = []
  for (const view of VIEWS) {
    await page.evaluate(`open('${view}')`)
    await page.until(`document.querySelector('#panel-${view}').textContent.trim() !== ''`)
    found.push(
      ...(await page.evaluate(`axe.run().then(({ violations }) => violations.map(({ id, nodes }) => '${view} ' + id + ': ' + nodes[0].html.slice(0, 200)))`)),
    )
  }
  return found
}

async function picture(page: Page, name: string): Promise<void> {
  if (!PICTURES) return
  mkdirSync(PICTURES, { recursive: true })
  writeFileSync(path.join(PICTURES, `${name}.png`), await page.screenshot())
}

/** A session worth looking at. */
async function workedIn() {
  const files = { 'src/cart.ts': 'export const total = (items: number[]) => items.reduce((sum, item) => sum + item)\n', 'package.json': '{}\n' }
  const session = await live(
    {
      inspect: true,
      permissions: { allow: ['Read', 'Grep', 'Glob', 'Edit(src/**)', 'Bash(echo:*)'], ask: ['Bash(rm:*)'], deny: ['Bash(git push:*)'], defaultMode: 'allow' },
    },
    files,
  )
  const { toolkit } = session
  await toolkit.execute('read', { file_path: 'src/cart.ts' })
  await toolkit.execute('grep', { pattern: 'total' })
  await toolkit.execute('edit', { file_path: 'src/cart.ts', edits: [{ oldText: 'sum + item)', newText: 'sum + item, 0)' }] })
  await toolkit.execute('exec', { command: "printf '\\033[32mok\\033[0m 12 tests passed\\n'" })
  await toolkit.execute('exec', { command: 'git push --force' }).catch(() => {})
  await toolkit.execute('exec', { command: "printf '\\033[36mserver\\033[0m listening on 3000\\n'; sleep 600", background: true })
  const pending = toolkit.execute('exec', { command: 'rm -rf build && echo done' })
  pending.catch(() => {})
  await vi.waitFor(async () => expect((await session.read('session')).inbox).toHaveLength(1), patience)
  return { ...session, pending }
}

pageTest('the page passes axe, light and dark, and asks for nothing but itself', async () => {
  const { url } = await workedIn()
  for (const dark of [false, true]) {
    const page = await pageOf(url, { dark })
    expect(await violations(page)).toEqual([])
    for (const view of dark ? [] : ['approvals', 'policy', 'tools', 'processes']) {
      await page.evaluate(`open('${view}')`)
      if (view === 'policy') {
        await page.evaluate(`[...document.querySelectorAll('#panel-policy button')][0].click()`)
        await page.until(`document.querySelector('#lab-results .tree') !== null`)
      }
      await picture(page, `inspect-${view}`)
    }
    await page.evaluate(`open('timeline'); select(2)`)
    await page.until(`document.querySelector('#detail').textContent.includes('cart.ts')`)
    await picture(page, dark ? 'inspect-dark' : 'inspect-timeline')
    expect(page.faults).toEqual([])
    expect(page.requests.filter((asked) => !asked.startsWith(url))).toEqual([])
  }
})

pageTest('the page is worked with the keyboard alone, and approves a call', async () => {
  const { url, pending } = await workedIn()
  const page = await pageOf(url)
  const focus = () => page.evaluate(`document.activeElement.id || document.activeElement.textContent`)
  await page.evaluate(`byId('tab-timeline').focus()`)
  for (let step = 0; step < 4; step += 1) await page.press('Tab')
  expect(await focus()).toBe('list')
  await page.press('ArrowDown')
  await page.press('ArrowDown')
  await page.until(`document.querySelector('#detail h2')?.textContent.includes('grep')`)
  expect(await page.evaluate(`document.querySelector('#' + byId('list').getAttribute('aria-activedescendant')).getAttribute('aria-posinset')`)).toBe('2')
  await page.press('End')
  await page.until(`document.querySelector('#detail h2')?.textContent.includes('waiting')`)
  await page.evaluate(`byId('tab-timeline').focus()`)
  await page.press('ArrowRight')
  await page.press('ArrowRight')
  expect(await focus()).toBe('tab-approvals')
  await page.until(`[...document.querySelectorAll('#panel-approvals button')].some((button) => button.textContent === 'Allow once')`)
  await page.evaluate(`[...document.querySelectorAll('#panel-approvals button')].find((button) => button.textContent === 'Allow once').focus()`)
  await page.press('Enter')
  expect((await pending).details).toMatchObject({ exitCode: 0 })
  await page.until(`byId('tab-approvals').textContent === 'Approvals'`)
})

pageTest('output of background commands arrives while they run, and a change is undone by a click', async () => {
  const { toolkit, url, read } = await live({ permissions: { defaultMode: 'allow' } })
  const page = await pageOf(url)
  await page.evaluate(`open('processes')`)
  await toolkit.execute('exec', { command: 'echo ready; while [ ! -e go ]; do sleep 0.05; done; echo went', background: true })
  await page.until(`document.querySelector('#panel-processes pre')?.textContent.includes('ready')`)
  await toolkit.execute('write', { file_path: 'go', content: '' }, { toolCallId: 'go' })
  await page.until(
    `document.querySelector('#panel-processes').textContent.includes('went') && document.querySelector('#panel-processes').textContent.includes('completed (exit code 0)')`,
  )
  await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] })
  await toolkit.execute('exec', { command: "printf '\\033[32mgreen\\033[0m\\n'" })
  await page.evaluate(`open('timeline')`)
  await page.until(`rows.length === 4 && rows[3].state === 'done'`)
  await page.evaluate(`select(3)`)
  await page.until(`[...document.querySelectorAll('#detail pre span')].some((span) => span.textContent === 'green' && span.style.color !== '')`)
  await page.evaluate(`open('changes')`)
  await page.until(`document.querySelectorAll('#panel-changes button').length === 2`)
  await page.evaluate(`[...document.querySelectorAll('#panel-changes button')].at(-1).click()`)
  await page.until(`document.querySelector('#state').textContent.includes('Restored a.txt')`)
  expect(readFileSync(path.join((await read('session')).title, 'a.txt'), 'utf8')).toBe('one\n')
})

pageTest('hostile content is text, live and in a file', async () => {
  const evil = '</script><img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
  const files = { 'a.txt': `${evil}\u202egnp.exe\u2028${'x'.repeat(300_000)}` }
  const record = path.join(workspaceOf(), 'session.jsonl')
  const { toolkit, url } = await live({ record }, files)
  await toolkit.execute('read', { file_path: 'a.txt' })
  await toolkit.execute('exec', { command: `echo '${evil}' '$&' '\u202e'` })
  await toolkit.execute('write', { file_path: '<b>\u202e$`.txt', content: evil })
  await toolkit.execute('nope<script>' as never, { a: evil, __proto__: { b: 1 } } as never).catch(() => {})
  const check = async (page: Page) => {
    for (const view of VIEWS) await page.evaluate(`open('${view}')`)
    for (let n = 0; n < 4; n += 1) {
      await page.evaluate(`open('timeline'); select(${n})`)
      await page.until(`document.querySelector('#detail h2') !== null`)
    }
    await page.evaluate(`select(1)`)
    await page.until(`document.querySelector('#detail').textContent.includes('</script><img src=x')`)
    const text = await page.evaluate(`document.body.textContent`)
    expect(text).toContain('\\u{202e}')
    expect(text).not.toContain('\u202e')
    expect(await page.evaluate(`[document.title, document.querySelectorAll('img').length]`)).toEqual([expect.stringMatching(/tenon inspect$/), 0])
    expect(page.faults).toEqual([])
  }
  await check(await pageOf(url))
  await toolkit.close()
  const file = path.join(workspaceOf(), 'out.html')
  expect(await run(process.execPath, [BIN, 'inspect', record, '--html', file])).toMatchObject({ code: 0, stderr: '' })
  const saved = readFileSync(file, 'utf8')
  // The data, the loader of the policy, the script of the page, and the policy.
  expect(saved.match(/<\/script>/g)).toHaveLength(HAS_POLICY ? 4 : 3)
  expect(saved).not.toContain('\u2028')
  const page = await pageOf(pathToFileURL(file).href)
  await check(page)
  expect(await violations(page)).toEqual([])
  expect(page.requests.filter((asked) => !asked.startsWith('file:'))).toEqual([])
})

pageTest('a record of 10,000 calls is opened in a moment', async () => {
  const url = await served(recordOf(10_000))
  const page = await pageOf(url)
  expect(await page.evaluate(`byId('totals').textContent`)).toMatch(/^10,000 calls, 589 failed or denied, about 750,000 tokens/)
  // Only what can be seen is in the document.
  expect(await page.evaluate(`document.querySelectorAll('.row').length`)).toBeLessThan(80)
  await page.evaluate(`(byId('filter').value = 'file-9998', byId('filter').dispatchEvent(new Event('input')))`)
  await page.until(`document.querySelectorAll('.row').length === 1`)
  const took = await page.evaluate(
    `performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).reduce((most, { responseEnd }) => Math.max(most, responseEnd), 0)`,
  )
  console.log(`10,000 calls: page and data arrived after ${Math.round(took)} ms`)
})

const policyTest = (name: string, work: () => Promise<void>) => test.skipIf(!HAS_POLICY || chromium() === undefined)(name, { timeout: 120_000 }, work)

/** Types into a field of the page. */
const type = (id: string, text: string) => `(byId('${id}').value = ${JSON.stringify(text)}, byId('${id}').dispatchEvent(new Event('input')))`
const RULES = JSON.stringify({ allow: ['Bash(git:*)'], deny: ['Bash(git push:*)', 'Read(secrets/**)'], defaultMode: 'ask' })

policyTest('rules are tried in a saved file, which asks nobody for it', async () => {
  const record = path.join(workspaceOf(), 'session.jsonl')
  const { toolkit } = await live({ record }, { 'secrets/key.pem': 'x\n', 'a.txt': 'one\n' })
  await toolkit.execute('exec', { command: 'echo a' })
  await toolkit.execute('read', { file_path: 'secrets/key.pem' })
  await toolkit.execute('read', { file_path: 'a.txt' })
  await toolkit.close()
  const file = path.join(workspaceOf(), 'out.html')
  expect(await run(process.execPath, [BIN, 'inspect', record, '--html', file])).toMatchObject({ code: 0, stderr: '' })
  const page = await pageOf(pathToFileURL(file).href)
  await page.evaluate(`open('policy')`)
  const results = `byId('lab-results').textContent`
  await page.evaluate(type('lab-rules', RULES))
  await page.evaluate(type('lab-params', 'git status && git push'))
  await page.until(`${results}.includes('Decision by the words alone') && ${results}.includes('Bash(git push:*)')`)
  await page.evaluate(type('lab-rules', '{"deny": ["Bsh(x)"]}'))
  await page.until(`${results}.includes('names the unknown tool \`Bsh\`')`)
  await page.evaluate(type('lab-rules', RULES))
  await page.evaluate(`[...document.querySelectorAll('#panel-policy button')].find((button) => button.textContent === 'Simulate the session').click()`)
  await page.until(`${results}.includes('3 of 3 calls would be decided differently')`)
  const then = `[...document.querySelectorAll('#lab-results tbody tr')].map((row) => [row.children[1].textContent, row.children[3].textContent])`
  expect(await page.evaluate(then)).toEqual([
    ['exec', 'ask'],
    ['read', 'deny'],
    ['read', 'ask'],
  ])
  expect(await violations(page)).toEqual([])
  expect(page.faults).toEqual([])
  expect(page.requests.filter((asked) => !asked.startsWith('file:'))).toEqual([])
})

policyTest('a live page judges the words while they are typed, and the files when it is asked', async () => {
  const { url } = await live({ permissions: { allow: ['Bash(cat:*)'], deny: ['Read(secrets/**)'] } }, { 'secrets/key.pem': 'x\n' })
  const page = await pageOf(url)
  await page.evaluate(`open('policy')`)
  await page.evaluate(type('lab-params', 'cat secrets/key.pem'))
  const results = `byId('lab-results').textContent`
  await page.until(`${results}.includes('Decision by the words alone') && ${results}.includes('Read(secrets/**)')`)
  await page.evaluate(`[...document.querySelectorAll('#panel-policy button')].find((button) => button.textContent === 'Decide').click()`)
  await page.until(`${results}.startsWith('Decision') && !${results}.includes('by the words alone')`)
  expect(page.faults).toEqual([])
  expect(page.requests.filter((asked) => !asked.startsWith(url))).toEqual([])
})
