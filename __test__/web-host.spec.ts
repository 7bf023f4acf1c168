import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import { describe, expect, onTestFinished, test, vi } from 'vitest'

import type { ResolveFunction } from '../index.js'
import { failureOf, toolkitOf, until } from './support/workspace.js'

/** A server on this machine; its port. */
async function serving(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const page =
  (text: string): RequestListener =>
  (request, response) =>
    response.setHeader('content-type', 'text/plain').end(`${text} for ${request.headers.host}`)
const forever = () => new Promise<never>(() => {})

describe('web.fetch.resolve', () => {
  test.each<[string, any]>([
    ['a text', () => '127.0.0.1'],
    ['a list of texts', async () => ['127.0.0.1']],
    ['what dns.lookup answers', () => ({ address: '127.0.0.1', family: 4 })],
    ['what dns.lookup answers for all', async () => [{ address: '127.0.0.1', family: 4 }]],
  ])('finds addresses, as %s', async (_, answer) => {
    const port = await serving(page('hello'))
    const resolve = vi.fn<ResolveFunction>(answer)
    const toolkit = toolkitOf({}, { web: { fetch: { resolve, allowPrivate: [`docs.example:${port}`] } } })
    const { details } = await toolkit.execute('web_fetch', { url: `http://docs.example:${port}/` })
    expect(details.content).toBe(`hello for docs.example:${port}`)
    expect(resolve.mock.calls).toEqual([['docs.example', { signal: expect.anything() }]])
  })

  test.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1'])('opens nothing: %s is refused', async (address) => {
    const toolkit = toolkitOf({}, { web: { fetch: { resolve: () => ['93.184.215.14', address] } } })
    expect(await failureOf(toolkit.execute('web_fetch', { url: 'http://docs.example/' }))).toMatchObject({ error_type: 'permission_denied' })
  })

  test.each<[string, any, string]>([
    [
      'throws',
      () => {
        throw new Error('no such name')
      },
      '`web.fetch.resolve` failed: no such name',
    ],
    ['answers a name', () => 'other.example', '`web.fetch.resolve` returned `other.example`, which is not an IP address'],
    ['answers nothing', () => undefined, 'an IP address, `{address}` or a list of them is expected'],
    ['answers an empty list', () => [], 'it has no address'],
    ['answers a number', () => [5], 'an IP address, `{address}` or a list of them is expected'],
  ])('that %s is a failed call', async (_, resolve, message) => {
    const toolkit = toolkitOf({}, { web: { fetch: { resolve } } })
    const failure = await failureOf(toolkit.execute('web_fetch', { url: 'http://docs.example/' }))
    expect(failure).toMatchObject({ error_type: 'execution_failed', details: { code: 'network', host: 'docs.example' } })
    expect(failure.message).toContain(message)
  })

  test('that hangs is ended by the time limit, and hears of it', async () => {
    let received: AbortSignal | undefined
    const toolkit = toolkitOf({}, { web: { fetch: { timeoutMs: 50, resolve: (_, { signal }) => ((received = signal), forever()) } } })
    expect(await failureOf(toolkit.execute('web_fetch', { url: 'http://docs.example/' }))).toMatchObject({ error_type: 'timeout' })
    await until(() => received!.aborted)
  })
})

describe('web.proxy', () => {
  /** A proxy that leads every tunnel to one port of this machine; what it was asked. */
  async function tunnelling(port: number) {
    const asked: { target: string; authorization?: string }[] = []
    const proxy = createServer((_, response) => response.writeHead(400).end())
    proxy.on('connect', (request, client) => {
      asked.push({ target: request.url!, authorization: request.headers['proxy-authorization'] })
      const server = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
      server.pipe(client).pipe(server)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    return { asked, url: `http://me:hunter2@127.0.0.1:${(proxy.address() as AddressInfo).port}` }
  }

  test('receives the address that was checked, and keeps its credentials', async () => {
    const { asked, url } = await tunnelling(await serving(page('hello')))
    const resolve = () => ['93.184.215.14']
    const toolkit = toolkitOf({}, { web: { proxy: url, fetch: { resolve } } })
    const { details } = await toolkit.execute('web_fetch', { url: 'http://docs.example/' })
    expect(details.content).toBe('hello for docs.example')
    expect(asked).toEqual([{ target: '93.184.215.14:80', authorization: `Basic ${btoa('me:hunter2')}` }])
    expect(JSON.stringify(toolkit.history())).not.toContain('hunter2')
  })

  test('is not asked for what is refused without it', async () => {
    const { asked, url } = await tunnelling(1)
    const toolkit = toolkitOf({}, { web: { proxy: { url }, fetch: { resolve: () => '10.0.0.1' } } })
    expect(await failureOf(toolkit.execute('web_fetch', { url: 'http://docs.example/' }))).toMatchObject({ error_type: 'permission_denied' })
    expect(asked).toEqual([])
  })

  test('is refused at creation when it is none, without a word of its credentials', () => {
    expect(() => toolkitOf({}, { web: { proxy: 'socks5://me:hunter2@proxy.corp:1080' } })).toThrow(
      '`web.proxy` is not valid: its address does not start with `http://` or `https://`. Write `http://host:port`.',
    )
  })
})

describe('web.search.provider as a function', () => {
  test('is asked for what the model wants, and its answer is normalised', async () => {
    const provider = vi.fn(
      async (): Promise<any> => [
        { title: 'Docs &amp; more', url: 'https://docs.rs/serde', snippet: 'A <b>framework</b>' },
        { title: 'Elsewhere', url: 'https://evil.example/docs.rs' },
        { link: 'https://sub.docs.rs/x', description: 'other names' },
      ],
    )
    const toolkit = toolkitOf({}, { web: { search: { provider } } })
    const { details } = await toolkit.execute('web_search', { query: 'serde', count: 3, allowedDomains: ['docs.rs'] })
    expect(provider.mock.calls).toEqual([['serde', { count: 3, allowedDomains: ['docs.rs'], blockedDomains: [], signal: expect.anything() }]])
    expect(details).toEqual({
      query: 'serde',
      provider: 'host',
      results: [
        { title: 'Docs & more', url: 'https://docs.rs/serde', snippet: 'A framework' },
        { title: 'https://sub.docs.rs/x', url: 'https://sub.docs.rs/x', snippet: 'other names' },
      ],
    })
  })

  test.each<[string, any, string]>([
    [
      'throws',
      () => {
        throw new Error('quota')
      },
      'quota',
    ],
    ['answers no list', () => 'found', 'a list of `{title, url, snippet}` is expected'],
    ['answers a result without an address', () => ({ results: [{ title: 'x' }] }), 'result 0 has no `url`'],
    ['answers nothing', () => null, 'a list of `{title, url, snippet}` is expected'],
  ])('that %s is a failed call', async (_, provider, message) => {
    const failure = await failureOf(toolkitOf({}, { web: { search: { provider } } }).execute('web_search', { query: 'x' }))
    expect(failure).toMatchObject({ error_type: 'execution_failed', details: { code: 'network', provider: 'host' } })
    expect(failure.message).toContain(message)
  })

  test('that hangs is ended by its time limit, an abort, or closing', async () => {
    const signals: AbortSignal[] = []
    const provider = (_: string, { signal }: { signal: AbortSignal }) => (signals.push(signal), forever())
    expect(await failureOf(toolkitOf({}, { web: { search: { provider, timeoutMs: 40 } } }).execute('web_search', { query: 'x' }))).toMatchObject({
      error_type: 'timeout',
      details: { provider: 'host' },
    })
    const toolkit = toolkitOf({}, { web: { search: { provider } } })
    const abort = new AbortController()
    const calls = [toolkit.execute('web_search', { query: 'y' }, { signal: abort.signal }), toolkit.execute('web_search', { query: 'z' })].map(failureOf)
    await until(() => signals.length === 3)
    abort.abort()
    await toolkit.close()
    expect(await Promise.all(calls)).toMatchObject([{ error_type: 'aborted' }, { error_type: 'aborted' }])
    await until(() => signals.every(({ aborted }) => aborted))
  })
})

describe('host.summarise', () => {
  const question = { prompt: 'How long?' }

  test('answers questions about a page, in the frame of untrusted content', async () => {
    const port = await serving(page('Forty two days'))
    const summarise = vi.fn(async () => 'Forty two.\u202e')
    const toolkit = toolkitOf({}, { host: { summarise }, web: { fetch: { allowPrivate: [`127.0.0.1:${port}`] } } })
    const url = `http://127.0.0.1:${port}/`
    const { details, content } = await toolkit.execute('web_fetch', { url, ...question }, { toolCallId: 's1' })
    expect(summarise.mock.calls).toEqual([
      [{ prompt: 'How long?', content: `Forty two days for 127.0.0.1:${port}`, url, toolCallId: 's1' }, { signal: expect.anything() }],
    ])
    expect(details.content).toBe('Forty two.\\u{202e}')
    expect(content[0]).toMatchObject({ text: expect.stringContaining('<<<untrusted content') })
    await toolkit.execute('web_fetch', { url })
    expect(summarise).toHaveBeenCalledOnce()
  })

  test.each<[string, any, object]>([
    [
      'throws',
      () => {
        throw new Error('no model')
      },
      { error_type: 'execution_failed', message: '`host.summarise` failed: no model. Call without a prompt to read the page itself.' },
    ],
    ['answers no text', () => ({ text: 'x' }), { error_type: 'execution_failed', message: expect.stringContaining('it returned an object') }],
    ['hangs', forever, { error_type: 'timeout', message: '`host.summarise` did not return within 60 ms. Call without a prompt to read the page itself.' }],
  ])('that %s is a failed call', async (_, summarise, expected) => {
    const port = await serving(page('x'))
    const limits = summarise === forever ? { timeoutMs: 60 } : undefined
    const toolkit = toolkitOf({}, { host: { summarise }, limits, web: { fetch: { allowPrivate: [`127.0.0.1:${port}`] } } })
    expect(await failureOf(toolkit.execute('web_fetch', { url: `http://127.0.0.1:${port}/`, ...question }))).toMatchObject(expected)
  })
})
