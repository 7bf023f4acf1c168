import adapter from './agents.js'

export const { aiAgents, claudeAgents, piAgents, piFollowUps } = adapter
