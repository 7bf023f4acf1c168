// @ts-check
'use strict'

const { createHash } = require('node:crypto')

/** Longest name that every provider of models takes. */
const MAX_LENGTH = 64
/** What rules can name as it is. */
const RULEABLE = /^[^\s()*\p{C}]+$/u

/**
 * The names of tools for models and for rules, by server and tool: `mcp__server__tool`. Two tools never get the same name,
 * and a tool gets the same name again at the next start.
 *
 * @param {readonly { server: string, tool: string }[]} tools
 * @returns {{ server: string, tool: string, name: string, ruleName: string }[]}
 */
function namesOf(tools) {
  const named = tools.map(({ server, tool }) => {
    const [plainServer, plainTool] = [
      plain(server)
        .replace(/__+/g, '_')
        .replace(/^_+|_+$/g, '') || 'server',
      plain(tool),
    ]
    return { server, tool, name: `mcp__${plainServer}__${plainTool}` }
  })
  const uses = new Map()
  for (const { name } of named) {
    const cut = name.slice(0, MAX_LENGTH).toLowerCase()
    uses.set(cut, (uses.get(cut) ?? 0) + 1)
  }
  return named.map(({ server, tool, name }) => {
    const isAlone = name.length <= MAX_LENGTH && uses.get(name.toLowerCase()) === 1
    const given = isAlone ? name : `${name.slice(0, MAX_LENGTH - 9)}_${suffix(server, tool)}`
    const own = `mcp__${server}__${tool}`
    return { server, tool, name: given, ruleName: RULEABLE.test(own) && !server.includes('__') ? own : given }
  })
}

/** @param {string} text */
function plain(text) {
  return text.replace(/[^A-Za-z0-9_-]/gu, '_')
}

/**
 * @param {string} server
 * @param {string} tool
 */
function suffix(server, tool) {
  return createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, 8)
}

module.exports = { namesOf }
