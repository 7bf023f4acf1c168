// `tenon/anthropic` with the real client and its runner, and the tools that Claude was trained on beside the SDK's own.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { agentToolset, bashTool, memoryTool, pendingApprovals, runToolUses, textEditorTool, toAnthropicTools } from '../../anthropic.js'
import { Toolkit } from '../../index.js'
import anthropic from '../../js/adapters/anthropic.js'
import { FILES, messageOf, packagesOf, scriptedApi } from '../support/frameworks.js'
import { testWith } from '../support/programs.js'
import { failureOf, toolkitOf, workspaceOf } from '../support/workspace.js'

const packages = packagesOf('anthropic')
const use = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input })
const message = (content: object[], stop_reason = 'tool_use') => messageOf(content, stop_reason)
const done = message([{ type: 'text', text: 'done' }], 'end_turn')

describe.skipIf(packages.missing)(`the client of @anthropic-ai/sdk (${packages.missing ?? 'installed'})`, () => {
  const load = (name: string) => (packages as any).load(name)
  const client = (url: string) => {
    const { Anthropic } = load('@anthropic-ai/sdk')
    return new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 })
  }
  const adapter = () => anthropic.adapterWith(load('@anthropic-ai/sdk/lib/tools/ToolError').ToolError)
  const params = (tools: any) => ({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Go.' }], tools })

  test('toolRunner shows texts, images and errors', async () => {
    const uses = [
      use('1', 'read', { file_path: 'notes.txt' }),
      use('2', 'read', { file_path: 'dot.png' }),
      use('3', 'read', { file_path: 'none.txt' }),
      use('4', 'read', { frob: 1 }),
    ]
    const api = await scriptedApi([message(uses), done])
    const final = await client(api.url)
      .beta.messages.toolRunner(params(adapter().betaTools(toolkitOf(FILES))))
      .runUntilDone()
    expect(final.content).toMatchObject([{ text: 'done' }])
    expect(api.requests[1].messages.at(-1).content).toMatchObject([
      { type: 'tool_result', tool_use_id: '1', content: 'one\ntwo\n' },
      { tool_use_id: '2', content: [{ type: 'text' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: expect.any(String) } }] },
      { tool_use_id: '3', is_error: true, content: expect.stringMatching(/^`none\.txt` does not exist/) },
      { tool_use_id: '4', is_error: true, content: expect.stringContaining('frob') },
    ])
    expect(api.requests[0].tools[0]).toMatchObject({ type: 'custom', name: 'read', input_schema: { type: 'object' } })
  })

  test('toolRunner runs bash, the text editor and the memory by the names that Claude knows', async () => {
    const api = await scriptedApi([
      message([use('1', 'bash', { command: 'cd sub && export WORD=hello' }), use('2', 'bash', { command: 'echo $WORD; pwd' })]),
      message([
        use('3', 'str_replace_based_edit_tool', { command: 'view', path: 'notes.txt' }),
        use('4', 'memory', { command: 'view', path: '/memories' }),
        use('5', 'memory', { command: 'view', path: '/etc' }),
      ]),
      done,
    ])
    const workspace = workspaceOf({ ...FILES, 'sub/x': '1' })
    const toolkit = toolkitOf({}, { workspace, exec: { state: 'cwd+env' } })
    const { bashTool, textEditorTool, memoryTool } = adapter()
    const memory = memoryTool({ dir: path.join(workspaceOf(), 'notes') })
    await client(api.url)
      .beta.messages.toolRunner(params([bashTool(toolkit), textEditorTool(toolkit, { maxCharacters: 1000 }), memory]))
      .runUntilDone()
    await memory.close()
    const results = api.requests.flatMap(({ messages }) => messages.at(-1).content).filter(({ type }: any) => type === 'tool_result')
    expect(results.map(({ content }: any) => content)).toMatchObject([
      expect.any(String),
      `hello\n${path.join(workspace, 'sub')}\n`,
      "Here's the result of running `cat -n` on notes.txt:\n     1\tone\n     2\ttwo\n     3\t\n",
      expect.stringMatching(
        /^Here're the files and directories up to 2 levels deep in \/memories, excluding hidden items and node_modules:\n[\d.]+[BK]\t\/memories$/,
      ),
      'Path must start with /memories, got: /etc',
    ])
    expect(api.requests[0].tools).toEqual([
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 1000 },
      { type: 'memory_20250818', name: 'memory' },
    ])
  })

  test('an abort of the runner stops the command', async () => {
    const api = await scriptedApi([message([use('1', 'exec', { command: 'echo begun; exec sleep 60' })]), done])
    const toolkit = toolkitOf(FILES)
    const abort = new AbortController()
    const tools = adapter().betaTools(toolkit, { onUpdate: () => abort.abort() })
    await failureOf(client(api.url).beta.messages.toolRunner(params(tools), { signal: abort.signal }).runUntilDone())
    await expect.poll(() => toolkit.history(), { timeout: 30_000 }).toMatchObject([{ tool: 'exec', outcome: 'aborted' }])
  })

  test('the memory says what the memory of the SDK says', async () => {
    const { BetaLocalFilesystemMemoryTool, betaMemoryTool } = load('@anthropic-ai/sdk/tools/memory/node')
    const base = workspaceOf()
    const theirs = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(base))
    const ours = adapter().memoryTool({ dir: path.join(workspaceOf(), 'memories') })
    const answer = async (tool: any, input: object) => {
      try {
        return await tool.run(input)
      } catch (error: any) {
        return `Error: ${error.content ?? error.message}`
      }
    }
    const steps = [
      { command: 'view', path: '/memories' },
      { command: 'create', path: '/memories/a.md', file_text: 'one\ntwo\nthree\n' },
      { command: 'create', path: '/memories/a.md', file_text: 'again' },
      { command: 'create', path: '/memories/deep/er/b.md', file_text: '' },
      { command: 'create', path: '/memories/deep/.hidden', file_text: 'x' },
      { command: 'view', path: '/memories' },
      { command: 'view', path: '/memories/deep' },
      { command: 'view', path: '/memories/a.md' },
      { command: 'view', path: '/memories/a.md', view_range: [2, 3] },
      { command: 'view', path: '/memories/a.md', view_range: [2, -1] },
      { command: 'view', path: '/memories/none' },
      { command: 'view', path: '/elsewhere' },
      { command: 'view', path: '/memories/../../x' },
      { command: 'str_replace', path: '/memories/a.md', old_str: 'two', new_str: '2\n$& 2' },
      { command: 'str_replace', path: '/memories/a.md', old_str: 'zwei', new_str: '2' },
      { command: 'str_replace', path: '/memories/a.md', old_str: 'e', new_str: '2' },
      { command: 'str_replace', path: '/memories/deep', old_str: 'e', new_str: '2' },
      { command: 'str_replace', path: '/memories/none', old_str: 'e', new_str: '2' },
      { command: 'insert', path: '/memories/a.md', insert_line: 0, insert_text: 'zero\n' },
      { command: 'insert', path: '/memories/a.md', insert_line: 3, insert_text: 'between' },
      { command: 'insert', path: '/memories/a.md', insert_line: 99, insert_text: 'far' },
      { command: 'insert', path: '/memories/deep/er/b.md', insert_line: 0, insert_text: 'first' },
      { command: 'view', path: '/memories/deep/er/b.md' },
      { command: 'view', path: '/memories/a.md' },
      { command: 'rename', old_path: '/memories/a.md', new_path: '/memories/new/c.md' },
      { command: 'rename', old_path: '/memories/a.md', new_path: '/memories/d.md' },
      { command: 'rename', old_path: '/memories/new/c.md', new_path: '/memories/deep' },
      { command: 'rename', old_path: '/memories/deep', new_path: '/memories/deeper' },
      { command: 'view', path: '/memories' },
      { command: 'delete', path: '/memories/deeper' },
      { command: 'delete', path: '/memories/deeper' },
      { command: 'delete', path: '/memories' },
      { command: 'view', path: '/memories' },
    ]
    for (const step of steps) expect([step, await answer(ours, step)]).toEqual([step, await answer(theirs, step)])
    await ours.close()
  })

  test('the agent toolset says what that of the SDK says', async () => {
    const { betaAgentToolset20260401 } = load('@anthropic-ai/sdk/tools/agent-toolset/node')
    const files = { 'a.txt': 'one\ntwo\ntwo\n', 'sub/b.txt': 'x' }
    const workdir = workspaceOf(files)
    const workspace = workspaceOf(files)
    const theirs = betaAgentToolset20260401({ workdir })
    const ours = adapter().agentToolset(toolkitOf({}, { workspace, exec: { state: 'cwd+env' } }))
    expect(ours.map(({ name }: any) => name)).toEqual(theirs.map(({ name }: any) => name))
    for (const [index, { input_schema }] of ours.entries()) {
      expect(Object.keys(input_schema.properties as object)).toEqual(Object.keys(theirs[index].input_schema.properties))
    }
    const answer = async (tools: any[], directory: string, name: string, input: object) => {
      const text = await tools
        .find((tool) => tool.name === name)
        .run(input, {})
        .catch((error: any) => `error: ${error.content ?? error.message}`)
      return text.replaceAll(directory, '/w')
    }
    const steps: [string, object][] = [
      ['bash', { command: 'cd sub; export A="it\'s \\$5"; echo done' }],
      ['bash', { command: 'pwd; printf "%s\\n" "$A"' }],
      ['bash', { command: 'echo failed; (exit 3)' }],
      ['bash', { restart: true }],
      ['bash', { command: 'pwd; echo "[$A]"' }],
      ['bash', {}],
      ['bash', { command: 'false' }],
      ['read', { file_path: 'a.txt' }],
      ['read', { file_path: 'a.txt', view_range: [2, 2] }],
      ['read', { file_path: 'a.txt', view_range: [2, -1] }],
      ['read', { file_path: 'a.txt', view_range: [2] }],
      ['read', {}],
      ['write', { file_path: 'new/c.txt', content: 'héllo' }],
      ['edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }],
      ['edit', { file_path: 'a.txt', old_string: 'three', new_string: '3' }],
      ['edit', { file_path: 'a.txt', old_string: 'two', new_string: '$&', replace_all: true }],
      ['edit', { file_path: 'a.txt', old_string: 'one', new_string: '1' }],
      ['read', { file_path: 'a.txt' }],
      ['grep', { pattern: 'nothing like it' }],
      ['glob', { pattern: '/etc/*' }],
      ['glob', { pattern: '../*' }],
      ['glob', {}],
    ]
    for (const [name, input] of steps)
      expect([name, input, await answer(ours, workspace, name, input)]).toEqual([name, input, await answer(theirs, workdir, name, input)])
    for (const tool of theirs) await tool.close?.()
    expect(await answer(ours, workspace, 'glob', { pattern: '*.txt' })).toBe('a.txt')
    expect(await answer(ours, workspace, 'glob', { pattern: '*.txt', path: 'sub' })).toBe('sub/b.txt')
    expect(await answer(ours, workspace, 'glob', { pattern: '**/*.txt' })).toBe('a.txt\nnew/c.txt\nsub/b.txt')
    expect(await answer(ours, workspace, 'grep', { pattern: 'h.llo' })).toBe('new/c.txt:1:héllo')
  })
})

test('uses of tools are answered in their order, and approved by their ids', async () => {
  const toolkit = toolkitOf(FILES, { permissions: { ask: ['Edit'], allow: ['Read'] } })
  const content = [
    { type: 'text', text: 'I will' },
    use('1', 'write', { file_path: 'a', content: '1' }),
    use('2', 'read', { file_path: 'notes.txt' }),
    use('3', 'other', {}),
  ]
  expect(await pendingApprovals(toolkit, { content })).toMatchObject([{ tool: 'write', toolCallId: '1', digest: expect.any(String) }])
  expect(await runToolUses(toolkit, { content })).toMatchObject([
    { tool_use_id: '1', is_error: true },
    { tool_use_id: '2', content: 'one\ntwo\n' },
  ])
  expect(await runToolUses(toolkit, { content }, { approvals: { 1: true } })).toMatchObject([{ tool_use_id: '1', content: 'Successfully wrote to a' }, {}])
  expect(toAnthropicTools(toolkit, { names: ['read'], deferLoading: true })).toMatchObject([{ name: 'read', defer_loading: true }])
})

describe('the text editor', () => {
  const run = async (toolkit: any, input: object) => {
    try {
      return await textEditorTool(toolkit).run(input)
    } catch (error: any) {
      return `Error: ${error.message}`
    }
  }

  test('has the words that Claude was trained on', async () => {
    const toolkit = toolkitOf({ 'a.txt': 'one\ntwo\nthree\n', 'dir/.hidden': '', 'dir/in/deep': '' })
    const said = [
      { command: 'view', path: 'a.txt', view_range: [2, 3] },
      { command: 'view', path: 'a.txt', view_range: [9, 10] },
      { command: 'view', path: '.' },
      { command: 'view', path: 'none' },
      { command: 'create', path: 'a.txt', file_text: '' },
      { command: 'create', path: 'new/b.txt', file_text: 'x\n' },
      { command: 'str_replace', path: 'a.txt', old_str: 'two', new_str: '2' },
      { command: 'str_replace', path: 'a.txt', old_str: 'two', new_str: '2' },
      { command: 'str_replace', path: 'a.txt', old_str: 'e\n', new_str: '2' },
      { command: 'str_replace', path: 'dir', old_str: 'e', new_str: '2' },
      { command: 'insert', path: 'a.txt', insert_line: 1, insert_text: 'and a half' },
      { command: 'insert', path: 'a.txt', insert_line: 10, insert_text: 'x' },
      { command: 'undo_edit', path: 'a.txt' },
      { command: 'create', path: 'c.txt' },
    ]
    const answers = []
    for (const input of said) answers.push(await run(toolkit, input))
    expect(answers).toEqual([
      "Here's the result of running `cat -n` on a.txt:\n     2\ttwo\n     3\tthree\n",
      'Error: Invalid `view_range`: [9, 10]. Its first element `9` should be within the range of lines of the file: [1, 4]',
      "Here's the files and directories up to 2 levels deep in ., excluding hidden items:\n.\n./a.txt\n./dir\n./dir/in\n",
      'Error: The path none does not exist. Please provide a valid path.',
      'Error: File already exists at: a.txt. Cannot overwrite files using command `create`.',
      'File created successfully at: new/b.txt',
      "The file a.txt has been edited. Here's the result of running `cat -n` on a snippet of a.txt:\n     1\tone\n     2\t2\n     3\tthree\n     4\t\nReview the changes and make sure they are as expected. Edit the file again if necessary.",
      'Error: No replacement was performed, old_str `two` did not appear verbatim in a.txt.',
      'Error: No replacement was performed. Multiple occurrences of old_str `e\n` in lines [1, 3]. Please ensure it is unique',
      'Error: The path dir is a directory and only the `view` command can be used on directories',
      "The file a.txt has been edited. Here's the result of running `cat -n` on a snippet of the edited file:\n     1\tone\n     2\tand a half\n     3\t2\n     4\tthree\n     5\t\nReview the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.",
      'Error: Invalid `insert_line` parameter: 10. It should be within the range of lines of the file: [0, 5]',
      'Error: Unrecognized command undo_edit. The allowed commands for the str_replace_based_edit_tool tool are: view, create, str_replace, insert',
      'Error: Parameter `file_text` is required for command: create',
    ])
  })

  test('keeps every other byte of a file', async () => {
    const workspace = workspaceOf({
      'mixed.txt': '\ufeffa\r\nb\nc\r\nd\n',
      'same.txt': 'x\nx\nx\nx\n',
      'long.txt': Array.from({ length: 4500 }, (_, index) => `line ${index + 1}`).join('\n'),
    })
    const toolkit = toolkitOf({}, { workspace })
    await run(toolkit, { command: 'insert', path: 'mixed.txt', insert_line: 2, insert_text: 'new' })
    await run(toolkit, { command: 'insert', path: 'same.txt', insert_line: 2, insert_text: 'new' })
    await run(toolkit, { command: 'insert', path: 'long.txt', insert_line: 4400, insert_text: 'new' })
    const read = (name: string) => readFileSync(path.join(workspace, name), 'utf8')
    expect(read('mixed.txt').replace('new\r\n', 'new\n')).toBe('\ufeffa\r\nb\nnew\nc\r\nd\n')
    expect(read('same.txt')).toBe('x\nx\nnew\nx\nx\n')
    expect(read('long.txt').split('\n').slice(4398, 4402)).toEqual(['line 4399', 'line 4400', 'new', 'line 4401'])
    expect(await run(toolkit, { command: 'view', path: 'long.txt', view_range: [4402, -1] })).toContain('  4402\tline 4401\n')
  })

  test('inserts at any line of a file whose lines repeat, and takes a number that came as a text', async () => {
    const workspace = workspaceOf()
    const toolkit = toolkitOf({}, { workspace })
    const results = []
    for (const line of [0, 1, 2, 3, '4']) {
      writeFileSync(path.join(workspace, 'f.txt'), 'b\nb\nb\na\n')
      const answer = await run(toolkit, { command: 'insert', path: 'f.txt', insert_line: line, insert_text: 'X\n' })
      results.push(String(answer).startsWith('The file') ? readFileSync(path.join(workspace, 'f.txt'), 'utf8') : answer)
    }
    expect(results).toEqual(['X\nb\nb\nb\na\n', 'b\nX\nb\nb\na\n', 'b\nb\nX\nb\na\n', 'b\nb\nb\nX\na\n', 'b\nb\nb\na\nX\n'])
    expect(await run(toolkit, { command: 'insert', path: 'f.txt', insert_line: 'two', insert_text: 'X\n' })).toBe(
      'Error: Invalid `insert_line` parameter: "two". It should be an integer.',
    )
  })

  test('does what policy allows, and shows images', async () => {
    const toolkit = toolkitOf({ ...FILES, secret: 'key\n' }, { permissions: { deny: ['Read(secret)', 'Edit(notes.txt)'] } })
    expect(await run(toolkit, { command: 'view', path: 'secret' })).toContain('Denied by the rule `Read(secret)`')
    expect(await run(toolkit, { command: 'str_replace', path: 'secret', old_str: 'key', new_str: '' })).toContain('Denied by the rule `Read(secret)`')
    expect(await run(toolkit, { command: 'insert', path: 'notes.txt', insert_line: 0, insert_text: 'x' })).toContain('Denied by the rule `Edit(notes.txt)`')
    expect(await run(toolkit, { command: 'view', path: '/etc/passwd' })).toContain('outside the workspace')
    expect(await run(toolkit, { command: 'view', path: 'dot.png' })).toMatchObject([{ type: 'text' }, { type: 'image' }])
  })
})

describe('bash', () => {
  const outcome = (tool: any, input: object) => tool.run(input, {}).catch((error: any) => `Error: ${error.message}`)

  testWith('bash')('carries directory and exported variables, each command a process of its own', async () => {
    const workspace = workspaceOf({ 'sub/x': '' })
    const toolkit = toolkitOf({}, { workspace, exec: { state: 'cwd+env' } })
    const bash = bashTool(toolkit)
    const lines = ['one', 'two "quoted" $5 `x` \\ é', "it's", 'tab\tline\nbreak']
    await outcome(bash, {
      command: `cd sub; local_only=1; ${lines.map((line, index) => `export V${index}=$(printf %s ${`'${line.replaceAll("'", `'\\''`)}'`})`).join('; ')}`,
    })
    expect(await outcome(bash, { command: 'pwd; echo "[$local_only]"; printf "%s|" "$V0" "$V1" "$V2" "$V3"' })).toBe(
      `${workspace}/sub\n[]\n${lines.join('|')}|`,
    )
    await outcome(bash, { command: 'unset V0; false' })
    expect(await outcome(bash, { command: 'echo "[$V0]"; exit 4' })).toContain('[]\n\nCommand exited with code 4')
    expect(await outcome(bash, { restart: true })).toBe('tool has been restarted.')
    expect(await outcome(bash, { command: 'pwd; echo "[$V1]"' })).toBe(`${workspace}\n[]\n`)
    expect(await outcome(bash, {})).toBe('Error: no command provided.')
  })

  testWith('bash')('policy sees the command alone, and judges each where it runs', async () => {
    const toolkit = toolkitOf(
      { 'sub/x': '', 'sub/.env': 'KEY=1\n' },
      { exec: { state: 'cwd+env' }, permissions: { allow: ['Bash(cd:*)', 'Bash(echo:*)', 'Bash(cat:*)', 'Bash(export:*)', 'Read'], deny: ['Read(sub/.env)'] } },
    )
    const bash = bashTool(toolkit)
    expect(await outcome(bash, { command: 'cd sub' })).not.toContain('Error')
    expect(await outcome(bash, { command: 'cat .env' })).toContain('Read(sub/.env)')
    expect(await outcome(bash, { command: 'rm x' })).toContain('Error')
    expect(toolkit.history().map(({ params }) => params.command)).toEqual(['cd sub', 'cat .env', 'rm x'])
  })

  testWith('bash')('the state of a command that was killed stays as it was', async () => {
    const workspace = workspaceOf({ 'sub/x': '' })
    const toolkit = toolkitOf({}, { workspace, exec: { state: 'cwd+env' }, limits: { timeoutMs: 500 } })
    const bash = bashTool(toolkit)
    expect(await outcome(bash, { command: 'cd sub; exec sleep 60' })).toContain('Timed out')
    expect(await outcome(bash, { command: 'pwd' })).toBe(`${workspace}\n`)
  })

  testWith('bash')('what cannot be carried on refuses one command, and the next begins without it', async () => {
    const workspace = workspaceOf({ 'sub/x': '' })
    const elsewhere = workspaceOf()
    for (const [first, reason] of [
      ['export PATH="$PATH:/x"', 'an earlier one exported `PATH`, which is not kept from one command to the next.'],
      [`cd ${elsewhere}`, `the one before ended in \`${elsewhere}\`, where none can begin.`],
      ['mkdir gone && cd gone && rmdir ../gone', `the one before ended in \`${workspace}/gone\`, where none can begin.`],
    ]) {
      const bash = bashTool(toolkitOf({}, { workspace, exec: { state: 'cwd+env' } }))
      await outcome(bash, { command: `export KEPT=1; ${first}` })
      expect(await outcome(bash, { command: 'touch ran' })).toContain(`The command was not run: ${reason}`)
      expect(await outcome(bash, { command: 'pwd; ls; echo "$KEPT"' })).toBe(`${workspace}\nsub\n1\n`)
    }
  })

  testWith('bash')('messages of bash name no file of ours, and count the lines of the command', async () => {
    const bash = bashTool(toolkitOf({}, { exec: { state: 'cwd+env' } }))
    expect([await outcome(bash, { command: 'true\ncd nope' }), await outcome(bash, { command: 'set -x; true' })]).toEqual([
      'bash: line 2: cd: nope: No such file or directory\n\nCommand exited with code 1',
      '++ true\n',
    ])
  })

  test('many toolkits with a state leave one listener and no directory', async () => {
    const left = () => [process.listenerCount('exit'), readdirSync(tmpdir()).filter((name) => name.startsWith(`tenon-state-${process.pid}-`)).length]
    // The first one in a process listens for its end.
    await new Toolkit({ workspace: workspaceOf(), exec: { state: 'cwd+env' } }).close()
    const before = left()
    for (let round = 0; round < 15; round++) await new Toolkit({ workspace: workspaceOf(), exec: { state: 'cwd+env' } }).close()
    expect(left()).toEqual(before)
  })

  test('errors of the agent toolset name its own tools and parameters', async () => {
    const tools: any[] = agentToolset(toolkitOf({}, { workspace: workspaceOf({ 'a.txt': '1\n2\n3\n', 'src/b.md': '' }) }))
    const failure = async (name: string, input: object) => {
      const error = await failureOf(tools.find((tool) => tool.name === name).run(input))
      return error.content ?? error.message
    }
    expect(await failure('read', { file_path: 'nope' })).toBe('`nope` does not exist. Use `glob` to find it.')
    expect(await failure('read', { file_path: 'src' })).toBe('`src` is a directory. Use `glob` to list it.')
    expect(await failure('grep', { pattern: 'two(' })).toMatch(/To search for this text literally, write `two\\\(`\.$/)
    expect(await failure('edit', { file_path: 'a.txt', old_string: '1', new_string: '1' })).toBe(
      '`a.txt` was not changed: `old_string` and `new_string` are identical, so there is nothing to change.',
    )
    expect(await failure('read', { file_path: 'a.txt', view_range: [9, 10] })).toBe(
      'read: view_range [9, 10] begins behind the end of a.txt, which has 3 lines',
    )
    expect(await failure('read', { file_path: 'a.txt', view_range: [2, 1] })).toBe('read: view_range [2, 1] ends before it begins')
  })

  test('a glob of the agent toolset counts from its path, absolute or not', async () => {
    const workspace = workspaceOf({ 'b.md': '', 'src/a.ts': '', 'src/c.md': '', 'src/deep/d.md': '' })
    const glob: any = agentToolset(toolkitOf({}, { workspace })).find(({ name }: any) => name === 'glob')
    const answers = []
    for (const input of [
      { pattern: '*.md' },
      { pattern: '*.md', path: workspace },
      { pattern: '*.md', path: path.join(workspace, 'src') },
      { pattern: '*.md', path: 'src/' },
      { pattern: '**' },
      { pattern: '**.md' },
      { pattern: '**/*.md' },
    ])
      answers.push(await glob.run(input))
    expect(answers).toEqual(['b.md', 'b.md', 'src/c.md', 'src/c.md', 'b.md\nsrc/a.ts\nsrc/c.md\nsrc/deep/d.md', 'b.md', 'b.md\nsrc/c.md\nsrc/deep/d.md'])
  })

  test('state needs the option of the toolkit', () => {
    expect(() => bashTool(toolkitOf(), { state: 'cwd+env' })).toThrow("needs a toolkit with the option `exec: { state: 'cwd+env' }`")
    expect(() => toolkitOf({}, { exec: { state: 'all' as never } })).toThrow("must be 'cwd+env'")
    expect(() => toolkitOf({}, { exec: { state: 'cwd+env' }, shell: { path: 'sh', args: ['-c'] } })).toThrow('exclude each other')
    expect(() => bashTool(toolkitOf({}, { tools: { deny: ['exec'] } }))).toThrow('`bashTool` needs `exec`, which the option `tools` of this toolkit hides.')
  })
})

test('the memory stays in its directory', async () => {
  const outside = workspaceOf({ secret: 'key\n' })
  const dir = path.join(outside, 'memory')
  mkdirSync(dir)
  const { symlinkSync } = await import('node:fs')
  symlinkSync(outside, path.join(dir, 'link'))
  writeFileSync(path.join(dir, 'own'), 'x')
  const memory = memoryTool({ dir })
  for (const input of [
    { command: 'view', path: '/memories/link/secret' },
    { command: 'create', path: '/memories/link/new', file_text: '' },
    { command: 'delete', path: '/memories/link/secret' },
    { command: 'rename', old_path: '/memories/own', new_path: '/memories/../own' },
  ]) {
    expect((await failureOf(memory.run(input))).message).toMatch(/would escape \/memories|Path must start|outside/)
  }
  expect(readFileSync(path.join(outside, 'secret'), 'utf8')).toBe('key\n')
  await memory.close!()
})
