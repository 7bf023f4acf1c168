// @ts-check
'use strict'

/** Characters that move the cursor, change colours or the reading direction, or are invisible. */
const UNSEEN = /(?!\n)[\p{C}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]/gu

/**
 * @typedef {{ label: string, description: string, preview?: string }} Option
 * @typedef {{ question: string, header: string, options: Option[], multiSelect: boolean }} Question
 */

/** The prompt that is shown now: a terminal has room for one. */
let last = Promise.resolve()

/**
 * Asks when nothing else is asked any more.
 *
 * @template T
 * @param {() => Promise<T>} ask
 * @returns {Promise<T>}
 */
function inTurn(ask) {
  const turn = last.then(ask)
  last = turn.then(
    () => {},
    () => {},
  )
  return turn
}

/**
 * Asks the user at the terminal, one call after the other.
 *
 * @param {{ questions: Question[] }} request
 * @param {{ signal: AbortSignal }} context
 * @returns {Promise<{ answers: Record<string, string> }>}
 */
function askInTerminal({ questions }, { signal }) {
  return inTurn(() => prompt(questions, signal))
}

/**
 * Reads lines until the user closes the prompt or nobody wants the answer any more.
 *
 * @param {any} input
 * @param {any} output
 * @param {AbortSignal} signal
 */
function lineReader(input, output, signal) {
  const reader = require('node:readline').createInterface({ input, output, prompt: '> ' })
  let wasInterrupted = false
  const closed = new Promise((_, reject) => {
    reader.once('SIGINT', () => {
      wasInterrupted = true
      reader.close()
    })
    const closing = () => Object.assign(new Error('the user closed the prompt without an answer'), wasInterrupted && { code: 'INTERRUPTED' })
    reader.once('close', () => reject(closing()))
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // It is rejected as well after the last answer, when nobody waits for it.
  closed.catch(() => {})
  /** Lines that were typed and not read yet. @type {string[]} */
  const typed = []
  let wake = () => {}
  reader.on('line', (line) => {
    typed.push(line)
    wake()
  })
  return {
    /** @returns {Promise<string>} */
    line: async () => {
      reader.prompt()
      if (typed.length === 0) await Promise.race([new Promise((resolve) => void (wake = () => resolve(undefined))), closed])
      return /** @type {string} */ (typed.shift())
    },
    /** Forgets lines that were typed before a question was shown: they do not answer it. */
    forget: () => void (typed.length = 0),
    close: () => reader.close(),
  }
}

/**
 * @param {Question[]} questions
 * @param {AbortSignal} signal
 */
async function prompt(questions, signal) {
  signal.throwIfAborted()
  const reader = lineReader(process.stdin, process.stdout, signal)
  try {
    /** @type {[string, string][]} */
    const answers = []
    for (const question of questions) {
      reader.forget()
      process.stdout.write(`\n${lines(question)}\n`)
      answers.push([question.question, await answerTo(question, reader.line)])
    }
    return { answers: Object.fromEntries(answers) }
  } finally {
    reader.close()
  }
}

/** @param {Question} question */
function lines({ header, question, options, multiSelect }) {
  const choices = options.flatMap(({ label, description, preview }, index) => [
    `  ${index + 1}) ${shown(label)}${description ? ` - ${shown(description)}` : ''}`,
    ...(preview ? [shown(preview).replace(/^/gm, '     ')] : []),
  ])
  const how = multiSelect ? 'Enter numbers separated by commas, or your own answer.' : 'Enter a number, or your own answer.'
  return [`[${shown(header)}] ${shown(question)}`, ...choices, how].join('\n')
}

/**
 * @param {Question} question
 * @param {() => Promise<string>} ask for the next line
 * @returns {Promise<string>}
 */
async function answerTo({ options, multiSelect }, ask) {
  for (;;) {
    const answer = (await ask()).trim()
    if (answer === '') continue
    const numbers = answer.split(',').map((part) => part.trim())
    const chosen = numbers.flatMap((number) => (/^\d+$/.test(number) ? (options[Number(number) - 1] ?? []) : []))
    if (chosen.length === numbers.length && (multiSelect || chosen.length === 1)) return chosen.map((option) => option.label).join(', ')
    // A number without an option is a typing error, not an answer.
    if (numbers.every((number) => /^\d{1,2}$/.test(number))) continue
    return answer
  }
}

/** @param {string} text */
function shown(text) {
  return text.replace(UNSEEN, ' ')
}

module.exports = { askInTerminal, inTurn, lineReader }
