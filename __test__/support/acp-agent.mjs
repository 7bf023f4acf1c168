// @ts-nocheck
// An agent for the tests of `tenon acp`: each prompt is a list of requests that it makes to its editor; it answers with what came of them.

import { writeFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'

import { agent, ndJsonStream } from '@agentclientprotocol/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const servers = new Map()

const app = agent({ name: 'scripted' })
app.onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: {} }))
app.onRequest('session/new', ({ params }) => {
  const sessionId = `s${servers.size}`
  servers.set(sessionId, params.mcpServers)
  return { sessionId }
})
app.onRequest('session/close', () => ({}))
app.onNotification('session/cancel', () => {})
app.onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
  const results = []
  const requests = prompt[0].text.startsWith('[')
    ? JSON.parse(prompt[0].text)
    : [{ method: 'mcp', params: { name: 'read', arguments: { file_path: 'notes.txt' } } }]
  for (const { method, params } of requests) {
    try {
      results.push(
        method === 'mcp'
          ? await callTool(servers.get(sessionId), params)
          : method === 'exit'
            ? process.exit(params)
            : method === 'print'
              ? console.log(params)
              : await client.request(method, { sessionId, ...params }),
      )
    } catch (error) {
      results.push({ error: error.message })
    }
  }
  if (process.env.ACP_OUT) writeFileSync(process.env.ACP_OUT, JSON.stringify(results))
  await client.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: JSON.stringify(results) } },
  })
  return { stopReason: 'end_turn' }
})

async function callTool(entries, { name, arguments: input }) {
  const { command, args } = entries.find((entry) => entry.name === 'tenon')
  const mcp = new Client({ name: 'scripted', version: '1' })
  await mcp.connect(new StdioClientTransport({ command, args }))
  try {
    return await mcp.callTool({ name, arguments: input })
  } finally {
    await mcp.close()
  }
}

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
