export * from './llamaindex.js'
