// @ts-check
'use strict'

const { rowOf } = require('../inspect/model.js')
const { RecordReader } = require('../inspect/record.js')
const { describe } = require('../tool-error.js')
const { duration, painter, seen } = require('./style.js')
const { UsageError } = require('./usage.js')

const STYLES = /** @type {Record<string, import('./style.js').Style>} */ ({
  done: 'green',
  failed: 'red',
  denied: 'red',
  lost: 'red',
  waiting: 'yellow',
  stopped: 'yellow',
  running: 'cyan',
  judged: 'cyan',
})

/**
 * Prints the calls of a record, a line each in the order of their arrival.
 *
 * @param {string} file
 * @param {{ follow: boolean, json: boolean, color?: string }} options
 * @returns {Promise<void>}
 */
async function log(file, { follow, json, color }) {
  const reader = openRecord(file)
  const { model } = reader
  const { paint } = painter(process.stdout, color)
  let printed = 0
  const print = () => {
    // In order: a call that runs holds those behind it back, unless nothing more can come.
    while (printed < model.calls.length && (!follow || model.isClosed || model.calls[printed].endAt !== undefined)) {
      const row = rowOf(model.calls[printed])
      process.stdout.write(json ? `${JSON.stringify(row)}\n` : `${lineOf(row, model, paint)}\n`)
      printed += 1
    }
  }
  const interrupted = follow && new Promise((resolve) => void process.once('SIGINT', resolve))
  print()
  if (!follow) {
    requireRecord(reader, file)
    if (!json) process.stdout.write(`${summaryOf(model)}\n`)
    return
  }
  const stop = reader.follow(print)
  const alive = setInterval(() => {}, 60_000)
  await interrupted
  clearInterval(alive)
  stop()
}

/**
 * @param {ReturnType<typeof rowOf>} row
 * @param {import('../inspect/model.js').Model} model
 * @param {(style: import('./style.js').Style, text: string) => string} paint
 */
function lineOf({ at, state, tool, subject, ms, waitedMs, tokens, session, changes, sources }, model, paint) {
  const agent = model.sessions.get(session)?.agent
  const isMain = model.sessions.keys().next().value === session
  const facts = [
    ms !== undefined && duration(ms),
    waitedMs !== undefined && `waited ${duration(waitedMs)}`,
    tokens && `${tokens} tokens`,
    changes?.join(', '),
    sources && `text from ${sources.join(', ')}`,
  ]
    .filter(Boolean)
    .join(', ')
  const time = new Date(at).toISOString().slice(11, 23)
  return `${paint('dim', time)}  ${paint(STYLES[state], state.padEnd(7))}  ${isMain ? '' : `[${seen(agent ?? session)}] `}${paint('bold', seen(tool))} ${seen(subject)}${facts ? paint('dim', `  (${seen(facts)})`) : ''}`
}

/** @param {import('../inspect/model.js').Model} model */
function summaryOf(model) {
  const rows = model.rows()
  const count = (/** @type {string[]} */ ...states) => rows.filter(({ state }) => states.includes(state)).length
  const tokens = rows.reduce((sum, row) => sum + (row.tokens ?? 0), 0)
  const faults = [
    model.unreadable > 0 && `${model.unreadable} unreadable ${model.unreadable === 1 ? 'line' : 'lines'}`,
    model.lost > 0 && `${model.lost} events lost`,
  ].filter(Boolean)
  return [
    `${rows.length} calls: ${count('done')} done, ${count('failed', 'lost', 'stopped')} failed, ${count('denied')} denied; about ${tokens} tokens`,
    ...faults,
  ].join('; ')
}

/**
 * A record, read as far as it is there.
 *
 * @param {string} file
 */
function openRecord(file) {
  try {
    return new RecordReader(file)
  } catch (/** @type {any} */ error) {
    if (error?.code === 'EISDIR') throw new UsageError(`The record \`${file}\` is a directory. Name the file in it that the option \`record\` has written.`)
    throw new UsageError(`The record \`${file}\` cannot be read: ${describe(error)}`)
  }
}

/** @param {RecordReader} reader @param {string} file */
function requireRecord(reader, file) {
  if (!reader.isRecord) throw new UsageError(`\`${file}\` is no record: none of its lines is an event. Name a file that the option \`record\` has written.`)
}

module.exports = { log, openRecord, requireRecord }
