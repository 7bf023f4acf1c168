// @ts-check
'use strict'

/**
 * The formats that fields of forms may have: what is expected, with an example that is one, and whether a text is one.
 *
 * @type {Record<string, { expected: string, example: string, fits: (text: string) => boolean }>}
 */
const FORMATS = {
  email: { expected: 'an email address', example: 'ada@example.com', fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { expected: 'an address', example: 'https://example.com/', fits: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && URL.canParse(text) },
  date: { expected: 'a date', example: '2026-07-28', fits: isDate },
  'date-time': {
    expected: 'a date with its time and zone',
    example: '2026-07-28T09:30:00Z',
    fits: (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text) && isDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
  },
}

/** @param {string} text */
function isDate(text) {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // The 30th of February is another day.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/**
 * What is wrong with a value, by a schema of a server; nothing where it fits, and where the schema cannot be worked with. The
 * value is called `output`.
 *
 * @param {any} schema
 * @param {unknown} value
 * @returns {string | undefined}
 */
function mismatch(schema, value) {
  const { loadNative } = require('../load.js')
  const { ok, value: problem } = JSON.parse(loadNative().schemaMismatch(JSON.stringify(schema), JSON.stringify(value)))
  return ok ? (problem ?? undefined) : undefined
}

/**
 * What is wrong with the content of a form; nothing where every field fits.
 *
 * @param {any} schema
 * @param {Record<string, unknown>} content
 * @returns {string | undefined}
 */
function formProblem(schema, content) {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const value = content[name]
    if (value === undefined) continue
    const problem = mismatch(field, value)
    if (problem !== undefined) return problem.replace('`output', () => `\`${name}`)
    const format = Object.hasOwn(FORMATS, field?.format) ? FORMATS[field.format] : undefined
    if (format && !(typeof value === 'string' && format.fits(value))) return `\`${name}\`: Expected ${format.expected}, such as \`${format.example}\`.`
  }
  return undefined
}

module.exports = { formProblem, mismatch }
