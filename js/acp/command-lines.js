// @ts-check
'use strict'

// The command lines that a program and its arguments stand for.

const { existsSync } = require('node:fs')
const path = require('node:path')

const { quoted } = require('../adapters/operations.js')
const { INVALID_PARAMS, WireError } = require('./peer.js')

/** Words that a shell takes for its own where a command begins. */
const RESERVED = /^(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|in|function|select|time|coproc|!|\{|\}|\[\[)$/

/**
 * A program and its arguments as a command line in which a shell finds nothing of its own.
 *
 * @param {unknown} command
 * @param {unknown} args
 */
function commandLine(command, args) {
  if (typeof command !== 'string' || command === '') throw new WireError(INVALID_PARAMS, '`command` must be the name of a program, a string.')
  if (!Array.isArray(args) || args.some((arg) => typeof arg !== 'string')) throw new WireError(INVALID_PARAMS, '`args` must be a list of strings.')
  const isOwn = RESERVED.test(command) || command.includes('=')
  const program = isOwn ? `'${command.replace(/'/g, `'\\''`)}'` : quoted(command)
  return [program, ...args.map((arg) => quoted(arg))].join(' ')
}

/**
 * What a shell may be given for a command and its arguments: some programs quote the arguments, others join them as they are.
 *
 * @param {string} command a program, or a whole line
 * @param {readonly string[]} args
 */
function shellLines(command, args) {
  return [...new Set([[command, ...args.map(quoted)].join(' '), [command, ...args].join(' ')])]
}

/**
 * Whether a path that looks like a whole line leads to something. Names without a path are searched where no agent writes.
 *
 * @param {string} name
 * @param {string} directory where it is started
 */
function isProgram(name, directory) {
  return /[/\\]/.test(name) && existsSync(path.resolve(directory, name))
}

/** @param {unknown} env as the protocol lists variables */
function environmentOf(env) {
  if (!Array.isArray(env)) throw new WireError(INVALID_PARAMS, '`env` must be a list of `{ name, value }`.')
  const pairs = env.map((/** @type {any} */ variable) => {
    if (typeof variable?.name === 'string' && typeof variable.value === 'string') return [variable.name, variable.value]
    throw new WireError(INVALID_PARAMS, '`env` must be a list of `{ name, value }`, both strings.')
  })
  const variables = Object.fromEntries(pairs)
  // Which of two values counts, the other side alone knows.
  const twice = pairs.find(([name, value]) => variables[name] !== value)
  if (twice) throw new WireError(INVALID_PARAMS, `\`env\` has two values for \`${twice[0].slice(0, 100)}\`. Give one.`)
  return variables
}

module.exports = { commandLine, environmentOf, isProgram, shellLines }
