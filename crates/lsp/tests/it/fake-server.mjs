// A language server that does what it is asked to by a script: what real ones do only sometimes.
//
// argv: the script as JSON.
//   capabilities  laid over the usual ones
//   answers       by method: a list of steps, one for each request of it; the last one is repeated
//                 {result, error, delay (ms), silent, crash, raw (written as it is), ask: [id, method], fill (characters),
//                  moved: a file in which `name` is looked for, in the text that was sent, else in that of the disk at
//                  the start; renames: a change of the first line whose version is this much more than that of the text that
//                  was sent; applies: a text that is proposed for the beginning of the open file before the answer}
//   publish       what is pushed after a file was opened or changed: {after (ms), items, version: 'same' | 'none' | 'stale'}
//   busy          ms after `initialized` during which a progress is reported
//   greeting      written before everything else
//   dies          what it writes on its standard error before it exits with code 1, at once
//   mute          it never answers `initialize`
//   once          a file: what is in `first` holds while it does not exist (it is made at the start)
//   log           a file: a line for every message that comes
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'

let script = JSON.parse(process.argv[2])
if (script.once && !existsSync(script.once)) {
  writeFileSync(script.once, '')
  script = { ...script, ...script.first }
}
if (script.dies) {
  process.stderr.write(script.dies)
  process.exit(1)
}
if (script.mute) process.stderr.write('warming up\n')
const counts = {}
const texts = new Map()
const versions = new Map()
const asked = new Map()
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms ?? 0))

function write(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`)
  process.stdout.write(body)
}

const CAPABILITIES = { textDocumentSync: { openClose: true, change: 1, save: true }, hoverProvider: true, referencesProvider: true, definitionProvider: true }

async function answer({ id, method, params }) {
  const steps = script.answers?.[method]
  const step = steps ? steps[Math.min((counts[method] = (counts[method] ?? -1) + 1), steps.length - 1)] : { result: null }
  await wait(step.delay)
  if (step.crash) {
    process.stderr.write('it broke\n')
    process.kill(process.pid, 'SIGKILL')
  }
  if (step.silent) return
  if (step.raw) return process.stdout.write(step.raw)
  const ask = (askId, askMethod, askParams) =>
    new Promise((resolve) => {
      asked.set(askId, resolve)
      write({ id: askId, method: askMethod, params: askParams })
    })
  if (step.applies) {
    const [uri] = texts.keys()
    const start = { line: 0, character: 0 }
    await ask('edit', 'workspace/applyEdit', { edit: { changes: { [uri]: [{ range: { start, end: start }, newText: step.applies }] } } })
  }
  if (step.error) return write({ id, error: step.error })
  if (step.ask) {
    const [askId, askMethod] = step.ask
    const reported = await ask(askId, askMethod, {})
    return write({ id, result: { contents: JSON.stringify(reported) } })
  }
  if (step.moved) {
    const uri = params.textDocument.uri.replace(/[^/]*$/, step.moved)
    if (!texts.has(uri)) texts.set(uri, readFileSync(new URL(uri), 'utf8'))
    const line = texts.get(uri).split('\n').indexOf('name')
    const at = (character) => ({ line, character })
    return write({ id, result: [{ uri, range: { start: at(0), end: at(4) } }] })
  }
  if (step.renames !== undefined) {
    const { uri } = params.textDocument
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } }
    const textDocument = { uri, version: versions.get(uri) + step.renames }
    return write({ id, result: { documentChanges: [{ textDocument, edits: [{ range, newText: params.newName }] }] } })
  }
  if (step.fill) return write({ id, result: { contents: 'x'.repeat(step.fill) } })
  if (step.echo) return write({ id, result: { contents: `line ${params.position.line}` } })
  write({ id, result: step.result ?? null })
}

async function publish(document) {
  for (const { after, items, version } of script.publish ?? []) {
    await wait(after)
    const versions = { same: document.version, stale: document.version - 1 }
    const diagnostics = items.map((message) => ({ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, severity: 1, message: message.replace('VERSION', document.version) }))
    write({ method: 'textDocument/publishDiagnostics', params: { uri: document.uri, version: versions[version], diagnostics } })
  }
}

function take(message) {
  const { id, method, params } = message
  if (script.log) appendFileSync(script.log, `${method ?? 'answer'} ${JSON.stringify(params?.id ?? id ?? '')}\n`)
  if (method === undefined) return asked.get(id)?.({ result: message.result, error: message.error })
  if (script.mute) return
  if (method === 'initialize') {
    return write({ id, result: { capabilities: { ...CAPABILITIES, ...script.capabilities } } })
  }
  if (method === 'initialized' && script.busy) {
    write({ id: 'create', method: 'window/workDoneProgress/create', params: { token: 'load' } })
    write({ method: '$/progress', params: { token: 'load', value: { kind: 'begin', title: 'Loading' } } })
    setTimeout(() => write({ method: '$/progress', params: { token: 'load', value: { kind: 'end' } } }), script.busy)
  }
  if (method === 'shutdown') return write({ id, result: null })
  if (method === 'exit') process.exit(0)
  if (method === 'textDocument/didOpen') texts.set(params.textDocument.uri, params.textDocument.text)
  if (method === 'textDocument/didChange') texts.set(params.textDocument.uri, params.contentChanges[0].text)
  if (method === 'textDocument/didOpen' || method === 'textDocument/didChange') {
    versions.set(params.textDocument.uri, params.textDocument.version)
    void publish(params.textDocument)
  }
  if (id !== undefined) void answer(message)
}

if (script.greeting) process.stdout.write(script.greeting)
let buffer = Buffer.alloc(0)
process.stdin.on('data', (chunk) => {
  buffer = Buffer.concat([buffer, chunk])
  for (;;) {
    const end = buffer.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/content-length: *(\d+)/i.exec(buffer.subarray(0, end).toString())[1])
    if (buffer.length < end + 4 + length) return
    const body = buffer.subarray(end + 4, end + 4 + length).toString()
    buffer = buffer.subarray(end + 4 + length)
    take(JSON.parse(body))
  }
})
process.stdin.on('end', () => process.exit(0))
