import adapter from './ai-sdk.js'

export const { aiAgents, toAISDKTools, toNativeTools, toSandboxSession, toolApproval } = adapter
