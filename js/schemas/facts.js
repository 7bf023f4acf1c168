// @ts-check
'use strict'

/**
 * @typedef {object} Facts what a schema says of a value, wherever it says it
 * @property {string[] | undefined} types undefined: any
 * @property {unknown[] | undefined} values the only ones that it may be
 * @property {Map<string, any>} properties
 * @property {string[]} required
 * @property {any} extra what properties without a name in the schema may be: a schema, true, or undefined where nothing is said
 * @property {boolean} isClosed whether there may be no others
 * @property {any} items
 * @property {Record<string, any>} limits keywords about one type
 * @property {any[][]} unions of each of these lists one schema has to fit
 * @property {any[]} parts schemas that hold under a condition
 * @property {string | undefined} description
 * @property {unknown} [default]
 * @property {boolean} isNever whether no value fits
 * @property {string | undefined} endless the reference that leads back to itself
 * @property {string[]} references that were followed
 *
 * @typedef {{ kind: string, values?: unknown[], reference?: string, facts: Facts }} Shape one of the forms that a value may have
 */

const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null']
/** Keywords about one type, with the type of their own value. */
const LIMITS = /** @type {Record<string, Record<string, 'number' | 'count' | 'string'>>} */ ({
  string: { pattern: 'string', format: 'string', minLength: 'count', maxLength: 'count' },
  number: { minimum: 'number', maximum: 'number', exclusiveMinimum: 'number', exclusiveMaximum: 'number', multipleOf: 'number' },
  array: { minItems: 'count', maxItems: 'count' },
})
/** Keywords that say nothing about a value. */
const ANNOTATIONS = ['title', 'description', 'default', 'examples', 'example', 'deprecated', '$comment', 'readOnly', 'writeOnly']
/** Most schemas that are read of one: references can make a small one endless. */
const MAX_READ = 20_000
/** Most that are read by all attempts at one together. */
const MAX_READ_IN_ALL = 40_000
/** Most forms that unions beside each other are multiplied to. */
const MAX_SHAPES = 64

/** @type {(value: any) => value is Record<string, any>} */
const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
/** @type {(value: any) => any[]} */
const listOf = (value) => (Array.isArray(value) ? value : [])
/** @type {(value: any) => Record<string, any>} */
const recordOf = (value) => (isRecord(value) ? value : {})

/** Reads what a JSON Schema says, through references, `allOf`, `anyOf`, `oneOf` and conditions. */
class Reader {
  #root
  #keeps
  #budget
  #left

  /**
   * @param {any} root
   * @param {boolean} keepsReferences whether forms that are a reference stay one
   * @param {{ left: number }} budget of schemas that are read, shared by all attempts at this one
   */
  constructor(root, keepsReferences = false, budget = { left: MAX_READ_IN_ALL }) {
    this.#root = root
    this.#keeps = keepsReferences
    this.#budget = budget
    this.#left = MAX_READ
  }

  /**
   * @param {any} schema
   * @param {readonly string[]} [path] references that it is within
   * @returns {Facts}
   */
  facts(schema, path = []) {
    this.#left -= 1
    this.#budget.left -= 1
    if (this.#left < 0 || this.#budget.left < 0) return { ...own({}), endless: '' }
    if (!isRecord(schema)) return { ...own({}), isNever: schema === false }
    let facts = own(schema)
    let within = path
    if (typeof schema.$ref === 'string') {
      if (path.includes(schema.$ref)) return { ...facts, endless: schema.$ref }
      within = [...path, schema.$ref]
      facts = met(facts, this.facts(referred(this.#root, schema.$ref) ?? {}, within))
      facts.references = [...facts.references, schema.$ref]
    }
    return listOf(schema.allOf).reduce((all, part) => met(all, this.facts(part, within)), facts)
  }

  /**
   * The reference that a schema is, where it is nothing else.
   *
   * @param {any} schema
   * @param {readonly string[]} [seen]
   * @returns {string | undefined}
   */
  reference(schema, seen = []) {
    if (!isRecord(schema)) return undefined
    const words = Object.keys(schema).filter((word) => !ANNOTATIONS.includes(word))
    if (words.length !== 1) return undefined
    const [only] = words
    if (only === '$ref' && typeof schema.$ref === 'string') {
      const target = referred(this.#root, schema.$ref)
      if (target === undefined || seen.includes(schema.$ref)) return undefined
      const isAlias = isRecord(target) && Object.keys(target).some((word) => ['$ref', 'allOf', 'anyOf', 'oneOf'].includes(word))
      return (isAlias && this.reference(target, [...seen, schema.$ref])) || schema.$ref
    }
    const parts = ['allOf', 'anyOf', 'oneOf'].includes(only) ? listOf(schema[only]) : []
    return parts.length === 1 ? this.reference(parts[0], seen) : undefined
  }

  /**
   * The forms that a value may have.
   *
   * @param {Facts} given
   * @param {readonly string[]} path
   * @returns {Shape[]}
   */
  shapes(given, path) {
    if (given.isNever) return []
    if (given.endless !== undefined) return [this.#keeps && given.endless ? { kind: 'reference', reference: given.endless, facts: given } : anything(given)]
    const isJoined = mayBeObject(given) && (given.parts.length > 0 || (given.unions.length > 0 && given.properties.size > 0))
    const facts = isJoined ? this.joined(given, path) : given
    const [branches, ...unions] = facts.unions
    if (!branches) return forms(facts)
    if (facts.unions.reduce((count, union) => count * union.length, 1) > MAX_SHAPES) return [anything(facts)]
    const base = { ...facts, unions, description: undefined, default: undefined }
    const within = [...path, ...facts.references]
    return collapsed(
      branches.flatMap((branch) => {
        const reference = this.#keeps && isBlank(base) ? this.reference(branch) : undefined
        if (reference) return [{ kind: 'reference', reference, facts: own(branch) }]
        return this.shapes(met(base, this.facts(branch, within)), path)
      }),
    )
  }

  /**
   * An object with the properties of all branches of its unions: providers know no such unions, and what their combinations may be is checked
   * when the tool is called.
   *
   * @param {Facts} facts
   * @param {readonly string[]} path
   * @returns {Facts}
   */
  joined(facts, path) {
    const within = [...path, ...facts.references]
    const properties = new Map(facts.properties)
    const groups = [...facts.unions.map((branches) => ({ branches, isChoice: true })), ...facts.parts.map((part) => ({ branches: [part], isChoice: false }))]
    const all = {
      ...facts,
      types: facts.types ?? ['object'],
      unions: [],
      parts: [],
      properties,
      required: [...facts.required],
      references: [...facts.references],
    }
    for (const { branches, isChoice } of groups) {
      const objects = branches
        .map((branch) => this.facts(branch, within))
        .filter((branch) => !branch.isNever && branch.endless === undefined && mayBeObject(branch))
        .map((branch) => this.joined(branch, within))
      for (const name of new Set(objects.flatMap((branch) => [...branch.properties.keys()]))) {
        const choices = unique(objects.flatMap((branch) => (branch.properties.has(name) ? [branch.properties.get(name)] : [])))
        const choice = choices.length === 1 ? choices[0] : { anyOf: choices }
        const known = facts.properties.get(name)
        if (known === undefined) properties.set(name, properties.has(name) ? { anyOf: [properties.get(name), choice] } : choice)
        else if (isBlank(this.facts(known, within))) properties.set(name, { allOf: [known, choice] })
      }
      const [first, ...others] = objects
      if (isChoice && first) all.required.push(...first.required.filter((name) => others.every(({ required }) => required.includes(name))))
      all.extra ??= objects.find(({ extra }) => extra !== undefined)?.extra
      all.references.push(...objects.flatMap(({ references }) => references))
    }
    all.required = unique(all.required)
    return all
  }
}

/**
 * What a schema says by itself.
 *
 * @param {any} schema
 * @returns {Facts}
 */
function own(schema) {
  const { additionalProperties: extra, patternProperties, description } = schema
  const patterned = Object.values(recordOf(patternProperties))
  const isOpen = extra === true || isRecord(extra)
  return {
    types: typesOf(schema),
    values: 'const' in schema ? [schema.const] : listOf(schema.enum).length > 0 ? unique(schema.enum) : undefined,
    properties: new Map(Object.entries(recordOf(schema.properties)).filter(([, child]) => !isNever(child))),
    required: unique(listOf(schema.required).filter((name) => typeof name === 'string' && !isNever(recordOf(schema.properties)[name]))),
    extra: isOpen ? extra : patterned.length > 0 ? (patterned.length === 1 ? patterned[0] : { anyOf: patterned }) : undefined,
    isClosed: extra === false,
    items: itemsOf(schema),
    limits: limitsOf(schema),
    unions: [listOf(schema.anyOf), listOf(schema.oneOf)].filter((branches) => branches.length > 0),
    parts: [schema.then, schema.else, ...Object.values(recordOf(schema.dependentSchemas))].filter(isRecord),
    description: typeof description === 'string' && description !== '' ? description : undefined,
    ...('default' in schema && { default: schema.default }),
    isNever: isNever(schema),
    endless: undefined,
    references: [],
  }
}

/** @param {any} schema */
function isNever(schema) {
  return schema === false || (isRecord(schema) && (schema.not === true || (isRecord(schema.not) && Object.keys(schema.not).length === 0)))
}

/** @param {any} schema */
function typesOf({ type, nullable }) {
  const types = unique([type].flat().filter((kind) => TYPES.includes(kind)))
  if (types.length === 0) return undefined
  return nullable === true && !types.includes('null') ? [...types, 'null'] : types
}

/** @param {any} schema */
function itemsOf({ items, prefixItems, additionalItems }) {
  const places = Array.isArray(items) ? items : listOf(prefixItems)
  if (places.length === 0) return Array.isArray(items) ? undefined : items
  const others = Array.isArray(items) ? additionalItems : items
  return { anyOf: unique(isRecord(others) ? [...places, others] : places) }
}

/**
 * A schema whose bounds are as later drafts have them: in draft 4 `exclusiveMinimum: true` is about `minimum`.
 *
 * @param {Record<string, any>} schema
 * @returns {Record<string, any>}
 */
function withBounds(schema) {
  const bounds = { ...schema }
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ]) {
    if (typeof schema[exclusive] !== 'boolean') continue
    delete bounds[exclusive]
    if (!schema[exclusive] || schema[bound] === undefined) continue
    bounds[exclusive] = schema[bound]
    delete bounds[bound]
  }
  return bounds
}

/** @param {any} schema */
function limitsOf(schema) {
  const bounds = withBounds(schema)
  const isOf = (/** @type {string} */ kind, /** @type {any} */ value) =>
    kind === 'string' ? typeof value === 'string' : kind === 'count' ? Number.isSafeInteger(value) && value >= 0 : Number.isFinite(value)
  const words = Object.values(LIMITS).flatMap((kinds) => Object.entries(kinds))
  return Object.fromEntries(words.filter(([word, kind]) => isOf(kind, bounds[word])).map(([word]) => [word, bounds[word]]))
}

/**
 * What two schemas say together.
 *
 * @param {Facts} one
 * @param {Facts} other
 * @returns {Facts}
 */
function met(one, other) {
  const properties = new Map(one.properties)
  for (const [name, child] of other.properties) {
    const known = properties.get(name)
    properties.set(name, known === undefined || isSame(known, child) ? child : { allOf: [known, child] })
  }
  const byDefault = 'default' in one ? one : other
  return {
    types: common(one.types, other.types, (kind, kinds) => kinds.includes(kind) || (kind === 'integer' && kinds.includes('number'))),
    values: common(one.values, other.values, (value, values) => values.some((another) => isSame(value, another))),
    properties,
    required: unique([...one.required, ...other.required]),
    extra: one.extra ?? other.extra,
    isClosed: one.isClosed || other.isClosed,
    items: one.items === undefined || other.items === undefined ? (one.items ?? other.items) : { allOf: [one.items, other.items] },
    limits: { ...other.limits, ...one.limits },
    unions: [...one.unions, ...other.unions],
    parts: [...one.parts, ...other.parts],
    description: one.description ?? other.description,
    ...('default' in byDefault && { default: byDefault.default }),
    isNever: one.isNever || other.isNever,
    endless: one.endless ?? other.endless,
    references: [...one.references, ...other.references],
  }
}

/**
 * What is in both of two lists. Where that is nothing, the first one stays: somebody meant something by it.
 *
 * @template T
 * @param {T[] | undefined} one
 * @param {T[] | undefined} other
 * @param {(entry: T, entries: T[]) => boolean} isIn
 */
function common(one, other, isIn) {
  if (one === undefined || other === undefined) return one ?? other
  const both = [...one.filter((entry) => isIn(entry, other)), ...other.filter((entry) => !one.includes(entry) && isIn(entry, one))]
  return both.length > 0 ? unique(both) : one
}

/**
 * The forms of a value without unions.
 *
 * @param {Facts} facts
 * @returns {Shape[]}
 */
function forms(facts) {
  const listed = facts.values && valueForms(facts, facts.values)
  if (listed && listed.length > 0) return listed
  const types = facts.types ?? impliedTypes(facts)
  if (types === undefined) return [anything(facts)]
  // What is a number may be an integer.
  return types.filter((kind) => kind !== 'integer' || !types.includes('number')).map((kind) => ({ kind, facts }))
}

/**
 * @param {Facts} facts
 * @param {unknown[]} values
 * @returns {Shape[]}
 */
function valueForms(facts, values) {
  const fitting = values.filter((value) => facts.types === undefined || facts.types.some((kind) => isOfType(value, kind)))
  const kinds = /** @type {[string, (value: unknown) => boolean][]} */ ([
    ['string', (value) => typeof value === 'string'],
    [facts.types?.includes('number') || fitting.some((value) => typeof value === 'number' && !Number.isInteger(value)) ? 'number' : 'integer', Number.isFinite],
    ['boolean', (value) => typeof value === 'boolean'],
    ['null', (value) => value === null],
    ['any', (value) => typeof value === 'object' && value !== null],
  ])
  return kinds.flatMap(([kind, isOf]) => {
    const own = fitting.filter(isOf)
    return own.length === 0 ? [] : [{ kind, values: own, facts }]
  })
}

/**
 * @param {unknown} value
 * @param {string} kind
 */
function isOfType(value, kind) {
  if (kind === 'integer') return Number.isInteger(value)
  return kindOf(value) === kind
}

/** @param {unknown} value */
function kindOf(value) {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/**
 * The types that keywords are about, where none is named.
 *
 * @param {Facts} facts
 */
function impliedTypes({ properties, required, extra, isClosed, items, limits }) {
  if (properties.size > 0 || required.length > 0 || extra !== undefined || isClosed) return ['object']
  if (items !== undefined) return ['array']
  const kinds = Object.entries(LIMITS).filter(([, words]) => Object.keys(words).some((word) => word in limits))
  return kinds.length === 1 ? [kinds[0][0]] : undefined
}

/**
 * Values of one type in one list, and each form once.
 *
 * @param {Shape[]} shapes
 * @returns {Shape[]}
 */
function collapsed(shapes) {
  /** @type {Map<string, Shape>} */
  const kept = new Map()
  for (const shape of shapes) {
    const key = shape.values && shape.kind !== 'any' ? shape.kind : keyOf(shape)
    const known = kept.get(key)
    if (!known) kept.set(key, { ...shape })
    else if (known.values && shape.kind !== 'any') known.values = unique([...known.values, ...(shape.values ?? [])])
  }
  return [...kept.values()]
}

/** @param {Shape} shape */
function keyOf({ kind, values, reference, facts }) {
  const { properties, references: _followed, ...rest } = facts
  return JSON.stringify([kind, values, reference, [...properties], rest])
}

/** @param {Facts} facts */
function anything(facts) {
  return { kind: 'any', facts }
}

/** @param {Facts} facts */
function mayBeObject({ types }) {
  return types === undefined || types.includes('object')
}

/**
 * Whether nothing is said about the value.
 *
 * @param {Facts} facts
 */
function isBlank(facts) {
  const isSaid = facts.types ?? facts.values ?? facts.extra ?? facts.items ?? facts.endless
  const lists = [facts.required, facts.unions, facts.parts, facts.references, Object.keys(facts.limits)]
  return isSaid === undefined && !facts.isNever && !facts.isClosed && facts.properties.size === 0 && lists.every(({ length }) => length === 0)
}

/**
 * What a reference within a schema leads to.
 *
 * @param {any} root
 * @param {string} reference
 */
function referred(root, reference) {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  const steps = reference.slice(1).split('/').slice(1)
  return steps.reduce((node, step) => {
    const name = unescaped(step).replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? node[name] : undefined
  }, root)
}

/** @param {string} step */
function unescaped(step) {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
function isSame(one, other) {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/**
 * @template T
 * @param {readonly T[]} entries
 * @returns {T[]}
 */
function unique(entries) {
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()]
}

module.exports = { MAX_READ_IN_ALL, Reader, isRecord, kindOf, listOf, recordOf, referred, unique, withBounds }
