import adapter from './openclaw.js'

export const { openclawManifest, openclawPlugin } = adapter
