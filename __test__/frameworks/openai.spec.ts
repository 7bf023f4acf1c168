// `tenon/openai` with the real client: Chat Completions, `runTools`, the Responses API and its native tools.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { pendingApprovals, runChatCalls, runResponsesCalls, toOpenAITools, toResponsesTools } from '../../openai.js'
import { FILES, packagesOf, scriptedApi } from '../support/frameworks.js'
import { failureOf, toolkitOf, workspaceOf } from '../support/workspace.js'

const packages = packagesOf('openai')
const call = (id: string, name: string, input: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
})
const chat = (message: object, reason = 'tool_calls') => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: reason, logprobs: null, message: { role: 'assistant', content: null, refusal: null, ...message } }],
})
const done = chat({ content: 'done' }, 'stop')

describe.skipIf(packages.missing)(`the client of openai (${packages.missing ?? 'installed'})`, () => {
  const client = (url: string) => {
    const { OpenAI } = (packages as any).load('openai')
    return new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })
  }

  test('runTools shows texts and errors, and refuses what is not JSON', async () => {
    const calls = [
      call('1', 'read', { file_path: 'notes.txt' }),
      call('2', 'read', { path: 'none.txt' }),
      call('3', 'read', '{"file_path"'),
      call('4', 'read', { file_path: 'dot.png' }),
    ]
    const api = await scriptedApi([chat({ tool_calls: calls }), done])
    const runner = client(api.url).chat.completions.runTools({
      model: 'm',
      messages: [{ role: 'user', content: 'Read.' }],
      tools: toOpenAITools(toolkitOf(FILES)),
    })
    expect(await runner.finalContent()).toBe('done')
    const answers = api.requests[1].messages.filter(({ role }: any) => role === 'tool').map(({ content }: any) => content)
    expect(answers[0]).toBe('one\ntwo\n')
    expect(answers[1]).toMatch(/^`none\.txt` does not exist/)
    expect(answers[2]).toContain('Invalid parameters for `read`')
    expect(answers[3]).toContain('[image, image/png: not shown here]')
  })

  test('an abort of runTools stops the command', async () => {
    const api = await scriptedApi([chat({ tool_calls: [call('1', 'exec', { command: 'echo begun; exec sleep 60' })] }), done])
    const toolkit = toolkitOf(FILES)
    const seen: string[] = []
    let runner: any
    const onUpdate = ({ partial }: any) => {
      seen.push(partial.content[0].text)
      runner.abort()
    }
    runner = client(api.url).chat.completions.runTools({
      model: 'm',
      messages: [{ role: 'user', content: 'Run.' }],
      tools: toOpenAITools(toolkit, { onUpdate }),
    })
    await failureOf(runner.done())
    await expect.poll(() => toolkit.history(), { timeout: 30_000 }).toMatchObject([{ tool: 'exec', outcome: 'aborted' }])
    expect(seen.join('')).toContain('begun')
  })

  test('the Responses API gets function calls answered with texts and images', async () => {
    const output = [
      { type: 'reasoning', id: 'r', summary: [] },
      { type: 'function_call', id: 'f1', call_id: 'c1', name: 'read', arguments: '{"file_path":"notes.txt"}', namespace: 'files' },
      { type: 'function_call', id: 'f2', call_id: 'c2', name: 'read', arguments: '{"file_path":"dot.png"}' },
      { type: 'function_call', id: 'f3', call_id: 'c3', name: 'of_somebody_else', arguments: '{}' },
    ]
    const api = await scriptedApi([
      { id: 'r1', object: 'response', output },
      { id: 'r2', object: 'response', output: [] },
    ])
    const toolkit = toolkitOf(FILES)
    const openai = client(api.url)
    const tools = toResponsesTools(toolkit, { strict: true })
    const response = await openai.responses.create({ model: 'm', input: 'Read.', tools })
    const answers = await runResponsesCalls(toolkit, response.output)
    await openai.responses.create({ model: 'm', previous_response_id: response.id, input: answers, tools })
    expect(api.requests[1].input).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: 'one\ntwo\n', namespace: 'files' },
      {
        type: 'function_call_output',
        call_id: 'c2',
        output: [
          { type: 'input_text', text: expect.stringContaining('dot.png') },
          { type: 'input_image', image_url: expect.stringMatching(/^data:image\/png;base64,/), detail: 'auto' },
        ],
      },
    ])
    expect(api.requests[0].tools[0]).toMatchObject({ type: 'function', strict: true, parameters: { additionalProperties: false } })
  })
})

test('the API may decide on strict mode, tool by tool', () => {
  const toolkit = toolkitOf(FILES)
  const [preferred, loose] = (['prefer', false] as const).map((strict) => toResponsesTools(toolkit, { names: ['read'], strict })[0]!)
  expect(preferred).toEqual({ ...loose, strict: null })
})

test('calls of Chat Completions are answered in their order, images by a message of the user', async () => {
  const toolkit = toolkitOf(FILES)
  const messages = await runChatCalls(toolkit, {
    tool_calls: [call('1', 'read', { file_path: 'dot.png' }), call('2', 'read', { file_path: 'notes.txt' }), call('3', 'other', {})],
  })
  expect(messages).toEqual([
    { role: 'tool', tool_call_id: '1', content: expect.stringContaining('[image, image/png') },
    { role: 'tool', tool_call_id: '2', content: 'one\ntwo\n' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Images of the call 1:' },
        { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png/) } },
      ],
    },
  ])
})

test('a call that requires approval runs when its user approved what was shown', async () => {
  const toolkit = toolkitOf(FILES, { permissions: { ask: ['Edit'], allow: ['Read'] } })
  const write = (id: string, content: string) => ({
    type: 'function_call',
    call_id: id,
    name: 'write',
    arguments: JSON.stringify({ file_path: 'notes.txt', content }),
  })
  const output = [write('c1', 'new\n'), write('c2', 'other\n'), { type: 'function_call', call_id: 'c3', name: 'read', arguments: '{"file_path":"notes.txt"}' }]
  const pending = await pendingApprovals(toolkit, output)
  expect(pending).toMatchObject([
    { tool: 'write', toolCallId: 'c1', preview: { diff: expect.stringContaining('+new') } },
    { tool: 'write', toolCallId: 'c2' },
  ])
  const [, second] = pending
  expect(await runResponsesCalls(toolkit, [output[0]])).toMatchObject([{ call_id: 'c1', output: expect.stringContaining('approv') }])
  expect(await runResponsesCalls(toolkit, output.slice(0, 1), { approvals: { c1: false } })).toMatchObject([
    { output: expect.stringContaining('did not approve') },
  ])
  expect(await runResponsesCalls(toolkit, output.slice(0, 1), { approvals: { c1: true } })).toMatchObject([
    { output: expect.stringContaining('Successfully wrote') },
  ])
  // What was shown of the second is not what it would do now.
  expect(await runResponsesCalls(toolkit, output.slice(1, 2), { approvals: { c2: second!.digest } })).toMatchObject([
    { output: expect.stringContaining('approv') },
  ])
  expect(toolkit.history().map(({ outcome }) => outcome)).toEqual(['permission_denied', 'ok', 'permission_denied'])
})

test('shell: every command has its own outcome, under the policy of the toolkit', async () => {
  const toolkit = toolkitOf(FILES, { permissions: { deny: ['Bash(git push:*)'] } })
  const shell = (action: object) => ({ type: 'shell_call', id: 's', call_id: 'c', status: 'in_progress', action })
  const [answer]: any[] = await runResponsesCalls(toolkit, [
    shell({ commands: ['cat notes.txt; exit 3', 'git push', 'exec sleep 60'], timeout_ms: 1000, max_output_length: 6 }),
  ])
  expect(answer).toEqual({
    type: 'shell_call_output',
    call_id: 'c',
    max_output_length: 6,
    output: [
      { stdout: 'one\n[2 characters omitted]\nwo\n', stderr: '', outcome: { type: 'exit', exit_code: 3 } },
      { stdout: '', stderr: expect.stringContaining('Bash(git push:*)'), outcome: { type: 'exit', exit_code: 126 } },
      { stdout: '', stderr: '', outcome: { type: 'timeout' } },
    ],
  })
  expect(await runResponsesCalls(toolkit, [shell({})])).toEqual([{ type: 'shell_call_output', call_id: 'c', output: [] }])
})

test('apply_patch: one file a call, and nothing beside it', async () => {
  const workspace = workspaceOf(FILES)
  const toolkit = toolkitOf({}, { workspace, permissions: { deny: ['Edit(secret/**)'] } })
  const patch = (operation: object) => ({ type: 'apply_patch_call', id: 'p', call_id: 'c', status: 'completed', operation })
  const run = async (operation: object) => (await runResponsesCalls(toolkit, [patch(operation)]))[0]
  expect(await run({ type: 'update_file', path: 'notes.txt', diff: '@@\n one\n-two\n+2\n' })).toEqual({
    type: 'apply_patch_call_output',
    call_id: 'c',
    status: 'completed',
    output: expect.stringContaining('M notes.txt'),
  })
  expect(readFileSync(path.join(workspace, 'notes.txt'), 'utf8')).toBe('one\n2\n')
  expect(await run({ type: 'create_file', path: 'new/a.txt', diff: '+a\n+b\n' })).toMatchObject({ status: 'completed' })
  expect(readFileSync(path.join(workspace, 'new/a.txt'), 'utf8')).toBe('a\nb\n')
  expect(await run({ type: 'delete_file', path: 'new/a.txt' })).toMatchObject({ status: 'completed', output: expect.stringContaining('D new/a.txt') })
  expect(await run({ type: 'update_file', path: 'notes.txt', diff: '@@\n one\n*** Delete File: dot.png' })).toMatchObject({
    status: 'failed',
    output: expect.stringContaining('notes.txt'),
  })
  expect(await run({ type: 'update_file', path: 'notes.txt\n*** Delete File: dot.png', diff: '' })).toMatchObject({ status: 'failed' })
  expect(await run({ type: 'create_file', path: 'secret/key', diff: '+a' })).toMatchObject({
    status: 'failed',
    output: expect.stringContaining('Edit(secret/**)'),
  })
  expect(await run({ type: 'create_file', path: '../out', diff: '+a' })).toMatchObject({ status: 'failed', output: expect.stringContaining('outside') })
  expect(await run({ type: 'rename' })).toMatchObject({ status: 'failed', output: expect.stringContaining('`create_file`') })
  expect(await run({ type: 'update_file', path: 'notes.txt', diff: '@@\n-nothing\n+x' })).toMatchObject({ status: 'failed' })
  const diff = '@@\n one\n-2\n+two\n'
  for (const move_to of ['secret/notes.txt', 'b.txt\n*** Delete File: dot.png', '']) {
    expect(await run({ type: 'update_file', path: 'notes.txt', move_to, diff })).toMatchObject({ status: 'failed' })
  }
  expect(await run({ type: 'delete_file', path: 'notes.txt', move_to: 'b.txt' })).toMatchObject({ status: 'failed' })
  expect(await run({ type: 'update_file', path: 'notes.txt', moveTo: 'moved.txt', diff })).toMatchObject({ status: 'completed' })
  expect([existsSync(path.join(workspace, 'notes.txt')), readFileSync(path.join(workspace, 'moved.txt'), 'utf8')]).toEqual([false, 'one\ntwo\n'])
})

test('local_shell: words stay words', async () => {
  const toolkit = toolkitOf({ 'sub/a b.txt': 'hello\n' })
  const item = {
    type: 'local_shell_call',
    id: 'l',
    call_id: 'c',
    status: 'in_progress',
    action: { type: 'exec', command: ['sh', '-c', 'cat "$1"; echo "$FOO"', 'x', 'a b.txt'], env: { FOO: "it's" }, working_directory: 'sub' },
  }
  const [answer]: any[] = await runResponsesCalls(toolkit, [item])
  expect({ ...answer, output: JSON.parse(answer.output) }).toEqual({
    type: 'local_shell_call_output',
    id: 'c',
    status: 'completed',
    output: { stdout: "hello\nit's\n", stderr: '', exit_code: 0 },
  })
})

test('a model may call a tool with a text in place of JSON', async () => {
  const toolkit = toolkitOf(FILES, { permissions: { ask: ['Edit'], allow: ['Read'] } })
  const tools = toResponsesTools(toolkit, { names: ['apply_patch', 'exec', 'read'], custom: ['apply_patch', 'exec'] })
  expect(tools).toMatchObject([
    { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: expect.stringContaining('*** Begin Patch') } },
    { type: 'custom', name: 'exec' },
    { type: 'function', name: 'read', parameters: { type: 'object' } },
  ])
  const input = '*** Begin Patch\n*** Update File: notes.txt\n@@\n-one\n+"1"\n*** End Patch\n'
  const item = { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input, caller: { type: 'direct' } }
  const [request] = await pendingApprovals(toolkit, [item])
  expect(request).toMatchObject({ toolCallId: 'c', params: { input } })
  expect(await runResponsesCalls(toolkit, [item, { ...item, call_id: 'd', name: 'theirs' }], { approvals: { c: request!.digest } })).toEqual([
    { type: 'custom_tool_call_output', call_id: 'c', output: expect.stringContaining('notes.txt'), caller: { type: 'direct' } },
  ])
  expect((await toolkit.execute('read', { file_path: 'notes.txt' })).content).toEqual([{ type: 'text', text: '"1"\ntwo\n' }])
  expect(() => toResponsesTools(toolkit, { custom: ['write'] })).toThrow('`write` cannot be called with a text')
  expect(() => toResponsesTools(toolkit, { custom: ['frob'] })).toThrow('no tool `frob`')
})

test('a native call requires approval as any other', async () => {
  const toolkit = toolkitOf(FILES, { permissions: { ask: ['Bash'] } })
  const item = { type: 'shell_call', call_id: 'c', action: { commands: ['echo 1', 'echo 2'] } }
  expect((await pendingApprovals(toolkit, [item])).map(({ toolCallId, params }) => [toolCallId, params.command])).toEqual([
    ['c#0', 'echo 1'],
    ['c#1', 'echo 2'],
  ])
  const outputs = async (approvals: Record<string, boolean | string>) =>
    ((await runResponsesCalls(toolkit, [item], { approvals }))[0] as any).output.map(({ stdout, stderr }: any) => stdout || stderr.slice(0, 8))
  expect(await outputs({ c: true })).toEqual(['1\n', '2\n'])
  expect(await outputs({ 'c#0': true, 'c#1': false })).toEqual(['1\n', 'The user'])
})

test('what is no toolkit and no option is refused', async () => {
  expect(() => toOpenAITools([] as never)).toThrow('must be a toolkit')
  expect(() => toResponsesTools(toolkitOf(), { strikt: true } as never)).toThrow('Did you mean `strict`?')
  await expect(runResponsesCalls(toolkitOf(), [], { signals: 1 } as never)).rejects.toThrow('Did you mean `signal`?')
})
