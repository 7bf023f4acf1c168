// @ts-check
'use strict'

/** Longest description of a tool that a model is shown, in characters. */
const MAX_DESCRIPTION = 4096
/** Controls, marks of direction, letters without width and tags: nobody sees them, and models read them. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu
/** Sequences that terminals act on. */
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g

/**
 * A text of a server as a model may read it.
 *
 * @param {unknown} text
 * @param {number} [most]
 */
function clean(text, most = MAX_DESCRIPTION) {
  if (typeof text !== 'string') return ''
  const visible = text.replace(ESCAPES, '').replace(HIDDEN, '')
  return visible.length > most ? `${Array.from(visible.slice(0, most)).slice(0, -1).join('')}…` : visible
}

/**
 * A schema whose titles and descriptions are clean.
 *
 * @param {any} schema
 * @param {number} [depth]
 * @returns {any}
 */
function cleanSchema(schema, depth = 0) {
  if (typeof schema !== 'object' || schema === null || depth > 64) return schema
  if (Array.isArray(schema)) return schema.map((entry) => cleanSchema(entry, depth + 1))
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, isWords(name, value) ? clean(value) : cleanSchema(value, depth + 1)]))
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function isWords(name, value) {
  return typeof value === 'string' && (name === 'description' || name === 'title' || name === '$comment')
}

module.exports = { clean, cleanSchema }
