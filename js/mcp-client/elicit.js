// @ts-check
'use strict'

const { answersIn, questionsOf } = require('./questions.js')
const { formProblem } = require('./schema.js')
const { clean } = require('./text.js')
const { ToolError } = require('../tool-error.js')

/** How often the user is asked again who gave what the form does not take. */
const MOST_ATTEMPTS = 3
/** The error of a server that wants the user to open addresses before it does what was requested. */
const ADDRESSES_REQUIRED = -32042
/** Most addresses of one such error that are shown to the user. */
const MOST_ADDRESSES = 3
const DECLINE = { action: 'decline' }

/**
 * Asks the user what a server wants to know: by `host.elicit`, else by `host.askUser` where the form consists of choices and
 * texts. Nothing is ever opened here.
 *
 * @param {any} host the functions of the host
 * @param {string} server
 * @param {any} request
 * @param {AbortSignal} signal
 * @param {readonly string[]} [toolCallIds] the calls within which the server works: what it asks belongs to one of them
 * @returns {Promise<any>} an answer of the protocol
 */
async function elicit(host, server, request, signal, toolCallIds = []) {
  const message = clean(request.message)
  if (request.mode === 'url') {
    const url = new URL(request.url)
    if (!isWeb(url) || typeof host.openUrl !== 'function') return DECLINE
    const isOpened = await host.openUrl({ server, message, url: url.href, host: url.host }, { signal })
    return isOpened === false || isOpened === null || isOpened === undefined ? DECLINE : { action: 'accept' }
  }
  const schema = request.requestedSchema ?? {}
  if (typeof host.elicit === 'function') return answerOf(await host.elicit({ server, message, schema, toolCallIds }, { signal }), schema)
  if (typeof host.askUser !== 'function') return DECLINE
  // Where several calls run, the protocol does not say which of them the question is of.
  const toolCallId = toolCallIds.length === 1 ? toolCallIds[0] : ''
  return askedInWords(host, { message, toolCallId }, schema, signal)
}

/**
 * The error of a request. Where the server wants the user to open addresses first, they are shown to the user, and the error says
 * what came of it; without a way to show them it has the addresses.
 *
 * @param {any} host the functions of the host
 * @param {string} server
 * @param {any} error
 * @param {AbortSignal} signal
 */
async function withAddresses(host, server, error, signal) {
  const { details = { code: 'handler_failed', rpcCode: error?.code, rpcData: error?.data } } = error ?? {}
  const { elicitations } = details.rpcCode === ADDRESSES_REQUIRED ? (details.rpcData ?? {}) : {}
  const wanted = [elicitations ?? []].flat().filter(isAddress).slice(0, MOST_ADDRESSES)
  if (wanted.length === 0) return error
  const answers = []
  for (const { message, url } of wanted) {
    if (!signal.aborted) answers.push(await elicit(host, server, { mode: 'url', message, url }, signal).catch(() => DECLINE))
  }
  const isOpened = answers.length === wanted.length && answers.every(({ action }) => action === 'accept')
  const list = wanted.map(({ message, url }) => `${new URL(url).href} (${clean(message, 500)})`).join(', ')
  const next =
    typeof host.openUrl !== 'function'
      ? `Ask the user to open it, and then call again: ${list}`
      : isOpened
        ? 'The user opened it. Call again when they have finished there.'
        : 'The user did not open it.'
  const message = `The MCP server \`${server}\` requires that the user opens an address first. ${next}`
  return new ToolError(message, { tool: error.tool ?? server, error_type: 'execution_failed', details, cause: error })
}

/** @param {any} elicitation */
function isAddress(elicitation) {
  return typeof elicitation?.url === 'string' && URL.canParse(elicitation.url) && isWeb(new URL(elicitation.url))
}

/** @param {URL} url */
function isWeb({ protocol }) {
  return protocol === 'https:' || protocol === 'http:'
}

/**
 * A form over `askUser`. Answers that it does not take are asked for again, with what is wrong.
 *
 * @param {any} host the functions of the host
 * @param {{ message: string, toolCallId: string }} asked
 * @param {any} schema
 * @param {AbortSignal} signal
 */
async function askedInWords(host, { message, toolCallId }, schema, signal) {
  let words = message
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const questions = questionsOf(words, schema)
    if (questions === undefined) return DECLINE
    const asked = await host.askUser({ questions: questions.map(({ question }) => question), toolCallId }, { signal })
    const content = answersIn(questions, asked)
    if (content === undefined) return { action: 'cancel' }
    const { problem, ...answer } = filled(content, schema)
    if (problem === undefined) return answer
    words = `${clean(problem, 500)} ${message}`
  }
  return DECLINE
}

/**
 * Has the model of the host complete a conversation of a server. The host sees it whole and decides; nothing is a refusal.
 *
 * @param {any} host the functions of the host
 * @param {string} server
 * @param {any} request
 * @param {AbortSignal} signal
 * @returns {Promise<any>} an answer of the protocol
 */
async function sample(host, server, request, signal) {
  const { _meta: _, ...asked } = request
  const answer = await host.sample({ server, ...asked }, { signal })
  if (answer === undefined || answer === null || answer === false) return null
  const { role = 'assistant', content, model = 'unknown', stopReason = 'endTurn' } = typeof answer === 'string' ? { content: answer } : answer
  const part = typeof content === 'string' ? { type: 'text', text: content } : content
  if (typeof part !== 'object' || part === null) throw new Error('`host.sample` must return a text, `{ content, model?, stopReason? }`, or nothing')
  return { role, content: part, model, stopReason }
}

/**
 * What the host returned, in the protocol's form; what it is not sure of is a refusal.
 *
 * @param {any} answer
 * @param {any} schema
 */
function answerOf(answer, schema) {
  if (answer?.action === 'cancel' || answer === null || answer === undefined) return { action: 'cancel' }
  if (answer?.action !== 'accept') return DECLINE
  const { problem, ...filledIn } = filled(answer.content, schema)
  return problem === undefined ? filledIn : DECLINE
}

/**
 * A form that was filled in, as an answer of the protocol, and what the schema of the server has against it.
 *
 * @param {any} given
 * @param {any} schema
 * @returns {{ action: string, content?: any, problem?: string }}
 */
function filled(given, schema) {
  // What the user left as it was has the value that the form began with.
  const fields = Object.entries(schema.properties ?? {})
  const initial = fields.filter(([, field]) => field?.default !== undefined).map(([name, field]) => [name, field.default])
  const content = { ...Object.fromEntries(initial), ...given }
  const isMissing = (schema.required ?? []).some((/** @type {string} */ name) => content[name] === undefined)
  return isMissing ? DECLINE : { action: 'accept', content, problem: formProblem(schema, content) }
}

module.exports = { elicit, sample, withAddresses }
