// @ts-check
'use strict'

const { invalidInput } = require('../tool-error.js')
const { outcomeOf, requireOptions, requireToolkit, settled } = require('./calls.js')
const { Files } = require('./files.js')
const { MemoryTool } = require('./memory.js')
const { nameOf, requireOperations } = require('./operations.js')
const { ShellState, hasShellState } = require('./shell-state.js')
const { TextEditor } = require('./text-editor.js')
const { said } = require('./texts.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {import('./calls.js').Outcome} Outcome
 * @typedef {{ toolCallId?: string, signal?: AbortSignal }} Call
 * @typedef {(described: any, call: (input: any, call: Call) => Promise<Outcome>, rest?: object) => any} Runnable
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
    return runnable({ type: 'bash_20250124', name: 'bash' }, async ({ command, restart } = {}, call) => {
      if (restart) bash.restart()
      if (typeof command === 'string' && command !== '') return bash.run(command, undefined, call)
      return restart ? said('tool has been restarted.') : { ...said('no command provided.'), isError: true }
    })
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
  let last = Promise.resolve()
  return {
    restart: () => carried.reset(),
    /**
     * @param {string} command
     * @param {number | undefined} timeoutMs
     * @param {Call} call
     * @returns {Promise<Outcome>}
     */
    run: (command, timeoutMs, call) => {
      const params = { command, ...(timeoutMs !== undefined && { timeout: timeoutMs / 1000 }) }
      const result = last.then(() => carried.run(params, (complete) => outcomeOf(toolkit, nameOf(toolkit, 'exec'), complete, call)))
      last = result.then(
        () => {},
        () => {},
      )
      return result
    },
  }
}

module.exports = { nativeTools }
