export * from './openclaw.js'
