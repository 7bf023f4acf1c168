// The tools of providers that models were trained on, in the AI SDK and in LangChain: over the packages of the providers, whose APIs follow a script.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { toNativeTools, toolApproval } from '../../ai-sdk.js'
import langchain from '../../js/adapters/langchain.js'
import { runResponsesCalls } from '../../openai.js'
import { messageOf, packagesOf, scriptedApi } from '../support/frameworks.js'
import { toolkitOf, workspaceOf } from '../support/workspace.js'

const FILES = { 'notes.txt': 'one\ntwo\n' }
const POLICY = { permissions: { deny: ['Bash(git push:*)'] } }
const PATCH = { type: 'update_file', path: 'notes.txt', diff: '@@\n-one\n+1\n two\n' }

/** Answers of the Messages API: a tool each, then the end. */
function messages(...uses: readonly (readonly [name: string, input: object])[]) {
  return [
    ...uses.map(([name, input], index) => messageOf([{ type: 'tool_use', id: `t${index}`, name, input }], 'tool_use', `m${index}`)),
    messageOf([{ type: 'text', text: 'done' }], 'end_turn', 'end'),
  ]
}

/** Answers of the Responses API: these items each, then the end. */
function responses(...items: object[]) {
  const answer = (id: string, output: object[]) => ({
    id,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output,
    incomplete_details: null,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  })
  const said = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done', annotations: [] }] }
  return [...items.map((item, index) => answer(`r${index}`, [{ status: 'completed', ...item }])), answer('end', [said])]
}

/** What the API got as results of tools in its last request. */
const resultsOf = (requests: any[]) =>
  requests
    .at(-1)
    .messages.flatMap(({ content }: any) => content)
    .filter(({ type }: any) => type === 'tool_result')
    .map(({ content }: any) => (typeof content === 'string' ? content : content.map(({ text }: any) => text).join('')))
const outputsOf = (requests: any[], type: string) => requests.flatMap(({ input }: any) => input).filter((item: any) => item.type === type)

/** The calls that Claude makes, and what it reads of them. */
const CLAUDE = [
  ['bash', { command: 'mkdir -p src && cd src && export WHO=Ada' }],
  ['bash', { command: 'echo "$WHO in ${PWD##*/}"' }],
  ['bash', { command: 'git push' }],
  ['str_replace_based_edit_tool', { command: 'str_replace', path: 'notes.txt', old_str: 'two', new_str: '2' }],
  ['str_replace_based_edit_tool', { command: 'view', path: 'none.txt' }],
  ['memory', { command: 'create', path: '/memories/a.md', file_text: 'remember' }],
] as const

describe.each(['ai-7', 'ai-6'] as const)('the AI SDK, %s', (name) => {
  const packages = packagesOf(name)
  const why = packages.missing ?? 'installed'
  const version = Number(name.slice(-1))
  const load = (specifier: string) => (packages as any).load(specifier)

  test.skipIf(packages.missing)(`Claude uses the tools that it knows (${why})`, { timeout: 60_000 }, async () => {
    const { generateText, stepCountIs } = load('ai')
    const { url, requests } = await scriptedApi(messages(...CLAUDE))
    const anthropic = load('@ai-sdk/anthropic').createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' })
    const workspace = workspaceOf(FILES)
    const toolkit = toolkitOf({}, { ...POLICY, workspace, exec: { state: 'cwd+env' } })
    const dir = workspaceOf()
    const native = toNativeTools(toolkit, { memory: { dir }, version })
    const { text } = await generateText({
      model: anthropic('claude-sonnet-4-5'),
      tools: {
        bash: anthropic.tools.bash_20250124(native.bash),
        str_replace_based_edit_tool: anthropic.tools.textEditor_20250728(native.textEditor),
        memory: anthropic.tools.memory_20250818(native.memory),
      },
      prompt: 'Go.',
      stopWhen: stepCountIs(9),
    })
    expect(text).toBe('done')
    expect(requests[0].tools.map(({ type }: any) => type)).toEqual(['bash_20250124', 'text_editor_20250728', 'memory_20250818'])
    expect(resultsOf(requests)).toEqual([
      expect.any(String),
      'Ada in src\n',
      expect.stringContaining('Bash(git push:*)'),
      expect.stringContaining('has been edited'),
      expect.stringMatching(/^(?!ToolError).*none\.txt.*does not exist/s),
      expect.stringContaining('/memories/a.md'),
    ])
    expect(readFileSync(path.join(workspace, 'notes.txt'), 'utf8')).toBe('one\n2\n')
    expect(readFileSync(path.join(dir, 'a.md'), 'utf8')).toBe('remember')
  })

  test.skipIf(packages.missing)(`GPT uses the tools that it knows (${why})`, { timeout: 60_000 }, async () => {
    const { generateText, stepCountIs } = load('ai')
    const { url, requests } = await scriptedApi(
      responses(
        { type: 'shell_call', id: 's', call_id: 's1', action: { commands: ['cat notes.txt', 'git push'], timeout_ms: 60_000, max_output_length: 1000 } },
        { type: 'apply_patch_call', id: 'a', call_id: 'a1', operation: PATCH },
        { type: 'local_shell_call', id: 'l', call_id: 'l1', action: { type: 'exec', command: ['cat', 'notes.txt'], env: {} } },
      ),
    )
    const openai = load('@ai-sdk/openai').createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' })
    const toolkit = toolkitOf(FILES, POLICY) as any
    const native = toNativeTools(toolkit, { version })
    const { text } = await generateText({
      model: openai.responses('gpt-5.1'),
      tools: {
        shell: openai.tools.shell(native.shell),
        apply_patch: openai.tools.applyPatch(native.applyPatch),
        local_shell: openai.tools.localShell(native.localShell),
      },
      prompt: 'Go.',
      stopWhen: stepCountIs(9),
    })
    expect(text).toBe('done')
    const [shell] = outputsOf(requests, 'shell_call_output')
    expect(shell.output).toEqual([
      { stdout: 'one\ntwo\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
      { stdout: '', stderr: expect.stringContaining('Bash(git push:*)'), outcome: { type: 'exit', exit_code: 126 } },
    ])
    expect(outputsOf(requests, 'apply_patch_call_output')[0]).toMatchObject({ call_id: 'a1', status: 'completed' })
    expect(JSON.parse(outputsOf(requests, 'local_shell_call_output')[0].output)).toMatchObject({ stdout: '1\ntwo\n', exit_code: 0 })
  })

  test.skipIf(packages.missing)(
    `what policy asks about is an approval of the AI SDK, which counts once for what was shown (${why})`,
    { timeout: 60_000 },
    async () => {
      const { generateText, stepCountIs } = load('ai')
      const toolkit = toolkitOf({ ...FILES, 'sub/a.txt': '' }, { permissions: { ask: ['Bash(touch:*)', 'Edit'] }, exec: { state: 'cwd+env' } }) as any
      const native = toNativeTools(toolkit, { version })
      const { url, requests } = await scriptedApi(messages(['bash', { command: 'cat notes.txt' }], ['bash', { command: 'touch made.txt && ls' }]))
      const anthropic = load('@ai-sdk/anthropic').createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' })
      const options = { model: anthropic('claude-sonnet-4-5'), tools: { bash: anthropic.tools.bash_20250124(native.bash) }, stopWhen: stepCountIs(9) }
      const first = await generateText({ ...options, prompt: 'Go.' })
      const request = first.content.find(({ type }: any) => type === 'tool-approval-request')
      expect(request).toMatchObject({ toolCall: { toolName: 'bash', input: { command: 'touch made.txt && ls' } } })
      expect(resultsOf(requests)).toEqual(['one\ntwo\n'])
      const approved = [
        { role: 'user', content: 'Go.' },
        ...first.response.messages,
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: request.approvalId, approved: true }] },
      ]
      expect((await generateText({ ...options, messages: approved })).text).toBe('done')
      expect(resultsOf(requests).at(-1)).toBe('made.txt\nnotes.txt\nsub\n')

      // What runs elsewhere than it was shown is another command.
      expect(await native.bash.needsApproval({ command: 'touch here.txt' }, { toolCallId: 'h' })).toBe(true)
      await native.bash.execute({ command: 'cd sub' }, { toolCallId: 'c' })
      await expect(native.bash.execute({ command: 'touch here.txt' }, { toolCallId: 'h' })).rejects.toThrow('approv')
      // The same where the run is resumed in between, and the command judged again.
      expect(await native.bash.needsApproval({ command: 'touch here.txt' }, { toolCallId: 'r' })).toBe(true)
      await native.bash.execute({ command: 'cd ..' }, { toolCallId: 'd' })
      expect(await native.bash.needsApproval({ command: 'touch here.txt' }, { toolCallId: 'r' })).toBe(true)
      await expect(native.bash.execute({ command: 'touch here.txt' }, { toolCallId: 'r' })).rejects.toThrow('approv')

      // The approval of another call, of a patch: by id, and for what the file was.
      const call = { toolCallId: 'p' }
      expect(await native.applyPatch.needsApproval({ callId: 'p', operation: PATCH }, call)).toBe(true)
      expect(await native.applyPatch.execute({ callId: 'p', operation: PATCH }, call)).toMatchObject({ status: 'completed' })
      expect(await native.shell.needsApproval({ action: { commands: ['ls', 'touch b'] } }, { toolCallId: 's' })).toBe(true)
      expect(await native.localShell.needsApproval({ action: { type: 'exec', command: ['ls'] } }, { toolCallId: 'l' })).toBe(false)
    },
  )
})

/** Steps of the text editor, and what a file has to be after each. */
const EDITS = [
  ['create', { command: 'create', path: 'made.txt', file_text: 'new\n' }, 'made.txt', 'new\n'],
  ['str_replace', { command: 'str_replace', path: 'notes.txt', old_str: 'two', new_str: '2' }, 'notes.txt', 'one\n2\n'],
  ['insert', { command: 'insert', path: 'notes.txt', insert_line: 1, insert_text: 'between\n' }, 'notes.txt', 'one\nbetween\ntwo\n'],
] as const

/** A toolkit that requires approval, whose own approver may not be asked. */
function askingOf(ask: string[], files: Record<string, string> = FILES) {
  const workspace = workspaceOf(files)
  const asked: string[] = []
  const onApproval = ({ tool }: { tool: string }) => {
    asked.push(tool)
    return false
  }
  const toolkit = toolkitOf({}, { workspace, permissions: { ask }, onApproval } as any) as any
  return { toolkit, asked, onApproval, textOf: (file: string) => readFileSync(path.join(workspace, file), 'utf8'), workspace }
}

describe.each([
  ['ai-7', 'the tools say it'],
  ['ai-7', 'toolApproval says it'],
  ['ai-6', 'the tools say it'],
] as const)('approvals of the AI SDK, %s: %s', (name, how) => {
  const packages = packagesOf(name)
  const version = Number(name.slice(-1))
  const load = (specifier: string) => (packages as any).load(specifier)

  /** Claude calls a tool; its user approves what the AI SDK asks about, after something happened. */
  async function approved({ toolkit, dir, use, then = () => {} }: { toolkit: any; dir?: any; use: readonly [string, object]; then?: () => void }) {
    const { generateText, stepCountIs } = load('ai')
    const { url, requests } = await scriptedApi(messages(use))
    const anthropic = load('@ai-sdk/anthropic').createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' })
    const native = toNativeTools(toolkit, { version, memory: dir })
    const options = {
      model: anthropic('claude-sonnet-4-5'),
      tools: {
        bash: anthropic.tools.bash_20250124(native.bash),
        str_replace_based_edit_tool: anthropic.tools.textEditor_20250728(native.textEditor),
        ...(dir && { memory: anthropic.tools.memory_20250818(native.memory) }),
      },
      stopWhen: stepCountIs(9),
      ...(how === 'toolApproval says it' && { toolApproval: toolApproval(toolkit) }),
    }
    const first = await generateText({ ...options, prompt: 'Go.' })
    const [request, ...others] = first.content.filter(({ type }: any) => type === 'tool-approval-request')
    expect(request).toMatchObject({ toolCall: { toolName: use[0], input: use[1] } })
    expect(others).toEqual([])
    then()
    const answered = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: request.approvalId, approved: true }] }
    const second = await generateText({ ...options, messages: [{ role: 'user', content: 'Go.' }, ...first.response.messages, answered] })
    expect(second.text).toBe('done')
    return resultsOf(requests).at(-1)
  }

  test.skipIf(packages.missing).each(EDITS)('a step of the text editor waits for its user, who is asked once: %s', async (_, input, file, text) => {
    const { toolkit, asked, textOf } = askingOf(['Edit'])
    await approved({
      toolkit,
      use: ['str_replace_based_edit_tool', input],
      then: () => expect(toolkit.history().filter(({ tool }: any) => tool !== 'ls' && tool !== 'read')).toEqual([]),
    })
    expect(textOf(file)).toBe(text)
    expect(asked).toEqual([])
  })

  test.skipIf(packages.missing).each([...EDITS, ['view', { command: 'view', path: '.' }, 'notes.txt', 'one\ntwo\n']] as const)(
    'where reading requires approval as well, one answer counts for all that the step does: %s',
    async (_, input, file, text) => {
      const { toolkit, asked, textOf } = askingOf(['Read', 'Edit'], { ...FILES, 'sub/a.txt': '' })
      await approved({ toolkit, use: ['str_replace_based_edit_tool', input] })
      expect(textOf(file)).toBe(text)
      expect(asked).toEqual([])
    },
  )

  test.skipIf(packages.missing).each(EDITS.slice(1))('a step that was approved does not run on a file that changed: %s', async (_, input) => {
    const { toolkit, textOf, workspace } = askingOf(['Edit'])
    const changed = 'other\none\ntwo\n'
    const result = await approved({
      toolkit,
      use: ['str_replace_based_edit_tool', input],
      then: () => writeFileSync(path.join(workspace, 'notes.txt'), changed),
    })
    expect(result).toContain('approv')
    expect(textOf('notes.txt')).toBe(changed)
  })

  test.skipIf(packages.missing)('a memory waits for its user, who is asked once', async () => {
    const { toolkit, asked, onApproval } = askingOf([])
    const dir = workspaceOf()
    const input = { command: 'create', path: '/memories/a.md', file_text: 'remember' }
    await approved({ toolkit, dir: { dir, permissions: { ask: ['memory'] }, onApproval }, use: ['memory', input] })
    expect(readFileSync(path.join(dir, 'a.md'), 'utf8')).toBe('remember')
    expect(asked).toEqual([])
  })
})

test('toolApproval says why a tool of a provider requires approval, whatever tool of ours has its name', async () => {
  const { toolkit } = askingOf(['Bash(id:*)', 'Edit'])
  const status = toolApproval(toolkit)
  const { bash, applyPatch } = toNativeTools(toolkit, { version: 7 })
  const of = (toolName: string, tool: object, input: object) =>
    status({ toolCall: { toolName, toolCallId: toolName, input }, tools: { [toolName]: { type: 'provider', ...tool } } })
  expect(await of('bash', bash, { command: 'id -u' })).toEqual({ type: 'user-approval', reason: expect.stringContaining('Bash(id:*)') })
  expect(await of('bash', bash, { restart: true })).toBeUndefined()
  expect(await of('apply_patch', applyPatch, { callId: 'p', operation: PATCH })).toEqual({ type: 'user-approval', reason: expect.stringContaining('`Edit`') })
})

test('what a toolkit hides is no tool of a provider, and the others are', () => {
  const toolkit = toolkitOf({}, { tools: { deny: ['exec'] } }) as any
  for (const native of [toNativeTools(toolkit), langchain.toNativeTools(toolkit)] as any[]) {
    expect(() => native.bash).toThrow('hides')
    expect(() => native.shell).toThrow('hides')
    expect(() => native.memory).toThrow('dir')
    expect(native.applyPatch).toMatchObject({ execute: expect.any(Function) })
  }
})

const packages = packagesOf('langchain')

describe.skipIf(packages.missing)(`LangChain (${packages.missing ?? 'installed'})`, () => {
  const load = (specifier: string) => (packages as any).load(specifier)

  test('Claude uses the tools that it knows', { timeout: 60_000 }, async () => {
    const { url, requests } = await scriptedApi(messages(...CLAUDE))
    const { ChatAnthropic, tools } = load('@langchain/anthropic')
    const workspace = workspaceOf(FILES)
    const toolkit = toolkitOf({}, { ...POLICY, workspace, exec: { state: 'cwd+env' } })
    const dir = workspaceOf()
    const native = langchain.toNativeTools(toolkit, { memory: { dir } })
    const agent = load('langchain').createAgent({
      model: new ChatAnthropic({ model: 'claude-sonnet-4-5', apiKey: 'none', anthropicApiUrl: url, maxRetries: 0 }),
      tools: [tools.bash_20250124(native.bash), tools.textEditor_20250728(native.textEditor), tools.memory_20250818(native.memory)],
    })
    const state = await agent.invoke({ messages: [{ role: 'user', content: 'Go.' }] })
    expect(state.messages.at(-1).content).toMatch(/done/)
    expect(requests[0].tools.map(({ type }: any) => type)).toEqual(['bash_20250124', 'text_editor_20250728', 'memory_20250818'])
    expect(resultsOf(requests)).toEqual([
      expect.any(String),
      'Ada in src\n',
      expect.stringContaining('Bash(git push:*)'),
      expect.stringContaining('has been edited'),
      expect.stringMatching(/none\.txt.*does not exist/s),
      expect.stringContaining('/memories/a.md'),
    ])
    expect(readFileSync(path.join(workspace, 'notes.txt'), 'utf8')).toBe('one\n2\n')
  })

  const checkpoints = () => new (load('@langchain/langgraph').MemorySaver)()

  /** An agent that makes these calls, and how its user decides on each question. */
  function deciding(toolkit: any, calls: readonly (readonly [string, object])[], options: object = {}, checkpointer = checkpoints()) {
    const { createAgent, FakeToolCallingModel } = load('langchain')
    const { Command } = load('@langchain/langgraph')
    const { tools: anthropic } = load('@langchain/anthropic')
    const { tools: openai } = load('@langchain/openai')
    const { tenonMiddleware, toLangChainTools } = langchain.adapterOver({ ...load('@langchain/core/tools'), ...load('@langchain/core/messages') })
    const native = langchain.toNativeTools(toolkit, options) as any
    const toolCalls = [calls.map(([name, args], index) => ({ type: 'tool_call', id: `t${index}`, name, args })), []]
    const agent = createAgent({
      model: new FakeToolCallingModel({ toolCalls }),
      tools: [
        ...toLangChainTools(toolkit, { names: ['read', 'exec'] }),
        anthropic.bash_20250124(native.bash),
        anthropic.textEditor_20250728(native.textEditor),
        openai.shell(native.shell),
        openai.applyPatch(native.applyPatch),
        ...('memory' in options ? [anthropic.memory_20250818(native.memory)] : []),
      ],
      middleware: [tenonMiddleware(toolkit, { native })],
      checkpointer,
    })
    const thread = { configurable: { thread_id: '1' } }
    const answersOf = (state: any) => state.messages.filter((message: any) => message.getType() === 'tool')
    return {
      ask: async () => (await agent.invoke({ messages: [{ role: 'user', content: 'Go.' }] }, thread)).__interrupt__,
      decide: async (...decisions: object[]) => answersOf(await agent.invoke(new Command({ resume: { decisions } }), thread)),
    }
  }
  const EDITOR = 'str_replace_based_edit_tool'

  test.each(EDITS)('a step of the text editor interrupts the graph, and runs once it is approved: %s', async (_, input, file, text) => {
    const { toolkit, asked, textOf } = askingOf(['Edit'])
    const { ask, decide } = deciding(toolkit, [[EDITOR, input]])
    const request = { digest: expect.any(String), toolCallId: 't0' }
    expect(await ask()).toMatchObject([
      {
        value: {
          actionRequests: [{ name: EDITOR, args: input }],
          reviewConfigs: [{ actionName: EDITOR }],
          approvalRequest: request,
          approvalRequests: [request],
        },
      },
    ])
    await decide({ type: 'approve' })
    expect(textOf(file)).toBe(text)
    expect(asked).toEqual([])
  })

  test.each(EDITS)('where reading requires approval as well, one answer counts for all that a step does: %s', async (_, input, file, text) => {
    const { toolkit, asked, textOf } = askingOf(['Read', 'Edit'])
    const { ask, decide } = deciding(toolkit, [[EDITOR, input]])
    expect(await ask()).toHaveLength(1)
    await decide({ type: 'approve' })
    expect(textOf(file)).toBe(text)
    expect(asked).toEqual([])
  })

  test.each(EDITS.slice(1))('a step that was approved does not run on a file that changed: %s', async (_, input) => {
    const { toolkit, textOf, workspace } = askingOf(['Edit'])
    const { ask, decide } = deciding(toolkit, [[EDITOR, input]])
    expect(await ask()).toHaveLength(1)
    writeFileSync(path.join(workspace, 'notes.txt'), 'other\none\ntwo\n')
    expect(await decide({ type: 'approve' })).toMatchObject([{ content: expect.stringContaining('approv') }])
    expect(textOf('notes.txt')).toBe('other\none\ntwo\n')
  })

  test('a step that is approved in another process runs there', async () => {
    const { toolkit, workspace, asked, textOf } = askingOf(['Edit'])
    const checkpointer = checkpoints()
    const [[, input, file, text]] = EDITS
    expect(await deciding(toolkit, [[EDITOR, input]], {}, checkpointer).ask()).toHaveLength(1)
    const other = toolkitOf({}, { workspace, permissions: { ask: ['Edit'] } })
    await deciding(other, [[EDITOR, input]], {}, checkpointer).decide({ type: 'approve' })
    expect(textOf(file)).toBe(text)
    expect(asked).toEqual([])
  })

  test('commands, patches and memories interrupt the graph like tools of the toolkit: one decision each', async () => {
    const { toolkit, asked, onApproval, textOf } = askingOf(['Bash', 'Edit'])
    const dir = workspaceOf()
    const memory = { dir, permissions: { ask: ['memory'] }, onApproval }
    const file = { command: 'create', path: '/memories/a.md', file_text: 'remember' }
    const calls = [
      ['exec', { command: 'echo ours' }],
      ['bash', { command: 'echo theirs' }],
      ['shell', { commands: ['echo one', 'echo two'] }],
      ['apply_patch', PATCH],
      ['memory', file],
    ] as const
    for (const call of calls) {
      const { ask, decide } = deciding(toolkit, [call], { memory })
      const [question, ...others] = await ask()
      expect(question.value).toMatchObject({ actionRequests: [{ name: call[0], args: call[1] }] })
      expect(question.value.approvalRequests).toHaveLength(call[0] === 'shell' ? 2 : 1)
      expect(others).toEqual([])
      const [answer] = await decide({ type: 'approve' })
      expect(answer.content).not.toContain('requires approval')
    }
    expect(textOf('notes.txt')).toBe('1\ntwo\n')
    expect(readFileSync(path.join(dir, 'a.md'), 'utf8')).toBe('remember')
    expect(asked).toEqual([])
  })

  test('a user rejects the call of a native tool, or writes another', async () => {
    const { toolkit, asked } = askingOf(['Bash'])
    const rejected = deciding(toolkit, [['bash', { command: 'echo no' }]])
    await rejected.ask()
    expect(await rejected.decide({ type: 'reject', message: 'Not now.' })).toMatchObject([{ status: 'error', content: 'Not now.' }])
    const edited = deciding(toolkit, [['bash', { command: 'echo no' }]])
    await edited.ask()
    expect(await edited.decide({ type: 'edit', editedAction: { name: 'bash', args: { command: 'echo yes' } } })).toMatchObject([{ content: 'yes\n' }])
    const other = deciding(toolkit, [['bash', { command: 'echo no' }]])
    await other.ask()
    expect(await other.decide({ type: 'edit', editedAction: { name: 'exec', args: { command: 'echo ours' } } })).toMatchObject([{ content: 'ours\n' }])
    expect(toolkit.history()).toHaveLength(2)
    expect(asked).toEqual([])
  })

  test('what is not of `toNativeTools` is refused; without it tools of providers ask the approver of the toolkit', async () => {
    const { toolkit, asked } = askingOf(['Bash'])
    const { tenonMiddleware } = langchain.adapterOver({ ...load('@langchain/core/tools'), ...load('@langchain/core/messages') })
    expect(() => tenonMiddleware(toolkit, { native: {} } as any)).toThrow('toNativeTools')
    expect(await langchain.toNativeTools(toolkit).bash.execute({ command: 'echo no' })).toContain('approv')
    expect(asked).toEqual(['exec'])
  })

  test('GPT is offered the tools that it knows; the loop of the application answers them, or the tools themselves', { timeout: 60_000 }, async () => {
    const action = { commands: ['cat notes.txt', 'git push'], timeout_ms: 60_000, max_output_length: 1000 }
    const { url, requests } = await scriptedApi(responses({ type: 'shell_call', id: 's', call_id: 's1', action }))
    const { ChatOpenAI, tools } = load('@langchain/openai')
    const toolkit = toolkitOf(FILES, POLICY)
    const native = langchain.toNativeTools(toolkit)
    const all = [tools.shell(native.shell), tools.applyPatch(native.applyPatch), tools.localShell(native.localShell)]
    const model = new ChatOpenAI({ model: 'gpt-5.1', apiKey: 'none', useResponsesApi: true, maxRetries: 0, configuration: { baseURL: `${url}/v1` } })
    const { additional_kwargs } = await model.bindTools(all).invoke('Go.')
    expect(requests[0].tools.map(({ type }: any) => type)).toEqual(['shell', 'apply_patch', 'local_shell'])
    const output = [
      { stdout: 'one\ntwo\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
      { stdout: '', stderr: expect.stringContaining('Bash(git push:*)'), outcome: { type: 'exit', exit_code: 126 } },
    ]
    // LangChain does not run these calls by itself.
    expect(await runResponsesCalls(toolkit, additional_kwargs.tool_outputs)).toEqual([
      { type: 'shell_call_output', call_id: 's1', max_output_length: 1000, output },
    ])
    expect(JSON.parse(await all[0].invoke(action))).toEqual({ output, max_output_length: 1000 })
    expect(await all[1].invoke(PATCH)).toContain('notes.txt')
    expect(JSON.parse(await all[2].invoke({ type: 'exec', command: ['cat', 'notes.txt'] }))).toMatchObject({ stdout: '1\ntwo\n', exit_code: 0 })
  })
})
