export * from './anthropic.js'
