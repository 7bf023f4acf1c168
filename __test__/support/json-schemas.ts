/** JSON Schemas as servers and libraries write them, and values that fit them, from a seed. */

export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  is(share: number): boolean {
    return this.next() < share
  }

  of<T>(entries: readonly T[]): T {
    return entries[this.below(entries.length)] as T
  }
}

const ODD_NAMES = ['$filter', 'a b', '1st', 'x.y', 'filter[name]', '@type', 'n'.repeat(70), 'größe', '__proto__', 'constructor', '', 'required', 'properties']

export class SchemaMaker {
  #names = 0
  #definitions: string[]

  constructor(readonly chance: Chance) {
    this.#definitions = chance.is(0.6) ? ['A', 'B', 'C'].slice(0, 1 + chance.below(3)) : []
  }

  root(): any {
    const { chance } = this
    const schema = this.#object(3, true)
    if (chance.is(0.15)) delete schema.type
    if (chance.is(0.3)) schema[chance.of(['anyOf', 'oneOf', 'allOf'])] = Array.from({ length: 1 + chance.below(3) }, () => this.#branch(schema))
    if (chance.is(0.1)) schema.if = { properties: { [Object.keys(schema.properties ?? { x: 1 })[0] ?? 'x']: {} } }
    if (chance.is(0.1)) schema.then = this.#object(1)
    if (chance.is(0.05)) schema.additionalProperties = chance.of([true, { type: 'string' }])
    if (chance.is(0.3)) schema.$schema = chance.of(['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'])
    if (this.#definitions.length > 0) schema.$defs = Object.fromEntries(this.#definitions.map((name) => [name, this.#object(1)]))
    return schema
  }

  /** A branch of the root: properties of its own, or which of those of the root are needed. */
  #branch(root: any): any {
    const known = Object.keys(root.properties ?? {})
    if (known.length > 0 && this.chance.is(0.5)) return { required: [this.chance.of(known)] }
    return this.#object(1)
  }

  #name(): string {
    this.#names += 1
    if (this.chance.is(0.08)) return this.chance.of(ODD_NAMES)
    return `${this.chance.of(['path', 'query', 'item', 'value'])}${this.#names}`
  }

  #object(depth: number, isRoot = false): any {
    const { chance } = this
    const schema: any = { type: 'object' }
    const count = chance.is(isRoot ? 0.05 : 0.2) ? 0 : 1 + chance.below(4)
    if (count > 0) {
      const entries = Array.from({ length: count }, () => [this.#name(), this.schema(depth - 1)] as const)
      schema.properties = Object.fromEntries(entries)
      const names = Object.keys(schema.properties)
      if (chance.is(0.6)) schema.required = names.filter(() => chance.is(0.5))
      if (chance.is(0.05)) schema.required = [...(schema.required ?? []), 'undescribed']
    }
    if (chance.is(0.3)) schema.additionalProperties = false
    else if (count === 0 && chance.is(0.5)) schema.additionalProperties = chance.of([true, { type: 'string' }, { type: 'array', items: { type: 'integer' } }])
    if (count === 0 && chance.is(0.15)) schema.patternProperties = { '^x-': { type: 'string' } }
    return this.#annotated(schema)
  }

  #annotated(schema: any): any {
    const { chance } = this
    if (chance.is(0.3)) schema.description = chance.of(['What it is.', 'A thing', 'Default is unknown', ''])
    if (chance.is(0.1)) schema.title = 'Title'
    return schema
  }

  schema(depth: number): any {
    const { chance } = this
    if (depth <= 0 || chance.is(0.45)) return this.#annotated(this.#scalar())
    const kinds: (() => any)[] = [
      () => this.#object(depth),
      () => this.#object(depth),
      () => ({ type: 'array', items: this.schema(depth - 1), ...(chance.is(0.3) && { minItems: chance.below(3) }) }),
      () => ({ type: 'array' }),
      () => ({ type: 'array', prefixItems: [this.schema(0), this.schema(0)], minItems: 2, maxItems: 2, items: false }),
      () => ({ [chance.of(['anyOf', 'oneOf'])]: Array.from({ length: 1 + chance.below(3) }, () => this.schema(depth - 1)) }),
      () => ({ anyOf: [this.schema(depth - 1), { type: 'null' }], ...(chance.is(0.3) && { default: null }) }),
      () => ({ allOf: [this.#object(1), this.#object(1)] }),
      () => (this.#definitions.length > 0 ? { $ref: `#/$defs/${chance.of(this.#definitions)}` } : {}),
      () => (this.#definitions.length > 0 ? { anyOf: [{ $ref: `#/$defs/${chance.of(this.#definitions)}` }, this.schema(0)] } : {}),
      () => (this.#definitions.length > 0 ? { allOf: [{ $ref: `#/$defs/${chance.of(this.#definitions)}` }] } : {}),
      () => ({
        type: chance.of([
          ['object', 'null'],
          ['string', 'object'],
          ['array', 'string', 'null'],
        ]),
      }),
      () => ({ ...this.#object(depth - 1), anyOf: [this.#object(depth - 1), this.#object(depth - 1)] }),
      () => chance.of([true, {}, { description: 'any value' }, { not: { type: 'null' } }, false]),
      () => ({ type: 'object', properties: { kind: { const: 'a' } }, required: ['kind'], if: { properties: { kind: { const: 'a' } } }, then: this.#object(1) }),
    ]
    const made = chance.of(kinds)()
    return typeof made === 'boolean' ? made : this.#annotated(made)
  }

  #scalar(): any {
    const { chance } = this
    return chance.of<() => any>([
      () => ({ type: 'string', ...(chance.is(0.2) && { minLength: chance.below(3) }) }),
      () => ({ type: 'string', format: chance.of(['uri', 'date-time', 'email', 'uint32']) }),
      () => ({ type: 'string', pattern: chance.of(['^[a-z]+$', '^(?!x).*$', '^a']) }),
      () => ({ type: 'string', enum: chance.of([['a', 'b'], ['', 'a'], ['a']]), ...(chance.is(0.3) && { default: 'a' }) }),
      () => ({ enum: chance.of<unknown[]>([['a', 'b'], [1, 2, 3], ['a', 1, null], [true], [{ x: 1 }, 'a'], [1.5, 2], []]) }),
      () => ({ const: chance.of<unknown>(['x', 5, null, true, ['y'], { z: 1 }]) }),
      () => ({ type: 'integer', minimum: chance.below(5), ...(chance.is(0.2) && { enum: [5, 6] }) }),
      () => ({ type: 'number', exclusiveMinimum: 0, ...(chance.is(0.2) && { exclusiveMinimum: true, minimum: 1 }) }),
      () => ({ type: chance.of(['boolean', 'null', ['string', 'null'], ['integer', 'string', 'boolean'], ['number', 'integer']]) }),
      () => ({
        oneOf: [
          { const: 'a', title: 'The first' },
          { const: 'b', description: 'The second' },
        ],
      }),
      () => ({ description: 'any value' }),
      () => ({ type: 'object' }),
      () => ({ minimum: 3 }),
      () => ({ type: 'string', nullable: true }),
    ])()
  }
}

/** A value that may well fit a schema. */
export class ValueMaker {
  constructor(
    readonly chance: Chance,
    readonly root: any,
  ) {}

  value(schema: any, depth = 0): any {
    const { chance } = this
    if (schema === true || typeof schema !== 'object' || depth > 6) return this.#anything(depth)
    if (schema.$ref) return this.value(this.root.$defs[schema.$ref.replace('#/$defs/', '')], depth + 1)
    const { anyOf, oneOf, allOf, then, ...base } = schema
    const branches = [anyOf, oneOf].filter(Boolean).map((union) => chance.of(union as any[]))
    const parts = [...branches, ...(allOf ?? []), ...(then ? [then] : [])]
    const isBare = Object.keys(base).every((word) => ['description', 'title', 'default', '$schema', '$defs', 'if'].includes(word))
    if (parts.length > 0 && (isBare || base.type === 'object' || base.properties)) {
      const values = [...(isBare ? [] : [base]), ...parts].map((part) => this.value(part, depth))
      const objects = values.filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
      return objects.length === values.length && values.length > 1 ? Object.assign({}, ...objects) : values.at(-1)
    }
    if ('const' in base) return base.const
    if (base.enum?.length > 0) return chance.of(base.enum)
    const kind =
      base.type === undefined
        ? base.properties || base.required
          ? 'object'
          : base.minimum !== undefined
            ? 'integer'
            : undefined
        : chance.of([base.type].flat())
    return this.#of(kind, base, depth)
  }

  #of(kind: string | undefined, schema: any, depth: number): any {
    const { chance } = this
    switch (kind) {
      case 'string':
        return chance.of(['a', 'abc', '5', '{"x":1}', 'null', '"quoted"', '2026-01-01T00:00:00Z', '1.50'])
      case 'integer':
        return chance.below(9)
      case 'number':
        return chance.of([1, 2.5, 7])
      case 'boolean':
        return chance.is(0.5)
      case 'null':
        return null
      case 'array':
        if (schema.prefixItems) return schema.prefixItems.map((item: any) => this.value(item, depth + 1))
        return Array.from({ length: chance.below(3) }, () => this.value(schema.items ?? {}, depth + 1))
      case 'object': {
        const entries = Object.entries(schema.properties ?? {}).filter(
          ([name, child]) => child !== false && ((schema.required ?? []).includes(name) || chance.is(depth > 3 ? 0.1 : 0.7)),
        )
        const made = entries.map(([name, child]) => [name, this.value(child, depth + 1)])
        if ((schema.required ?? []).includes('undescribed')) made.push(['undescribed', 5])
        const isFree = !schema.properties && schema.additionalProperties !== false
        if (isFree && depth > 0)
          made.push(['free', typeof schema.additionalProperties === 'object' ? this.value(schema.additionalProperties, depth + 1) : { x: [1] }])
        return Object.fromEntries(made)
      }
      default:
        return this.#anything(depth)
    }
  }

  #anything(depth: number): any {
    return this.chance.of<unknown>(['text', '5', '"q"', 5, 1.5, true, null, [1, 'a'], { x: { y: 1 } }, '{"x":1}'].slice(0, depth > 6 ? 4 : 10))
  }
}
