// @ts-check
'use strict'

const { MAX_READ_IN_ALL, Reader, isRecord, kindOf, recordOf, referred, unique } = require('./facts.js')
const { fits } = require('./limits.js')
const { shownNames } = require('./names.js')

/**
 * @typedef {import('./facts.js').Facts} Facts
 * @typedef {import('./facts.js').Shape} Shape
 * @typedef {import('./rules.js').Rules} Rules
 * @typedef {{ keepsReferences: boolean, depth: number, values: number }} Plan how much of a schema is written as it is
 * @typedef {{ depth: number, path: readonly string[] }} Place
 *
 * @typedef {object} Code how what a model sends for a translated schema is read
 * @property {Set<string>} [text] what its JSON text may be, where that is how the value is written
 * @property {Map<string, string>} [names] names of properties, by those that the model knows
 * @property {Set<string>} [absent] properties whose null stands for their absence
 * @property {string} [whole] the property whose JSON text is the object itself
 */

/** Where a translated schema has its code. It is no part of its JSON. */
const CODE = Symbol('code')
/** The parameters of a tool in one text, where nothing else fits. */
const WHOLE = 'parameters_as_json'
const KINDS = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null']
/** Longest schema that is quoted for a value in JSON text. */
const MAX_QUOTED = 3000
/** Most values that are described where they cannot be listed. */
const MAX_DESCRIBED = 50

/**
 * A schema of parameters in what a provider takes. Nothing that a model can be asked for is lost: what cannot be said to the provider is asked for as JSON
 * text, and limits that it does not know are checked when the tool is called.
 *
 * @param {any} schema
 * @param {Rules} rules
 * @returns {any} undefined for a tool without parameters
 */
function translated(schema, rules) {
  const depth = rules.limits.depth
  const full = { keepsReferences: rules.references, depth, values: Number.POSITIVE_INFINITY }
  const plans = [full, { ...full, keepsReferences: false }, ...[6, 4, 3, 2, 1].map((less) => ({ keepsReferences: false, depth: less, values: 50 }))]
  const budget = { left: MAX_READ_IN_ALL }
  for (const plan of plans) {
    if (budget.left <= 0) break
    const written = new Writer(schema, rules, plan, budget).root()
    if (written && fits(written, rules.limits)) return written
  }
  return inOneText(schema, rules)
}

class Writer {
  #root
  #rules
  #plan
  #reader
  /** The definitions that are referred to, by their references. @type {Map<string, { name: string, schema: any }>} */
  #definitions = new Map()
  /** What may be null by its own schema. @type {WeakSet<object>} */
  #withNull = new WeakSet()

  /**
   * @param {any} root
   * @param {Rules} rules
   * @param {Plan} plan
   * @param {{ left: number }} budget of schemas that are read
   */
  constructor(root, rules, plan, budget) {
    this.#root = root
    this.#rules = rules
    this.#plan = plan
    this.#reader = new Reader(root, plan.keepsReferences, budget)
  }

  /** @returns {any} undefined where it has to be one text */
  root() {
    const facts = this.#reader.joined(this.#reader.facts(this.#root), [])
    if (facts.properties.size === 0 && facts.extra !== undefined && !this.#rules.openObjects) return undefined
    const written = this.#described(this.#object(facts, { depth: 0, path: [] }), facts.description)
    if (this.#definitions.size === 0) return written
    return { ...written, $defs: Object.fromEntries([...this.#definitions.values()].map(({ name, schema }) => [name, schema])) }
  }

  /**
   * @param {any} schema
   * @param {Place} place
   * @param {boolean} mayBeNull beside what the schema says
   * @returns {any}
   */
  #node(schema, place, mayBeNull = false) {
    const reference = this.#plan.keepsReferences ? this.#reader.reference(schema) : undefined
    if (reference !== undefined) return this.#referring(reference, schema, mayBeNull)
    const facts = this.#reader.facts(schema, place.path)
    // What is said of all forms is said once.
    const shapes = this.#reader.shapes(facts, place.path).map((shape) => (shape.facts.description === facts.description ? undescribed(shape) : shape))
    const isNull = shapes.some(({ kind }) => kind === 'null')
    const nodes = this.#choices(
      schema,
      shapes.filter(({ kind }) => kind !== 'null'),
      place,
    )
    if (nodes.length === 0) nodes.push(isNull && this.#rules.nulls === 'type' ? { type: 'null' } : this.#text(schema, [{ kind: 'any', facts }]))
    const node = nodes.length === 1 ? nodes[0] : { anyOf: nodes }
    const written = this.#nullable(this.#described(node, textOf(facts)), mayBeNull || isNull)
    if (isNull) this.#withNull.add(written)
    return written
  }

  /**
   * @param {any} schema
   * @param {Shape[]} shapes
   * @param {Place} place
   */
  #choices(schema, shapes, place) {
    const inText = shapes.filter((shape) => this.#isText(shape, place))
    const others = shapes.filter((shape) => !inText.includes(shape))
    if (inText.length === 0) return others.map((shape) => this.#shape(shape, place))
    // Two texts beside each other look the same to a reader.
    const strings = others.filter(({ kind }) => kind === 'string')
    const text = this.#text(schema, [...inText, ...strings])
    return [text, ...others.filter(({ kind }) => kind !== 'string').map((shape) => this.#shape(shape, place))]
  }

  /**
   * Whether a value has to be written as its JSON text.
   *
   * @param {Shape} shape
   * @param {Place} place
   */
  #isText({ kind, facts }, { depth }) {
    if (kind === 'any') return true
    if (kind !== 'object' && kind !== 'array') return false
    if (depth >= this.#plan.depth) return true
    if (kind === 'array' || facts.properties.size > 0 || facts.required.length > 0) return false
    return facts.isClosed ? !this.#rules.emptyObjects : !this.#rules.openObjects
  }

  /**
   * @param {Shape} shape
   * @param {Place} place
   * @returns {any}
   */
  #shape({ kind, values, reference, facts }, place) {
    if (reference !== undefined) return this.#described(this.#reference(reference), facts.description)
    if (kind === 'object') return this.#described(this.#object(facts, place), facts.description)
    const path = [...place.path, ...facts.references]
    const items = kind === 'array' && { items: this.#node(facts.items ?? {}, { depth: place.depth + 1, path }) }
    const node = /** @type {any} */ ({ type: kind, ...this.#limits(kind, facts), ...items })
    if (!values) return this.#described(node, facts.description)
    const isListed = this.#rules.enums.includes(kind) && values.length <= this.#plan.values && !(this.#rules.refusesEmptyText && values.includes(''))
    const stated = isListed
      ? undefined
      : `One of ${values
          .slice(0, MAX_DESCRIBED)
          .map((value) => JSON.stringify(value))
          .join(', ')}${values.length > MAX_DESCRIBED ? ', …' : ''}.`
    const { pattern: _checked, format: _too, ...rest } = node
    return this.#described(isListed ? { ...rest, enum: values } : rest, sentences(facts.description, stated))
  }

  /**
   * @param {Facts} facts
   * @param {Place} place
   */
  #object(facts, { depth, path }) {
    const { optional, closes, openObjects, names } = this.#rules
    const below = { depth: depth + 1, path: [...path, ...facts.references] }
    const isOptional = (/** @type {string} */ name) => !facts.required.includes(name)
    // What is required and not described is anything.
    const undescribed = facts.isClosed ? [] : facts.required.filter((name) => !facts.properties.has(name))
    const given = [...facts.properties, ...undescribed.map((name) => /** @type {[string, any]} */ ([name, {}]))]
    const shown = shownNames(
      given.map(([name]) => name),
      names,
    )
    const written = given.map(([name, child], index) => {
      const node = this.#node(child, below, optional === 'null' && isOptional(name))
      const described = shown[index] === name ? node : this.#described(node, `Named \`${name}\`.`)
      return { name, shown: shown[index], node: described, isOptional: isOptional(name), takesNull: this.#withNull.has(node) }
    })
    const required = written.filter((one) => optional === 'null' || !one.isOptional).map((one) => one.shown)
    const extra = openObjects &&
      !facts.isClosed &&
      facts.extra !== undefined && { additionalProperties: isRecord(facts.extra) ? this.#node(facts.extra, below) : true }
    const code = /** @type {Code} */ ({
      names: new Map(written.filter((one) => one.shown !== one.name).map((one) => [one.shown, one.name])),
      absent: new Set(written.filter((one) => one.isOptional && !one.takesNull).map((one) => one.shown)),
    })
    return {
      type: 'object',
      ...((closes || written.length > 0) && { properties: Object.fromEntries(written.map((one) => [one.shown, one.node])) }),
      ...((optional === 'null' || required.length > 0) && { required }),
      ...(closes ? { additionalProperties: false } : extra),
      [CODE]: code,
    }
  }

  /**
   * A value of any form, as its JSON text.
   *
   * @param {any} schema
   * @param {Shape[]} shapes
   */
  #text(schema, shapes) {
    const isAny = shapes.some(({ kind, values }) => kind === 'any' && !values)
    const kinds = isAny ? KINDS : shapes.flatMap(({ kind, values }) => values?.map(kindOf) ?? [kind])
    const takesText = !isAny && kinds.includes('string')
    const others = unique(kinds.filter((kind) => kind !== 'string').map((kind) => (kind === 'array' ? 'a list' : 'an object')))
    const how = takesText ? `Write a text as it is, and ${others.join(' or ')} as JSON text` : 'Write it as JSON text'
    return { type: 'string', description: `${how}${quoted(this.#root, schema)}.`, [CODE]: { text: new Set(kinds) } }
  }

  /**
   * @param {string} kind
   * @param {Facts} facts
   */
  #limits(kind, { limits }) {
    const { keywords, formats, unknownPatterns, minItems } = this.#rules
    const isTaken = (/** @type {string} */ word) =>
      (word !== 'format' || formats[kind]?.includes(limits.format)) &&
      (word !== 'pattern' || isPattern(limits.pattern, unknownPatterns)) &&
      (word !== 'minItems' || minItems === undefined || minItems.includes(limits.minItems))
    const words = (keywords[kind] ?? []).filter((word) => limits[word] !== undefined && isTaken(word))
    return Object.fromEntries(words.map((word) => [word, limits[word]]))
  }

  /**
   * @param {string} reference
   * @param {any} schema that is nothing else
   * @param {boolean} mayBeNull
   */
  #referring(reference, schema, mayBeNull) {
    const written = this.#nullable(this.#described(this.#reference(reference), textOf(schema)), mayBeNull)
    const isNull = this.#reader.shapes(this.#reader.facts(schema), []).some(({ kind }) => kind === 'null')
    if (isNull) this.#withNull.add(written)
    return written
  }

  /** @param {string} reference */
  #reference(reference) {
    if (reference === '#') return { $ref: '#' }
    const known = this.#definitions.get(reference)
    if (known) return { $ref: `#/$defs/${known.name}` }
    const last = (reference.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 50) || 'definition'
    const names = [...this.#definitions.values()].map((one) => one.name)
    const definition = { name: names.includes(last) ? `${last}_${names.length}` : last, schema: /** @type {any} */ (undefined) }
    this.#definitions.set(reference, definition)
    const target = referred(this.#root, reference)
    const facts = this.#reader.facts(target, [])
    definition.schema = this.#node(facts.isNever ? {} : target, { depth: 1, path: [] })
    return { $ref: `#/$defs/${definition.name}` }
  }

  /**
   * @param {any} node
   * @param {string | undefined} description comes before what it says itself
   * @returns {any}
   */
  #described(node, description) {
    if (description === undefined || description === node.description) return node
    if (node.$ref !== undefined) return { description, anyOf: [node] }
    if (!node.anyOf || this.#rules.describesUnions) return { ...node, description: sentences(description, node.description) }
    const [first, ...others] = node.anyOf
    return { ...node, anyOf: [{ ...first, description: sentences(description, first.description) }, ...others] }
  }

  /**
   * @param {any} node
   * @param {boolean} isNullable
   * @returns {any}
   */
  #nullable(node, isNullable) {
    if (!isNullable || node.type === 'null') return node
    if (this.#rules.nulls === 'keyword') {
      return node.anyOf ? { ...node, anyOf: node.anyOf.map((/** @type {any} */ choice) => ({ ...choice, nullable: true })) } : { ...node, nullable: true }
    }
    if (node.anyOf) return { ...node, anyOf: [...node.anyOf, { type: 'null' }] }
    if (node.$ref !== undefined) return { anyOf: [node, { type: 'null' }] }
    return { ...node, type: [node.type, 'null'], ...(node.enum && { enum: [...node.enum, null] }) }
  }
}

/**
 * What a model reads of a value. Strict modes know no defaults; models can still read of them.
 *
 * @param {{ description?: unknown, default?: unknown }} said
 */
function textOf({ description, default: value }) {
  const text = typeof description === 'string' && description !== '' ? description : undefined
  return value === undefined || value === null || /default/i.test(text ?? '') ? text : sentences(text, `Default: ${JSON.stringify(value)}.`)
}

/**
 * @param {Shape} shape
 * @returns {Shape}
 */
function undescribed(shape) {
  return { ...shape, facts: { ...shape.facts, description: undefined } }
}

/** @param {(string | undefined)[]} parts */
function sentences(...parts) {
  const said = unique(parts.filter((part) => part !== undefined && part !== ''))
  return said.length === 0 ? undefined : said.map((part, index) => (index < said.length - 1 && !/[.!?:;]\s*$/.test(part ?? '') ? `${part}.` : part)).join(' ')
}

/**
 * The schema of a value that is written as text, where it says something and is short.
 *
 * @param {any} root
 * @param {any} schema
 */
function quoted(root, schema) {
  const target = typeof schema?.$ref === 'string' ? { ...recordOf(referred(root, schema.$ref)), ...schema, $ref: undefined } : schema
  const annotations = ['description', 'title', 'default', '$defs', 'definitions', '$schema']
  const stated = Object.entries(recordOf(target)).filter(
    ([word, value]) => !annotations.includes(word) && ![undefined, 'true', '{}'].includes(JSON.stringify(value)),
  )
  const text = JSON.stringify(Object.fromEntries(stated))
  return stated.some(([word]) => word !== 'type') && text.length <= MAX_QUOTED ? ` of this schema: ${text}` : ''
}

/**
 * @param {string} source
 * @param {RegExp | undefined} unknown
 */
function isPattern(source, unknown) {
  try {
    return !unknown?.test(source) && new RegExp(source, 'u') !== undefined
  } catch {
    return false
  }
}

/**
 * @param {any} schema
 * @param {Rules} rules
 */
function inOneText(schema, rules) {
  const text = {
    type: 'string',
    description: `Write all parameters as the JSON text of one object${quoted(schema, schema)}.`,
    [CODE]: { text: new Set(['object']) },
  }
  return {
    type: 'object',
    properties: { [WHOLE]: text },
    required: [WHOLE],
    ...(rules.closes && { additionalProperties: false }),
    [CODE]: { whole: WHOLE },
  }
}

module.exports = { CODE, translated }
