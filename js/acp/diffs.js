// @ts-check
'use strict'

const { lstatSync, readFileSync } = require('node:fs')

/** Largest file whose text is sent to a client. */
const FILE_MAX_BYTES = 256 * 1024
/** Most files whose texts are kept while a call runs. */
const MOST_FILES = 50
const CONTEXT_LINES = 3

/**
 * The content of a file: its text, or why there is none.
 *
 * @typedef {{ text: string } | 'missing' | 'large' | 'binary'} Content
 * @typedef {{ path: string, before: Content, after: Content }} Change `path` is absolute
 */

/** The files of a call as they were before it. */
class Snapshot {
  /** @type {Map<string, Content>} */
  #before = new Map()

  /** @param {readonly string[]} paths absolute */
  constructor(paths) {
    for (const path of paths.slice(0, MOST_FILES)) this.#before.set(path, contentOf(path))
  }

  /** Looks again, for calls that have waited. */
  renew() {
    for (const path of this.#before.keys()) this.#before.set(path, contentOf(path))
  }

  /**
   * The text of a file is another one than that on the disk.
   *
   * @param {string} path
   * @param {string} text
   */
  set(path, text) {
    this.#before.set(path, { text })
  }

  /**
   * The files that are different by now.
   *
   * @param {ReadonlyMap<string, string>} [texts] of files that are not on the disk
   * @returns {Change[]}
   */
  changes(texts = new Map()) {
    return Array.from(this.#before, ([path, before]) => {
      const text = texts.get(path)
      return { path, before, after: text === undefined ? contentOf(path) : { text } }
    }).filter(({ before, after }) => !isSame(before, after))
  }
}

/**
 * @param {string} path
 * @returns {Content}
 */
function contentOf(path) {
  try {
    const found = lstatSync(path)
    // Nothing but plain files: what a link leads to is not what changes.
    if (!found.isFile()) return 'binary'
    if (found.size > FILE_MAX_BYTES) return 'large'
    const bytes = readFileSync(path)
    if (bytes.includes(0)) return 'binary'
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch (error) {
    return /** @type {any} */ (error).code === 'ENOENT' ? 'missing' : 'binary'
  }
}

/**
 * What is not text cannot be compared: it counts as the same unless it came or went.
 *
 * @param {Content} before
 * @param {Content} after
 */
function isSame(before, after) {
  if (typeof before === 'object' && typeof after === 'object') return before.text === after.text
  return before === after
}

/**
 * A change of one file as git writes it; nothing where there is no text.
 *
 * @param {Change} change
 * @param {string} name of the file, relative
 */
function gitPatch({ before, after }, name) {
  const old = textOf(before)
  const now = textOf(after)
  if (old === undefined || now === undefined) return undefined
  const from = quoted(`a/${name}`)
  const to = quoted(`b/${name}`)
  const head = [`diff --git ${from} ${to}`]
  if (before === 'missing') head.push('new file mode 100644')
  if (after === 'missing') head.push('deleted file mode 100644')
  const hunk = hunkOf(linesOf(old), linesOf(now))
  if (hunk === undefined) return `${head.join('\n')}\n`
  head.push(`--- ${before === 'missing' ? '/dev/null' : from}`, `+++ ${after === 'missing' ? '/dev/null' : to}`)
  return `${head.join('\n')}\n${hunk}`
}

/**
 * All that is different between two texts, as one hunk.
 *
 * @param {string[]} old lines with their ends
 * @param {string[]} now
 */
function hunkOf(old, now) {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1
  if (start === old.length && start === now.length) return undefined
  const first = Math.max(0, start - CONTEXT_LINES)
  const after = Math.min(end, CONTEXT_LINES)
  const parts = [
    ...old.slice(first, start).map((line) => marked(' ', line)),
    ...old.slice(start, old.length - end).map((line) => marked('-', line)),
    ...now.slice(start, now.length - end).map((line) => marked('+', line)),
    ...old.slice(old.length - end, old.length - end + after).map((line) => marked(' ', line)),
  ]
  const range = (/** @type {number} */ length) => `${length === 0 ? first : first + 1},${length}`
  return `@@ -${range(old.length - end + after - first)} +${range(now.length - end + after - first)} @@\n${parts.join('')}`
}

/**
 * @param {string} mark
 * @param {string} line
 */
function marked(mark, line) {
  return line.endsWith('\n') ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`
}

/** @param {string} text */
function linesOf(text) {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/**
 * @param {Content} content
 * @returns {string | undefined}
 */
function textOf(content) {
  if (content === 'missing') return ''
  return typeof content === 'object' ? content.text : undefined
}

/**
 * A name as git writes it in a patch.
 *
 * @param {string} name
 */
function quoted(name) {
  if (!/["\\\p{Cc}]/u.test(name)) return name
  return `"${name.replace(/["\\]/g, '\\$&').replace(/\p{Cc}/gu, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`
}

/**
 * The hunks of a unified diff, each as the text before and after it: for clients that show no patches.
 *
 * @param {string} diff
 */
function hunksOf(diff) {
  /** @type {{ path: string, oldText: string | null, newText: string }[]} */
  const hunks = []
  let path = ''
  let isNew = false
  let [old, now] = [0, 0]
  for (const line of diff.split('\n')) {
    const hunk = hunks.at(-1)
    if (hunk && line.startsWith('\\')) {
      // It belongs to the line above.
      hunk.newText = hunk.newText.replace(/\n$/, '')
    } else if (hunk && old + now > 0) {
      if (line[0] !== '+') old -= 1
      if (line[0] !== '-') now -= 1
      if (line[0] !== '+' && hunk.oldText !== null) hunk.oldText += `${line.slice(1)}\n`
      if (line[0] !== '-') hunk.newText += `${line.slice(1)}\n`
    } else if (line.startsWith('--- ')) {
      isNew = line === '--- /dev/null'
      path = named(line)
    } else if (line.startsWith('+++ ') && line !== '+++ /dev/null') {
      path = named(line)
    } else {
      const counts = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
      if (!counts) continue
      ;[old, now] = [Number(counts[1] ?? 1), Number(counts[2] ?? 1)]
      hunks.push({ path, oldText: isNew ? null : '', newText: '' })
    }
  }
  return hunks
}

/** @param {string} line `--- a/name` */
function named(line) {
  return line
    .slice(4)
    .replace(/^"?[ab]\//, '')
    .replace(/"$/, '')
}

module.exports = { Snapshot, contentOf, gitPatch, hunksOf, textOf }
