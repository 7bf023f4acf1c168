// @ts-check
'use strict'

const { hostFromVsCode } = require('./js/vscode/host.js')
const { registerVsCodeTools, vsCodeManifest } = require('./js/vscode/tools.js')

module.exports = { hostFromVsCode, registerVsCodeTools, vsCodeManifest }
