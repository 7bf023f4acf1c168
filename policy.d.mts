export * from './policy.js'
