// @ts-check
'use strict'

// Brings the engine to where it is not yet: a program is copied once, checked by its hash, and kept under a name that says which one it is.

const { Buffer } = require('node:buffer')
const { createHash } = require('node:crypto')
const { readFile } = require('node:fs/promises')
const path = require('node:path')

const { invalidInput } = require('../tool-error.js')
const { engineDirectory } = require('./engine-package.js')

/** What is brought. */
const PROGRAMS = /** @type {const} */ (['tenon-helper', 'tenon-engine'])

/**
 * @typedef {boolean | { from?: string, to?: string }} Push `from`: a directory here with both programs; `to`: the directory there
 * @typedef {(argv: string[], input: Buffer) => Promise<{ code: number, output: string, fault: string }>} Run runs a command there
 * @typedef {(file: string, bytes: Buffer) => Promise<void>} Upload writes a file there, where commands have no input
 * @typedef {{ bytes: Buffer, hash: string }} Program
 */

/** Says what system it is, and where programs may be kept: below the cache of the user, or where only that user can write. */
const ASK = `uname -s -m
if [ -n "\${XDG_CACHE_HOME:-}" ]; then echo "$XDG_CACHE_HOME/tenon"
elif [ -n "\${HOME:-}" ] && [ "$HOME" != / ] && [ -w "$HOME" ]; then echo "$HOME/.cache/tenon"
else echo "/tmp/tenon-programs-$(id -u)"; fi`

/** \`$1\` the directory, \`$2\` and \`$3\` the hashes. Ends with 3 where something is missing or another file. */
const CHECK = `sum() { sha256sum < "$1" | cut -d " " -f 1; }
[ -x "$1/tenon-helper" ] && [ -x "$1/tenon-engine" ] || exit 3
[ "$(sum "$1/tenon-helper")" = "$2" ] && [ "$(sum "$1/tenon-engine")" = "$3" ] || exit 3`

/** Makes \`$1\` of the directory \`$2\` that has both files, if they are what they should be. */
const KEEP = `sum() { sha256sum < "$1" | cut -d " " -f 1; }
[ "$(sum "$2/tenon-helper")" = "$3" ] && [ "$(sum "$2/tenon-engine")" = "$4" ] || { echo "what arrived is not what was sent" >&2; rm -rf "$2"; exit 1; }
chmod 755 "$2/tenon-helper" "$2/tenon-engine" && rm -rf "$1" && mv "$2" "$1"`

/**
 * The program there, which is brought there if it is not.
 *
 * @param {string} name of the transport, for errors
 * @param {Push} push
 * @param {Run} run
 * @param {Upload} [upload]
 * @returns {Promise<string>}
 */
async function pushed(name, push, run, upload) {
  const { from, to } = typeof push === 'object' ? push : {}
  const asked = await answered(name, run, ['sh', '-c', ASK])
  const [system = '', cache = ''] = asked.split('\n').map((line) => line.trim())
  const programs = await programsFor(from ?? engineDirectory(platformOf(name, system)))
  const hashes = programs.map(({ hash }) => hash)
  const { version } = require('../../package.json')
  const directory = to ?? path.posix.join(cache, `engine-${version}-${hashes.join('').slice(0, 8)}${hashes[1].slice(0, 8)}`)
  const program = path.posix.join(directory, 'tenon-engine')
  const { code } = await run(['sh', '-c', CHECK, 'sh', directory, ...hashes], Buffer.alloc(0))
  if (code === 0) return program
  const part = `${directory}.${process.pid}-${Date.now().toString(36)}`
  await answered(name, run, ['sh', '-c', 'umask 077; mkdir -p "$1"', 'sh', part])
  for (const [index, { bytes }] of programs.entries()) {
    const file = `${part}/${PROGRAMS[index]}`
    if (upload) await upload(file, bytes)
    else await answered(name, run, ['sh', '-c', 'umask 077; cat > "$1"', 'sh', file], bytes)
  }
  await answered(name, run, ['sh', '-c', KEEP, 'sh', directory, part, ...hashes])
  return program
}

/**
 * @param {string} name
 * @param {Run} run
 * @param {string[]} argv
 * @param {Buffer} [input]
 */
async function answered(name, run, argv, input = Buffer.alloc(0)) {
  const { code, output, fault } = await run(argv, input)
  if (code === 0) return output
  const said = fault.trim() || output.trim()
  throw new Error(`the engine could not be brought to ${name} (code ${code}${said === '' ? '' : `: ${said}`})`)
}

/**
 * @param {string} name
 * @param {string} system such as `Linux x86_64`
 */
function platformOf(name, system) {
  const [kernel = '', machine = ''] = system.split(/\s+/)
  const arch = { x86_64: 'x64', amd64: 'x64', aarch64: 'arm64', arm64: 'arm64' }[machine]
  if (kernel === 'Linux' && arch) return `linux-${arch}`
  throw new Error(`no engine can be brought to ${name}, whose system is \`${system}\`: install it there, and name it with \`program\``)
}

/**
 * Both programs of a directory.
 *
 * @param {string} directory
 * @returns {Promise<Program[]>}
 */
function programsFor(directory) {
  return Promise.all(
    PROGRAMS.map(async (program) => {
      const bytes = await readFile(path.join(directory, program))
      return { bytes, hash: createHash('sha256').update(bytes).digest('hex') }
    }),
  )
}

/**
 * A way to an engine that is brought there before the first connection.
 *
 * @param {import('./session.js').Transport} named
 * @param {{ push?: Push, program?: string }} options
 * @param {Run} run
 * @param {(program: string | undefined) => import('./session.js').Transport} connect
 * @param {Upload} [upload]
 * @returns {import('./session.js').Transport}
 */
function pushing(named, { push, program }, run, connect, upload) {
  if (!push) return connect(program)
  if (program !== undefined)
    throw invalidInput('remote', '`push` brings the program to a place of its own: leave out `program`, or name a directory with `push: { to }`.')
  /** @type {Promise<string> | undefined} */
  let there
  const open = async (/** @type {import('./session.js').PipeEvents} */ events) => {
    there ??= pushed(named.name, push, run, upload)
    try {
      return await connect(await there).open(events)
    } catch (error) {
      // Another attempt looks again: it may be another container by then.
      there = undefined
      throw error
    }
  }
  return { ...named, open }
}

module.exports = { pushing }
