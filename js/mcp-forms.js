// @ts-check
'use strict'

/** Longest parts of a question, in characters: clients show it in a dialog. */
const DIFF_CHARACTERS = 6000
const PARAMS_CHARACTERS = 2000
const DECISION_CHARACTERS = 60
/** Lists of a preview, as a user reads them. */
const LISTS = /** @type {const} */ ([
  ['reads', 'Reads'],
  ['writes', 'Writes'],
  ['deletes', 'Deletes'],
  ['urls', 'Requests'],
  ['hosts', 'Connects to'],
])
const LABELS = { once: 'Allow once', always: 'Always allow', never: 'Never allow' }

/**
 * Questions to a user, as the parameters of `elicitation/create`.
 *
 * @param {import('../index.d.ts').UserQuestions['questions']} questions
 */
function questionsForm(questions) {
  const fields = questions.map(({ question, options, multiSelect }, index) => [`q${index + 1}`, fieldOf(question, options, multiSelect)])
  const message = questions
    .map(({ question, options }) => [question, ...options.map(({ label, description }) => `- ${label}: ${description}`)].join('\n'))
    .join('\n\n')
  return { message, requestedSchema: { type: 'object', properties: Object.fromEntries(fields), required: fields.map(([name]) => name) } }
}

/**
 * @param {import('../index.d.ts').UserQuestions['questions']} questions
 * @param {any} result of the elicitation
 */
function questionAnswers(questions, { action, content }) {
  if (action !== 'accept') return null
  const answers = questions.map(({ question }, index) => [question, [content?.[`q${index + 1}`]].flat().map(String).join(', ')])
  return { answers: Object.fromEntries(answers) }
}

/**
 * One question as a field of a form.
 *
 * @param {string} title
 * @param {{ label: string }[]} options
 * @param {boolean} isMultiple
 */
function fieldOf(title, options, isMultiple) {
  const choice = { type: 'string', enum: options.map(({ label }) => label) }
  return isMultiple ? { type: 'array', title, items: choice } : { ...choice, title }
}

/**
 * The question whether a call may run, as the parameters of `elicitation/create`: with all that it would do.
 *
 * @param {import('../index.d.ts').ApprovalRequest} request
 */
function approvalForm({ tool, params, reason, preview, remembers }) {
  const parts = [`Allow \`${tool}\`? ${reason}`, ...effects(/** @type {Record<string, any>} */ (preview))]
  if (parts.length === 1) parts.push(cut(seen(JSON.stringify(params)), PARAMS_CHARACTERS))
  if (remembers.length > 0) parts.push(`"${LABELS.always}" holds for this session: ${remembers.join(', ')}`)
  const answers = /** @type {const} */ (['once', ...(remembers.length > 0 ? ['always'] : []), 'never'])
  const decision = { type: 'string', title: 'Decision', enum: answers, enumNames: answers.map((answer) => LABELS[/** @type {keyof typeof LABELS} */ (answer)]) }
  return { message: parts.join('\n\n'), requestedSchema: { type: 'object', properties: { decision }, required: ['decision'] } }
}

/**
 * What a call would do, in lines.
 *
 * @param {Record<string, any>} preview
 * @returns {string[]}
 */
function effects(preview) {
  const commands = (preview.commands ?? []).map((/** @type {{ text: string, folder?: string }} */ { text, folder: directory = '.' }) =>
    directory === '.' ? text : `${text}  (in ${directory})`,
  )
  const lists = LISTS.flatMap(([name, label]) => (preview[name]?.length > 0 ? [`${label}: ${preview[name].join(', ')}`] : []))
  return [
    ...(commands.length > 0 ? [`Runs: ${commands.join('\n')}`] : []),
    ...(lists.length > 0 ? [lists.join('\n')] : []),
    ...(typeof preview.problem === 'string' ? [`It would fail: ${preview.problem}`] : []),
    ...(typeof preview.diff === 'string' ? [cut(preview.diff, DIFF_CHARACTERS)] : []),
  ]
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

/**
 * @param {string} text
 * @param {number} most
 */
function cut(text, most) {
  if (text.length <= most) return text
  // Not in the middle of a letter.
  const kept = text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
  return `${kept}\n… (${text.length - kept.length} more characters are not shown)`
}

/**
 * A text of the model, in which nothing is invisible.
 *
 * @param {string} text
 */
function seen(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`)
}

module.exports = { approvalAnswer, approvalForm, questionAnswers, questionsForm }
