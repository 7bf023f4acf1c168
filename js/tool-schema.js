// @ts-check
'use strict'

const { describe, invalidInput } = require('./tool-error.js')
const { issuesOf } = require('./standard-issues.js')

/** Marks of TypeBox 0.34 and 1.x: frameworks look for them, so the very object has to stay. */
const TYPEBOX = [Symbol.for('TypeBox.Kind'), '~kind']

/**
 * @typedef {import('../index.d.ts').ValidationIssue} Issue
 * @typedef {{ value?: unknown, json?: string, issues?: Issue[] }} Checked the value as the tool takes it, and as JSON where that can say it
 * @typedef {object} ToolSchema
 * @property {any} json what models read
 * @property {object} [native] the schema object itself, where frameworks know it
 * @property {(params: unknown) => Checked | Promise<Checked>} [check] where the schema brings a check of its own
 * @property {string[]} notices
 */

/**
 * Reads the schema of a tool: JSON Schema, TypeBox, Zod, any Standard Schema, `jsonSchema()` of the AI SDK, or none.
 *
 * @param {string} tool
 * @param {any} schema
 * @param {any} [jsonSchema] what models read, given by the host
 * @returns {ToolSchema}
 */
function schemaOf(tool, schema, jsonSchema) {
  if (schema === undefined || schema === null) return { json: copy(tool, jsonSchema ?? openObject()), notices: [] }
  if (typeof schema !== 'object' && typeof schema !== 'function') {
    throw invalidInput(tool, `The schema of the tool \`${tool}\` must be an object; got ${typeof schema}.`)
  }
  if (isRawShape(schema)) return rawShape(tool, schema, jsonSchema)
  const check = checkOf(schema)
  if (check === undefined && !isForeign(schema)) {
    const native = TYPEBOX.some((mark) => mark in schema) ? schema : undefined
    return { json: copy(tool, jsonSchema ?? schema), native, notices: [] }
  }
  const json = jsonSchema ?? described(schema)
  const notices = json
    ? []
    : [`The schema of the tool \`${tool}\` cannot be written as JSON Schema, so models do not see its parameters. Add a \`jsonSchema\`.`]
  return { json: cleaned(copy(tool, json ?? openObject())), check, notices }
}

/**
 * Whether it is a shape of Zod without its object: `{ path: z.string() }`.
 *
 * @param {any} schema
 */
function isRawShape(schema) {
  const parent = Object.getPrototypeOf(schema)
  // The plain objects of other realms have a prototype of their own.
  const isPlain = parent === null || Object.getPrototypeOf(parent) === null
  const members = isPlain && typeof schema === 'object' ? Object.values(schema) : []
  return members.length > 0 && members.every((member) => typeof member?.safeParse === 'function' && (member._def ?? member._zod))
}

/**
 * @param {string} tool
 * @param {Record<string, any>} shape
 * @param {any} [jsonSchema]
 * @returns {ToolSchema}
 */
function rawShape(tool, shape, jsonSchema) {
  const members = Object.entries(shape).map(([name, schema]) => ({ name, check: /** @type {Function} */ (checkOf(schema)), schema }))
  const properties = Object.fromEntries(members.map(({ name, schema }) => [name, cleaned(copy(tool, described(schema) ?? {}))]))
  const required = members.filter(({ schema }) => !schema.isOptional()).map(({ name }) => name)
  const own = { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
  const check = (/** @type {any} */ params) => {
    const results = members.map(({ name, check }) => check(params?.[name]))
    return results.some((one) => typeof one?.then === 'function') ? Promise.all(results).then((all) => together(members, all)) : together(members, results)
  }
  return { json: jsonSchema ? cleaned(copy(tool, jsonSchema)) : own, check, notices: [] }
}

/**
 * What the members of a shape say, as their object would say it: what has no schema is left out.
 *
 * @param {readonly { name: string }[]} members
 * @param {readonly Checked[]} results
 * @returns {Checked}
 */
function together(members, results) {
  const issues = results.flatMap((one, index) =>
    (one.issues ?? []).map((issue) => ({ ...issue, param: [members[index].name, issue.param].filter(Boolean).join('.').replace('.[', '[') })),
  )
  if (issues.length > 0) return { issues }
  const given = members.map(({ name }, index) => [name, results[index].value]).filter(([, value]) => value !== undefined)
  return taken(Object.fromEntries(given))
}

function openObject() {
  return { type: 'object', properties: {} }
}

/**
 * The check that a schema brings; none for plain JSON Schema.
 *
 * @param {any} schema
 * @returns {ToolSchema['check']}
 */
function checkOf(schema) {
  const standard = schema['~standard']
  // Schemas of our own tools say the same as JSON Schema.
  if (standard?.vendor === 'tenon') return undefined
  if (typeof standard?.validate === 'function') {
    return (params) => after(standard.validate(params), (result) => (result.issues ? refused(result.issues) : taken(result.value)))
  }
  if (isForeign(schema)) {
    if (typeof schema.validate !== 'function') return undefined
    return (params) => after(schema.validate(params), (result) => (result.success ? taken(result.value) : refused([{ message: describe(result.error) }])))
  }
  // Zod before 3.24.
  if (typeof schema.safeParse === 'function' && schema._def) {
    return (params) => after(schema.safeParseAsync(params), (result) => (result.success ? taken(result.data) : refused(result.error.issues)))
  }
  return undefined
}

/**
 * Whether a schema is one of the AI SDK (`jsonSchema()`, `zodSchema()`).
 *
 * @param {any} schema
 */
function isForeign(schema) {
  return typeof schema.jsonSchema === 'object' && schema.jsonSchema !== null && schema.type === undefined && schema.properties === undefined
}

/**
 * @template T, R
 * @param {T | Promise<T>} result
 * @param {(result: T) => R} then
 * @returns {R | Promise<R>}
 */
function after(result, then) {
  return typeof (/** @type {any} */ (result)?.then) === 'function' ? Promise.resolve(result).then(then) : then(/** @type {T} */ (result))
}

/**
 * @param {unknown} value
 * @returns {Checked}
 */
function taken(value) {
  const { encodeParams } = require('./params.js')
  const { json, faults } = encodeParams(value)
  return faults.length === 0 && json.startsWith('{') ? { value, json } : { value }
}

/**
 * @param {readonly any[]} issues
 * @returns {Checked}
 */
function refused(issues) {
  return { issues: issuesOf(issues) }
}

/**
 * A schema as JSON Schema, by its own words where it has them.
 *
 * @param {any} schema
 */
function described(schema) {
  const ways = [
    // Zod 4 can describe what JSON cannot say as anything; its Standard Schema throws there.
    () => schema.toJSONSchema?.({ io: 'input', unrepresentable: 'any', target: 'draft-7' }),
    () => schema['~standard']?.jsonSchema?.input({ target: 'draft-07' }),
    () => schema.toJsonSchema?.(),
    () => schema.jsonSchema,
    () => require('./zod-schema.js').zodSchema(schema),
  ]
  for (const way of ways) {
    try {
      const json = way()
      if (typeof json === 'object' && json !== null && typeof json.then !== 'function') return json
    } catch {
      // The next one may know better.
    }
  }
  return undefined
}

/**
 * A copy as JSON: what is no JSON (functions, marks) is no part of the schema.
 *
 * @param {string} tool
 * @param {any} schema
 */
function copy(tool, schema) {
  try {
    return JSON.parse(JSON.stringify(schema))
  } catch (error) {
    throw invalidInput(tool, `The schema of the tool \`${tool}\` cannot be written as JSON: ${describe(error)}.`)
  }
}

/**
 * Without what generators write and nobody means: the draft, names that are texts, bounds of safe integers.
 *
 * @param {any} schema
 * @returns {any}
 */
function cleaned(schema) {
  const { $schema: _draft, ...rest } = schema
  return withoutNoise(rest)
}

/**
 * @param {any} node
 * @returns {any}
 */
function withoutNoise(node) {
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node)) return node.map(withoutNoise)
  const isNoise = (/** @type {string} */ word, /** @type {unknown} */ value) =>
    (word === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (word === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
    (word === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}')
  const kept = Object.entries(node).filter(([word, value]) => !isNoise(word, value))
  return Object.fromEntries(kept.map(([word, value]) => [word, withoutNoise(value)]))
}

module.exports = { schemaOf }
