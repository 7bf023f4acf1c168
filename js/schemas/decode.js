// @ts-check
'use strict'

const { isRecord, kindOf, listOf, referred } = require('./facts.js')
const { CODE } = require('./translate.js')

/**
 * What a model sends for a translated schema, as the schema of the tool has it: names, JSON text, nulls.
 *
 * @param {any} root the translated schema
 * @param {any} value
 * @param {boolean} isShown whether the model was shown that schema. If not, only what cannot be anything else is changed.
 * @returns {any} the value itself where nothing is to be changed
 */
function decoded(root, value, isShown) {
  return new Decoding(root, isShown).node(root, value)
}

class Decoding {
  #root
  #isShown

  /**
   * @param {any} root
   * @param {boolean} isShown
   */
  constructor(root, isShown) {
    this.#root = root
    this.#isShown = isShown
  }

  /**
   * @param {any} node
   * @param {any} value
   * @returns {any}
   */
  node(node, value) {
    if (!isRecord(node)) return value
    if (typeof node.$ref === 'string') return this.node(referred(this.#root, node.$ref), value)
    const code = /** @type {any} */ (node)[CODE]
    if (typeof value === 'string') return code?.text ? this.#parsed(value, code.text) : this.#chosen(node, value)
    if (Array.isArray(value) && node.items) return changed(value, (item) => this.node(node.items, item))
    if (isRecord(value) && node.properties) return this.#object(node, value)
    return this.#chosen(node, value)
  }

  /**
   * By the first of the choices that fits.
   *
   * @param {any} node
   * @param {any} value
   */
  #chosen(node, value) {
    const fitting = listOf(node.anyOf).filter((choice) => this.#fits(choice, value))
    return fitting.length > 0 ? this.node(fitting[0], value) : value
  }

  /**
   * @param {any} node
   * @param {any} value
   * @returns {boolean}
   */
  #fits(node, value) {
    if (typeof node?.$ref === 'string') return this.#fits(referred(this.#root, node.$ref), value)
    if (node?.anyOf) return node.anyOf.some((/** @type {any} */ choice) => this.#fits(choice, value))
    const types = [node?.type].flat()
    const kind = kindOf(value)
    if (!types.includes(kind) && !(kind === 'number' && types.includes('integer'))) return false
    if (node.enum && !node.enum.includes(value)) return false
    if (!isRecord(value) || !node.properties) return true
    const isThere = (/** @type {string} */ name) => Object.hasOwn(value, name)
    return (
      listOf(node.required).every(isThere) &&
      Object.keys(value).every((name) => Object.hasOwn(node.properties, name)) &&
      Object.entries(node.properties).every(([name, child]) => !child?.enum || !isThere(name) || child.enum.includes(value[name]))
    )
  }

  /**
   * @param {any} node
   * @param {Record<string, any>} value
   */
  #object(node, value) {
    const { names, absent, whole } = node[CODE] ?? {}
    if (whole !== undefined && typeof value[whole] === 'string') {
      const parsed = this.#parsed(value[whole], new Set(['object']))
      const { [whole]: _text, ...others } = value
      return isRecord(parsed) ? { ...others, ...parsed } : value
    }
    let isChanged = false
    const entries = Object.entries(value).flatMap(([shown, member]) => {
      const name = names?.has(shown) && !Object.hasOwn(value, names.get(shown)) ? names.get(shown) : shown
      if (this.#isShown && member === null && absent?.has(shown)) {
        isChanged = true
        return []
      }
      const read = Object.hasOwn(node.properties, shown) ? this.node(node.properties[shown], member) : member
      isChanged ||= name !== shown || read !== member
      return [[name, read]]
    })
    return isChanged ? Object.fromEntries(entries) : value
  }

  /**
   * A text as the value whose JSON it is.
   *
   * @param {string} text
   * @param {Set<string>} kinds what it may be
   */
  #parsed(text, kinds) {
    // A text may be meant as it is.
    if (kinds.has('string') && !this.#isShown) return text
    try {
      const value = JSON.parse(text)
      const kind = kindOf(value)
      // A number in another spelling may be meant to the letter.
      if (kind === 'number' && String(value) !== text.trim()) return text
      const isTaken = kinds.has(kind) || (Number.isInteger(value) && kinds.has('integer'))
      // Only where anything may be is a text in quotes one that was written as JSON.
      return isTaken && (kind !== 'string' || kinds.has('null')) ? value : text
    } catch {
      return text
    }
  }
}

/**
 * @param {any[]} list
 * @param {(item: any) => any} change
 */
function changed(list, change) {
  const read = list.map(change)
  return read.some((item, index) => item !== list[index]) ? read : list
}

module.exports = { decoded }
