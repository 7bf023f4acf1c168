import tenon = require('./index.js')

export * from './index.js'
export default tenon
