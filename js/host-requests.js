// @ts-check
'use strict'

// How a host answers the core. Loaded with the first request: most toolkits never get one.

const { inPage, within } = require('./host.js')
const { jsonAnswer } = require('./host-callbacks.js')
const { jsonText, wellFormed } = require('./json-text.js')
const { ToolError, describe } = require('./tool-error.js')

/** What an approver may return. */
const APPROVALS = ['once', 'always', 'never']

/** Listeners that have failed before; one warning is enough. */
const failed = new WeakSet()

/**
 * Serves a request of the core, as `host_requests.rs` names it. Never rejects.
 *
 * @param {import('./host.js').Host} host
 * @param {string} port
 * @param {any} request
 * @param {import('./host.js').Asked} asked
 * @returns {Promise<import('./host.js').Reply>}
 */
async function answer(host, port, request, asked) {
  try {
    switch (port) {
      case 'approve':
        return await approval(approverOf(host), request, asked.signal)
      case 'check':
        return await check(host, request, asked)
      case 'question':
        return await question(host, request, asked)
      case 'run':
        return await run(host, request, asked)
      default:
        return await part(host, port, request, asked)
    }
  } catch (error) {
    return failure(error)
  }
}

/**
 * @param {import('./host.js').Host} host
 * @param {any} request
 * @param {import('./host.js').Asked} asked
 * @returns {Promise<import('./host.js').Reply>}
 */
async function check(host, { tool, params }, { call }) {
  const checked = await toolOf(host, tool, call).check(params)
  if (checked.issues) return { ok: true, json: String(jsonText({ issues: checked.issues })) }
  if (call) call.checked = { value: checked.value }
  return { ok: true, json: checked.json === undefined ? '{}' : `{"value":${checked.json}}` }
}

/**
 * @param {import('./host.js').Host} host
 * @param {any} request
 * @param {import('./host.js').Asked} asked
 * @returns {Promise<import('./host.js').Reply>}
 */
async function question(host, { tool, params }, { call }) {
  return { ok: true, json: questionOf(await toolOf(host, tool, call).approvalRequest?.(params)) }
}

/**
 * @param {import('./host.js').Host} host
 * @param {any} request
 * @param {import('./host.js').Asked} asked
 * @returns {Promise<import('./host.js').Reply>}
 */
async function run(host, { tool, toolCallId, params }, { call, signal, progress }) {
  const custom = toolOf(host, tool, call)
  const input = call?.checked ? call.checked.value : custom.hasOwnCheck ? await checkedAgain(custom, params) : params
  const { toolkit } = host
  const context = {
    toolCallId,
    signal,
    onUpdate: (/** @type {any} */ partial) => progress(replyOf(partial)),
    // Loaded by tools that use it.
    get workspace() {
      return require('./adapters/ai-sandbox.js').sandboxSession(toolkit, { signal })
    },
  }
  const work = () => within(call?.lineage, () => custom.run(input, context))
  try {
    const result = await (call?.scope ? call.scope.runInAsyncScope(work) : work())
    if (call) call.result = result
    return replyOf(result)
  } catch (error) {
    if (call) call.thrown = error
    return failure(error)
  }
}

/**
 * @param {import('./host.js').Host} host
 * @param {string} name
 * @param {any} request
 * @param {import('./host.js').Asked} asked
 * @returns {Promise<import('./host.js').Reply>}
 */
async function part(host, name, request, { call, signal, progress }) {
  const part = host.parts.get(name) ?? (name === 'askUser' ? require('./terminal-prompt.js').askInTerminal : undefined)
  if (!part) throw new Error(`There is no function \`${name}\` of the host.`)
  const onUpdate = (/** @type {unknown} */ partial) => progress({ ok: true, json: jsonAnswer(partial) })
  const work = () => part(request, { signal, onUpdate, toolkit: host.toolkit })
  const answer = await (call?.scope ? call.scope.runInAsyncScope(work) : work())
  return { ok: true, json: jsonAnswer(answer) }
}

/**
 * @param {import('./host.js').Host} host
 * @param {string} name
 * @param {import('./host.js').Running} [call]
 */
function toolOf(host, name, call) {
  // A tool may have been replaced or taken out since the call was made.
  const tool = call?.custom ?? host.tools.get(name)
  if (tool) return tool
  throw new Error(`The tool \`${name}\` was unregistered.`)
}

/**
 * What was checked on this side is passed on as it is; what was checked elsewhere is JSON by now.
 *
 * @param {import('./custom-tool.js').CustomTool} custom
 * @param {unknown} params
 */
async function checkedAgain(custom, params) {
  const { value, issues } = await custom.check(params)
  return issues ? params : value
}

/**
 * @param {import('./results.js').Normalised} result
 * @returns {import('./host.js').Reply}
 */
function replyOf({ content, details }) {
  return {
    ok: true,
    json: jsonOf(details),
    content: content.flatMap((part) => (part.type === 'text' ? ['', wellFormed(part.text)] : [wellFormed(part.mimeType), wellFormed(part.data)])),
  }
}

/**
 * What a tool wants to have asked, as JSON. What JSON cannot represent is a question all the same.
 *
 * @param {unknown} asked
 */
function questionOf(asked) {
  if (asked === undefined || asked === null || asked === false) return 'null'
  return jsonText(asked) ?? 'true'
}

/**
 * Details as the core keeps them. The host gets back what it returned; only here is changed what JSON cannot represent.
 *
 * @param {unknown} details
 */
function jsonOf(details) {
  return jsonText(details) ?? 'null'
}

/**
 * @param {any} error
 * @returns {import('./host.js').Reply}
 */
function failure(error) {
  const { error_type, details } = errorFields(error)
  return { ok: false, json: String(jsonText({ message: describe(error), error_type, details })) }
}

/** @param {any} error */
function errorFields(error) {
  try {
    const { error_type, details } = error
    if (typeof error_type !== 'string') return {}
    const json = jsonOf(details)
    return { error_type, details: json.startsWith('{') ? JSON.parse(json) : undefined }
  } catch {
    return {}
  }
}

/**
 * Calls a listener of the host. What it throws, now or later, is emitted as a warning and affects
 * neither the call nor the process.
 *
 * @param {Function} listener
 * @param {unknown} value
 * @param {string} name
 * @returns {Promise<boolean>} whether it did not fail
 */
async function notify(listener, value, name) {
  try {
    await listener(value)
    return true
  } catch (error) {
    if (!failed.has(listener)) process.emitWarning(`\`${name}\` failed: ${describe(error)}. The tools are not affected.`, 'TenonWarning')
    failed.add(listener)
    return false
  }
}

/**
 * Who answers what policy asks: the approver, and the user of the page where there is one.
 *
 * @param {import('./host.js').Host} host
 * @returns {Function}
 */
function approverOf({ onApproval, watch }) {
  const own = /** @type {Function} */ (onApproval)
  return watch.inspection ? watch.inspection.approver(own === inPage ? undefined : own) : own
}

/**
 * The decision of the approver. Anything that is not a valid decision denies the call.
 *
 * @param {Function} onApproval
 * @param {any} request
 * @param {AbortSignal} signal
 * @returns {Promise<import('./host.js').Reply>}
 */
async function approval(onApproval, request, signal) {
  try {
    const said = await onApproval(request, { signal })
    if (APPROVALS.includes(said)) return { ok: true, json: said }
    return { ok: false, json: `The approver returned ${show(said)}; it must return \`once\`, \`always\` or \`never\`.` }
  } catch (error) {
    const isRefusal = ToolError.is(error) && error.error_type === 'permission_denied'
    return { ok: false, json: wellFormed(isRefusal ? error.message : `The approver failed: ${describe(error)}.`) }
  }
}

/** @param {unknown} value */
function show(value) {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100))
  return `a value of type ${value === null ? 'null' : typeof value}`
}

module.exports = { answer, notify, questionOf }
