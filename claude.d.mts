export * from './claude.js'
