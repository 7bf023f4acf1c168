// Snapshots of pages side by side: characters and milliseconds of `browser`, Playwright, chrome-devtools-mcp and
// agent-browser in the same Chromium, over loopback. `node benchmark/browser.mjs [--save]`.

import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { Toolkit } from '../index.mjs'
import { cacheDirectory, npmInstall, once } from '../scripts/cached-install.mjs'
import { DOCUMENTATION, findBrowser, OWN_PAGES, pageServer, rustDocumentation } from './browser-pages.mjs'

const ROUNDS = 7
const PACKAGES = ['playwright-core@1.65.1', 'chrome-devtools-mcp@1.11.0', 'agent-browser@0.41.2']
const HERE = path.dirname(fileURLToPath(import.meta.url))
const isRoot = process.getuid?.() === 0

/** What a page mostly is; the goals differ. */
const KINDS = {
  app: 'table',
  orders: 'table',
  list: 'list',
  menu: 'list',
  prose: 'prose',
  'struct.Vec': 'prose',
  'book chapter': 'prose',
  'std index': 'list',
  'platform table': 'table',
}

const executable = findBrowser()
if (executable === undefined) {
  console.log('skipped: no Chromium is installed')
  process.exit(0)
}
process.env.PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD = '1'
process.env.PUPPETEER_SKIP_DOWNLOAD = '1'
const peers = cacheDirectory('browser-peers')
const failed = once(peers, PACKAGES, Date.now() + 600_000, (target) => [npmInstall(target, ['--ignore-scripts', ...PACKAGES])])
if (failed !== undefined) console.log(`without peers: ${failed}`)

const documentation = rustDocumentation()
const server = createServer(pageServer())
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${server.address().port}`
const pages = Object.keys(OWN_PAGES)
  .filter((name) => name in KINDS)
  .map((name) => [name, `${origin}/${name}`])
if (documentation) pages.push(...Object.entries(DOCUMENTATION).map(([name, at]) => [name, `${origin}/${at}`]))
else console.log('without pages of the documentation of Rust: it is not installed')

const directory = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'tenon-browser-')))
/** @type {[string, () => Promise<{ measure: (url: string) => Promise<{ characters: number, ms: number }>, close: () => unknown }>][]} */
const contenders = [
  ['tenon', () => tenon({})],
  ['tenon, whole page', () => tenon({ maxChars: 80_000 })],
  ['tenon, controls', () => tenon({ mode: 'controls' })],
  ['Playwright aria snapshot', playwright],
  ['chrome-devtools-mcp', devtools],
  ['agent-browser', () => agentBrowser([])],
  ['agent-browser -i', () => agentBrowser(['-i'])],
]
const results = {}
for (const [name, start] of contenders) {
  let contender
  try {
    contender = await start()
    for (const [page, url] of pages) {
      const measured = await contender.measure(url)
      ;(results[page] ??= {})[name] = measured
      console.log(`${page.padEnd(16)} ${name.padEnd(26)} ${String(measured.characters).padStart(8)} characters ${measured.ms.toFixed(1).padStart(8)} ms`)
    }
  } catch (error) {
    console.log(`without ${name}: ${error?.message ?? error}`)
  } finally {
    await contender?.close()
  }
}
server.closeAllConnections()
server.close()
rmSync(directory, { recursive: true, force: true })
const table = tableOf(results)
console.log(`\n${table}`)
if (process.argv.includes('--save')) {
  // What was written about it by hand stands behind the table.
  const file = path.join(HERE, '../docs/performance/browser.md')
  const rest = /\n## [\s\S]*$/.exec(readFileSync(file, 'utf8'))?.[0] ?? ''
  writeFileSync(file, table + rest)
}
process.exit(0)

/** The middle one of the times of `ROUNDS` looks. */
async function timed(look) {
  const times = []
  let text = ''
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    text = await look()
    times.push(performance.now() - start)
  }
  times.sort((one, other) => one - other)
  return { characters: [...text].length, ms: times[Math.floor(ROUNDS / 2)] }
}

async function tenon(params) {
  const toolkit = new Toolkit({ workspace: directory, browser: { executable, allowPrivate: [new URL(origin).host] } })
  await toolkit.execute('browser', { action: 'open', url: 'about:blank' })
  return {
    async measure(url) {
      await toolkit.execute('browser', { action: 'navigate', url, timeout: 60 })
      // As a model sees it, the frame around it included.
      return timed(async () => (await toolkit.execute('browser', { action: 'snapshot', ...params })).content[0].text)
    },
    close: () => toolkit.close(),
  }
}

async function playwright() {
  const { chromium } = createRequire(path.join(peers, 'x.js'))('playwright-core')
  const browser = await chromium.launch({ executablePath: executable, args: isRoot ? ['--no-sandbox'] : [] })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  return {
    async measure(url) {
      await page.goto(url, { waitUntil: 'load', timeout: 60_000 })
      return timed(async () => await page.ariaSnapshot({ mode: 'ai' }))
    },
    close: () => browser.close(),
  }
}

async function devtools() {
  const main = path.join(peers, 'node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js')
  const args = [
    '--headless',
    '--isolated',
    '--no-usage-statistics',
    '--executablePath',
    executable,
    '--viewport',
    '1280x800',
    ...(isRoot ? ['--chromeArg=--no-sandbox'] : []),
  ]
  const child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  let last = 0
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last
      const limit = setTimeout(() => reject(new Error(`${method} was not answered within 120 s`)), 120_000)
      waiting.set(id, (message) => {
        clearTimeout(limit)
        if (message.error || message.result?.isError) reject(new Error(JSON.stringify(message.error ?? message.result.content)))
        else resolve(message.result)
      })
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  child.on('error', () => {})
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const call = (name, args) => ask('tools/call', { name, arguments: args })
  // Newer ones need to know which page.
  const listed = (await call('list_pages', {})).content.map((part) => part.text ?? '').join('')
  const pageId = Number(/^(\d+):/m.exec(listed)?.[1] ?? 1)
  return {
    async measure(url) {
      await call('navigate_page', { pageId, type: 'url', url, timeout: 60_000 })
      return timed(async () => (await call('take_snapshot', { pageId })).content.map((part) => part.text ?? '').join(''))
    },
    close: () => child.kill(),
  }
}

async function agentBrowser(options) {
  const program = path.join(peers, `node_modules/agent-browser/bin/agent-browser-${process.platform}-${process.arch}`)
  if (!existsSync(program)) throw new Error('it has no program for this machine')
  if (process.platform !== 'win32') execFileSync('chmod', ['+x', program])
  const env = { ...process.env, AGENT_BROWSER_EXECUTABLE_PATH: executable, AGENT_BROWSER_SESSION: `bench-${process.pid}` }
  const run = (args) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
      let text = ''
      let complaint = ''
      child.stdout.on('data', (chunk) => (text += chunk))
      child.stderr.on('data', (chunk) => (complaint += chunk))
      child.on('error', reject)
      child.on('close', (code) => (code === 0 ? resolve(text) : reject(new Error(complaint || text))))
    })
  return {
    async measure(url) {
      await run(['open', url])
      return timed(() => run(['snapshot', ...options]))
    },
    close: () => run(['close']).catch(() => {}),
  }
}

/** The table of the results, with the share of the smallest full snapshot. */
function tableOf(results) {
  const names = contenders.map(([name]) => name)
  const full = ['Playwright aria snapshot', 'chrome-devtools-mcp', 'agent-browser']
  const cell = (measured) =>
    measured === undefined ? '–' : `${measured.characters.toLocaleString('en-US')} (${measured.ms.toFixed(measured.ms < 10 ? 1 : 0)})`
  const rows = Object.entries(results).map(([page, found]) => {
    const known = full.flatMap((name) => found[name] ?? [])
    const own = found.tenon
    const whole = found['tenon, whole page']
    const least = Math.min(...known.map((one) => one.characters))
    const quickest = Math.min(...known.map((one) => one.ms))
    const share =
      known.length === 0 || own === undefined
        ? ['–', '–', '–']
        : [`1/${(least / own.characters).toFixed(1)}`, `1/${(least / whole.characters).toFixed(1)}`, `${(quickest / own.ms).toFixed(1)} ×`]
    return `| ${page} | ${KINDS[page]} | ${names.map((name) => cell(found[name])).join(' | ')} | ${share.join(' | ')} |`
  })
  const head = `| page | kind | ${names.join(' | ')} | of the smallest full one | whole page, of it | quicker than the quickest |`
  return `# Snapshots of pages

Characters of a snapshot as a model gets it, and milliseconds (median of ${ROUNDS}) to make one, in the same Chromium over loopback, written by
\`node benchmark/browser.mjs --save\`. "tenon" is a call without parameters, with its limit of 12,000 characters; "whole page" has the limit of
80,000. "Full" are the snapshots that leave no text out: Playwright, chrome-devtools-mcp and agent-browser without \`-i\`. Times are those of each
product as it is called: in the process, over MCP, by its command line.

${head}
| --- | --- |${' ---: |'.repeat(names.length + 3)}
${rows.join('\n')}
`
}
