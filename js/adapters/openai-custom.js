// @ts-check
'use strict'

const { invalidInput } = require('../tool-error.js')

/**
 * @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit
 * @typedef {import('../../index.d.ts').AgentTool<any, any>} AgentTool
 */

/** The form of patches that models were trained on, so that what they write is one. */
const PATCH_GRAMMAR = `start: begin_patch hunk+ end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?

hunk: add_hunk | delete_hunk | update_hunk
add_hunk: "*** Add File: " filename LF add_line+
delete_hunk: "*** Delete File: " filename LF
update_hunk: "*** Update File: " filename LF change_move? change?

filename: /(.+)/
add_line: "+" /(.*)/ LF -> line

change_move: "*** Move to: " filename LF
change: (change_context | change_line)+ eof_line?
change_context: ("@@" | "@@ " /(.+)/) LF
change_line: ("+" | "-" | " ") /(.*)/ LF
eof_line: "*** End of File" LF

%import common.LF
`

/**
 * The one parameter of a tool that can be called with a text in place of JSON; nothing where it needs more, or something else.
 *
 * @param {AgentTool | undefined} tool
 * @returns {string | undefined}
 */
function textParameterOf(tool) {
  const { required = [], properties = {} } = /** @type {any} */ (tool?.parameters ?? {})
  return required.length === 1 && properties[required[0]]?.type === 'string' ? required[0] : undefined
}

/**
 * A tool that the model calls with a text, which needs no escapes.
 *
 * @param {AgentTool} tool
 */
function customTool(tool) {
  const { name, description, metadata } = tool
  if (textParameterOf(tool) === undefined)
    throw invalidInput('toResponsesTools', `\`${name}\` cannot be called with a text: it needs other parameters than one text. Take it out of \`custom\`.`)
  const isPatch = metadata?.operation === 'patch'
  return { type: 'custom', name, description, ...(isPatch && { format: { type: 'grammar', syntax: 'lark', definition: PATCH_GRAMMAR } }) }
}

/**
 * The call of ours that a call with a text is.
 *
 * @param {Toolkit} toolkit
 * @param {any} item
 * @returns {{ id: string, name: string, params: unknown } | undefined}
 */
function customCall(toolkit, { call_id: id, name, input }) {
  const parameter = textParameterOf(toolkit.getTool(name))
  return parameter === undefined ? undefined : { id, name, params: { [parameter]: input } }
}

module.exports = { customCall, customTool }
