import { describe, expect, test } from 'vitest'

import type { Toolkit, Dialect } from '../index.js'
import { failureOf, toolkitOf } from './support/workspace.js'

type Case = [what: string, dialect: Dialect, tool: string, params: object, repairs: string[]]

const files = { 'a.txt': 'one two\n', '5': 'five\n', 'sub/b.txt': 'one\n' }

/** Slips of models, what they were taken for, and how the details of the answer say so. */
const CASES: Case[] = [
  ['another name', 'agent', 'read', { path: 'a.txt' }, ['file_path: took `path` for `file_path`']],
  ['another spelling', 'agent', 'read', { filePath: 'a.txt' }, ['file_path: took `filePath` for `file_path`']],
  ['another spelling of another name', 'coder', 'read', { filePath: 'a.txt' }, ['path: took `filePath` for `path`']],
  ['another name', 'canonical', 'Read', { path: 'a.txt' }, ['file_path: took `path` for `file_path`']],
  ['another name', 'manager', 'search_files', { glob: '*.txt' }, ['pattern: took `glob` for `pattern`']],
  ['another name', 'acp', 'search_files', { pattern: 'one' }, ['query: took `pattern` for `query`']],
  ['a name twice with the same value', 'acp', 'read_file', { path: 'a.txt', file_path: 'a.txt' }, ['path: ignored `file_path`, which repeats `path`']],
  ['a number as a text', 'agent', 'read', { file_path: 'a.txt', limit: '1' }, ['limit: read the text "1" as a number']],
  ['a number as a text', 'canonical', 'Grep', { pattern: 'one', '-C': '1' }, ['-C: read the text "1" as a number']],
  ['a number as a text', 'coder', 'read', { path: 'a.txt', offset: '-1' }, ['offset: read the text "-1" as a number']],
  ['a number as a text', 'manager', 'search_code', { query: 'one', maxResults: '2' }, ['maxResults: read the text "2" as a number']],
  ['a truth as a text', 'agent', 'grep', { pattern: 'ONE', ignoreCase: 'True' }, ['ignoreCase: read the text "True" as a boolean']],
  ['a truth as a text', 'canonical', 'Grep', { pattern: 'ONE', '-i': 'true' }, ['-i: read the text "true" as a boolean']],
  ['a truth as a text', 'manager', 'search_code', { query: 'o.e', regex: 'true' }, ['regex: read the text "true" as a boolean']],
  ['a list of one for a text', 'agent', 'read', { file_path: ['a.txt'] }, ['file_path: took the only entry of the list']],
  ['a list of one for a text', 'acp', 'run_command', { command: ['echo hi'] }, ['command: took the only entry of the list']],
  ['a list of one for a number', 'coder', 'grep', { pattern: 'one', max_matches: [1] }, ['max_matches: took the only entry of the list']],
  ['a number for a text that is looked for', 'agent', 'grep', { pattern: 5 }, ['pattern: took the number 5 as a text']],
  ['a number for a text that is looked for', 'manager', 'search_code', { query: 1 }, ['query: took the number 1 as a text']],
  ['one value for a list', 'manager', 'search_files', { pattern: '*.txt', ignore: 'sub' }, ['ignore: took the single value for a list of one']],
  [
    'one value for a list',
    'agent',
    'edit',
    { file_path: 'a.txt', edits: { oldText: 'one', newText: '1' } },
    ['edits: took the single value for a list of one'],
  ],
  ['JSON in a text', 'agent', 'edit', { file_path: 'a.txt', edits: '[{"oldText": "one", "newText": "1"}]' }, ['edits: read the text as JSON']],
  [
    'JSON in a text',
    'acp',
    'edit_file',
    { path: 'a.txt', edits: '{"type": "replace", "oldText": "one", "newText": "1"}' },
    ['edits: read the text as JSON', 'edits: took the single value for a list of one'],
  ],
  ['null for what is absent', 'agent', 'read', { file_path: 'a.txt', offset: null }, ['offset: took null for absent']],
  ['null for what is absent', 'canonical', 'Bash', { command: 'true', cwd: null }, ['cwd: took null for absent']],
  ['nothing for what is absent', 'agent', 'read', { file_path: 'a.txt', offset: 0 }, ['offset: took 0 for absent']],
  ['nothing for what is absent', 'canonical', 'Read', { file_path: 'a.txt', offset: 0, pages: '' }, ['offset: took 0 for absent', 'pages: took "" for absent']],
  ['nothing for what is absent', 'manager', 'read_file', { path: 'a.txt', offset: 0 }, ['offset: took 0 for absent']],
  ['nothing for what is absent', 'agent', 'ls', { path: '' }, ['path: took "" for absent']],
  ['nothing for what is absent', 'agent', 'exec', { command: 'true', workdir: '' }, ['workdir: took "" for absent']],
  ['nothing for what is absent', 'canonical', 'Bash', { command: 'true', cwd: '' }, ['cwd: took "" for absent']],
  ['nothing for what is absent', 'agent', 'process', { action: 'list', sessionId: '' }, ['sessionId: took "" for absent']],
  ['nothing for what is absent', 'canonical', 'Grep', { pattern: 'one', type: '', glob: '' }, ['glob: took "" for absent', 'type: took "" for absent']],
  [
    'names within a list',
    'agent',
    'edit',
    { file_path: 'a.txt', edits: [{ old_text: 'one', new_string: '1' }] },
    ['edits[0].newText: took `new_string` for `newText`', 'edits[0].oldText: took `old_text` for `oldText`'],
  ],
  [
    'names within a list',
    'acp',
    'edit_file',
    { path: 'a.txt', edits: [{ type: 'Replace', old_string: 'one', new_text: '1' }] },
    ['edits[0].oldText: took `old_string` for `oldText`', 'edits[0].type: took "Replace" for "replace"', 'edits[0].newText: took `new_text` for `newText`'],
  ],
  [
    'names of another agent',
    'canonical',
    'Edit',
    { path: 'a.txt', oldText: 'one', new_str: '1' },
    ['file_path: took `path` for `file_path`', 'old_string: took `oldText` for `old_string`', 'new_string: took `new_str` for `new_string`'],
  ],
  [
    'what only describes the call',
    'canonical',
    'Bash',
    { command: 'true', description: 'Does nothing' },
    ['description: ignored `description`, which only describes the call'],
  ],
  ['what only describes the call', 'agent', 'exec', { command: 'true', title: 'Does nothing' }, ['title: ignored `title`, which only describes the call']],
  [
    'what holds anyway',
    'canonical',
    'Edit',
    { file_path: 'a.txt', old_string: 'one', new_string: '1', expected_replacements: 1 },
    ['expected_replacements: ignored `expected_replacements`, which holds anyway'],
  ],
  [
    'what is said in every entry',
    'agent',
    'edit',
    { file_path: 'a.txt', edits: [{ oldText: 'one', newText: '1', replaceAll: true }] },
    ['edits[0].replaceAll: took `replaceAll` for `replaceAll` of the call'],
  ],
  [
    'a constant in another spelling',
    'canonical',
    'Grep',
    { pattern: 'one', output_mode: 'FilesWithMatches' },
    ['output_mode: took "FilesWithMatches" for "files_with_matches"'],
  ],
]

describe('what can have meant one thing only is put right and listed in the details', () => {
  test.each(CASES)('%s (%s %s)', async (_, dialect, tool, params, repairs) => {
    const toolkit = toolkitOf(files, { dialect } as never) as Toolkit<any>
    const { details } = (await toolkit.execute(tool, params)) as any
    expect(details.repairs.map(({ param, message }: any) => `${param}: ${message}`)).toEqual(repairs)
    expect(toolkit.validateParams(tool, params)).toEqual({ valid: true })
  })

  test('what needs none has no list', async () => {
    expect((await toolkitOf(files).execute('read', { file_path: 'a.txt' })).details).not.toHaveProperty('repairs')
  })
})

test.each<[string, Dialect, string, object, string[]]>([
  ['two names with two values', 'agent', 'read', { file_path: 'a.txt', path: 'b.txt' }, ['path: UNKNOWN_PARAM']],
  ['a list of two for a text', 'agent', 'read', { file_path: ['a.txt', 'b.txt'], limit: 'few' }, ['file_path: TYPE_MISMATCH', 'limit: TYPE_MISMATCH']],
  ['a number for a path or a content', 'manager', 'write_file', { path: 5, content: 1 }, ['path: TYPE_MISMATCH', 'content: TYPE_MISMATCH']],
  ['a number that may be a spelling', 'manager', 'search_code', { query: 1.5 }, ['query: TYPE_MISMATCH']],
  [
    'what would change the call',
    'canonical',
    'Edit',
    { file_path: 'a.txt', old_string: 'o', new_string: '0', expected_replacements: 2 },
    ['expected_replacements: UNKNOWN_PARAM'],
  ],
  [
    'what is said in some entries only',
    'agent',
    'edit',
    {
      file_path: 'a.txt',
      edits: [
        { oldText: 'one', newText: '1', replaceAll: true },
        { oldText: 'two', newText: '2' },
      ],
    },
    ['edits[0].replaceAll: UNKNOWN_PARAM'],
  ],
  ['what would change the command', 'canonical', 'Bash', { command: 'true', dangerouslyDisableSandbox: true }, ['dangerouslyDisableSandbox: UNKNOWN_PARAM']],
  ['an object for a text', 'agent', 'write', { file_path: 'a.json', content: { a: 1 } }, ['content: TYPE_MISMATCH']],
  ['faults of a schema and those beyond it', 'agent', 'edit', {}, ['file_path: MISSING_REQUIRED', 'edits: MISSING_REQUIRED']],
  [
    'faults of a schema and those beyond it',
    'agent',
    'edit',
    { file_path: 'a.txt', newText: 'x', replaceAll: 'often' },
    ['replaceAll: TYPE_MISMATCH', 'oldText: MISSING_REQUIRED'],
  ],
  [
    'faults at every depth',
    'acp',
    'edit_file',
    {
      edits: [
        { type: 'insert', line: 'x' },
        { type: 'replace', oldText: 'a' },
      ],
      more: 1,
    },
    ['path: MISSING_REQUIRED', 'edits[0].line: TYPE_MISMATCH', 'more: UNKNOWN_PARAM', 'edits[0].text: MISSING_REQUIRED', 'edits[1].newText: MISSING_REQUIRED'],
  ],
])('%s are refused, all faults at once (%s %s %j)', async (_, dialect, tool, params, expected) => {
  const toolkit = toolkitOf(files, { dialect } as never) as Toolkit<any>
  const { error_type, details } = await failureOf(toolkit.execute(tool, params))
  expect(error_type).toBe('invalid_input')
  const faults = details.errors.map(({ param, code }: any) => `${param}: ${code}`)
  expect(faults.sort()).toEqual(expected.sort())
  for (const { message } of details.errors) expect(message).toMatch(/^[A-Z`].*[.?]$/)
})
