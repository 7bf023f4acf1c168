// @ts-check
'use strict'

const { describe, invalidInput } = require('../tool-error.js')

/**
 * @typedef {{ listeners: Function[], toolkit?: any }} Run a run that the host works on now
 * @typedef {Map<string, Run>} Runs by their ids, and by their sessions
 */

/**
 * The parts of the host that run sub-agents: `runAgent` with all that the agent needs, messages for it, and events.
 *
 * @param {any} options those of the toolkit
 * @param {Map<string, import('../host-callbacks.js').HostCallback>} parts
 */
function agentParts(options, parts) {
  const { host } = options
  const { runAgent, onSessionEvent } = host ?? {}
  if (typeof runAgent === 'function') {
    /** @type {Runs} */
    const runs = new Map()
    parts.set('runAgent', ({ rights, ...request }, context) =>
      rights === undefined ? run(runs, host, runAgent, request, context) : job(options, rights, request, context),
    )
    parts.set('runMessage', ({ runId, from, text }) => steer(runs.get(runId), { from, text }))
  }
  if (typeof onSessionEvent === 'function') parts.set('onSessionEvent', ({ ticket, ...event }) => notifyHost(host, onSessionEvent, event))
}

/**
 * @param {Runs} runs
 * @param {any} host
 * @param {Function} runAgent
 * @param {any} request
 * @param {import('../host-callbacks.js').Context} context
 */
async function run(runs, host, runAgent, { ticket, timeoutMs, background, ...request }, { signal, onUpdate, toolkit }) {
  if (timeoutMs > 0) request.deadline = new Date(Date.now() + timeoutMs).toISOString()
  /** @type {Run} */
  const running = { listeners: [] }
  const context = {
    signal,
    onUpdate,
    get toolkit() {
      // Its rights are those of the session that has started it, or fewer.
      const parent = runs.get(request.parentId)?.toolkit ?? toolkit
      return (running.toolkit ??= parent?.childOf(request.runId))
    },
    get tools() {
      return context.toolkit.tools()
    },
    /** @param {unknown} listener */
    onMessage(listener) {
      if (typeof listener !== 'function') throw invalidInput('runAgent', 'The listener of `onMessage` must be a function.')
      running.listeners.push(listener)
    },
  }
  const names = [request.runId, request.sessionId]
  for (const name of names) runs.set(name, running)
  try {
    return await runAgent.call(host, request, context)
  } finally {
    for (const name of names) if (runs.get(name) === running) runs.delete(name)
  }
}

/**
 * Has an agent do what a scheduled job is for, in a session of its own to which nobody sends messages.
 *
 * @param {any} options
 * @param {unknown} rights of those who made the job
 * @param {any} request
 * @param {import('../host-callbacks.js').Context} context
 */
function job(options, rights, { ticket, ...request }, { signal, onUpdate }) {
  const { host } = options
  const { runId, name } = request.cron
  const task = { ...request, sessionId: `cron:${runId}`, runId, depth: 0, label: name, history: [] }
  const runAgent = (/** @type {any} */ asked, /** @type {any} */ context) => host.runAgent(asked, context)
  return require('../cron.js').runJob(options, rights, task, { signal, onUpdate, onMessage() {} }, runAgent)
}

/**
 * Gives a message to a run; whether somebody has taken it.
 *
 * @param {Run | undefined} running
 * @param {{ from: string, text: string }} message
 */
async function steer(running, message) {
  if (!running || running.listeners.length === 0) return false
  const { notify } = require('../host-requests.js')
  const taken = await Promise.all(running.listeners.map((listener) => notify(listener, message, 'onMessage')))
  // What no listener took is given to the agent in another way.
  return taken.includes(true)
}

/**
 * Whether the host has shown a result itself. A listener that fails has not.
 *
 * @param {any} host
 * @param {Function} onSessionEvent
 * @param {any} event
 */
async function notifyHost(host, onSessionEvent, event) {
  try {
    const said = await onSessionEvent.call(host, event)
    return said === true || said?.acknowledged === true
  } catch (error) {
    process.emitWarning(`\`host.onSessionEvent\` failed: ${describe(error)}. The result stays unread.`, 'TenonWarning')
    return false
  }
}

module.exports = { agentParts }
