// @ts-check
'use strict'

const { createHash } = require('node:crypto')
const { lstatSync, readFileSync, readlinkSync, realpathSync, statSync } = require('node:fs')
const path = require('node:path')

/** Encodings that the tools read as well, by the names of the WHATWG Encoding Standard. */
const ENCODINGS = ['windows-1252', 'windows-1250', 'windows-1251', 'koi8-r', 'iso-8859-2', 'shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr']
/** Links to links: as many as Linux follows. */
const MOST_LINKS = 40
/** Larger files are not remembered when they are read. */
const READ_MAX_BYTES = 16 * 1024 * 1024

/**
 * The text of a file on the disk.
 *
 * @typedef {{ text: string, isUtf8: boolean, hash: string, hashes: readonly string[], mtime: number }} DiskText `hash` is of its bytes
 * where it is not UTF-8; `hashes` are of all texts that an editor may take it for
 */

/**
 * The text that a file has on the disk; `undefined` where there is no file, `'unknown'` where it cannot be read.
 *
 * @param {string} file
 * @param {{ isRead?: boolean }} [options]
 * @returns {DiskText | undefined | 'unknown'}
 */
function diskText(file, { isRead = false } = {}) {
  try {
    const { mtimeMs: mtime, size } = statSync(file)
    if (isRead && size > READ_MAX_BYTES) return 'unknown'
    const bytes = readFileSync(file)
    const text = decoded(bytes, 'utf-8')
    if (text !== undefined) return { text, isUtf8: true, hash: hashOf(text), hashes: [hashOf(text)], mtime }
    const hash = createHash('sha256').update(bytes).digest('base64')
    return { text: bytes.toString('utf8'), isUtf8: false, hash, hashes: foreignTexts(bytes).map(hashOf), mtime }
  } catch (error) {
    return /** @type {any} */ (error).code === 'ENOENT' ? undefined : 'unknown'
  }
}

/**
 * What editors may show of bytes that are not UTF-8.
 *
 * @param {Buffer} bytes
 */
function foreignTexts(bytes) {
  const isWide = bytes.includes(0) || (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  const texts = isWide ? ['utf-16le', 'utf-16be'] : ENCODINGS
  return [bytes.toString('utf8'), bytes.toString('latin1'), ...texts.flatMap((encoding) => decoded(bytes, encoding) ?? [])]
}

/**
 * @param {Buffer} bytes
 * @param {string} encoding
 */
function decoded(bytes, encoding) {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Not this encoding, or one that this Node.js does not have.
    return undefined
  }
}

/**
 * The same for texts that editors take for the same: they have line ends and marks of their own.
 *
 * @param {string} text
 */
function hashOf(text) {
  return createHash('sha256')
    .update(text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'))
    .digest('base64')
}

/**
 * A text with the mark and the line ends of another, where that has only one kind of line end.
 *
 * @param {string} text
 * @param {string} like
 */
function inFormOf(text, like) {
  const plain = text.replace(/^\ufeff/, '')
  const marked = like.startsWith('\ufeff') ? `\ufeff${plain}` : plain
  const wide = like.split('\r\n').length - 1
  const all = like.split('\n').length - 1
  if (all === 0 || (wide > 0 && wide < all)) return marked
  return marked.replace(/\r?\n/g, wide > 0 ? '\r\n' : '\n')
}

/**
 * A file, with the names by which an editor may have it: as the call names it, where links lead, and that seen from the workspace.
 *
 * @param {string} file absolute
 * @param {string} workspace
 */
function placeOf(file, workspace) {
  const target = targetOf(file)
  const inside = insideOf(targetOf(workspace), target)
  const names = [...new Set([file, target, ...(inside === undefined ? [] : [path.join(workspace, inside)])])]
  return { file, target, names }
}

/**
 * A file seen from a directory that it is in.
 *
 * @param {string} directory
 * @param {string} file
 */
function insideOf(directory, file) {
  const inside = path.relative(directory, file)
  const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)
  return isOutside ? undefined : inside
}

/**
 * Where a path leads, also one of a file that does not exist.
 *
 * @param {string} file absolute
 * @param {number} [links] that may follow
 * @returns {string}
 */
function targetOf(file, links = MOST_LINKS) {
  try {
    return realpathSync(file)
  } catch {
    // There is no such file, or a link to nothing.
  }
  const parent = path.dirname(file)
  if (parent === file || links === 0) return file
  try {
    if (lstatSync(file).isSymbolicLink()) return targetOf(path.resolve(parent, readlinkSync(file)), links - 1)
  } catch {
    // There is no such file.
  }
  return path.join(targetOf(parent, links), path.basename(file))
}

module.exports = { diskText, hashOf, inFormOf, insideOf, placeOf }
