// `tenon/ai-sdk` with the real packages, versions 6 and 7, and a model that follows a script.

import * as six from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import * as seven from 'ai-7'
import { MockLanguageModelV4 } from 'ai-7/test'
import { describe, expect, test } from 'vitest'

import { toAISDKTools, toolApproval } from '../ai-sdk.js'
import { toolkitOf, until } from './support/workspace.js'

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const FILES = { 'notes.txt': 'one\ntwo\n', 'dot.png': PNG }
const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }

interface Version {
  number: number
  ai: any
  Model: any
}

const VERSIONS: Version[] = [
  { number: 6, ai: six, Model: MockLanguageModelV3 },
  { number: 7, ai: seven, Model: MockLanguageModelV4 },
]

/** A model that makes these calls, one a turn, and the prompts that it got. */
function scripted({ Model }: Version, calls: readonly (readonly [name: string, input: object])[]) {
  const prompts: any[] = []
  const left = calls.map(([toolName, input], index) => ({ type: 'tool-call' as const, toolCallId: `call-${index}`, toolName, input: JSON.stringify(input) }))
  const turn = (prompt: any) => {
    prompts.push(prompt)
    const call = left.shift()
    const unified = call ? ('tool-calls' as const) : ('stop' as const)
    return { call, finishReason: { unified, raw: unified } }
  }
  const model = new Model({
    doGenerate: async ({ prompt }: any) => {
      const { call, finishReason } = turn(prompt)
      return { content: [call ?? { type: 'text', text: 'done' }], finishReason, usage, warnings: [] }
    },
    doStream: async ({ prompt }: any) => {
      const { call, finishReason } = turn(prompt)
      const parts = [{ type: 'stream-start', warnings: [] }, ...(call ? [call] : []), { type: 'finish', finishReason, usage }]
      return { stream: new ReadableStream({ start: (controller) => (parts.forEach((part) => controller.enqueue(part)), controller.close()) }) }
    },
  })
  const outputs = () =>
    prompts
      .at(-1)
      .filter(({ role }: any) => role === 'tool')
      .flatMap(({ content }: any) => content)
      .map(({ output }: any) => output)
  return { model, outputs }
}

describe.each(VERSIONS)('version $number', (version) => {
  const { number } = version

  test('the model gets text, images and errors that are written for it', async () => {
    const { model, outputs } = scripted(version, [
      ['read', { file_path: 'notes.txt' }],
      ['read', { file_path: 'dot.png' }],
      ['read', { file_path: 'none.txt' }],
      ['read', { file_path: 5, frob: 1 }],
      ['read', { path: 'notes.txt' }],
    ])
    const toolkit = toolkitOf(FILES)
    const { text, steps } = await version.ai.generateText({
      model,
      tools: toAISDKTools(toolkit, { version: number }),
      prompt: 'Read.',
      stopWhen: version.ai.stepCountIs(9),
    })
    expect(text).toBe('done')
    const image =
      number === 6
        ? { type: 'image-data', data: expect.any(String), mediaType: 'image/png' }
        : { type: 'file', data: { type: 'data', data: expect.any(String) }, mediaType: 'image/png' }
    const [read, shown, missing, wrong, respelled] = outputs()
    for (const one of [read, respelled]) expect(one).toEqual({ type: 'content', value: [{ type: 'text', text: 'one\ntwo\n' }] })
    expect(shown).toMatchObject({ type: 'content', value: [{ type: 'text' }, image] })
    expect(missing).toEqual({ type: 'error-text', value: expect.stringMatching(/^`none\.txt` does not exist/) })
    expect(wrong).toMatchObject({ type: 'error-text', value: expect.stringContaining('frob') })
    expect(steps[0].toolResults[0].output.details).toMatchObject({ path: 'notes.txt', lines: 2 })
  })

  test('partial results are streamed, and an abort stops the command', async () => {
    const { model } = scripted(version, [['exec', { command: 'echo begun; exec sleep 60' }]])
    const abort = new AbortController()
    const toolkit = toolkitOf(FILES)
    const { fullStream, stream = fullStream } = version.ai.streamText({
      model,
      tools: toAISDKTools(toolkit, { version: number }),
      prompt: 'Run.',
      abortSignal: abort.signal,
      onError: () => {},
    })
    const texts: string[] = []
    for await (const part of stream) {
      if (part.type !== 'tool-result' || !part.preliminary) continue
      texts.push(part.output.content[0].text)
      if (texts.join('').includes('begun')) abort.abort()
    }
    expect(texts.join('')).toContain('begun')
    await until(() => toolkit.history().length === 1)
    expect(toolkit.history()[0]).toMatchObject({ tool: 'exec', outcome: 'aborted' })
  })
})

test.each([{ progress: true }, { progress: false }])('what runs tools without saying which call it is gets the result: %j', async (options) => {
  const tools = toAISDKTools(toolkitOf(FILES), options)
  const execute = tools.read!.execute as (input: object) => Promise<any>
  expect(await execute({ file_path: 'notes.txt' })).toMatchObject({ content: [{ type: 'text', text: 'one\ntwo\n' }] })
  await expect(execute({ file_path: 'none.txt' })).rejects.toMatchObject({ error_type: 'not_found' })
})

test('version 6: a call for which policy asks needs an approval of the AI SDK', async () => {
  const version = VERSIONS[0]!
  const permissions = { allow: ['Read'], ask: ['Bash(rm:*)'], deny: ['Bash(git push:*)'] }
  const tools: any = toAISDKTools(toolkitOf(FILES, { permissions }), { needsApproval: true })
  const needs = (name: string, input: object) => tools[name].needsApproval(input)
  expect([
    await needs('read', { file_path: 'notes.txt' }),
    await needs('exec', { command: 'rm x' }),
    await needs('exec', { command: 'git push' }),
    await needs('read', { frob: 1 }),
  ]).toEqual([false, true, false, false])
  const { model } = scripted(version, [['exec', { command: 'rm notes.txt' }]])
  const { content } = await six.generateText({ model, tools, prompt: 'Remove.' })
  expect(content).toContainEqual(expect.objectContaining({ type: 'tool-approval-request' }))
})

test('what policy says is an approval status of version 7', async () => {
  const permissions = { allow: ['Read'], ask: ['Bash(rm:*)'], deny: ['Bash(git push:*)'] }
  const status = toolApproval(toolkitOf(FILES, { permissions }))
  const of = (toolName: string, input: unknown, tools?: object) => status({ toolCall: { toolName, input }, ...(tools && { tools }) })
  expect(await of('read', { file_path: 'notes.txt' })).toMatchObject({ type: 'approved' })
  expect(await of('exec', { command: 'rm x' })).toMatchObject({ type: 'user-approval', reason: expect.stringContaining('Bash(rm:*)') })
  expect(await of('exec', { command: 'git push' })).toMatchObject({ type: 'denied', reason: expect.stringContaining('Bash(git push:*)') })
  expect(await of('read', { frob: 1 })).toBeUndefined()
  expect(await of('tool_of_somebody_else', {})).toBeUndefined()
  // They keep what they say themselves.
  expect(await of('theirs', { a: 1 }, { theirs: { needsApproval: ({ a }: any) => a === 1 } })).toMatchObject({ type: 'user-approval' })
  expect(await of('theirs', { a: 2 }, { theirs: { needsApproval: ({ a }: any) => a === 1 } })).toBeUndefined()
})

test('version 7: a denied call does not run, an approved one does after the user approved it', async () => {
  const version = VERSIONS[1]!
  const toolkit = toolkitOf(FILES, { permissions: { ask: ['Bash'], deny: ['Bash(git push:*)'] } })
  const run = { tools: toAISDKTools(toolkit, { version: 7 }), toolApproval: toolApproval(toolkit), stopWhen: version.ai.stepCountIs(5) }
  const denied = scripted(version, [['exec', { command: 'git push' }]])
  await version.ai.generateText({ ...run, model: denied.model, prompt: 'Push.' })
  expect(denied.outputs()[0]).toMatchObject({ type: 'execution-denied', reason: expect.stringContaining('Bash(git push:*)') })

  const asked = scripted(version, [['exec', { command: 'echo hello' }]])
  const messages: any[] = [{ role: 'user', content: 'Say hello.' }]
  const first = await version.ai.generateText({ ...run, model: asked.model, messages })
  expect(toolkit.history()).toEqual([])
  const request = first.content.find(({ type }: any) => type === 'tool-approval-request')
  messages.push(...first.response.messages, { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: request.approvalId, approved: true }] })
  await version.ai.generateText({ ...run, model: asked.model, messages })
  expect(JSON.stringify(asked.outputs())).toContain('hello')
  expect(toolkit.history()).toMatchObject([{ tool: 'exec', outcome: 'ok' }])
})

test('a list of tools will do; what is none is refused', async () => {
  const toolkit = toolkitOf(FILES)
  const tools: any = toAISDKTools(toolkit.tools(['read']), { progress: false })
  expect(Object.keys(tools)).toEqual(['read'])
  const output = await tools.read.execute({ file_path: 'notes.txt' }, { toolCallId: '1', messages: [] })
  expect(output.details).toMatchObject({ path: 'notes.txt' })
  // As a chat stores it.
  expect(tools.read.toModelOutput({ output: JSON.parse(JSON.stringify(output)) })).toEqual({ type: 'content', value: output.content })
  expect(tools.read.toModelOutput({ output: { old: 1 } })).toEqual({ type: 'json', value: { old: 1 } })
  expect(() => toAISDKTools({} as never)).toThrow('must be a toolkit or a list of its tools')
  expect(() => toAISDKTools(toolkit.tools(), { needsApproval: true })).toThrow('`needsApproval` needs the toolkit')
  expect(() => toolApproval([] as never)).toThrow('must be a toolkit')
})

test('a reader that stops early stops the call', async () => {
  const toolkit = toolkitOf(FILES)
  const { exec }: any = toAISDKTools(toolkit)
  for await (const partial of exec.execute({ command: 'echo begun; exec sleep 60' }, { toolCallId: '1', messages: [] })) {
    expect(partial.content[0].text).toContain('begun')
    break
  }
  await until(() => toolkit.history().length === 1)
  expect(toolkit.history()[0]).toMatchObject({ outcome: 'aborted' })
})
