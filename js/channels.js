// @ts-check
'use strict'

const { tmpdir } = require('node:os')

const { ToolError, invalidInput } = require('./tool-error.js')
const { Toolkit } = require('./toolkit.js')

/** How long a channel may take to answer. */
const TIMEOUT_MS = 30_000
/** What controls a terminal or turns the direction of a text. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/**
 * @typedef {import('../channels.d.ts').Channel} Channel
 * @typedef {import('../index.d.ts').MessageRequest} MessageRequest
 * @typedef {import('../index.d.ts').MessageReceipt} MessageReceipt
 * @typedef {{ method?: string, url: URL, headers?: Record<string, string>, body?: unknown, signal: AbortSignal }} Post
 * @typedef {(post: Post) => Promise<{ status: number, body: any, retryAfter?: string }>} Send
 */

/** A failure after which it is not known whether the message was taken. */
class Uncertain extends Error {}

/**
 * The functions of a host that sends over these channels.
 *
 * @param {Record<string, Channel>} named
 * @param {import('../channels.d.ts').ChannelsOptions} [options]
 */
function channels(named, options = {}) {
  const known = new Map(Object.entries(named))
  if (known.size === 0) throw invalidInput('channels', 'There are no channels: name at least one.')
  for (const [id, channel] of known) {
    if (typeof channel?.send !== 'function')
      throw invalidInput(
        'channels',
        `The channel \`${id}\` has no function \`send\`. Make it with \`slack\`, \`discord\`, \`teams\`, \`webhook\` or \`consoleChannel\`.`,
      )
  }
  const send = sender(options)
  return {
    channels: [...known].map(([id, { label, maxText, actions = ['send'], targets }]) => ({ id, label, maxText, actions: [...actions], targets })),
    /**
     * @param {MessageRequest} request
     * @param {{ signal: AbortSignal }} context
     * @returns {Promise<MessageReceipt>}
     */
    async sendMessage(request, { signal }) {
      const channel = known.get(request.channel)
      if (!channel) throw new Error(`there is no channel \`${request.channel}\``)
      try {
        return await channel.send(request, { signal, send })
      } catch (error) {
        if (error instanceof Uncertain) return { status: 'unknown', error: error.message }
        throw error
      }
    },
  }
}

/**
 * An incoming webhook of Slack.
 *
 * @param {import('../channels.d.ts').WebhookOptions} options
 * @returns {Channel}
 */
function slack({ url, label, mentions = false }) {
  const address = addressOf(url, 'slack')
  return hidden({
    label,
    maxText: 4000,
    actions: ['send'],
    async send(request, { send, signal }) {
      withoutFiles(request)
      const text = mentions ? request.text : request.text?.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
      const thread = request.threadId ?? request.replyTo
      return receipt(await send({ url: address, signal, body: { text, ...(thread && { thread_ts: thread }) } }))
    },
  })
}

/**
 * A webhook of Discord, which can also edit and delete what it has sent.
 *
 * @param {import('../channels.d.ts').WebhookOptions} options
 * @returns {Channel}
 */
function discord({ url, label, mentions = false }) {
  const address = addressOf(url, 'discord')
  return hidden({
    label,
    maxText: 2000,
    actions: ['send', 'edit', 'delete'],
    async send(request, { send, signal }) {
      withoutFiles(request)
      const target = new URL(address)
      if (request.threadId) target.searchParams.set('thread_id', request.threadId)
      if (request.action !== 'send') target.pathname += `/messages/${snowflake(request.messageId)}`
      else target.searchParams.set('wait', 'true')
      if (request.action === 'delete') return { ...receipt(await send({ method: 'DELETE', url: target, signal })), id: request.messageId ?? undefined }
      const body = {
        content: request.text,
        ...(!mentions && { allowed_mentions: { parse: [] } }),
        ...(request.silent && { flags: 4096 }),
      }
      return receipt(await send({ method: request.action === 'edit' ? 'PATCH' : 'POST', url: target, signal, body }))
    },
  })
}

/**
 * The id of a message of Discord. `..` in a path would name the webhook itself.
 *
 * @param {string | null | undefined} id
 */
function snowflake(id) {
  if (typeof id === 'string' && /^\d{1,20}$/.test(id)) return id
  throw new Error(`\`${id ?? ''}\` is not the id of a message of Discord, which is a number; pass the one that sending returned`)
}

/**
 * An incoming webhook of Microsoft Teams (a workflow).
 *
 * @param {import('../channels.d.ts').WebhookOptions} options
 * @returns {Channel}
 */
function teams({ url, label }) {
  const address = addressOf(url, 'teams')
  return hidden({
    label,
    // Teams takes 28 KB of JSON, and a letter has up to three bytes.
    maxText: 9000,
    actions: ['send'],
    async send(request, { send, signal }) {
      withoutFiles(request)
      const content = {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [{ type: 'TextBlock', text: request.text, wrap: true }],
      }
      const body = { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] }
      return receipt(await send({ url: address, signal, body }))
    },
  })
}

/**
 * Any server that takes JSON.
 *
 * @param {import('../channels.d.ts').GenericWebhookOptions} options
 * @returns {Channel}
 */
function webhook({ url, label, headers = {}, maxText, actions = ['send'], targets }) {
  const address = addressOf(url, 'webhook')
  return hidden({
    label,
    maxText,
    actions,
    targets,
    async send({ media = [], ...request }, { send, signal }) {
      const files = media.map((file) => ('data' in file ? { ...file, data: Buffer.from(file.data).toString('base64') } : file))
      const body = { ...request, ...(files.length > 0 && { media: files }) }
      return receipt(await send({ url: address, signal, headers: { ...headers, 'Idempotency-Key': request.idempotencyKey }, body }))
    },
  })
}

/**
 * Lines on standard error, or wherever `write` puts them.
 *
 * @param {import('../channels.d.ts').ConsoleOptions} [options]
 * @returns {Channel}
 */
function consoleChannel({ label, write = (line) => void process.stderr.write(line) } = {}) {
  let last = 0
  return hidden({
    label,
    actions: ['send'],
    async send({ channel, target, text, media = [] }) {
      const files = media.map((file) => ` [${'url' in file ? file.url : file.name}]`).join('')
      const line = `${channel}${target ? ` ${target}` : ''}: ${text ?? ''}${files}`
      write(`${line.replace(UNSEEN, (letter) => `\\u{${letter.charCodeAt(0).toString(16)}}`)}\n`)
      return { id: `${channel}-${++last}` }
    },
  })
}

/**
 * Keeps what a channel does, and the address in it, out of what is printed of the object.
 *
 * @param {Channel} channel
 * @returns {Channel}
 */
function hidden(channel) {
  Object.defineProperty(channel, 'send', { enumerable: false })
  return channel
}

/**
 * The address of a webhook. It is a secret: no message shows it.
 *
 * @param {unknown} url
 * @param {string} maker
 */
function addressOf(url, maker) {
  try {
    const address = new URL(/** @type {string} */ (url))
    if (/^https?:$/.test(address.protocol)) return address
  } catch {
    // Said below.
  }
  throw invalidInput('channels', `The \`url\` of \`${maker}\` must be the URL of a webhook.`)
}

/** @param {MessageRequest} request */
function withoutFiles({ channel, media }) {
  if (media && media.length > 0) throw new Error(`the channel \`${channel}\` cannot send files; send the text alone`)
}

/**
 * @param {{ status: number, body: any, retryAfter?: string }} answer
 * @returns {MessageReceipt}
 */
function receipt({ status, body, retryAfter }) {
  if (status >= 200 && status < 300) {
    const id = body?.id
    return { status: status === 202 ? 'queued' : 'sent', id: typeof id === 'string' || typeof id === 'number' ? String(id) : undefined }
  }
  if (status === 429) throw new Error(`the channel takes no more messages for now${retryAfter ? `; try again after ${retryAfter} s` : ''}`)
  // A gateway answers for a server that may have taken the message.
  if (status >= 500) throw new Uncertain(`The server of the channel returned status ${status}.`)
  throw new Error(`the server of the channel returned status ${status}`)
}

/**
 * Sends through the web guard of the core: to public addresses, or to those that `allowPrivate` names, and nowhere else.
 *
 * @param {import('../channels.d.ts').ChannelsOptions} options
 * @returns {Send}
 */
function sender({ allowPrivate, timeoutMs = TIMEOUT_MS, proxy }) {
  return async ({ method = 'POST', url, headers = {}, body, signal }) => {
    const toolkit = new Toolkit({
      workspace: tmpdir(),
      dialect: 'acp',
      tools: { allow: ['web_request'] },
      permissions: { allow: [`web_request(domain:${url.hostname})`], defaultMode: 'deny' },
      web: { fetch: { allowPrivate, timeoutMs }, proxy },
    })
    try {
      const params = {
        url: url.href,
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }
      const { details } = await toolkit.execute('web_request', params, { signal })
      return answerOf(/** @type {any} */ (details).text)
    } catch (error) {
      throw plain(error, url.host)
    } finally {
      await toolkit.close()
    }
  }
}

/**
 * What a server answered, from the text of `web_request`.
 *
 * @param {string} text
 */
function answerOf(text) {
  const [first = ''] = text.split('\n', 1)
  const status = Number(/ returned status (\d{3})$/.exec(first)?.[1])
  const split = text.indexOf('\n\n')
  const head = split < 0 ? text : text.slice(0, split)
  const json = /\{[\s\S]*\}/.exec(split < 0 ? '' : text.slice(split))?.[0]
  return { status, body: parsed(json), retryAfter: /^retry-after: (\d{1,6})$/im.exec(head)?.[1] }
}

/** @param {string | undefined} json */
function parsed(json) {
  try {
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}

/**
 * The failure without the address, which is a secret.
 *
 * @param {unknown} error
 * @param {string} host
 */
function plain(error, host) {
  const { error_type, message = '' } = ToolError.is(error) ? error : /** @type {any} */ ({})
  if (error_type === 'aborted') return Object.assign(new Error('the message was stopped'), { name: 'AbortError' })
  if (error_type === 'timeout') return new Uncertain(`\`${host}\` did not answer in time.`)
  if (error_type === 'permission_denied')
    return new Error(`\`${host}\` may not be reached: it is not public, or redirects elsewhere; name it in \`allowPrivate\` if it is yours`)
  if (/refused|resolve|no address/i.test(message)) return new Error(`\`${host}\` could not be reached`)
  return new Uncertain(`The connection to \`${host}\` failed.`)
}

module.exports = { channels, consoleChannel, discord, slack, teams, webhook }
