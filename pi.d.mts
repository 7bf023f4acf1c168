export * from './pi.js'
