import adapter from './ai-sdk.js'

export const { aiAgents, toAISDKTools, toSandboxSession, toolApproval } = adapter
