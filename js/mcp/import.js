// @ts-check
'use strict'

const { invalidInput } = require('../tool-error.js')

/** What each program calls the members of a server, by what we call them. */
const FORMATS = /** @type {Record<string, (text: string) => { servers: Record<string, any>, others: string[] }>} */ ({
  'claude-code': (text) => within(json(text), 'mcpServers'),
  'gemini-cli': (text) => within(json(text), 'mcpServers'),
  vscode: (text) => {
    const parsed = json(text)
    return within(parsed.servers === undefined && parsed.mcp ? parsed.mcp : parsed, 'servers')
  },
  opencode: (text) => within(json(text), 'mcp'),
  codex: (text) => within(toml(text), 'mcp_servers'),
})

/** Members that are taken over as they are. */
const SAME = new Set(['command', 'args', 'env', 'cwd', 'url', 'headers'])

/**
 * Servers as another program configures them, for the option `mcpServers`. What was not taken over is reported.
 *
 * @param {string} format
 * @param {unknown} text
 * @returns {{ servers: Record<string, any>, warnings: string[] }}
 */
function importMcpServers(format, text) {
  if (!Object.hasOwn(FORMATS, format))
    throw invalidInput('importMcpServers', `There is no format \`${String(format).slice(0, 100)}\`. Formats: ${Object.keys(FORMATS).join(', ')}.`)
  if (typeof text !== 'string') throw invalidInput('importMcpServers', 'The configuration must be the text of a file. Read the file first.')
  const { servers, others } = FORMATS[format](text)
  const warnings = others.length > 0 ? [`Only the servers were taken over, not ${others.map((name) => `\`${name}\``).join(', ')}.`] : []
  /** @type {Record<string, any>} */
  const taken = {}
  for (const [id, given] of Object.entries(servers)) {
    const isOld = (given?.type ?? given?.transport) === 'sse'
    const entry = typeof given === 'object' && given !== null && !isOld ? entryOf(format, id, given, warnings) : undefined
    if (entry) taken[id] = entry
    else if (isOld) warnings.push(`\`${id}\` was not taken over: its transport \`sse\` was replaced by streamable HTTP.`)
    else warnings.push(`\`${id}\` was not taken over: it has neither a command nor an address.`)
  }
  return { servers: taken, warnings }
}

/**
 * @param {string} format
 * @param {string} id
 * @param {any} given
 * @param {string[]} warnings
 */
function entryOf(format, id, given, warnings) {
  /** @type {Record<string, any>} */
  const entry = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    if (name === 'type' || name === 'transport') continue
    const known = translated(name, value)
    if (known === undefined) warnings.push(`\`${id}.${name}\` was not taken over.`)
    else
      for (const [own, set] of Object.entries(known))
        entry[own] = typeof set === 'object' && set !== null && !Array.isArray(set) ? { ...entry[own], ...set } : set
  }
  if (entry.command === undefined && entry.url === undefined) return undefined
  return deepMap(entry, (text) => variables(format, id, text, warnings))
}

/**
 * A member in our words.
 *
 * @param {string} name
 * @param {any} value
 * @returns {Record<string, any> | undefined}
 */
function translated(name, value) {
  // opencode: a list with the program and its arguments.
  if (name === 'command' && Array.isArray(value)) return { command: value[0], args: value.slice(1) }
  if (SAME.has(name)) return { [name]: value }
  switch (name) {
    case 'environment':
      return { env: value }
    case 'httpUrl':
      return { url: value }
    case 'http_headers':
    case 'httpHeaders':
      return { headers: value }
    case 'env_http_headers':
      return { headers: Object.fromEntries(Object.entries(value).map(([header, variable]) => [header, `\${${variable}}`])) }
    case 'bearer_token_env_var':
      return { headers: { Authorization: `Bearer \${${value}}` } }
    case 'env_vars':
      return { env: Object.fromEntries(value.map((/** @type {string} */ variable) => [variable, `\${${variable}:-}`])) }
    case 'enabled':
      return value === false ? { disabled: true } : {}
    case 'disabled':
      return value === true ? { disabled: true } : {}
    case 'required':
      return { required: value === true }
    case 'enabled_tools':
    case 'includeTools':
      return { tools: { allow: value } }
    case 'disabled_tools':
    case 'excludeTools':
      return { tools: { deny: value } }
    case 'startup_timeout_sec':
      return { startMs: Math.round(value * 1000) }
    case 'startup_timeout_ms':
      return { startMs: value }
    case 'tool_timeout_sec':
      return { callMs: Math.round(value * 1000), maxCallMs: Math.round(value * 1000) }
    case 'timeout':
      return { callMs: value }
    // That a program trusts a server says nothing about this toolkit: rules do.
    default:
      return undefined
  }
}

/**
 * Variables in the form that the option takes: `${env:NAME}` and `{env:NAME}` become `${NAME}`; `$NAME` of Gemini CLI too.
 *
 * @param {string} format
 * @param {string} id
 * @param {string} text
 * @param {string[]} warnings
 */
function variables(format, id, text, warnings) {
  let read = text.replace(/\$\{env:([A-Za-z_]\w*)\}/g, '${$1}')
  if (format === 'opencode') read = read.replace(/(?<!\$)\{env:([A-Za-z_]\w*)\}/g, '${$1}')
  if (format === 'gemini-cli') read = read.replace(/\$([A-Za-z_]\w*)/g, '${$1}')
  if (/\$\{(?:input|workspaceFolder|userHome|file|command|config)\b/.test(read) || /\{file:/.test(read)) {
    warnings.push(`\`${id}\` has a variable that only its program knows: \`${text.slice(0, 100)}\`. Replace it.`)
  }
  return read
}

/**
 * @param {any} value
 * @param {(text: string) => string} change
 * @returns {any}
 */
function deepMap(value, change) {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((entry) => deepMap(entry, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, deepMap(member, change)]))
}

/**
 * @param {any} parsed
 * @param {string} member
 */
function within(parsed, member) {
  const servers = parsed?.[member]
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) {
    throw invalidInput('importMcpServers', `The configuration has no servers: \`${member}\` is missing.`)
  }
  return { servers, others: Object.keys(parsed).filter((name) => name !== member && !name.startsWith('$')) }
}

/** @param {string} text */
function json(text) {
  const { open } = require('../tool-error.js')
  const { loadNative } = require('../load.js')
  const parsed = open(loadNative().parseConfiguration('json', text))
  return typeof parsed === 'object' && parsed !== null ? parsed : {}
}

/** @param {string} text */
function toml(text) {
  const { open } = require('../tool-error.js')
  const { loadNative } = require('../load.js')
  return open(loadNative().parseConfiguration('toml', text))
}

module.exports = { importMcpServers }
