// `tenon/ai-sdk` with version 5 of the AI SDK, over a loopback Messages API. Versions 6 and 7 are in `ai-sdk.spec.ts`.

import { describe, expect, test } from 'vitest'

import { toAISDKTools, toNativeTools } from '../../ai-sdk.js'
import { FILES, PNG, packagesOf, scriptedApi } from '../support/frameworks.js'
import { failureOf, toolkitOf } from '../support/workspace.js'

const packages = packagesOf('ai-5')

/** Answers of the Messages API: one that makes these calls, then the end. */
const answers = (...calls: [name: string, input: object][]) =>
  [calls.map(([name, input], index) => ({ type: 'tool_use', id: `t${index}`, name, input })), [{ type: 'text', text: 'done' }]].map((content, index) => ({
    id: `m${index}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: index === 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }))

describe.skipIf(packages.missing)(`AI SDK 5 (${packages.missing ?? 'installed'})`, () => {
  const load = (name: string) => (packages as any).load(name)
  const run = (url: string, tools: object, more: object = {}) => {
    const model = load('@ai-sdk/anthropic').createAnthropic({ apiKey: 'none', baseURL: `${url}/v1` })('claude-sonnet-4-5')
    return load('ai').generateText({ model, tools, prompt: 'Go.', stopWhen: load('ai').stepCountIs(9), ...more })
  }
  const resultsOf = ({ requests }: { requests: any[] }) =>
    requests
      .at(-1)
      .messages.flatMap(({ content }: any) => content)
      .filter(({ type }: any) => type === 'tool_result')
      .map(({ content, is_error = false }: any) => ({ content, is_error }))

  test('the model gets schemas, text, images and errors that are written for it', async () => {
    const api = await scriptedApi(
      answers(
        ['read', { file_path: 'notes.txt' }],
        ['read', { file_path: 'dot.png' }],
        ['read', { file_path: 'none.txt' }],
        ['read', { file_path: 5, frob: 1 }],
        ['exec', { command: 'git push' }],
      ),
    )
    const toolkit = toolkitOf(FILES, { permissions: { deny: ['Bash(git push:*)'] } })
    const { text, steps } = await run(api.url, toAISDKTools(toolkit, { version: 5 }))
    expect(text).toBe('done')
    expect(api.requests[0].tools.find(({ name }: any) => name === 'read')).toMatchObject({
      description: toolkit.getTool('read')?.description,
      input_schema: { type: 'object', required: ['file_path'], properties: { file_path: { type: 'string' } } },
    })
    expect(resultsOf(api)).toEqual([
      { content: [{ type: 'text', text: 'one\ntwo\n' }], is_error: false },
      {
        content: [
          expect.objectContaining({ type: 'text' }),
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG.toString('base64') } },
        ],
        is_error: false,
      },
      { content: expect.stringMatching(/^`none\.txt` does not exist/), is_error: true },
      { content: expect.stringContaining('frob'), is_error: true },
      { content: expect.stringContaining('Bash(git push:*)'), is_error: true },
    ])
    expect(steps[0].toolResults[0].output.details).toMatchObject({ path: 'notes.txt', lines: 2 })
  })

  test('an abort stops the command', async () => {
    const api = await scriptedApi(answers(['exec', { command: 'exec sleep 60' }]))
    const toolkit = toolkitOf()
    const abort = new AbortController()
    toolkit.on('started', () => abort.abort())
    await failureOf(run(api.url, toAISDKTools(toolkit, { version: 5 }), { abortSignal: abort.signal }))
    await expect.poll(() => toolkit.history(), { timeout: 30_000 }).toMatchObject([{ tool: 'exec', outcome: 'aborted' }])
  })

  test("Anthropic's own tools show the model their results", async () => {
    const { anthropic } = load('@ai-sdk/anthropic')
    const api = await scriptedApi(answers(['bash', { command: 'cat notes.txt' }]))
    await run(api.url, { bash: anthropic.tools.bash_20250124(toNativeTools(toolkitOf(FILES), { version: 5 }).bash) })
    expect(resultsOf(api)).toEqual([{ content: [{ type: 'text', text: expect.stringContaining('one\ntwo') }], is_error: false }])
  })

  test('what policy asks goes to the approver of the toolkit', async () => {
    const asked: string[] = []
    const api = await scriptedApi(answers(['write', { file_path: 'a.txt', content: 'a\n' }]))
    const toolkit = toolkitOf({}, { permissions: { ask: ['Edit'] }, onApproval: ({ tool }: any) => (asked.push(tool), 'once') })
    await run(api.url, toAISDKTools(toolkit, { version: 5 }))
    expect(asked).toEqual(['write'])
    expect(resultsOf(api)).toMatchObject([{ is_error: false }])
  })
})
