// @ts-check
'use strict'

/** Kinds of TypeBox 0.34, by the `type` of JSON Schema. */
const KINDS = {
  object: 'Object',
  array: 'Array',
  string: 'String',
  number: 'Number',
  integer: 'Integer',
  boolean: 'Boolean',
  null: 'Null',
}
const KIND = Symbol.for('TypeBox.Kind')
const OPTIONAL = Symbol.for('TypeBox.Optional')

/**
 * Marks a JSON Schema so that TypeBox 0.34 and 1.x take it as one of their own. The marks are not
 * enumerable: as JSON, for `structuredClone` and for everybody else it stays what it was.
 *
 * Both spellings or none: with the symbol alone pi-ai skips its own coercion and relies on a
 * conversion that needs `~kind`.
 *
 * @param {any} schema
 * @param {boolean} [isOptional]
 */
function markSchema(schema, isOptional = false) {
  const kind = kindOf(schema)
  hide(schema, KIND, kind)
  hide(schema, '~kind', kind)
  if (isOptional) {
    hide(schema, OPTIONAL, 'Optional')
    hide(schema, '~optional', true)
  }
  // An open record (values by `additionalProperties`) must name its properties to be an object to TypeBox: none.
  if (kind === 'Object' && schema.properties === undefined) hide(schema, 'properties', {})
  const required = schema.required ?? []
  for (const [name, child] of Object.entries(schema.properties ?? {})) markSchema(child, !required.includes(name))
  for (const child of schema.anyOf ?? []) markSchema(child)
  for (const word of ['items', 'additionalProperties']) {
    if (typeof schema[word] === 'object') markSchema(schema[word])
  }
}

/** Words that TypeBox has no kind for, and would pass over. */
const BEYOND = ['$ref', 'oneOf', 'allOf', 'not', 'if', 'patternProperties', 'prefixItems', 'nullable']

/**
 * Whether the marks would say all that a schema says; the dialects' schemas always do.
 *
 * @param {any} schema
 * @returns {boolean}
 */
function isMarkable(schema) {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema.type) || Array.isArray(schema.items)) return false
  if (BEYOND.some((word) => word in schema)) return false
  const children = [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? [])]
  for (const word of ['items', 'additionalProperties']) if (typeof schema[word] === 'object') children.push(schema[word])
  return children.every(isMarkable)
}

/** @param {any} schema */
function kindOf(schema) {
  if (schema.anyOf) return 'Union'
  if ('const' in schema) return 'Literal'
  return KINDS[/** @type {keyof KINDS} */ (schema.type)] ?? 'Any'
}

/**
 * Adds the Standard Schema interface to the root of a parameter schema.
 *
 * @param {any} schema
 * @param {(value: unknown) => { value: unknown } | { issues: { message: string, path: (string | number)[] }[] }} validate
 */
function standardise(schema, validate) {
  const copy = () => JSON.parse(JSON.stringify(schema))
  hide(schema, '~standard', {
    version: 1,
    vendor: 'tenon',
    validate,
    jsonSchema: { input: copy, output: copy },
  })
}

/**
 * A copy of parameters without the nulls that stand for "absent": models in strict modes send null
 * for every optional parameter.
 *
 * @param {any} schema
 * @param {any} value
 * @returns {any}
 */
function withoutNulls(schema, value) {
  if (Array.isArray(value)) return schema?.items ? value.map((item) => withoutNulls(schema.items, item)) : value
  if (typeof value !== 'object' || value === null || !schema?.properties) return value
  const required = schema.required ?? []
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== null || required.includes(name))
      .map(([name, member]) => [name, withoutNulls(schema.properties[name], member)]),
  )
}

/**
 * @param {object} target
 * @param {string | symbol} name
 * @param {unknown} value
 */
function hide(target, name, value) {
  Object.defineProperty(target, name, { value, enumerable: false, configurable: true, writable: true })
}

module.exports = { hide, isMarkable, markSchema, standardise, withoutNulls }
