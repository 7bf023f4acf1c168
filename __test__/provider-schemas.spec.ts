import { createRequire } from 'node:module'
import path from 'node:path'

import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'

import { Chance, SchemaMaker, ValueMaker } from './support/json-schemas.js'
import { RULES_OF } from './support/provider-rules.js'
import { toolkitOf } from './support/workspace.js'

// Both have to be of one instance of the package, by whose marks schemas are known.
const require = createRequire(path.resolve('package.json'))
const { readAs, shownAs } = require('./js/schemas/shown.js')
const { CODE } = require('./js/schemas/translate.js')
const FORMATS = Object.keys(RULES_OF)
/** How many schemas are made in each format; more with `TENON_SCHEMAS`. */
const COUNT = Number(process.env.TENON_SCHEMAS ?? 120)

function schemaOf(seed: number): { schema: any; chance: Chance } {
  const chance = new Chance(seed)
  return { schema: new SchemaMaker(chance).root(), chance }
}

/** Names of all properties that a value may have, by each way to them. */
function namesOf(root: any): Set<string> {
  const names = new Set<string>()
  const seen = new Set<string>()
  const visit = (node: any): void => {
    if (typeof node !== 'object' || node === null) return
    if (typeof node.$ref === 'string') {
      if (seen.has(node.$ref)) return
      seen.add(node.$ref)
      visit(root.$defs[node.$ref.replace('#/$defs/', '')])
    }
    for (const [name, child] of Object.entries(node.properties ?? {})) {
      if (child === false) continue
      names.add(name)
      visit(child)
    }
    for (const child of [node.items, node.then, ...(node.prefixItems ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])]) visit(child)
  }
  visit(root)
  return names
}

const UNSAYABLE = Symbol('unsayable')
/** What the translated schema says by design no more: properties without a name beside others and at the root, and texts that are the JSON of another form. */
class Beyond extends Error {}

/** A value as a model writes it that does as it is asked. */
function written(root: any, node: any, value: any, isLoose = false): any {
  if (isLoose) return renamed(node[CODE]?.names, value)
  if (node.$ref) return written(root, node.$ref === '#' ? root : root.$defs[node.$ref.replace('#/$defs/', '')], value)
  if (node.anyOf) {
    for (const choice of node.anyOf) {
      const said = written(root, choice, value)
      if (said !== UNSAYABLE) return said
    }
    return UNSAYABLE
  }
  const code = node[CODE]
  if (code?.whole) return { [code.whole]: JSON.stringify(value) }
  const types = [node.type].flat()
  if (value === null && (types.includes('null') || node.nullable) && !code?.text?.has('null')) return null
  if (code?.text) return writtenText(code.text, value)
  if (node.enum && !node.enum.includes(value)) return UNSAYABLE
  if (Array.isArray(value)) {
    if (!types.includes('array')) return UNSAYABLE
    const items = value.map((item) => written(root, node.items, item))
    return items.includes(UNSAYABLE) ? UNSAYABLE : items
  }
  if (typeof value === 'object' && value !== null) return types.includes('object') ? writtenObject(root, node, value) : UNSAYABLE
  const fits = types.includes(typeof value) || (Number.isInteger(value) && types.includes('integer'))
  return fits ? value : UNSAYABLE
}

function writtenText(kinds: Set<string>, value: any): any {
  const isOf = (one: any) => kinds.has(one === null ? 'null' : Array.isArray(one) ? 'array' : Number.isInteger(one) ? 'integer' : typeof one)
  if (!isOf(value)) return UNSAYABLE
  if (typeof value !== 'string' || kinds.has('null')) return JSON.stringify(value)
  if (/^[[{]/.test(value)) throw new Beyond()
  return value
}

function renamed(names: Map<string, string> | undefined, value: any): any {
  const shown = new Map([...(names ?? [])].map(([known, name]) => [name, known]))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [shown.get(name) ?? name, member]))
}

function writtenObject(root: any, node: any, value: any): any {
  const names = node[CODE]?.names ?? new Map()
  const said = Object.entries<any>(node.properties ?? {}).flatMap(([shown, child]) => {
    const name = names.get(shown) ?? shown
    if (Object.hasOwn(value, name)) return [[shown, written(root, child, value[name])]]
    return (node.required ?? []).includes(shown) ? [[shown, null]] : []
  })
  const known = Object.keys(node.properties ?? {}).map((shown) => names.get(shown) ?? shown)
  const others = Object.entries(value).filter(([name]) => !known.includes(name))
  if (others.length > 0 && (known.length > 0 || node === root)) throw new Beyond()
  if (others.length > 0 && node.additionalProperties === false) return UNSAYABLE
  if (said.some(([, member]) => member === UNSAYABLE)) return UNSAYABLE
  return Object.fromEntries([...said, ...others])
}

function sayable(write: () => any): any {
  try {
    return write()
  } catch (error) {
    if (error instanceof Beyond) return undefined
    throw error
  }
}

/** What checks values by a schema; nothing fits one that is no JSON Schema. */
function compiled(ajv: Ajv2020, schema: any): { (value: unknown): boolean; errors?: { data?: unknown }[] | null } {
  try {
    return ajv.compile(schema)
  } catch {
    return () => false
  }
}

/** Without nulls, which stand for what is absent wherever it may be. */
function withoutNulls(value: any): any {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member)]),
  )
}

describe.each(FORMATS)('%s', (format) => {
  test('any JSON Schema becomes one that the provider takes, in any mode of its', () => {
    for (let seed = 0; seed < COUNT; seed += 1) {
      const { schema } = schemaOf(seed)
      const shown = shownAs(schema, format)
      expect(RULES_OF[format]!(JSON.parse(JSON.stringify(shown))), JSON.stringify({ seed, schema, shown })).toEqual([])
    }
  })

  test('no property is lost', () => {
    for (let seed = 0; seed < COUNT; seed += 1) {
      const { schema } = schemaOf(seed)
      const text = JSON.stringify(shownAs(schema, format))
      const lost = [...namesOf(schema)].filter(
        (name) =>
          !text.includes(JSON.stringify(name)) &&
          !text.includes(JSON.stringify(JSON.stringify(name)).slice(1, -1)) &&
          !text.includes(`\`${JSON.stringify(name).slice(1, -1)}\``),
      )
      expect(lost, JSON.stringify({ seed, schema, text })).toEqual([])
    }
  })

  test('what the tool takes can be said, and arrives as it was meant', () => {
    const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, verbose: true })
    let said = 0
    for (let seed = 0; seed < COUNT; seed += 1) {
      const { schema, chance } = schemaOf(seed)
      delete schema.$schema
      const takes = compiled(ajv, schema)
      const shown = shownAs(schema, format)
      for (let attempt = 0; attempt < 6; attempt += 1) {
        const value = new ValueMaker(chance, schema).value(schema)
        if (typeof value !== 'object' || value === null || Array.isArray(value) || !takes(value)) continue
        const sent = sayable(() => written(shown, shown, value, format === 'openai' || format === 'anthropic'))
        if (sent === undefined) continue
        const read = sent === UNSAYABLE ? UNSAYABLE : readAs(schema, format, sent)
        const facts = JSON.stringify({ seed, schema, shown, value, sent })
        expect(withoutNulls(read), facts).toEqual(withoutNulls(value))
        // A null that a parameter takes stays one, whatever is said of it and others together.
        expect(takes(read) ? [] : takes.errors?.filter(({ data }) => data === null), facts).toEqual([])
        said += 1
      }
    }
    expect(said).toBeGreaterThan(COUNT)
  })
})

/** A toolkit with one tool of this schema, and what the tool was called with. */
function calledWith(parameters: any): { toolkit: ReturnType<typeof toolkitOf>; calls: any[] } {
  const calls: any[] = []
  const toolkit = toolkitOf()
  toolkit.registerTool({
    name: 'own',
    description: 'Own.',
    parameters,
    handler: (params: any) => {
      calls.push(params)
      return 'ok'
    },
  })
  return { toolkit, calls }
}

function shown(toolkit: any, format: string): any {
  const [definition] = toolkit.definitions(['own'], format)
  return definition.input_schema ?? definition.function?.parameters ?? definition.parameters ?? definition.parametersJsonSchema
}

test('a union at the root becomes one object, in every format and for every framework', () => {
  const branches = [{ required: ['paths'] }, { properties: { scopes: { type: 'array', items: { type: 'string' } } }, required: ['scopes'] }]
  const { toolkit } = calledWith({
    type: 'object',
    properties: { project: { type: 'string' }, paths: { type: 'array', items: { type: 'string' } } },
    required: ['project'],
    anyOf: branches,
  })
  const list = { type: 'array', items: { type: 'string' } }
  const description = 'Needs `paths`, or `scopes`.'
  const object = { type: 'object', description, properties: { project: { type: 'string' }, paths: list, scopes: list }, required: ['project'] }
  for (const format of ['openai', 'anthropic', 'gemini', 'gemini-json-schema'])
    expect({ format, schema: shown(toolkit, format) }).toEqual({ format, schema: object })
  expect(JSON.parse(JSON.stringify(toolkit.tool('own').parameters))).toEqual(object)
  expect(shown(toolkit, 'openai-strict')).toEqual({
    type: 'object',
    description,
    properties: { project: { type: 'string' }, paths: { ...list, type: ['array', 'null'] }, scopes: { ...list, type: ['array', 'null'] } },
    required: ['project', 'paths', 'scopes'],
    additionalProperties: false,
  })
  expect(toolkit.validateParams('own', { project: 'a' }).valid).toBe(false)
  expect(toolkit.validateParams('own', { project: 'a', scopes: ['b'] }).valid).toBe(true)
})

test('what cannot be said in strict mode is asked for as JSON text, and read as such', async () => {
  const { toolkit, calls } = calledWith({
    type: 'object',
    properties: {
      args: { type: 'object', description: 'Any arguments.' },
      mode: { enum: ['a', 'b'] },
      any: { description: 'any value' },
      site: { type: 'string', format: 'uri' },
      node: { $ref: '#/$defs/Node', description: 'The first.' },
      one: { const: 'x' },
    },
    required: ['args'],
    $defs: { Node: { type: 'object', properties: { next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] } } } },
  })
  expect(shown(toolkit, 'openai-strict')).toEqual({
    type: 'object',
    properties: {
      args: { type: 'string', description: 'Any arguments. Write it as JSON text.' },
      mode: { type: ['string', 'null'], enum: ['a', 'b', null] },
      any: { type: ['string', 'null'], description: 'any value. Write it as JSON text.' },
      site: { type: ['string', 'null'] },
      node: { description: 'The first.', anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] },
      one: { type: ['string', 'null'], enum: ['x', null] },
    },
    required: ['args', 'mode', 'any', 'site', 'node', 'one'],
    additionalProperties: false,
    $defs: {
      Node: {
        type: 'object',
        properties: { next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] } },
        required: ['next'],
        additionalProperties: false,
      },
    },
  })
  const nulls = { mode: null, site: null, node: null, one: null }
  await toolkit.execute('own', { ...nulls, args: '{"id":5}', any: null })
  await toolkit.execute('own', { ...nulls, args: '{"id":5}', any: '{"x":1}' })
  await toolkit.execute('own', { ...nulls, args: '{}', any: '"a text"' })
  await toolkit.execute('own', { ...nulls, args: '{}', any: 'null' })
  await toolkit.execute('own', { ...nulls, args: '{}', any: '1.50' })
  expect(calls).toEqual([
    { args: { id: 5 } },
    { args: { id: 5 }, any: { x: 1 } },
    { args: {}, any: 'a text' },
    { args: {}, any: null },
    { args: {}, any: '1.50' },
  ])
})

test('a text for a parameter of any form stays one where the model was not asked for JSON text', async () => {
  const { toolkit, calls } = calledWith({ type: 'object', properties: { any: {}, either: { anyOf: [{ type: 'object' }, { type: 'string' }] } } })
  await toolkit.execute('own', { any: '{"x":1}', either: '{"x":1}' })
  shown(toolkit, 'openai')
  await toolkit.execute('own', { any: '5', either: '{"x":1}' })
  shown(toolkit, 'openai-strict')
  await toolkit.execute('own', { any: '5', either: '{"x":1}' })
  expect(calls).toEqual([
    { any: '{"x":1}', either: '{"x":1}' },
    { any: '5', either: '{"x":1}' },
    { any: 5, either: { x: 1 } },
  ])
})

test('approvals are asked for, and given to, what the tool is called with', async () => {
  const asked: any[] = []
  const calls: any[] = []
  const toolkit = toolkitOf({}, { onApproval: () => 'once' })
  toolkit.registerTool({
    name: 'own',
    parameters: { type: 'object', properties: { $filter: { type: 'string' }, any: {} } },
    approvalRequest: (params: any) => void asked.push(params),
    handler: (params: any) => void calls.push(params),
  })
  expect(Object.keys(shown(toolkit, 'gemini').properties)).toEqual(['_filter', 'any'])
  expect(toolkit.approvalRequest('own', { _filter: 'a', any: '[1]' })).toMatchObject({ params: { $filter: 'a', any: [1] } })
  await toolkit.execute('own', { _filter: 'a', any: '[1]' })
  expect(calls).toEqual([{ $filter: 'a', any: [1] }])
  expect(asked).toEqual([
    { $filter: 'a', any: [1] },
    { $filter: 'a', any: [1] },
  ])
})

test('names that a provider does not take are others for the model, and the own ones for the tool', async () => {
  const { toolkit, calls } = calledWith({
    type: 'object',
    properties: { $filter: { type: 'string', description: 'Which.' }, _filter: { type: 'number' } },
    required: ['$filter'],
  })
  expect(shown(toolkit, 'anthropic')).toEqual({
    type: 'object',
    properties: { _filter_2: { type: 'string', description: 'Named `$filter`. Which.' }, _filter: { type: 'number' } },
    required: ['_filter_2'],
  })
  await toolkit.execute('own', { _filter_2: 'a', _filter: 1 })
  expect(calls).toEqual([{ $filter: 'a', _filter: 1 }])
})

test('a tool that takes any parameters gets them in one text where that cannot be said to the provider', async () => {
  const { toolkit, calls } = calledWith({ type: 'object', additionalProperties: true })
  const text = { type: 'string', description: 'Write all parameters as the JSON text of one object.' }
  expect(shown(toolkit, 'openai-strict')).toEqual({
    type: 'object',
    properties: { parameters_as_json: text },
    required: ['parameters_as_json'],
    additionalProperties: false,
  })
  expect(shown(toolkit, 'gemini')).toEqual({ type: 'object', properties: { parameters_as_json: text }, required: ['parameters_as_json'] })
  await toolkit.execute('own', { parameters_as_json: '{"a":[1]}' })
  expect(calls).toEqual([{ a: [1] }])
})

test('Gemini gets no empty texts, no values of numbers, no names that are not there and no objects without properties', () => {
  const { toolkit } = calledWith({
    type: 'object',
    properties: {
      order: { type: 'string', enum: ['', 'up'] },
      level: { type: 'integer', enum: [1, 2] },
      open: { type: 'object' },
      inner: { properties: { a: { type: 'string' } }, required: ['a', 'b'], additionalProperties: false },
    },
    required: ['order'],
  })
  expect(shown(toolkit, 'gemini')).toEqual({
    type: 'object',
    properties: {
      order: { type: 'string', description: 'One of "", "up".' },
      level: { type: 'integer', description: 'One of 1, 2.' },
      open: { type: 'string', description: 'Write it as JSON text.' },
      inner: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    },
    required: ['order'],
  })
})

test('schemas of any size are within the limits of strict mode', () => {
  const deep = Array.from({ length: 40 }).reduce<any>((inner, _, index) => ({ type: 'object', properties: { [`level${index}`]: inner } }), { type: 'string' })
  const long = { type: 'object', properties: { value: { type: 'string', enum: Array.from({ length: 3000 }, (_, index) => `value ${index}`) } } }
  const wide = { type: 'object', properties: Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`name${index}`, { type: 'string' }])) }
  const steps = Array.from({ length: 40 }, (_, index) => {
    const next = { $ref: `#/$defs/d${index + 1}` }
    return [`d${index}`, { anyOf: [next, next, { type: 'object', properties: { [`x${index}`]: next, [`y${index}`]: next } }] }]
  })
  const endless = { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: { ...Object.fromEntries(steps), d40: { type: 'string' } } }
  for (const schema of [deep, long, wide, endless]) {
    for (const format of FORMATS) expect(RULES_OF[format]!(JSON.parse(JSON.stringify(shownAs(schema, format))))).toEqual([])
  }
})

describe.each(['agent', 'canonical', 'coder', 'manager', 'acp'] as const)('the tools of %s', (dialect) => {
  test('are what each provider takes, and objects in JSON text are all that is not said as it is', () => {
    const toolkit = toolkitOf({}, { dialect, browser: true, canvas: true, tools: { show: 'all' } } as any)
    for (const { name, parameters } of toolkit.listTools()) {
      for (const format of FORMATS) {
        const schema = shownAs(JSON.parse(JSON.stringify(parameters)), format)
        expect({ name, format, faults: RULES_OF[format]!(JSON.parse(JSON.stringify(schema))) }).toEqual({ name, format, faults: [] })
        // The core reads the text of an object as one, and null as absent, whatever a model was shown.
        expect({ name, format, kinds: textsOf(schema).filter((kinds) => kinds.some((kind) => kind !== 'object' && kind !== 'array')) }).toEqual({
          name,
          format,
          kinds: [],
        })
      }
    }
  })
})

/** What each text of a translated schema may be the JSON of. */
function textsOf(node: any): string[][] {
  if (typeof node !== 'object' || node === null) return []
  const below = [...Object.values(node.properties ?? {}), node.items, ...(node.anyOf ?? [])].flatMap(textsOf)
  return node[CODE]?.text ? [[...node[CODE].text], ...below] : below
}
