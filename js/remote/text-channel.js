// @ts-check
'use strict'

// A connection over commands whose input and output are text: lines of base64, as `tenon-engine attach --text` speaks them.

const { Buffer } = require('node:buffer')

const { describe } = require('../tool-error.js')

/** Bytes of one line. As base64 it stays below the 128 KiB that Linux allows a word of a command line. */
const LINE_BYTES = 48 * 1024
/** What may wait to be written before nothing more is taken. */
const WAITING_MAX_BYTES = 1024 * 1024

/**
 * What an SDK has started: `tenon-engine attach --text`.
 *
 * @typedef {object} Running
 * @property {(line: string) => unknown} write a line, its end included; may return a promise
 * @property {() => unknown} stop
 * @typedef {object} Output what it says
 * @property {(text: string) => void} data a piece of its standard output
 * @property {(text: string) => void} fault a piece of its standard error
 * @property {(reason?: string) => void} end
 * @typedef {import('./session.js').Transport} Transport
 */

/** What is kept of standard error. */
const FAULT_MAX = 4096

/**
 * @param {string} name
 * @param {(output: Output) => Promise<Running>} start
 * @returns {Transport}
 */
function textTransport(name, start) {
  return {
    name,
    open: async (events) => {
      let errors = ''
      const reader = lineReader(events)
      let isOver = false
      const end = (/** @type {string | undefined} */ reason) => {
        if (isOver) return
        isOver = true
        const said = errors.trim()
        events.end(said === '' ? reason : `${reason ?? 'it ended'}: ${said}`)
      }
      const running = await start({
        data: (text) => {
          const fault = reader(text)
          if (fault !== undefined) end(fault)
        },
        fault: (text) => void (errors = (errors + text).slice(-FAULT_MAX)),
        end,
      })
      const stop = () => {
        // It may be gone, with the sandbox.
        Promise.resolve(running.stop()).catch(() => {})
      }
      return { ...writerTo(running, events, end), close: stop, ref: () => {}, unref: () => {} }
    },
  }
}

/**
 * What lines stand for; a text that is returned says why there are no more.
 *
 * @param {import('./session.js').PipeEvents} events
 * @returns {(text: string) => string | undefined}
 */
function lineReader(events) {
  let rest = ''
  let isBroken = false
  return (text) => {
    if (isBroken) return undefined
    const lines = (rest + text).split('\n')
    rest = /** @type {string} */ (lines.pop())
    for (const line of lines) {
      const coded = line.trim()
      if (coded === '') continue
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(coded)) {
        isBroken = true
        return `it said what is no line of its own: ${coded.slice(0, 200)}`
      }
      events.data(Buffer.from(coded, 'base64'))
    }
    return undefined
  }
}

/**
 * Writes one line after the other: calls of an SDK may pass each other.
 *
 * @param {Running} running
 * @param {import('./session.js').PipeEvents} events
 * @param {(reason: string) => void} end
 */
function writerTo(running, events, end) {
  /** @type {Buffer[]} */
  let waiting = []
  let size = 0
  let isWriting = false
  const next = async () => {
    if (isWriting) return
    isWriting = true
    try {
      while (size > 0) {
        const all = Buffer.concat(waiting)
        const bytes = all.subarray(0, LINE_BYTES)
        waiting = all.length > LINE_BYTES ? [all.subarray(LINE_BYTES)] : []
        const wasFull = size >= WAITING_MAX_BYTES
        size -= bytes.length
        await running.write(`${bytes.toString('base64')}\n`)
        if (wasFull && size < WAITING_MAX_BYTES) events.drain()
      }
    } catch (error) {
      end(describe(error))
    } finally {
      isWriting = false
    }
  }
  return {
    write: (/** @type {Buffer} */ bytes) => {
      waiting.push(bytes)
      size += bytes.length
      void next()
      return size < WAITING_MAX_BYTES
    },
  }
}

module.exports = { textTransport }
