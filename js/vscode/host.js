// @ts-check
'use strict'

const { requireOptions } = require('../adapters/calls.js')
const { invalidInput } = require('../tool-error.js')
const { approvalsIn, questionsIn } = require('./dialogs.js')
const { Documents, requireFiles } = require('./documents.js')
const { Language } = require('./language.js')

/**
 * What an editor does for a toolkit, as options of it: `new Toolkit({ workspace, ...hostFromVsCode(vscode).options })`.
 *
 * @param {any} vscode the module `vscode`
 * @param {{ save?: boolean }} [options]
 */
function hostFromVsCode(vscode, options = {}) {
  if (typeof vscode?.workspace?.applyEdit !== 'function') throw invalidInput('hostFromVsCode', 'The first argument must be the module `vscode`.')
  requireOptions('hostFromVsCode', options, ['save'])
  requireFiles(vscode)
  const documents = new Documents(vscode, options.save ?? true)
  const language = new Language(vscode)
  return {
    options: { host: { askUser: questionsIn(vscode) }, onApproval: approvalsIn(vscode), observe: documents.observer },
    language,
  }
}

module.exports = { hostFromVsCode }
