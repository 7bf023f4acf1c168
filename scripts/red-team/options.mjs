// Reads the options and variables of a program out of its own help and its manual.

/** A word that a manual gives as an option, where a sentence or a bracket may stand around it. */
const OPTION = /(?<=^|[\s,;:[({|/'"‘’“`=])(--?[A-Za-z0-9?@#][\w.+-]*)/gm
/** Letters of a usage line: `[-AaCf]`. */
const LETTERS = /\[-([A-Za-z0-9]{2,})\]/g
/** Names of variables; shorter ones are mostly words in capitals. */
const VARIABLE = /(?<=^|[\s$`'"({[])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)(?=[\s.,;:=)'"}\]]|$)/gm
const ALPHABET = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']
/** What names no file and no program, or is set for every command anyway. */
const PLAIN_VARIABLES = new Set('NAME SYNOPSIS DESCRIPTION OPTIONS ENVIRONMENT FILES EXAMPLES AUTHOR COPYRIGHT BUGS GNU POSIX HOME PATH LANG TERM'.split(' '))

/**
 * The commands that show what a program, or a subcommand of it, can be given.
 *
 * @param {string} program
 * @param {string} [subcommand]
 */
export function helpCommands(program, subcommand) {
  const page = subcommand === undefined ? program : `${program}-${subcommand.replaceAll(' ', '-')}`
  const called = subcommand === undefined ? program : `${program} ${subcommand}`
  return [`man -P cat -- ${page}`, `${called} --help`, `${called} -h`, ...(subcommand === undefined ? [`${called} help`] : [])]
}

/**
 * Every option in the texts, letters first; each letter is tried whether the manual has it or not, because some are kept quiet.
 *
 * @param {string[]} texts
 */
export function optionsIn(texts) {
  const options = new Set()
  for (const text of texts.map(plain)) {
    for (const [, option] of text.matchAll(OPTION)) options.add(option.replace(/[.+-]+$/, ''))
    for (const [, letters] of text.matchAll(LETTERS)) for (const letter of letters) options.add(`-${letter}`)
  }
  const named = [...options].filter((option) => option.length > 1 && option !== '--').sort()
  return { named, letters: ALPHABET.map((letter) => `-${letter}`).filter((option) => !options.has(option)) }
}

/**
 * Variables that the texts name.
 *
 * @param {string[]} texts
 */
export function variablesIn(texts) {
  const names = texts.map(plain).flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name]) => name))
  return [...new Set(names)].filter((name) => name.length > 3 && !PLAIN_VARIABLES.has(name)).sort()
}

/**
 * A text without what made it bold or underlined, and words that were divided at the end of a line put together.
 *
 * @param {string} text
 */
function plain(text) {
  return text
    .replace(/.\x08/g, '')
    .replace(/\x1b\[[\d;]*m/g, '')
    .replaceAll('‐', '-')
    .replaceAll('−', '-')
}
