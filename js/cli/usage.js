// @ts-check
'use strict'

const { nearest } = require('../nearest.js')

/** A mistake in a command line. */
class UsageError extends Error {}

/** The options, as `parseArgs` takes them, with what the help says of each. */
const OPTIONS = /** @type {const} */ ({
  workspace: {
    type: 'string',
    short: 'w',
    default: process.cwd(),
    value: '<dir>',
    help: 'the directory that the tools work in (default: the current directory)',
  },
  dialect: { type: 'string', short: 'd', value: '<name>', help: 'the vocabulary: agent (default), canonical, coder, manager or acp' },
  settings: { type: 'string', short: 's', value: '<file>', help: 'a settings file, such as one with permissions' },
  approvals: {
    type: 'string',
    value: '<how>',
    help: 'who approves calls that require it. mcp: elicit (the user of the client), deny or allow; call: ask, deny or allow',
  },
  after: { type: 'string', value: '<sources>', help: 'as if text of these sources was read before: network, mcp, untracked, with commas between them' },
  program: { type: 'string', value: '<name>', help: 'what the policy knows of this program of the command line, instead of a call' },
  servers: {
    type: 'string',
    value: '<file>',
    help: 'also serve the tools of these MCP servers, under the same policy: a file as Claude Code, Cursor, VS Code, Codex or opencode has it',
  },
  only: { type: 'string', value: '<tools>', help: 'names of the tools to serve, with commas between them; mcp__db is all of the server db' },
  structured: { type: 'boolean', default: false, help: 'send details as structured content, and the schemas of outputs' },
  'content-only': { type: 'boolean', default: false, help: 'send no details, for clients that hand them to their model' },
  canvas: { type: 'boolean', default: false, help: 'the agent can show pages to the user' },
  record: { type: 'string', value: '<file>', help: 'keep every call and every answer in this file' },
  run: {
    type: 'string',
    value: '<tools>',
    help: 'names of tools, with commas between them, whose calls are made although they act on more than the workspace',
  },
  html: { type: 'string', value: '<file>', help: 'write the page with all its data into one file, in place of serving it' },
  port: { type: 'string', value: '<number>', help: 'the port of the page (default: a free one)' },
  open: { type: 'boolean', default: false, help: 'open the page in the browser' },
  follow: { type: 'boolean', short: 'f', default: false, help: 'wait for more events' },
  color: { type: 'string', value: '<when>', help: 'always, never or auto (default); `NO_COLOR` turns colors off, too' },
  json: { type: 'boolean', default: false, help: 'write JSON: definitions of tools, whole results, findings' },
  help: { type: 'boolean', short: 'h', default: false, help: 'show help, also for one command' },
  version: { type: 'boolean', short: 'v', default: false, help: 'show the version' },
})

/**
 * The commands: what follows their names, what they do, and the options that concern them.
 *
 * @type {Record<string, { args: string, most: number, about: string, options: (keyof typeof OPTIONS)[], more?: string }>}
 */
const COMMANDS = {
  tools: {
    args: '[<tool>]',
    most: 1,
    about: 'list the tools of a dialect, or show the parameters of one',
    options: ['workspace', 'dialect', 'settings', 'canvas', 'json', 'color'],
  },
  call: {
    args: '<tool> [<params>]',
    most: Infinity,
    about: 'run one tool; params are name=value pairs, a JSON object, or - to read it from standard input',
    options: ['workspace', 'dialect', 'settings', 'approvals', 'canvas', 'json', 'color'],
    more:
      'Output is shown as it comes, changes of files as a diff. A call that requires approval by a rule is approved at the terminal.\n' +
      'A single value without a name is the first required parameter.\n\n' +
      'Examples:\n  tenon call read README.md\n  tenon call grep pattern=TODO path=src\n  tenon call exec "npm test" timeout=600\n  tenon call edit \'{"file_path": "a.txt", "edits": [{"oldText": "a", "newText": "b"}]}\'\n\n' +
      'Exit codes: 0 success, 1 the tool or its command failed, 2 usage error, 130 interrupted.\n',
  },
  explain: {
    args: '<tool> [<params>] | --program <name>',
    most: Infinity,
    about: 'show what policy decides about a call, and why, or what it knows of a program; runs nothing',
    options: ['workspace', 'dialect', 'settings', 'after', 'program', 'json', 'color'],
    more: 'Params as for `call`.\n\nExamples:\n  tenon explain exec "rm -rf build" --settings policy.yaml\n  tenon explain exec "git push" --settings policy.yaml --after network,mcp\n  tenon explain --program tar\n\nExit codes: 0 allow, 2 usage error, 3 ask, 4 deny.\n',
  },
  inspect: {
    args: '[<session.jsonl>]',
    most: 1,
    about: 'show a recorded session, rules, tools and this machine on a page in the browser',
    options: ['workspace', 'dialect', 'settings', 'html', 'port', 'open'],
    more: 'Records are written with the option `record` of a toolkit. The page is served to this machine only, until Ctrl-C.\n',
  },
  log: { args: '<session.jsonl>', most: 1, about: 'print the calls of a recorded session', options: ['follow', 'json', 'color'] },
  replay: {
    args: '<session.jsonl>',
    most: 1,
    about: 'make the calls of a recorded session again over --workspace, which they change, and compare the results',
    options: ['workspace', 'dialect', 'settings', 'run', 'json', 'color'],
    more: 'The record must be one with whole parameters: `record: { file, replay: true }`. Begin with the files as they were before the session.\n\nExample:\n  tenon replay session.jsonl --workspace copy\n\nExit codes: 0 all results are equal or were skipped, 1 some differ, 2 usage error.\n',
  },
  mcp: {
    args: '',
    most: 0,
    about: 'serve the tools over the Model Context Protocol, on standard input and output',
    options: ['workspace', 'dialect', 'settings', 'approvals', 'servers', 'only', 'canvas', 'structured', 'content-only'],
    more: 'Another MCP server behind a policy and a user who approves:\n  tenon mcp --servers .mcp.json --only mcp__db --settings policy.json --approvals elicit\n',
  },
  acp: {
    args: '-- <agent> [<args>]',
    most: Infinity,
    about: 'run an ACP agent for an editor: permissions by policy, the tools over MCP',
    options: ['workspace', 'dialect', 'settings', 'canvas', 'record'],
    more: 'Example, as the agent of an editor:\n  tenon acp --settings policy.yaml -- claude-agent-acp\n',
  },
  serve: {
    args: '--listen <place> | --stdio',
    most: Infinity,
    about: 'run the engine as a program, for toolkits elsewhere',
    options: [],
    more: 'Places: unix:<socket>; ws:<address>:<port> and wss:<address>:<port> with --token-file (wss: --tls-certificate and --tls-key, too).\nAlso: --linger <seconds> that a session outlives its connection (600), --until-idle <seconds> after which the engine ends without sessions.\n',
  },
  attach: {
    args: '[--socket <socket>] [--text]',
    most: Infinity,
    about: 'connect standard input and output with the engine of this user, which is started where it does not run',
    options: [],
    more: 'With --text it is lines of base64, for input and output that take text only.\n',
  },
  'vscode-manifest': {
    args: '',
    most: 0,
    about: 'print what the package.json of a VS Code extension says of the tools that it registers',
    options: ['workspace', 'dialect', 'settings'],
  },
  init: {
    args: '[<file>]',
    most: 1,
    about: 'write a settings file to start with, and show how MCP clients start this program',
    options: ['workspace', 'json'],
    more: 'Without a file it is ~/.config/tenon/<name of the workspace>.json. Rules of a file inside the workspace can only restrict.\n',
  },
  doctor: { args: '', most: 0, about: 'show what was loaded, from where, what this system supports, and what to do', options: ['json'] },
  completion: {
    args: '<shell>',
    most: 1,
    about: 'print completions for bash, zsh or fish',
    options: [],
    more: 'Example:\n  source <(tenon completion bash)\n',
  },
}

/** The help of the program. */
function help() {
  const width = Math.max(...Object.entries(COMMANDS).map(([name, { args }]) => `${name} ${args}`.length))
  return [
    'Usage: tenon <command> [options]',
    '',
    'Commands:',
    ...Object.entries(COMMANDS).map(([name, { args, about }]) => `  ${`${name} ${args}`.padEnd(width)}  ${about}`),
    '',
    'Options:',
    ...optionLines(/** @type {(keyof typeof OPTIONS)[]} */ (Object.keys(OPTIONS))),
    '',
    'Run `tenon <command> --help` for one command.',
    '',
    'Exit codes: 0 success, 1 the tool failed, 2 usage error, 130 interrupted; explain: 0 allow, 3 ask, 4 deny.',
    '',
  ].join('\n')
}

/** The help of one command. @param {string} command */
function helpOf(command) {
  const { args, about, options, more } = COMMANDS[command]
  return [
    `Usage: tenon ${`${command} ${args}`.trim()} [options]`,
    '',
    `${about[0].toUpperCase()}${about.slice(1)}.`,
    '',
    'Options:',
    ...optionLines([...options, 'help']),
    ...(more ? ['', more.trimEnd()] : []),
    '',
  ].join('\n')
}

/** @param {(keyof typeof OPTIONS)[]} names */
function optionLines(names) {
  const lines = names.map((name) => {
    const option = /** @type {{ short?: string, value?: string, help: string }} */ (OPTIONS[name])
    const flags = `${option.short ? `-${option.short}, ` : '    '}--${name}${option.value ? ` ${option.value}` : ''}`
    return { flags, about: option.help }
  })
  const width = Math.max(...lines.map(({ flags }) => flags.length))
  return lines.map(({ flags, about }) => `  ${flags.padEnd(width)}  ${about}`)
}

/** @param {string} name @param {readonly string[]} known @param {string} [before] what is written before such names */
function meant(name, known, before = '') {
  const near = nearest(name, known)
  return near === undefined ? '' : ` Did you mean \`${before}${near}\`?`
}

module.exports = { COMMANDS, OPTIONS, UsageError, help, helpOf, meant }
