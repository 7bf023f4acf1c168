// `tenon/mastra` in an agent of Mastra, with a model that follows a script.

import { describe, expect, test } from 'vitest'

import { toMastraTools } from '../../mastra.js'
import { FILES, packagesOf } from '../support/frameworks.js'
import { toolkitOf } from '../support/workspace.js'

const packages = packagesOf('mastra')
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

describe.skipIf(packages.missing)(`Mastra (${packages.missing ?? 'installed'})`, () => {
  const load = (name: string) => (packages as any).load(name)

  /** A model of the specification 2 that makes these calls in its first turn, and the prompts that it got. */
  function scripted(calls: readonly (readonly [id: string, name: string, input: object])[]) {
    const prompts: any[] = []
    const doStream = async ({ prompt }: any) => {
      prompts.push(prompt)
      const made =
        prompts.length === 1 ? calls.map(([toolCallId, toolName, input]) => ({ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) })) : []
      const text =
        made.length > 0
          ? []
          : [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: 'done' },
              { type: 'text-end', id: 't' },
            ]
      const parts = [
        { type: 'stream-start', warnings: [] },
        { type: 'response-metadata', id: 'r', modelId: 'm', timestamp: new Date(0) },
        ...made,
        ...text,
        { type: 'finish', finishReason: made.length > 0 ? 'tool-calls' : 'stop', usage },
      ]
      return { stream: new ReadableStream({ start: (controller) => (parts.forEach((part) => controller.enqueue(part)), controller.close()) }) }
    }
    const model = { specificationVersion: 'v2', provider: 'scripted', modelId: 'm', supportedUrls: {}, doStream, doGenerate: doStream }
    const outputs = () =>
      Object.fromEntries(
        prompts
          .at(-1)
          .filter(({ role }: any) => role === 'tool')
          .flatMap(({ content }: any) => content)
          .map(({ toolCallId, output }: any) => [toolCallId, output]),
      )
    return { model, outputs }
  }
  const agentOf = (model: any, tools: any, more: object = {}) => {
    const { Agent } = load('@mastra/core/agent')
    return new Agent({ id: 'tester', name: 'tester', instructions: 'Test.', model, tools, ...more })
  }

  test('an agent gets texts, images and errors', async () => {
    const { model, outputs } = scripted([
      ['1', 'read', { file_path: 'notes.txt' }],
      ['2', 'read', { file_path: 'dot.png' }],
      ['3', 'read', { file_path: 'none.txt' }],
      ['4', 'read', { frob: 1 }],
      ['5', 'read', { path: 'notes.txt' }],
    ])
    const stream = await agentOf(model, toMastraTools(toolkitOf(FILES))).stream('Go.')
    expect(await stream.text).toBe('done')
    const { 1: read, 2: image, 3: missing, 4: wrong, 5: respelled } = outputs()
    expect(read).toEqual({ type: 'content', value: [{ type: 'text', text: 'one\ntwo\n' }] })
    expect(image).toMatchObject({ type: 'content', value: [{ type: 'text' }, { type: 'media', mediaType: 'image/png', data: expect.any(String) }] })
    expect(JSON.stringify(missing)).toContain('`none.txt` does not exist')
    expect(JSON.stringify(wrong)).toContain('frob')
    expect(JSON.stringify(respelled)).toContain('one')
  })

  test('partial results are streamed, and an abort stops the command', async () => {
    const { model } = scripted([['1', 'exec', { command: 'echo begun; exec sleep 60' }]])
    const toolkit = toolkitOf(FILES)
    const abort = new AbortController()
    const stream = await agentOf(model, toMastraTools(toolkit)).stream('Go.', { abortSignal: abort.signal })
    const seen: any[] = []
    for await (const chunk of stream.fullStream) {
      if (chunk.type !== 'data-tenon-progress') continue
      seen.push(chunk)
      abort.abort()
    }
    expect(seen[0]).toMatchObject({ data: { tool: 'exec', toolCallId: '1' } })
    await expect.poll(() => toolkit.history(), { timeout: 30_000 }).toMatchObject([{ tool: 'exec', outcome: 'aborted' }])
  })

  test('a call has the id that Mastra has for it: by it, its change is taken back', async () => {
    const { model } = scripted([['1', 'write', { file_path: 'new.txt', content: 'new' }]])
    const toolkit = toolkitOf(FILES)
    const stream = await agentOf(model, toMastraTools(toolkit)).stream('Go.')
    expect(await stream.text).toBe('done')
    expect(await toolkit.undo('1')).toEqual([{ path: 'new.txt', kind: 'delete' }])
  })

  test.each(['approveToolCall', 'declineToolCall'])('a call that requires approval suspends the run: %s', async (answer) => {
    const { Mastra } = load('@mastra/core')
    const { InMemoryStore } = load('@mastra/core/storage')
    const toolkit = toolkitOf(FILES, { permissions: { ask: ['Bash'] } })
    const { model, outputs } = scripted([['1', 'exec', { command: 'echo hello' }]])
    const mastra = new Mastra({ agents: { tester: agentOf(model, toMastraTools(toolkit)) }, storage: new InMemoryStore(), logger: false })
    const agent = mastra.getAgent('tester')
    const paused = await agent.stream('Go.')
    let asked: any
    for await (const chunk of paused.fullStream) if (chunk.type === 'tool-call-approval') asked = chunk.payload
    expect(asked).toMatchObject({ toolName: 'exec', toolCallId: '1' })
    expect(toolkit.history()).toEqual([])
    const resumed = await agent[answer]({ runId: paused.runId, toolCallId: '1' })
    for await (const _ of resumed.fullStream);
    expect(toolkit.history()).toMatchObject(answer === 'approveToolCall' ? [{ tool: 'exec', outcome: 'ok' }] : [])
    if (answer === 'approveToolCall') expect(JSON.stringify(outputs())).toContain('hello')
  })
})
