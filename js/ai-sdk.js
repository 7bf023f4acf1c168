// @ts-check
'use strict'

const { ToolError, invalidInput } = require('./tool-error.js')

/**
 * @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool
 * @typedef {import('../index.d.ts').AgentToolResult<any>} AgentToolResult
 * @typedef {Pick<import('../index.d.ts').Toolkit<any>, 'listTools' | 'getTool' | 'decide'>} Tools
 */

/** The first version of the AI SDK whose images are parts of the kind `file`. */
const FILES_SINCE = 7

/**
 * The tools as the AI SDK takes them: for `tools` of `generateText`, `streamText` and its agents.
 *
 * @param {Tools | readonly AgentTool[]} source
 * @param {import('../ai-sdk.d.ts').AISDKToolOptions} [options]
 * @returns {Record<string, any>}
 */
function toAISDKTools(source, { version = installedVersion(), progress = true, needsApproval = false } = {}) {
  const toolkit = Array.isArray(source) ? undefined : /** @type {Tools} */ (source)
  if (toolkit && typeof toolkit.listTools !== 'function') throw invalidInput('toAISDKTools', 'The first argument must be a toolkit or a list of its tools.')
  if (needsApproval && !toolkit) throw invalidInput('toAISDKTools', '`needsApproval` needs the toolkit, whose policy decides: pass it in place of its tools.')
  const tools = toolkit ? toolkit.listTools() : /** @type {readonly AgentTool[]} */ (source)
  const partOf = version >= FILES_SINCE ? filePart : imagePart
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      {
        description: tool.description,
        inputSchema: tool.parameters,
        execute: progress ? withProgress(tool) : executed(tool),
        toModelOutput: (/** @type {any} */ { output }) => modelOutput(output, partOf),
        ...(needsApproval && { needsApproval: (/** @type {unknown} */ input) => verdictOf(/** @type {Tools} */ (toolkit), tool.name, input) === 'ask' }),
      },
    ]),
  )
}

/**
 * What policy says to a call, as the option `toolApproval` of version 7 wants to know it. Calls of other tools are not
 * decided; parameters that are not valid need no approval, since such a call fails with what is wrong.
 *
 * @param {Tools} toolkit
 * @returns {import('../ai-sdk.d.ts').ToolApproval}
 */
function toolApproval(toolkit) {
  if (typeof toolkit?.decide !== 'function') throw invalidInput('toolApproval', 'The first argument must be a toolkit.')
  return ({ toolCall: { toolName, input } }) => {
    if (!toolkit.getTool(toolName)) return undefined
    const { verdict, reason, issues = [] } = toolkit.decide(toolName, input)
    if (issues.length > 0) return undefined
    return { type: STATUS[verdict], reason }
  }
}

const STATUS = /** @type {const} */ ({ allow: 'approved', ask: 'user-approval', deny: 'denied' })

/**
 * @param {Tools} toolkit
 * @param {string} name
 * @param {unknown} input
 */
function verdictOf(toolkit, name, input) {
  const { verdict, issues = [] } = toolkit.decide(name, input)
  return issues.length > 0 ? 'allow' : verdict
}

/** @param {AgentTool} tool */
function executed(tool) {
  return async (/** @type {any} */ input, /** @type {any} */ { toolCallId, abortSignal }) => {
    try {
      return await tool.execute(toolCallId, input, abortSignal)
    } catch (error) {
      throw forModel(error)
    }
  }
}

/**
 * An error as the model is to read it. Version 7 shows it as a string, which begins with the name of the error.
 *
 * @param {unknown} error
 */
function forModel(error) {
  return ToolError.is(error) ? Object.defineProperty(error, 'toString', { value: () => error.message, configurable: true }) : error
}

/**
 * A tool that yields how far it is, then its result. What is not read in time is replaced by what is newer.
 *
 * @param {AgentTool} tool
 */
function withProgress(tool) {
  return async function* execute(/** @type {any} */ input, /** @type {any} */ { toolCallId, abortSignal }) {
    const stop = new AbortController()
    const signal = abortSignal ? AbortSignal.any([abortSignal, stop.signal]) : stop.signal
    /** @type {AgentToolResult | undefined} */
    let latest
    let isSettled = false
    let wake = () => {}
    const onUpdate = (/** @type {AgentToolResult} */ partial) => {
      latest = partial
      wake()
    }
    const call = tool.execute(toolCallId, input, signal, onUpdate)
    const settle = () => {
      isSettled = true
      wake()
    }
    call.then(settle, settle)
    try {
      while (!isSettled) {
        if (latest === undefined) await new Promise((resolve) => void (wake = () => resolve(undefined)))
        const partial = latest
        latest = undefined
        if (partial !== undefined && !isSettled) yield partial
      }
      yield await call
    } catch (error) {
      throw forModel(error)
    } finally {
      // Nobody reads the result any more.
      if (!isSettled) stop.abort()
    }
  }
}

/**
 * What the model sees of a result. One that was stored is JSON by now; what has no content is shown as it is.
 *
 * @param {any} output
 * @param {(part: any) => object} partOf
 */
function modelOutput(output, partOf) {
  if (typeof output === 'string') return { type: 'text', value: output }
  if (!Array.isArray(output?.content)) return { type: 'json', value: output ?? null }
  return { type: 'content', value: output.content.map((/** @type {any} */ part) => (part.type === 'text' ? { type: 'text', text: part.text } : partOf(part))) }
}

/** @param {import('../index.d.ts').ImageContent} part */
function filePart({ data, mimeType }) {
  return { type: 'file', data: { type: 'data', data }, mediaType: mimeType }
}

/** @param {import('../index.d.ts').ImageContent} part */
function imagePart({ data, mimeType }) {
  return { type: 'image-data', data, mediaType: mimeType }
}

/** The major version of the AI SDK beside this package; the newest that is known where there is none. */
function installedVersion() {
  try {
    return Number.parseInt(require('ai/package.json').version, 10)
  } catch {
    return FILES_SINCE
  }
}

module.exports = { toAISDKTools, toolApproval }
