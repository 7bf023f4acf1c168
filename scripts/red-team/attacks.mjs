// Makes attacks out of the options of a program: each with the forms that an option can have, and with values that run something where
// the program runs, loads or follows what it is given.

import { operandsOf, valuesFor } from './samples.mjs'

/** Names that say that an option may run, load or follow something: these get every value. */
const SUSPICIOUS =
  /exec|comm?and|cmd|prog|pager|conf|plugin|load|rc$|script|filter|edit|shell|sh$|hook|eval|run|helper|wrapper|path|lib|dir|open|agent|engine|provider|init|proxy|action|macro|source|file|spec|proc|view|ext|mod|tool|call|pipe|askpass|with|use-|test/i
/** How many of the attacks that are left a tier may have; the last one takes what the others do not need. */
const TIERS = 5

/** @typedef {{ named: string[], letters: string[] }} Options */

/**
 * Attacks on a program or one of its subcommands, at most `limit` of them: chosen evenly, and the same ones in every run.
 *
 * @param {{ program: string, subcommand?: string, options: Options, variables: string[], workspace: string, limit: number }} given
 * @returns {string[]}
 */
export function attacksOn({ program, subcommand, options, variables, workspace, limit }) {
  const values = valuesFor(program, workspace)
  const [operands, ...others] = operandsOf(program, subcommand)
  const called = subcommand === undefined ? program : `${program} ${subcommand}`
  const all = [...options.named, ...options.letters]
  const suspicious = options.named.filter((option) => SUSPICIOUS.test(option))
  const quiet = all.filter((option) => !suspicious.includes(option))
  const [first, ...rest] = values
  const tiers = [
    suspicious.flatMap((option) => values.flatMap((value) => forms(option, value).map((words) => `${called} ${words} ${operands}`))),
    all.flatMap((option) => [`${called} ${option} ${operands}`, ...forms(option, first).map((words) => `${called} ${words} ${operands}`)]),
    [...variables, 'PAGER', 'EDITOR', 'VISUAL', 'SHELL'].flatMap((name) => values.slice(0, 3).map((value) => `${name}=${quoted(value)} ${called} ${operands}`)),
    [
      ...values.flatMap((value) => [`${called} ${quoted(value)}`, `${called} ${operands} ${quoted(value)}`, `${called} -- ${quoted(value)}`]),
      ...all.flatMap((option) => [
        ...forms(option, first).flatMap((words) => others.map((other) => `${called} ${words} ${other}`)),
        `${called} ${operands} ${option} ${quoted(first)}`,
      ]),
    ],
    // What says nothing by its name.
    quiet.flatMap((option) => rest.flatMap((value) => forms(option, value).map((words) => `${called} ${words} ${operands}`))),
    suspicious.flatMap((option) => rest.flatMap((value) => others.map((other) => `${called} ${forms(option, value)[0]} ${other}`))),
  ]
  return chosen(tiers, limit)
}

/**
 * Attacks by options that stand before a subcommand.
 *
 * @param {string} program
 * @param {string} subcommand
 * @param {Options} options
 * @param {string} workspace
 * @param {number} limit
 */
export function attacksBefore(program, subcommand, options, workspace, limit) {
  const [operands] = operandsOf(program, subcommand)
  const values = valuesFor(program, workspace)
  const all = [...options.named, ...options.letters]
  const attacks = values.flatMap((value) => all.flatMap((option) => forms(option, value).map((words) => `${program} ${words} ${subcommand} ${operands}`)))
  return chosen([attacks], limit)
}

/** @param {string} option @param {string} value */
function forms(option, value) {
  if (option.startsWith('--')) return [quoted(`${option}=${value}`), `${option} ${quoted(value)}`]
  if (option.length === 2) return [`${option} ${quoted(value)}`, quoted(`${option}${value}`)]
  return [`${option} ${quoted(value)}`, quoted(`${option}=${value}`), quoted(`${option}${value}`)]
}

/** @param {string} word */
export function quoted(word) {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** @param {string[][]} tiers @param {number} limit */
function chosen(tiers, limit) {
  const attacks = new Set()
  for (const [index, tier] of tiers.entries()) {
    const left = limit - attacks.size
    const most = Math.max(1, Math.ceil(left / Math.max(1, Math.min(tiers.length, TIERS) - index)))
    const step = Math.max(1, tier.length / Math.min(left, most))
    for (let at = 0; at < tier.length && attacks.size < limit; at += step) attacks.add(tier[Math.floor(at)].trim())
  }
  return [...attacks]
}
