// @ts-check
'use strict'

const { outcomeOf, requireOptions, requireToolkit, toolsOf } = require('../adapters/calls.js')
const { grantsOf } = require('../adapters/grants.js')
const { parametersOf } = require('../definitions.js')
const { textsOf } = require('./dialogs.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/**
 * The tools of a toolkit as tools of the language models of VS Code. The manifest of the extension has to name them: `tenon vscode-manifest`.
 *
 * @param {any} vscode
 * @param {Toolkit} toolkit
 * @param {{ names?: readonly string[], prefix?: string }} [options]
 */
function registerVsCodeTools(vscode, toolkit, options = {}) {
  requireToolkit('registerVsCodeTools', toolkit)
  requireOptions('registerVsCodeTools', options, ['names', 'prefix'])
  const { names, prefix = 'tenon_' } = options
  const registered = toolsOf(toolkit, names).map((tool) => vscode.lm.registerTool(prefix + tool.name, toolOf(vscode, toolkit, tool)))
  return new vscode.Disposable(() => {
    for (const one of registered) one.dispose()
  })
}

/**
 * @param {any} vscode
 * @param {Toolkit} toolkit
 * @param {any} tool
 */
function toolOf(vscode, toolkit, { name, label }) {
  return {
    prepareInvocation: async (/** @type {any} */ { input }) => {
      const { request } = await grantsOf(toolkit).judge(name, input)
      if (!request) return { invocationMessage: label ?? name }
      const { title, text, language } = textsOf({ label, ...request })
      const message = new vscode.MarkdownString(`${request.reason ?? ''}\n\n`)
      message.appendCodeblock(text, language)
      return { invocationMessage: label ?? name, confirmationMessages: { title, message } }
    },
    invoke: async (/** @type {any} */ { input }, /** @type {any} */ token) => {
      const controller = new AbortController()
      const listening = token.onCancellationRequested(() => controller.abort())
      if (token.isCancellationRequested) controller.abort()
      try {
        // What its user was shown and has confirmed runs without another question, if it still does the same.
        const { content, isError } = await outcomeOf(toolkit, name, input, { signal: controller.signal })
        const parts = content.map((/** @type {any} */ part) => partOf(vscode, part))
        if (isError) throw new Error(content.map((/** @type {any} */ part) => part.text ?? '').join('\n'))
        return new vscode.LanguageModelToolResult(parts)
      } finally {
        listening.dispose()
      }
    },
  }
}

/**
 * @param {any} vscode
 * @param {any} part
 */
function partOf(vscode, part) {
  if (part.type === 'text') return new vscode.LanguageModelTextPart(part.text)
  return vscode.LanguageModelDataPart.image(Buffer.from(part.data, 'base64'), part.mimeType)
}

/**
 * What the `package.json` of an extension says of the tools.
 *
 * @param {Toolkit} toolkit
 * @param {{ names?: readonly string[], prefix?: string }} [options]
 */
function vsCodeManifest(toolkit, options = {}) {
  requireToolkit('vsCodeManifest', toolkit)
  requireOptions('vsCodeManifest', options, ['names', 'prefix'])
  const { names, prefix = 'tenon_' } = options
  const tools = toolsOf(toolkit, names).map((tool) => ({
    name: prefix + tool.name,
    toolReferenceName: `${prefix}${tool.name}`.replaceAll('_', '-'),
    displayName: tool.label ?? tool.name,
    modelDescription: tool.description,
    canBeReferencedInPrompt: true,
    inputSchema: parametersOf(toolkit, tool),
  }))
  return { contributes: { languageModelTools: tools } }
}

module.exports = { registerVsCodeTools, vsCodeManifest }
