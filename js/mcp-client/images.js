// @ts-check
'use strict'

/** Longest image, in characters of base64. */
const MAX_BASE64 = 5 * 1024 * 1024
/** Longest side of an image that every provider takes, in pixels. */
const MAX_SIDE = 8000
/** What begins an image in SVG, behind comments and declarations. Each can be read in one way only, so this takes no time with any text. */
const SVG = /^(?:\s|<\?[^>]*>|<!--(?:(?!-->)[^])*-->|<!DOCTYPE\s[^>[]*(?:\[[^\]]*\][^>[]*)?>)*<(?:svg:)?svg[\s/>]/i
/** How much of a text is searched for that, in characters. */
const SVG_HEAD = 8192
/** Controls that no text has. */
const CONTROLS = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/

/**
 * The formats that every provider takes, by their first bytes, with their size. What is refused once is refused with every later
 * request, since it stays in the conversation.
 *
 * The core reads the same (`crates/workspace/src/dimensions.rs`), but images of servers come to this side also where the toolkit
 * is elsewhere and there is no addon here. `fixtures/image-sizes.tsv` holds for both.
 *
 * @type {readonly { mimeType: string, begins: RegExp, sides: (bytes: Buffer) => number[] }[]}
 */
const FORMATS = [
  // The first chunk is IHDR.
  { mimeType: 'image/png', begins: /^\x89PNG\r\n\x1a\n[^]{4}IHDR/, sides: (bytes) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] },
  { mimeType: 'image/jpeg', begins: /^\xff\xd8\xff/, sides: sidesOfJpeg },
  { mimeType: 'image/gif', begins: /^GIF8[79]a/, sides: (bytes) => [bytes.readUInt16LE(6), bytes.readUInt16LE(8)] },
  // Lossy, lossless, and with parts beside the picture.
  {
    mimeType: 'image/webp',
    begins: /^RIFF[^]{4}WEBPVP8 [^]{7}\x9d\x01\x2a/,
    sides: (bytes) => [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff],
  },
  {
    mimeType: 'image/webp',
    begins: /^RIFF[^]{4}WEBPVP8L[^]{4}\x2f/,
    sides: (bytes) => [0, 14].map((bits) => ((bytes.readUInt32LE(21) >>> bits) & 0x3fff) + 1),
  },
  { mimeType: 'image/webp', begins: /^RIFF[^]{4}WEBPVP8X/, sides: (bytes) => [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1] },
]

/**
 * What a server gave as bytes: an image that models can be shown, or a text; and the sentence that stands for it where it is
 * neither. The bytes decide, not the type that the server names.
 *
 * @param {unknown} given base64, or a `data:` address
 * @returns {{ image?: { type: 'image', data: string, mimeType: string }, text?: string, isSvg?: boolean, why: string }}
 */
function shownOf(given) {
  const bytes = bytesOf(given)
  const why = `[An image that cannot be shown, ${counted(bytes)}]`
  const format = formatOf(bytes)
  if (!format) {
    const text = textOf(bytes)
    return { text, isSvg: text !== undefined && SVG.test(text.slice(0, SVG_HEAD)), why }
  }
  const { mimeType } = format
  const size = sizeOf(bytes, format.sides)
  if (size === undefined) return { why }
  const data = bytes.toString('base64')
  if (data.length > MAX_BASE64) return { why: `[Image, ${mimeType}, ${counted(bytes)}: too large to be shown]` }
  if (Math.max(...size) > MAX_SIDE) return { why: `[Image, ${mimeType}, ${size.join(' × ')} pixels: too large to be shown]` }
  return { image: { type: 'image', data, mimeType }, why }
}

/** @param {Buffer} bytes */
function formatOf(bytes) {
  return FORMATS.find(({ begins }) => begins.test(bytes.toString('latin1', 0, 32)))
}

/**
 * Width and height in pixels; nothing where the bytes end before them.
 *
 * @param {Buffer} bytes
 * @param {(bytes: Buffer) => number[]} sides
 */
function sizeOf(bytes, sides) {
  try {
    const size = sides(bytes)
    return size.every((side) => side > 0) ? size : undefined
  } catch {
    return undefined
  }
}

/**
 * From the first segment that starts a frame (ITU T.81, annex B). Its reads throw where the bytes end.
 *
 * @param {Buffer} bytes
 */
function sidesOfJpeg(bytes) {
  let at = 2
  for (;;) {
    const marker = bytes.readUInt8(at) === 0xff ? bytes.readUInt8(at + 1) : 0xd9
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
    // The end of the image, or its data before any frame.
    if (marker === 0xd9 || marker === 0xda) return [0, 0]
    const hasNoLength = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
    // 0xff fills the place before a marker.
    at += marker === 0xff ? 1 : hasNoLength ? 2 : 2 + Math.max(bytes.readUInt16BE(at + 2), 2)
  }
}

/**
 * @param {unknown} given
 * @returns {Buffer}
 */
function bytesOf(given) {
  if (typeof given !== 'string') return Buffer.alloc(0)
  const address = /^data:([^,]{0,200}),/i.exec(given)
  if (!address) return Buffer.from(given, 'base64')
  const data = given.slice(address[0].length)
  return /;\s*base64\s*$/i.test(String(address[1])) ? Buffer.from(data, 'base64') : Buffer.from(unescaped(data))
}

/** @param {string} text of an address */
function unescaped(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The text that bytes are; nothing where they are none.
 *
 * @param {Buffer} bytes
 */
function textOf(bytes) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text === '' || CONTROLS.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/**
 * How many bytes there are, in words.
 *
 * @param {Buffer} bytes
 */
function counted({ length }) {
  return `${length} byte${length === 1 ? '' : 's'}`
}

module.exports = { bytesOf, counted, formatOf, shownOf, sizeOf }
