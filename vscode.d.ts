// A toolkit in an extension of VS Code. The types are those of the module `vscode` as far as they are used, so that nothing has to be installed.

import type { CallObserver, Toolkit, ToolkitOptions } from './index.js'

/** The module `vscode`. */
export type VsCode = any

/** A place in a file; lines and characters count from 1. */
export interface EditorPlace {
  /** The file, by its absolute path. */
  path: string
  /** From 1. */
  line: number
  /** From 1. */
  character: number
}

/** What the language features of the editor know of code. Paths are absolute. */
export interface EditorLanguage {
  /** The symbols of a file. */
  symbols(file: string): Promise<{ name: string; kind: string; line: number; character: number }[]>
  /** Where a name is defined. */
  definition(file: string, line: number, character: number): Promise<EditorPlace[]>
  /** Where a name is used. */
  references(file: string, line: number, character: number): Promise<EditorPlace[]>
  /** What the editor shows of a name. */
  hover(file: string, line: number, character: number): Promise<string>
  /** Of a file, or of all files. */
  diagnostics(file?: string): Promise<(EditorPlace & { severity: string; message: string; source?: string })[]>
  /** Renames in the editor and saves; the files that were changed. */
  rename(file: string, line: number, character: number, newName: string): Promise<string[]>
  /** A tool `editor_language` for the option `customTools`: everything but `rename`. */
  tool(workspace: string): any
}

/** Options for a toolkit that works in VS Code. */
export interface VsCodeHost {
  /** Options of a toolkit: questions as pickers, approvals as dialogs, and edits of unsaved documents in the editor. */
  options: Pick<ToolkitOptions, 'host' | 'onApproval'> & { observe: CallObserver }
  /** What the language features of the editor know. */
  language: EditorLanguage
}

/**
 * What an editor does for a toolkit: `new Toolkit({ workspace, ...hostFromVsCode(vscode).options })`. Files are on the disk, as ever; a
 * document with unsaved changes is edited in the editor. `save`: whether it is saved then, with what its user has typed. Default: true.
 *
 * @throws {ToolError} where a directory of the window is not on this machine
 */
export declare function hostFromVsCode(vscode: VsCode, options?: { save?: boolean | undefined }): VsCodeHost

/** Options of `registerVsCodeTools`. */
export interface VsCodeToolOptions {
  /** Only these tools. Default: all. */
  names?: readonly string[] | undefined
  /** What their names begin with there. Default: `tenon_`. */
  prefix?: string | undefined
}

/**
 * The tools as tools of the language models of VS Code. A call that requires approval is confirmed in the chat, with its preview; confirmed, it
 * runs once, if it still does what was shown. The manifest of the extension has to name them: `vsCodeManifest`.
 */
export declare function registerVsCodeTools(vscode: VsCode, toolkit: Toolkit<any>, options?: VsCodeToolOptions): { dispose(): any }

/** What the `package.json` of an extension says of the tools; `tenon vscode-manifest` prints it. */
export declare function vsCodeManifest(toolkit: Toolkit<any>, options?: VsCodeToolOptions): { contributes: { languageModelTools: object[] } }
