// @ts-check
'use strict'

/**
 * @typedef {import('../../index.d.ts').AgentToolResult<any>} AgentToolResult
 */

/**
 * Yields how far a call is, then its result. What is not read in time is replaced by what is newer. A reader that stops
 * reading stops the call.
 *
 * @param {(signal: AbortSignal, onUpdate: (partial: AgentToolResult) => void) => Promise<AgentToolResult>} call
 * @param {AbortSignal | null | undefined} abortSignal
 */
async function* updatesOf(call, abortSignal) {
  const stop = new AbortController()
  const signal = abortSignal ? AbortSignal.any([abortSignal, stop.signal]) : stop.signal
  /** @type {AgentToolResult | undefined} */
  let latest
  let isSettled = false
  let wake = () => {}
  const result = call(signal, (partial) => {
    latest = partial
    wake()
  })
  const settle = () => {
    isSettled = true
    wake()
  }
  result.then(settle, settle)
  try {
    while (!isSettled) {
      if (latest === undefined) await new Promise((resolve) => void (wake = () => resolve(undefined)))
      const partial = latest
      latest = undefined
      if (partial !== undefined && !isSettled) yield partial
    }
    yield await result
  } finally {
    // Nobody reads the result any more.
    if (!isSettled) stop.abort()
  }
}

module.exports = { updatesOf }
