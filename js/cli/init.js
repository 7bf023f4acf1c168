// @ts-check
'use strict'

const { mkdirSync, realpathSync, writeFileSync } = require('node:fs')
const { homedir } = require('node:os')
const path = require('node:path')

const { UsageError } = require('./usage.js')

/** Rules to start with: reading and what is known to be harmless is allowed, secrets are denied, everything else is asked. */
const SETTINGS = {
  permissions: {
    defaultMode: 'ask',
    allow: ['Read', 'Grep', 'Glob', 'Bash(git status:*)', 'Bash(git diff:*)', 'Bash(git log:*)', 'Bash(ls:*)'],
    ask: [],
    deny: ['Read(.env)', 'Read(.env.*)', 'Read(**/*.pem)', 'Bash(sudo:*)'],
  },
}

/**
 * Writes a settings file, where there is none, and shows how it is used. It is outside of the workspace: an agent could change a file
 * inside, so rules of such a file can only restrict.
 *
 * @param {string | undefined} named
 * @param {string} workspace
 * @param {boolean} asJson
 */
function init(named, workspace, asJson) {
  const directory = path.resolve(workspace)
  const file = named === undefined ? path.join(homedir(), '.config', 'tenon', `${path.basename(directory) || 'root'}.json`) : path.resolve(named)
  try {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify(SETTINGS, null, 2)}\n`, { flag: 'wx' })
  } catch (error) {
    const { code } = /** @type {any} */ (error)
    if (code === 'EEXIST')
      throw new UsageError(`\`${file}\` exists already and was not changed. Use it, name another file (\`tenon init <file>\`), or remove it to begin again.`)
    throw new UsageError(`\`${file}\` cannot be written (${code}).`)
  }
  const args = ['tenon', 'mcp', '--workspace', directory, '--settings', file, '--approvals', 'elicit']
  const server = { command: 'npx', args }
  const clients = {
    'claude-code': { mcpServers: { tenon: server } },
    cursor: { mcpServers: { tenon: server } },
    vscode: { servers: { tenon: { type: 'stdio', ...server } } },
  }
  const warning = isInside(file, directory)
    ? `${file} is inside the workspace, where an agent could change it, so it can only restrict: its \`allow\` rules are ignored. Name a file outside of ${directory}.`
    : undefined
  if (asJson) return `${JSON.stringify({ file, settings: SETTINGS, clients, ...(warning && { warning }) }, null, 2)}\n`
  return [
    `Wrote ${file}.`,
    '',
    ...(warning ? [`Warning: ${warning}`, ''] : []),
    'In your program:',
    '',
    `  const toolkit = new Toolkit({ workspace: ${JSON.stringify(directory)}, settings: ${JSON.stringify(file)}, onApproval: terminalApprover() })`,
    '',
    'As an MCP server in Claude Code:',
    '',
    `  claude mcp add tenon -- npx ${args.map(quoted).join(' ')}`,
    '',
    'In Codex (~/.codex/config.toml):',
    '',
    '  [mcp_servers.tenon]',
    '  command = "npx"',
    `  args = ${JSON.stringify(args)}`,
    '',
    'In Cursor (.cursor/mcp.json), and in Claude Code (.mcp.json):',
    '',
    indented(clients.cursor),
    '',
    'In VS Code (.vscode/mcp.json):',
    '',
    indented(clients.vscode),
    '',
    'Try a rule: npx tenon explain exec "rm -rf build" --settings ' + quoted(file),
    '',
  ].join('\n')
}

/**
 * Whether a file is in a directory, wherever links lead.
 *
 * @param {string} file
 * @param {string} directory
 */
function isInside(file, directory) {
  const way = path.relative(realpathSync(directory), realpathSync(file))
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}

/** @param {unknown} value */
function indented(value) {
  return JSON.stringify(value, null, 2).replace(/^/gm, '  ')
}

/** A word for a shell. @param {string} text */
function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

module.exports = { init }
