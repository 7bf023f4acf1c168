// @ts-check
'use strict'

const { statSync } = require('node:fs')
const path = require('node:path')

const { quoted } = require('../adapters/operations.js')
const { nativeName } = require('../native-names.js')
const { connectionOf } = require('../toolkit.js')
const { factsOf, lineOf } = require('./request-facts.js')

/**
 * @typedef {import('../../index.d.ts').PolicyExplanation} PolicyExplanation
 * @typedef {import('./request-facts.js').Facts} Facts
 * @typedef {{ name: string, params: any, within?: Within }} Judged a call of ours that stands for what the agent wants to do
 * @typedef {{ place: string, parts: string[] }} Within what a call is judged for alone: those kinds of parts, which are below a place
 * @typedef {{ verdict: 'allow' | 'ask' | 'deny', reason: string, matched_rule?: string | null }} Verdict
 */

/**
 * What a kind of call is judged as. Kinds that are not here are for the user: a switch of the mode, a plan, a question.
 *
 * @type {Record<string, (facts: Facts) => Judged[]>}
 */
const KINDS = {
  read: reads,
  search: reads,
  edit: writes,
  delete: (facts) => [...writes(facts), ...facts.files.map(deletedBelow)],
  move: (facts) => [...writes(facts), ...facts.files.flatMap((place) => [readBelow(place), deletedBelow(place)])],
  // Commands and addresses are judged whatever the kind.
  execute: () => [],
  fetch: () => [],
}

/** What agents call the answer that allows this one call, where they offer more that count once: others also switch the mode, or say how. */
const PLAIN_NAMES = ['allow', 'allow once', 'yes', 'approve', 'approve once', 'accept', 'accept once', 'proceed', 'run', 'run once']

/** What a kind of call that names no files makes of those in its parameters: nobody knows. */
const WITHOUT_FILES = ['execute', 'fetch']

/** @param {Facts} facts */
function reads({ files, directory }) {
  // A search may name nothing but the directory that it looks through.
  const places = files.length === 0 && directory !== undefined ? [directory] : files
  return places.flatMap((path) => [{ name: nativeName('grep'), params: { pattern: '.', path } }, readBelow(path)])
}

/**
 * Our own search leaves out what is denied below a directory. That of an agent does not, as a command does not.
 *
 * @param {string} place
 * @returns {Judged}
 */
function readBelow(place) {
  return { name: nativeName('exec'), params: { command: `grep -r -- . ${quoted(place)}` }, within: { place, parts: ['read'] } }
}

/** @param {string} place @returns {Judged} */
function deletedBelow(place) {
  return { name: nativeName('exec'), params: { command: `rm -r -- ${quoted(place)}` }, within: { place, parts: ['write', 'delete'] } }
}

/** @param {Facts} facts */
function writes({ files }) {
  return files.map((path) => ({ name: nativeName('write'), params: { file_path: path, content: '' } }))
}

/**
 * What policy says to what an agent asks for. What cannot be understood is for the user.
 *
 * @param {any} toolkit
 * @param {any} request `session/request_permission` of either version
 * @param {string} [server] the name of our own server, whose tools are judged by their names
 * @returns {Verdict}
 */
function judge(toolkit, request, server) {
  const options = Array.isArray(request.options) ? request.options : []
  const isChoice = options.some(isOnce) && allowingOnce(options) === undefined
  // Each version of the protocol reads one of them only.
  const isDouble = request.toolCall != null && request.subject != null
  const said = isDouble
    ? [judgedCall(toolkit, { subject: request.subject }, server), judgedCall(toolkit, { toolCall: request.toolCall }, server)].reduce(stricter)
    : judgedCall(toolkit, request, server)
  // What is denied is, whatever there is to choose.
  if (said.verdict === 'deny') return said
  if (isDouble) return unclear('The agent names two things that it asks for.')
  return isChoice ? unclear('The agent offers several choices.') : said
}

/**
 * The answer that allows one call and does nothing else, if there is one.
 *
 * @param {readonly any[]} options
 * @returns {string | undefined}
 */
function allowingOnce(options) {
  const once = options.filter(isOnce)
  const plain = once.length === 1 ? once : once.filter(({ name }) => typeof name === 'string' && PLAIN_NAMES.includes(name.trim().toLowerCase()))
  // The agent learns the id only.
  const isClear = plain.length === 1 && once.filter(({ optionId }) => optionId === plain[0].optionId).length === 1
  return isClear ? plain[0].optionId : undefined
}

/** @param {any} option */
function isOnce(option) {
  return option?.kind === 'allow_once'
}

/**
 * What policy says to the one thing that an agent asks for.
 *
 * @param {any} toolkit
 * @param {any} request
 * @param {string | undefined} server
 * @returns {Verdict}
 */
function judgedCall(toolkit, request, server) {
  const call = request.toolCall ?? (request.subject?.type === 'tool_call' ? request.subject.toolCall : undefined)
  const command = request.subject?.type === 'command' ? request.subject : undefined
  const own = server === undefined ? undefined : ownCall(call, server)
  if (own) return worst(toolkit, [own])
  const kind = command ? 'execute' : call?.kind
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) {
    return unclear(`The agent asks for something of the kind \`${String(kind ?? 'none').slice(0, 40)}\`, which no rule knows.`)
  }
  const facts = factsOf(command ? { rawInput: command } : call)
  const judged = [
    // A command is one whatever the kind: agents give those that only read the kind `read` or `search`.
    ...facts.commands.map((params) => ({ name: nativeName('exec'), params })),
    ...facts.urls.map((url) => ({ name: nativeName('web_fetch'), params: { url } })),
    ...KINDS[kind](facts),
  ]
  if (judged.length === 0) return titled(toolkit, call)
  const said = worst(toolkit, judged)
  const [unknown] = [...facts.unknown, ...(WITHOUT_FILES.includes(kind) ? facts.naming : [])]
  if (said.verdict !== 'allow' || unknown === undefined) return said
  return unclear(`The agent gives \`${unknown.slice(0, 40)}\` along, and no rule knows what that means.`)
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
  for (const { name, params, within } of calls) {
    /** @type {PolicyExplanation} */
    const decision = toolkit.decide(name, params)
    const { verdict, reason, matched_rule, issues = [] } = decision
    if (within) for (const part of partsBelow(toolkit, decision, within)) found = stricter(found, part)
    // What is not understood, or no tool of this toolkit, is not for a rule to decide.
    else if (issues.length > 0) found = stricter(found, unclear(reason))
    else found = stricter(found, { verdict, reason, matched_rule })
  }
  return found
}

/**
 * What policy says of what lies below a place, from a command that would use it. Where no command may run, only the user can say it.
 *
 * @param {any} toolkit
 * @param {PolicyExplanation} decision
 * @param {Within} within
 * @returns {Verdict[]}
 */
function partsBelow(toolkit, { verdict, parts = [] }, { place, parts: kinds }) {
  const isWhole = parts.some(({ kind }) => kind === 'command')
  if (verdict !== 'deny' || isWhole) return parts.filter(({ kind }) => kinds.includes(kind)).map((part) => ({ ...part }))
  const root = connectionOf(toolkit)?.root
  if (root !== undefined && !isDirectory(path.resolve(root, place))) return []
  return [unclear(`What lies below \`${place.slice(0, 100)}\` cannot be judged, since no command is allowed.`)]
}

/** @param {string} file */
function isDirectory(file) {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true
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

module.exports = { allowingOnce, judge, stricter, unclear }
