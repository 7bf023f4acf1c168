// @ts-check
'use strict'

const { clean } = require('./text.js')

/** Most questions that `askUser` takes at once, and most choices of one. */
const MAX_QUESTIONS = 4
const MAX_OPTIONS = 4

/**
 * @typedef {object} Question a field of a form as a question
 * @property {string} name of the field
 * @property {import('../../index.d.ts').UserQuestion} question
 * @property {(answer: string) => unknown} read the value of an answer; nothing where it is none
 */

/**
 * A form as questions, where it can be put so: choices and texts, of which no two look the same, since answers come by what was shown.
 *
 * @param {string} message
 * @param {any} schema
 * @returns {Question[] | undefined}
 */
function questionsOf(message, schema) {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0 || fields.length > MAX_QUESTIONS) return undefined
  const isOnly = fields.length === 1 && message !== ''
  const words = distinct(fields.map(([name, field]) => ({ shown: isOnly ? message : `${message} ${labelOf(name, field)}`.trim(), name })))
  const isRequired = (/** @type {string} */ name) => [schema.required].flat().includes(name)
  const questions = words && fields.map(([name, field], index) => questionOf(name, field, String(words[index]), isRequired(name)))
  return questions?.every((question) => question !== undefined) ? /** @type {any} */ (questions) : undefined
}

/**
 * @param {string} name
 * @param {any} field
 */
function labelOf(name, field) {
  const about = clean(field?.description ?? '', 500)
  return `${titleOf(name, field)}${about ? `: ${about}` : ''}`
}

/**
 * @param {string} name
 * @param {any} field
 */
function titleOf(name, field) {
  return clean(field?.title, 200) || clean(name, 200)
}

/**
 * @param {string} name
 * @param {any} field
 * @param {string} question
 * @param {boolean} isRequired
 * @returns {Question | undefined}
 */
function questionOf(name, field, question, isRequired) {
  const header = titleOf(name, field).slice(0, 12)
  const put = (/** @type {readonly string[]} */ labels, /** @type {Question['read']} */ read) => ({
    name,
    question: { question, header, options: labels.map((label) => ({ label, description: '' })), multiSelect: false },
    read,
  })
  if (field?.type === 'boolean') return put(['Yes', 'No'], (answer) => /** @type {any} */ ({ yes: true, no: false })[answer.toLowerCase()])
  const choices = field?.enum ?? field?.oneOf?.map((/** @type {any} */ one) => one?.const)
  // What may be left out and was left empty is left out.
  if (!Array.isArray(choices)) return field?.type === 'string' ? put([], (answer) => (answer === '' && !isRequired ? undefined : answer)) : undefined
  if (choices.length > MAX_OPTIONS || !choices.every((choice) => typeof choice === 'string')) return undefined
  const titles = field.enumNames ?? field.oneOf?.map((/** @type {any} */ one) => one?.title) ?? []
  const labels = distinct(choices.map((choice, index) => ({ shown: clean(titles[index], 200) || clean(choice, 200), name: choice })))
  // What was shown counts first: a title may be the value of another choice.
  return labels && put(labels, (answer) => choices[labels.indexOf(answer)] ?? choices.find((choice) => choice === answer))
}

/**
 * Texts as the user sees them, those that look the same with the name of what they are for; nothing where they still do.
 *
 * @param {readonly { shown: string, name: string }[]} texts
 * @returns {string[] | undefined}
 */
function distinct(texts) {
  const named = texts.map(({ shown, name }, index) => {
    const isRepeated = texts.some((other, at) => at !== index && other.shown === shown)
    return isRepeated ? `${shown} (${clean(name, 200)})` : shown
  })
  return new Set(named).size === named.length && !named.includes('') ? named : undefined
}

/**
 * The answers of the user by the names of their fields.
 *
 * @param {readonly Question[]} questions
 * @param {any} asked what `askUser` returned
 * @returns {Record<string, unknown> | undefined} nothing where the user did not answer
 */
function answersIn(questions, asked) {
  const given = asked?.answers ?? asked
  const isBare = questions.length === 1 && (typeof given === 'string' || Array.isArray(given))
  if (!isBare && (typeof given !== 'object' || given === null)) return undefined
  const answers = questions.map(({ name, question: { question }, read }) => {
    const answer = isBare ? given : Object.hasOwn(given, question) ? given[question] : undefined
    const value = answer === undefined || answer === null ? undefined : read(Array.isArray(answer) ? answer.join(', ') : String(answer))
    return [name, value]
  })
  return Object.fromEntries(answers.filter(([, value]) => value !== undefined))
}

module.exports = { answersIn, questionsOf }
