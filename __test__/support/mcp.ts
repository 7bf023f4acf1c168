// Clients of the Model Context Protocol for tests: raw messages, over HTTP and over streams.

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'

import { onTestFinished } from 'vitest'

import { mcpHttpHandler, serveMcp, type McpHttpOptions, type McpOptions, type Toolkit } from '../../index.js'

export const MODERN = '2026-07-28'
export const ELICITS = { elicitation: { form: {} } }

/** Waits until a condition holds, as long as a busy machine may take. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`still not so after 30 seconds: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** What a modern request says of its client. */
export function meta(capabilities: object = {}, more: object = {}) {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'client', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...more,
  }
}

/** A modern request. */
export function modern(id: unknown, method: string, params: Record<string, unknown> = {}, capabilities: object = {}) {
  return { jsonrpc: '2.0', id, method, params: { _meta: meta(capabilities), ...params } }
}

/** The address of a toolkit that is served over HTTP until the test is over, behind a middleware where there is one. */
export async function served(toolkit: Toolkit<any>, options?: McpHttpOptions, middleware: (request: any) => void = () => {}): Promise<URL> {
  const handler = mcpHttpHandler(toolkit, options)
  const server = createServer((request, response) => {
    middleware(request)
    return handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    handler.close()
    server.closeAllConnections()
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
}

export interface Answer {
  status: number
  headers: Record<string, unknown>
  /** All messages of the response. */
  messages: any[]
}

/** The headers that a message has to come with. */
export function headersOf({ method, params }: any): Record<string, string> {
  const name = params?.name ?? params?.uri
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(params?._meta && { 'mcp-protocol-version': params._meta['io.modelcontextprotocol/protocolVersion'], 'mcp-method': method }),
    ...(params?._meta && name !== undefined && { 'mcp-name': name }),
  }
}

/** One request over HTTP. */
export function post(url: URL, body: unknown, headers: Record<string, string> = headersOf(body)): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, messages: messagesOf(text) }))
    })
    sent.on('error', reject)
    sent.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))
  })
}

/** The messages of a body: JSON or a stream of events. */
export function messagesOf(text: string): any[] {
  if (/^[[{]/.test(text)) return [JSON.parse(text)].flat()
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
}

/** A toolkit over streams: sends messages, and waits for those of an id. */
export function connected(toolkit: Toolkit<any>, options: McpOptions = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const connection = serveMcp(toolkit, { input, output, ...options })
  onTestFinished(() => connection.close())
  const messages: any[] = []
  const wakers: (() => void)[] = []
  let rest = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    messages.push(...lines.map((line) => JSON.parse(line)))
    for (const wake of wakers.splice(0)) wake()
  })
  const until = async (is: (message: any) => boolean): Promise<any> => {
    for (;;) {
      const found = messages.find(is)
      if (found) return found
      await new Promise<void>((resolve) => wakers.push(resolve))
    }
  }
  const send = (message: object) => void input.write(`${JSON.stringify(message)}\n`)
  const ask = (message: any) => {
    send(message)
    return until(({ id, method }) => id === message.id && method === undefined)
  }
  return { ...connection, input, output, messages, until, send, ask }
}
