// @ts-check
'use strict'

const path = require('node:path')

/** Longest list that is returned. */
const MOST = 200
const OPERATIONS = ['symbols', 'definition', 'references', 'hover', 'diagnostics']
const SEVERITIES = ['error', 'warning', 'information', 'hint']

/** What the language features of an editor know of code: no server of ours is started for it. Lines and characters count from 1. */
class Language {
  #vscode

  /** @param {any} vscode */
  constructor(vscode) {
    this.#vscode = vscode
  }

  /**
   * @param {string} command
   * @param {...any} args
   */
  #ask(command, ...args) {
    return this.#vscode.commands.executeCommand(`vscode.${command}`, ...args)
  }

  /** @param {string} file */
  #uri(file) {
    return this.#vscode.Uri.file(path.resolve(file))
  }

  /**
   * @param {number} line
   * @param {number} character
   */
  #position(line, character) {
    return new this.#vscode.Position(line - 1, character - 1)
  }

  /** The symbols of a file. @param {string} file */
  async symbols(file) {
    return symbolsOf((await this.#ask('executeDocumentSymbolProvider', this.#uri(file))) ?? [], '')
  }

  /**
   * @param {string} file
   * @param {number} line
   * @param {number} character
   */
  async definition(file, line, character) {
    return placesOf(await this.#ask('executeDefinitionProvider', this.#uri(file), this.#position(line, character)))
  }

  /**
   * @param {string} file
   * @param {number} line
   * @param {number} character
   */
  async references(file, line, character) {
    return placesOf(await this.#ask('executeReferenceProvider', this.#uri(file), this.#position(line, character)))
  }

  /**
   * @param {string} file
   * @param {number} line
   * @param {number} character
   */
  async hover(file, line, character) {
    const hovers = (await this.#ask('executeHoverProvider', this.#uri(file), this.#position(line, character))) ?? []
    const parts = hovers.flatMap((/** @type {any} */ { contents }) => contents)
    return parts.map((/** @type {any} */ part) => (typeof part === 'string' ? part : part.value)).join('\n\n')
  }

  /** What is wrong in a file, or in all files. @param {string} [file] */
  async diagnostics(file) {
    const { languages } = this.#vscode
    const all = file === undefined ? languages.getDiagnostics() : [[this.#uri(file), languages.getDiagnostics(this.#uri(file))]]
    return all.flatMap((/** @type {any} */ [uri, found]) =>
      found.map((/** @type {any} */ { range, message, severity, source }) => ({
        ...placeOf(uri, range),
        severity: SEVERITIES[severity] ?? 'error',
        message,
        ...(source && { source }),
      })),
    )
  }

  /**
   * Renames a symbol wherever it is used, in the editor, and saves what was changed.
   *
   * @param {string} file
   * @param {number} line
   * @param {number} character
   * @param {string} newName
   */
  async rename(file, line, character, newName) {
    const edit = await this.#ask('executeDocumentRenameProvider', this.#uri(file), this.#position(line, character), newName)
    const changed = edit?.entries().map((/** @type {any} */ [uri]) => uri.fsPath) ?? []
    if (changed.length === 0) return []
    if (!(await this.#vscode.workspace.applyEdit(edit))) throw new Error('The editor refused the edit.')
    for (const document of this.#vscode.workspace.textDocuments) {
      if (!changed.includes(document.uri.fsPath) || !document.isDirty) continue
      if (!(await document.save())) throw new Error(`\`${document.uri.fsPath}\` was edited, and could not be saved.`)
    }
    return changed
  }

  /**
   * A tool for the option `customTools`, over what can be asked.
   *
   * @param {string} workspace
   */
  tool(workspace) {
    return {
      name: 'editor_language',
      description:
        'Ask the language features of the editor about code: `symbols` of a file, `definition`, `references` and `hover` of the name at a place, `diagnostics` of a file. Lines and characters count from 1.',
      parameters: {
        type: 'object',
        properties: {
          operation: { type: 'string', enum: OPERATIONS, description: 'What to ask for.' },
          path: { type: 'string', description: 'File path, absolute or relative to the workspace.' },
          line: { type: 'integer', minimum: 1, description: 'Line of the name.' },
          character: { type: 'integer', minimum: 1, description: 'Character of the name on its line.' },
        },
        required: ['operation', 'path'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
      effects: { reads: ['path'], hosts: [] },
      handler: async (/** @type {any} */ { operation, path: file, line, character }) => {
        const at = path.resolve(workspace, file)
        if (operation === 'symbols' || operation === 'diagnostics') return textOf(await this[/** @type {'symbols'} */ (operation)](at), workspace)
        if (line === undefined || character === undefined) throw new Error(`\`${operation}\` needs \`line\` and \`character\`.`)
        return textOf(await this[/** @type {'hover'} */ (operation)](at, line, character), workspace)
      },
    }
  }
}

/**
 * @param {any[] | string} found
 * @param {string} workspace
 */
function textOf(found, workspace) {
  if (typeof found === 'string') return found === '' ? 'Nothing is known of this place.' : found
  if (found.length === 0) return 'Nothing was found.'
  const lines = found.slice(0, MOST).map(({ path: file, line, character, kind, name, severity, message }) => {
    const where = `${path.relative(workspace, file ?? workspace) || '.'}:${line}:${character}`
    if (message !== undefined) return `${where}: ${severity}: ${message}`
    return name === undefined ? where : `${line}:${character}: ${kind} ${name}`
  })
  return [...lines, ...(found.length > MOST ? [`[${found.length - MOST} more]`] : [])].join('\n')
}

/**
 * @param {any[]} symbols
 * @param {string} within
 * @returns {any[]}
 */
function symbolsOf(symbols, within) {
  return symbols.flatMap(({ name, kind, selectionRange, range, location, children = [] }) => {
    const full = within === '' ? name : `${within}/${name}`
    const { start } = selectionRange ?? range ?? location.range
    return [{ name: full, kind: KINDS[kind] ?? 'symbol', line: start.line + 1, character: start.character + 1 }, ...symbolsOf(children, full)]
  })
}

/** As `SymbolKind` numbers them. */
const KINDS = [
  'file',
  'module',
  'namespace',
  'package',
  'class',
  'method',
  'property',
  'field',
  'constructor',
  'enum',
  'interface',
  'function',
  'variable',
  'constant',
  'string',
  'number',
  'boolean',
  'array',
  'object',
  'key',
  'null',
  'enum member',
  'struct',
  'event',
  'operator',
  'type parameter',
]

/** @param {any} found locations, or links to them */
function placesOf(found) {
  return (found ?? []).map((/** @type {any} */ { uri, range, targetUri, targetSelectionRange, targetRange }) =>
    placeOf(uri ?? targetUri, range ?? targetSelectionRange ?? targetRange),
  )
}

/**
 * @param {any} uri
 * @param {any} range
 */
function placeOf(uri, { start }) {
  return { path: uri.fsPath, line: start.line + 1, character: start.character + 1 }
}

module.exports = { Language }
