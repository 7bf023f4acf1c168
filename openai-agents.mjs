import adapter from './openai-agents.js'

export const { toAgentsTools, toEditor, toShell } = adapter
