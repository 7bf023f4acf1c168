// @ts-check
'use strict'

const { toAISDKTools } = require('../ai-sdk.js')
const { hostOf, objectiveOf, packageOf, roundsOf } = require('./adapter.js')

/**
 * Sub-agents that the AI SDK runs, for the option `host`. A message that comes while one runs waits for its end.
 *
 * @param {import('../../agents.d.ts').AIAgentsOptions} options
 */
function aiAgents({ agents, model, ToolLoopAgent, ...rest }) {
  return hostOf('aiAgents', agents, async (definition, request, context) => {
    const LoopAgent = ToolLoopAgent ?? (await packageOf('ai', 'aiAgents', 'ToolLoopAgent')).ToolLoopAgent
    const { description: _, tools: __, systemPrompt, instructions = systemPrompt, ...settings } = definition
    const agent = new LoopAgent({
      ...rest,
      ...settings,
      model: definition.model ?? model,
      instructions,
      tools: toAISDKTools(context.toolkit, { progress: false }),
    })
    const earlier = Array.isArray(request.state) ? request.state : roundsOf(request).map(({ role, text }) => ({ role, content: text }))
    const messages = [...earlier, { role: 'user', content: objectiveOf(request) }]
    const result = await agent.generate({
      messages,
      abortSignal: context.signal,
      onStepFinish: (/** @type {any} */ step) => report(step, context),
    })
    // From version 7 on, the response is that of the last step only.
    return { summary: result.text, state: [...messages, ...(result.responseMessages ?? result.response.messages)] }
  })
}

/**
 * @param {any} step
 * @param {any} context
 */
function report({ text, usage = {} }, context) {
  const { inputTokens = 0, outputTokens = 0 } = usage
  const tokens = usage.totalTokens ?? inputTokens + outputTokens
  context.onUpdate({ ...(text && { summary: text, message: { role: 'assistant', text } }), turn: 1, usage: { tokens, inputTokens, outputTokens } })
}

module.exports = { aiAgents }
