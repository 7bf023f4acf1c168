// @ts-check
'use strict'

const { Reader, isRecord, listOf, recordOf, withBounds } = require('./facts.js')
const { shownNames } = require('./names.js')
const { CODE } = require('./translate.js')

/** The schemas that tools of the host have, by what is shown of them. MCP hands schemas on as they are (SEP-1613, SEP-2106). @type {WeakMap<object, any>} */
const originals = new WeakMap()
/** Words that no provider takes at the root of the parameters, in any mode: it refuses the whole request. */
const NOT_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref']
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const WITH_SCHEMA = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems']
const WITH_LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const WITH_NAMES = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

/**
 * A schema of parameters as every provider takes it where it does not constrain the model by it: an object at the root without unions, in the words of
 * draft 2020-12, and as it was otherwise.
 *
 * @param {any} schema
 * @param {RegExp} [names] names that parameters may have
 * @returns {any}
 */
function portable(schema, names) {
  const { $schema: _draft, type: _object, ...words } = recordOf(schema)
  const given = { type: 'object', ...words }
  const root = modern(NOT_AT_ROOT.some((word) => word in given) ? withoutUnions(given) : given)
  const own = Object.keys(recordOf(root.properties))
  const shown = shownNames(own, names)
  if (shown.every((name, index) => name === own[index])) return root
  const named = new Map(own.map((name, index) => [name, shown[index]]))
  const described = (/** @type {string} */ name, /** @type {any} */ child) =>
    named.get(name) === name || child === false
      ? child
      : { ...recordOf(child), description: [`Named \`${name}\`.`, recordOf(child).description].filter(Boolean).join(' ') }
  return {
    ...root,
    properties: Object.fromEntries(own.map((name, index) => [shown[index], described(name, root.properties[name])])),
    ...(root.required && { required: root.required.map((/** @type {string} */ name) => named.get(name) ?? name) }),
    [CODE]: { names: new Map(own.map((name, index) => /** @type {[string, string]} */ ([shown[index], name])).filter(([one, other]) => one !== other)) },
  }
}

/**
 * The root with the properties of all its branches. Their combinations are described, and checked when the tool is called.
 *
 * @param {any} schema
 */
function withoutUnions(schema) {
  const reader = new Reader(schema)
  const facts = reader.joined(reader.facts(schema), [])
  const kept = Object.entries(schema).filter(
    ([word]) => !NOT_AT_ROOT.includes(word) && !['if', 'then', 'else', 'dependentSchemas', 'properties', 'required'].includes(word),
  )
  const description = [facts.description, combinations(schema, facts.required)].filter(Boolean).join(' ')
  return {
    ...Object.fromEntries(kept),
    ...(description && { description }),
    type: 'object',
    properties: Object.fromEntries(facts.properties),
    ...(facts.required.length > 0 && { required: facts.required }),
  }
}

/**
 * Which parameters belong together.
 *
 * @param {any} schema
 * @param {readonly string[]} required of all combinations
 */
function combinations(schema, required) {
  const reader = new Reader(schema)
  return [listOf(schema.anyOf), listOf(schema.oneOf)]
    .map((branches) => branches.map((branch) => reader.facts(branch).required.filter((name) => !required.includes(name))))
    .filter((lists) => lists.length > 1 && lists.every((names) => names.length > 0))
    .map((lists) => `Needs ${lists.map((names) => names.map((name) => `\`${name}\``).join(' and ')).join(', or ')}.`)
    .join(' ')
}

/**
 * A schema in the words of draft 2020-12, and with items in every array: the API of OpenAI refuses others.
 *
 * @param {any} schema
 * @returns {any}
 */
function modern(schema) {
  if (!isRecord(schema)) return schema
  const { additionalItems, ...copy } = withBounds(schema)
  if (Array.isArray(copy.items)) {
    copy.prefixItems = copy.items
    copy.items = additionalItems ?? {}
  }
  if (copy.items === false && Array.isArray(copy.prefixItems)) {
    copy.maxItems = Math.min(copy.maxItems ?? copy.prefixItems.length, copy.prefixItems.length)
    copy.items = {}
  }
  if ([copy.type].flat().includes('array')) copy.items ??= {}
  if ('required' in copy && !Array.isArray(copy.required)) delete copy.required
  for (const word of WITH_SCHEMA) if (isRecord(copy[word])) copy[word] = modern(copy[word])
  for (const word of WITH_LIST) if (Array.isArray(copy[word])) copy[word] = copy[word].map(modern)
  for (const word of WITH_NAMES) {
    if (isRecord(copy[word])) copy[word] = Object.fromEntries(Object.entries(copy[word]).map(([name, child]) => [name, modern(child)]))
  }
  return copy
}

module.exports = { originals, portable }
