// @ts-check
'use strict'

/**
 * A schema of Zod 3, or of a Zod 4 that cannot describe itself, as JSON Schema: what goes in, not what comes out. What
 * JSON Schema cannot say is anything (`{}`): Zod itself checks.
 *
 * @param {any} schema
 * @returns {any} undefined when it is no schema of Zod
 */
function zodSchema(schema) {
  const def = defOf(schema)
  if (!def) return undefined
  const json = KINDS[kindOf(def)]?.(def, schema) ?? {}
  const description = schema.description ?? def.description
  return description === undefined ? json : { ...json, description }
}

/** @param {any} schema */
function defOf(schema) {
  return schema?._zod?.def ?? (typeof schema?._def === 'object' ? schema._def : undefined)
}

/**
 * `object` for `ZodObject`.
 *
 * @param {any} def
 */
function kindOf(def) {
  const kind = String(def.typeName ?? def.type)
  return kind.replace(/^Zod/, '').replace(/^./, (letter) => letter.toLowerCase())
}

/**
 * The limits of a type. Zod 3 has a list of `{kind, value}`, Zod 4 one of checks with a definition each.
 *
 * @param {any} def
 * @returns {{ kind: string, value: any, isInclusive: boolean }[]}
 */
function limitsOf(def) {
  return (def.checks ?? []).map((/** @type {any} */ check) => {
    const inner = check._zod?.def
    if (!inner) return { kind: check.kind, value: check.value ?? check.regex, isInclusive: check.inclusive !== false }
    const value = inner.minimum ?? inner.maximum ?? inner.length ?? inner.value ?? inner.pattern ?? inner.format
    return { kind: ZOD4_CHECKS[inner.check] ?? inner.check, value, isInclusive: inner.inclusive !== false }
  })
}

const ZOD4_CHECKS = /** @type {Record<string, string>} */ ({
  min_length: 'min',
  max_length: 'max',
  length_equals: 'length',
  greater_than: 'min',
  less_than: 'max',
  multiple_of: 'multipleOf',
  string_format: 'regex',
  number_format: 'int',
})

/** @param {any} def */
function stringSchema(def) {
  const json = /** @type {any} */ ({ type: 'string' })
  for (const { kind, value } of limitsOf(def)) {
    if (kind === 'min' || kind === 'length') json.minLength = value
    if (kind === 'max' || kind === 'length') json.maxLength = value
    if (kind === 'regex' && value instanceof RegExp && value.flags === '') json.pattern = value.source
  }
  return json
}

/** @param {any} def */
function numberSchema(def) {
  const json = /** @type {any} */ ({ type: 'number' })
  for (const { kind, value, isInclusive } of limitsOf(def)) {
    if (kind === 'int') json.type = 'integer'
    if (kind === 'min') json[isInclusive ? 'minimum' : 'exclusiveMinimum'] = value
    if (kind === 'max') json[isInclusive ? 'maximum' : 'exclusiveMaximum'] = value
    if (kind === 'multipleOf') json.multipleOf = value
  }
  return json
}

/**
 * @param {any} def
 * @param {any} schema
 */
function objectSchema(def, schema) {
  const shape = schema.shape ?? (typeof def.shape === 'function' ? def.shape() : def.shape)
  const required = Object.keys(shape).filter((name) => !isOptional(shape[name]))
  const json = /** @type {any} */ ({ type: 'object', properties: mapped(shape) })
  if (required.length > 0) json.required = required
  if (def.unknownKeys === 'strict' || kindOf(defOf(def.catchall) ?? {}) === 'never') json.additionalProperties = false
  return json
}

/** @param {Record<string, any>} shape */
function mapped(shape) {
  return Object.fromEntries(Object.entries(shape).map(([name, child]) => [name, zodSchema(child) ?? {}]))
}

/**
 * Whether a property may be left out.
 *
 * @param {any} schema
 * @returns {boolean}
 */
function isOptional(schema) {
  const def = defOf(schema)
  const kind = def && kindOf(def)
  if (['optional', 'default', 'prefault', 'catch', 'any', 'unknown'].includes(kind)) return true
  return ['nullable', 'readonly', 'branded', 'effects', 'pipeline', 'pipe'].includes(kind) && isOptional(innerOf(def))
}

/**
 * The schema that another one wraps: of what goes in.
 *
 * @param {any} def
 */
function innerOf(def) {
  return def.innerType ?? def.schema ?? def.in ?? (typeof def.type === 'object' ? def.type : undefined) ?? def.getter?.()
}

/** @param {any} def */
function inner(def) {
  return zodSchema(innerOf(def)) ?? {}
}

/** @param {any} def */
function arraySchema(def) {
  const json = /** @type {any} */ ({ type: 'array', items: zodSchema(def.element ?? def.type) ?? {} })
  const least = def.minLength?.value ?? def.exactLength?.value
  const most = def.maxLength?.value ?? def.exactLength?.value
  if (least !== undefined) json.minItems = least
  if (most !== undefined) json.maxItems = most
  for (const { kind, value } of limitsOf(def)) {
    if (kind === 'min' || kind === 'length') json.minItems = value
    if (kind === 'max' || kind === 'length') json.maxItems = value
  }
  return json
}

/** @param {any} def */
function tupleSchema({ items, rest }) {
  const prefixItems = items.map((/** @type {any} */ item) => zodSchema(item) ?? {})
  return { type: 'array', prefixItems, minItems: items.length, ...(rest ? { items: zodSchema(rest) } : { maxItems: items.length }) }
}

/** @param {any} def */
function unionSchema(def) {
  const options = def.options instanceof Map ? [...def.options.values()] : def.options
  return { anyOf: options.map((/** @type {any} */ option) => zodSchema(option) ?? {}) }
}

/** @param {any} def */
function defaulted(def) {
  const value = typeof def.defaultValue === 'function' ? def.defaultValue() : def.defaultValue
  return { ...inner(def), default: value }
}

/**
 * The members of a TypeScript enum, which also maps numbers back to their names.
 *
 * @param {any} members
 */
function namesOf(members) {
  return Object.keys(members).filter((name) => typeof members[members[name]] !== 'number')
}

/** @param {readonly any[]} values */
function oneOf(values) {
  const kinds = new Set(values.map((value) => typeof value))
  const [kind] = kinds
  const type = kinds.size === 1 && ['string', 'number', 'boolean'].includes(kind) ? { type: kind } : {}
  return { ...type, enum: [...values] }
}

/** @type {Record<string, (def: any, schema: any) => any>} */
const KINDS = {
  string: stringSchema,
  number: numberSchema,
  int: () => ({ type: 'integer' }),
  boolean: () => ({ type: 'boolean' }),
  null: () => ({ type: 'null' }),
  object: objectSchema,
  array: arraySchema,
  set: (def) => ({ type: 'array', items: zodSchema(def.valueType) ?? {}, uniqueItems: true }),
  tuple: tupleSchema,
  record: (def) => ({ type: 'object', properties: {}, additionalProperties: zodSchema(def.valueType) ?? {} }),
  enum: (def) => oneOf(def.values ?? Object.values(def.entries)),
  nativeEnum: (def) => oneOf(namesOf(def.values).map((name) => def.values[name])),
  literal: (def) => oneOf(def.values ?? [def.value]),
  union: unionSchema,
  discriminatedUnion: unionSchema,
  intersection: (def) => ({ allOf: [zodSchema(def.left) ?? {}, zodSchema(def.right) ?? {}] }),
  optional: inner,
  nullable: (def) => ({ anyOf: [inner(def), { type: 'null' }] }),
  default: defaulted,
  prefault: defaulted,
  catch: inner,
  readonly: inner,
  branded: inner,
  effects: inner,
  pipeline: inner,
  pipe: inner,
  nonoptional: inner,
  lazy: () => ({}),
}

module.exports = { zodSchema }
