import adapter from './llamaindex.js'

export const { toLlamaIndexTools } = adapter
