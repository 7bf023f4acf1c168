// @ts-check
'use strict'

const { sectionsOf } = require('./approval-text.js')
const { painter, seen } = require('./cli/style.js')
const { inTurn, lineReader } = require('./terminal-prompt.js')
const { requireOptions } = require('./unknown-options.js')

/** Most lines of a change that are shown. */
const DIFF_LINES_MAX = 200
const ANSWERS = /** @type {Record<string, 'once' | 'always' | 'never'>} */ ({
  y: 'once',
  yes: 'once',
  once: 'once',
  a: 'always',
  always: 'always',
  n: 'never',
  no: 'never',
  never: 'never',
})
const DANGERS = /** @type {const} */ ({ low: 'green', medium: 'yellow', high: 'red' })

/**
 * An approver that asks the user at the terminal: for the option `onApproval`.
 *
 * @param {{ input?: any, output?: any, color?: string }} [options]
 * @returns {(request: import('../index.d.ts').ApprovalRequest, context: { signal: AbortSignal }) => Promise<'once' | 'always' | 'never'>}
 */
function terminalApprover(options = {}) {
  requireOptions('terminalApprover', options, ['input', 'output', 'color'])
  const { input = process.stdin, output = process.stdout, color } = options
  const colours = painter(output, color)
  return (request, { signal }) =>
    inTurn(async () => {
      signal.throwIfAborted()
      if (!input.isTTY) throw new Error('standard input is not a terminal, so nobody can be asked')
      const reader = lineReader(input, output, signal)
      try {
        output.write(`\n${textOf(request, colours)}\n`)
        for (;;) {
          const answer = ANSWERS[(await reader.line()).trim().toLowerCase()]
          if (answer !== undefined && (answer !== 'always' || request.remembers.length > 0)) return answer
          output.write(`${choices(request)}\n`)
        }
      } finally {
        reader.close()
      }
    })
}

/**
 * @param {import('../index.d.ts').ApprovalRequest} request
 * @param {ReturnType<typeof painter>} colours
 */
function textOf(request, { paint, diff }) {
  const { tool, reason, danger, session } = request
  const lines = [
    `${paint('bold', seen(tool))} requires approval (danger ${paint(DANGERS[danger] ?? 'red', danger)})${session ? `, for the agent ${seen(session.label)}` : ''}`,
    `  ${indented(seen(reason))}`,
    ...sectionsOf(request).map(({ kind, label, text }) => {
      if (kind === 'command') return `  $ ${indented(text)}`
      if (kind === 'diff') return diff(firstLines(text))
      const line = `  ${label}: ${indented(text)}`
      return kind === 'problem' ? paint('red', line) : line
    }),
  ]
  return [...lines, choices(request)].join('\n')
}

/** @param {string} text of several lines, which must not look like lines of the question */
function indented(text) {
  return text.replaceAll('\n', '\n    ')
}

/** @param {string} diff */
function firstLines(diff) {
  const lines = diff.trimEnd().split('\n')
  if (lines.length <= DIFF_LINES_MAX) return lines.join('\n')
  return [...lines.slice(0, DIFF_LINES_MAX), `[${lines.length - DIFF_LINES_MAX} more lines]`].join('\n')
}

/** @param {import('../index.d.ts').ApprovalRequest} request */
function choices({ remembers }) {
  const always = remembers.length > 0 ? `  a) always allow ${seen(remembers.join(', '))}` : ''
  return `y) allow once${always}  n) refuse`
}

module.exports = { terminalApprover }
