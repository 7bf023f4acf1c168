import conformance from './store-conformance.js'

export const { MemoryStore, checkStore, storeChecks } = conformance
export default conformance
