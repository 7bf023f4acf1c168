// Frameworks in their own packages, and interfaces of providers on the loopback interface that follow a script.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

import { onTestFinished } from 'vitest'

import { framework } from '../../scripts/frameworks.mjs'

type Name = Parameters<typeof framework>[0]

/** How packages of a framework are loaded; `undefined` and why where it is not installed. */
export function packagesOf(name: Name): { load: NodeJS.Require; directory: string; missing?: undefined } | { missing: string } {
  const found = framework(name)
  if ('missing' in found) return found
  return { load: createRequire(path.join(found.directory, 'package.json')), directory: found.directory }
}

export interface ScriptedApi {
  url: string
  /** The bodies of the requests, in order. */
  requests: any[]
}

/** A server that answers each request with the next of these bodies, or with what a function makes of the request. */
export async function scriptedApi(answers: readonly object[] | ((body: any, url: string, count: number) => object | string)): Promise<ScriptedApi> {
  const requests: any[] = []
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const count = requests.push(body) - 1
    const answer = typeof answers === 'function' ? answers(body, request.url ?? '', count) : (answers[count] ?? answers.at(-1))
    const isStream = typeof answer === 'string'
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' }).end(isStream ? answer : JSON.stringify(answer))
  })
  return { url: await served(server), requests }
}

/** The address of a server on loopback, until the test is over. */
export async function served(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The JSON of a request; an empty object where it has none. */
export async function bodyOf(request: IncomingMessage): Promise<any> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : JSON.parse(text)
}

/** An answer of Anthropic's Messages API. */
export function messageOf(content: object[], stop_reason: string, id = 'm'): object {
  return { id, type: 'message', role: 'assistant', model: 'm', content, stop_reason, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } }
}

/** A picture of one dot. */
export const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
export const FILES = { 'notes.txt': 'one\ntwo\n', 'dot.png': PNG }
