// @ts-check
'use strict'

const { clean } = require('./mcp-client-text.js')

/** Most questions that `askUser` takes at once, and most choices of one. */
const MAX_QUESTIONS = 4
const MAX_OPTIONS = 4

const DECLINE = { action: 'decline' }

/**
 * Asks the user what a server wants to know: by `host.elicit`, else by `host.askUser` where the form consists of choices and
 * texts. Nothing is ever opened here.
 *
 * @param {any} host the functions of the host
 * @param {string} server
 * @param {any} request
 * @param {AbortSignal} signal
 * @returns {Promise<any>} an answer of the protocol
 */
async function elicit(host, server, request, signal) {
  const message = clean(request.message)
  if (request.mode === 'url') {
    const url = new URL(request.url)
    if (!['https:', 'http:'].includes(url.protocol) || typeof host.openUrl !== 'function') return DECLINE
    const isOpened = await host.openUrl({ server, message, url: url.href, host: url.host }, { signal })
    return isOpened === false || isOpened === null || isOpened === undefined ? DECLINE : { action: 'accept' }
  }
  const schema = request.requestedSchema ?? {}
  if (typeof host.elicit === 'function') return answerOf(await host.elicit({ server, message, schema }, { signal }), schema)
  if (typeof host.askUser !== 'function') return DECLINE
  const questions = questionsOf(message, schema)
  if (questions === undefined) return DECLINE
  const asked = await host.askUser({ questions: questions.map(({ question }) => question), toolCallId: '' }, { signal })
  const answers = asked?.answers ?? asked
  if (typeof answers !== 'object' || answers === null) return { action: 'cancel' }
  /** @type {Record<string, unknown>} */
  const content = {}
  for (const { name, question, read } of questions) {
    const answer = answers[question.question]
    const value = answer === undefined ? undefined : read(Array.isArray(answer) ? answer.join(', ') : String(answer))
    if (value !== undefined) content[name] = value
    else if ((schema.required ?? []).includes(name)) return DECLINE
  }
  return { action: 'accept', content }
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
  // What the user left as it was has the value that the form began with.
  const fields = Object.entries(schema.properties ?? {})
  const initial = fields.filter(([, field]) => field?.default !== undefined).map(([name, field]) => [name, field.default])
  const content = { ...Object.fromEntries(initial), ...answer.content }
  const missing = (schema.required ?? []).some((/** @type {string} */ name) => content[name] === undefined)
  return missing ? DECLINE : { action: 'accept', content }
}

/**
 * A form as questions, where it can be put so.
 *
 * @param {string} message
 * @param {any} schema
 * @returns {{ name: string, question: any, read: (answer: string) => unknown }[] | undefined}
 */
function questionsOf(message, schema) {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0 || fields.length > MAX_QUESTIONS) return undefined
  const questions = fields.map(([name, field]) => questionOf(name, field, fields.length === 1 ? message : undefined, message))
  return questions.every((question) => question !== undefined) ? /** @type {any} */ (questions) : undefined
}

/**
 * @param {string} name
 * @param {any} field
 * @param {string | undefined} only the message, where this is the only question
 * @param {string} message
 */
function questionOf(name, field, only, message) {
  const label = clean(field.title ?? name, 200)
  const about = clean(field.description ?? '', 500)
  const words = only ?? `${message} ${label}${about ? `: ${about}` : ''}`
  const choices = field.enum ?? field.oneOf?.map((/** @type {any} */ one) => one.const)
  if (field.type === 'boolean') return put(name, words, label, ['Yes', 'No'], ['Yes', 'No'], (answer) => ({ yes: true, no: false })[answer.toLowerCase()])
  if (Array.isArray(choices)) {
    if (choices.length > MAX_OPTIONS || !choices.every((/** @type {unknown} */ choice) => typeof choice === 'string')) return undefined
    const titles = field.enumNames ?? field.oneOf?.map((/** @type {any} */ one) => one.title) ?? choices
    return put(name, words, label, choices, titles, (answer) => choices[titles.indexOf(answer)] ?? (choices.includes(answer) ? answer : undefined))
  }
  if (field.type === 'string') return put(name, words, label, [], [], (answer) => answer)
  return undefined
}

/**
 * @param {string} name
 * @param {string} question
 * @param {string} header
 * @param {readonly string[]} choices
 * @param {readonly string[]} titles
 * @param {(answer: string) => unknown} read
 */
function put(name, question, header, choices, titles, read) {
  const options = choices.map((choice, index) => ({ label: clean(String(titles[index] ?? choice), 200), description: '' }))
  return { name, question: { question, header: header.slice(0, 12), options, multiSelect: false }, read }
}

module.exports = { elicit, sample }
