import remotes = require('./remote.js')

export * from './remote.js'
export default remotes
