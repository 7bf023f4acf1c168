// @ts-check
'use strict'

const { describe, invalidInput } = require('./tool-error.js')

/** Deepest nesting of arrays and objects, as in `contract::limits`. */
const MAX_DEPTH = 64
/** Most values in the parameters of one call: shared references can make a small object endless. */
const MAX_VALUES = 1_000_000
/** More faults than this are not reported. */
const MAX_FAULTS = 50
/** A property name that needs no quotes in a path. */
const PLAIN_NAME = /^[\w$-]+$/

/** @typedef {import('../index.d.ts').ValidationIssue} Issue */

/**
 * Writes the parameters of a call as JSON, and finds every place that JSON would silently change.
 * What was checked is what is sent: each value is read once.
 *
 * `undefined` means absent, and so does `null`, which the core drops where a parameter is optional.
 *
 * @param {unknown} params
 * @returns {{ json: string, faults: Issue[] }} with faults, `json` has null in their places
 */
function encodeParams(params) {
  if (params === undefined || params === null) return { json: '{}', faults: [] }
  const writer = new Writer()
  let json = writer.write(params, '')
  if (json === undefined) json = 'null'
  return { json, faults: writer.faults }
}

/**
 * What is no call's as JSON: options, rules, definitions. Nobody else looks for faults in it at the same time, so those are thrown here.
 *
 * @param {string} who
 * @param {unknown} value
 * @param {string} [lead]
 * @returns {string}
 */
function jsonOf(who, value, lead = '') {
  const { json, faults } = encodeParams(value)
  if (faults.length > 0) throw invalidInput(who, lead + faults.map((fault) => fault.message).join(' '), faults)
  return json
}

class Writer {
  constructor() {
    /** @type {Issue[]} */
    this.faults = []
    /** @type {object[]} what is being written, outermost first */
    this.within = []
    this.values = 0
  }

  /**
   * @param {unknown} value
   * @param {string} path
   * @returns {string | undefined} undefined when the value is absent
   */
  write(value, path) {
    switch (typeof value) {
      case 'string':
        return isWellFormed(value) ? JSON.stringify(value) : this.fault(path, 'contains half of a surrogate pair, which is not a character; send complete text')
      case 'number':
        return Number.isFinite(value) ? String(value) : this.fault(path, `is ${value}, which JSON cannot represent`)
      case 'boolean':
        return value ? 'true' : 'false'
      case 'undefined':
        return undefined
      case 'object':
        return value === null ? 'null' : this.writeObject(value, path)
      default:
        return this.fault(path, `is a ${typeof value}, which JSON cannot represent`)
    }
  }

  /**
   * @param {object} value
   * @param {string} path
   */
  writeObject(value, path) {
    if (this.within.includes(value)) return this.fault(path, 'refers back to an object that it is part of')
    if (this.within.length >= MAX_DEPTH) return this.fault(path, `is nested more than ${MAX_DEPTH} deep`)
    this.within.push(value)
    try {
      return Array.isArray(value) ? this.writeArray(value, path) : this.writeRecord(value, path)
    } catch (error) {
      return this.fault(path, `cannot be read: ${describe(error)}`)
    } finally {
      this.within.pop()
    }
  }

  /**
   * @param {unknown[]} value
   * @param {string} path
   */
  writeArray(value, path) {
    const items = []
    for (let index = 0; index < value.length && this.goesOn(path); index += 1) {
      const place = () => `${path}[${index}]`
      const item = this.read(value, index, place)
      items.push(item ?? this.fault(place(), 'is undefined; leave it out'))
    }
    return `[${items.join()}]`
  }

  /**
   * @param {object} value
   * @param {string} path
   */
  writeRecord(value, path) {
    const kind = Object.prototype.toString.call(value).slice(8, -1)
    if (kind !== 'Object') return this.fault(path, `is a ${kind}, which JSON cannot represent; use strings, numbers, lists and plain objects`)
    if (typeof (/** @type {any} */ (value).toJSON) === 'function' && !Object.hasOwn(value, 'toJSON')) {
      return this.fault(path, 'has a method `toJSON`; send the value that it returns')
    }
    const members = []
    for (const name of Object.keys(value)) {
      if (!this.goesOn(path)) break
      const place = () => member(path, name)
      if (!isWellFormed(name)) {
        this.fault(place(), 'has a name with half of a surrogate pair, which is not a character; send complete text')
        continue
      }
      const written = this.read(value, name, place)
      if (written !== undefined) members.push(`${JSON.stringify(name)}:${written}`)
    }
    return `{${members.join()}}`
  }

  /**
   * @param {any} owner
   * @param {string | number} name
   * @param {() => string} place its path, which only what is not simple needs
   */
  read(owner, name, place) {
    let value
    try {
      value = owner[name]
    } catch (error) {
      return this.fault(place(), `cannot be read: ${describe(error)}`)
    }
    switch (typeof value) {
      case 'undefined':
        return undefined
      case 'boolean':
        return value ? 'true' : 'false'
      case 'string':
        if (isWellFormed(value)) return JSON.stringify(value)
    }
    return this.write(value, place())
  }

  /** @param {string} path */
  goesOn(path) {
    this.values += 1
    if (this.values === MAX_VALUES) this.fault(path, `makes the call exceed ${MAX_VALUES} values`)
    return this.values < MAX_VALUES && this.faults.length < MAX_FAULTS
  }

  /**
   * @param {string} path
   * @param {string} fault
   * @returns {string} what stands in for the value
   */
  fault(path, fault) {
    const subject = path === '' ? 'The parameters object' : `\`${path}\``
    this.faults.push({ param: path, message: `${subject} ${fault}.`, code: 'TYPE_MISMATCH' })
    return 'null'
  }
}

/**
 * @param {string} path
 * @param {string} name
 */
function member(path, name) {
  if (!PLAIN_NAME.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}

/** One surrogate without its other half; the fallback for engines without `isWellFormed`. */
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** @type {(text: string) => boolean} */
const isWellFormed =
  typeof (/** @type {any} */ (String.prototype).isWellFormed) === 'function'
    ? (text) => /** @type {any} */ (text).isWellFormed()
    : (text) => !LONE_SURROGATE.test(text)

/** What the names of operations in a toolkit of any dialect begin with; `native-names.js` makes it where somebody needs it. */
const NATIVE_PREFIX = Symbol.for('tenon.native-names')
/** What the core knows such names by. */
const CORE = '@'

/**
 * The name of a tool as the core takes it.
 *
 * @param {string} tool
 */
function coreName(tool) {
  if (typeof tool !== 'string') return tool
  const plain = plainName(tool)
  if (plain !== tool) return CORE + plain
  // A model has said it: no tool has such a name.
  return tool.startsWith(CORE) ? CORE + tool : tool
}

/**
 * The name of a tool as people read it.
 *
 * @param {string} tool
 */
function plainName(tool) {
  const prefix = /** @type {any} */ (globalThis)[NATIVE_PREFIX]
  return prefix !== undefined && typeof tool === 'string' && tool.startsWith(prefix) ? tool.slice(prefix.length) : tool
}

module.exports = { NATIVE_PREFIX, coreName, plainName, encodeParams, jsonOf }
