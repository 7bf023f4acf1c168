import adapter from './openai.js'

export const { pendingApprovals, runChatCalls, runResponsesCalls, toOpenAITools, toResponsesTools } = adapter
