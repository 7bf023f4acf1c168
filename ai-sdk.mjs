import adapter from './ai-sdk.js'

export const { toAISDKTools, toolApproval } = adapter
