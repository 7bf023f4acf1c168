// @ts-check
'use strict'

// Not every realm has it.
const { Buffer } = require('node:buffer')

const { describe, invalidInput } = require('./tool-error.js')

/** Names and codes of failures after which it is not known whether the message was taken. */
const UNCERTAIN = new Set([
  'AbortError',
  'TimeoutError',
  'ETIMEDOUT',
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
])

/**
 * Has the host send a message, with its files as bytes.
 *
 * @param {Function} send
 * @param {any} request
 * @param {AbortSignal} signal
 */
async function sendMessage(send, { media, ...request }, signal) {
  const files = media.map((/** @type {any} */ file) => ('data' in file ? { ...file, data: new Uint8Array(Buffer.from(file.data, 'base64')) } : file))
  try {
    return await send({ ...request, media: files }, { signal })
  } catch (/** @type {any} */ error) {
    const causes = [error?.name, error?.code, error?.cause?.name, error?.cause?.code]
    if (causes.some((cause) => UNCERTAIN.has(cause))) return { status: 'unknown', error: describe(error) }
    throw error
  }
}

/**
 * The channels of the host, where it lists them: as a part, since they may change.
 *
 * @param {any} host
 * @param {Map<string, import('./host-callbacks.js').HostCallback>} parts
 */
function partChannels(host, parts) {
  const given = host.channels
  if (given === undefined || given === null) return
  if (typeof given !== 'function' && !Array.isArray(given)) {
    throw invalidInput(
      'toolkit',
      'The option `host.channels` must be a list of `{ id, label?, actions?, maxText?, targets? }`, or a function that returns one.',
    )
  }
  if (Array.isArray(given)) for (const [index, channel] of given.entries()) check(channel, `host.channels[${index}]`)
  parts.set('channels', async () => (typeof given === 'function' ? given.call(host) : given))
}

/**
 * @param {any} channel
 * @param {string} place
 */
function check(channel, place) {
  if (typeof channel?.id === 'string' && channel.id !== '') return
  throw invalidInput('toolkit', `The option \`${place}\` must have an \`id\`, a string.`)
}

module.exports = { partChannels, sendMessage }
