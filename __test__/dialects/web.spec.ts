import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { describe, expect, onTestFinished, test } from 'vitest'

import type { Dialect } from '../../index.js'
import { failureOf, toolkitOf } from '../support/workspace.js'

const PAGE = '<title>Guide</title><h1>Guide</h1><p>Install it with <code>npm i tenon</code>, then read <a href="/next">on</a>.'

/** A toolkit of a dialect that may ask one server of this machine, and finds two pages whatever it looks for. */
async function online<D extends Dialect>(dialect: D) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request
      .on('data', (chunk) => (body += chunk))
      .on('end', () => {
        seen.push(`${request.method} ${request.url} ${request.headers['x-key'] ?? ''}${body}`)
        if (request.url === '/gone') return response.writeHead(404, { 'content-type': 'text/plain' }).end('not here')
        response.setHeader('content-type', 'text/html').end(PAGE)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const results = [
    { title: 'First', url: 'https://docs.example/1', snippet: 'the first' },
    { title: 'Second', url: 'https://other.example/2', snippet: 'the second' },
  ]
  const web = { fetch: { allowPrivate: [host] }, search: { provider: async () => results } }
  const toolkit = toolkitOf({}, { dialect, web, permissions: { defaultMode: 'allow' } } as object)
  return { toolkit: toolkit as any, url: `http://${host}`, seen, results }
}

const textOf = (result: any): string => result.content.map((part: any) => part.text).join('')

describe('agent', () => {
  test('web_fetch answers the page as Markdown, or as text, in pages', async () => {
    const { toolkit, url } = await online('agent')
    const content = `Install it with \`npm i tenon\`, then read [on](${url}/next).`
    const { details } = await toolkit.execute('web_fetch', { url: `${url}/` })
    expect(details).toEqual({
      url: `${url}/`,
      finalUrl: `${url}/`,
      status: 200,
      contentType: 'text/html',
      title: 'Guide',
      content: `# Guide\n\n${content}`,
      truncated: false,
    })
    const text = await toolkit.execute('web_fetch', { url: `${url}/`, format: 'text', offset: 7, maxChars: 7 })
    expect(text.details).toMatchObject({ content: 'Install', truncated: true })
    const source = await toolkit.execute('web_fetch', { url: `${url}/`, format: 'html' })
    expect(source.details.content).toBe(PAGE)
  })

  test('web_search answers title, address and snippet, of the domains that are wanted', async () => {
    const { toolkit, results } = await online('agent')
    const { details } = await toolkit.execute('web_search', { query: 'tenon' })
    expect(details).toEqual({ query: 'tenon', provider: 'host', results })
    const some = await toolkit.execute('web_search', { query: 'tenon', blockedDomains: ['docs.example'] })
    expect(some.details.results).toEqual(results.slice(1))
  })
})

describe('canonical', () => {
  test('WebFetch answers what the page says to a question', async () => {
    const { toolkit, url } = await online('canonical')
    const { details } = await toolkit.execute('WebFetch', { url: `${url}/`, prompt: 'how to install it' })
    expect(details).toEqual({ content: expect.stringContaining('npm i tenon') })
  })

  test('WebSearch answers results', async () => {
    const { toolkit, results } = await online('canonical')
    const { details } = await toolkit.execute('WebSearch', { query: 'tenon', allowed_domains: ['docs.example'] })
    expect(details).toEqual({ results: results.slice(0, 1) })
  })
})

describe('acp', () => {
  test('web_search answers a numbered text', async () => {
    const { toolkit } = await online('acp')
    const found = await toolkit.execute('web_search', { query: 'tenon' })
    expect(textOf(found)).toMatch(
      /^Top results:\n<<<untrusted content \w+ from host: .*>>>\n1\. First\n {3}https:\/\/docs\.example\/1\n {3}the first\n2\. Second\n/,
    )
    expect(found.details).toEqual({ type: 'text', text: textOf(found) })
  })

  test('web_request sends method, headers and body; every status is an answer', async () => {
    const { toolkit, url, seen } = await online('acp')
    const sent = await toolkit.execute('web_request', { url: `${url}/form`, method: 'PUT', headers: { 'X-Key': 'k ' }, body: 'a=b' })
    expect(textOf(sent)).toContain(`PUT ${url}/form returned status 200\n<<<untrusted content `)
    const gone = await toolkit.execute('web_request', { url: `${url}/gone` })
    expect(textOf(gone)).toContain('returned status 404')
    expect(seen).toEqual(['PUT /form ka=b', 'GET /gone '])
    const refused = await failureOf(toolkit.execute('web_request', { url, headers: { Host: 'evil.example' } }))
    expect(refused).toMatchObject({ error_type: 'invalid_input', message: expect.stringContaining('`Host` cannot be sent') })
  })
})
