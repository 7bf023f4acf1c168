// @ts-check
'use strict'

const { styleText } = require('node:util')

/** @typedef {'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim'} Style */

/**
 * Colours for one stream.
 *
 * @param {any} stream
 * @param {string} [how] `always`, `never` or `auto`: where the stream is a terminal with colours (`NO_COLOR` turns them off)
 */
function painter(stream, how = 'auto') {
  const isColoured = how === 'always' || (how === 'auto' && stream.isTTY === true && stream.hasColors?.() === true)
  return {
    isColoured,
    /** @param {Style} style @param {string} text */
    paint: (style, text) => (isColoured ? paint(style, text) : text),
    /** @param {string} text a unified diff */
    diff: (text) => (isColoured ? text.split('\n').map(diffLine).join('\n') : text),
  }
}

/** @param {Style} style @param {string} text */
function paint(style, text) {
  // Whether there are colours was decided already; newer versions of Node would look once more.
  return /** @type {any} */ (styleText)(style, text, { validateStream: false })
}

/** @param {string} line */
function diffLine(line) {
  if (/^(\+\+\+|---) /.test(line)) return paint('bold', line)
  if (line.startsWith('@@')) return paint('cyan', line)
  if (line.startsWith('+')) return paint('green', line)
  if (line.startsWith('-')) return paint('red', line)
  return line
}

/**
 * A line with names of files in it, which must not control the terminal nor show something else than they are.
 *
 * @param {string} line
 */
function seen(line) {
  return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) => ('\n\t'.includes(letter) ? letter : `\\u{${letter.codePointAt(0)?.toString(16)}}`))
}

/**
 * What a command wrote, for a terminal: its colours stay, and nothing else in it controls the terminal.
 *
 * @param {string} text
 * @param {{ isTTY?: boolean }} output where it is written
 */
function shownOn(text, output) {
  if (!output.isTTY) return text
  return text.replace(/\u001b\[[\d;:]*m|\r\n|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) => (found.length > 1 ? found : seen(found)))
}

/** @param {number} ms */
function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

module.exports = { duration, painter, seen, shownOn }
