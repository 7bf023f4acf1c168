import conformance = require('./store-conformance.js')

export * from './store-conformance.js'
export default conformance
