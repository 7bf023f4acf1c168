// @ts-check
'use strict'

const { originals } = require('./schemas/portable.js')
const { shownAs } = require('./schemas/shown.js')

/** @typedef {import('../index.d.ts').AgentTool<any, any>} AgentTool */

/**
 * How each kind of model provider takes tools, with a schema in what it takes.
 *
 * @type {Record<import('../index.d.ts').DefinitionFormat, (tool: AgentTool, schema: any) => any>}
 */
const FORMATS = {
  'json-schema': ({ name, description }, inputSchema) => ({ name, description, inputSchema }),
  openai: ({ name, description }, parameters) => ({ type: 'function', function: { name, description, parameters } }),
  'openai-strict': ({ name, description }, parameters) => ({ type: 'function', function: { name, description, strict: true, parameters } }),
  anthropic: ({ name, description }, input_schema) => ({ name, description, input_schema }),
  'anthropic-strict': ({ name, description }, input_schema) => ({ name, description, strict: true, input_schema }),
  // Gemini refuses an object without properties.
  gemini: ({ name, description }, parameters) => ({ name, description, ...(parameters.properties && { parameters }) }),
  'gemini-json-schema': ({ name, description }, parametersJsonSchema) => ({ name, description, parametersJsonSchema }),
  mcp: ({ name, label, description, annotations }, inputSchema) => ({ name, title: label, description, inputSchema, annotations: { ...annotations } }),
}

/**
 * A tool as a provider takes it.
 *
 * @param {object} toolkit
 * @param {AgentTool} tool
 * @param {import('../index.d.ts').DefinitionFormat} format
 */
function definition(toolkit, tool, format) {
  return FORMATS[format](tool, parametersOf(toolkit, tool, format))
}

/**
 * The schema of the parameters of a tool as a provider takes it: plain JSON. What its model sends from now on is read by it.
 *
 * @param {object} toolkit
 * @param {AgentTool} tool
 * @param {import('../index.d.ts').DefinitionFormat} [format]
 * @returns {any}
 */
function parametersOf(toolkit, { name, parameters }, format = 'json-schema') {
  // The others are for anybody, and may be asked for beside those of a provider.
  if (format !== 'json-schema' && format !== 'mcp') require('./toolkit.js').connectionOf(toolkit)?.host.formats.set(name, format)
  const original = format === 'mcp' ? originals.get(parameters) : undefined
  return plain(original ?? shownAs(plain(parameters), format))
}

/**
 * A copy of a schema: plain JSON.
 *
 * @param {any} schema
 */
function plain(schema) {
  return JSON.parse(JSON.stringify(schema))
}

module.exports = { FORMATS, definition, parametersOf }
