// @ts-check
'use strict'

const { hostOf, marked, objectiveOf, packageOf, roundsOf } = require('./adapter.js')
const { onAbort } = require('../signal.js')

/**
 * Sub-agents that pi runs, for the option `host`.
 *
 * @param {import('../../agents.d.ts').PiAgentsOptions} options
 */
function piAgents({ agents, streamFn, model, Agent, ...rest }) {
  return hostOf('piAgents', agents, async (definition, request, context) => {
    const PiAgent = Agent ?? (await packageOf('@earendil-works/pi-agent-core', 'piAgents', 'Agent')).Agent
    const { systemPrompt = '', thinkingLevel } = definition
    const agent = new PiAgent({
      ...rest,
      ...(streamFn && { streamFn: definition.streamFn ?? streamFn }),
      sessionId: request.sessionId,
      initialState: {
        systemPrompt,
        model: definition.model ?? model,
        tools: context.tools,
        messages: Array.isArray(request.state) ? request.state : roundsOf(request).map(messageOf),
        ...(thinkingLevel && { thinkingLevel }),
      },
    })
    agent.subscribe((/** @type {any} */ event) => event.type === 'turn_end' && report(event.message, context))
    context.onMessage((/** @type {any} */ message) => agent.steer(userMessage(marked(message))))
    if (context.signal.aborted) throw context.signal.reason
    const release = onAbort(context.signal, () => agent.abort())
    try {
      await agent.prompt(objectiveOf(request))
      await agent.waitForIdle()
    } finally {
      release()
    }
    const { messages, errorMessage } = agent.state
    const last = messages.findLast((/** @type {any} */ message) => message.role === 'assistant')
    const summary = textOf(last)
    if (errorMessage && !context.signal.aborted) throw new Error(errorMessage)
    // Since 0.87 pi keeps its prompt and its tools among the messages: the next round has its own.
    return { summary, ok: !errorMessage, state: messages.filter((/** @type {any} */ { role }) => role !== 'system') }
  })
}

/**
 * A listener for `host.onSessionEvent`: the end of a sub-agent becomes a follow-up of an idle or busy agent of pi.
 *
 * @param {any} agent
 * @returns {(event: import('../../index.d.ts').SessionEvent) => boolean}
 */
function piFollowUps(agent) {
  return ({ type, label, sessionId, status, text = '' }) => {
    if (type !== 'ended' && type !== 'message') return false
    const what = type === 'ended' ? `The sub-agent "${label}" (${sessionId}) has ended: ${status}.` : marked({ text, from: sessionId })
    agent.followUp(userMessage(type === 'ended' ? `[${what} \`subagents\` with \`wait\` shows its result.]` : what))
    // The result itself is shown by `subagents`, and unread until then.
    return false
  }
}

/**
 * @param {any} message
 * @param {any} context
 */
function report(message, context) {
  if (message?.role !== 'assistant') return
  const text = textOf(message)
  const { usage = {} } = message
  context.onUpdate({
    ...(text && { summary: text, message: { role: 'assistant', text } }),
    turn: 1,
    usage: { tokens: usage.totalTokens ?? 0, inputTokens: usage.input ?? 0, outputTokens: usage.output ?? 0, usd: usage.cost?.total ?? 0 },
  })
}

/** @param {any} message */
function textOf(message) {
  const parts = Array.isArray(message?.content) ? message.content : []
  return parts.flatMap((/** @type {any} */ part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** @param {string} text */
function userMessage(text) {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: Date.now() }
}

/**
 * An earlier round. Another model may have said it, so it is sent as text of the user.
 *
 * @param {{ role: 'user' | 'assistant', text: string }} round
 */
function messageOf({ role, text }) {
  return userMessage(role === 'user' ? text : `[Your earlier answer]\n${text}`)
}

module.exports = { piAgents, piFollowUps }
