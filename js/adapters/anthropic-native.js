// @ts-check
'use strict'

const { invalidInput } = require('../tool-error.js')
const { Asked } = require('./asked.js')
const { outcomeOf, questionsOf, requireOptions, requireToolkit, settled } = require('./calls.js')
const { Files } = require('./files.js')
const { grantsOf } = require('./grants.js')
const { MemoryTool } = require('./memory.js')
const { nameOf, requireOperations } = require('./operations.js')
const { ShellState, hasShellState } = require('./shell-state.js')
const { TextEditor } = require('./text-editor.js')
const { said } = require('./texts.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {import('./calls.js').Outcome} Outcome
 * @typedef {{ toolCallId?: string, signal?: AbortSignal, isGated?: boolean }} Call
 * @typedef {import('./calls.js').Question} Question
 * @typedef {{ questions: (input: any, call: Call) => Promise<Question[]>, forget: (input: any, call: Call) => void }} Approvals what the user of a
 *   framework has to be asked about a call before it runs, and that they did not approve it
 * @typedef {{ close?: () => void, approvals?: Approvals }} More what some of them have beside
 * @typedef {(described: any, call: (input: any, call: Call) => Promise<Outcome>, more?: More) => any} Runnable
 */

/**
 * The tools that Claude was trained on, over the operations of a toolkit and its policy.
 *
 * @param {Runnable} runnable
 */
function nativeTools(runnable) {
  /**
   * `bash_20250124`.
   *
   * @param {Toolkit} toolkit
   * @param {import('../../anthropic.d.ts').BashToolOptions} [options]
   */
  function bashTool(toolkit, options = {}) {
    requireToolkit('bashTool', toolkit)
    requireOptions('bashTool', options, ['state'])
    requireOperations('bashTool', toolkit, ['exec'])
    const bash = commandsOf('bashTool', toolkit, options)
    return runnable(
      { type: 'bash_20250124', name: 'bash' },
      async ({ command, restart } = {}, call) => {
        if (restart) bash.restart()
        if (typeof command === 'string' && command !== '') return bash.run(command, undefined, call)
        return restart ? said('tool has been restarted.') : { ...said('no command provided.'), isError: true }
      },
      { approvals: bash.approvals },
    )
  }

  /**
   * `text_editor_20250728`.
   *
   * @param {Toolkit} toolkit
   * @param {import('../../anthropic.d.ts').TextEditorToolOptions} [options]
   */
  function textEditorTool(toolkit, options = {}) {
    requireToolkit('textEditorTool', toolkit)
    requireOptions('textEditorTool', options, ['maxCharacters'])
    requireOperations('textEditorTool', toolkit, ['read', 'write', 'edit', 'ls'])
    const { maxCharacters } = options
    const described = {
      type: 'text_editor_20250728',
      name: 'str_replace_based_edit_tool',
      ...(maxCharacters !== undefined && { max_characters: maxCharacters }),
    }
    /** @type {Asked<{ questions: Question[], files: Files }>} */
    const asked = new Asked()
    /** @type {Approvals} */
    const approvals = {
      questions: async (input, call) => {
        const edit = editOf(input, call)
        const known = asked.get(edit)
        if (known) return known.questions
        const files = new Files(toolkit, call)
        const questions = await new TextEditor(files, maxCharacters).questions(input)
        if (questions.length > 0) asked.keep(edit, { questions, files })
        return questions
      },
      forget: (input, call) => asked.take(editOf(input, call))?.files.forget(),
    }
    const run = (/** @type {any} */ input, /** @type {Call} */ call) => {
      const files = new Files(toolkit, { ...call, isAsked: asked.take(editOf(input, call)) !== undefined })
      return settled(() => new TextEditor(files, maxCharacters).run(input), call.signal)
    }
    return runnable(described, run, { approvals })
  }

  /**
   * `memory_20250818`, in a directory of its own.
   *
   * @param {import('../../anthropic.d.ts').MemoryToolOptions} options
   */
  function memoryTool(options) {
    requireOptions('memoryTool', options, ['dir', 'permissions', 'onApproval'])
    const memory = new MemoryTool(options)
    return runnable({ type: 'memory_20250818', name: 'memory' }, (input, call) => settled(() => memory.run(input, call), call.signal), {
      close: () => memory.close(),
      approvals: memory.approvals,
    })
  }

  /**
   * The tools of `agent_toolset_20260401`.
   *
   * @param {Toolkit} toolkit
   * @param {import('../../anthropic.d.ts').BashToolOptions} [options]
   */
  function agentToolset(toolkit, options = {}) {
    requireToolkit('agentToolset', toolkit)
    requireOptions('agentToolset', options, ['state'])
    const { TOOLSET, inOwnWords } = require('./agent-toolset.js')
    requireOperations(
      'agentToolset',
      toolkit,
      TOOLSET.map(({ operation }) => operation),
    )
    const bash = commandsOf('agentToolset', toolkit, options)
    return TOOLSET.map(({ name, description, input_schema, call: make }) =>
      runnable({ type: 'custom', name, description, input_schema }, (input, call) =>
        settled(() => inOwnWords(make(input ?? {}, { toolkit, bash, call, files: new Files(toolkit, call) })), call.signal),
      ),
    )
  }
  return { bashTool, textEditorTool, memoryTool, agentToolset }
}

/**
 * A call of the text editor by all that says what it does.
 *
 * @param {any} input
 * @param {Call} call
 */
function editOf(input, { toolCallId }) {
  if (toolCallId === undefined) return undefined
  const { command, path, file_text, old_str, new_str, insert_line, insert_text } = input ?? {}
  return JSON.stringify([toolCallId, command, path, file_text, old_str, insert_line, insert_text ?? new_str])
}

/**
 * Commands one after the other, as in one shell.
 *
 * @param {string} where
 * @param {Toolkit} toolkit
 * @param {{ state?: 'cwd+env' | 'none' }} options
 */
function commandsOf(where, toolkit, { state = hasShellState(toolkit) ? 'cwd+env' : 'none' }) {
  if (state !== 'cwd+env' && state !== 'none') throw invalidInput(where, "The option `state` must be 'cwd+env' or 'none'.")
  if (state === 'cwd+env' && !hasShellState(toolkit))
    throw invalidInput(where, "`state: 'cwd+env'` needs a toolkit with the option `exec: { state: 'cwd+env' }`.")
  const carried = new ShellState(state === 'cwd+env' ? toolkit : {})
  /** The commands that users were asked about. @type {Asked<any>} */
  const shown = new Asked()
  let last = Promise.resolve()
  return {
    restart: () => carried.reset(),
    /** What its user approves is this command, from where the last one ended. @type {Approvals} */
    approvals: {
      questions: async ({ command } = {}, { toolCallId }) => {
        if (typeof command !== 'string' || command === '') return []
        const known = shown.get(toolCallId)
        const params = known?.command === command ? known : carried.complete({ command })
        const questions = await questionsOf(toolkit, [{ id: /** @type {string} */ (toolCallId), name: nameOf(toolkit, 'exec'), params }])
        if (questions.length > 0) shown.keep(toolCallId, params)
        return questions
      },
      forget: (_, { toolCallId }) => {
        const params = shown.take(toolCallId)
        if (params) grantsOf(toolkit).forget(nameOf(toolkit, 'exec'), params, toolCallId)
      },
    },
    /**
     * @param {string} command
     * @param {number | undefined} timeoutMs
     * @param {Call} call
     * @returns {Promise<Outcome>}
     */
    run: (command, timeoutMs, call) => {
      const params = { command, ...(timeoutMs !== undefined && { timeout: timeoutMs / 1000 }) }
      const asked = shown.take(call.toolCallId)
      const run = (/** @type {any} */ complete, /** @type {boolean} */ isShown) =>
        outcomeOf(toolkit, nameOf(toolkit, 'exec'), complete, { ...call, isGated: call.isGated && isShown })
      const result = last.then(() => carried.run(params, run, asked))
      last = result.then(
        () => {},
        () => {},
      )
      return result
    },
  }
}

module.exports = { nativeTools }
