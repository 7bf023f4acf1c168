// The tools in the frameworks that people build agents with: the real packages, a model that follows a script.

import { tool as langChainTool } from '@langchain/core/tools'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { expect, test } from 'vitest'

import type { ImageContent, TextContent } from '../index.js'
import { toolkitOf } from './support/workspace.js'

const FILES = { 'notes.txt': 'one\ntwo\n' }

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

const aiPart = (part: TextContent | ImageContent) => (part.type === 'text' ? part : { type: 'image-data' as const, data: part.data, mediaType: part.mimeType })

test('AI SDK: a schema, a call, an error and the text that the model gets', async () => {
  const tools = toolkitOf(FILES).listTools()
  const aiTools = Object.fromEntries(
    tools.map((each) => [
      each.name,
      tool({
        description: each.description,
        inputSchema: each.parameters,
        execute: (input, { toolCallId, abortSignal }) => each.execute(toolCallId, input, abortSignal),
        toModelOutput: ({ output }) => ({ type: 'content', value: output.content.map(aiPart) }),
      }),
    ]),
  )
  const prompts: any[] = []
  const calls = ['{"file_path":"notes.txt"}', '{"file_path":"none.txt"}']
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt, tools: offered }) => {
      prompts.push({ prompt, offered })
      const input = calls.shift()
      const content =
        input === undefined
          ? [{ type: 'text' as const, text: 'done' }]
          : [{ type: 'tool-call' as const, toolCallId: `call-${calls.length}`, toolName: 'read', input }]
      const unified = input === undefined ? ('stop' as const) : ('tool-calls' as const)
      return { content, finishReason: { unified, raw: unified }, usage, warnings: [] }
    },
  })
  const { text } = await generateText({ model, tools: aiTools, prompt: 'Read.', stopWhen: stepCountIs(5) })
  expect(text).toBe('done')

  const read = tools.find(({ name }) => name === 'read')!
  const offered = prompts[0].offered.find(({ name }: any) => name === 'read')
  expect(offered.inputSchema.properties).toEqual(JSON.parse(JSON.stringify(read.parameters)).properties)
  const answers = prompts
    .at(-1)
    .prompt.filter(({ role }: any) => role === 'tool')
    .flatMap(({ content }: any) => content)
  expect(answers.map(({ output }: any) => output)).toEqual([
    { type: 'content', value: [{ type: 'text', text: expect.stringContaining('one\n') }] },
    { type: 'error-text', value: expect.stringContaining('`none.txt` does not exist') },
  ])
})

test('LangChain: a call gives the text, and the details as its artifact', async () => {
  const tools = toolkitOf(FILES).listTools()
  const [read] = tools
    .filter(({ name }) => name === 'read')
    .map((each) =>
      langChainTool(
        async (input, config) => {
          const { content, details } = await each.execute(config.toolCall?.id ?? '', input, config.signal)
          return [content, details]
        },
        { name: each.name, description: each.description, schema: structuredClone(each.parameters), responseFormat: 'content_and_artifact' },
      ),
    )
  const answer: any = await read!.invoke({ type: 'tool_call', id: 'call-1', name: 'read', args: { file_path: 'notes.txt' } })
  expect(answer.content).toEqual([{ type: 'text', text: expect.stringContaining('one\n') }])
  expect(answer.artifact).toMatchObject({ path: 'notes.txt' })
  await expect(read!.invoke({ type: 'tool_call', id: 'call-2', name: 'read', args: { file_path: 'none.txt' } })).rejects.toThrow('`none.txt` does not exist')
})

test('MCP: a server with every tool, asked by a client', async () => {
  const toolkit = toolkitOf(FILES)
  const server = new Server({ name: 'tenon', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolkit.definitions(undefined, 'mcp') as any }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    try {
      const { content } = await toolkit.execute(params.name, params.arguments ?? {}, { signal })
      return { content }
    } catch (error) {
      return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
    }
  })
  const client = new Client({ name: 'client', version: '1.0.0' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(ours), client.connect(theirs)])

  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(toolkit.listTools().map(({ name }) => name))
  expect(await client.callTool({ name: 'read', arguments: { file_path: 'notes.txt' } })).toEqual({
    content: [{ type: 'text', text: expect.stringContaining('one\n') }],
  })
  expect(await client.callTool({ name: 'read', arguments: { file_path: 'none.txt' } })).toEqual({
    content: [{ type: 'text', text: expect.stringContaining('`none.txt` does not exist') }],
    isError: true,
  })
  await client.close()
})
