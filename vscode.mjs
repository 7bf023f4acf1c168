import editor from './vscode.js'

export const { hostFromVsCode, registerVsCodeTools, vsCodeManifest } = editor
export default editor
