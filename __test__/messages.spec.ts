import { once } from 'node:events'
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'

import { afterEach, describe, expect, test } from 'vitest'

import { channels, consoleChannel, discord, slack, teams, webhook } from '../channels.js'
import { Toolkit } from '../index.js'

const open: any[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** The workspaces of toolkits. */
const directories = new WeakMap<any, string>()
const sentFolder = (toolkit: any) => directories.get(toolkit) ?? ''

function make(host: any, more: any = {}) {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-message-')))
  const toolkit: any = new Toolkit({ workspace, host, ...more })
  directories.set(toolkit, workspace)
  open.push(toolkit)
  return toolkit
}

const SLACK = {
  id: 'slack',
  actions: ['send', 'edit', 'delete', 'react'],
  maxText: 4096,
  targets: [
    { id: 'C1', label: '#ops' },
    { id: 'C2', label: '#support' },
  ],
}

describe('message', () => {
  test('the tool is there where the host sends messages, with its channels', async () => {
    expect(
      make({})
        .listTools()
        .map((tool: any) => tool.name),
    ).not.toContain('message')
    const toolkit = make({ sendMessage: () => 'id', channels: [SLACK] })
    const tool = toolkit.tool('message')
    expect(tool.parameters.properties.channel.enum).toEqual(['slack'])
    expect((await toolkit.execute('message', { action: 'channels' })).details.channels).toEqual([SLACK])
    expect(() => make({ sendMessage: () => 'id', channels: 'slack' })).toThrow('`host.channels` must be a list')
    expect(() => make({ sendMessage: () => 'id', channels: [{ label: 'x' }] })).toThrow('`host.channels[0]`')
  })

  test('the host gets what is to be sent, and a call again sends nothing', async () => {
    const sent: any[] = []
    const toolkit = make({
      sendMessage(request: any, { signal }: any) {
        sent.push([request, signal instanceof AbortSignal])
        return { id: 'm1' }
      },
      channels: async () => [SLACK],
    })
    writeFileSync(join(sentFolder(toolkit), 'a.txt'), 'data')
    const call = { action: 'send', channel: 'slack', target: 'ops', text: 'hello', media: ['a.txt'] }
    const first = await toolkit.execute('message', call, { toolCallId: 'call_1' })
    const again = await toolkit.execute('message', call, { toolCallId: 'call_1' })
    expect(first.details).toEqual({ delivered: true, status: 'sent', id: 'm1', channel: 'slack', target: 'C1', targetName: '#ops' })
    expect(again.details).toEqual({ ...first.details, repeated: true })
    expect(sent).toHaveLength(1)
    expect(sent[0]).toEqual([
      {
        action: 'send',
        channel: 'slack',
        target: 'C1',
        targetLabel: '#ops',
        text: 'hello',
        media: [{ name: 'a.txt', mimeType: 'text/plain', size: 4, data: new Uint8Array(Buffer.from('data')) }],
        replyTo: null,
        threadId: null,
        messageId: null,
        emoji: null,
        silent: false,
        part: 1,
        parts: 1,
        toolCallId: 'call_1',
        idempotencyKey: expect.any(String),
      },
      true,
    ])
    await toolkit.execute('message', call)
    await toolkit.execute('message', call)
    expect(sent).toHaveLength(3)
  })

  test.each([
    ['a BigInt', 7n, '7'],
    ['half of a character', 'x\ud83d', 'x\ufffd'],
  ])('a message whose id is %s was sent', async (_, id, written) => {
    const toolkit = make({ sendMessage: () => ({ id }), channels: [SLACK] } as any)
    const { details } = await toolkit.execute('message', { action: 'send', channel: 'slack', target: 'C1', text: 'hello' })
    expect(details).toEqual({ delivered: true, status: 'sent', id: written, channel: 'slack', target: 'C1', targetName: '#ops' })
  })

  test('the user sees which message is removed, edited or reacted to, and the thread', async () => {
    const asked: any[] = []
    const toolkit = make(
      { sendMessage: () => 'id', channels: [SLACK] },
      {
        onApproval: ({ preview }: any) => {
          asked.push(preview.message)
          return 'once'
        },
      },
    )
    const calls = [
      { action: 'delete', messageId: '5' },
      { action: 'react', messageId: '6', emoji: 'eyes' },
      { action: 'send', text: 'hi', threadId: 't1', replyTo: '7' },
    ]
    for (const call of calls) await toolkit.execute('message', { channel: 'slack', target: '#ops', ...call })
    expect(asked).toEqual(calls.map((call) => ({ channel: 'slack', target: 'C1', name: '#ops', ...call })))
  })

  test('it requires approval, shows the resolved name and the whole text, and always means that target', async () => {
    const asked: any[] = []
    const sent: string[] = []
    const toolkit = make(
      { sendMessage: ({ text }: any) => (sent.push(text), 'id'), channels: [SLACK] },
      {
        onApproval: (request: any) => {
          asked.push(request)
          return 'always'
        },
      },
    )
    const send = (target: string, text: string) => toolkit.execute('message', { action: 'send', channel: 'slack', target, text })
    await send('#ops', 'pay \u202eeno\u202c now')
    expect(asked).toMatchObject([
      {
        preview: { names: ['slack:#ops'], message: { action: 'send', channel: 'slack', target: 'C1', name: '#ops', text: 'pay \\u{202e}eno\\u{202c} now' } },
        remembers: ['Message(slack:#ops)'],
        danger: 'medium',
      },
    ])
    await send('ops', 'again')
    expect(asked).toHaveLength(1)
    await send('support', 'hi')
    expect(asked).toHaveLength(2)
    expect(sent).toEqual(['pay \u202eeno\u202c now', 'again', 'hi'])
  })

  test('consent is for this text and this target', async () => {
    const host = { sendMessage: () => 'id', channels: [SLACK] }
    const digests: string[] = []
    const toolkit = make(host, { onApproval: (request: any) => (digests.push(request.digest), 'once') })
    const send = (target: string, text: string) => toolkit.execute('message', { action: 'send', channel: 'slack', target, text })
    for (const [target, text] of [
      ['ops', 'a'],
      ['ops', 'b'],
      ['support', 'a'],
    ])
      await send(target!, text!)
    expect(new Set(digests).size).toBe(3)
  })

  test('who is asked before the call sees the whole message, and approves exactly that', async () => {
    const sent: any[] = []
    const host = { sendMessage: ({ text }: any) => (sent.push(text), 'm1'), channels: () => [SLACK] }
    const send = (text: string, target = '#ops') => ({ action: 'send', target, text })
    for (const permissions of [{ allow: ['Read'] }, { ask: ['Message'] }]) {
      const toolkit = make(host, { permissions })
      const request = await toolkit.promises.approvalRequest('message', send('hello'))
      expect(request.preview).toEqual({ names: ['slack:#ops'], message: { action: 'send', channel: 'slack', target: 'C1', name: '#ops', text: 'hello' } })
      const granted = { approved: 'once', digest: request.digest }
      await expect(toolkit.execute('message', send('other'), granted)).rejects.toMatchObject({ error_type: 'permission_denied' })
      await toolkit.execute('message', send('hello'), granted)
      // What fails by itself is nobody's question.
      expect(await toolkit.promises.approvalRequest('message', send('hello', '#nobody'))).toBe(null)
    }
    const denied = make(host, { permissions: { deny: ['Message(slack:#ops)'], allow: ['Read'] } })
    expect(await denied.promises.approvalRequest('message', send('hello'))).toBe(null)
    expect(sent).toEqual(['hello', 'hello'])
  })

  test('under a rule on the tool the user is asked once, with the message', async () => {
    const asked: any[] = []
    const host = { sendMessage: () => 'm1', channels: [SLACK] }
    const toolkit = make(host, { permissions: { ask: ['Message'] }, onApproval: ({ preview }: any) => (asked.push(preview.message?.text), 'once') })
    await toolkit.execute('message', { action: 'send', target: '#ops', text: 'hello' })
    expect(asked).toEqual(['hello'])
  })

  test('rules name the channel and the target, by its name or its id', async () => {
    const host = { sendMessage: () => 'id', channels: [SLACK] }
    const send = (toolkit: any, target: string) =>
      toolkit.execute('message', { action: 'send', channel: 'slack', target, text: 'x' }).then(
        () => 'sent',
        (error: any) => error.error_type,
      )
    const allowing = make(host, { permissions: { allow: ['Message(slack:#ops)'] } })
    expect([await send(allowing, 'ops'), await send(allowing, 'support')]).toEqual(['sent', 'permission_denied'])
    const denying = make(host, { permissions: { deny: ['Message(slack:C1)'] } })
    expect([await send(denying, 'ops'), await send(denying, 'support')]).toEqual(['permission_denied', 'sent'])
    const reading = make(host, { permissions: { deny: ['Read(secret.txt)'] } })
    writeFileSync(join(sentFolder(reading), 'secret.txt'), 'x')
    await expect(reading.execute('message', { action: 'send', channel: 'slack', target: 'ops', text: 'x', media: ['secret.txt'] })).rejects.toMatchObject({
      error_type: 'permission_denied',
    })
  })

  test('a target that is not known, or not only one, is refused with the names', async () => {
    const targets = [
      { id: '1', label: '#dev' },
      { id: '2', label: '@dev' },
      { id: '3', label: '#devops' },
    ]
    const toolkit = make({ sendMessage: () => 'id', channels: [{ id: 'chat', targets }] })
    const send = (target: string) => toolkit.execute('message', { action: 'send', target, text: 'x' })
    await expect(send('dev')).rejects.toThrow('The target `dev` in the channel `chat` can mean `1` (#dev), `2` (@dev). Use the id.')
    await expect(send('devop')).rejects.toThrow('Did you mean')
    await expect(toolkit.execute('message', { action: 'edit', target: '1', text: 'x', messageId: '1' })).rejects.toThrow('cannot `edit`')
  })

  test('a long text goes in parts, and an emoji at the limit stays whole', async () => {
    const sent: any[] = []
    const toolkit = make({ sendMessage: (request: any) => (sent.push(request), `m${request.part}`), channels: [SLACK] })
    const text = `${'x'.repeat(4095)}👩‍🚀${'y'.repeat(10)}`
    const { details } = await toolkit.execute('message', { action: 'send', channel: 'slack', target: 'ops', text })
    expect(sent.map((request) => request.text)).toEqual(['x'.repeat(4095), `👩‍🚀${'y'.repeat(10)}`])
    expect(details).toMatchObject({
      delivered: true,
      id: 'm1',
      parts: [
        { status: 'sent', id: 'm1', characters: 4095 },
        { status: 'sent', id: 'm2' },
      ],
    })
  })

  test('a send that the time limit interrupts is unknown, and is not repeated', async () => {
    let sends = 0
    const never = () => {
      sends += 1
      return new Promise(() => {})
    }
    const toolkit = make({ sendMessage: never }, { onApproval: () => 'once', limits: { timeoutMs: 300 } })
    const call = { action: 'send', channel: 's', target: 't', text: 'hi' }
    await expect(toolkit.execute('message', call, { toolCallId: 'a' })).rejects.toMatchObject({
      error_type: 'timeout',
      message: expect.stringContaining('it is not known whether the message was sent. Do not send it again'),
      details: { status: 'unknown' },
    })
    expect((await toolkit.execute('message', call, { toolCallId: 'a' })).details).toMatchObject({ status: 'unknown', repeated: true })
    expect(sends).toBe(1)
  })

  test('a host that returns nothing, or times out after the provider took it, leaves it unknown', async () => {
    const answers: any[] = [
      () => undefined,
      () => Promise.reject(new DOMException('too slow', 'TimeoutError')),
      () => Promise.reject(new Error('no such user')),
    ]
    const toolkit = make({ sendMessage: () => answers.shift()() })
    const send = () => toolkit.execute('message', { action: 'send', channel: 'sms', target: '+49', text: 'x' })
    expect((await send()).details).toMatchObject({ delivered: false, status: 'unknown' })
    expect((await send()).details).toMatchObject({ delivered: false, status: 'unknown', error: 'too slow' })
    const failed = await send()
    expect(failed.details).toMatchObject({ delivered: false, status: 'failed', error: expect.stringContaining('no such user') })
    expect(failed.content[0].text).toContain('It was not sent')
  })

  test('an abort reaches the host, and the same call later says that nobody knows', async () => {
    let signal: AbortSignal | undefined
    const toolkit = make({
      sendMessage: (_: any, context: any) => {
        signal = context.signal
        return new Promise(() => {})
      },
    })
    const controller = new AbortController()
    const call = { action: 'send', channel: 'sms', text: 'x' }
    const sending = toolkit.execute('message', call, { toolCallId: 'a', signal: controller.signal })
    const failed = expect(sending).rejects.toMatchObject({ error_type: 'aborted' })
    while (!signal) await new Promise((resolve) => setTimeout(resolve, 5))
    controller.abort()
    await failed
    expect(signal.aborted).toBe(true)
    expect((await toolkit.execute('message', call, { toolCallId: 'a' })).details).toMatchObject({ status: 'unknown', repeated: true })
  })

  test('a dry run sends nothing and asks nobody', async () => {
    const toolkit = make(
      {
        sendMessage: () => {
          throw new Error('sent')
        },
        channels: [SLACK],
      },
      { onApproval: () => 'never' },
    )
    const { details } = await toolkit.execute('message', { action: 'send', channel: 'slack', target: 'ops', text: 'x', dryRun: true })
    expect(details).toEqual({ delivered: false, status: 'suppressed', channel: 'slack', target: 'C1', targetName: '#ops', dryRun: true })
  })
})

describe('tenon/channels', () => {
  async function server(answer: (request: any, body: string, response: any) => void) {
    const requests: any[] = []
    const listening: any = createServer((request, response) => {
      let body = ''
      request.on('data', (data) => (body += data))
      request.on('end', () => {
        requests.push({ method: request.method, url: request.url, headers: request.headers, body: body && JSON.parse(body) })
        answer(request, body, response)
      })
    })
    listening.listen(0, '127.0.0.1')
    await once(listening, 'listening')
    open.push({ close: () => (listening.closeAllConnections(), new Promise((resolve) => listening.close(resolve))) })
    return { url: `http://127.0.0.1:${listening.address().port}/services/T0SECRET/B0SECRET`, requests }
  }

  const ok = (_: any, __: string, response: any) => response.end('ok')
  const local = (...urls: string[]) => ({ allowPrivate: urls.map((url) => new URL(url).host) })
  const send = (toolkit: any, more: any) => toolkit.execute('message', { action: 'send', text: 'hello <!channel> @everyone', ...more })

  test('each kind sends what its server takes', async () => {
    const { url, requests } = await server((_, __, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"id": "77"}')
    })
    const lines: string[] = []
    const toolkit = make(
      channels(
        {
          ops: slack({ url }),
          game: discord({ url }),
          office: teams({ url }),
          hook: webhook({ url, headers: { 'X-Key': 'k' }, targets: [{ id: 'all' }] }),
          log: consoleChannel({ write: (line) => lines.push(line) }),
        },
        local(url),
      ),
    )
    for (const channel of ['ops', 'game', 'office', 'hook', 'log']) {
      const { details } = await send(toolkit, { channel })
      expect(details, channel).toMatchObject({ delivered: true, status: 'sent', channel })
    }
    const [ops, game, office, hook] = requests
    expect(ops.body).toEqual({ text: 'hello &lt;!channel&gt; @everyone' })
    expect([game.url.endsWith('?wait=true'), game.body]).toEqual([true, { content: 'hello <!channel> @everyone', allowed_mentions: { parse: [] } }])
    expect(office.body.attachments[0].content.body[0].text).toBe('hello <!channel> @everyone')
    expect(hook.body).toMatchObject({ channel: 'hook', target: 'all', text: 'hello <!channel> @everyone', idempotencyKey: hook.headers['idempotency-key'] })
    expect(hook.headers['x-key']).toBe('k')
    expect(lines).toEqual(['log: hello <!channel> @everyone\n'])
    const edited = await toolkit.execute('message', { action: 'edit', channel: 'game', messageId: '77', text: 'new' })
    expect([edited.details.delivered, requests.at(-1).method, requests.at(-1).url.endsWith('/messages/77')]).toEqual([true, 'PATCH', true])
  })

  test('an id that is no number names no message of Discord, and never the webhook itself', async () => {
    const { url, requests } = await server(ok)
    const toolkit = make(channels({ game: discord({ url }) }, local(url)))
    const answers = []
    for (const [action, messageId] of [
      ['delete', '..'],
      ['edit', '.'],
      ['delete', '1/../..'],
      ['delete', '%2e%2e'],
    ])
      answers.push((await toolkit.execute('message', { action, channel: 'game', messageId, ...(action === 'edit' && { text: 'x' }) })).details)
    expect(answers.map(({ status, error }) => [status, error])).toEqual(
      ['..', '.', '1/../..', '%2e%2e'].map((id) => [
        'failed',
        `\`host.sendMessage\` failed: \`${id}\` is not the id of a message of Discord, which is a number; pass the one that sending returned.`,
      ]),
    )
    expect(requests).toEqual([])
  })

  test('a long text for Teams goes in parts of at most 28 KB of JSON', async () => {
    const { url, requests } = await server(ok)
    const toolkit = make(channels({ office: teams({ url }) }, local(url)))
    const text = '日本語\n'.repeat(5000)
    const { details } = await toolkit.execute('message', { action: 'send', channel: 'office', text })
    expect([details.delivered, requests.length > 1]).toEqual([true, true])
    const sizes = requests.map(({ body }) => Buffer.byteLength(JSON.stringify(body)))
    expect(Math.max(...sizes)).toBeLessThan(28 * 1024)
    expect(requests.map(({ body }) => body.attachments[0].content.body[0].text.replaceAll('\n', '')).join('')).toBe(text.replaceAll('\n', ''))
  })

  test('no error, history or print shows the address of a webhook', async () => {
    const { url } = await server((_, __, response) => {
      response.statusCode = 404
      response.end('no_team')
    })
    const gone = 'http://127.0.0.1:9/services/T0SECRET'
    const host = channels({ ops: slack({ url }), gone: slack({ url: gone }), inside: slack({ url: 'http://169.254.169.254/SECRET' }) }, local(url, gone))
    const toolkit = make(host, { onApproval: () => 'once' })
    const attempts = []
    for (const channel of ['ops', 'gone', 'inside']) attempts.push((await send(toolkit, { channel })).details)
    expect(attempts.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed'])
    expect(attempts[0].error).toContain('status 404')
    const everything = `${inspect(attempts, { depth: 9 })} ${inspect(host, { depth: 9 })} ${JSON.stringify(host)} ${JSON.stringify(toolkit.history())}`
    expect(everything).not.toContain('SECRET')
    expect(() => slack({ url: 'SECRET' })).toThrow(/must be the URL of a webhook/)
  })

  test('a server that does not answer in time, or fails behind a gateway, leaves it unknown', async () => {
    const { url, requests } = await server((_, __, response) => {
      if (requests.length > 1) {
        response.statusCode = 502
        response.end()
      }
    })
    const toolkit = make(channels({ ops: slack({ url }) }, { ...local(url), timeoutMs: 500 }))
    expect((await send(toolkit, {})).details).toMatchObject({
      status: 'unknown',
      error: '`127.0.0.1' + new URL(url).host.slice(9) + '` did not answer in time.',
    })
    expect((await send(toolkit, {})).details).toMatchObject({ status: 'unknown' })
    expect(requests).toHaveLength(2)
  })

  test('a private address is refused unless it is named, and no redirect leads elsewhere', async () => {
    const { url, requests } = await server(ok)
    const strict = make(channels({ ops: slack({ url }) }))
    expect((await send(strict, {})).details).toMatchObject({ status: 'failed', error: expect.stringContaining('allowPrivate') })
    expect(requests).toHaveLength(0)
    const away = await server((_, __, response) => {
      response.statusCode = 307
      response.setHeader('location', url.replace('127.0.0.1', 'localhost'))
      response.end()
    })
    const led = make(channels({ ops: slack({ url: away.url }) }, local(away.url, url, url.replace('127.0.0.1', 'localhost'))))
    expect((await send(led, {})).details).toMatchObject({ status: 'failed' })
    expect(requests).toHaveLength(0)
  })
})
