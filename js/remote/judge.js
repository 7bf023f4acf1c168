// @ts-check
'use strict'

const { loadNative } = require('../load.js')

/**
 * Options that say who may do what. Not the mode, which the engine may leave, nor anything that would read files or keep something here.
 */
const JUDGING = /** @type {const} */ ([
  'workspace',
  'additionalDirectories',
  'dialect',
  'level',
  'tools',
  'permissions',
  'settings',
  'customTools',
  'shell',
  'taint',
  'narrowedBy',
])

/**
 * What this side says to calls before they are sent, by their words alone: the files are elsewhere, and what the engine says of them can
 * only restrict. Nothing where this side has no addon, or cannot read the paths of the other one.
 *
 * @param {any} options
 * @param {readonly string[]} parts
 * @param {import('./native.js').Deliver} deliver
 */
function judgeOf(options, parts, deliver) {
  if (process.platform === 'win32') return undefined
  let binding
  try {
    binding = loadNative()
  } catch {
    // The client works without one.
    return undefined
  }
  const judging = Object.fromEntries(JUDGING.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]))
  const made = binding.NativeToolkit.elsewhere(
    JSON.stringify(judging),
    deliver,
    parts.filter((name) => name === 'onTelemetry'),
  )
  // What is wrong with options is for the engine to say, which has all of them.
  return typeof made === 'string' ? undefined : made
}

/**
 * Whether some call may be denied by its words.
 *
 * @param {any} options
 */
function denies({ permissions, settings, narrowedBy, tools }) {
  // Web tools are left out of every workspace that is elsewhere, unless it asks for them.
  const hidden = tools?.deny?.some((/** @type {string} */ name) => name !== 'group:web')
  return Boolean(permissions?.deny?.length || settings || narrowedBy || hidden || tools?.allow || tools?.profile)
}

module.exports = { denies, judgeOf }
