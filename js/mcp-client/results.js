// @ts-check
'use strict'

const { bytesOf, counted, shownOf } = require('./images.js')
const { mismatch } = require('./schema.js')
const { clean } = require('./text.js')

/** Most images of one result. */
const MAX_IMAGES = 10

/**
 * The result of a tool of an MCP server as that of a tool of ours: texts and images for the model, the structured part for
 * programs. What is too long goes to a file that `read` opens.
 *
 * @param {any} result
 * @param {object} how
 * @param {number} how.limit most bytes of text
 * @param {(text: string) => Promise<string | null>} how.keep returns a sentence that says where the whole is
 * @param {any} [how.outputSchema] what the server says of the structured part
 * @param {boolean} [how.hasResources] whether models can read resources of this server
 * @returns {Promise<any>}
 */
async function resultOf(result, { limit, keep, outputSchema, hasResources = false }) {
  const given = partsIn(result?.content)
  const structured = result?.structuredContent
  const isError = result?.isError === true || result?.isError === 'true'
  const isBare = given.length === 0 && structured !== undefined
  const parts = isBare ? [{ type: 'text', text: JSON.stringify(structured, null, 2) }] : bounded(given.map((part) => partOf(part, hasResources)))
  const content = await fitting(parts, limit, keep)
  return {
    content: content.length > 0 ? content : [{ type: 'text', text: '(no output)' }],
    details: isError ? structured : checked(structured, outputSchema),
    ...(isError && { isError: true }),
  }
}

/**
 * The parts of a result. What a server returned counts, also where it is not in the list that the protocol wants: the call was
 * made, and "no output" would have it made again.
 *
 * @param {any} content
 * @returns {any[]}
 */
function partsIn(content) {
  if (content === undefined || content === null) return []
  const parts = Array.isArray(content) ? content : [content]
  return parts.map((part) => {
    if (typeof part === 'string') return text(part)
    const isPart = typeof part?.type === 'string'
    return isPart ? part : text(JSON.stringify(part))
  })
}

/**
 * The structured part; where it is not what the schema of the server says, with a warning. Such a result is used all the same.
 *
 * @param {any} structured
 * @param {any} schema
 */
function checked(structured, schema) {
  if (structured === undefined || typeof schema !== 'object' || schema === null) return structured
  const problem = mismatch(schema, structured)
  if (problem === undefined) return structured
  const outputSchemaWarning = `The result does not fit the \`outputSchema\` of its tool. ${clean(problem, 1000)}`
  const isObject = typeof structured === 'object' && structured !== null && !Array.isArray(structured)
  return isObject ? { ...structured, outputSchemaWarning } : { value: structured, outputSchemaWarning }
}

/**
 * @param {any} part
 * @param {boolean} hasResources
 * @returns {{ type: 'text', text: string } | { type: 'image', data: string, mimeType: string }}
 */
function partOf(part, hasResources) {
  const { type, mimeType } = part ?? {}
  if (type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  if (type === 'image') return imageOf(part.data)
  if (type === 'audio') return text(`[Audio, ${clean(mimeType, 100) || 'of an unknown type'}, ${size(part.data)}; not shown]`)
  if (type === 'resource_link') {
    const link = `Resource: ${clean(part.uri, 500)}${part.name ? ` (${clean(part.name, 200)})` : ''}`
    return text(hasResources ? `[${link}. Use \`read_mcp_resource\` to read it.]` : `[${link}; not shown]`)
  }
  if (type === 'resource') return resourceOf(part.resource)
  return text(`[Content of the unknown type \`${clean(String(type), 100)}\`; not shown]`)
}

/** @param {any} resource */
function resourceOf(resource) {
  const address = clean(resource?.uri, 500)
  if (typeof resource?.text === 'string') return text(`[Resource: ${address}]\n${resource.text}`)
  const { image, text: words, why } = shownOf(resource?.blob)
  if (image) return image
  if (words !== undefined) return text(`[Resource: ${address}]\n${words}`)
  if (/^image\//i.test(resource?.mimeType ?? '')) return text(why)
  return text(`[Resource: ${address}, ${clean(resource?.mimeType, 100) || 'binary'}, ${size(resource?.blob)}; not shown]`)
}

/**
 * @param {unknown} data
 * @returns {{ type: 'text', text: string } | { type: 'image', data: string, mimeType: string }}
 */
function imageOf(data) {
  const { image, text: words, isSvg, why } = shownOf(data)
  return image ?? text(isSvg ? `[Image, image/svg+xml]\n${words}` : why)
}

/** @param {any[]} parts */
function bounded(parts) {
  let images = 0
  const shown = parts.filter((part) => part.type !== 'image' || ++images <= MAX_IMAGES)
  return images > MAX_IMAGES ? [...shown, text(`[${images - MAX_IMAGES} more images are not shown]`)] : shown
}

/**
 * The parts with texts of at most `limit` bytes together: the head and the tail of what is longer.
 *
 * @param {any[]} parts
 * @param {number} limit
 * @param {(text: string) => Promise<string | null>} keep
 */
async function fitting(parts, limit, keep) {
  const texts = parts.filter((part) => part.type === 'text').map((part) => part.text)
  const whole = texts.join('\n')
  const bytes = Buffer.byteLength(whole)
  if (bytes <= limit) return parts
  const where = await keep(whole)
  const half = Math.floor(limit / 2)
  const encoded = Buffer.from(whole)
  const [head, tail] = [edge(encoded.subarray(0, half)), edge(encoded.subarray(encoded.length - half))]
  const notice = `[… ${bytes - Buffer.byteLength(head) - Buffer.byteLength(tail)} of ${bytes} bytes omitted.${where ? ` ${where}` : ''}]`
  return [text(`${head}\n\n${notice}\n\n${tail}`), ...parts.filter((part) => part.type !== 'text')]
}

/**
 * Bytes as text without the halves of characters at their ends.
 *
 * @param {Buffer} bytes
 */
function edge(bytes) {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '')
}

/** @param {unknown} base64 */
function size(base64) {
  return counted(bytesOf(base64))
}

/**
 * @param {string} words
 * @returns {{ type: 'text', text: string }}
 */
function text(words) {
  return { type: 'text', text: words }
}

module.exports = { resultOf }
