import { readFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { platformNames } from '../../index.js'
import { failureOf, readyOf, toolkitOf, workspaceOf } from '../support/workspace.js'

/** A toolkit that speaks `canonical`; paths of parameters are made absolute. */
function canonical(files: Record<string, string | Uint8Array> = {}, options: object = {}) {
  const root = workspaceOf(files)
  const toolkit = toolkitOf<'canonical'>({}, { dialect: 'canonical', workspace: root, ...options })
  const execute = (name: string, params: object): Promise<any> => toolkit.execute(name, params as never)
  const call = async (name: string, params: object) => (await execute(name, params)).details
  const text = async (name: string, params: object) => (await execute(name, params)).content[0].text as string
  const at = (name: string) => path.join(root, name)
  return { toolkit, root, at, execute, call, text, refusal: (name: string, params: object) => failureOf(execute(name, params)) }
}

const names = async (options: object = {}) => (await readyOf(canonical({}, options).toolkit)).tools().map((tool) => tool.name)

describe('the levels', () => {
  const first = ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash']

  test('each exposes the tools up to it, and no companion but those of Bash', async () => {
    for (const level of [1, 2, 3]) {
      expect(await names({ level })).toEqual(expect.arrayContaining(first))
      expect(await names({ level })).not.toContain('NotebookEdit')
    }
    expect((await names({ level: 1 })).filter((name) => ['TodoWrite', 'LSP', 'WebFetch', 'WebSearch'].includes(name))).toEqual([])
  })

  test('without a level everything is exposed', async () => {
    expect(await names()).toEqual(expect.arrayContaining([...first, 'NotebookEdit']))
  })
})

describe('Read', () => {
  test('numbers its lines: the number right-aligned to width 6, a tab, the line', async () => {
    const { execute, at } = canonical({ 'a.txt': 'one\ntwo\nthree\n' })
    const content = '     1\tone\n     2\ttwo\n     3\tthree'
    expect(await execute('Read', { file_path: at('a.txt') })).toEqual({
      content: [{ type: 'text', text: content }],
      details: { content, total_lines: 3 },
    })
  })

  test('offset is the first line, counted from 1', async () => {
    const { execute, at } = canonical({ 'a.txt': 'one\ntwo\nthree\nfour\n' })
    const { content, details } = await execute('Read', { file_path: at('a.txt'), offset: 2, limit: 2 })
    expect(details).toEqual({ content: '     2\ttwo\n     3\tthree', total_lines: 4 })
    expect(content[0].text).toMatch(/\n\n\[1 more line in file\. Use offset=4 to continue\.\]$/)
    expect(await canonical().refusal('Read', { file_path: 'nope.txt' })).toMatchObject({ error_type: 'not_found' })
  })

  test('shows a notebook as its cells', async () => {
    const cells = [
      { cell_type: 'markdown', id: 'a', metadata: {}, source: ['# Title'] },
      {
        cell_type: 'code',
        id: 'b',
        metadata: {},
        execution_count: 1,
        source: ['1 + 1'],
        outputs: [{ output_type: 'execute_result', data: { 'text/plain': '2' } }],
      },
    ]
    const { text, at } = canonical({ 'n.ipynb': JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }) })
    expect(await text('Read', { file_path: at('n.ipynb') })).toMatch(
      /\[cell 1: markdown, id a\][^]*# Title[^]*\[cell 2: code, id b, run 1\][^]*1 \+ 1[^]*\[output\][^]*2$/,
    )
    expect(await text('Read', { file_path: at('n.ipynb'), pages: '2' })).not.toContain('# Title')
  })
})

test('Write answers success and the bytes', async () => {
  const { call, at } = canonical()
  expect(await call('Write', { file_path: at('new/a.txt'), content: 'größe' })).toEqual({ success: true, bytes_written: 7 })
})

describe('Edit', () => {
  test('replaces the one place, or all with replace_all', async () => {
    const { call, refusal, at } = canonical({ 'a.txt': 'one two two\n' })
    expect(await call('Edit', { file_path: at('a.txt'), old_string: 'one', new_string: '1' })).toEqual({ success: true, replacements: 1 })
    expect(await refusal('Edit', { file_path: at('a.txt'), old_string: 'two', new_string: '2' })).toMatchObject({
      error_type: 'invalid_input',
      details: { code: 'not_unique' },
    })
    expect(await call('Edit', { file_path: at('a.txt'), old_string: 'two', new_string: '2', replace_all: true })).toEqual({ success: true, replacements: 2 })
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('1 2 2\n')
  })
})

test('Glob answers files and their count', async () => {
  const { call, at } = canonical({ 'src/a.ts': '', 'b.ts': '', 'c.js': '' })
  expect(await call('Glob', { pattern: '**/*.ts' })).toEqual({ files: ['b.ts', 'src/a.ts'], count: 2 })
  expect(await call('Glob', { pattern: '*.ts', path: at('src') })).toEqual({ files: ['src/a.ts'], count: 1 })
})

test('Glob answers the first 1000 files, says of how many and how to come to the rest', async () => {
  const files = Object.fromEntries(Array.from({ length: 1003 }, (_, index) => [`${String(index).padStart(4, '0')}.ts`, '']))
  const toolkit = toolkitOf(files, { dialect: 'canonical' })
  const { content, details } = await toolkit.execute('Glob', { pattern: '*.ts' })
  expect(details).toEqual({ files: Object.keys(files).slice(0, 1000), count: 1000, truncated: true, total_matches: 1003 })
  expect((content[0] as { text: string }).text).toMatch(
    /\n\n\[1000 of 1003 files shown\. They are sorted by path and end at `0999\.ts`\. Narrow pattern or path\]$/,
  )
  expect((await toolkit.execute('Glob', { pattern: '1*.ts' })).details.files).toEqual(['1000.ts', '1001.ts', '1002.ts'])

  const coder = toolkitOf(files, { dialect: 'coder' })
  const answer = await coder.execute('glob', { pattern: '*.ts' })
  expect(answer.details).toMatchObject({ ok: true, truncated: true, total_matches: 1003 })
  expect((answer.content[0] as { text: string }).text).toContain('1000 of 1003 files shown')
})

describe('Grep', () => {
  const files = { 'a.ts': 'one\nTwo\ntwo two\n', 'src/b.js': 'two\n' }

  test('content is the default: matching lines', async () => {
    expect(await canonical(files).call('Grep', { pattern: 'two' })).toEqual({
      matches: [
        { file: 'a.ts', line_number: 3, content: 'two two' },
        { file: 'src/b.js', line_number: 1, content: 'two' },
      ],
      total_matches: 2,
    })
  })

  test('files_with_matches and count', async () => {
    const { call } = canonical(files)
    expect(await call('Grep', { pattern: 'two', output_mode: 'files_with_matches' })).toEqual({
      matches: [{ file: 'a.ts' }, { file: 'src/b.js' }],
      total_matches: 2,
    })
    expect(await call('Grep', { pattern: 'two', output_mode: 'count', '-i': true })).toEqual({
      matches: [
        { file: 'a.ts', count: 2 },
        { file: 'src/b.js', count: 1 },
      ],
      total_matches: 3,
    })
  })

  test('options and extensions', async () => {
    const { call, text } = canonical(files)
    expect((await call('Grep', { pattern: 'two', '-i': true })).total_matches).toBe(3)
    expect((await call('Grep', { pattern: 'two', glob: '*.js' })).matches).toHaveLength(1)
    expect((await call('Grep', { pattern: 'two', type: 'ts' })).matches).toHaveLength(1)
    expect((await call('Grep', { pattern: 'one\\nTwo', multiline: true })).matches[0]).toMatchObject({ line_number: 1 })
    expect(await text('Grep', { pattern: 'Two', '-B': 1, '-A': 1 })).toBe('a.ts-1- one\na.ts:2: Two\na.ts-3- two two')
    expect(await text('Grep', { pattern: 'one', '-n': false })).toBe('a.ts: one')
    expect((await call('Grep', { pattern: 'two', '-i': true, head_limit: 1, offset: 1 })).matches).toEqual([
      { file: 'a.ts', line_number: 3, content: 'two two' },
    ])
  })

  test('-o shows the matches alone, each on a line of its own, and counts them', async () => {
    const { call, text } = canonical(files)
    const alone = { pattern: 't\\w', '-i': true, '-o': true, '-C': 1 }
    expect(await call('Grep', alone)).toEqual({
      matches: [
        { file: 'a.ts', line_number: 2, content: 'Tw' },
        { file: 'a.ts', line_number: 3, content: 'tw' },
        { file: 'a.ts', line_number: 3, content: 'tw' },
        { file: 'src/b.js', line_number: 1, content: 'tw' },
      ],
      total_matches: 4,
    })
    expect(await text('Grep', { ...alone, head_limit: 1 })).toBe('a.ts:2: Tw\n\n[1 of 4 matches shown. Use head_limit=2 for more, or narrow pattern]')
    // The other modes count lines, as without it.
    expect((await call('Grep', { ...alone, output_mode: 'count' })).total_matches).toBe(3)
  })

  test('head_limit cuts the answer and not the total', async () => {
    const { call, text } = canonical({ 'a.txt': 'x\n'.repeat(10) })
    const { matches, total_matches } = await call('Grep', { pattern: 'x', head_limit: 3 })
    expect([matches.length, total_matches]).toEqual([3, 10])
    expect(await text('Grep', { pattern: 'x', head_limit: 3 })).toMatch(/\[3 of 10 matches shown\. Use head_limit=6 for more, or narrow pattern\]$/)
  })
})

test('Bash keeps the streams apart', async () => {
  const { call, refusal, at } = canonical({ 'sub/x': '' })
  expect(await call('Bash', { command: 'echo out; echo err >&2; exit 3' })).toEqual({ stdout: 'out\n', stderr: 'err\n', exit_code: 3 })
  expect(await call('Bash', { command: 'ls', cwd: at('sub') })).toMatchObject({ stdout: 'x\n' })
  expect(await refusal('Bash', { command: 'echo begun; sleep 300', timeout: 500 })).toMatchObject({ error_type: 'timeout' })
})

test('Bash in the background is read by BashOutput and ended by KillBash', async () => {
  const { call, refusal } = canonical()
  const started = await call('Bash', { command: 'echo ready; exec sleep 60', run_in_background: true })
  expect(started).toEqual({ stdout: '', stderr: '', exit_code: null, background_id: expect.stringMatching(/^[a-z]+-[a-z]+/) })
  const bash_id = started.background_id
  let output = await call('BashOutput', { bash_id })
  for (const end = Date.now() + 10_000; output.stdout === '' && Date.now() < end; ) output = await call('BashOutput', { bash_id })
  expect(output).toEqual({ bash_id, status: 'running', output: 'ready\n', stdout: 'ready\n', stderr: '', exit_code: null })
  expect(await call('KillBash', { shell_id: bash_id })).toMatchObject({ shell_id: bash_id, status: 'killed' })
  expect(await refusal('BashOutput', { bash_id: 'nobody' })).toMatchObject({ error_type: 'not_found' })
})

describe('NotebookEdit', () => {
  const notebook = (sources: string[]) =>
    `${JSON.stringify({ cells: sources.map((source, index) => ({ cell_type: 'code', execution_count: null, id: `c${index}`, metadata: {}, outputs: [], source: [source] })), metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`
  const sources = (text: string) => JSON.parse(text).cells.map((cell: any) => cell.source.join(''))

  test('replaces, inserts and deletes cells, and leaves the rest as it stands', async () => {
    const { call, at } = canonical({ 'n.ipynb': notebook(['a', 'b']) })
    const content = () => readFileSync(at('n.ipynb'), 'utf8')
    expect(await call('NotebookEdit', { notebook_path: at('n.ipynb'), cell_id: 'c1', new_source: 'B' })).toEqual({
      success: true,
      cell_id: 'c1',
      cell_type: 'code',
      edit_mode: 'replace',
      total_cells: 2,
    })
    expect(content()).toBe(notebook(['a', 'B']))
    await call('NotebookEdit', { notebook_path: at('n.ipynb'), cell_id: 'cell-0', new_source: 'x', cell_type: 'markdown', edit_mode: 'insert' })
    expect(sources(content())).toEqual(['a', 'x', 'B'])
    await call('NotebookEdit', { notebook_path: at('n.ipynb'), cell_id: 'cell-1', edit_mode: 'delete' })
    expect(content()).toBe(notebook(['a', 'B']))
  })

  test('a cell that is not there is reported with those that are', async () => {
    const { refusal, at } = canonical({ 'n.ipynb': notebook(['a']) })
    expect(await refusal('NotebookEdit', { notebook_path: at('n.ipynb'), cell_id: 'zz', new_source: '' })).toMatchObject({
      error_type: 'not_found',
      message: expect.stringContaining('`c0`'),
    })
  })
})

test('names in files of other platforms map to these', () => {
  const inverse = { inverse: true }
  expect(platformNames('claude-code', inverse)).toMatchObject({ Read: 'Read', MultiEdit: 'Edit', KillShell: 'KillBash' })
  expect(platformNames('opencode', inverse)).toMatchObject({ bash: 'Bash', question: 'AskUserQuestion', todowrite: 'TodoWrite' })
  expect(platformNames('vscode', inverse)).toMatchObject({ runInTerminal: 'Bash', editFiles: 'Edit', fetch: 'WebFetch' })
  expect(() => platformNames('emacs' as never)).toThrow('Available: `claude-code`, `opencode`, `vscode`.')
})

test('each tool leads to what does the same on another platform', () => {
  expect(platformNames('opencode')).toEqual({
    Read: 'opencode.file.read()',
    Write: 'opencode.file.write()',
    Edit: 'opencode.file.edit()',
    Glob: 'opencode.search.glob()',
    Grep: 'opencode.search.grep()',
    Bash: 'opencode.system.exec()',
    AskUserQuestion: 'opencode.ui.prompt()',
    TodoWrite: 'opencode.task.update()',
    LSP: 'opencode.lsp.*',
    WebFetch: 'opencode.http.fetch()',
    WebSearch: 'opencode.search.web()',
  })
  expect(platformNames('vscode')).toEqual({
    Read: 'vscode.workspace.fs.readFile()',
    Write: 'vscode.workspace.fs.writeFile()',
    Edit: 'vscode.TextEdit + applyEdit()',
    Glob: 'vscode.workspace.findFiles()',
    Grep: 'vscode.workspace.findTextInFiles()',
    Bash: 'vscode.ProcessExecution',
    AskUserQuestion: 'vscode.window.showQuickPick()',
    LSP: 'vscode.languages.*',
  })
})

test('a tool that another version of the platform has leads to the one that does the same', async () => {
  const { refusal } = canonical()
  const messages = await Promise.all(['KillShell', 'TaskStop', 'TaskOutput'].map(async (name) => (await refusal(name, {})).message))
  expect(messages).toEqual([
    'unknown tool `KillShell`. Here it is called `KillBash`.',
    'unknown tool `TaskStop`. Here it is called `KillBash`.',
    'unknown tool `TaskOutput`. Here it is called `BashOutput`.',
  ])
})
