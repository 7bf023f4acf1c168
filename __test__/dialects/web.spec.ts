import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'

import { describe, expect, onTestFinished, test } from 'vitest'

import type { Dialect } from '../../index.js'
import { failureOf, toolkitOf } from '../support/workspace.js'

const PAGE = '<title>Guide</title><h1>Guide</h1><p>Install it with <code>npm i tenon</code>, then read <a href="/next">on</a>.'

/** An image of one colour: the size of a poster in a few kilobytes. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0], 8)
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height))
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

/** Of PNG. Node has one from 22 on. */
function crc32(bytes: Buffer): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}

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
        const [, width, height] = /^\/(\d+)x(\d+)\.png$/.exec(request.url ?? '') ?? []
        if (width) return response.setHeader('content-type', 'image/png').end(png(Number(width), Number(height)))
        if (request.url === '/long') return response.setHeader('content-type', 'text/plain').end(`${'word '.repeat(4500)}\n\nThe end.\n`)
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

  /** They went to the model as they came: providers refuse a conversation with an image of more than 8000 pixels a side. */
  test('web_fetch answers images as read does: small enough for a model, or not at all', async () => {
    const { toolkit, url } = await online('agent')
    const shown = await toolkit.execute('web_fetch', { url: `${url}/9000x90.png` })
    const [image] = shown.content.filter(({ type }: any) => type === 'image')
    const bytes = Buffer.from(image.data, 'base64')
    expect([image.mimeType, bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual(['image/png', 2000, 20])
    expect(await failureOf(toolkit.execute('web_fetch', { url: `${url}/20000x20000.png` }))).toMatchObject({
      message: `\`${url}/20000x20000.png\` has 20000 × 20000 pixels, more than the 100 million that can be shown. Create a smaller copy to see it.`,
      details: { code: 'too_large', width: 20_000, height: 20_000 },
    })
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

  test('WebFetch reads on from where its answer says, with the same prompt', async () => {
    const { toolkit, url } = await online('canonical')
    const first = await toolkit.execute('WebFetch', { url: `${url}/long`, prompt: 'zebra' })
    expect(textOf(first)).toContain('Showing characters 0-20000 of 22511. Use offset=20000 to continue')
    const next = await toolkit.execute('WebFetch', { url: `${url}/long`, prompt: 'zebra', offset: 20_000 })
    expect(textOf(next)).toContain('The end.')
    expect(textOf(next)).toContain('Showing characters 20000-22511 of 22511')
    expect((await failureOf(toolkit.execute('WebFetch', { url: `${url}/long`, prompt: 'end', offset: 90_000 }))).message).toContain('is past the end of')
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
