import adapter from './pi.js'

export const { piAgents, piFollowUps, toBeforeToolCall, toPiTools } = adapter
