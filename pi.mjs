import adapter from './pi.js'

export const { toBeforeToolCall, toPiTools } = adapter
