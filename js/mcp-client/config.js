// @ts-check
'use strict'

const { createHash } = require('node:crypto')
const { resolve } = require('node:path')

const { MILLIS_FORM, isMillis } = require('../durations.js')
const { invalidInput } = require('../tool-error.js')

/** @type {Record<string, true>} the members of a server's entry */
const SERVER = Object.fromEntries(
  [
    'id',
    'name',
    'type',
    'transport',
    'command',
    'args',
    'env',
    'cwd',
    'sandbox',
    'url',
    'headers',
    'auth',
    'tools',
    'load',
    'effects',
    'trustAnnotations',
    'required',
    'disabled',
    'startMs',
    'callMs',
    'maxCallMs',
    'outputLimitBytes',
    'protocol',
  ].map((name) => [name, true]),
)
const MCP = { search: true, pins: true, credentials: true, exposeRoots: true }
const OAUTH = { clientId: true, clientSecret: true, clientMetadataUrl: true, redirectUri: true, scopes: true }

/**
 * A server as the rest works with it.
 *
 * @typedef {object} ServerEntry
 * @property {string} id
 * @property {string} [command]
 * @property {string[]} args
 * @property {Record<string, string>} env
 * @property {string} [cwd]
 * @property {any} sandbox
 * @property {string} [url]
 * @property {Record<string, string>} headers
 * @property {any} [oauth]
 * @property {{ allow?: string[], deny?: string[] }} tools
 * @property {'auto' | 'eager' | 'search' | 'off' | { always: string[] }} load
 * @property {Record<string, any>} effects
 * @property {boolean} trustAnnotations
 * @property {boolean} required
 * @property {boolean} disabled
 * @property {number} startMs
 * @property {number} callMs
 * @property {number} maxCallMs
 * @property {number} outputLimitBytes
 * @property {'auto' | 'legacy' | 'modern'} protocol
 * @property {string} identity names what is started or asked, for pins
 */

/**
 * The option `mcpServers`: a map by name, or a list whose entries name themselves; `env` and `headers` also as lists of
 * `{ name, value }`.
 *
 * @param {any} given
 * @param {string} workspace
 * @returns {ServerEntry[]}
 */
function serverEntries(given, workspace) {
  if (given === undefined || given === null) return []
  if (typeof given !== 'object') throw wrong('mcpServers', `must be an object by the names of the servers, or a list; got ${typeof given}`)
  const pairs = Array.isArray(given)
    ? given.map((entry, index) => [entry?.id ?? entry?.name ?? fail(`mcpServers[${index}]`, 'has no `id`'), entry])
    : Object.entries(given)
  const seen = new Set()
  return pairs.map(([id, entry]) => {
    if (typeof id !== 'string' || id === '' || id.length > 200) throw wrong('mcpServers', 'has a server whose name is not a string of 1 to 200 characters')
    if (seen.has(id)) throw wrong(`mcpServers.${id}`, 'is given twice. Choose another name for one of them')
    seen.add(id)
    return serverEntry(id, entry, workspace)
  })
}

/**
 * @param {string} id
 * @param {any} entry
 * @param {string} workspace
 * @returns {ServerEntry}
 */
function serverEntry(id, entry, workspace) {
  const path = `mcpServers.${id}`
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw wrong(path, 'must be an object with a `command` or a `url`')
  for (const name of Object.keys(entry)) {
    if (Object.hasOwn(SERVER, name) || entry[name] === undefined) continue
    const { nearest } = require('../nearest.js')
    const near = nearest(name, Object.keys(SERVER))
    throw wrong(
      `${path}.${name}`,
      `is not an option of a server. ${near ? `Did you mean \`${near}\`?` : `Known options: ${Object.keys(SERVER).join(', ')}.`}`,
      true,
    )
  }
  const has = (/** @type {string} */ name) => entry[name] !== undefined && entry[name] !== null
  if (has('command') === has('url')) throw wrong(path, 'must have either a `command` or a `url`')
  if ((entry.type ?? entry.transport) === 'sse')
    throw wrong(path, 'uses the transport `sse`, which was replaced by streamable HTTP. Write the address of the new endpoint as `url`')
  const expand = (/** @type {string} */ text, /** @type {string} */ at) => expanded(id, text, at)
  const command = has('command') ? expand(text(entry.command, `${path}.command`), 'command') : undefined
  const url = has('url') ? expand(text(String(entry.url), `${path}.url`), 'url') : undefined
  if (url !== undefined) requireAddress(path, url)
  const args = list(entry.args, `${path}.args`).map((/** @type {string} */ arg) => expand(arg, 'args'))
  const sandbox = entry.sandbox === 'off' ? undefined : entry.sandbox
  if (url !== undefined && sandbox != null) throw wrong(`${path}.sandbox`, 'is for a server that is a program')
  return {
    id,
    command,
    args,
    env: map(entry.env, `${path}.env`, expand),
    cwd: resolve(workspace, has('cwd') ? text(entry.cwd, `${path}.cwd`) : '.'),
    sandbox: sandbox ?? null,
    url,
    headers: map(entry.headers, `${path}.headers`, expand),
    oauth: oauthOf(path, entry.auth, expand),
    tools: toolLists(path, entry.tools),
    load: loadOf(path, entry.load),
    effects: object(entry.effects, `${path}.effects`),
    trustAnnotations: flag(entry.trustAnnotations, `${path}.trustAnnotations`),
    required: flag(entry.required, `${path}.required`),
    disabled: flag(entry.disabled, `${path}.disabled`),
    startMs: millis(entry.startMs, `${path}.startMs`, 30_000),
    callMs: millis(entry.callMs, `${path}.callMs`, 60_000),
    maxCallMs: millis(entry.maxCallMs, `${path}.maxCallMs`, Math.max(600_000, Number(entry.callMs) || 0)),
    outputLimitBytes: millis(entry.outputLimitBytes, `${path}.outputLimitBytes`, 50 * 1024),
    protocol: oneOf(entry.protocol, `${path}.protocol`, ['auto', 'legacy', 'modern'], 'auto'),
    identity: createHash('sha256')
      .update(JSON.stringify(url === undefined ? [command, args] : [url]))
      .digest('hex'),
  }
}

/**
 * The option `mcp`.
 *
 * @param {any} given
 */
function mcpSettings(given) {
  const settings = object(given, 'mcp')
  for (const name of Object.keys(settings)) {
    if (Object.hasOwn(MCP, name) || settings[name] === undefined) continue
    throw wrong(
      `mcp.${name}`,
      `does not exist. Known options: ${Object.keys(MCP)
        .map((known) => `\`mcp.${known}\``)
        .join(', ')}`,
    )
  }
  const { pins = 'session', credentials } = settings
  const isStore = (/** @type {any} */ value, /** @type {string[]} */ names) => names.every((name) => typeof value?.[name] === 'function')
  if (pins !== 'session' && pins !== 'off' && !isFile(pins) && !isStore(pins, ['load', 'save'])) {
    throw wrong('mcp.pins', "must be 'session', 'off', `{ file }` or a store with `load` and `save`")
  }
  if (credentials != null && !isFile(credentials) && !isStore(credentials, ['load', 'save'])) {
    throw wrong('mcp.credentials', 'must be `{ file }` or a store with `load` and `save`')
  }
  return {
    search: /** @type {'auto' | 'on' | 'off'} */ (oneOf(settings.search, 'mcp.search', ['auto', 'on', 'off'], 'auto')),
    pins,
    credentials: credentials ?? undefined,
    exposeRoots: flag(settings.exposeRoots, 'mcp.exposeRoots'),
  }
}

/**
 * `${NAME}` and `${NAME:-default}` in a text of the configuration.
 *
 * @param {string} server
 * @param {string} value
 * @param {string} at
 */
function expanded(server, value, at) {
  return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, name, fallback) => {
    const found = process.env[name]
    if (found !== undefined && (found !== '' || fallback === undefined)) return found
    if (fallback !== undefined) return fallback
    throw wrong(`mcpServers.${server}.${at}`, `names the environment variable \`${name}\`, which is not set. Set it, or write \`\${${name}:-default}\``)
  })
}

/**
 * @param {string} path
 * @param {any} auth
 * @param {(text: string, at: string) => string} expand
 */
function oauthOf(path, auth, expand) {
  if (auth === undefined || auth === null || auth === 'none') return undefined
  if (auth === 'oauth') return {}
  if (typeof auth !== 'object') throw wrong(`${path}.auth`, "must be 'none', 'oauth' or an object with the client")
  const unknown = Object.keys(auth).find((name) => !Object.hasOwn(OAUTH, name))
  if (unknown !== undefined) throw wrong(`${path}.auth.${unknown}`, `does not exist. Known: ${Object.keys(OAUTH).join(', ')}`)
  const { scopes, ...texts } = auth
  const given = Object.entries(texts).filter(([, value]) => value != null)
  return {
    ...Object.fromEntries(given.map(([name, value]) => [name, expand(text(value, `${path}.auth.${name}`), `auth.${name}`)])),
    ...(scopes != null && { scopes: list(scopes, `${path}.auth.scopes`) }),
  }
}

/**
 * @param {string} path
 * @param {any} load
 */
function loadOf(path, load) {
  if (Array.isArray(load?.always)) return { always: list(load.always, `${path}.load.always`) }
  return /** @type {any} */ (oneOf(load, `${path}.load`, ['auto', 'eager', 'search', 'off'], 'auto'))
}

/**
 * @param {string} path
 * @param {any} tools
 */
function toolLists(path, tools) {
  const { allow, deny, ...others } = object(tools, `${path}.tools`)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw wrong(`${path}.tools.${unknown}`, 'does not exist. There are `allow` and `deny`, lists of names of tools')
  return {
    ...(allow != null && { allow: list(allow, `${path}.tools.allow`) }),
    ...(deny != null && { deny: list(deny, `${path}.tools.deny`) }),
  }
}

/**
 * @param {string} path
 * @param {string} url
 */
function requireAddress(path, url) {
  let protocol
  try {
    ;({ protocol } = new URL(url))
  } catch {
    throw wrong(`${path}.url`, 'is not a URL')
  }
  if (protocol !== 'http:' && protocol !== 'https:') throw wrong(`${path}.url`, 'must begin with `https://` or `http://`')
}

/**
 * @param {any} value
 * @param {string} path
 * @param {(text: string, at: string) => string} expand
 * @returns {Record<string, string>}
 */
function map(value, path, expand) {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object') throw wrong(path, 'must be an object, or a list of `{ name, value }`')
  const pairs = Array.isArray(value) ? value.map((pair) => [text(pair?.name, `${path}[].name`), pair?.value]) : Object.entries(value)
  const at = path.slice(path.lastIndexOf('.') + 1)
  return Object.fromEntries(pairs.map(([name, value]) => [name, expand(text(value, `${path}.${name}`), `${at}.${name}`)]))
}

/**
 * @param {any} value
 * @param {string} path
 * @returns {string}
 */
function text(value, path) {
  if (typeof value === 'string' && !value.includes('\0')) return value
  throw wrong(path, `must be a string${typeof value === 'string' ? ' without U+0000' : `; got ${typeof value}`}`)
}

/**
 * @param {any} value
 * @param {string} path
 * @returns {string[]}
 */
function list(value, path) {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.map((entry, index) => text(entry, `${path}[${index}]`))
  throw wrong(path, 'must be a list of strings')
}

/**
 * @param {any} value
 * @param {string} path
 * @returns {Record<string, any>}
 */
function object(value, path) {
  if (value === undefined || value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value
  throw wrong(path, 'must be an object')
}

/**
 * @param {any} value
 * @param {string} path
 */
function flag(value, path) {
  if (value === undefined || value === null || typeof value === 'boolean') return value === true
  throw wrong(path, `must be true or false; got ${typeof value}`)
}

/**
 * @param {any} value
 * @param {string} path
 * @param {number} otherwise
 */
function millis(value, path, otherwise) {
  if (value === undefined || value === null) return otherwise
  if (isMillis(value)) return value
  throw wrong(path, MILLIS_FORM)
}

/**
 * @param {any} value
 * @param {string} path
 * @param {readonly string[]} words
 * @param {string} otherwise
 */
function oneOf(value, path, words, otherwise) {
  if (value === undefined || value === null) return otherwise
  if (words.includes(value)) return value
  throw wrong(path, `must be one of ${words.map((word) => `'${word}'`).join(', ')}`)
}

/**
 * @param {string} path
 * @param {string} problem
 * @returns {never}
 */
function fail(path, problem) {
  throw wrong(path, problem)
}

/**
 * @param {string} path
 * @param {string} problem
 * @param {boolean} [isComplete]
 */
function wrong(path, problem, isComplete = false) {
  const message = `The option \`${path}\` ${problem}${isComplete ? '' : '.'}`
  return invalidInput('toolkit', message, [{ param: path, message, code: 'TYPE_MISMATCH' }])
}

/**
 * Whether an option names a file: an empty text would be the directory of the process.
 *
 * @param {any} value
 */
function isFile(value) {
  return typeof value?.file === 'string' && value.file !== ''
}

module.exports = { mcpSettings, serverEntries }
