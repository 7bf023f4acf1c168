// @ts-check
'use strict'

/** Recognises errors of other copies of this package and of other realms. */
const MARKER = Symbol.for('tenon.ToolError')

/**
 * A failed call. `error_type` says what kind of failure it is, `details.code` which one exactly;
 * `message` is a sentence for the model: what was wrong, and the next step.
 */
class ToolError extends Error {
  /**
   * @param {string} message
   * @param {import('../index.d.ts').ToolErrorFields & { cause?: unknown }} fields
   */
  constructor(message, { tool, error_type, details, cause }) {
    super(message, cause === undefined ? undefined : { cause })
    /** @type {string} */
    this.tool = tool
    /** @type {import('../index.d.ts').ToolErrorType} */
    this.error_type = error_type
    /** @type {import('../index.d.ts').ToolErrorDetails} */
    this.details = details ?? {}
  }

  /**
   * Whether a value is a `ToolError`, also one of another copy of this package or another realm.
   *
   * @param {unknown} value
   * @returns {value is ToolError}
   */
  static is(value) {
    return typeof value === 'object' && value !== null && /** @type {any} */ (value)[MARKER] === true
  }
}

Object.defineProperty(ToolError.prototype, 'name', { value: 'ToolError', writable: true, configurable: true })
Object.defineProperty(ToolError.prototype, MARKER, { value: true })

/**
 * An error as the core sent it.
 *
 * @param {import('../index.d.ts').ToolErrorFields & { message: string }} fields
 * @param {unknown} [cause]
 */
function toolError({ tool, error_type, message, details }, cause) {
  return new ToolError(message, { tool, error_type, details, cause })
}

/**
 * Opens what a synchronous function of the core returned: its value, or its error, which is thrown.
 *
 * @param {string} envelope
 */
function open(envelope) {
  const { ok, value, error } = JSON.parse(envelope)
  if (!ok) throw toolError(error)
  return value
}

/**
 * A bug of ours: something arrived here that the contract between core and facade rules out.
 *
 * @param {string} tool
 * @param {unknown} cause
 */
function internalError(tool, cause) {
  const message = `An internal error of tenon occurred: ${describe(cause)}. Other calls are not affected.`
  return new ToolError(message, { tool, error_type: 'execution_failed', details: { code: 'internal' }, cause })
}

/**
 * @param {string} tool
 * @param {unknown} reason what the signal was aborted with
 */
function abortedError(tool, reason) {
  const message = 'The call was aborted before it started.'
  return new ToolError(message, { tool, error_type: 'aborted', details: { code: 'cancelled' }, cause: reason })
}

/**
 * What is asked of a toolkit that is closed.
 *
 * @param {string} tool
 */
function closedError(tool) {
  return new ToolError('The toolkit is closed. Create a new one.', { tool, error_type: 'aborted', details: { code: 'cancelled' } })
}

/**
 * Parameters or options that are not valid.
 *
 * @param {string} tool
 * @param {string} message
 * @param {import('../index.d.ts').ValidationIssue[]} [errors]
 */
function invalidInput(tool, message, errors) {
  const details = { code: 'invalid_params', ...(errors && { errors }) }
  return new ToolError(message, { tool, error_type: 'invalid_input', details })
}

/**
 * What was thrown, in a few words; it can be anything, and looking at it can throw too.
 *
 * @param {unknown} thrown
 * @returns {string}
 */
function describe(thrown) {
  try {
    const message = /** @type {any} */ (thrown)?.message
    return typeof message === 'string' && message !== '' ? message : String(thrown)
  } catch {
    return 'a value that cannot be shown'
  }
}

module.exports = { ToolError, abortedError, closedError, describe, internalError, invalidInput, open, toolError }
