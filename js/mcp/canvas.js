// @ts-check
'use strict'

const { INVALID_PARAMS, RequestError } = require('./protocol.js')

/** The extension by which a client says that it shows pages (MCP Apps, 2026-01-26). */
const EXTENSION = 'io.modelcontextprotocol/ui'
const MIME_TYPE = 'text/html;profile=mcp-app'
/** The page that takes its content from the result of a call. */
const TEMPLATE_URI = 'ui://tenon/canvas'
/** Where the result of a call has the content for that page. Hosts keep what is in `_meta` from the model. */
const META = 'tenon/canvas'

/** @typedef {import('../../index.d.ts').CanvasDocument} CanvasDocument */

/** The canvases of a toolkit, for a client that shows pages. */
class CanvasApp {
  #toolkit

  /** @param {any} toolkit */
  constructor(toolkit) {
    this.#toolkit = toolkit
  }

  /** What the server says of itself. */
  get extensions() {
    return { [EXTENSION]: { mimeTypes: [MIME_TYPE] } }
  }

  /**
   * What a tool's definition says of its page. The page itself may not call the tool: its content is not the model.
   *
   * @param {any} tool
   */
  toolMeta(tool) {
    if (tool?.metadata?.operation !== 'canvas') return undefined
    // The flat key is that of older clients.
    return { ui: { resourceUri: TEMPLATE_URI, visibility: ['model'] }, 'ui/resourceUri': TEMPLATE_URI }
  }

  /**
   * The content for the page, with the result of a call that shows something.
   *
   * @param {string} name of the tool
   * @param {any} result as the client gets it
   */
  resultMeta(name, result) {
    const details = result?.structuredContent ?? result?._meta?.['tenon/details']
    const isShown = details?.action === 'present' || details?.action === 'update'
    if (!isShown || this.#toolkit.getTool(name)?.metadata?.operation !== 'canvas') return undefined
    const document = this.#toolkit.canvas(details.resourceUri)
    return document && { [META]: document.state }
  }

  /**
   * The page without content, the canvases that are shown, and each of them by its id.
   *
   * @returns {import('../../index.d.ts').McpResource[]}
   */
  resources() {
    const read = (/** @type {string} */ uri) => this.#read(uri)
    const common = { mimeType: MIME_TYPE, read }
    const shown = this.#toolkit.canvases().map((/** @type {any} */ { uri, title }) => ({ uri, name: uri.slice('ui://'.length), title, ...common }))
    return [
      { uri: TEMPLATE_URI, name: 'tenon/canvas', title: 'Canvas', description: 'Shows what the tool `canvas` presents.', ...common },
      ...shown,
      { uriTemplate: `${TEMPLATE_URI}/{id}`, name: 'tenon/canvas/id', title: 'One canvas', description: 'A canvas with its content.', ...common },
    ]
  }

  /** @param {string} uri */
  #read(uri) {
    const document = this.#toolkit.canvas(uri)
    if (!document) throw new RequestError(INVALID_PARAMS, `There is no resource \`${uri}\`.`, { uri })
    const { mimeType, text, csp } = document
    return { mimeType, text, _meta: { ui: { csp, prefersBorder: true } } }
  }
}

/**
 * The canvases of a toolkit, if its agent shows pages and the client does.
 *
 * @param {any} toolkit
 * @param {any} clientCapabilities
 * @returns {CanvasApp | undefined}
 */
function canvasApp(toolkit, clientCapabilities) {
  const mimeTypes = clientCapabilities?.extensions?.[EXTENSION]?.mimeTypes
  if (!Array.isArray(mimeTypes) || !mimeTypes.includes(MIME_TYPE)) return undefined
  const isShown = typeof toolkit.canvases === 'function' && toolkit.listTools().some((/** @type {any} */ { metadata }) => metadata?.operation === 'canvas')
  return isShown && toolkit.canvases() !== undefined ? new CanvasApp(toolkit) : undefined
}

module.exports = { canvasApp }
