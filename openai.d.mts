export * from './openai.js'
