// @ts-check
'use strict'

const { mkdtempSync, readFileSync, rmSync, existsSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')

const { invalidInput, describe } = require('./tool-error.js')

/**
 * @typedef {import('../index.d.ts').ReplayOptions} ReplayOptions
 * @typedef {import('../index.d.ts').ReplayReport} ReplayReport
 * @typedef {import('../index.d.ts').ReplayedCall} ReplayedCall
 * @typedef {{ called: any, finished?: any }} Recorded
 */

/** @type {Record<keyof Required<ReplayOptions>, true>} */
const OPTIONS = { workspace: true, dialect: true, run: true, toolkit: true }
/** Most files that a record was renamed to which are read. */
const OLDER_MAX = 100
/** In place of a secret. */
const HIDDEN = '[redacted]'
/** Lines of a difference that are shown of each side. */
const SHOWN_LINES = 20

/**
 * Makes the calls of a record once more, over another workspace, and compares what they return.
 *
 * @param {string} file
 * @param {ReplayOptions} options
 * @returns {Promise<ReplayReport>}
 */
async function replay(file, options) {
  check(file, options)
  const recorded = read(file)
  const directory = mkdtempSync(path.join(tmpdir(), 'tenon-replay-'))
  const { Toolkit } = require('./toolkit.js')
  const { dialect, workspace, run = [], toolkit: more } = options
  let toolkit
  try {
    toolkit = new Toolkit({
      permissions: { defaultMode: 'allow' },
      ...more,
      workspace,
      ...(dialect !== undefined && { dialect }),
      record: { file: path.join(directory, 'replay.jsonl'), replay: true },
      repeats: 'off',
    })
    /** @type {ReplayedCall[]} */
    const calls = []
    for (const each of recorded) calls.push(await replayed(toolkit, each, workspace, run))
    const count = (/** @type {ReplayedCall['status']} */ status) => calls.filter((call) => call.status === status).length
    return { calls, equal: count('equal'), different: count('different'), skipped: count('skipped') }
  } finally {
    await toolkit?.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * @param {unknown} file
 * @param {any} options
 */
function check(file, options) {
  if (typeof file !== 'string' || file === '') throw invalidInput('replay', 'The record must be the path of a file that the option `record` has written.')
  const unknown = Object.keys(options ?? {}).find((name) => !Object.hasOwn(OPTIONS, name))
  if (unknown !== undefined)
    throw invalidInput(
      'replay',
      `Unknown option \`${unknown}\` of \`replay\`. Known options: ${Object.keys(OPTIONS)
        .map((name) => `\`${name}\``)
        .join(', ')}.`,
    )
  if (typeof options?.workspace !== 'string')
    throw invalidInput('replay', 'The option `workspace` of `replay` is required: the directory in which the calls are made. It is changed.')
  if (options.run !== undefined && !Array.isArray(options.run)) throw invalidInput('replay', 'The option `run` of `replay` must be a list of names of tools.')
}

/**
 * The calls of the session that the record is of, in the order in which they ended: that is the order of what they changed.
 *
 * @param {string} file
 * @returns {Recorded[]}
 */
function read(file) {
  let older = 0
  while (older < OLDER_MAX && existsSync(`${file}.${older + 1}`)) older += 1
  const files = Array.from({ length: older }, (_, index) => `${file}.${older - index}`).concat(file)
  /** @type {Map<string, Recorded[]>} */
  const open = new Map()
  /** @type {Recorded[]} */
  const calls = []
  for (const line of files.flatMap(linesOf)) {
    const event = parsed(line)
    // Sub-agents are started again by what has started them, or not at all.
    if (typeof event?.tool !== 'string' || typeof event.toolCallId !== 'string' || event.parent !== undefined) continue
    const key = JSON.stringify([event.toolCallId, event.tool])
    if (event.type === 'called') {
      const call = { called: event }
      open.set(key, [...(open.get(key) ?? []), call])
    }
    if (event.type !== 'finished') continue
    const call = open.get(key)?.shift()
    if (call) calls.push({ ...call, finished: event })
  }
  return [...calls, ...[...open.values()].flat()]
}

/** @param {string} file */
function linesOf(file) {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    throw invalidInput('replay', `The record \`${file}\` cannot be read: ${describe(error)}.`)
  }
}

/** @param {string} line */
function parsed(line) {
  try {
    return JSON.parse(line)
  } catch {
    // The last line of a process that was killed.
    return undefined
  }
}

/**
 * @param {any} toolkit
 * @param {Recorded} recorded
 * @param {string} workspace
 * @param {readonly string[]} run
 * @returns {Promise<ReplayedCall>}
 */
async function replayed(toolkit, { called, finished }, workspace, run) {
  const about = { toolCallId: called.toolCallId, tool: called.tool }
  const reason = whySkipped(toolkit, called, finished, run)
  if (reason !== undefined) return { ...about, status: 'skipped', reason }
  const real = realOf(workspace)
  const params = mapped(called.params, called.workspace, real)
  const end = new Promise((resolve) => {
    const stop = toolkit.on('finished', (/** @type {any} */ event) => {
      stop()
      resolve(event)
    })
  })
  await toolkit.execute(called.tool, params, { toolCallId: called.toolCallId }).catch(() => {})
  const found = await end
  const expectedText = mapped(finished.output, called.workspace, real)
  const isEqual =
    finished.success === found.success && expectedText === found.output && JSON.stringify(finished.changes ?? []) === JSON.stringify(found.changes ?? [])
  if (isEqual) return { ...about, status: 'equal' }
  return {
    ...about,
    status: 'different',
    expected: outcomeOf(finished, expectedText),
    found: outcomeOf(found, found.output),
    diff: difference(expectedText, found.output),
  }
}

/** @param {any} event @param {string} text */
function outcomeOf({ success, changes }, text) {
  return { success, text, changes: changes ?? [] }
}

/**
 * @param {any} toolkit
 * @param {any} called
 * @param {any} finished
 * @param {readonly string[]} run
 */
function whySkipped(toolkit, called, finished, run) {
  if (!finished) return 'the record has no end of it'
  if (called.workspace === undefined || finished.output === undefined) return 'it was not recorded whole: record with `{ file, replay: true }`'
  if (finished.error_type === 'permission_denied') return 'it was denied'
  if (finished.error_type === 'aborted') return 'it was aborted'
  const tool = toolkit.getTool(called.tool)
  if (!tool) return 'there is no such tool in this toolkit'
  if (run.includes(called.tool)) return undefined
  if (tool.metadata.repetition === 'once') return 'what it does in the world is not done again; name it in `run` to do so'
  if (tool.annotations.openWorldHint) return 'its answer comes from other machines; name it in `run` to compare it'
  if (JSON.stringify(called.params).includes(HIDDEN)) return 'a secret was removed from its parameters'
  return undefined
}

/** @param {string} workspace */
function realOf(workspace) {
  return require('node:fs').realpathSync(workspace)
}

/**
 * The same with the path of one workspace in place of that of the other.
 *
 * @param {any} value
 * @param {string} from
 * @param {string} to
 * @returns {any}
 */
function mapped(value, from, to) {
  if (typeof value === 'string') return value.split(from).join(to)
  if (Array.isArray(value)) return value.map((item) => mapped(item, from, to))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapped(member, from, to)]))
}

/**
 * The lines in which two texts differ: from the first to the last.
 *
 * @param {string} expected
 * @param {string} found
 */
function difference(expected, found) {
  const [old, now] = [expected.split('\n'), found.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  const side = (/** @type {string[]} */ lines, /** @type {string} */ mark) => {
    const all = lines.slice(start, lines.length - end)
    const more = all.length - SHOWN_LINES
    return [...all.slice(0, SHOWN_LINES).map((line) => `${mark}${line}`), ...(more > 0 ? [`${mark}… ${more} more`] : [])]
  }
  return [`@@ line ${start + 1} @@`, ...side(old, '-'), ...side(now, '+')].join('\n')
}

module.exports = { replay }
