export * from './google.js'
