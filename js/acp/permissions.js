// @ts-check
'use strict'

const { quoted } = require('../adapters/operations.js')
const { nativeName } = require('../native-names.js')

/**
 * @typedef {import('../../index.d.ts').PolicyExplanation} PolicyExplanation
 * @typedef {{ name: string, params: any }} Judged a call of ours that stands for what the agent wants to do
 * @typedef {{ verdict: 'allow' | 'ask' | 'deny', reason: string, matched_rule?: string | null }} Verdict
 */

/** The keys under which agents name things in the parameters of their calls. */
const COMMANDS = ['command', 'cmd', 'script']
const DIRECTORIES = ['cwd', 'workdir', 'working_directory']
const FILES = ['file_path', 'path', 'abs_path', 'filePath', 'notebook_path', 'paths', 'files', 'source', 'destination']
const URLS = ['url', 'urls']

/**
 * What a kind of call is judged as. Kinds that are not here are for the user: a switch of the mode, a plan, a question.
 *
 * @type {Record<string, (facts: Facts) => Judged[]>}
 */
const KINDS = {
  read: ({ files }) => files.map((path) => ({ name: nativeName('grep'), params: { pattern: '.', path } })),
  search: ({ files }) => files.map((path) => ({ name: nativeName('grep'), params: { pattern: '.', path } })),
  edit: ({ files }) => files.map(written),
  delete: ({ files }) => files.map(written),
  move: ({ files }) => files.map(written),
  execute: ({ commands }) => commands.map((params) => ({ name: nativeName('exec'), params })),
  fetch: ({ urls }) => urls.map((url) => ({ name: nativeName('web_fetch'), params: { url } })),
}

/** @param {string} path */
function written(path) {
  return { name: nativeName('write'), params: { file_path: path, content: '' } }
}

/** @typedef {{ commands: { command: string, workdir?: string }[], files: string[], urls: string[] }} Facts */

/**
 * What policy says to what an agent asks for. What cannot be understood is for the user.
 *
 * @param {any} toolkit
 * @param {any} request `session/request_permission` of either version
 * @param {string} [server] the name of our own server, whose tools are judged by their names
 * @returns {Verdict}
 */
function judge(toolkit, request, server) {
  const call = request.toolCall ?? (request.subject?.type === 'tool_call' ? request.subject.toolCall : undefined)
  const command = request.subject?.type === 'command' ? request.subject : undefined
  const options = Array.isArray(request.options) ? request.options : []
  if (options.filter((/** @type {any} */ option) => option?.kind === 'allow_once').length > 1) return unclear('The agent offers several choices.')
  const own = server === undefined ? undefined : ownCall(call, server)
  if (own) return worst(toolkit, [own])
  const judged = command ? KINDS.execute(factsOf({ rawInput: command })) : KINDS_OF(call)
  if (judged === undefined) return unclear(`The agent asks for something of the kind \`${String(call?.kind ?? 'none').slice(0, 40)}\`, which no rule knows.`)
  return judged.length === 0 ? titled(toolkit, call) : worst(toolkit, judged)
}

/**
 * What policy says where the agent does not say what the call touches. Some name a command in the title only, on one line and cut where it is
 * long: that may deny, and never allow.
 *
 * @param {any} toolkit
 * @param {any} call
 * @returns {Verdict}
 */
function titled(toolkit, call) {
  const command = call?.kind === 'execute' ? lineOf(call.title) : undefined
  const said = command === undefined ? undefined : worst(toolkit, [{ name: nativeName('exec'), params: { command } }])
  return said?.verdict === 'deny' ? said : unclear('The agent does not say what the call touches.')
}

/** @param {any} call */
function KINDS_OF(call) {
  const kind = call?.kind
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind) ? KINDS[kind](factsOf(call)) : undefined
}

/**
 * A call of a tool that the agent has from us.
 *
 * @param {any} call
 * @param {string} server
 * @returns {Judged | undefined}
 */
function ownCall(call, server) {
  const name = [call?.name, call?._meta?.claudeCode?.toolName].find((known) => typeof known === 'string' && known.startsWith(`mcp__${server}__`))
  return name === undefined ? undefined : { name: name.slice(`mcp__${server}__`.length), params: call.rawInput ?? {} }
}

/**
 * The strictest verdict on several calls.
 *
 * @param {any} toolkit
 * @param {readonly Judged[]} calls
 * @returns {Verdict}
 */
function worst(toolkit, calls) {
  /** @type {Verdict} */
  let found = { verdict: 'allow', reason: '' }
  for (const { name, params } of calls) {
    /** @type {PolicyExplanation} */
    const decision = toolkit.decide(name, params)
    const { verdict, reason, matched_rule, issues = [] } = decision
    // What is not understood, or no tool of this toolkit, is not for a rule to decide.
    if (issues.length > 0) found = stricter(found, unclear(reason))
    else found = stricter(found, { verdict, reason, matched_rule })
  }
  return found
}

const ORDER = ['allow', 'ask', 'deny']

/**
 * @param {Verdict} one
 * @param {Verdict} other
 */
function stricter(one, other) {
  return ORDER.indexOf(other.verdict) > ORDER.indexOf(one.verdict) || one.reason === '' ? other : one
}

/** @param {string} reason @returns {Verdict} */
function unclear(reason) {
  return { verdict: 'ask', reason }
}

/**
 * What a call touches, as far as the agent says it.
 *
 * @param {any} call
 * @returns {Facts}
 */
function factsOf({ rawInput, locations, content }) {
  const input = typeof rawInput === 'object' && rawInput !== null ? rawInput : {}
  const workdir = DIRECTORIES.map((name) => input[name]).find((value) => typeof value === 'string')
  const commands = COMMANDS.flatMap((name) => {
    const command = lineOf(input[name])
    return command === undefined ? [] : [{ command, ...(workdir !== undefined && { workdir }) }]
  })
  const shown = listOf(content).flatMap((part) => {
    if (part?.type !== 'diff') return []
    return [part.path, ...listOf(part.changes).flatMap((change) => [change?.path, change?.oldPath])]
  })
  const changes = typeof input.changes === 'object' && input.changes !== null && !Array.isArray(input.changes) ? Object.keys(input.changes) : []
  const files = [...FILES.flatMap((name) => input[name]), ...changes, ...listOf(locations).map((place) => place?.path), ...shown]
  return { commands, files: texts(files), urls: texts(URLS.flatMap((name) => input[name])) }
}

/**
 * A command as agents write it: a line, or words, of which the last may be a line for a shell.
 *
 * @param {unknown} command
 * @returns {string | undefined}
 */
function lineOf(command) {
  if (typeof command === 'string') return command.trim() === '' ? undefined : command
  if (!Array.isArray(command) || command.length === 0 || command.some((word) => typeof word !== 'string')) return undefined
  return command.map(quoted).join(' ')
}

/** @param {unknown} value @returns {any[]} */
function listOf(value) {
  return Array.isArray(value) ? value : []
}

/** @param {readonly unknown[]} values @returns {string[]} */
function texts(values) {
  return [...new Set(values.filter((value) => typeof value === 'string' && value !== ''))].map(String)
}

module.exports = { judge }
