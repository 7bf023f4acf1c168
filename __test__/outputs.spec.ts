import { execFileSync } from 'node:child_process'

import Ajv from 'ajv'
import { describe, expect, test } from 'vitest'

import type { Dialect } from '../index.js'
import { testWith } from './support/programs.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')
const FILES = {
  'a.txt': 'one\ntwo\nthree\n',
  'long.txt': 'line\n'.repeat(3000),
  'src/b.ts': 'export const b = 1\n// two\n',
  'pixel.png': PNG,
  'package.json': '{ "scripts": { "test": "node --test" } }',
  'b.test.mjs': "import test from 'node:test'\ntest('fails', () => { throw new Error('no') })\ntest('passes', () => {})\n",
  '.agents/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: reads\n---\nbody\n',
}
const QUESTIONS = [
  {
    question: 'Which?',
    header: 'h',
    options: [
      { label: 'a', description: 'd' },
      { label: 'b', description: 'd' },
    ],
  },
]
const OPEN = { content: 'x', activeForm: 'doing x', status: 'in_progress' }

type Call = [name: string, params: Record<string, unknown>]

/** Calls that answer every form of details that can be had without a network or a language server. */
const CALLS: Record<Dialect, Call[]> = {
  agent: [
    ['read', { path: 'a.txt' }],
    ['read', { file_path: 'long.txt' }],
    ['read', { file_path: 'pixel.png' }],
    ['write', { file_path: 'n/c.txt', content: 'x\n' }],
    ['edit', { file_path: 'a.txt', oldText: 'two', newText: '2' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch' }],
    ['ls', {}],
    ['find', { pattern: '*.ts' }],
    ['find', { pattern: 'bts', fuzzy: true }],
    ['grep', { pattern: 'line', limit: 2 }],
    ['grep', { pattern: 'nowhere' }],
    ['exec', { command: 'echo out; exit 3' }],
    ['exec', { command: 'sleep 30', background: true }],
    ['exec', { command: 'yes | head -c 200000' }],
    ['process', { action: 'list' }],
    ['todo_write', { todos: [OPEN] }],
    ['todo_read', {}],
    ['skill', { action: 'list' }],
    ['skill', { action: 'load', name: 'pdf' }],
    ['task', { agent: 'a', objective: 'o' }],
    ['ask_user', { questions: QUESTIONS }],
    ['web_search', { query: 'x' }],
    ['lsp', { operation: 'outline', filePath: 'src/b.ts' }],
    ['canvas', { action: 'present', title: 'x', name: 'x', html: 'x' }],
    ['canvas', { action: 'events', name: 'x' }],
    ['canvas', { action: 'list' }],
    ['lsp', { operation: 'hover', filePath: 'src/b.ts', line: 1, character: 14 }],
  ],
  canonical: [
    ['Read', { file_path: 'a.txt' }],
    ['Read', { file_path: 'pixel.png' }],
    ['Write', { file_path: 'c.txt', content: 'x\n' }],
    ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }],
    ['Glob', { pattern: '**/*.ts' }],
    ['Grep', { pattern: 'two' }],
    ['Grep', { pattern: 'o', output_mode: 'count' }],
    ['Grep', { pattern: 'o', output_mode: 'files_with_matches' }],
    ['Bash', { command: 'echo out; echo err >&2; exit 3' }],
    ['Bash', { command: 'sleep 30', run_in_background: true }],
    ['AskUserQuestion', { questions: QUESTIONS }],
    ['TodoWrite', { todos: [OPEN] }],
    ['TodoRead', {}],
    ['WebSearch', { query: 'x' }],
    ['LSP', { operation: 'hover', filePath: 'src/b.ts', line: 1, character: 14 }],
  ],
  coder: [
    ['read', { path: 'a.txt' }],
    ['read', { path: 'a.txt', offset: 99 }],
    ['write', { path: 'c.txt', content: 'x\n' }],
    ['list', {}],
    ['glob', { pattern: '*.ts' }],
    ['grep', { pattern: 'two' }],
    ['patch', { patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n' }],
    ['bash', { command: 'exit 4' }],
    ['todoread', {}],
    ['todowrite', { todos: [{ id: '1', content: 'x', status: 'in_progress', priority: 'high' }] }],
    ['skill', { action: 'list' }],
    ['skill', { action: 'load', name: 'pdf' }],
    ['task', { agent: 'a', objective: 'o' }],
    ['lsp_diagnostics', { path: 'a.txt' }],
    ['lsp_definition', { path: 'src/b.ts', line: 0, character: 13 }],
    ['lsp_hover', { path: 'src/b.ts', line: 0, character: 13 }],
  ],
  manager: [
    ['read_file', { path: 'a.txt' }],
    ['read_file', { path: 'a.txt', encoding: 'base64' }],
    ['write_file', { path: 'q/c.txt', content: 'x\n' }],
    ['search_files', { pattern: '**/*.ts' }],
    ['search_code', { query: 'TWO' }],
    ['git_status', {}],
    ['get_diagnostics', { file: 'src/b.ts' }],
    ['run_tests', { file: 'b.test.mjs' }],
  ],
  acp: [
    ['read_file', { path: 'a.txt' }],
    ['read_file', { path: 'pixel.png' }],
    ['write_file', { path: 'c.txt', content: 'x\n' }],
    ['list_directory', { path: '.' }],
    ['search_files', { query: 'two' }],
    ['edit_file', { path: 'a.txt', edits: [{ type: 'insert', line: 1, text: 'zero' }] }],
    ['run_command', { command: 'exit 3' }],
    ['web_search', { query: 'x' }],
    ['delete_file', { path: 'c.txt' }],
  ],
}

describe.each(Object.keys(CALLS) as Dialect[])('outputSchema of %s', (dialect) => {
  testWith('git')(
    'describes the details of what its tools answer',
    async () => {
      const host = { runAgent: async () => 'done', askUser: async () => ({ answers: { 'Which?': 'a' } }) }
      const search = { provider: async () => [{ title: 't', url: 'https://a.example/', snippet: 's' }] }
      const workspace = workspaceOf(FILES)
      execFileSync('git', ['init', '-q'], { cwd: workspace })
      const toolkit = toolkitOf({}, { workspace, dialect, host, canvas: true, web: { search } } as object)
      const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true })
      for (const [name, params] of CALLS[dialect]) {
        const fits = ajv.compile(toolkit.tool(name as never).outputSchema)
        const { details } = await toolkit.execute(name as never, params as never)
        fits(details)
        expect({ name, params, faults: fits.errors }).toEqual({ name, params, faults: null })
      }
    },
    60_000,
  )

  test('is there for every tool', () => {
    const called = new Set(CALLS[dialect].map(([name]) => name))
    for (const tool of toolkitOf({}, { dialect }).tools()) expect(tool.outputSchema, tool.name).toMatchObject({})
    const left = toolkitOf({}, { dialect })
      .tools()
      .map(({ name }) => name)
      .filter((name) => !called.has(name))
    expect(left).toEqual(
      { agent: ['web_fetch'], canonical: ['BashOutput', 'KillBash', 'NotebookEdit', 'WebFetch'], coder: [], manager: [], acp: ['web_request'] }[dialect],
    )
  })
})

test('the definitions of the Model Context Protocol leave it out: its clients refuse errors that do not fit', () => {
  for (const definition of toolkitOf().definitions(undefined, 'mcp')) expect(definition).not.toHaveProperty('outputSchema')
})
