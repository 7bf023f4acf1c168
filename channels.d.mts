import channels = require('./channels.js')

export * from './channels.js'
export default channels
