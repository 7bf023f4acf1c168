// @ts-check
'use strict'

/**
 * @typedef {object} Rules what a provider takes of JSON Schema, in modes where it refuses all else
 * @property {Record<string, readonly string[]>} keywords that it takes, by the type that they are about
 * @property {Record<string, readonly string[]>} formats that it takes, by type
 * @property {readonly string[]} enums types whose values may be listed
 * @property {boolean} [refusesEmptyText] whether `''` is no value that may be listed
 * @property {RegExp} [unknownPatterns] regular expressions that it cannot work with
 * @property {readonly number[]} [minItems] the only values of `minItems` that it takes
 * @property {boolean} references whether `$ref` may be used, alone in its object
 * @property {'null' | 'absent'} optional how a parameter is left out: by null, since all are required, or by not being there
 * @property {'type' | 'keyword'} nulls how null is permitted: as a type, or by `nullable`
 * @property {boolean} describesUnions whether other keywords may be beside `anyOf`
 * @property {boolean} closes whether every object has to have `additionalProperties: false`
 * @property {boolean} openObjects whether an object may have properties that the schema does not name
 * @property {boolean} emptyObjects whether an object may have no properties at all
 * @property {RegExp} [names] names that properties may have
 * @property {Limits} limits
 *
 * @typedef {object} Limits
 * @property {number} depth objects and arrays within each other
 * @property {number} [properties] of all objects together
 * @property {number} [values] of all enums together
 * @property {number} [characters] of the names and values of all of it together
 * @property {{ values: number, characters: number }} [longEnum] from so many values on, an enum of texts has at most so many characters
 */

const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
/** Neither RE2 nor the compilers of grammars know what looks around or back. */
const LOOKING_AROUND = /\(\?[=!<]|\\[1-9]|\\k</
/** Names of properties that the Messages API takes; it refuses the whole request for another one. */
const ANTHROPIC_NAMES = /^[a-zA-Z0-9_.-]{1,64}$/
const GEMINI_NAMES = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/

/**
 * What is known of each provider, from its documents and its refusals.
 *
 * @type {Record<string, Rules>}
 */
const RULES = {
  // developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas".
  'openai-strict': {
    keywords: { string: ['pattern', 'format'], number: BOUNDS, integer: BOUNDS, array: ['minItems', 'maxItems'] },
    formats: { string: ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'] },
    enums: ['string', 'number', 'integer'],
    unknownPatterns: LOOKING_AROUND,
    references: true,
    optional: 'null',
    nulls: 'type',
    describesUnions: true,
    closes: true,
    openObjects: false,
    emptyObjects: true,
    limits: { depth: 10, properties: 5000, values: 1000, characters: 120_000, longEnum: { values: 250, characters: 15_000 } },
  },
  // platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations". References must not be circular.
  'anthropic-strict': {
    keywords: { string: ['format'], array: ['minItems'] },
    formats: { string: ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'] },
    enums: ['string', 'number', 'integer'],
    minItems: [0, 1],
    references: false,
    optional: 'absent',
    nulls: 'type',
    describesUnions: true,
    closes: true,
    openObjects: false,
    emptyObjects: true,
    names: ANTHROPIC_NAMES,
    limits: { depth: 16, properties: 1000, values: 1000, characters: 60_000 },
  },
  // ai.google.dev/api/caching#Schema: a subset of OpenAPI 3.0. Vertex refuses anything beside `anyOf`.
  gemini: {
    keywords: {
      string: ['pattern', 'format', 'minLength', 'maxLength'],
      number: ['minimum', 'maximum', 'format'],
      integer: ['minimum', 'maximum', 'format'],
      array: ['minItems', 'maxItems'],
    },
    formats: { string: ['date-time'], number: ['float', 'double'], integer: ['int32', 'int64'] },
    enums: ['string'],
    refusesEmptyText: true,
    unknownPatterns: LOOKING_AROUND,
    references: false,
    optional: 'absent',
    nulls: 'keyword',
    describesUnions: false,
    closes: false,
    openObjects: false,
    emptyObjects: false,
    names: GEMINI_NAMES,
    limits: { depth: 16, properties: 5000, values: 5000, characters: 200_000 },
  },
  // `parametersJsonSchema`: the keywords that ai.google.dev/api/generate-content names at `responseJsonSchema`.
  'gemini-json-schema': {
    keywords: { string: ['format'], number: ['minimum', 'maximum'], integer: ['minimum', 'maximum'], array: ['minItems', 'maxItems'] },
    formats: { string: ['date-time', 'date', 'time'] },
    enums: ['string', 'number', 'integer'],
    refusesEmptyText: true,
    references: false,
    optional: 'absent',
    nulls: 'type',
    describesUnions: true,
    closes: false,
    openObjects: true,
    emptyObjects: true,
    names: GEMINI_NAMES,
    limits: { depth: 16, properties: 5000, values: 5000, characters: 200_000 },
  },
}

module.exports = { ANTHROPIC_NAMES, RULES }
