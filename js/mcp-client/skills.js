// @ts-check
'use strict'

const { clean } = require('./text.js')
const { describe } = require('../tool-error.js')

/** The extension by which a server says that it has skills (SEP-2640). */
const EXTENSION = 'io.modelcontextprotocol/skills'
/** Longest description that a model is shown, in characters. */
const MAX_DESCRIPTION = 1024
/** How long skills wait for servers that are being started, in milliseconds. */
const PATIENCE_MS = 5000

/**
 * What the tool `skill` receives of the skills of all servers: their names are `server:skill`. Only the lists are read; a server that
 * cannot be asked is a remark.
 *
 * @param {readonly { id: string, list: () => Promise<{ skills: any[], remarks: string[] }> }[]} servers
 * @param {readonly string[]} open servers that are still being started
 */
async function listedSkills(servers, open) {
  const lists = await Promise.all(
    servers.map(async ({ id, list }) => {
      try {
        const { skills, remarks } = await list()
        return { skills: skills.map((skill) => described(id, skill)), remarks: remarks.map((remark) => `MCP server \`${id}\`: ${remark}`) }
      } catch (error) {
        return { skills: [], remarks: [describe(error).replace(/\.$/, '')] }
      }
    }),
  )
  const starting = open.map((id) => `The MCP server \`${id}\` is still being started; list again to see whether it has skills`)
  return { skills: lists.flatMap(({ skills }) => skills), remarks: [...lists.flatMap(({ remarks }) => remarks), ...starting] }
}

/**
 * @param {string} id
 * @param {any} skill
 */
function described(id, { uri, frontmatter }) {
  return { name: `${id}:${frontmatter.name}`, description: clean(frontmatter.description, MAX_DESCRIPTION), uri }
}

/**
 * The text of a skill by its full name, if a server has it. What is not as it was listed is an error.
 *
 * @param {string} name
 * @param {readonly { id: string, load: (name: string) => Promise<any> }[]} servers
 */
async function loadedSkill(name, servers) {
  // The longest name first: names of servers may have a colon in them.
  const fitting = servers.filter(({ id }) => name.startsWith(`${id}:`)).sort((one, other) => other.id.length - one.id.length)
  for (const { id, load } of fitting) {
    const loaded = await load(name.slice(id.length + 1))
    if (loaded) return { name, uri: loaded.uri, content: clean(loaded.content, Infinity), files: loaded.files }
  }
  return null
}

module.exports = { EXTENSION, PATIENCE_MS, listedSkills, loadedSkill }
