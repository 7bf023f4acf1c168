// Every example of the README and the docs is checked by TypeScript as strictly as it can be.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

import ts from 'typescript'
import { expect, test } from 'vitest'

import { ROOT } from './support/run.js'

/** What an example takes from the program around it. An example that declares one of these means its own. */
const AROUND = `
import * as tenon from 'tenon'
import * as pi from '@earendil-works/pi-agent-core'
import * as mcp from '@modelcontextprotocol/sdk/types.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import * as zod from 'zod'
declare global {
  const createTools: typeof tenon.createTools
  const Toolkit: typeof tenon.Toolkit
  const Agent: typeof pi.Agent
  const z: typeof zod.z
  const server: Server
  const ListToolsRequestSchema: typeof mcp.ListToolsRequestSchema
  const CallToolRequestSchema: typeof mcp.CallToolRequestSchema
  const toolkit: tenon.Toolkit
  const tools: tenon.Tools
  const workspace: string
  const model: any
  const username: string
  const password: string
  const onApproval: tenon.ToolkitOptions['onApproval']
  function ask(tool: string, preview: unknown): Promise<boolean>
  function release(target: string, bundle: string, options: { signal: AbortSignal }): Promise<string>
  function myDialog(questions: readonly tenon.UserQuestion[], signal: AbortSignal): Promise<Record<string, string>>
  function smallModel(prompt: string): Promise<string>
  const name: string
  const params: unknown
  function callbackOf(redirectUri: string): Promise<string>
  function showSomewhere(request: tenon.ApprovalRequest): Promise<void>
  const myStore: tenon.Store
  class MyStore { constructor(database: unknown) }
  interface MyStore extends tenon.Store {}
  function emptyDatabase(): unknown
  function test(name: string, run: () => Promise<void>): void
  function runMyAgent(prompt: string | null, tools: readonly unknown[], signal: AbortSignal): Promise<string>
  const client: any
  const myAgent: any
  const streamFn: any
  const agents: Record<string, { run(objective: string, options: object): Promise<{ text: string }> }>
}
`

/** The examples by the name of the file that they are checked as, which says where they are. */
function examples(): Map<string, string> {
  const pages = [
    'README.md',
    ...readdirSync(path.join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ]
  const found = pages.flatMap((page) => {
    const text = readFileSync(path.join(ROOT, page), 'utf8')
    return [...text.matchAll(/^```(?:js|ts)\n(.*?)^```/gms)].map(({ 1: code, index }) => {
      const line = text.slice(0, index).split('\n').length
      return [path.join(ROOT, `example ${page.replace('/', ' ')} line ${line}.mts`), `${code}\nexport {}\n`] as const
    })
  })
  return new Map(found)
}

test('the examples of the README and the docs compile under strict', { timeout: 120_000 }, () => {
  const files = examples()
  expect(files.size).toBeGreaterThan(10)
  files.set(path.join(ROOT, 'around.d.mts'), AROUND)
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.getCurrentDirectory = () => ROOT
  host.fileExists = (name) => files.has(path.normalize(name)) || fileExists(name)
  host.readFile = (name) => files.get(path.normalize(name)) ?? readFile(name)
  host.getSourceFile = (name, languageVersion, ...rest) => {
    const text = files.get(path.normalize(name))
    return text === undefined ? getSourceFile(name, languageVersion, ...rest) : ts.createSourceFile(name, text, languageVersion)
  }
  const program = ts.createProgram([...files.keys()], options, host)
  const faults = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const at = file && start !== undefined ? `${path.basename(file.fileName)}+${file.getLineAndCharacterOfPosition(start).line + 1}: ` : ''
    return `${at}${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
  expect(faults).toEqual([])
})
