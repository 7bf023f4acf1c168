// The tools that providers trained their models on, over toolkits of every vocabulary: the same operations, under the rules of the toolkit.

import { readFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { agentToolset, bashTool, textEditorTool } from '../../anthropic.js'
import { runResponsesCalls, toOpenAITools } from '../../openai.js'
import { Toolkit } from '../../index.js'
import { testWith } from '../support/programs.js'
import { workspaceOf } from '../support/workspace.js'

const DIALECTS = ['agent', 'canonical', 'coder', 'manager', 'acp'] as const

describe.each(DIALECTS)('a toolkit of the vocabulary %s', (dialect) => {
  const setUp = (more: object = {}) => {
    const workspace = workspaceOf({ 'notes.txt': 'one\ntwo\n' })
    const toolkit = new Toolkit({ workspace, dialect, ...more } as any)
    return { workspace, toolkit, file: (name: string) => readFileSync(path.join(workspace, name), 'utf8') }
  }
  const textOf = (outcome: any) => (typeof outcome === 'string' ? outcome : outcome.map(({ text }: any) => text).join('\n'))

  testWith('bash')('runs the tools of Anthropic', async () => {
    const { toolkit, file, workspace } = setUp({ exec: { state: 'cwd+env' } })
    await using _ = toolkit
    const bash: any = bashTool(toolkit)
    expect(textOf(await bash.run({ command: 'mkdir sub && cd sub && export WORD=hello' }))).toBeDefined()
    expect(textOf(await bash.run({ command: 'echo $WORD; pwd' }))).toContain(`hello\n${path.join(workspace, 'sub')}`)
    const editor: any = textEditorTool(toolkit)
    expect(textOf(await editor.run({ command: 'view', path: 'notes.txt' }))).toContain('     1\tone')
    await editor.run({ command: 'str_replace', path: 'notes.txt', old_str: 'two', new_str: '2' })
    await editor.run({ command: 'insert', path: 'notes.txt', insert_line: 0, insert_text: 'zero' })
    await editor.run({ command: 'create', path: 'new.txt', file_text: 'new\n' })
    expect([file('notes.txt'), file('new.txt')]).toEqual(['zero\none\n2\n', 'new\n'])
    const set: any[] = agentToolset(toolkit)
    const run = (name: string, input: object) => set.find((tool) => tool.name === name).run(input)
    expect(textOf(await run('glob', { pattern: '*.txt' }))).toBe('new.txt\nnotes.txt')
    expect(textOf(await run('grep', { pattern: 'one' }))).toBe('notes.txt:2:one')
    await run('edit', { file_path: 'new.txt', old_string: 'new', new_string: 'old' })
    expect(file('new.txt')).toBe('old\n')
    expect(toolkit.history().every(({ tool }) => !tool.startsWith('@'))).toBe(true)
  })

  test('runs the tools of OpenAI', async () => {
    const { toolkit, file } = setUp()
    await using _ = toolkit
    const output = [
      { type: 'shell_call', id: '1', call_id: 's', action: { commands: ['printf "one\ntwo\n"', 'exit 3'] } },
      { type: 'apply_patch_call', id: '2', call_id: 'p', operation: { type: 'update_file', path: 'notes.txt', diff: '@@\n-two\n+2\n' } },
      { type: 'local_shell_call', id: '3', call_id: 'l', action: { type: 'exec', command: ['echo', 'a b'], env: {} } },
    ]
    const items: any[] = await runResponsesCalls(toolkit, { output } as any)
    expect(items).toMatchObject([
      { type: 'shell_call_output', call_id: 's', output: [{ stdout: 'one\ntwo\n', outcome: { exit_code: 0 } }, { outcome: { exit_code: 3 } }] },
      { type: 'apply_patch_call_output', status: 'completed' },
      { type: 'local_shell_call_output', output: expect.stringContaining('a b\\n') },
    ])
    expect(file('notes.txt')).toBe('one\n2\n')
    expect(toOpenAITools(toolkit).length).toBeGreaterThan(0)
  })

  test('judges them by its rules', async () => {
    const { toolkit, file } = setUp({ permissions: { deny: ['Edit(notes.txt)', 'Bash(rm:*)'] } })
    await using _ = toolkit
    const editor: any = textEditorTool(toolkit)
    await expect(editor.run({ command: 'str_replace', path: 'notes.txt', old_str: 'two', new_str: '2' })).rejects.toThrow(/Edit\(notes\.txt\)/)
    const bash: any = bashTool(toolkit)
    await expect(bash.run({ command: 'rm other.txt' })).rejects.toThrow(/Bash\(rm:\*\)/)
    expect(file('notes.txt')).toBe('one\ntwo\n')
  })
})

test('what the lists of a toolkit hide is hidden from them too', async () => {
  await using toolkit = new Toolkit({ workspace: workspaceOf(), dialect: 'canonical', tools: { deny: ['Bash'] } })
  expect(() => bashTool(toolkit)).toThrow('`bashTool` needs `exec`, which the option `tools` of this toolkit hides.')
  await using other = new Toolkit({ workspace: workspaceOf(), dialect: 'canonical' })
  other.unregisterTool('Bash')
  expect(() => bashTool(other)).toThrow('`exec`')
})

test('a model cannot name them: they are for adapters', async () => {
  await using toolkit = new Toolkit({ workspace: workspaceOf(), dialect: 'manager' })
  for (const name of ['@exec', '@@exec', 'native-:exec', 'exec']) {
    await expect(toolkit.execute(name, { command: 'touch never' })).rejects.toMatchObject({ details: { code: 'unknown_tool' } })
    expect(toolkit.decide(name, { command: 'true' }).verdict).toBe('deny')
  }
  const answer = await toolkit.handleToolUse({ sessionId: 's', toolCallId: '1', toolName: '@exec', input: { command: 'touch never' } })
  expect(answer).toMatchObject({ isError: true })
  await (bashTool(toolkit) as any).run({ command: 'true' })
  expect(JSON.stringify(toolkit.history())).not.toMatch(/native-[0-9a-f]/)
})
