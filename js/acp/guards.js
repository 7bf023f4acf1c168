// @ts-check
'use strict'

// What an agent asks of its client without asking for permission: files, terminals, and what editors offer beyond the protocol.

const path = require('node:path')

const { seen } = require('../cli/style.js')
const { nativeName } = require('../native-names.js')
const { commandLine, environmentOf, isProgram, shellLines } = require('./command-lines.js')
const { contentOf } = require('./diffs.js')
const { code } = require('./kinds.js')
const { otherSpelling } = require('./messages.js')
const { INVALID_PARAMS, WireError, absolutePath } = require('./peer.js')
const { stricter, unclear } = require('./permissions.js')
const { bounded, fenced, textPart } = require('./report.js')
const { factsOf } = require('./request-facts.js')
const { WIRES } = require('./wire.js')

/**
 * @typedef {import('./permissions.js').Verdict} Verdict
 * @typedef {{ name: string, params: any, onlyDenies?: boolean }} Reading a call of ours that stands for one way to read a request
 * @typedef {{ kind: string, title: string, readings: Reading[], show: () => any[] }} Guarded `show` is what a user has to see of it beside the title
 * @typedef {{ toolkit: any, directory: string }} Place a session, as far as it is judged
 */

/** The requests that are judged: their parameters, and how they may be read. @type {Record<string, { names: string[], read: (params: any, directory: string) => Guarded }>} */
const GUARDED = {
  'fs/read_text_file': {
    names: ['sessionId', 'path', 'line', 'limit'],
    read: ({ path: file }) => {
      const readings = spellingsOf('path', file).map((name) => ({ name: nativeName('read'), params: { file_path: name } }))
      return { kind: 'read', title: `Read ${code(file)}`, readings, show: () => [] }
    },
  },
  'fs/write_text_file': {
    names: ['sessionId', 'path', 'content'],
    read: ({ path: file, content }) => {
      const readings = spellingsOf('path', file).map((name) => ({ name: nativeName('write'), params: { file_path: name, content } }))
      return { kind: 'edit', title: `Write ${code(file)}`, readings, show: () => writtenTo(file, content) }
    },
  },
  'terminal/create': { names: ['sessionId', 'command', 'args', 'env', 'cwd', 'outputByteLimit'], read: commandOf },
}
/** The requests about a terminal that there is. */
const OF_TERMINALS = ['terminal/output', 'terminal/wait_for_exit', 'terminal/kill', 'terminal/release']
/** Where requests are of files and terminals, also those that a later protocol may have, and those that contain another request. */
const NAMESPACES = /^\s*(?:fs|terminal|proxy)\//i
/** What agents send that touches nothing of the editor, or is judged by itself. */
const HARMLESS = [
  ...['session/update', 'session/request_permission', '$/cancel_request', 'elicitation/create', 'elicitation/complete'],
  ...['mcp/connect', 'mcp/message', 'mcp/disconnect', 'auth/status_update'],
]

/**
 * A terminal as a call: the editor may give the command to a shell, with its arguments quoted or not, or start a program of that name.
 *
 * @param {any} params
 * @param {string} directory
 * @returns {Guarded}
 */
function commandOf({ command, args, env, cwd }, directory) {
  const words = args ?? []
  const program = commandLine(command, words)
  const variables = environmentOf(env ?? [])
  const lines = shellLines(command, words)
  const places = cwd == null ? [undefined] : spellingsOf('cwd', cwd)
  // Few programs have names that look like lines; where there is one, its name is what may be run.
  const isName = isProgram(command, cwd ?? directory)
  const known = [...lines.map((line) => ({ line, onlyDenies: false })), ...(lines.includes(program) ? [] : [{ line: program, onlyDenies: !isName }])]
  const readings = known.flatMap(({ line, onlyDenies }) =>
    places.map((workdir) => ({
      name: nativeName('exec'),
      params: { command: line, env: variables, ...(workdir !== undefined && { workdir }) },
      onlyDenies,
    })),
  )
  const show = () => {
    const more = [...(cwd == null ? [] : [`in ${cwd}`]), ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)]
    return [textPart(fenced(seen([lines[0], ...more].join('\n'))))]
  }
  return { kind: 'execute', title: code(lines[0]), readings, show }
}

/**
 * What a file would have: the difference, or all of it where it is not a text now.
 *
 * @param {string} file
 * @param {string} text
 */
function writtenTo(file, text) {
  const diffs = WIRES[1].diffs([{ path: file, before: contentOf(file), after: { text } }], '')
  return diffs.length > 0 ? diffs : [textPart(fenced(bounded(seen(text))))]
}

/**
 * A path as the system follows it, and as programs shorten it that know nothing of links.
 *
 * @param {string} name
 * @param {unknown} file
 */
function spellingsOf(name, file) {
  const given = absolutePath(name, file)
  return [...new Set([given, path.normalize(given)])]
}

/**
 * What policy says to a request about files and terminals: the strictest of what it may mean.
 *
 * @param {Place} place
 * @param {string} method
 * @param {any} params
 * @returns {Verdict & Pick<Guarded, 'kind' | 'title' | 'show'>}
 */
function judgeGuarded({ toolkit, directory }, method, params) {
  const { names, read } = GUARDED[method]
  const other = otherSpelling(params, names)
  if (other !== undefined) throw new WireError(INVALID_PARAMS, `The parameter ${code(other)} is not one of ${code(method)}. Write it as the protocol does.`)
  const { readings, ...shown } = read(params, directory)
  return { ...shown, ...strictest(toolkit, readings) }
}

/**
 * @param {any} toolkit
 * @param {readonly Reading[]} readings
 * @returns {Verdict}
 */
function strictest(toolkit, readings) {
  /** @type {Verdict} */
  let found = { verdict: 'allow', reason: '' }
  for (const { name, params, onlyDenies } of readings) {
    const { verdict, reason, matched_rule, issues = [] } = toolkit.decide(name, params)
    // A variable that no command of ours gets is for the user: the editor may give it to its own.
    const isOfVariable = issues.some((/** @type {{ param: string }} */ { param }) => param === 'env')
    const said = isOfVariable ? unclear(reason) : { verdict, reason, matched_rule }
    if (!onlyDenies || said.verdict === 'deny') found = stricter(found, said)
  }
  return found
}

/**
 * Why something that only this agent and this editor know must not be done: it names what may not be read, is denied by a rule of what is
 * written, or runs what may not be run. Nothing where policy has nothing against it.
 *
 * @param {readonly Place[]} places the session that it is of, or all
 * @param {any} params
 * @returns {Verdict | undefined}
 */
function denialOf(places, params) {
  if (typeof params !== 'object' || params === null) return undefined
  const { files, commands } = factsOf({ rawInput: params, locations: params.locations, content: params.content })
  const isFree = files.length === 0 && commands.length === 0
  if (isFree) return undefined
  if (places.length === 0) return { verdict: 'deny', reason: 'The session is not known.' }
  const calls = [
    ...files.flatMap((file) => [...new Set([file, path.normalize(file)])].map((name) => ({ name: nativeName('read'), params: { file_path: name } }))),
    ...commands.map((command) => ({ name: nativeName('exec'), params: command })),
  ]
  const writes = files.map((file) => ({ name: nativeName('write'), params: { file_path: file, content: '' } }))
  for (const { toolkit } of places) {
    const said = calls.map(({ name, params: call }) => toolkit.decide(name, call))
    // A mode that denies all changes says nothing of what does not change a file.
    const changed = writes.map(({ name, params: call }) => toolkit.decide(name, call)).filter(({ list }) => list === 'deny')
    const denied = [...said, ...changed].find(({ verdict }) => verdict === 'deny')
    if (denied) return { verdict: 'deny', reason: denied.reason, matched_rule: denied.matched_rule }
  }
  return undefined
}

module.exports = { GUARDED, HARMLESS, NAMESPACES, OF_TERMINALS, denialOf, judgeGuarded }
