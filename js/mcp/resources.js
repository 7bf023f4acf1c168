// @ts-check
'use strict'

const { completed } = require('./prompts.js')
const { INVALID_PARAMS, RequestError } = require('./protocol.js')
const { invalidInput } = require('../tool-error.js')

/** @typedef {import('../../index.d.ts').McpResource} McpResource */

/** The resources of a server for one client. */
class Resources {
  #all

  /** @param {readonly McpResource[]} all of which each was checked */
  constructor(all) {
    this.#all = all
  }

  get isEmpty() {
    return this.#all.length === 0
  }

  list() {
    return this.#all.filter((resource) => resource.uri !== undefined).map(described)
  }

  templates() {
    return this.#all.filter((resource) => resource.uriTemplate !== undefined).map(described)
  }

  /** Whether a client can learn that one of them changed. */
  get isWatched() {
    return this.#all.some(({ watch }) => watch)
  }

  /** Whether a variable of any template can be completed. */
  get isCompleted() {
    return this.#all.some(({ complete }) => complete)
  }

  /**
   * @param {any} params
   * @param {import('../../index.d.ts').McpRequestContext} context
   */
  async read({ uri }, context) {
    if (typeof uri !== 'string') throw new RequestError(INVALID_PARAMS, '`params.uri` must be the URI of a resource.')
    const { resource, variables } = this.#at(uri) ?? {}
    if (!resource || !variables) throw new RequestError(INVALID_PARAMS, `There is no resource \`${uri}\`.`, { uri })
    return { contents: [contentsOf(uri, resource, await resource.read(uri, variables, context))] }
  }

  /**
   * Calls `changed` whenever a resource changes, until the function that it returns is called; nothing where there is no such resource, or nobody
   * would notice a change.
   *
   * @param {unknown} uri
   * @param {() => void} changed
   */
  watch(uri, changed) {
    const { resource, variables } = (typeof uri === 'string' && this.#at(uri)) || {}
    if (!resource?.watch || !variables) return undefined
    return resource.watch(/** @type {string} */ (uri), changed, variables) ?? (() => {})
  }

  /**
   * What a variable of a template may be.
   *
   * @param {any} uriTemplate
   * @param {any} argument
   * @param {Record<string, string>} others
   */
  async complete(uriTemplate, argument, others) {
    const resource = this.#all.find((one) => one.uriTemplate === uriTemplate || one.uri === uriTemplate)
    if (!resource) throw new RequestError(INVALID_PARAMS, `There is no template \`${uriTemplate}\`.`, { uri: uriTemplate })
    return completed(resource.complete?.[argument.name], argument.value, others)
  }

  /** @param {string} uri */
  #at(uri) {
    for (const resource of this.#all) {
      const variables = variablesOf(resource, uri)
      if (variables) return { resource, variables }
    }
    return undefined
  }
}

/** @param {McpResource} resource */
function checkedResource(resource) {
  const { uri, uriTemplate, name, read } = resource ?? {}
  if ((typeof uri === 'string') !== (typeof uriTemplate === 'string') && typeof name === 'string' && typeof read === 'function') return resource
  throw invalidInput('resources', 'A resource must have a `uri` or a `uriTemplate`, a `name`, and a function `read`.')
}

/** @param {McpResource} resource */
function described({ read: _read, watch: _watch, complete: _complete, ...description }) {
  return description
}

/**
 * The variables of a template that a URI fills; none of a resource with a URI of its own.
 *
 * @param {McpResource} resource
 * @param {string} uri
 * @returns {Record<string, string> | undefined}
 */
function variablesOf({ uri: own, uriTemplate }, uri) {
  if (uriTemplate === undefined) return own === uri ? {} : undefined
  /** @type {string[]} */
  const names = []
  /** Those that are one part of a path. @type {string[]} */
  const parts = []
  /** @type {string[]} */
  const queries = []
  const pattern = uriTemplate.split(/(\{[^{}]+\})/).map((part) => {
    if (!/^\{.+\}$/.test(part)) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    // `{?a,b}` is a query that may be there.
    if (part[1] === '?') {
      queries.push(...part.slice(2, -1).split(','))
      return '(?:\\?(?<query>[^#]*))?'
    }
    // `{+path}` may have slashes in it.
    const isPath = part[1] === '+'
    const name = part.slice(isPath ? 2 : 1, -1)
    names.push(name)
    if (!isPath) parts.push(name)
    return isPath ? '(.+?)' : '([^/]+?)'
  })
  const found = new RegExp(`^${pattern.join('')}$`).exec(uri)
  if (!found) return undefined
  const query = [...new URLSearchParams(found.groups?.query)].filter(([name]) => queries.includes(name))
  const variables = Object.fromEntries([...names.map((name, index) => [name, decoded(found[index + 1])]), ...query])
  // An escaped slash would lead out of the part.
  return parts.some((name) => variables[name]?.includes('/')) ? undefined : variables
}

/** @param {string} value */
function decoded(value) {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/**
 * @param {string} uri
 * @param {McpResource} resource
 * @param {any} content
 */
function contentsOf(uri, { mimeType }, content) {
  const {
    text,
    data,
    mimeType: own = mimeType,
    _meta,
  } = typeof content === 'string' ? { text: content } : content instanceof Uint8Array ? { data: content } : (content ?? {})
  const common = { uri, ...(own !== undefined && { mimeType: own }), ...(_meta !== undefined && { _meta }) }
  if (typeof text === 'string') return { ...common, text }
  if (data instanceof Uint8Array) return { ...common, blob: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64') }
  throw new Error(`the resource \`${uri}\` returned neither a text nor bytes`)
}

module.exports = { Resources, checkedResource }
