// @ts-check
'use strict'

// Not every realm has them.
const { clearInterval, setInterval } = require('node:timers')

/** Toolkits that run jobs: nobody else may hold them between two runs. @type {Map<object, NodeJS.Timeout | undefined>} */
const running = new Map()
/** As long as a timer of Node may be. */
const LONGEST = 2 ** 31 - 1

/**
 * Keeps a toolkit that runs jobs until it is closed, and Node alive with it where that is wanted.
 *
 * @param {object} toolkit
 * @param {any} cron the option
 */
function keepRunning(toolkit, cron) {
  if (cron?.run !== true) return
  running.set(toolkit, cron.keepAlive === true ? setInterval(() => {}, LONGEST) : undefined)
}

/** @param {object} toolkit */
function release(toolkit) {
  clearInterval(running.get(toolkit))
  running.delete(toolkit)
}

/**
 * Has the host run a job, with tools that may do what its creator might and the toolkit may now.
 *
 * @param {any} options those of the toolkit that runs jobs
 * @param {unknown} rights of those who made the job
 * @param {any} request
 * @param {{ signal: AbortSignal, onUpdate: (partial: unknown) => void, onMessage?: (listener: unknown) => void }} context
 * @param {Function} run the function of the host
 */
async function runJob(options, rights, request, context, run) {
  /** @type {import('./toolkit.js').Toolkit | undefined} */
  let made
  const toolkit = () => (made ??= toolkitOf(options, rights, request))
  try {
    return await run(request, {
      ...context,
      get tools() {
        return toolkit().tools()
      },
      get toolkit() {
        return toolkit()
      },
    })
  } finally {
    await made?.close()
  }
}

/**
 * @param {any} options
 * @param {unknown} rights
 * @param {any} request
 */
function toolkitOf(options, rights, request) {
  const { Toolkit } = require('./toolkit.js')
  const { timeZone } = options.cron ?? {}
  const runId = request.runId ?? request.cron?.runId
  const own = { ...options, cron: { timeZone }, session: { ...options.session, id: `cron:${runId}` } }
  return new Toolkit(own, rights)
}

module.exports = { keepRunning, release, runJob }
