import type { MessageChannel, MessageReceipt, MessageRequest, WebToolOptions } from './index.js'

/** A channel over which messages are sent. */
export interface Channel extends Omit<MessageChannel, 'id'> {
  /** Sends a message, and throws where it was not sent. `send` makes a request through the web guard of the core. */
  send(request: MessageRequest, context: ChannelContext): Promise<MessageReceipt>
}

/** What a channel works with. */
export interface ChannelContext {
  /** Aborted when nobody waits for the message any more. */
  signal: AbortSignal
  /** Makes a request through the web guard of the core. */
  send(request: {
    method?: string
    url: URL
    headers?: Record<string, string>
    body?: unknown
    signal: AbortSignal
  }): Promise<{ status: number; body: any; retryAfter?: string | undefined }>
}

/** Options of `channels`. */
export interface ChannelsOptions {
  /** Hosts that may be reached although they are not public, as in `web.fetch.allowPrivate`. */
  allowPrivate?: string[] | undefined
  /** Default: 30000. */
  timeoutMs?: number | undefined
  /** As the option `web.proxy`. */
  proxy?: WebToolOptions['proxy']
}

/** Options of `slack`, `discord` and `teams`. */
export interface WebhookOptions {
  /** The URL of the webhook. It is a secret, and never part of an error. */
  url: string
  /** What users call the channel. */
  label?: string | undefined
  /** Whether `@everyone`, `<!channel>` and the like notify. Default: false. */
  mentions?: boolean | undefined
}

/** Options of `webhook`. */
export interface GenericWebhookOptions extends Omit<WebhookOptions, 'mentions'> {
  /** Headers of every request. */
  headers?: Record<string, string> | undefined
  /** The longest text in UTF-16 units. Default: no limit. */
  maxText?: number | undefined
  /** Default: `['send']`. */
  actions?: MessageChannel['actions']
  /** Who can be reached. Default: anybody. */
  targets?: MessageChannel['targets']
}

/** Options of `consoleChannel`. */
export interface ConsoleOptions {
  /** What users call the channel. */
  label?: string | undefined
  /** Takes a line. Default: standard error. */
  write?(line: string): void
}

/** The functions of a host that sends over these channels: `host: { ...channels({ ops: slack({ url }) }) }`. */
export declare function channels(
  named: Record<string, Channel>,
  options?: ChannelsOptions,
): { channels: MessageChannel[]; sendMessage(request: MessageRequest, context: { signal: AbortSignal }): Promise<MessageReceipt> }

/** An incoming webhook of Slack. */
export declare function slack(options: WebhookOptions): Channel
/** A webhook of Discord, which can also edit and delete what it has sent. */
export declare function discord(options: WebhookOptions): Channel
/** An incoming webhook of Microsoft Teams (a workflow). */
export declare function teams(options: Omit<WebhookOptions, 'mentions'>): Channel
/** Any server that takes JSON. */
export declare function webhook(options: GenericWebhookOptions): Channel
/** Lines on standard error, or wherever `write` puts them. */
export declare function consoleChannel(options?: ConsoleOptions): Channel
