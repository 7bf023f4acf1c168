// @ts-check
'use strict'

const { cut, plainText, sectionsOf } = require('../approval-text.js')

/** Longest parts of a question, in characters: clients show it in a dialog. */
const DIFF_CHARACTERS = 6000
const DECISION_CHARACTERS = 60
const LABELS = { once: 'Allow once', always: 'Always allow', never: 'Never allow' }

/**
 * Questions to a user, as the parameters of `elicitation/create`.
 *
 * @param {import('../../index.d.ts').UserQuestions['questions']} questions
 */
function questionsForm(questions) {
  const fields = questions.map(({ question, options, multiSelect }, index) => [`q${index + 1}`, fieldOf(question, options, multiSelect)])
  const choice = (/** @type {{ label: string, description: string, preview?: string }} */ { label, description, preview }) =>
    [`- ${label}: ${description}`, ...(preview ? [preview.replace(/^/gm, '  ')] : [])].join('\n')
  const message = questions.map(({ question, options }) => [question, ...options.map(choice)].join('\n')).join('\n\n')
  // A text may be left empty, which clients send as a field that is missing; a choice may not.
  const required = fields.filter((_, index) => questions[index].options.length > 0).map(([name]) => name)
  return { message, requestedSchema: { type: 'object', properties: Object.fromEntries(fields), required } }
}

/**
 * The answers by the texts of their questions; a question that has none is missing.
 *
 * @param {import('../../index.d.ts').UserQuestions['questions']} questions
 * @param {any} result of the elicitation
 */
function questionAnswers(questions, { action, content }) {
  if (action !== 'accept') return null
  const given = questions.map(({ question }, index) => ({ question, answer: content?.[`q${index + 1}`] ?? undefined }))
  const answers = given.filter(({ answer }) => answer !== undefined).map(({ question, answer }) => [question, [answer].flat().map(String).join(', ')])
  return { answers: Object.fromEntries(answers) }
}

/**
 * One question as a field of a form: a text where it has no choices, of which a schema must have one at least.
 *
 * @param {string} title
 * @param {{ label: string }[]} options
 * @param {boolean} isMultiple
 */
function fieldOf(title, options, isMultiple) {
  if (options.length === 0) return { type: 'string', title }
  const choice = { type: 'string', enum: options.map(({ label }) => label) }
  return isMultiple ? { type: 'array', title, items: choice } : { ...choice, title }
}

/**
 * The question whether a call may run, as the parameters of `elicitation/create`: with all that it would do.
 *
 * @param {import('../../index.d.ts').ApprovalRequest} request
 */
function approvalForm(request) {
  const { tool, reason, remembers } = request
  const parts = [`Allow \`${tool}\`? ${reason}`, plainText(sectionsOf(request), DIFF_CHARACTERS)].filter((part) => part !== '')
  if (remembers.length > 0) parts.push(`"${LABELS.always}" holds for this session: ${remembers.join(', ')}`)
  const answers = /** @type {const} */ (['once', ...(remembers.length > 0 ? ['always'] : []), 'never'])
  const decision = { type: 'string', title: 'Decision', enum: answers, enumNames: answers.map((answer) => LABELS[/** @type {keyof typeof LABELS} */ (answer)]) }
  return { message: parts.join('\n\n'), requestedSchema: { type: 'object', properties: { decision }, required: ['decision'] } }
}

/**
 * What the user said of a call, or why there is no answer: they declined, they dismissed the form, or their client gave back
 * what was not offered.
 *
 * @param {any} result of the elicitation
 * @returns {{ answer?: 'once' | 'always' | 'never', why?: string }}
 */
function approvalAnswer({ action, content }) {
  if (action === 'decline') return { why: 'the user declined it' }
  if (action === 'cancel') return { why: 'the user dismissed the question and decided nothing' }
  const decision = content?.decision
  if (Object.hasOwn(LABELS, decision)) return { answer: decision }
  const offered = Object.keys(LABELS)
    .map((name) => `\`${name}\``)
    .join(', ')
  const given = decision === undefined ? 'no `decision`' : `the \`decision\` ${cut(JSON.stringify(decision) ?? 'null', DECISION_CHARACTERS)}`
  return { why: `the MCP client returned ${given}, which is not one of ${offered}` }
}

module.exports = { approvalAnswer, approvalForm, questionAnswers, questionsForm }
