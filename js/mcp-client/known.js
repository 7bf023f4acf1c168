// @ts-check
'use strict'

/**
 * What tools of well-known servers touch, so that rules on paths and addresses bind them too. What a tool does is not
 * said here: without a rule its calls ask, as all calls of servers do.
 *
 * @type {Record<string, Record<string, { reads?: string[], writes?: string[], deletes?: string[], hosts?: string[] }>>}
 */
const KNOWN = {
  '@modelcontextprotocol/server-filesystem': {
    read_file: { reads: ['path'] },
    read_text_file: { reads: ['path'] },
    read_media_file: { reads: ['path'] },
    read_multiple_files: { reads: ['paths'] },
    write_file: { writes: ['path'] },
    edit_file: { writes: ['path'] },
    create_directory: { writes: ['path'] },
    list_directory: { reads: ['path'] },
    list_directory_with_sizes: { reads: ['path'] },
    directory_tree: { reads: ['path'] },
    move_file: { deletes: ['source'], writes: ['destination'] },
    search_files: { reads: ['path'] },
    get_file_info: { reads: ['path'] },
  },
  'mcp-server-git': {
    git_status: { reads: ['repo_path'] },
    git_diff_unstaged: { reads: ['repo_path'] },
    git_diff_staged: { reads: ['repo_path'] },
    git_diff: { reads: ['repo_path'] },
    git_log: { reads: ['repo_path'] },
    git_show: { reads: ['repo_path'] },
    git_add: { reads: ['files'] },
  },
  'mcp-server-fetch': { fetch: { hosts: ['url'] } },
}

/**
 * The effects of a tool of a program that is one of these packages.
 *
 * @param {import('./config.js').ServerEntry} entry
 * @param {any} tool
 */
function knownEffects({ command, args }, tool) {
  if (command === undefined) return undefined
  const words = [command, ...args].map((word) => word.replace(/\\/g, '/'))
  const isNamed = (/** @type {string} */ name) =>
    words.some(
      (word) => word === name || word.startsWith(`${name}@`) || word.startsWith(`${name}==`) || word.endsWith(`/${name}`) || word.includes(`/${name}/`),
    )
  const name = Object.keys(KNOWN).find(isNamed)
  const effects = name !== undefined && Object.hasOwn(KNOWN[name], tool.name) ? KNOWN[name][tool.name] : undefined
  if (!effects) return undefined
  const properties = tool.inputSchema?.properties ?? {}
  const named = Object.entries(effects).map(([kind, params]) => [kind, params.filter((param) => Object.hasOwn(properties, param))])
  return { kind: 'unknown', ...Object.fromEntries(named) }
}

module.exports = { knownEffects }
