import adapter from './google.js'

export const { pendingApprovals, toCallableTool } = adapter
