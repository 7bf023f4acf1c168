// The code of each page in docs/frameworks: one line of glue, checked against the types of the framework, and run as it stands in a project
// that has the framework and tenon installed.

import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import ts from 'typescript'
import { describe, expect, onTestFinished, test } from 'vitest'

import { framework } from '../../scripts/frameworks.mjs'
import { mcpSuite } from '../../scripts/mcp-suite.mjs'
import { messageOf, scriptedApi } from '../support/frameworks.js'
import { anthropicApi } from '../support/model-api.js'
import { ROOT, run } from '../support/run.js'

const PAGES = path.join(ROOT, 'docs/frameworks')
const exportsOf = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).exports
const read = { file_path: 'notes.txt' }
const chat = (message: object) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', logprobs: null, message: { role: 'assistant', content: null, ...message } }],
})
const response = (id: string, output: object[]) => ({
  id,
  object: 'response',
  status: 'completed',
  model: 'm',
  output,
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
})
const functionCall = { type: 'function_call', id: 'f', call_id: 'c', name: 'read', status: 'completed', arguments: JSON.stringify(read) }
const said = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done', annotations: [] }] }
const STREAM = `const streamOf = (parts) => ({ stream: new ReadableStream({ start: (controller) => (parts.forEach((part) => controller.enqueue(part)), controller.close()) }) })`

interface Scene {
  /** Where the packages are; default: where the framework of the page is. */
  modules?: string
  /** The framework, where it is not that of the page. */
  framework?: string
  /** What this line is called. */
  line?: string
  /** The line before, where two major versions are alive: its code is the same. */
  before?: Scene
  /** Packages that are installed under another name. */
  aliases?: Record<string, string>
  /** What the program around the code defines, by code that runs before it. */
  around?: string
  /** Starts what imitates a provider. */
  api?: () => Promise<{ env: Record<string, string>; requests: any[] }>
  /** What the code prints. */
  prints?: string
}

const openai = async (answers: object[]) => {
  const { url, requests } = await scriptedApi(answers)
  return { env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none', OPENAI_AGENTS_DISABLE_TRACING: '1' }, requests }
}

/** Where version 2 of the official SDK of MCP is. */
const suite = mcpSuite()
const suiteModules = 'missing' in suite ? '' : suite.modules

/** What a client of MCP does that reads a file over standard input. */
const MCP_CLIENT = `import { Readable } from 'node:stream'
let said = ''
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = (chunk, ...rest) => ((said += Buffer.from(chunk)), write(chunk, ...rest))
const messages = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'read', arguments: ${JSON.stringify(read)} } },
]
async function* client() {
  for (const message of messages) {
    yield JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n'
    while (message.id && !said.includes('"id":' + message.id)) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  // Some servers stay when their input ends.
  setTimeout(() => process.exit(0), 100)
}
Object.defineProperty(process, 'stdin', { value: Readable.from(client(), { objectMode: false }) })`

/** Claude reads the file with the bash tool that it knows. */
async function claudeWithBash() {
  const { url, requests } = await scriptedApi([
    messageOf([{ type: 'tool_use', id: 't', name: 'bash', input: { command: 'cat notes.txt' } }], 'tool_use', 'first'),
    messageOf([{ type: 'text', text: 'done' }], 'end_turn'),
  ])
  return { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }, requests }
}

/** By the page and the number of the code on it. */
const SCENES: Record<string, Scene> = {
  'acp 0': {
    modules: path.join(ROOT, 'node_modules'),
    around: `import { Readable } from 'node:stream'
globalThis.crypto.randomUUID = () => 's1'
let said = ''
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = (chunk, ...rest) => ((said += Buffer.from(chunk)), write(chunk, ...rest))
const messages = [
  ['initialize', { protocolVersion: 1 }],
  ['session/new', { cwd: process.cwd(), mcpServers: [] }],
  ['session/prompt', { sessionId: 's1', prompt: [{ type: 'text', text: 'Go.' }] }],
]
async function* editor() {
  for (const [index, [method, params]] of messages.entries()) {
    yield JSON.stringify({ jsonrpc: '2.0', id: index, method, params }) + '\\n'
    while (!said.includes('"id":' + index)) {
      for (const asked of said.matchAll(/"id":("?[^",]+"?),"method":"session\\/request_permission"/g)) yield JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(asked[1]), result: { outcome: { outcome: 'selected', optionId: 'allow_once' } } }) + '\\n'
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
Object.defineProperty(process, 'stdin', { value: Readable.from(editor(), { objectMode: false }) })`,
    prints: 'one\\ntwo',
  },
  'acp 1': {
    modules: path.join(ROOT, 'node_modules'),
    api: async () => {
      const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-agent-')))
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
      const out = path.join(directory, 'out.json')
      const program = path.join(directory, 'my-agent')
      writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${path.join(ROOT, '__test__/support/acp-agent.mjs')}"\n`, { mode: 0o755 })
      return { env: { PATH: `${directory}:${process.env.PATH}`, ACP_OUT: out }, requests: { at: () => JSON.parse(readFileSync(out, 'utf8')) } as any }
    },
    prints: 'end_turn',
  },
  'ai-sdk 0': {
    modules: path.join(ROOT, 'node_modules'),
    aliases: { ai: 'ai-7' },
    around: `import { MockLanguageModelV4 } from 'ai/test'
${STREAM}
const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
const finish = (unified) => ({ type: 'finish', finishReason: { unified, raw: unified }, usage })
globalThis.model = new MockLanguageModelV4({ doStream: async ({ prompt }) => streamOf(prompt.at(-1).role === 'tool'
  ? [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: prompt.at(-1).content[0].output.value[0].text }, { type: 'text-end', id: 't' }, finish('stop')]
  : [{ type: 'stream-start', warnings: [] }, { type: 'tool-call', toolCallId: '1', toolName: 'read', input: ${JSON.stringify(JSON.stringify(read))} }, finish('tool-calls')]) })`,
    prints: 'one\ntwo',
    get before() {
      return { aliases: {}, around: this.around!.replaceAll('MockLanguageModelV4', 'MockLanguageModelV3') }
    },
  },
  'ai-sdk 1': {
    framework: 'ai-7',
    api: claudeWithBash,
    prints: 'done',
    before: { framework: 'ai-6' },
  },
  'anthropic 0': {
    api: async () => {
      const { url, requests } = await scriptedApi([
        messageOf([{ type: 'tool_use', id: 't', name: 'read', input: read }], 'tool_use'),
        messageOf([{ type: 'text', text: 'done' }], 'end_turn'),
      ])
      return { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }, requests }
    },
    prints: 'done',
  },
  'anthropic 1': {
    api: async () => {
      const view = { command: 'view', path: 'notes.txt' }
      const { url, requests } = await scriptedApi([
        messageOf([{ type: 'tool_use', id: 't', name: 'str_replace_based_edit_tool', input: view }], 'tool_use'),
        messageOf([{ type: 'text', text: 'done' }], 'end_turn'),
      ])
      return { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }, requests }
    },
    prints: 'done',
  },
  'claude 0': {
    api: async () => {
      const { url, requests } = await anthropicApi({ tool: 'mcp__tenon__Read', input: read })
      return { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }, requests }
    },
    prints: 'done',
  },
  'google 0': {
    api: async () => {
      const answer = (part: object) => ({ candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }] })
      const { url, requests } = await scriptedApi([answer({ functionCall: { name: 'read', args: read } }), answer({ text: 'done' })])
      return { env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'none' }, requests }
    },
    prints: 'done',
  },
  'langchain 0': {
    around: `import { FakeToolCallingModel } from 'langchain'
globalThis.model = new FakeToolCallingModel({ toolCalls: [[{ type: 'tool_call', id: '1', name: 'read', args: ${JSON.stringify(read)} }], []] })`,
    prints: 'one\ntwo',
  },
  'langchain 1': { api: claudeWithBash, prints: 'done' },
  'langchain 2': {
    around: `import { FakeToolCallingModel } from 'langchain'
globalThis.model = new FakeToolCallingModel({ toolCalls: [[{ type: 'tool_call', id: '1', name: 'read', args: ${JSON.stringify(read)} }], []] })`,
    prints: 'one\ntwo',
  },
  'mcp 0': { modules: path.join(ROOT, 'node_modules'), around: MCP_CLIENT, prints: 'one\\ntwo' },
  'mcp 1': { modules: path.join(ROOT, 'node_modules'), around: MCP_CLIENT, prints: 'one\\ntwo' },
  'mcp 2': { modules: suiteModules, around: MCP_CLIENT, prints: 'one\\ntwo' },
  'llamaindex 0': { prints: 'one\ntwo' },
  'mastra 0': {
    around: `${STREAM}
const finish = (finishReason) => ({ type: 'finish', finishReason, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } })
const doStream = async ({ prompt }) => streamOf(prompt.at(-1).role === 'tool'
  ? [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: prompt.at(-1).content[0].output.value[0].text }, { type: 'text-end', id: 't' }, finish('stop')]
  : [{ type: 'stream-start', warnings: [] }, { type: 'tool-call', toolCallId: '1', toolName: 'read', input: ${JSON.stringify(JSON.stringify(read))} }, finish('tool-calls')])
globalThis.model = { specificationVersion: 'v2', provider: 'scripted', modelId: 'm', supportedUrls: {}, doStream, doGenerate: doStream }`,
    prints: 'one\ntwo',
  },
  'openai 0': {
    api: () =>
      openai([chat({ tool_calls: [{ id: '1', type: 'function', function: { name: 'read', arguments: JSON.stringify(read) } }] }), chat({ content: 'done' })]),
    prints: 'done',
  },
  'openai 1': { api: () => openai([response('r1', [functionCall]), response('r2', [said])]), prints: 'done' },
  'openai-agents 0': { api: () => openai([response('r1', [functionCall]), response('r2', [said])]), prints: 'done' },
  'openai-agents 1': {
    api: () =>
      openai([
        response('r1', [{ type: 'shell_call', id: 's', call_id: 'c', status: 'completed', action: { commands: ['cat notes.txt'] } }]),
        response('r2', [said]),
      ]),
    prints: 'done',
  },
  'pi 0': {
    before: {
      modules: path.join(ROOT, 'node_modules'),
      aliases: { '@earendil-works/pi-agent-core': 'pi-agent-core-0.87', '@earendil-works/pi-ai': 'pi-ai-0.87' },
      line: 'pi 0.87',
    },
    around: `import { createAssistantMessageEventStream } from '@earendil-works/pi-ai'
globalThis.model = { id: 'm', name: 'm', api: 'scripted', provider: 'scripted', baseUrl: '', reasoning: false, input: ['text'], cost: {}, contextWindow: 1, maxTokens: 1 }
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }
globalThis.streamFn = (model, context) => {
  const isDone = context.messages.at(-1).role === 'toolResult'
  if (isDone) console.log(context.messages.at(-1).content[0].text)
  const content = isDone ? [{ type: 'text', text: 'done' }] : [{ type: 'toolCall', id: '1', name: 'read', arguments: ${JSON.stringify(read)} }]
  const message = { role: 'assistant', content, api: 'scripted', provider: 'scripted', model: 'm', usage, stopReason: isDone ? 'stop' : 'toolUse', timestamp: 0 }
  const stream = createAssistantMessageEventStream()
  queueMicrotask(() => (stream.push({ type: 'done', reason: message.stopReason, message }), stream.end(message)))
  return stream
}`,
    prints: 'one\ntwo',
  },
}

/** Where the packages of the line before are, by the page. */
const BEFORE: Record<string, string> = { openai: 'openai-6', anthropic: 'anthropic-0', google: 'google-2' }

/** The codes of a page. */
function codesOf(page: string): string[] {
  return [...readFileSync(path.join(PAGES, `${page}.md`), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code!)
}

const pages = readdirSync(PAGES).map((name) => path.basename(name, '.md'))

/** Entries of the package that are no adapters of a framework. */
const OTHERS = ['', 'package.json', 'policy', 'store-conformance', 'store-pg', 'store-redis', 'remote', 'vscode', 'channels', 'agents']

test('every adapter has a page', () => {
  const adapters = Object.keys(exportsOf)
    .map((name) => name.slice(2))
    .filter((name) => !OTHERS.includes(name))
  expect(pages.sort()).toEqual(adapters.sort())
})

test.each(pages)('%s: one line of glue', (page) => {
  const [first] = codesOf(page)
  const names = [...first!.matchAll(/^import \{ (.*?) \} from 'tenon\/.*'$/gm)].flatMap(([, list]) => list!.split(', '))
  expect(names.length).toBeGreaterThan(0)
  // Nor is there an object of ours that is taken apart by hand.
  const glue = first!
    .split('\n')
    .filter(
      (line) =>
        !line.startsWith('import ') &&
        (names.some((name) => line.includes(name)) || (/\b(content|details|execute|parameters|definitions)\b(?!\))/.test(line) && /toolkit/.test(line))),
    )
  expect(glue).toHaveLength(1)
})

test.each(
  pages.flatMap((page) =>
    codesOf(page)
      .slice(1)
      .map((code, index) => [`${page} ${index + 1}`, code] as const),
  ),
)('%s: no more lines of glue than functions that it shows', (_, code) => {
  const names = [...code.matchAll(/^import \{ (.*?) \} from 'tenon\/.*'$/gm)].flatMap(([, list]) => list!.split(', '))
  const glue = code.split('\n').filter((line) => !line.startsWith('import ') && names.some((name) => line.includes(name)))
  expect(glue.length).toBeLessThanOrEqual(names.length)
})

test('pages and README name versions that are tested', () => {
  const pinned = [
    ...readFileSync(path.join(ROOT, 'scripts/frameworks.mjs'), 'utf8').matchAll(/'((?:@[\w-]+\/)?[\w-]+)@(\d[\w.-]*)'/g),
    ...readFileSync(path.join(ROOT, 'scripts/mcp-suite.mjs'), 'utf8').matchAll(/'((?:@[\w-]+\/)?[\w-]+)@(\d[\w.-]*)'/g),
    ...readFileSync(path.join(ROOT, 'package.json'), 'utf8').matchAll(/"(?:[\w.-]+": "npm:)?((?:@[\w-]+\/)?[\w-]+)(?:": "[~^]?|@)(\d[\w.-]*)"/g),
  ].map(([, name, version]) => [name!, version!] as const)
  const isPinned = (name: string, version: string) =>
    pinned.some(([one, full]) => (one === name || one.endsWith(`/${name}`)) && (full === version || full.startsWith(`${version}.`)))
  const said = pages.flatMap((page) => {
    const [, text = ''] = /is tested with (.*?)\. /s.exec(`${readFileSync(path.join(PAGES, `${page}.md`), 'utf8')} `) ?? []
    return [...text.matchAll(/`([@\w/-]+)`((?:,? (?:and )?\d[\d.]*\d)+)/g)].flatMap(([, name, versions]) =>
      versions!.match(/\d[\d.]*\d/g)!.map((version) => [page, name!, version] as const),
    )
  })
  expect(said.length).toBeGreaterThan(15)
  expect(said.filter(([, name, version]) => !isPinned(name, version))).toEqual([])
  // The README has the same.
  const rows = [...readFileSync(path.join(ROOT, 'README.md'), 'utf8').matchAll(/^\| \[.*?\]\(docs\/frameworks\/([\w-]+)\.md\).*\| ([^|]*) \|$/gm)]
  const wrong = rows.flatMap(([, page, text]) =>
    text!
      .match(/\d[\d.]*\d/g)!
      .filter((version) => !said.some((one) => one[0] === page && one[2] === version))
      .map((version) => [page, version]),
  )
  expect(wrong.filter(([page]) => page !== 'mcp')).toEqual([])
})

test('every code of every page is run', () => {
  const codes = pages.flatMap((page) => codesOf(page).map((_, index) => `${page} ${index}`))
  // That of OpenClaw is run by its command line: `openclaw.spec.ts`.
  expect(codes.filter((code) => !(code in SCENES)).sort()).toEqual(['openclaw 0'])
  expect(Object.keys(SCENES).filter((code) => !codes.includes(code))).toEqual([])
})

/** A project with the packages of a framework and tenon, as a user has it. */
function projectOf(modules: string, aliases: Record<string, string>): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-page-')))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const target = path.join(directory, 'node_modules')
  const link = (from: string, name: string) => {
    mkdirSync(path.dirname(path.join(target, name)), { recursive: true })
    symlinkSync(from, path.join(target, name), 'dir')
  }
  const all = readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? readdirSync(path.join(modules, name)).map((inner) => `${name}/${inner}`) : [name]))
  for (const name of all) if (name !== 'tenon' && !(name in aliases)) link(path.join(modules, name), name)
  for (const [name, installed] of Object.entries(aliases)) link(path.join(modules, installed), name)
  if (!all.includes('@types/node')) link(path.join(ROOT, 'node_modules/@types/node'), '@types/node')
  // Without our development dependencies, which are other versions.
  for (const name of readdirSync(ROOT)) if (/\.(m?js|d\.m?ts)$|^(js|native|npm|package\.json)$/.test(name)) link(path.join(ROOT, name), `tenon/${name}`)
  writeFileSync(path.join(directory, 'package.json'), '{"type":"module"}')
  writeFileSync(path.join(directory, 'notes.txt'), 'one\ntwo\n')
  return directory
}

/** What TypeScript says of a file, with the packages where they are linked. */
function faultsOf(directory: string, file: string): string[] {
  const around = path.join(directory, 'around.d.ts')
  writeFileSync(around, 'declare const model: any\ndeclare const streamFn: any\n')
  const options: ts.CompilerOptions = {
    strict: true,
    // What `tsc --init` writes beside it.
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUncheckedSideEffectImports: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    noEmit: true,
    skipLibCheck: true,
    preserveSymlinks: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    typeRoots: [path.join(directory, 'node_modules/@types')],
    types: ['node'],
  }
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file, around], options))
    .map(({ file: at, messageText }) => `${at && path.basename(at.fileName)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)
}

/** Each code with the newest version of its framework, and with the one before where both are alive. */
const RUNS = Object.entries(SCENES).flatMap(([name, scene]) => {
  const before = BEFORE[name.split(' ')[0]!]
  return [
    { name, from: scene.framework ?? name.split(' ')[0]!, ...scene },
    ...(before ? [{ name, ...scene, from: before }] : []),
    ...(scene.before ? [{ name, ...scene, from: scene.before.line ?? scene.before.framework ?? 'ai 6', ...scene.before }] : []),
  ]
})

describe.each(RUNS)('the code of $name with $from', ({ name, from, modules, aliases = {}, around = '', api, prints = '' }) => {
  const [page, index] = name.split(' ') as [string, string]
  const found = modules === '' ? suite : modules === undefined ? framework(from as never) : { directory: path.dirname(modules) }

  test.skipIf('missing' in found)(
    `compiles with the types of the framework, and runs${'missing' in found ? ` (${found.missing})` : ''}`,
    { timeout: 120_000 },
    async () => {
      const directory = projectOf(modules ?? path.join((found as { directory: string }).directory, 'node_modules'), aliases)
      const file = path.join(directory, 'code.mts')
      const code = codesOf(page)[Number(index)]!
      writeFileSync(file, code)
      expect(faultsOf(directory, file)).toEqual([])
      // Node 20 runs no TypeScript.
      writeFileSync(
        path.join(directory, 'code.mjs'),
        ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext } }).outputText,
      )
      writeFileSync(path.join(directory, 'around.mjs'), around)
      const { env, requests } = (await api?.()) ?? { env: {}, requests: [] }
      const none = Object.fromEntries(Object.keys(process.env).map((variable) => [variable, undefined]))
      const ended = await run(process.execPath, ['--preserve-symlinks', '--preserve-symlinks-main', '--import', './around.mjs', 'code.mjs'], {
        cwd: directory,
        env: { ...none, PATH: process.env.PATH, HOME: directory, ...env } as NodeJS.ProcessEnv,
      })
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(prints) })
      // The model got the lines of the file.
      if (api) expect(JSON.stringify(requests.at(-1))).toMatch(/one(\\n|\\\\n)+\s*(\d+\D{1,4})?two/)
    },
  )
})
