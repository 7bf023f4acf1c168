// `tenon/vscode` over a fake of the module `vscode`, typed by `@types/vscode`.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'
import type * as VsCode from 'vscode'

import { Toolkit } from '../index.js'
import { hostFromVsCode, registerVsCodeTools, vsCodeManifest } from '../vscode.js'
import { ROOT, run } from './support/run.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}
class Range {
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}
}
const uriOf = (fsPath: string) => ({ scheme: 'file', fsPath, toString: () => `file://${fsPath}` })

/** An editor: its open documents, what its user answers, and what was shown to it. */
function editorOf(answers: { pick?: any; input?: any; warning?: any; command?: (name: string, ...args: any[]) => any } = {}) {
  const textDocuments: any[] = []
  const said: any[] = []
  const tools = new Map<string, any>()
  const open = (fsPath: string, text: string, { isDirty = true, saves = true } = {}) => {
    const document: any = {
      uri: uriOf(fsPath),
      isDirty,
      isClosed: false,
      getText: () => text,
      positionAt: (at: number) => {
        const lines = text.slice(0, at).split('\n')
        return new Position(lines.length - 1, (lines.at(-1) as string).length)
      },
      change: (edits: [Range, string][]) => {
        for (const [{ start, end }, inserted] of edits) {
          const at = ({ line, character }: Position) => text.split('\n').slice(0, line).join('\n').length + (line > 0 ? 1 : 0) + character
          said.push({ replaced: text.slice(at(start), at(end)), inserted })
          text = text.slice(0, at(start)) + inserted + text.slice(at(end))
        }
        document.isDirty = true
      },
      save: async () => {
        if (!saves) return false
        writeFileSync(fsPath, text)
        document.isDirty = false
        return true
      },
    }
    textDocuments.push(document)
    return document
  }
  const vscode = {
    Position,
    Range,
    Uri: { file: uriOf },
    Disposable: class {
      constructor(readonly dispose: () => void) {}
    },
    WorkspaceEdit: class {
      edits: [any, Range, string][] = []
      replace(uri: any, range: Range, text: string) {
        this.edits.push([uri, range, text])
      }
      entries() {
        return this.edits.map(([uri, range, text]) => [uri, [{ range, newText: text }]])
      }
    },
    CancellationTokenSource: class {
      token = { isCancellationRequested: false }
      cancel() {
        this.token.isCancellationRequested = true
      }
      dispose() {}
    },
    MarkdownString: class {
      constructor(public value = '') {}
      appendCodeblock(code: string, language: string) {
        this.value += `\`\`\`${language}\n${code}\n\`\`\``
      }
    },
    LanguageModelToolResult: class {
      constructor(readonly content: any[]) {}
    },
    LanguageModelTextPart: class {
      constructor(readonly value: string) {}
    },
    LanguageModelDataPart: { image: (data: Uint8Array, mimeType: string) => ({ data, mimeType }) },
    workspace: {
      textDocuments,
      workspaceFolders: [] as any[],
      applyEdit: async ({ edits }: any) => {
        for (const [uri, range, text] of edits) textDocuments.find((document) => document.uri.fsPath === uri.fsPath).change([[range, text]])
        return true
      },
    },
    window: {
      showQuickPick: async (items: any, options: any) => {
        said.push({ items, options })
        return answers.pick?.(items)
      },
      showInputBox: async (options: any) => {
        said.push({ options })
        return answers.input
      },
      showWarningMessage: async (title: string, options: any, ...buttons: string[]) => {
        said.push({ title, options, buttons })
        return answers.warning
      },
    },
    commands: { executeCommand: async (name: string, ...args: any[]) => answers.command?.(name, ...args) },
    languages: { getDiagnostics: () => [{ range: new Range(new Position(1, 2), new Position(1, 3)), message: 'no', severity: 1, source: 'ts' }] },
    lm: {
      registerTool: (name: string, tool: any) => {
        tools.set(name, tool)
        return { dispose: () => tools.delete(name) }
      },
    },
  }
  return { vscode: vscode as unknown as typeof VsCode, open, said, tools }
}

function hosted(editor: ReturnType<typeof editorOf>, files: Record<string, string>, options: object = {}, how?: { save?: boolean }) {
  const root = workspaceOf(files)
  const toolkit = new Toolkit<any>({ workspace: root, permissions: { defaultMode: 'allow' }, ...options, ...hostFromVsCode(editor.vscode, how).options })
  onTestFinished(() => toolkit.close())
  return { root, toolkit, at: (name: string) => path.join(root, name), disk: (name: string) => readFileSync(path.join(root, name), 'utf8') }
}

describe('unsaved text', () => {
  test('is edited in the editor, in the one place that changes, and saved', async () => {
    const editor = editorOf()
    const { toolkit, at, disk } = hosted(editor, { 'a.txt': 'one\ntwo\nthree\n' })
    const document = editor.open(at('a.txt'), 'one\ntwo\nthree\ntyped by the user\n')
    const { content } = await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'two', newText: 'zwei' }] })
    expect(document.getText()).toBe('one\nzwei\nthree\ntyped by the user\n')
    expect(disk('a.txt')).toBe('one\nzwei\nthree\ntyped by the user\n')
    expect(document.isDirty).toBe(false)
    expect(editor.said).toEqual([{ replaced: 'two', inserted: 'zwei' }])
    expect(JSON.stringify(content)).toContain('unsaved changes in the editor of the user, so it was edited there')
  })

  test('comes back by an undo of the call', async () => {
    const editor = editorOf()
    const { toolkit, at } = hosted(editor, { 'a.txt': 'one\ntwo\n' }, {}, { save: false })
    const document = editor.open(at('a.txt'), 'one\ntwo\ntyped by the user\n')
    await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'two', newText: 'zwei' }] }, { toolCallId: 'e1' })
    expect(document.getText()).toBe('one\nzwei\ntyped by the user\n')
    expect(await toolkit.undo('e1')).toEqual([{ path: 'a.txt', kind: 'update' }])
    expect(document.getText()).toBe('one\ntwo\ntyped by the user\n')
  })

  test('stays unsaved where the host wants it so', async () => {
    const editor = editorOf()
    const { toolkit, at, disk } = hosted(editor, { 'a.txt': 'one\n' }, {}, { save: false })
    const document = editor.open(at('a.txt'), 'one\ntyped\n')
    await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'one', newText: 'eins' }] })
    expect([document.getText(), disk('a.txt')]).toEqual(['eins\ntyped\n', 'one\n'])
  })

  test('is not lost to a deletion, nor to a save that fails', async () => {
    const editor = editorOf()
    const { toolkit, at, disk } = hosted(editor, { 'a.txt': 'one\n', 'b.txt': 'one\n' })
    editor.open(at('a.txt'), 'one\ntyped\n')
    const other = editor.open(at('b.txt'), 'one\ntyped\n', { saves: false })
    const patch = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch'
    expect(await failureOf(toolkit.execute('apply_patch', { input: patch }))).toMatchObject({ details: { code: 'unsaved_changes' } })
    expect(disk('a.txt')).toBe('one\n')
    const { content } = await toolkit.execute('edit', { file_path: 'b.txt', edits: [{ oldText: 'one', newText: 'x' }] })
    expect(JSON.stringify(content)).toContain('is as before until the user saves it')
    expect([other.getText(), disk('b.txt')]).toEqual(['x\ntyped\n', 'one\n'])
  })

  test('a file that is saved, or not open, is edited on the disk', async () => {
    const editor = editorOf()
    const { toolkit, at, disk } = hosted(editor, { 'a.txt': 'one\n' })
    editor.open(at('a.txt'), 'one\n', { isDirty: false })
    await toolkit.execute('edit', { file_path: 'a.txt', edits: [{ oldText: 'one', newText: 'eins' }] })
    expect([disk('a.txt'), editor.said]).toEqual(['eins\n', []])
  })
})

describe('dialogs', () => {
  const questions = [{ question: 'Which?', header: 'Choice', options: [{ label: 'a', description: 'the first' }, { label: 'b' }], multiSelect: false }]

  test('questions are pickers, with a text of their own', async () => {
    const editor = editorOf({ pick: (items: any[]) => items.at(-1), input: 'typed' })
    const { askUser } = hostFromVsCode(editor.vscode).options.host as any
    expect(await askUser({ questions }, { signal: new AbortController().signal })).toEqual({ answers: { 'Which?': 'typed' } })
    expect(editor.said[0]).toEqual({
      items: [{ label: 'a', detail: 'the first' }, { label: 'b', detail: undefined }, { label: 'Other…' }],
      options: { title: 'Choice', placeHolder: 'Which?', canPickMany: false, ignoreFocusOut: true },
    })
    const closed = hostFromVsCode(editorOf().vscode).options.host as any
    expect(await closed.askUser({ questions }, { signal: new AbortController().signal })).toBe(null)
  })

  test.each([
    ['Allow once', true],
    [undefined, false],
  ])('an approval is a dialog with the command: %s', async (warning, runs) => {
    const editor = editorOf({ warning })
    const { toolkit } = hosted(editor, {}, { permissions: { ask: ['Bash(touch:*)'] } })
    const call = toolkit.execute('exec', { command: 'touch new.txt' })
    if (runs) expect(((await call) as any).details.exitCode).toBe(0)
    else expect(await failureOf(call)).toMatchObject({ error_type: 'permission_denied' })
    expect(editor.said[0]).toMatchObject({ options: { modal: true, detail: expect.stringContaining('touch new.txt') } })
  })

  test('a window whose directories are elsewhere is refused', () => {
    const { vscode } = editorOf()
    ;(vscode.workspace as any).workspaceFolders = [{ uri: { scheme: 'vscode-vfs', toString: () => 'vscode-vfs://github/a/b' } }]
    expect(() => hostFromVsCode(vscode)).toThrow('The directory `vscode-vfs://github/a/b` is not on this machine.')
  })
})

describe('language features', () => {
  const place = { uri: uriOf('/w/a.ts'), range: new Range(new Position(4, 6), new Position(4, 9)) }
  const command = (name: string, ...args: any[]) => {
    expect(args[0]).toMatchObject({ fsPath: '/w/a.ts' })
    switch (name) {
      case 'vscode.executeDocumentSymbolProvider':
        return [{ name: 'A', kind: 4, selectionRange: place.range, children: [{ name: 'm', kind: 5, selectionRange: place.range, children: [] }] }]
      case 'vscode.executeHoverProvider':
        return [{ contents: [{ value: 'class A' }] }]
      default:
        expect(args[1]).toEqual(new Position(4, 6))
        return name === 'vscode.executeDefinitionProvider' ? [{ targetUri: place.uri, targetSelectionRange: place.range }] : [place]
    }
  }

  test('are asked as functions', async () => {
    const { language } = hostFromVsCode(editorOf({ command }).vscode)
    expect(await language.symbols('/w/a.ts')).toEqual([
      { name: 'A', kind: 'class', line: 5, character: 7 },
      { name: 'A/m', kind: 'method', line: 5, character: 7 },
    ])
    expect(await language.definition('/w/a.ts', 5, 7)).toEqual([{ path: '/w/a.ts', line: 5, character: 7 }])
    expect(await language.references('/w/a.ts', 5, 7)).toEqual([{ path: '/w/a.ts', line: 5, character: 7 }])
    expect(await language.hover('/w/a.ts', 5, 7)).toBe('class A')
    expect(await language.diagnostics('/w/a.ts')).toEqual([{ path: '/w/a.ts', line: 2, character: 3, severity: 'warning', message: 'no', source: 'ts' }])
  })

  test('are a tool of a toolkit, under its rules', async () => {
    const { language } = hostFromVsCode(editorOf({ command: (name: string) => (name.includes('Symbol') ? [] : [place]) }).vscode)
    const toolkit = toolkitOf<any>({ 'a.ts': '', '.env': '' }, { customTools: [language.tool('/w')], permissions: { deny: ['Read(.env)'] } })
    const { content } = await toolkit.execute('editor_language', { operation: 'references', path: 'a.ts', line: 5, character: 7 })
    expect(content).toEqual([{ type: 'text', text: 'a.ts:5:7' }])
    expect(await failureOf(toolkit.execute('editor_language', { operation: 'symbols', path: '.env' }))).toMatchObject({ error_type: 'permission_denied' })
  })
})

describe('tools of its language models', () => {
  const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) } as any

  test('a call is confirmed with its preview, and then runs without another question', async () => {
    const editor = editorOf()
    const toolkit = toolkitOf({ 'a.txt': 'one\n' }, { permissions: { ask: ['Bash(touch:*)'], deny: ['Bash(rm:*)'] } })
    const registered = registerVsCodeTools(editor.vscode, toolkit, { names: ['read', 'exec'] })
    expect([...editor.tools.keys()]).toEqual(['tenon_read', 'tenon_exec'])
    const [read, exec] = [editor.tools.get('tenon_read'), editor.tools.get('tenon_exec')]
    expect((await read.prepareInvocation({ input: { file_path: 'a.txt' } }, token)).confirmationMessages).toBe(undefined)
    expect(await read.invoke({ input: { file_path: 'a.txt' } }, token)).toEqual({ content: [{ value: 'one\n' }] })
    const input = { command: 'touch b.txt' }
    const { confirmationMessages } = await exec.prepareInvocation({ input }, token)
    expect(confirmationMessages.message.value).toContain('touch b.txt')
    expect((await exec.invoke({ input }, token)).content).toHaveLength(1)
    // Not confirmed a second time.
    expect(await failureOf(exec.invoke({ input }, token))).toBeInstanceOf(Error)
    expect((await failureOf(exec.invoke({ input: { command: 'rm a.txt' } }, token))).message).toContain('Denied by the rule')
    registered.dispose()
    expect(editor.tools.size).toBe(0)
  })

  test('the manifest names them, also from the command line', async () => {
    const { contributes } = vsCodeManifest(toolkitOf({}), { names: ['read'] }) as any
    expect(contributes.languageModelTools).toEqual([
      {
        name: 'tenon_read',
        toolReferenceName: 'tenon-read',
        displayName: expect.any(String),
        modelDescription: expect.stringContaining('Read a file.'),
        canBeReferencedInPrompt: true,
        inputSchema: expect.objectContaining({ type: 'object', required: ['file_path'] }),
      },
    ])
    const { code, stdout } = await run(process.execPath, [path.join(ROOT, 'bin/tenon.js'), 'vscode-manifest', '--workspace', workspaceOf()])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).contributes.languageModelTools.map(({ name }: any) => name)).toEqual(expect.arrayContaining(['tenon_read', 'tenon_exec']))
  })
})
