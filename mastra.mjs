import adapter from './mastra.js'

export const { toMastraTools } = adapter
// Failures are of the classes that a program gets by `import`, too.
export const toWorkspace = (toolkit, options) => adapter.toWorkspace(toolkit, options, () => import('@mastra/core/workspace'))
