// @ts-check
'use strict'

const { hostOf, objectiveOf, packageOf, roundsOf } = require('./adapter.js')
const { invalidInput } = require('../tool-error.js')
const { onAbort } = require('../signal.js')

/**
 * Sub-agents that the Claude Agent SDK runs, for the option `host`. `optionsFor` makes the options of `query` with the tools of a
 * toolkit: `toClaudeOptions` of `tenon/claude`.
 *
 * @param {import('../../agents.d.ts').ClaudeAgentsOptions} options
 */
function claudeAgents({ agents, query, optionsFor, ...rest }) {
  if (typeof optionsFor !== 'function') {
    throw invalidInput(
      'claudeAgents',
      'The option `optionsFor` of `claudeAgents` is missing: a function from a toolkit to options of `query`, such as `toClaudeOptions`.',
    )
  }
  return hostOf('claudeAgents', agents, async (definition, request, context) => {
    const ask = query ?? (await packageOf('@anthropic-ai/claude-agent-sdk', 'claudeAgents', 'query')).query
    const { description: _, tools: __, systemPrompt, ...settings } = definition
    const abortController = new AbortController()
    if (context.signal.aborted) throw context.signal.reason
    const release = onAbort(context.signal, () => abortController.abort(context.signal.reason))
    const resume = request.state?.claudeSession
    const options = { ...optionsFor(context.toolkit), ...rest, ...settings, abortController, ...(systemPrompt && { systemPrompt }), ...(resume && { resume }) }
    try {
      return await answerOf(ask({ prompt: promptOf(request, resume), options }), context, request.state)
    } finally {
      release()
    }
  })
}

/**
 * @param {AsyncIterable<any>} messages
 * @param {any} context
 * @param {{ usd?: number } | undefined} earlier what is kept of the session that is resumed
 */
async function answerOf(messages, context, earlier) {
  let result
  for await (const message of messages) {
    if (message.type === 'assistant') {
      const text = textOf(message.message)
      context.onUpdate({ ...(text && { summary: text, message: { role: 'assistant', text } }), turn: 1 })
    }
    if (message.type === 'result') result = message
  }
  if (!result) throw new Error('the Claude Agent SDK ended without a result')
  const { input_tokens: inputTokens = 0, output_tokens: outputTokens = 0 } = result.usage ?? {}
  // Of the whole session, unlike its tokens.
  const total = result.total_cost_usd ?? 0
  const before = earlier?.usd ?? 0
  const usage = { tokens: inputTokens + outputTokens, inputTokens, outputTokens, usd: total >= before ? total - before : total }
  const ok = result.subtype === 'success' && result.is_error !== true
  const summary = result.result ?? result.errors?.join('\n') ?? `It ended with ${result.subtype}.`
  return { ok, summary, usage, state: { claudeSession: result.session_id, usd: total } }
}

/**
 * What is asked, with earlier rounds where no session of the SDK is resumed.
 *
 * @param {any} request
 * @param {string | undefined} resume
 */
function promptOf(request, resume) {
  const rounds = resume ? [] : roundsOf(request)
  if (rounds.length === 0) return objectiveOf(request)
  const transcript = rounds.map(({ role, text }) => `${role}: ${text}`).join('\n\n')
  return `Earlier in this session:\n\n${transcript}\n\nNow:\n\n${objectiveOf(request)}`
}

/** @param {any} message */
function textOf(message) {
  const parts = Array.isArray(message?.content) ? message.content : []
  return parts.flatMap((/** @type {any} */ part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

module.exports = { claudeAgents }
