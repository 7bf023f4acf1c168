// @ts-check
'use strict'

const { spawn } = require('node:child_process')
const { writeFileSync } = require('node:fs')

const { INTERRUPTED } = require('./call.js')
const { UsageError } = require('./usage.js')

/** The programs that open an address, by the names of systems. */
const OPENERS = /** @type {Record<string, [string, string[]]>} */ ({ darwin: ['open', []], win32: ['explorer.exe', []] })

/**
 * Serves the page until Ctrl-C, or writes it into a file.
 *
 * @param {string | undefined} file
 * @param {{ workspace: string, dialect?: string, settings?: string, html?: string, port?: string, open: boolean }} options
 * @returns {Promise<number>} the exit code
 */
async function inspect(file, { workspace, dialect, settings, html, port, open }) {
  const { PageServer, recordSource, standalone } = require('../inspect/index.js')
  const number = port === undefined ? 0 : Number(port)
  if (!Number.isInteger(number) || number < 0 || number > 65_535) throw new UsageError(`\`--port\` must be a number from 0 to 65535, not \`${port}\`.`)
  const given = { workspace, ...(dialect !== undefined && { dialect }), ...(settings !== undefined && { settings }) }
  const source = recordSource(file, given, readerOf(file))
  if (html !== undefined) {
    // Not readable for others: it has what the record has.
    writeFileSync(html, standalone(source), { mode: 0o600 })
    process.stdout.write(`Wrote ${html}.\n`)
    return 0
  }
  const server = new PageServer(source)
  const url = await server.listen(number)
  const ended = new Promise((resolve) => {
    process.once('SIGINT', () => resolve(INTERRUPTED))
    process.once('SIGTERM', () => resolve(0))
  })
  process.stdout.write(`${url}\n`)
  process.stderr.write('tenon: only this machine and users who know the address can open the page; Ctrl-C ends it\n')
  if (open) show(url)
  const code = await ended
  await server.close()
  return code
}

/** @param {string | undefined} file */
function readerOf(file) {
  if (file === undefined) return undefined
  const { openRecord, requireRecord } = require('./log.js')
  const reader = openRecord(file)
  requireRecord(reader, file)
  return reader
}

/** @param {string} url */
function show(url) {
  const [program, args] = OPENERS[process.platform] ?? ['xdg-open', []]
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => process.stderr.write(`tenon: no browser could be opened (\`${program}\` is missing); open the address yourself\n`))
  child.unref()
}

module.exports = { inspect }
