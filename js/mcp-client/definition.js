// @ts-check
'use strict'

const { clean, cleanSchema } = require('./text.js')

/**
 * The definition of a tool of a server, as a tool of the host has one.
 *
 * @param {import('./config.js').ServerEntry} entry
 * @param {any} tool as the server lists it
 * @param {{ name: string, ruleName: string }} names
 * @param {{ approvalRequest: () => unknown, execute: (toolCallId: string, args: any, signal: AbortSignal, onUpdate: (partial: any) => void) => Promise<any> }} functions
 */
function definitionOf(entry, tool, { name, ruleName }, functions) {
  const { annotations = {} } = tool
  const title = clean(tool.title ?? annotations.title ?? tool.name, 200)
  return {
    name,
    label: title || tool.name,
    description: clean(tool.description) || title || tool.name,
    parameters: cleanSchema(tool.inputSchema ?? { type: 'object' }),
    group: 'mcp',
    annotations: entry.trustAnnotations ? pick(annotations) : { title: title || tool.name },
    metadata: {
      mcp: {
        server: entry.id,
        tool: tool.name,
        annotations: pick(annotations),
        // For those who hand the tool on; the protocol has schemas of objects only.
        ...(tool.outputSchema?.type === 'object' && { outputSchema: cleanSchema(tool.outputSchema) }),
      },
    },
    effects: effectsOf(entry, tool),
    resultContentSource: 'network',
    ruleName,
    timeoutMs: Math.min(entry.maxCallMs + entry.startMs + 60_000, 2 ** 31),
    ...functions,
  }
}

/**
 * What the host says that a tool does, else what is known of well-known servers. Where nobody says what it does, nobody knows.
 *
 * @param {import('./config.js').ServerEntry} entry
 * @param {any} tool
 */
function effectsOf(entry, tool) {
  if (Object.hasOwn(entry.effects, tool.name)) return entry.effects[tool.name]
  const known = require('./known.js').knownEffects(entry, tool)
  return known ?? (entry.trustAnnotations && tool.annotations?.readOnlyHint === true ? undefined : 'unknown')
}

/**
 * The annotations that the protocol has.
 *
 * @param {any} annotations
 */
function pick({ title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint }) {
  const given = Object.entries({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }).filter(([, value]) => typeof value === 'boolean')
  return { ...(typeof title === 'string' && { title: clean(title, 200) }), ...Object.fromEntries(given) }
}

module.exports = { definitionOf }
