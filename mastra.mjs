import adapter from './mastra.js'

export const { toMastraTools, toWorkspace } = adapter
