// @ts-check
'use strict'

// What a request for permission says that it touches.

const path = require('node:path')

const { quoted } = require('../adapters/operations.js')
const { shellLines } = require('./command-lines.js')

/**
 * @typedef {{ command: string, workdir?: string, env?: Record<string, string> }} Command
 * @typedef {object} Facts
 * @property {Command[]} commands
 * @property {string | undefined} directory where it happens
 * @property {string[]} files
 * @property {string[]} naming members of the parameters that name files
 * @property {string[]} urls
 * @property {string[]} unknown members of the parameters of which nobody knows what they mean
 */

/** The names under which agents give things in the parameters of their calls, and their terminals (`terminal/create`). */
const COMMANDS = ['command', 'cmd', 'script']
/** Those under which they give several commands: all that run, or what one consists of (Copilot). */
const COMMAND_LISTS = ['commands']
const DIRECTORIES = ['cwd', 'workdir', 'working_directory', 'workingDirectory', 'dir_path', 'directory_path', 'directory', 'dir', 'folder']
const FILES = [
  ...['file_path', 'path', 'abs_path', 'absolute_path', 'filePath', 'filepath', 'file', 'notebook_path', 'paths', 'files', 'file_paths'],
  ...['source', 'destination', 'from', 'to', 'oldPath', 'newPath', 'old_path', 'new_path', 'source_path', 'destination_path'],
]
const URLS = ['url', 'urls']

/** Patterns that are looked for below a path, unless they name one themselves. */
const PATTERNS = ['pattern', 'patterns', 'glob', 'glob_pattern', 'include', 'exclude', 'excludePatterns', 'ignorePatterns']
/** What leads out of the path: from its beginning, in one of several names, or by `..`. */
const LEADS_AWAY = /^(?:~|[a-z]:)?[/\\]|[{,](?:~|[a-z]:)?[/\\]|(?:^|[/\\{,])\.\.(?:$|[/\\},])/i
/** What is no file: a name that a shell would complete, or a pattern. */
const NO_FILE = /^~|[*?{]/
/** The heads of a diff, and of a patch as models write it. */
const HEADS = /^--- (?:a\/)?([^\t\r\n]+).*\r?\n\+\+\+ (?:b\/)?([^\t\r\n]+)|^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm

/** How deep members are searched for names of files. */
const MOST_DEPTH = 4

/** What `command` is in the tools of models that edit text: no command. */
const EDITOR_COMMANDS = ['view', 'create', 'str_replace', 'insert', 'undo_edit', 'delete', 'rename']

/** Parameters that change nothing about what a call touches: texts, numbers of lines, patterns that are looked for below a path. */
const HARMLESS = new Set([
  ...[
    'description',
    'explanation',
    'reason',
    'instruction',
    'justification',
    'summary',
    'riskLevel',
    'riskLevelReason',
    'title',
    'prompt',
    'name',
    'id',
    'type',
    'kind',
  ],
  ...['call_id', 'callId', 'turn_id', 'turnId', 'sessionId', 'session_id', 'toolCallId', 'process_id', 'status', 'parsed_cmd'],
  ...['timeout', 'timeout_ms', 'timeoutMs', 'timeout_sec', 'yield_time_ms', 'max_output_tokens', 'outputByteLimit', 'background', 'is_background'],
  ...['run_in_background', 'fireAndForget', 'interactive', 'tty'],
  ...['offset', 'limit', 'line', 'lines', 'start_line', 'end_line', 'startLine', 'endLine', 'view_range', 'insert_line', 'depth', 'pages'],
  ...['content', 'contents', 'text', 'newText', 'oldText', 'old_string', 'new_string', 'oldString', 'newString', 'old_str', 'new_str', 'file_text'],
  ...['insert_text', 'edits', 'replace_all', 'replaceAll', 'change_all', 'expected_replacements', 'diff', 'new_source', 'cell_id', 'cell_type', 'edit_mode'],
  ...PATTERNS,
  ...['query', 'regex', 'ignore', 'output_mode', 'head_limit', 'multiline', 'case_sensitive', 'recursive'],
  ...['case_insensitive', 'ignoreCase', 'literal', 'fixed_string', 'context', 'context_before', 'context_after', 'line_numbers', 'image_quality'],
  ...['max_results', 'maxResults', 'respect_git_ignore', 'file_filtering_options', '-A', '-B', '-C', '-i', '-n', '-o'],
  ...['format', 'encoding', 'changes', '_meta'],
])

/**
 * What a call touches, as far as the agent says it.
 *
 * @param {any} call
 * @returns {Facts}
 */
function factsOf({ rawInput, locations, content }) {
  const isObject = typeof rawInput === 'object' && rawInput !== null && !Array.isArray(rawInput)
  const input = isObject ? rawInput : {}
  /** @type {Set<string>} */
  const unknown = new Set(Object.keys(input).filter((name) => !isKnown(name)))
  if (!isObject && rawInput != null) unknown.add('rawInput')
  const [directory, ...others] = texts(DIRECTORIES.map((name) => input[name]))
  // Which of two counts, the agent knows alone.
  for (const name of DIRECTORIES) if (input[name] != null && (typeof input[name] !== 'string' || others.length > 0)) unknown.add(name)
  for (const name of PATTERNS) if (texts([input[name]].flat()).some((pattern) => LEADS_AWAY.test(pattern))) unknown.add(name)
  const refuse = (/** @type {string} */ name) => void unknown.add(name)
  const shown = listOf(content).flatMap((part) => {
    if (part?.type !== 'diff') return []
    return [part.path, ...listOf(part.changes).flatMap((change) => [change?.path, change?.oldPath])]
  })
  const changes = typeof input.changes === 'object' && input.changes !== null && !Array.isArray(input.changes) ? Object.keys(input.changes) : []
  const named = FILES.flatMap((name) => namesIn(input[name], () => refuse(name)))
  const inside = Object.entries(input).flatMap(([name, value]) => (HARMLESS.has(name) && name !== '_meta' ? namesBelow(value, () => refuse(name)) : []))
  const within = [...named, ...inside, ...headsOf(input.diff)].map((file) =>
    directory === undefined || path.isAbsolute(file) ? file : path.join(directory, file),
  )
  if ([...named, ...inside].some((file) => NO_FILE.test(file))) refuse('path')
  const files = [...within, ...changes, ...listOf(locations).map((place) => place?.path), ...shown]
  return {
    commands: commandsOf(input, directory, refuse),
    directory,
    files: texts(files),
    naming: FILES.filter((name) => input[name] != null),
    urls: texts(URLS.flatMap((name) => namesIn(input[name], () => refuse(name)))),
    unknown: [...unknown],
  }
}

/** @param {string} name */
function isKnown(name) {
  const isNamed = [COMMANDS, COMMAND_LISTS, DIRECTORIES, FILES, URLS].some((names) => names.includes(name))
  return isNamed || HARMLESS.has(name) || name === 'args' || name === 'env'
}

/**
 * The commands in the parameters, with their arguments and variables.
 *
 * @param {any} input
 * @param {string | undefined} workdir
 * @param {(name: string) => void} refuse receives the name of what cannot be read
 * @returns {Command[]}
 */
function commandsOf(input, workdir, refuse) {
  const args = wordsOf(input.args ?? [])
  const env = variablesOf(input.env ?? {})
  if (args === undefined) refuse('args')
  if (env === undefined) refuse('env')
  const given = [...COMMANDS.map((name) => [name, input[name]]), ...COMMAND_LISTS.flatMap((name) => [input[name] ?? []].flat().map((value) => [name, value]))]
  const commands = given.flatMap(([name, value]) => {
    const line = lineOf(value)
    if (line === undefined) {
      if (value != null && value !== '') refuse(name)
      return []
    }
    if (name === 'command' && EDITOR_COMMANDS.includes(line)) return []
    const more = { ...(workdir !== undefined && { workdir }), ...(env && Object.keys(env).length > 0 && { env }) }
    return shellLines(line, args ?? []).map((command) => ({ command, ...more }))
  })
  // Of what command they are, nobody knows.
  if (commands.length === 0 && args && args.length > 0) refuse('args')
  if (commands.length === 0 && env && Object.keys(env).length > 0) refuse('env')
  return commands
}

/**
 * A command as agents write it: a line, or words, of which the last may be a line for a shell.
 *
 * @param {unknown} command
 * @returns {string | undefined}
 */
function lineOf(command) {
  if (typeof command === 'string') return command.trim() === '' ? undefined : command
  const words = wordsOf(command)
  return words === undefined || words.length === 0 ? undefined : words.map(quoted).join(' ')
}

/** @param {unknown} value @returns {string[] | undefined} */
function wordsOf(value) {
  return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value : undefined
}

/**
 * Variables as `{ NAME: value }`, or as a list of `{ name, value }` as the protocol has them.
 *
 * @param {unknown} env
 * @returns {Record<string, string> | undefined}
 */
function variablesOf(env) {
  if (typeof env !== 'object' || env === null) return undefined
  const pairs = Array.isArray(env) ? env.map((variable) => [variable?.name, variable?.value]) : Object.entries(env)
  const isRead = pairs.every((pair) => pair.every((/** @type {unknown} */ text) => typeof text === 'string'))
  const variables = isRead ? Object.fromEntries(pairs) : {}
  // Which of two values counts, the agent alone knows.
  return isRead && pairs.every(([name, value]) => variables[name] === value) ? variables : undefined
}

/**
 * The names in a member that is one or a list of them, each a text or an object with one.
 *
 * @param {unknown} value
 * @param {() => void} refuse is called for what cannot be read
 * @returns {string[]}
 */
function namesIn(value, refuse) {
  if (value == null) return []
  return (Array.isArray(value) ? value : [value]).flatMap((/** @type {any} */ entry) => {
    if (typeof entry === 'string') return [entry]
    const named = texts([...FILES, ...URLS].map((name) => entry?.[name]))
    if (named.length === 0) refuse()
    return named
  })
}

/**
 * The files that are named somewhere inside a member: each of several edits may name its own.
 *
 * @param {any} value
 * @param {() => void} refuse is called for what is too deep
 * @param {number} [depth]
 * @returns {string[]}
 */
function namesBelow(value, refuse, depth = 0) {
  if (typeof value !== 'object' || value === null) return []
  if (depth > MOST_DEPTH) {
    refuse()
    return []
  }
  return Object.entries(value).flatMap(([name, member]) => {
    const named = FILES.includes(name) ? texts([member].flat()) : []
    return [...named, ...namesBelow(member, refuse, depth + 1)]
  })
}

/**
 * The files of a diff.
 *
 * @param {unknown} diff
 */
function headsOf(diff) {
  if (typeof diff !== 'string') return []
  return Array.from(diff.matchAll(HEADS)).flatMap(([, ...names]) => names.filter((name) => name !== undefined && name !== '/dev/null'))
}

/** @param {unknown} value @returns {any[]} */
function listOf(value) {
  return Array.isArray(value) ? value : []
}

/** @param {readonly unknown[]} values @returns {string[]} */
function texts(values) {
  return [...new Set(values.filter((value) => typeof value === 'string' && value !== ''))].map(String)
}

module.exports = { factsOf, lineOf }
