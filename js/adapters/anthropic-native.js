// @ts-check
'use strict'

const { invalidInput } = require('../tool-error.js')
const { outcomeOf, requireOptions, requireToolkit, settled } = require('./calls.js')
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
 * @typedef {{ close?: () => void, requiresApproval?: (input: any, call: Call) => Promise<boolean> }} More what some of them have beside
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
      {
        requiresApproval: async (/** @type {any} */ { command } = {}, /** @type {Call} */ call) =>
          typeof command === 'string' && bash.requiresApproval(command, call),
      },
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
    return runnable(described, (input, call) => settled(() => new TextEditor(new Files(toolkit, call), maxCharacters).run(input), call.signal))
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
    const { TOOLSET } = require('./agent-toolset.js')
    requireOperations(
      'agentToolset',
      toolkit,
      TOOLSET.map(({ operation }) => operation),
    )
    const bash = commandsOf('agentToolset', toolkit, options)
    return TOOLSET.map(({ name, description, input_schema, call: make }) =>
      runnable({ type: 'custom', name, description, input_schema }, (input, call) =>
        settled(() => make(input ?? {}, { toolkit, bash, call, files: new Files(toolkit, call) }), call.signal),
      ),
    )
  }
  return { bashTool, textEditorTool, memoryTool, agentToolset }
}

/** As many commands are remembered that users were asked about; the oldest are forgotten first. */
const MOST_SHOWN = 1000

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
  /** What users were asked about, by the id of the call. @type {Map<string, any>} */
  const shown = new Map()
  let last = Promise.resolve()
  return {
    restart: () => carried.reset(),
    /**
     * Whether a framework has to ask its user about a command. What they approve is this command, from where the last one ended.
     *
     * @param {string} command
     * @param {Call} call
     */
    requiresApproval: async (command, { toolCallId }) => {
      const params = carried.complete({ command })
      if ((await grantsOf(toolkit).judge(nameOf(toolkit, 'exec'), params, toolCallId)).verdict !== 'ask') return false
      if (toolCallId !== undefined) shown.set(toolCallId, params)
      if (shown.size > MOST_SHOWN) shown.delete(/** @type {string} */ (shown.keys().next().value))
      return true
    },
    /**
     * @param {string} command
     * @param {number | undefined} timeoutMs
     * @param {Call} call
     * @returns {Promise<Outcome>}
     */
    run: (command, timeoutMs, call) => {
      const params = { command, ...(timeoutMs !== undefined && { timeout: timeoutMs / 1000 }) }
      const asked = call.toolCallId === undefined ? undefined : shown.get(call.toolCallId)
      if (call.toolCallId !== undefined) shown.delete(call.toolCallId)
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
