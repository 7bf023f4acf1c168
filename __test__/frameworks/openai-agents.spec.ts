// `tenon/openai-agents` in the runner of the OpenAI Agents SDK, over a loopback Responses API.

import { writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import agents from '../../js/adapters/openai-agents.js'
import { FILES, packagesOf, scriptedApi } from '../support/frameworks.js'
import { failureOf, toolkitOf, workspaceOf } from '../support/workspace.js'

const packages = packagesOf('openai-agents')
const { toAgentsTools, toEditor, toShell } = agents.adapterOver(packages.missing === undefined ? (packages as any).load('@openai/agents') : { tool: () => {} })
const call = (id: string, name: string, input: unknown) => ({
  type: 'function_call',
  id: `f${id}`,
  call_id: id,
  name,
  status: 'completed',
  arguments: typeof input === 'string' ? input : JSON.stringify(input),
})
const response = (output: object[]) => ({
  id: 'r',
  object: 'response',
  status: 'completed',
  model: 'm',
  output,
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
})
const done = response([{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done', annotations: [] }] }])

test('a tool that takes any parameters is shown as one, and one that takes no others as that', () => {
  const toolkit = toolkitOf()
  toolkit.registerTool({ name: 'any', parameters: { type: 'object' }, handler: () => '' })
  toolkit.registerTool({ name: 'none', parameters: { type: 'object', properties: {}, additionalProperties: false }, handler: () => '' })
  const tools = agents.adapterOver({ tool: (options: any) => options }).toAgentsTools(toolkit, { names: ['any', 'none'] }) as any[]
  expect(tools.map(({ parameters }) => parameters)).toEqual([
    { type: 'object', properties: {}, required: [], additionalProperties: true },
    { type: 'object', properties: {}, required: [], additionalProperties: false },
  ])
})

describe.skipIf(packages.missing)(`OpenAI Agents (${packages.missing ?? 'installed'})`, () => {
  const load = (name: string) => (packages as any).load(name)
  const runnerOf = (url: string) => {
    const { OpenAIProvider, Runner, setTracingDisabled } = load('@openai/agents')
    setTracingDisabled(true)
    return new Runner({ modelProvider: new OpenAIProvider({ apiKey: 'none', baseURL: `${url}/v1`, useResponses: true }) })
  }
  const agentOf = (tools: any) => {
    const { Agent } = load('@openai/agents')
    return new Agent({ name: 'tester', model: 'm', tools })
  }
  const outputsOf = (api: any) =>
    Object.fromEntries(
      api.requests
        .at(-1)
        .input.filter(({ type }: any) => type?.endsWith('_output'))
        .map(({ call_id, output, status }: any) => [call_id, status === 'failed' ? { status, output } : output]),
    )

  test.each([false, true])('an agent gets texts, images and errors (strict: %s)', async (strict) => {
    const calls = [
      call('1', 'read', { file_path: 'notes.txt', offset: null }),
      call('2', 'read', { file_path: 'dot.png' }),
      call('3', 'read', { file_path: 'none.txt' }),
      call('4', 'read', { frob: 1 }),
      call('5', 'read', '{"file_path"'),
    ]
    const api = await scriptedApi([response(calls), done])
    const result = await runnerOf(api.url).run(agentOf(toAgentsTools(toolkitOf(FILES), { strict, needsApproval: false })), 'Go.')
    expect(result.finalOutput).toBe('done')
    const outputs = outputsOf(api)
    expect(outputs).toMatchObject({
      1: 'one\ntwo\n',
      3: expect.stringMatching(/^`none\.txt` does not exist/),
      4: expect.stringContaining('frob'),
      5: expect.stringContaining('valid JSON'),
    })
    expect(outputs[2]).toMatchObject([{ type: 'input_text' }, { type: 'input_image', image_url: expect.stringMatching(/^data:image\/png/) }])
    expect(api.requests[0].tools[0]).toMatchObject({ type: 'function', name: 'read', strict })
  })

  test('an abort stops the command', async () => {
    const api = await scriptedApi([response([call('1', 'exec', { command: 'echo begun; exec sleep 60' })]), done])
    const toolkit = toolkitOf(FILES)
    const abort = new AbortController()
    const seen: any[] = []
    const onUpdate = (update: any) => {
      seen.push(update)
      abort.abort()
    }
    await failureOf(runnerOf(api.url).run(agentOf(toAgentsTools(toolkit, { onUpdate })), 'Go.', { signal: abort.signal }))
    await expect.poll(() => toolkit.history(), { timeout: 30_000 }).toMatchObject([{ tool: 'exec', outcome: 'aborted' }])
    expect(seen[0]).toMatchObject({ tool: 'exec', toolCallId: '1', partial: { content: [{ text: expect.stringContaining('begun') }] } })
  })

  test.each(['here', 'in another process'])('a call that requires approval interrupts the run, and is resumed %s', async (where) => {
    const { RunState } = load('@openai/agents')
    const options = { permissions: { ask: ['Bash'], deny: ['Bash(git push:*)'] } }
    const api = await scriptedApi([
      response([call('1', 'exec', { command: 'echo hello' }), call('2', 'exec', { command: 'echo no' }), call('3', 'exec', { command: 'git push' })]),
      done,
    ])
    const toolkit = toolkitOf(FILES, options)
    const paused = await runnerOf(api.url).run(agentOf(toAgentsTools(toolkit)), 'Go.')
    expect(paused.interruptions.map(({ rawItem }: any) => rawItem.callId)).toEqual(['1', '2'])
    const other = agentOf(toAgentsTools(where === 'here' ? toolkit : toolkitOf(FILES, options)))
    const state = await RunState.fromString(other, paused.state.toString())
    const [first, second] = state.getInterruptions()
    state.approve(first)
    state.reject(second)
    const result = await runnerOf(api.url).run(other, state)
    expect(result.finalOutput).toBe('done')
    expect(outputsOf(api)).toMatchObject({
      1: expect.stringContaining('hello'),
      2: expect.stringContaining('not approved'),
      3: expect.stringContaining('Bash(git push:*)'),
    })
  })

  test('the tools may be in a namespace of the SDK', async () => {
    const { toolNamespace } = load('@openai/agents')
    const api = await scriptedApi([response([{ ...call('1', 'read', { file_path: 'notes.txt' }), namespace: 'files' }]), done])
    const tools = toolNamespace({ name: 'files', description: 'Files.', tools: toAgentsTools(toolkitOf(FILES), { names: ['read'] }) })
    await runnerOf(api.url).run(agentOf(tools), 'Go.')
    expect(api.requests[0].tools).toMatchObject([{ type: 'namespace', name: 'files', tools: [{ name: 'read' }] }])
    expect(outputsOf(api)).toEqual({ 1: 'one\ntwo\n' })
  })

  test('what was approved runs only as it was shown', async () => {
    const api = await scriptedApi([response([call('1', 'write', { file_path: 'notes.txt', content: 'new\n' })]), done])
    const workspace = workspaceOf(FILES)
    const toolkit = toolkitOf({}, { workspace, permissions: { ask: ['Edit'] } })
    const agent = agentOf(toAgentsTools(toolkit))
    const { state, interruptions } = await runnerOf(api.url).run(agent, 'Go.')
    state.approve(interruptions[0])
    writeFileSync(path.join(workspace, 'notes.txt'), 'changed\n')
    await runnerOf(api.url).run(agent, state)
    expect(outputsOf(api)).toMatchObject({ 1: expect.stringContaining('approv') })
  })

  test('shell and apply_patch are run by the toolkit', async () => {
    const { applyPatchTool, shellTool } = load('@openai/agents')
    const api = await scriptedApi([
      response([
        {
          type: 'shell_call',
          id: 's1',
          call_id: '1',
          status: 'completed',
          action: { commands: ['cat notes.txt', 'exit 3'], timeout_ms: 5000, max_output_length: 100 },
        },
        {
          type: 'apply_patch_call',
          id: 'p2',
          call_id: '2',
          status: 'completed',
          operation: { type: 'update_file', path: 'notes.txt', diff: '@@\n one\n-two\n+2\n' },
        },
        { type: 'apply_patch_call', id: 'p3', call_id: '3', status: 'completed', operation: { type: 'delete_file', path: 'none.txt' } },
      ]),
      done,
    ])
    const toolkit = toolkitOf(FILES)
    await runnerOf(api.url).run(agentOf([shellTool(toShell(toolkit) as never), applyPatchTool(toEditor(toolkit) as never)]), 'Go.')
    const outputs = outputsOf(api)
    expect(outputs[1]).toMatchObject([
      { stdout: 'one\ntwo\n', outcome: { type: 'exit', exit_code: 0 } },
      { stdout: '', outcome: { type: 'exit', exit_code: 3 } },
    ])
    expect(outputs[2]).toContain('M notes.txt')
    expect(outputs[3]).toMatchObject({ status: 'failed', output: expect.stringContaining('none.txt') })
    await expect(toolkit.execute('read', { file_path: 'notes.txt' })).resolves.toMatchObject({ content: [{ text: 'one\n2\n' }] })
  })

  test('an abort stops the command of a shell', async () => {
    const { shellTool } = load('@openai/agents')
    const api = await scriptedApi([
      response([{ type: 'shell_call', id: 's1', call_id: '1', status: 'completed', action: { commands: ['exec sleep 60'] } }]),
      done,
    ])
    const toolkit = toolkitOf(FILES)
    const abort = new AbortController()
    const { signal } = abort
    toolkit.on('started', () => abort.abort())
    await failureOf(runnerOf(api.url).run(agentOf([shellTool(toShell(toolkit, { signal }) as never)]), 'Go.', { signal }))
    await expect.poll(() => toolkit.history(), { timeout: 30_000 }).toMatchObject([{ tool: 'exec', outcome: 'aborted' }])
  })

  test('shell and apply_patch require approval by the rules of the toolkit', async () => {
    const { applyPatchTool, shellTool } = load('@openai/agents')
    const api = await scriptedApi([
      response([
        { type: 'shell_call', id: 's1', call_id: '1', status: 'completed', action: { commands: ['echo hello'] } },
        { type: 'apply_patch_call', id: 'p2', call_id: '2', status: 'completed', operation: { type: 'create_file', path: 'a', diff: '+a' } },
      ]),
      done,
    ])
    const toolkit = toolkitOf(FILES, { permissions: { ask: ['Bash', 'Edit'] } })
    const agent = agentOf([shellTool(toShell(toolkit) as never), applyPatchTool(toEditor(toolkit) as never)])
    const { state, interruptions } = await runnerOf(api.url).run(agent, 'Go.')
    expect(interruptions).toHaveLength(2)
    for (const interruption of interruptions) state.approve(interruption)
    await runnerOf(api.url).run(agent, state)
    expect(outputsOf(api)).toMatchObject({ 1: [{ stdout: 'hello\n' }], 2: expect.stringContaining('A a') })
  })
})
