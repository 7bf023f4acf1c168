// @ts-check
'use strict'

const { ToolError } = require('../tool-error.js')
const { run } = require('./calls.js')
const { codeOf } = require('./files.js')
const { fromHere, nameOf } = require('./operations.js')
const { linesOf, refusal, said } = require('./texts.js')

/**
 * @typedef {import('./calls.js').Outcome} Outcome
 * @typedef {{ toolkit: import('../../index.d.ts').Toolkit<any>, bash: any, call: { toolCallId?: string, signal?: AbortSignal }, files: import('./files.js').Files }} Scene
 * @typedef {{ name: string, operation: string, description: string, input_schema: any, call: (input: any, scene: Scene) => Promise<Outcome> }} ToolsetTool
 */

const MOST_FILES = 200
const MOST_ENTRIES = 10_000
const MOST_MATCHES = 1000
const MOST_CHARACTERS = 256 * 1024
const TIMEOUT_MS = 120_000

const string = { type: 'string' }

/** @type {ToolsetTool[]} */
const TOOLSET = [
  {
    name: 'bash',
    operation: 'exec',
    description: 'Run a bash command. With a carried state, the working directory and exported variables persist across calls.',
    input_schema: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command to run' },
        restart: { type: 'boolean', description: 'Forget the working directory and the variables before running' },
        timeout_ms: { type: 'integer', description: 'Per-call timeout in milliseconds' },
      },
    },
    call: bash,
  },
  {
    name: 'read',
    operation: 'read',
    description: 'Read a text file or an image relative to the workdir.',
    input_schema: {
      type: 'object',
      properties: { file_path: string, view_range: { type: 'array', items: { type: 'integer' }, description: '[start_line, end_line] 1-indexed inclusive' } },
      required: ['file_path'],
    },
    call: read,
  },
  {
    name: 'write',
    operation: 'write',
    description: 'Write a UTF-8 text file relative to the workdir, creating parent directories as needed.',
    input_schema: { type: 'object', properties: { file_path: string, content: string }, required: ['file_path', 'content'] },
    call: write,
  },
  {
    name: 'edit',
    operation: 'edit',
    description: 'Replace old_string with new_string in a file. old_string must be unique unless replace_all.',
    input_schema: {
      type: 'object',
      properties: { file_path: string, old_string: string, new_string: string, replace_all: { type: 'boolean' } },
      required: ['file_path', 'old_string', 'new_string'],
    },
    call: edit,
  },
  {
    name: 'glob',
    operation: 'find',
    description: 'Match files under the workdir against a glob pattern. Results are sorted by path.',
    input_schema: {
      type: 'object',
      properties: { pattern: string, path: { type: 'string', description: 'Directory to search in. Defaults to the workdir.' } },
      required: ['pattern'],
    },
    call: glob,
  },
  {
    name: 'grep',
    operation: 'grep',
    description: 'Search file contents for a regex (ripgrep syntax).',
    input_schema: { type: 'object', properties: { pattern: string, path: string }, required: ['pattern'] },
    call: grep,
  },
]

/**
 * @param {any} input
 * @param {Scene} scene
 */
async function bash({ command, restart, timeout_ms }, { bash: commands, call }) {
  if (restart) commands.restart()
  if (!command) {
    if (restart) return said('bash session restarted')
    throw refusal('bash: command is required')
  }
  const outcome = await commands.run(command, timeout_ms, call)
  const { content, details, isError } = outcome
  if (isError) return details?.code === 'timeout' ? { ...said(`bash: bash command timed out after ${timeout_ms ?? TIMEOUT_MS}ms`), isError } : outcome
  const shown = details.truncated ? content : said(details.output).content
  const text = shown
    .map((/** @type {any} */ part) => part.text)
    .join('\n')
    .replace(/\n+$/, '')
  return details.exitCode === 0 ? said(text) : { ...said(text || `exit ${details.exitCode ?? details.signal}`), isError: true }
}

/**
 * @param {any} input
 * @param {Scene} scene
 */
async function read({ file_path, view_range }, { files }) {
  requireText('read', 'file_path', file_path)
  if (view_range?.length && view_range.length !== 2) throw refusal('read: view_range must be [start_line, end_line]')
  const { content } = await files.read(file_path, { limit: 1 })
  if (content.some(({ type }) => type === 'image')) return { content, details: undefined, isError: false }
  try {
    // A range of a large file needs the lines before it, too, to be counted.
    const text = await files.text(file_path, view_range?.length ? undefined : MOST_CHARACTERS)
    if (!view_range?.length) return said(text)
    const [first, last] = view_range
    const lines = text.split('\n')
    const count = lines.at(-1) === '' ? lines.length - 1 : lines.length
    if (first > count)
      throw refusal(`read: view_range [${first}, ${last}] begins behind the end of ${file_path}, which has ${count} ${count === 1 ? 'line' : 'lines'}`)
    if (last > 0 && last < first) throw refusal(`read: view_range [${first}, ${last}] ends before it begins`)
    return said(lines.slice(Math.max(0, first - 1), last > 0 ? last : lines.length).join('\n'))
  } catch (error) {
    if (codeOf(error) !== 'too_large') throw error
    throw refusal(
      `read: ${file_path} exceeds ${MOST_CHARACTERS}-byte limit. Use the view_range parameter to read specific line ranges, e.g. view_range: [1, 500].`,
    )
  }
}

/**
 * @param {any} input
 * @param {Scene} scene
 */
async function write({ file_path, content = '' }, { files }) {
  requireText('write', 'file_path', file_path)
  await files.write(file_path, content)
  return said(`wrote ${Buffer.byteLength(content)} bytes to ${file_path}`)
}

/**
 * @param {any} input
 * @param {Scene} scene
 */
async function edit({ file_path, old_string, new_string, replace_all = false }, { toolkit, call, files }) {
  requireText('edit', 'file_path', file_path)
  requireText('edit', 'old_string', old_string)
  const count = linesOf(await files.text(file_path), old_string).length
  if (count === 0) throw refusal(`edit: old_string not found in ${file_path}`)
  if (count > 1 && !replace_all) throw refusal(`edit: old_string appears ${count} times in ${file_path} (must be unique)`)
  await run(
    toolkit,
    nameOf(toolkit, 'edit'),
    { file_path, edits: [{ oldText: old_string, newText: new_string }], replaceAll: replace_all },
    { signal: call.signal },
  )
  return said(`edited ${file_path} (${count} replacement(s))`)
}

/**
 * @param {any} input
 * @param {Scene} scene
 */
async function glob({ pattern, path }, { toolkit, call }) {
  requireText('glob', 'pattern', pattern)
  if (pattern.startsWith('/')) throw refusal('glob: absolute pattern not permitted; pass a relative pattern (and optionally path)')
  if (pattern.split(/[\\/{},]/).includes('..')) throw refusal('glob: ".." is not permitted in the pattern')
  const params = { pattern: fromHere(pattern), ...(path && { path }), limit: MOST_ENTRIES }
  const { details } = await run(toolkit, nameOf(toolkit, 'find'), params, { signal: call.signal })
  return said(details.files.slice(0, MOST_FILES).join('\n') || 'no matches')
}

/**
 * @param {any} input
 * @param {Scene} scene
 */
async function grep({ pattern, path }, { toolkit, call }) {
  requireText('grep', 'pattern', pattern)
  const { details } = await run(toolkit, nameOf(toolkit, 'grep'), { pattern, ...(path && { path }), limit: MOST_MATCHES }, { signal: call.signal })
  const lines = details.matches.map((/** @type {any} */ { file, line, text }) => `${file}:${line}:${text}`)
  if (details.truncated) lines.push(`[output truncated at ${MOST_MATCHES} matches]`)
  return said(lines.join('\n') || 'no matches')
}

/** What this toolset calls the tools and parameters that errors of the toolkit name. */
const WORDS = new Map([
  ['find', 'glob'],
  ['ls', 'glob'],
  ['exec', 'bash'],
  ['oldText', 'old_string'],
  ['newText', 'new_string'],
  ['replaceAll', 'replace_all'],
])

/**
 * What a call comes to, with its errors in the words of this toolset.
 *
 * @template T
 * @param {Promise<T>} call
 * @returns {Promise<T>}
 */
async function inOwnWords(call) {
  try {
    return await call
  } catch (error) {
    if (ToolError.is(error) && error.tool !== 'native') {
      const named = error.message.replace(/`(\w+)`/g, (name, word) => (WORDS.has(word) ? `\`${WORDS.get(word)}\`` : name))
      // A parameter that is not there.
      error.message = named.replace(' set `literal: true` or', '')
    }
    throw error
  }
}

/**
 * @param {string} tool
 * @param {string} name
 * @param {unknown} value
 */
function requireText(tool, name, value) {
  if (typeof value !== 'string' || value === '') throw refusal(`${tool}: ${name} is required`)
}

module.exports = { TOOLSET, inOwnWords }
