import editor = require('./vscode.js')

export * from './vscode.js'
export default editor
