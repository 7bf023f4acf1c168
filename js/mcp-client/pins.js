// @ts-check
'use strict'

const { createHash } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { dirname, resolve } = require('node:path')

/** Most characters of one side of a difference. */
const SHOWN = 1500

/**
 * @typedef {Record<string, unknown>} Definition what a model reads of a tool, and its annotations
 * @typedef {Record<string, Record<string, { hash: string, definition: Definition }>>} Pinned by identity of the server, by tool
 */

/**
 * The definitions of tools as they were when their server was first used, or when somebody approved a call of them. A tool
 * whose definition is another one asks, whatever allows it.
 */
class Pins {
  /** @type {Pinned} */
  #known = {}
  /** @type {any} */
  #place
  #isBroken = false
  /** @type {Promise<void>} */
  #loaded
  /** @type {Promise<void>} */
  #saved = Promise.resolve()

  /** @param {any} place 'session', 'off', `{ file }`, or a store */
  constructor(place) {
    this.#place = place
    this.#loaded = this.#load()
  }

  /** Done when the pins of before are known. */
  get loaded() {
    return this.#loaded
  }

  async #load() {
    try {
      if (typeof this.#place?.file === 'string') this.#known = parsed(textOf(resolve(this.#place.file)))
      else if (typeof this.#place?.load === 'function') this.#known = parsed(await this.#place.load())
    } catch {
      // What is not known counts as changed.
      this.#isBroken = true
    }
  }

  /**
   * Takes in what a server lists. An unknown server is taken as it is.
   *
   * @param {string} identity
   * @param {readonly { name: string }[]} tools
   */
  meet(identity, tools) {
    if (this.#place === 'off' || this.#isBroken || Object.hasOwn(this.#known, identity)) return
    this.#known[identity] = Object.fromEntries(tools.map((tool) => [tool.name, pinOf(tool)]))
    this.#save()
  }

  /**
   * What has to be asked before a call of this tool, if anything.
   *
   * @param {string} server
   * @param {string} identity
   * @param {any} tool
   */
  question(server, identity, tool) {
    if (this.#place === 'off') return undefined
    const pin = this.#pin(identity, tool.name)
    const now = pinOf(tool)
    if (pin?.hash === now.hash) return undefined
    const change = pin ? difference(pin.definition, now.definition) : `New: ${JSON.stringify(now.definition, null, 2).slice(0, SHOWN)}`
    const reason = this.#isBroken
      ? `The stored definitions of MCP tools cannot be read, so \`${tool.name}\` of the server \`${server}\` counts as changed.`
      : pin
        ? `The definition of \`${tool.name}\` of the MCP server \`${server}\` changed since it was approved.`
        : `The MCP server \`${server}\` has the new tool \`${tool.name}\`.`
    return { reason, preview: { definition: change } }
  }

  /**
   * Somebody has approved a call of the tool as it is now.
   *
   * @param {string} identity
   * @param {any} tool
   */
  accept(identity, tool) {
    if (this.#place === 'off') return
    const now = pinOf(tool)
    if (this.#pin(identity, tool.name)?.hash === now.hash) return
    if (!Object.hasOwn(this.#known, identity)) this.#known[identity] = {}
    this.#known[identity][tool.name] = now
    this.#save()
  }

  /**
   * @param {string} identity
   * @param {string} tool
   */
  #pin(identity, tool) {
    const known = Object.hasOwn(this.#known, identity) ? this.#known[identity] : {}
    return Object.hasOwn(known, tool) ? known[tool] : undefined
  }

  #save() {
    // A file that could not be read is not overwritten.
    if (this.#isBroken) return
    if (typeof this.#place?.file === 'string') write(resolve(this.#place.file), this.#known)
    else if (typeof this.#place?.save === 'function') {
      const text = JSON.stringify(this.#known)
      const { warnOnce } = require('../notices.js')
      this.#saved = this.#saved
        .then(() => this.#place.save(text))
        .catch(() => warnOnce(['The definitions of MCP tools could not be saved by `mcp.pins.save`. Their tools require approval again at the next start.']))
    }
  }

  /** Done when everything is saved. */
  get saved() {
    return this.#saved
  }
}

/** @param {any} tool */
function pinOf(tool) {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  const definition = /** @type {Definition} */ (JSON.parse(JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations })))
  return { hash: createHash('sha256').update(canonical(definition)).digest('hex'), definition }
}

/**
 * JSON whose members are in the order of their names.
 *
 * @param {any} value
 * @returns {string}
 */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}

/**
 * @param {Definition} before
 * @param {Definition} after
 */
function difference(before, after) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => canonical(before[name] ?? null) !== canonical(after[name] ?? null))
  return changed.map((name) => `${name}:\n${side('-', before[name])}\n${side('+', after[name])}`).join('\n')
}

/**
 * @param {string} mark
 * @param {unknown} value
 */
function side(mark, value) {
  if (value === undefined) return `${mark} (none)`
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  return shown
    .split('\n')
    .map((line) => `${mark} ${line}`)
    .join('\n')
}

/** @param {string} file */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (/** @type {any} */ (error).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * @param {unknown} text
 * @returns {Pinned}
 */
function parsed(text) {
  if (text === undefined || text === null || text === '') return {}
  const value = JSON.parse(String(text))
  const isPin = (/** @type {any} */ pin) => typeof pin?.hash === 'string' && typeof pin?.definition === 'object'
  const isServer = (/** @type {any} */ tools) => typeof tools === 'object' && tools !== null && Object.values(tools).every(isPin)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.values(value).every(isServer)) throw new Error('not pins')
  return value
}

/**
 * @param {string} file
 * @param {Pinned} known
 */
function write(file, known) {
  try {
    mkdirSync(dirname(file), { recursive: true })
    const beside = `${file}.${process.pid}.new`
    writeFileSync(beside, JSON.stringify(known, null, 2), { mode: 0o600 })
    renameSync(beside, file)
  } catch (error) {
    const { describe } = require('../tool-error.js')
    require('../notices.js').warnOnce([
      `The definitions of MCP tools could not be saved to \`${file}\`: ${describe(error)}. Their tools require approval again at the next start.`,
    ])
  }
}

module.exports = { Pins }
