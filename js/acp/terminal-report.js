// @ts-check
'use strict'

/**
 * The output of a command, sent to a client piece by piece.
 *
 * @typedef {{ send: (update: any) => void, toolCallId: string, form: Form }} Scene
 * @typedef {'v2' | 'output' | 'delta'} Form a terminal of version 2, or the metadata of version 1 by which clients know them
 */

/** The end of what was sent is found again by so much of it. */
const COMPARED_CHARACTERS = 200

/**
 * How a client shows terminals of the agent; nothing where it does not.
 *
 * @param {1 | 2} version
 * @param {any} capabilities of the client
 * @returns {Form | undefined}
 */
function terminalForm(version, capabilities) {
  if (version === 2) return 'v2'
  const meta = capabilities?._meta
  if (meta?.terminal_output_delta === true) return 'delta'
  return meta?.terminal_output === true ? 'output' : undefined
}

class TerminalReport {
  #scene
  #sent = ''

  /** @param {Scene} scene */
  constructor(scene) {
    this.#scene = scene
  }

  get id() {
    return this.#scene.toolCallId
  }

  /** The part of a call that shows the terminal. */
  get content() {
    return [{ type: 'terminal', terminalId: this.id }]
  }

  /** What the first message of a call says of it, in version 1. @returns {any} */
  get meta() {
    return this.#scene.form === 'v2' ? undefined : { terminal_info: { terminal_id: this.id } }
  }

  /**
   * @param {string | undefined} command
   * @param {string} cwd
   */
  begin(command, cwd) {
    if (this.#scene.form === 'v2')
      this.#send({ sessionUpdate: 'terminal_update', terminalId: this.id, ...(command !== undefined && { command }), cwd, capabilities: { cancel: {} } })
  }

  /**
   * All the output so far, of which the beginning may be gone.
   *
   * @param {string} output
   */
  show(output) {
    const added = addedTo(this.#sent, output)
    this.#sent = output
    if (added === '') return
    // Nothing of what was there is left: it is another text.
    if (added === undefined && this.#scene.form === 'v2')
      return void this.#send({ sessionUpdate: 'terminal_update', terminalId: this.id, output: { data: base64(output) } })
    this.append(added ?? output)
  }

  /** @param {string} text */
  append(text) {
    const { form } = this.#scene
    if (form === 'v2') return void this.#send({ sessionUpdate: 'terminal_output_chunk', terminalId: this.id, data: base64(text) })
    this.#meta({ [form === 'delta' ? 'terminal_output_delta' : 'terminal_output']: { terminal_id: this.id, data: text } })
  }

  /**
   * @param {number | null} exitCode
   * @param {string | null} signal
   */
  end(exitCode, signal) {
    if (this.#scene.form === 'v2')
      return void this.#send({ sessionUpdate: 'terminal_update', terminalId: this.id, exitStatus: { exitCode, signal }, capabilities: null })
    this.#meta({ terminal_exit: { terminal_id: this.id, exit_code: exitCode, signal } })
  }

  /** @param {object} meta */
  #meta(meta) {
    this.#send({ sessionUpdate: 'tool_call_update', toolCallId: this.#scene.toolCallId, _meta: meta })
  }

  /** @param {any} update */
  #send(update) {
    this.#scene.send(update)
  }
}

/**
 * What is new in a text whose beginning may be gone; nothing (`undefined`) where it has nothing of the old one.
 *
 * @param {string} old
 * @param {string} now
 * @returns {string | undefined}
 */
function addedTo(old, now) {
  if (now.startsWith(old)) return now.slice(old.length)
  // Output that is waiting for its end may have lost a line end that was there before.
  if (old.startsWith(now) && old.slice(now.length).trim() === '') return ''
  const tail = old.slice(-COMPARED_CHARACTERS)
  const place = now.indexOf(tail)
  return place === -1 ? undefined : now.slice(place + tail.length)
}

/** @param {string} text */
function base64(text) {
  return Buffer.from(text, 'utf8').toString('base64')
}

module.exports = { TerminalReport, terminalForm }
