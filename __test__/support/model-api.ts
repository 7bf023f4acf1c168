// Model APIs on the loopback interface that follow a script: they ask for calls of tools, one after the other, then say that they are
// done.

import { createServer, type ServerResponse } from 'node:http'

import { bodyOf, served } from './frameworks.js'

/** A call that the model makes. */
export interface ScriptedCall {
  /** As the client offers it. */
  tool: string
  input: object
  /** The namespace of the tool in the Responses API: of a server. Default: that of the script. */
  namespace?: string
}

/** A scripted model, and what the client sent to it. */
export interface ModelApi {
  url: string
  /** The bodies of the requests of the conversation, in order. */
  requests: any[]
}

type Events = readonly (readonly [name: string, data: object])[]

/** The Messages API of Anthropic, streaming. */
export function anthropicApi(...calls: ScriptedCall[]): Promise<ModelApi> {
  return serve((body) => {
    const results = body.messages.flatMap(({ content }: any) => (Array.isArray(content) ? content : [])).filter(({ type }: any) => type === 'tool_result')
    const call = calls[results.length]
    const isOffered = (body.tools ?? []).some((tool: any) => tool.name === call?.tool)
    return anthropicEvents(body.model, isOffered ? call : undefined, results.length)
  }, isOfConversation)
}

// Requests without tools are for titles and the like.
const isOfConversation = (body: any) =>
  Array.isArray(body.tools) && body.tools.some((tool: any) => tool.functionDeclarations === undefined || tool.functionDeclarations.length > 0)

function anthropicEvents(model: string, call: ScriptedCall | undefined, index: number): Events {
  const message = {
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const block = call ? { type: 'tool_use', id: `toolu_${index}`, name: call.tool, input: {} } : { type: 'text', text: '' }
  const delta = call ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) } : { type: 'text_delta', text: 'done' }
  return [
    ['message_start', { message }],
    ['content_block_start', { index: 0, content_block: block }],
    ['content_block_delta', { index: 0, delta }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } }],
    ['message_stop', {}],
  ]
}

/** The Responses API of OpenAI, streaming. Tools of a server are in a namespace there. */
export function openAiApi(namespace: string | undefined, ...calls: ScriptedCall[]): Promise<ModelApi> {
  return serve((body) => {
    const done = (body.input ?? []).filter(({ type }: any) => type === 'function_call_output').length
    const call = calls[done]
    const item = call
      ? {
          type: 'function_call',
          id: `fc_${done}`,
          call_id: `call_${done}`,
          namespace: call.namespace ?? namespace,
          name: call.tool,
          arguments: JSON.stringify(call.input),
        }
      : { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'done' }] }
    const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 }
    return [
      ['response.created', { response: { id: 'resp_1' } }],
      ['response.output_item.done', { item }],
      ['response.completed', { response: { id: 'resp_1', usage } }],
    ]
  }, isOfConversation)
}

/** The API of Gemini, streaming. What is asked beside the conversation, which model to take, gets an answer without a call. */
export function geminiApi(...calls: ScriptedCall[]): Promise<ModelApi> {
  const isDone = (part: any) => part.functionResponse !== undefined
  return serve((body) => {
    const call = calls[body.contents.flatMap(({ parts }: any) => parts).filter(isDone).length]
    const part = call && isOfConversation(body) ? { functionCall: { name: call.tool, args: call.input } } : { text: 'done' }
    return [
      [
        '',
        {
          candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        },
      ],
    ]
  }, isOfConversation)
}

async function serve(answer: (body: any) => Events, isRecorded: (body: any) => boolean): Promise<ModelApi> {
  const requests: any[] = []
  const server = createServer(async (request, response) => {
    // What is no JSON, as telemetry can be, has nothing that the script follows.
    const body = await bodyOf(request).catch(() => ({}))
    if (request.method !== 'POST' || (!body.messages && !body.input && !body.contents))
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    if (isRecorded(body)) requests.push(body)
    const events = answer(body)
    // Gemini names what it streams in its address.
    if (body.contents && !request.url?.includes('streamGenerateContent'))
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(events[0]![1]))
    stream(response, events)
  })
  return { url: await served(server), requests }
}

function stream(response: ServerResponse, events: Events): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const [type, data] of events)
    response.write(type === '' ? `data: ${JSON.stringify(data)}\r\n\r\n` : `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  response.end()
}
