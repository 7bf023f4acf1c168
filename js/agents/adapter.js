// @ts-check
'use strict'

const { describe, invalidInput } = require('../tool-error.js')

/**
 * @typedef {{ description?: string, tools?: readonly string[], [option: string]: any }} Definition of one kind of agent
 * @typedef {(definition: Definition, request: any, context: any) => Promise<any>} Work
 */

/**
 * The members of `host` for kinds of agents that a framework runs.
 *
 * @param {string} who the function that makes them
 * @param {unknown} agents
 * @param {Work} work
 */
function hostOf(who, agents, work) {
  if (typeof agents !== 'object' || agents === null || Object.keys(agents).length === 0) {
    throw invalidInput(who, `The option \`agents\` of \`${who}\` must name at least one agent: { scout: { description, … } }.`)
  }
  const known = /** @type {Record<string, Definition>} */ (agents)
  return {
    agents: Object.entries(known).map(([name, { description = '', tools }]) => ({ name, description, ...(tools && { tools: [...tools] }) })),
    /**
     * @param {any} request
     * @param {any} context
     */
    async runAgent(request, context) {
      const definition = Object.hasOwn(known, request.agent) ? known[request.agent] : undefined
      if (!definition) throw new Error(`there is no agent \`${request.agent}\`; there are ${Object.keys(known).join(', ')}`)
      return work(definition, request, context)
    },
  }
}

/**
 * What the agent is asked, with the schema of its result.
 *
 * @param {any} request
 */
function objectiveOf({ objective, outputSchema }) {
  if (!outputSchema) return objective
  return `${objective}\n\nReturn only JSON that matches this JSON Schema, without other text:\n${JSON.stringify(outputSchema)}`
}

/**
 * A message of another session, marked as such.
 *
 * @param {{ text: string, from: string }} message
 */
function marked({ text, from }) {
  return `[Message from session ${from}, not from the user]\n${text}`
}

/**
 * Earlier rounds: those of the session, or of the one that has started it.
 *
 * @param {any} request
 * @returns {{ role: 'user' | 'assistant', text: string }[]}
 */
function roundsOf({ history = [], parentHistory = [] }) {
  return history.length > 0 ? history : parentHistory
}

/**
 * The package of a framework, which the host has installed: it is no dependency of this one.
 *
 * @param {string} name
 * @param {string} who
 * @param {string} option in which the host can hand over what is needed of it
 */
async function packageOf(name, who, option) {
  try {
    return await import(name)
  } catch (error) {
    throw new Error(`\`${who}\` needs the package \`${name}\`, which could not be loaded (${describe(error)}). Install it, or pass \`${option}\``)
  }
}

module.exports = { hostOf, marked, objectiveOf, packageOf, roundsOf }
