// @ts-check
'use strict'

/** @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool */

/** Keywords that the strict mode of OpenAI accepts beside those of structure. */
const STRICT = [
  'type',
  'description',
  'enum',
  'const',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  '$ref',
]
/** Keywords of the subset of JSON Schema that Gemini knows. */
const GEMINI = [
  'type',
  'description',
  'enum',
  'format',
  'nullable',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'pattern',
  'required',
  'title',
]
/** The formats that Gemini takes; it refuses others. */
const GEMINI_FORMATS = ['enum', 'date-time', 'float', 'double', 'int32', 'int64']

/**
 * How each kind of model provider takes tools.
 *
 * @type {Record<import('../index.d.ts').DefinitionFormat, (tool: AgentTool) => any>}
 */
const FORMATS = {
  'json-schema': (/** @type {AgentTool} */ tool) => ({ name: tool.name, description: tool.description, inputSchema: plain(tool.parameters) }),
  openai: (/** @type {AgentTool} */ tool) => ({
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: plain(tool.parameters) },
  }),
  'openai-strict': (/** @type {AgentTool} */ tool) => ({
    type: 'function',
    function: { name: tool.name, description: tool.description, strict: true, parameters: strict(plain(tool.parameters)) },
  }),
  anthropic: (/** @type {AgentTool} */ tool) => ({ name: tool.name, description: tool.description, input_schema: plain(tool.parameters) }),
  gemini: (/** @type {AgentTool} */ tool) => geminiTool(tool.name, tool.description, plain(tool.parameters)),
  mcp: (/** @type {AgentTool} */ tool) => ({
    name: tool.name,
    title: tool.label,
    description: tool.description,
    inputSchema: plain(tool.parameters),
    annotations: { ...tool.annotations },
  }),
}

/**
 * A copy of a schema: plain JSON.
 *
 * @param {any} schema
 */
function plain(schema) {
  return JSON.parse(JSON.stringify(schema))
}

/**
 * A schema for strict modes: every property required, those that were optional may be null, nothing else allowed. Our
 * tools take null as absent, and lists and objects as JSON text.
 *
 * @param {any} schema
 * @returns {any}
 */
function strict(schema) {
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(schema.type) && schema.type.some((/** @type {string} */ kind) => kind === 'object' || kind === 'array')) {
    const { type, description, ...rest } = schema
    return strict({ ...(description && { description }), anyOf: type.map((/** @type {string} */ kind) => ({ ...rest, type: kind })) })
  }
  const kept = pick(schema, STRICT)
  describeDefault(kept, schema.default)
  if (choices) return { ...kept, anyOf: choices.map(strict) }
  if (schema.allOf?.length === 1) return strict({ ...schema, ...schema.allOf[0], allOf: undefined })
  if (schema.type === 'array') return { ...kept, items: strict(itemsOf(schema)) }
  if (schema.type !== 'object') return withDefinitions(kept.type || kept.$ref || kept.enum ? kept : asText(kept), schema)
  if (isRecord(schema)) return asText(kept)
  const properties = Object.entries(schema.properties ?? {}).map(([name, child]) => {
    const isRequired = (schema.required ?? []).includes(name)
    return [name, isRequired ? strict(child) : nullable(strict(child))]
  })
  const all = { ...kept, properties: Object.fromEntries(properties), required: properties.map(([name]) => name), additionalProperties: false }
  return withDefinitions(all, schema)
}

/**
 * An open record, or anything: strict modes know neither, so it is sent as its JSON text, which is read as such.
 *
 * @param {any} schema
 */
function asText(schema) {
  const lead = schema.description ? `${schema.description} ` : ''
  return { type: 'string', description: `${lead}Write it as JSON text.` }
}

/** @param {any} schema */
function isRecord(schema) {
  const names = Object.keys(schema.properties ?? {})
  return names.length === 0 && schema.additionalProperties !== false && schema.additionalProperties !== undefined
}

/** @param {any} schema */
function itemsOf(schema) {
  const { items, prefixItems } = schema
  if (items && !Array.isArray(items)) return items
  const choices = (Array.isArray(items) ? items : prefixItems) ?? []
  return choices.length > 0 ? { anyOf: choices } : {}
}

/**
 * @param {any} kept
 * @param {any} schema
 */
function withDefinitions(kept, schema) {
  const definitions = schema.$defs ?? schema.definitions
  if (!definitions) return kept
  const word = schema.$defs ? '$defs' : 'definitions'
  return { ...kept, [word]: Object.fromEntries(Object.entries(definitions).map(([name, child]) => [name, strict(child)])) }
}

/** @param {any} schema */
function nullable(schema) {
  if (schema.anyOf) return schema.anyOf.some(isNull) ? schema : { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  if (schema.$ref) return { anyOf: [schema, { type: 'null' }] }
  const types = [schema.type].flat()
  const type = types.includes('null') ? types : [...types, 'null']
  const values = schema.enum && !schema.enum.includes(null) ? { enum: [...schema.enum, null] } : {}
  return { ...schema, type, ...values }
}

/** @param {any} schema */
function isNull(schema) {
  return schema.type === 'null'
}

/**
 * Strict modes know no defaults; models can still read of them.
 *
 * @param {any} schema
 * @param {any} value
 */
function describeDefault(schema, value) {
  if (value === undefined || /default/i.test(schema.description ?? '')) return
  schema.description = `${schema.description ? `${schema.description} ` : ''}Default: ${JSON.stringify(value)}.`
}

/**
 * @param {string} name
 * @param {string} description
 * @param {any} schema
 */
function geminiTool(name, description, schema) {
  const parameters = gemini(schema, schema, 0)
  // Gemini refuses an object without properties.
  return Object.keys(parameters.properties ?? {}).length === 0 ? { name, description } : { name, description, parameters }
}

/**
 * A schema in the subset that Gemini knows: no `additionalProperties`, no references, enums of texts only.
 *
 * @param {any} schema
 * @param {any} root
 * @param {number} depth
 * @returns {any}
 */
function gemini(schema, root, depth) {
  // A schema that contains itself has to end somewhere.
  if (depth > 16 || typeof schema !== 'object' || schema === null) return { type: 'string', description: 'Write it as JSON text.' }
  const below = (/** @type {any} */ child) => gemini(child, root, depth + 1)
  if (schema.$ref) return gemini({ ...referred(root, schema.$ref), ...pick(schema, ['description']) }, root, depth + 1)
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema
    return gemini(allOf.reduce(merged, rest), root, depth + 1)
  }
  const types = Array.isArray(schema.type) ? schema.type.filter((/** @type {string} */ kind) => kind !== 'null') : [schema.type]
  if (types.length > 1)
    return gemini(
      { ...schema, type: undefined, anyOf: types.map((/** @type {string} */ kind) => ({ ...schema, type: kind, description: undefined })) },
      root,
      depth,
    )
  const kept = pick(schema, GEMINI)
  if (types[0] === undefined) delete kept.type
  else kept.type = types[0]
  if (Array.isArray(schema.type) && schema.type.includes('null')) kept.nullable = true
  const values = schema.const === undefined ? schema.enum : [schema.const]
  delete kept.enum
  if (values?.every((/** @type {unknown} */ value) => typeof value === 'string')) Object.assign(kept, { type: 'string', enum: values })
  if (!GEMINI_FORMATS.includes(kept.format)) delete kept.format
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) {
    const others = choices.filter((/** @type {any} */ choice) => !isNull(choice))
    if (others.length < choices.length) kept.nullable = true
    if (others.length === 1) return { ...gemini(others[0], root, depth + 1), ...pick(kept, ['description', 'nullable']) }
    return { ...pick(kept, ['description', 'nullable']), anyOf: others.map(below) }
  }
  if (schema.properties) kept.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, child]) => [name, below(child)]))
  if (kept.type === 'array') kept.items = below(itemsOf(schema))
  if (kept.type === undefined) return { type: 'string', ...kept }
  return kept
}

/**
 * @param {any} one
 * @param {any} other
 */
function merged(one, other) {
  return {
    ...one,
    ...other,
    properties: { ...one.properties, ...other.properties },
    required: [...(one.required ?? []), ...(other.required ?? [])],
  }
}

/**
 * @param {any} root
 * @param {string} reference
 */
function referred(root, reference) {
  const steps = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  return steps.reduce((node, step) => node?.[step.replace(/~1/g, '/').replace(/~0/g, '~')], root) ?? {}
}

/**
 * @param {any} schema
 * @param {readonly string[]} words
 */
function pick(schema, words) {
  return Object.fromEntries(words.filter((word) => schema[word] !== undefined).map((word) => [word, schema[word]]))
}

module.exports = { FORMATS, plain, strict }
