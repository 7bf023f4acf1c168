// @ts-check
'use strict'

/**
 * The callbacks that wait for one signal. One listener serves them all: a session-long signal that
 * many parallel calls share would else make Node warn of a leak of listeners.
 *
 * @typedef {{ callbacks: Set<() => void>, listener: () => void }} Watch
 * @type {WeakMap<AbortSignal, Watch>}
 */
const watches = new WeakMap()

/**
 * Whether a value can be used as an `AbortSignal`. Judged by its form: jest, vm contexts and
 * polyfills bring signals that are no instances of ours.
 *
 * @param {any} value
 * @returns {value is AbortSignal}
 */
function isSignal(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function'
  )
}

/**
 * Runs `callback` when the signal aborts. The user's own `onabort` is left alone.
 *
 * @param {AbortSignal} signal
 * @param {() => void} callback
 * @returns {() => void} gives up waiting; the last to do so takes the listener off the signal
 */
function onAbort(signal, callback) {
  const watch = watches.get(signal) ?? startWatch(signal)
  watch.callbacks.add(callback)
  return () => {
    if (watch.callbacks.delete(callback) && watch.callbacks.size === 0) endWatch(signal, watch)
  }
}

/** @param {AbortSignal} signal */
function startWatch(signal) {
  /** @type {Watch} */
  const watch = {
    callbacks: new Set(),
    listener() {
      endWatch(signal, watch)
      for (const callback of watch.callbacks) callback()
      watch.callbacks.clear()
    },
  }
  watches.set(signal, watch)
  signal.addEventListener('abort', watch.listener, { once: true })
  return watch
}

/**
 * @param {AbortSignal} signal
 * @param {Watch} watch
 */
function endWatch(signal, watch) {
  if (watches.get(signal) !== watch) return
  watches.delete(signal)
  signal.removeEventListener('abort', watch.listener)
}

/**
 * The outcome of `work`, unless the signal aborts first: then its reason is thrown, and what `work` comes to is not waited for.
 *
 * @template T
 * @param {Promise<T>} work
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
async function raced(work, signal) {
  if (!signal) return work
  let release = () => {}
  const aborted = new Promise((_, reject) => {
    release = onAbort(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([work, /** @type {Promise<never>} */ (aborted)])
  } finally {
    release()
  }
}

module.exports = { isSignal, onAbort, raced }
