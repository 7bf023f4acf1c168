// @ts-check
'use strict'

const { isMarkable, markSchema, standardise, withoutNulls } = require('./schema.js')
const { ToolError } = require('./tool-error.js')

/**
 * One AgentTool from one entry of the catalog: a plain object, its properties own and enumerable,
 * and `execute` a closure. Frameworks spread, clone and freeze tools and call `execute` unbound.
 *
 * Entries are shared by all toolkits of a kind. Whatever frameworks write to is a copy.
 *
 * @param {any} entry
 * @param {import('./connection.js').Connection} connection
 * @param {import('./custom-tool.js').CustomTool} [custom] what the host registered, when it is a tool of the host
 * @returns {import('../index.d.ts').AgentTool<any, any>}
 */
function agentTool(entry, connection, custom) {
  const { name, label, description, parameters, annotations, metadata, ...rest } = entry
  return {
    name,
    label,
    description,
    parameters: custom?.schema ?? marked(name, custom ? portableOf(parameters) : copyOf(parameters), connection),
    execute: (/** @type {string} */ toolCallId, /** @type {any} */ params, /** @type {any} */ signal, /** @type {any} */ onUpdate) =>
      connection.call({ tool: name, toolCallId, params, signal, onUpdate }),
    ...rest,
    annotations: { ...annotations },
    metadata: copyOf(metadata),
    prepareArguments: (args) => repaired(name, custom?.prepareArguments ? custom.prepareArguments(args) : args, connection),
    ...custom?.extras,
  }
}

/**
 * The schema of a tool of the host as every provider takes it. What the tool itself has is kept for MCP.
 *
 * @param {any} parameters
 */
function portableOf(parameters) {
  const { originals, portable } = require('./schemas/portable.js')
  const schema = portable(copyOf(parameters))
  originals.set(schema, copyOf(parameters))
  return schema
}

/**
 * A parameter schema that frameworks accept as one of their own.
 *
 * @param {string} name
 * @param {any} parameters
 * @param {import('./connection.js').Connection} connection
 */
function marked(name, parameters, connection) {
  if (isMarkable(parameters)) markSchema(parameters)
  standardise(parameters, (value) => {
    const standardResult = (/** @type {import('../index.d.ts').Validation} */ { valid, errors = [] }) =>
      // No parameters at all are an empty object, as for a call.
      valid ? { value: withoutNulls(parameters, value ?? {}) } : { issues: errors.map(({ param, message }) => ({ message, path: pathOf(param) })) }
    /** @type {any} a promise where the engine is elsewhere, which the standard permits */
    const validation = connection.validate(name, value)
    return typeof validation.then === 'function' ? validation.then(standardResult) : standardResult(validation)
  })
  return parameters
}

/**
 * A copy of plain JSON.
 *
 * @param {any} value
 * @returns {any}
 */
function copyOf(value) {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf)
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, copyOf(child)]))
}

/**
 * Raw arguments of a model in the spelling of the schema (`path` for `file_path`, a text where a
 * number belongs), for hosts that validate before they call `execute`. What cannot be repaired
 * stays as it is, for the host to refuse.
 *
 * @param {string} name
 * @param {any} args
 * @param {import('./connection.js').Connection} connection
 */
function repaired(name, args, connection) {
  // An engine that is elsewhere repairs them when they are called with.
  if (connection.isRemote) return args
  try {
    return connection.repair(name, args)
  } catch (error) {
    if (ToolError.is(error)) return args
    throw error
  }
}

/**
 * `edits[2].oldText` as its steps.
 *
 * @param {string} param
 */
function pathOf(param) {
  return Array.from(param.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|[^.[\]]+/g), ([step, quoted, index]) => {
    if (quoted !== undefined) return JSON.parse(`"${quoted}"`)
    return index === undefined ? step : Number(index)
  })
}

module.exports = { agentTool }
