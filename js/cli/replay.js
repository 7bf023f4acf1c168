// @ts-check
'use strict'

const { ToolError } = require('../tool-error.js')
const { painter, seen } = require('./style.js')
const { UsageError } = require('./usage.js')

const STYLES = /** @type {Record<string, import('./style.js').Style>} */ ({ equal: 'green', different: 'red', skipped: 'yellow' })
const FAILED = 1

/**
 * Makes the calls of a record once more, and prints how they compare.
 *
 * @param {string | undefined} file
 * @param {{ workspace: string, dialect?: string, settings?: string, run?: string, json: boolean, color?: string }} options
 * @returns {Promise<number>} the exit code
 */
async function replayRecord(file, { workspace, dialect, settings, run, json, color }) {
  if (file === undefined) throw new UsageError('The file of the record is missing.')
  const names =
    run === undefined
      ? []
      : run
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean)
  const toolkit = /** @type {any} */ (settings === undefined ? undefined : { settings })
  let report
  try {
    report = await require('../replay.js').replay(file, {
      workspace,
      run: names,
      ...(dialect !== undefined && { dialect: /** @type {any} */ (dialect) }),
      ...(toolkit && { toolkit }),
    })
  } catch (error) {
    if (ToolError.is(error) && error.error_type === 'invalid_input') throw new UsageError(error.message)
    throw error
  }
  if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  else {
    const { paint } = painter(process.stdout, color)
    for (const { status, tool, toolCallId, reason, diff } of report.calls) {
      process.stdout.write(
        `${paint(STYLES[status], status.padEnd(9))}  ${paint('bold', seen(tool))} ${paint('dim', seen(toolCallId))}${reason ? `  ${reason}` : ''}\n`,
      )
      if (diff !== undefined)
        process.stdout.write(
          `${diff
            .split('\n')
            .map((line) => `    ${seen(line)}`)
            .join('\n')}\n`,
        )
    }
    process.stdout.write(`${report.equal} equal, ${report.different} different, ${report.skipped} skipped\n`)
  }
  if (report.equal + report.different > 0) return report.different > 0 ? FAILED : 0
  process.stderr.write('tenon: Nothing was compared. A record can be replayed where it was written with `record: { file, replay: true }`.\n')
  return FAILED
}

module.exports = { replayRecord }
