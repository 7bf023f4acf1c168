import conformance = require('./agents.js')

export * from './agents.js'
export default conformance
