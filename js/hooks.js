// @ts-check
'use strict'

const { readFileSync } = require('node:fs')
const { fileURLToPath } = require('node:url')

const { MILLIS_FORM, isMillis } = require('./durations.js')
const { loadNative } = require('./load.js')
const { encodeParams } = require('./params.js')
const { describe, invalidInput, open } = require('./tool-error.js')

const STAGES = /** @type {const} */ (['before', 'after'])
const MEMBERS = ['before', 'after', 'timeoutMs', 'commands', 'notices']

/**
 * The option `hooks` as data, and the part of the host that calls its functions.
 *
 * @param {unknown} given one hook, or a list of them
 * @param {Map<string, import('./host-callbacks.js').HostCallback>} parts
 * @returns {any[] | undefined}
 */
function partedHooks(given, parts) {
  if (given === undefined || given === null) return undefined
  const hooks = Array.isArray(given) ? given : [given]
  const data = hooks.map((hook, index) => dataOf(hook, Array.isArray(given) ? `hooks[${index}]` : 'hooks'))
  if (hooks.some((hook) => STAGES.some((stage) => typeof hook[stage] === 'function'))) {
    parts.set('hooks', async ({ hook, stage, call, result }, { signal }) => {
      const entry = hooks[hook]
      const said = await (stage === 'before' ? entry.before(call, { signal }) : entry.after(call, result, { signal }))
      return checked(said)
    })
  }
  return data
}

/**
 * @param {any} hook
 * @param {string} place
 */
function dataOf(hook, place) {
  if (typeof hook !== 'object' || hook === null || Array.isArray(hook)) {
    throw invalidInput('toolkit', `The option \`${place}\` must be an object with \`before\` and \`after\`, or what \`importHooks\` returned.`)
  }
  const unknown = Object.keys(hook).find((name) => !MEMBERS.includes(name) && hook[name] !== undefined)
  if (unknown !== undefined) {
    throw invalidInput('toolkit', `Unknown option \`${place}.${unknown}\`. Known options: \`before\`, \`after\`, \`timeoutMs\`.`)
  }
  for (const stage of STAGES) {
    const member = hook[stage]
    if (member === undefined || member === null || typeof member === 'function') continue
    throw invalidInput('toolkit', `The option \`${place}.${stage}\` must be a function; got ${typeof member}.`)
  }
  const { timeoutMs, commands } = hook
  if (timeoutMs !== undefined && !isMillis(timeoutMs)) throw invalidInput('toolkit', `The option \`${place}.timeoutMs\` ${MILLIS_FORM}.`)
  if (commands !== undefined) requireCommands(commands, place)
  return {
    before: typeof hook.before === 'function',
    after: typeof hook.after === 'function',
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(commands !== undefined && { commands }),
  }
}

/**
 * Commands that `importHooks` did not make may have any form.
 *
 * @param {any} commands
 * @param {string} place
 */
function requireCommands(commands, place) {
  const kinds = { event: 'string', matcher: 'string', command: 'string', timeoutMs: 'number', async: 'boolean', ignoreFailures: 'boolean' }
  const isKnown = (/** @type {[string, unknown]} */ [name, value]) => value === undefined || typeof value === /** @type {any} */ (kinds)[name]
  const isOne = (/** @type {any} */ command) =>
    typeof command === 'object' &&
    command !== null &&
    ['before', 'after'].includes(command.event) &&
    typeof command.command === 'string' &&
    (command.timeoutMs === undefined || (Number.isSafeInteger(command.timeoutMs) && command.timeoutMs > 0)) &&
    Object.entries(command).every(isKnown)
  if (Array.isArray(commands) && commands.every(isOne)) return
  throw invalidInput('toolkit', `The option \`${place}.commands\` must be a list of commands, as \`importHooks\` returns them.`)
}

/**
 * What a hook returned. What JSON would silently change is refused.
 *
 * @param {unknown} said
 */
function checked(said) {
  if (said === undefined || said === null) return null
  const { json, faults } = encodeParams(said)
  if (faults.length > 0) throw new Error(`it returned a value that is not JSON (${faults[0].message})`)
  return JSON.parse(json)
}

/**
 * Whether hooks may change the results of calls.
 *
 * @param {any[] | undefined} data
 */
function changesResults(data) {
  return data?.some((hook) => hook.after || hook.commands?.some((/** @type {any} */ command) => command.event === 'after')) ?? false
}

/**
 * The hooks of another agent, for the option `hooks`.
 *
 * @param {import('../index.d.ts').HookFormat} format
 * @param {string | URL} source the text of a settings file, or its path
 * @param {import('../index.d.ts').ImportHookOptions} [options]
 * @returns {import('../index.d.ts').ImportedHooks}
 */
function importHooks(format, source, options) {
  const { timeoutMs, ignoreFailures, ...unknown } = options ?? {}
  const [other] = Object.keys(unknown)
  if (other !== undefined)
    throw invalidInput('importHooks', `Unknown option \`${other}\` of \`importHooks\`. Known options: \`timeoutMs\`, \`ignoreFailures\`.`)
  if (timeoutMs !== undefined && !isMillis(timeoutMs)) throw invalidInput('importHooks', `The option \`timeoutMs\` of \`importHooks\` ${MILLIS_FORM}.`)
  if (ignoreFailures !== undefined && typeof ignoreFailures !== 'boolean')
    throw invalidInput('importHooks', `The option \`ignoreFailures\` of \`importHooks\` must be true or false; got ${typeof ignoreFailures}.`)
  const text = textOf(source)
  const { hooks, notices } = open(loadNative().importHookSettings(JSON.stringify(String(format)), text))
  const commands = hooks.commands.map((/** @type {any} */ command) => ({
    ...command,
    ...(timeoutMs !== undefined && { timeoutMs: command.timeoutMs ?? timeoutMs }),
    ...(ignoreFailures !== undefined && { ignoreFailures }),
  }))
  return { commands, notices }
}

/** @param {unknown} source */
function textOf(source) {
  // A comment may stand first, which begins as a path does.
  const isText = typeof source === 'string' && /^\s*(?:[{[]|\/\*)|\n/.test(source)
  if (isText) return source
  if (typeof source !== 'string' && !(source instanceof URL)) {
    throw invalidInput('importHooks', 'The hooks must be the text of a settings file, or its path.')
  }
  try {
    return readFileSync(source instanceof URL ? fileURLToPath(source) : source, 'utf8')
  } catch (error) {
    throw invalidInput('importHooks', `The settings file \`${source}\` cannot be read: ${describe(error)}.`)
  }
}

module.exports = { changesResults, importHooks, partedHooks }
