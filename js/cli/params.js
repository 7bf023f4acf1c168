// @ts-check
'use strict'

const { describe } = require('../tool-error.js')
const { UsageError } = require('./usage.js')

const PAIR = /^([A-Za-z_][\w.-]*)=(.*)$/s

/**
 * The parameters of a call: a JSON object, `-` for one from standard input, or `name=value` pairs.
 *
 * @param {string[]} words
 * @param {any} schema of the parameters, where the tool is known
 * @returns {Promise<Record<string, unknown>>}
 */
async function readParams(words, schema) {
  const [first, ...rest] = words
  if (first === undefined) return {}
  if (first === '-' || /^\s*[{[]/.test(first)) {
    if (rest.length > 0) throw new UsageError(`Unexpected argument \`${rest[0]}\`.`)
    return parsed(first === '-' ? await readAll(process.stdin) : first)
  }
  /** @type {Record<string, unknown>} */
  const params = {}
  for (const [index, word] of words.entries()) {
    const [, name, text] = PAIR.exec(word) ?? []
    // `CI=1 npm test` is a command and no parameter.
    const isPair = name !== undefined && (!/\s/.test(word) || Object.hasOwn(schema?.properties ?? {}, name))
    const [key, value] = isPair ? [name, text] : [index === 0 ? firstOf(schema) : undefined, word]
    if (key === undefined) throw new UsageError(`\`${word}\` is neither \`name=value\` nor a JSON object.`)
    if (Object.hasOwn(params, key)) throw new UsageError(`The parameter \`${key}\` is given twice.`)
    params[key] = parsedValue(value, schema?.properties?.[key])
  }
  return params
}

/** The parameter that a value without a name is for. @param {any} schema @returns {string | undefined} */
function firstOf(schema) {
  return schema?.required?.[0]
}

/**
 * A value as its parameter wants it: texts stay as they are, everything else is JSON.
 *
 * @param {string} text
 * @param {any} schema
 */
function parsedValue(text, schema) {
  const types = [schema?.type ?? schema?.anyOf?.map((/** @type {any} */ one) => one.type)].flat()
  if (types.includes('string') || schema?.enum?.includes(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** @param {string} text */
function parsed(text) {
  let params
  try {
    // Some shells begin what they pass with a byte order mark.
    params = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new UsageError(`The parameters are not valid JSON: ${describe(error)}`)
  }
  if (typeof params === 'object' && params !== null && !Array.isArray(params)) return params
  throw new UsageError('The parameters must be a JSON object, such as {"file_path": "README.md"}.')
}

/** @param {NodeJS.ReadStream} stream */
async function readAll(stream) {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  return text
}

module.exports = { readParams }
