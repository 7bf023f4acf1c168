// @ts-check
'use strict'

const path = require('node:path')

const { Editor } = require('../acp/editor.js')
const { CallReport } = require('../acp/report.js')
const { invalidInput } = require('../tool-error.js')

/**
 * The documents of an editor that its user has not saved: calls edit them there, so that nothing of them is lost. Everything else is on the disk.
 */
class Documents {
  #vscode
  #save
  #editor
  #session

  /**
   * @param {any} vscode
   * @param {boolean} save
   */
  constructor(vscode, save) {
    this.#vscode = vscode
    this.#save = save
    this.#session = {
      workspace: '',
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      request: (/** @type {string} */ method, /** @type {any} */ params) => (method === 'fs/read_text_file' ? this.#read(params.path) : this.#write(params)),
    }
    this.#editor = new Editor(this.#session)
  }

  /** What a toolkit is observed with. */
  get observer() {
    return {
      opened: (/** @type {any} */ _, /** @type {string} */ workspace) => {
        this.#session.workspace = path.resolve(workspace)
      },
      around: (/** @type {any} */ call, /** @type {any} */ run) => {
        const report = new CallReport(this.#session, call)
        return this.#editor.run(report, () => run({ onUpdate: () => {}, signal: report.signal }))
      },
      undo: (/** @type {string} */ id, /** @type {any} */ run) => this.#editor.undo(id, run),
    }
  }

  /**
   * The document of a file that has something unsaved.
   *
   * @param {string} file
   */
  #dirty(file) {
    return this.#vscode.workspace.textDocuments.find(
      (/** @type {any} */ { uri, isDirty, isClosed }) => isDirty && !isClosed && uri.scheme === 'file' && path.resolve(uri.fsPath) === file,
    )
  }

  /** @param {string} file */
  async #read(file) {
    return { content: this.#dirty(file)?.getText() }
  }

  /** @param {{ path: string, content: string }} change */
  async #write({ path: file, content }) {
    const document = this.#dirty(file)
    if (!document) throw new Error('its document was closed or saved meanwhile')
    const edit = new this.#vscode.WorkspaceEdit()
    edit.replace(document.uri, ...changeOf(this.#vscode, document, content))
    if (!(await this.#vscode.workspace.applyEdit(edit))) throw new Error('the editor refused the edit')
    // What is applied is in the document only. Where it cannot be saved it stays there, which the answer of the call says.
    if (this.#save) await document.save()
  }
}

/**
 * The one range in which two texts differ: what the user looks at stays where it is.
 *
 * @param {any} vscode
 * @param {any} document
 * @param {string} after
 * @returns {[any, string]}
 */
function changeOf(vscode, document, after) {
  const before = document.getText()
  const wanted = before.includes('\r\n') && !after.includes('\r\n') ? after.replaceAll('\n', '\r\n') : after
  const most = Math.min(before.length, wanted.length)
  let start = 0
  while (start < most && before[start] === wanted[start]) start += 1
  let end = 0
  while (end < most - start && before.at(-1 - end) === wanted.at(-1 - end)) end += 1
  const range = new vscode.Range(document.positionAt(start), document.positionAt(before.length - end))
  return [range, wanted.slice(start, wanted.length - end)]
}

/**
 * Refuses a window whose files are no files of this machine.
 *
 * @param {any} vscode
 */
function requireFiles(vscode) {
  const other = (vscode.workspace.workspaceFolders ?? []).find((/** @type {any} */ { uri }) => uri.scheme !== 'file')
  if (other === undefined) return
  throw invalidInput(
    'hostFromVsCode',
    `The directory \`${other.uri.toString()}\` is not on this machine. Run the extension where the files are (\`"extensionKind": ["workspace"]\`), or open a directory of this machine.`,
  )
}

module.exports = { Documents, requireFiles }
