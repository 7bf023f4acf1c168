export * from './mastra.js'
