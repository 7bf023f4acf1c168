// The script that reads pages, alone: time of a look from the command to its answer over a plain pipe, beside the floor (an answer of the
// same length from a script that does nothing), another version of the script, and Playwright's snapshot, in turn in one run. Needs no build of the core.
// `node benchmark/page-script.mjs [directory of another version of crates/browser/src]`

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

import { cacheDirectory } from '../scripts/cached-install.mjs'
import { findBrowser, pageServer } from './browser-pages.mjs'

const HERE = path.dirname(fileURLToPath(import.meta.url))
const SOURCES = path.join(HERE, '../crates/browser/src')
const ROUNDS = 30
const ROOM = 12_000

const executable = findBrowser()
if (executable === undefined) {
  console.log('skipped: no Chromium is installed')
  process.exit(0)
}
const server = createServer(pageServer())
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${server.address().port}`
const { call, close } = started()
const { targetId } = await call('Target.createTarget', { url: 'about:blank', width: 1280, height: 800 })
const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true })
const other = process.argv[2]
const playwright = await playwrightPage()
for (const name of ['prose', 'std/vec/struct.Vec.html', 'book/ch02-00-guessing-game-tutorial.html', 'std/index.html', 'rustc/platform-support.html', 'app']) {
  const url = `${origin}/${name}`
  if (!(await fetch(url)).ok) continue
  await open(url)
  await playwright?.page.goto(url, { waitUntil: 'load' })
  const own = await world(scriptOf(SOURCES))
  const look = (script) => ask(script, 'lookAt', { room: ROOM })
  const length = (await look(own)).length
  const idle = await world('({ text: (length) => "text, ".repeat(length / 6) })')
  const contenders = { floor: () => ask(idle, 'text', length), script: () => look(own) }
  if (other) {
    const script = await world(scriptOf(other))
    contenders.other = () => look(script)
  }
  if (playwright) contenders.playwright = () => playwright.page.ariaSnapshot({ mode: 'ai' })
  const times = Object.fromEntries(Object.keys(contenders).map((key) => [key, []]))
  for (let round = 0; round < (name.includes('struct') ? 9 : ROUNDS); round++) {
    for (const [key, run] of Object.entries(contenders)) {
      const start = performance.now()
      await run()
      times[key].push(performance.now() - start)
    }
  }
  const summary = Object.entries(times).map(([key, all]) => {
    all.sort((one, two) => one - two)
    return `${key} ${all[all.length >> 1].toFixed(2)} (best ${all[0].toFixed(2)})`
  })
  console.log(`${name}: ${summary.join(', ')} ms`)
}
await playwright?.browser.close()
await close()
server.close()
process.exit(0)

/** A browser that is spoken with over its pipe. */
function started() {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'tenon-page-script-'))
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const args = ['--remote-debugging-pipe', '--headless', `--user-data-dir=${profile}`, ...root, 'about:blank']
  const child = spawn(executable, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
  const waiting = new Map()
  let last = 0
  let rest = ''
  child.stdio[4].setEncoding('utf8').on('data', (chunk) => {
    const messages = (rest + chunk).split('\0')
    rest = messages.pop()
    for (const message of messages.map((text) => JSON.parse(text))) {
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })
  return {
    call: (method, params, session) =>
      new Promise((resolve, reject) => {
        const id = ++last
        waiting.set(id, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result)))
        child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`)
      }),
    close: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve(rmSync(profile, { recursive: true, force: true, maxRetries: 3 })))
        child.kill('SIGKILL')
      }),
  }
}

async function open(url) {
  await call('Page.navigate', { url }, sessionId)
  const state = { expression: 'document.readyState + location.href', returnByValue: true }
  while ((await call('Runtime.evaluate', state, sessionId)).result.value !== `complete${url}`) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** The script of these sources, put together as `page/script.rs` does. */
function scriptOf(sources) {
  const files = [...readFileSync(path.join(sources, 'page/script.rs'), 'utf8').matchAll(/include_str!\("(script\/[\w-]+\.js)"\)/g)].map(([, file]) => file)
  const [before, ...all] = files.map((file) => readFileSync(path.join(sources, 'page', file), 'utf8'))
  return `(() => {\n'use strict';\n${before}${all.join('')}return calls;\n})()`
}

async function world(expression) {
  const made = await call('Page.createIsolatedWorld', { frameId: targetId, worldName: `world ${Math.random()}` }, sessionId)
  const { result } = await call('Runtime.evaluate', { expression, contextId: made.executionContextId }, sessionId)
  return result.objectId
}

async function ask(script, name, argument) {
  const functionDeclaration = `function (...given) { return this.${name}(...given); }`
  const asked = { objectId: script, functionDeclaration, arguments: [{ value: argument }], returnByValue: true, awaitPromise: true, silent: true }
  return (await call('Runtime.callFunctionOn', asked, sessionId)).result.value
}

/** Where the peers of `browser.mjs` are installed. */
async function playwrightPage() {
  try {
    const { chromium } = createRequire(path.join(cacheDirectory('browser-peers'), 'x.js'))('playwright-core')
    const browser = await chromium.launch({ executablePath: executable, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
    return { browser, page: await browser.newPage({ viewport: { width: 1280, height: 800 } }) }
  } catch (error) {
    console.log(`without Playwright: ${error?.message?.split('\n', 1)[0]}`)
    return undefined
  }
}
