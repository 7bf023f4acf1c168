// @ts-check
'use strict'

const { quietly } = require('../notices.js')
const { closedError, invalidInput } = require('../tool-error.js')
const { Laboratory } = require('./lab.js')
const { PageServer, standalone } = require('./server.js')

/**
 * The page over a running toolkit.
 *
 * @param {any} toolkit
 * @param {any} connection
 * @param {{ port?: number }} [options]
 * @param {() => void} [closed]
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
async function inspectLive(toolkit, connection, { port, ...unknown } = {}, closed = () => {}) {
  const [other] = Object.keys(unknown)
  if (other !== undefined) throw invalidInput('inspect', `Unknown option \`${other}\` of \`inspect\`. Known option: \`port\`.`)
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw invalidInput('inspect', 'The option `port` must be a number from 0 to 65535.')
  if (connection.isClosed) throw closedError('inspect')
  const { watch } = connection.host
  if (watch.inspection) throw invalidInput('inspect', 'This session is shown already, on the page of the toolkit that has started it.')
  const { Inspection } = require('./live.js')
  const inspection = new Inspection()
  const server = new PageServer({
    title: String(watch.given?.workspace ?? ''),
    isLive: true,
    model: inspection.model,
    lab: new Laboratory(watch.given ?? { workspace: '.' }, toolkit),
    watch: (changed) => inspection.watch(changed),
    inbox: () => inspection.inbox(),
    answer: connection.approver ? (id, answer) => inspection.answer(id, answer) : undefined,
    undo: (call, force) => toolkit.rollback(call.checkpoint ?? '', { force }),
    tools: () => toolkit.listTools().map((/** @type {any} */ tool) => tool.name),
  })
  const url = await server.listen(port)
  server.unref()
  watch.inspection = inspection
  inspection.follow(connection)
  const close = async () => {
    if (watch.inspection === inspection) watch.inspection = undefined
    inspection.close()
    closed()
    await server.close()
  }
  return { url, close }
}

/**
 * What the page shows of a record, or of nothing but a workspace.
 *
 * @param {string | undefined} file what the page is called by
 * @param {import('./lab.js').Given} given
 * @param {import('./record.js').RecordReader | undefined} reader
 * @returns {import('./server.js').Source}
 */
function recordSource(file, given, reader) {
  const lab = new Laboratory(given)
  if (file === undefined || reader === undefined) {
    const { Model } = require('./model.js')
    return { title: String(given.workspace), isLive: false, model: new Model(), lab, watch: () => () => {}, tools: () => namesOf(given) }
  }
  return { title: file, isLive: false, model: reader.model, lab, watch: (changed) => reader.follow(changed), tools: () => namesOf(given) }
}

/** @param {import('./lab.js').Given} given */
function namesOf(given) {
  const { Toolkit } = require('../toolkit.js')
  const toolkit = quietly(() => new Toolkit(/** @type {any} */ (given)))
  const names = toolkit.listTools().map((/** @type {any} */ tool) => tool.name)
  toolkit.close().catch(() => {})
  return names
}

module.exports = { PageServer, inspectLive, recordSource, standalone }
