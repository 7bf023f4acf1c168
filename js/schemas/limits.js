// @ts-check
'use strict'

const { isRecord, listOf, recordOf } = require('./facts.js')

/** Most schemas that are counted within each other: references make a small one long. */
const MAX_COUNTED = 50_000

/**
 * Whether a translated schema is within the limits of its provider.
 *
 * @param {any} schema
 * @param {import('./rules.js').Limits} limits
 */
function fits(schema, limits) {
  const { properties, values, characters, isLong } = sizeOf(schema, limits.longEnum)
  return (
    properties <= (limits.properties ?? Number.POSITIVE_INFINITY) &&
    values <= (limits.values ?? Number.POSITIVE_INFINITY) &&
    characters <= (limits.characters ?? Number.POSITIVE_INFINITY) &&
    !isLong &&
    depthOf(schema) <= limits.depth
  )
}

/**
 * @param {any} schema
 * @param {import('./rules.js').Limits['longEnum']} longEnum
 */
function sizeOf(schema, longEnum) {
  const size = { properties: 0, values: 0, characters: 0, isLong: false }
  const visit = (/** @type {any} */ node) => {
    if (!isRecord(node)) return
    const names = Object.keys(recordOf(node.properties))
    const texts = listOf(node.enum).filter((value) => typeof value === 'string')
    const length = texts.join('').length
    size.properties += names.length
    size.values += listOf(node.enum).length
    size.characters += names.join('').length + Object.keys(recordOf(node.$defs)).join('').length + length
    size.isLong ||= longEnum !== undefined && texts.length > longEnum.values && length > longEnum.characters
    for (const child of childrenOf(node)) visit(child)
    for (const child of Object.values(recordOf(node.$defs))) visit(child)
  }
  visit(schema)
  return size
}

/**
 * How deep objects and arrays are within each other, through references that do not lead back to themselves.
 *
 * @param {any} root
 */
function depthOf(root) {
  let left = MAX_COUNTED
  /** @type {(node: any, path: readonly string[]) => number} */
  const visit = (node, path) => {
    left -= 1
    if (left < 0) return Number.POSITIVE_INFINITY
    if (!isRecord(node)) return 0
    if (typeof node.$ref === 'string') {
      const name = node.$ref.replace('#/$defs/', '')
      return path.includes(name) || name === '#' ? 0 : visit(recordOf(root.$defs)[name], [...path, name])
    }
    const types = [node.type].flat()
    const isContainer = types.includes('object') || types.includes('array')
    const below = childrenOf(node).reduce((most, child) => Math.max(most, visit(child, path)), 0)
    return below + (isContainer ? 1 : 0)
  }
  return visit(root, [])
}

/** @param {any} node */
function childrenOf({ properties, items, anyOf, additionalProperties }) {
  return [...Object.values(recordOf(properties)), items, additionalProperties, ...listOf(anyOf)].filter(isRecord)
}

module.exports = { fits }
