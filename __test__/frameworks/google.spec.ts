// `tenon/google` in the Google Gen AI SDK, which calls functions by itself, over a loopback API.

import { describe, expect, test } from 'vitest'

import { pendingApprovals, toCallableTool } from '../../google.js'
import { FILES, packagesOf, scriptedApi } from '../support/frameworks.js'
import { failureOf, toolkitOf } from '../support/workspace.js'

const packages = packagesOf('google')
const call = (id: string | undefined, name: string, args: object) => ({ functionCall: { ...(id && { id }), name, args } })
const answer = (parts: object[]) => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] })

describe.skipIf(packages.missing)(`Google Gen AI (${packages.missing ?? 'installed'})`, () => {
  const models = (url: string) => {
    const { GoogleGenAI } = (packages as any).load('@google/genai')
    return new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } }).models
  }

  test('a model gets texts, images and errors', async () => {
    const calls = [
      call('1', 'read', { file_path: 'notes.txt' }),
      call('2', 'read', { file_path: 'dot.png' }),
      call(undefined, 'read', { file_path: 'none.txt' }),
    ]
    const api = await scriptedApi([answer(calls), answer([{ text: 'done' }])])
    const response = await models(api.url).generateContent({ model: 'gemini', contents: 'Go.', config: { tools: [toCallableTool(toolkitOf(FILES))] } })
    expect(response.text).toBe('done')
    const parts = api.requests[1].contents.at(-1).parts.map(({ functionResponse }: any) => functionResponse)
    expect(parts).toMatchObject([
      { id: '1', name: 'read', response: { output: 'one\ntwo\n' } },
      { id: '2', response: { output: expect.stringContaining('dot.png') }, parts: [{ inlineData: { mimeType: 'image/png', data: expect.any(String) } }] },
      { name: 'read', response: { error: expect.stringMatching(/^`none\.txt` does not exist/) } },
    ])
    expect(parts[2]).not.toHaveProperty('id')
    expect(api.requests[0].tools[0].functionDeclarations.find(({ name }: any) => name === 'read')).toMatchObject({
      description: expect.any(String),
      parameters: { type: expect.stringMatching(/object/i) },
    })
  })

  test('an abort stops the command', async () => {
    const api = await scriptedApi([answer([call('1', 'exec', { command: 'echo begun; exec sleep 60' })]), answer([{ text: 'done' }])])
    const toolkit = toolkitOf(FILES)
    const abort = new AbortController()
    const tool = toCallableTool(toolkit, { signal: abort.signal, onUpdate: () => abort.abort() })
    await failureOf(models(api.url).generateContent({ model: 'gemini', contents: 'Go.', config: { tools: [tool] } }))
    await expect.poll(() => toolkit.history(), { timeout: 30_000 }).toMatchObject([{ tool: 'exec', outcome: 'aborted' }])
  })
})

test('calls are approved by their ids, and others are left', async () => {
  const toolkit = toolkitOf(FILES, { permissions: { ask: ['Edit'], allow: ['Read'] } })
  const functionCalls = [
    { id: '1', name: 'write', args: { file_path: 'a', content: '1' } },
    { id: '2', name: 'other', args: {} },
  ]
  const [request] = await pendingApprovals(toolkit, { functionCalls })
  expect(await toCallableTool(toolkit).callTool(functionCalls)).toMatchObject([
    { functionResponse: { id: '1', response: { error: expect.stringContaining('approv') } } },
  ])
  expect(await toCallableTool(toolkit, { approvals: { 1: request!.digest } }).callTool(functionCalls)).toMatchObject([
    { functionResponse: { response: { output: 'Successfully wrote to a' } } },
  ])
})

test('an answer to a call without an id is for that call, whichever tools are offered', async () => {
  const toolkit = toolkitOf(FILES, { permissions: { ask: ['Edit'], allow: ['Read'] } })
  const write = (file_path: string) => ({ name: 'write', args: { file_path, content: '1' } })
  const functionCalls = [{ name: 'read', args: { file_path: 'notes.txt' } }, { name: 'other', args: {} }, write('a'), write('b')]
  const [first] = await pendingApprovals(toolkit, { functionCalls })
  expect(first).toMatchObject({ params: { file_path: 'a' } })
  const tool = toCallableTool(toolkit, { names: ['write'], approvals: { [first!.toolCallId]: true } })
  expect((await tool.callTool(functionCalls)).map(({ functionResponse }) => functionResponse.response)).toEqual([
    { output: 'Successfully wrote to a' },
    { error: expect.stringContaining('approv') },
  ])
})
