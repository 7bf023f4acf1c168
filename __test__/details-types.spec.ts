// What results really carry, held against the types in `index.d.ts` by the compiler: a literal with a member that the type does not have,
// or without one that it has, is an error.

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

import { onTestFinished, expect, test } from 'vitest'
import ts from 'typescript'

import type { Dialect, Toolkit } from '../index.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const FILES = {
  'a.ts': 'export function main(): number {\n  return 42\n}\n',
  'long.txt': Array.from({ length: 2500 }, (_, line) => `line ${line}`).join('\n'),
  'latin.txt': Buffer.from('gr\xf6\xdfe und \xe4hnliches in einer Zeile, die lang genug ist\n', 'latin1'),
  'pixel.png': PIXEL,
  'cells.ipynb': JSON.stringify({
    cells: [{ cell_type: 'code', id: 'abc', source: 'print(1)', outputs: [], metadata: {} }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  }),
  '.tenon/skills/demo/SKILL.md': '---\nname: demo\ndescription: A skill\n---\nDo things\n',
}
const QUESTION = { question: 'Which?', header: 'h', options: ['a', 'b'].map((label) => ({ label, description: label })), multiSelect: false }
const TASK = { id: '1', content: 'a', status: 'in_progress', priority: 'high' }
const EDITS = [{ type: 'replace', oldText: '42', newText: '43' }]
const PATCH = '--- a/a.ts\n+++ b/a.ts\n@@ -2 +2 @@\n-  return 43\n+  return 44\n'

/** Calls of every tool that needs no program, in the order in which they are made. `URL` and `$name` stand for what is known then. */
const CALLS: Record<Dialect, readonly (readonly [tool: string, params: object, keep?: string])[]> = {
  agent: [
    ...['a.ts', 'long.txt', 'latin.txt', 'pixel.png', 'cells.ipynb'].map((file_path) => ['read', { file_path }] as const),
    ['read', { file_path: 'a.ts', more: ['long.txt:3-4', 'none'] }],
    ['write', { file_path: 'new.txt', content: 'x' }],
    ['edit', { file_path: 'a.ts', edits: [{ oldText: '42', newText: '43' }] }],
    ['apply_patch', { input: PATCH, dryRun: true }],
    ['ls', {}],
    ['find', { pattern: '*.txt', limit: 1 }],
    ['grep', { pattern: 'line', limit: 1 }],
    ['exec', { command: 'echo hi > made.txt; exit 3' }],
    ['exec', { command: 'seq 1 40000' }],
    ['exec', { command: 'echo up; sleep 60', waitFor: { output: 'up' } }, 'sessionId'],
    ['process', { action: 'list' }],
    ...['poll', 'log', 'kill', 'clear'].map((action) => ['process', { action, sessionId: '$sessionId' }] as const),
    ['lsp', { operation: 'outline', filePath: 'a.ts' }],
    ['lsp', { operation: 'hover', filePath: 'long.txt', line: 1, character: 1 }],
    ['web_search', { query: 'x' }],
    ...['/', '/pixel'].map((place) => ['web_fetch', { url: `URL${place}` }] as const),
    ['todo_write', { todos: [TASK] }],
    ['todo_read', {}],
    ['skill', {}],
    ['skill', { name: 'demo' }],
    ['task', { agent: 'x', objective: 'y' }],
    ['ask_user', { questions: [QUESTION] }],
    ['sessions_spawn', { task: 'do it', wait: 5, name: 'helper' }],
    ['sessions_send', { sessionId: 'helper', message: 'hi', timeout: 5 }],
    ['subagents', { action: 'list' }],
    ['subagents', { action: 'wait', timeout: 1 }],
    ['sessions_list', {}],
    ['session_status', { changesSince: 0 }],
    ['sessions_history', { sessionId: 'helper' }],
    ['message', { action: 'channels' }],
    ['message', { action: 'send', channel: 'c', target: 't', text: 'x' }],
    ['cron', { action: 'add', name: 'job', prompt: 'p', schedule: 'every 15m' }],
    ...['status', 'list'].map((action) => ['cron', { action }] as const),
    ...['get', 'run', 'runs', 'remove'].map((action) => ['cron', { action, jobId: 'job' }] as const),
    ['memory', { command: 'create', path: '/memories/a.md', file_text: 'x\n' }],
    ['memory', { command: 'view', path: '/memories' }],
    ['canvas', { action: 'present', name: 'page', title: 'P', html: '<h1>x</h1>' }],
    ['canvas', { action: 'events', name: 'page' }],
  ],
  canonical: [
    ...['a.ts', 'long.txt', 'latin.txt', 'pixel.png', 'cells.ipynb'].map((file_path) => ['Read', { file_path }] as const),
    ['Write', { file_path: 'new.txt', content: 'x' }],
    ['Edit', { file_path: 'a.ts', old_string: '42', new_string: '43' }],
    ['Glob', { pattern: '*.txt' }],
    ...['content', 'files_with_matches', 'count'].map((output_mode) => ['Grep', { pattern: 'line', output_mode }] as const),
    ['Bash', { command: 'echo hi; exit 3' }],
    ['Bash', { command: 'echo up; sleep 60', run_in_background: true }, 'background_id'],
    ['BashOutput', { bash_id: '$background_id' }],
    ['KillBash', { shell_id: '$background_id' }],
    ['AskUserQuestion', { questions: [QUESTION] }],
    ['TodoWrite', { todos: [{ content: 'a', status: 'pending', activeForm: 'A' }] }],
    ['TodoRead', {}],
    ['LSP', { operation: 'documentSymbol', filePath: 'a.ts' }],
    ['NotebookEdit', { notebook_path: 'cells.ipynb', cell_id: 'abc', new_source: 'print(2)' }],
    ['WebFetch', { url: 'URL/', prompt: 'head' }],
    ['WebSearch', { query: 'x' }],
  ],
  coder: [
    ...['a.ts', 'long.txt', 'latin.txt', 'pixel.png'].map((file) => ['read', { path: file }] as const),
    ['read', { path: 'a.ts', offset: 99 }],
    ['write', { path: 'new.txt', content: 'x' }],
    ['list', {}],
    ['glob', { pattern: '*.txt' }],
    ['grep', { pattern: 'line', max_matches: 2 }],
    ['patch', { patch: PATCH.replace('43', '42'), dry_run: true }],
    ['bash', { command: 'echo hi; exit 3' }],
    ['bash', { command: 'seq 1 40000' }],
    ['todowrite', { todos: [TASK] }],
    ['todoread', {}],
    ['skill', { action: 'list' }],
    ['skill', { action: 'load', name: 'demo' }],
    ['task', { agent: 'x', objective: 'y' }],
    ['lsp_diagnostics', { path: 'long.txt' }],
    ['lsp_definition', { path: 'long.txt', line: 0, character: 0 }],
    ['lsp_hover', { path: 'long.txt', line: 0, character: 0 }],
  ],
  manager: [
    ...['a.ts', 'long.txt', 'latin.txt', 'pixel.png'].map((file) => ['read_file', { path: file }] as const),
    ['read_file', { path: 'a.ts', encoding: 'base64' }],
    ['write_file', { path: 'new.txt', content: 'x' }],
    ['search_files', { pattern: '*.txt', maxResults: 1 }],
    ['search_code', { query: 'line', maxResults: 1 }],
    ['get_diagnostics', { file: 'long.txt' }],
  ],
  acp: [
    ...['a.ts', 'pixel.png'].map((file) => ['read_file', { path: file }] as const),
    ['write_file', { path: 'new.txt', content: 'x' }],
    ['list_directory', {}],
    ['search_files', { query: 'line' }],
    ['edit_file', { path: 'a.ts', edits: EDITS }],
    ['run_command', { command: 'echo hi; exit 3' }],
    ['delete_file', { path: 'new.txt' }],
    ['web_search', { query: 'x' }],
    ['web_request', { url: 'URL/' }],
  ],
}

/** A server of a page and an image. */
async function serverOf(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/pixel') return void response.setHeader('content-type', 'image/png').end(PIXEL)
    response.setHeader('content-type', 'text/html').end('<title>T</title><h1>Head</h1><p>some words of a page</p>')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function toolkitWithAll(dialect: Dialect, host: string): Toolkit<any> {
  const results = [{ title: 'A', url: 'https://a.example/', snippet: 's' }]
  return toolkitOf<any>(FILES, {
    dialect,
    tools: { profile: 'full', show: 'all' },
    canvas: true,
    cron: { run: true },
    memory: { directory: '.memory' },
    exec: { changes: true },
    permissions: { defaultMode: 'allow' },
    onApproval: () => 'once',
    web: { fetch: { allowPrivate: [host] }, search: { provider: async () => results } },
    host: {
      askUser: async () => ({ 'Which?': 'a' }),
      runAgent: async () => ({ summary: 'done' }),
      onCron: async () => 'ran',
      sendMessage: async () => ({ id: '7' }),
      channels: [{ id: 'c', targets: [{ id: 't', label: 'Tee' }] }],
    },
  })
}

/** The details of every call, as one line of TypeScript each, and the calls by these lines. */
async function recorded(dialect: Dialect, host: string): Promise<[line: string, call: string][]> {
  const toolkit = toolkitWithAll(dialect, host)
  const lines: [string, string][] = []
  const known = new Map<string, unknown>()
  for (const [tool, params, keep] of CALLS[dialect]) {
    const given = JSON.parse(JSON.stringify(params).replaceAll('URL', `http://${host}`), (_, value) => known.get(value) ?? value)
    const details: any = (await toolkit.execute(tool, given)).details
    if (keep !== undefined) known.set(`$${keep}`, details[keep])
    const call = `${dialect} ${tool} ${JSON.stringify(params)}`
    lines.push([`const d${lines.length}: ToolDetails<'${dialect}', '${tool}'> = ${JSON.stringify(details)}`, call])
    if (Object.keys(given).length > 0) lines.push([`const p${lines.length}: ToolParams<'${dialect}', '${tool}'> = ${JSON.stringify(given)}`, call])
  }
  return lines
}

const dialects = Object.keys(CALLS) as Dialect[]

test.skipIf(process.platform === 'win32')('results and parameters are what the types say, in every vocabulary', { timeout: 120_000 }, async () => {
  const host = await serverOf()
  const lines = (await Promise.all(dialects.map((dialect) => recorded(dialect, host)))).flat()
  const types = JSON.stringify(path.resolve(__dirname, '../index.js'))
  const file = path.join(workspaceOf(), 'recorded.mts')
  // One that is wrong, so that it is known to be checked.
  const wrong = "const wrong: ToolDetails<'agent', 'ls'> = { path: '.', items: [], truncated: false, more: 1 }"
  const text = [`import type { ToolDetails, ToolParams } from ${types}`, wrong, ...lines.map(([line]) => `{ ${line} }`)].join('\n')
  writeFileSync(file, text)
  const program = ts.createProgram([file], {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  })
  const source = program.getSourceFile(file)
  const faults = program.getSemanticDiagnostics(source).map((fault) => {
    const line = source?.getLineAndCharacterOfPosition(fault.start ?? 0).line ?? 0
    return `${lines[line - 2]?.[1] ?? 'wrong'}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`
  })
  expect(faults).toEqual([`wrong: Object literal may only specify known properties, and 'more' does not exist in type 'AgentLsDetails'.`])
})
