// @ts-check
'use strict'

/** What would move the cursor, change colours or turn the reading direction. */
const UNSEEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * @typedef {{ label: string, description: string }} Option
 * @typedef {{ question: string, header: string, options: Option[], multiSelect: boolean }} Question
 */

/** The question that is asked now: a terminal has room for one. */
let last = Promise.resolve()

/** Whether somebody sits at a terminal. */
function canPrompt() {
  return process.stdin?.isTTY === true && process.stdout?.isTTY === true
}

/**
 * Asks the person at the terminal, after whoever asks already.
 *
 * @param {{ questions: Question[] }} request
 * @param {{ signal: AbortSignal }} context
 * @returns {Promise<{ answers: Record<string, string> }>}
 */
function askInTerminal({ questions }, { signal }) {
  const turn = last.then(() => prompt(questions, signal))
  last = turn.then(
    () => {},
    () => {},
  )
  return turn
}

/**
 * @param {Question[]} questions
 * @param {AbortSignal} signal
 */
async function prompt(questions, signal) {
  signal.throwIfAborted()
  const reader = require('node:readline/promises').createInterface({ input: process.stdin, output: process.stdout })
  const closed = new Promise((_, reject) => {
    reader.once('SIGINT', () => reader.close())
    reader.once('close', () => reject(new Error('the person closed the prompt without an answer')))
  })
  // It is also rejected when all is answered and nobody looks any more.
  closed.catch(() => {})
  try {
    /** @type {[string, string][]} */
    const answers = []
    for (const question of questions) {
      process.stdout.write(`\n${lines(question)}\n`)
      answers.push([question.question, await answerTo(question, (text) => Promise.race([reader.question(text, { signal }), closed]))])
    }
    return { answers: Object.fromEntries(answers) }
  } finally {
    reader.close()
  }
}

/** @param {Question} question */
function lines({ header, question, options, multiSelect }) {
  const choices = options.map(({ label, description }, index) => `  ${index + 1}) ${shown(label)}${description ? ` - ${shown(description)}` : ''}`)
  const how = multiSelect ? 'Numbers with commas between them, or your own words.' : 'A number, or your own words.'
  return [`[${shown(header)}] ${shown(question)}`, ...choices, how].join('\n')
}

/**
 * @param {Question} question
 * @param {(prompt: string) => Promise<any>} ask
 * @returns {Promise<string>}
 */
async function answerTo({ options, multiSelect }, ask) {
  for (;;) {
    const answer = (await ask('> ')).trim()
    if (answer === '') continue
    const numbers = answer.split(',').map((/** @type {string} */ part) => part.trim())
    const chosen = numbers.map((/** @type {string} */ number) => (/^\d+$/.test(number) ? options[Number(number) - 1] : undefined))
    if (chosen.every(Boolean) && (multiSelect || chosen.length === 1)) return chosen.map((/** @type {Option} */ option) => option.label).join(', ')
    // A number that stands for nothing is a slip, not an answer.
    if (numbers.every((/** @type {string} */ number) => /^\d{1,2}$/.test(number))) continue
    return answer
  }
}

/** @param {string} text */
function shown(text) {
  return text.replace(UNSEEN, ' ')
}

module.exports = { askInTerminal, canPrompt }
