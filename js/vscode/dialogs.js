// @ts-check
'use strict'

const { cut, plainText, sectionsOf } = require('../approval-text.js')

/** What the user types, in place of one of the options. */
const OTHER = 'Other…'
const [ONCE, ALWAYS] = ['Allow once', 'Always allow']
/** Longest text of a dialog. */
const MOST_CHARACTERS = 2000

/**
 * The questions of an agent, as pickers of the editor.
 *
 * @param {any} vscode
 */
function questionsIn(vscode) {
  return async (/** @type {any} */ { questions }, /** @type {{ signal: AbortSignal }} */ { signal }) =>
    withToken(vscode, signal, async (token) => {
      /** @type {Record<string, string | string[]>} */
      const answers = {}
      for (const { question, header, options = [], multiSelect = false } of questions) {
        const answer = options.length === 0 ? await typed(vscode, question, token) : await picked(vscode, { question, header, options, multiSelect }, token)
        // The user does not answer.
        if (answer === undefined) return null
        answers[question] = answer
      }
      return { answers }
    })
}

/**
 * @param {any} vscode
 * @param {{ question: string, header?: string, options: { label: string, description?: string }[], multiSelect: boolean }} question
 * @param {any} token
 */
async function picked(vscode, { question, header, options, multiSelect }, token) {
  const items = [...options.map(({ label, description }) => ({ label, detail: description })), ...(multiSelect ? [] : [{ label: OTHER }])]
  const how = { title: header, placeHolder: question, canPickMany: multiSelect, ignoreFocusOut: true }
  const chosen = await vscode.window.showQuickPick(items, how, token)
  if (chosen === undefined) return undefined
  if (multiSelect) return chosen.map((/** @type {any} */ { label }) => label)
  return chosen.label === OTHER ? typed(vscode, question, token) : chosen.label
}

/**
 * @param {any} vscode
 * @param {string} question
 * @param {any} token
 */
async function typed(vscode, question, token) {
  return vscode.window.showInputBox({ prompt: question, ignoreFocusOut: true }, token)
}

/**
 * Asks the user of the editor whether a call may run. Closing the dialog refuses it.
 *
 * @param {any} vscode
 */
function approvalsIn(vscode) {
  return async (/** @type {any} */ request, /** @type {{ signal?: AbortSignal }} */ { signal } = {}) => {
    const { title, detail } = textsOf(request)
    const buttons = [ONCE, ...(request.remembers?.length === 0 ? [] : [ALWAYS])]
    const answer = vscode.window.showWarningMessage(title, { modal: true, detail }, ...buttons)
    const chosen = await Promise.race([answer, aborted(signal)])
    return chosen === ONCE ? 'once' : chosen === ALWAYS ? 'always' : 'never'
  }
}

/**
 * What a user has to see of a call, in texts.
 *
 * @param {any} request
 */
function textsOf(request) {
  const { tool, label, reason } = request
  const sections = sectionsOf(request)
  const [only] = sections
  const command = sections.length === 1 && only?.kind === 'command' ? only.text : undefined
  const text = cut(command ?? plainText(sections, MOST_CHARACTERS), MOST_CHARACTERS)
  const language = command !== undefined ? 'sh' : sections.some(({ kind }) => kind === 'diff') ? 'diff' : 'text'
  return { title: `Allow ${label ?? tool}?`, detail: `${reason ?? ''}\n\n${text}`.trim(), text, language }
}

/** @param {AbortSignal | undefined} signal */
function aborted(signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined)
    signal?.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

/**
 * @template T
 * @param {any} vscode
 * @param {AbortSignal | undefined} signal
 * @param {(token: any) => Promise<T>} work
 */
async function withToken(vscode, signal, work) {
  const source = new vscode.CancellationTokenSource()
  const cancel = () => source.cancel()
  if (signal?.aborted) cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await work(source.token)
  } finally {
    signal?.removeEventListener('abort', cancel)
    source.dispose()
  }
}

module.exports = { approvalsIn, questionsIn, textsOf }
