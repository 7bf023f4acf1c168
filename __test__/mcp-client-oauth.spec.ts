// Authorization at an MCP server: a browser once, then tokens that several processes share and rotate.

import { readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { ROOT, run } from './support/run.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const LONG = { timeout: 90_000 }

/** A server with its own authorization server: a token is taken once, and the first one is about to expire. */
async function protectedServer() {
  const counts = { refreshes: 0, rejected: 0, issued: 0 }
  let [refresh, access] = ['', '']
  const http = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => answer(request, response, body))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  function answer(request: IncomingMessage, response: ServerResponse, body: string) {
    const url = new URL(request.url!, base)
    const json = (status: number, value: unknown) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource')) return json(200, { resource: `${base}/mcp`, authorization_servers: [base] })
    if (url.pathname.startsWith('/.well-known/oauth-authorization-server')) {
      return json(200, {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      })
    }
    if (url.pathname === '/register') return json(201, { client_id: 'client', client_secret: 'secret', redirect_uris: JSON.parse(body).redirect_uris })
    if (url.pathname === '/authorize')
      return response.writeHead(302, { location: `${url.searchParams.get('redirect_uri')}?code=x&state=${url.searchParams.get('state')}` }).end()
    if (url.pathname === '/token') {
      const form = new URLSearchParams(body)
      if (form.get('client_secret') !== 'secret') return json(401, { error: 'invalid_client' })
      if (form.get('grant_type') === 'refresh_token') {
        if (form.get('refresh_token') !== refresh) {
          counts.rejected += 1
          return json(400, { error: 'invalid_grant' })
        }
        counts.refreshes += 1
      }
      counts.issued += 1
      ;[refresh, access] = [`refresh-${counts.issued}`, `access-${counts.issued}`]
      return json(200, { access_token: access, token_type: 'Bearer', expires_in: counts.issued === 1 ? 1 : 3600, refresh_token: refresh })
    }
    if (request.headers.authorization !== `Bearer ${access}`) {
      return response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource"` }).end()
    }
    const { id, method } = JSON.parse(body || '{}')
    if (id === undefined) return response.writeHead(202).end()
    if (method === 'initialize')
      return json(200, { jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } })
    if (method === 'tools/list') return json(200, { jsonrpc: '2.0', id, result: { tools: [{ name: 'look', inputSchema: { type: 'object' } }] } })
    return json(200, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'seen' }] } })
  }
  return { url: `${base}/mcp`, counts, revoke: () => void ([refresh, access] = ['revoked', 'revoked']) }
}

/** What a user does in a browser. */
async function authorize(toolkit: ReturnType<typeof toolkitOf>) {
  const { url } = await toolkit.mcp.authorize('x')
  const answer = await fetch(url, { redirect: 'manual' })
  return toolkit.mcp.authorize('x', answer.headers.get('location')!)
}

test('a server is used once its user has authorized it; processes share the tokens, and one of them refreshes', LONG, async () => {
  const { url, counts } = await protectedServer()
  const file = path.join(workspaceOf(), 'deep/credentials.json')
  const options = {
    permissions: { defaultMode: 'allow' as const },
    mcp: { credentials: { file } },
    mcpServers: { x: { url, auth: 'oauth' as const, protocol: 'legacy' as const } },
  }
  const toolkit = toolkitOf({}, options)
  await toolkit.mcp.ready()
  expect(toolkit.mcp.status()[0]).toMatchObject({ state: 'needs-auth' })
  expect((await failureOf(toolkit.execute('mcp__x__look', {}))).message).toContain('requires authorization')
  expect(await authorize(toolkit)).toEqual({ authorized: true })
  expect((await toolkit.execute('mcp__x__look', {})).content).toEqual([{ type: 'text', text: 'seen' }])
  await toolkit.close()
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  // The next one to ask finds that the token is about to expire.
  const before = counts.refreshes
  const script = `
    const { Toolkit } = require(${JSON.stringify(path.join(ROOT, 'index.js'))})
    const toolkit = new Toolkit({ workspace: ${JSON.stringify(workspaceOf())}, ...${JSON.stringify(options)} })
    toolkit.execute('mcp__x__look', {}).then(({ content }) => toolkit.close().then(() => console.log(content[0].text)))`
  const runs = await Promise.all([1, 2, 3].map(() => run(process.execPath, ['-e', script])))
  expect(runs.map(({ stdout }) => stdout)).toEqual(['seen\n', 'seen\n', 'seen\n'])
  expect(counts.rejected).toBe(0)
  expect(counts.refreshes - before).toBeLessThanOrEqual(3)
})

test('a token that is rejected is removed, and nothing else; the client stays registered', LONG, async () => {
  const { url, revoke } = await protectedServer()
  const stored = new Map<string, string>()
  const credentials = { load: (key: string) => stored.get(key), save: (key: string, value: string) => void stored.set(key, value) }
  const toolkit = toolkitOf({}, { permissions: { defaultMode: 'allow' }, mcp: { credentials }, mcpServers: { x: { url, auth: 'oauth', protocol: 'legacy' } } })
  await toolkit.mcp.ready()
  await authorize(toolkit)
  expect((await toolkit.execute('mcp__x__look', {})).content).toEqual([{ type: 'text', text: 'seen' }])
  revoke()
  expect(await failureOf(toolkit.execute('mcp__x__look', {}))).toMatchObject({
    message: expect.stringContaining('requires authorization'),
    details: { needsAuth: true },
  })
  const kept = JSON.parse(stored.get(url)!)
  expect(kept).toMatchObject({ clientSecret: 'secret', credentials: { client_id: 'client', token_response: null } })
  await authorize(toolkit)
  expect((await toolkit.execute('mcp__x__look', {})).content).toEqual([{ type: 'text', text: 'seen' }])
})

test('a file of credentials that is not one is an error, and stays', LONG, async () => {
  const { url } = await protectedServer()
  const directory = workspaceOf({ 'credentials.json': 'not json' })
  const file = path.join(directory, 'credentials.json')
  const toolkit = toolkitOf({}, { mcp: { credentials: { file } }, mcpServers: { x: { url, auth: 'oauth', required: true } } })
  expect((await failureOf(toolkit.mcp.ready())).message).toContain('is not a file of credentials')
  expect(readFileSync(file, 'utf8')).toBe('not json')
})
