// @ts-check
'use strict'

const { parseArgs } = require('node:util')

const { painter, seen } = require('./cli/style.js')
const { COMMANDS, OPTIONS, UsageError, help, helpOf, meant } = require('./cli/usage.js')
const { ToolError, describe } = require('./tool-error.js')
const { Toolkit } = require('./toolkit.js')

const OK = 0
const FAILED = 1
const USAGE = 2
/** What shells report for a program that SIGINT ended. */
const INTERRUPTED = 130
/** The exit codes of `explain`. */
const VERDICTS = { allow: OK, ask: 3, deny: 4 }
const WHEN = ['always', 'never', 'auto']
/** The commands of the engine as a program. */
const ENGINE = ['serve', 'attach']
/** Who may approve, by the command. */
const APPROVERS = { mcp: ['elicit', 'deny', 'allow'], call: ['ask', 'deny', 'allow'] }

/**
 * Runs the command line.
 *
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
async function main(args) {
  try {
    // Its options are its own.
    if (ENGINE.includes(args[0]) && !args.some((word) => word === '--help' || word === '-h')) return await require('./cli/engine.js').runEngine(args)
    return await run(parse(args))
  } catch (error) {
    const isUsage = error instanceof UsageError
    process.stderr.write(`tenon: ${seen(describe(error))}\n${isUsage ? 'Run `tenon --help` for the commands.\n' : ''}`)
    return isUsage ? USAGE : FAILED
  }
}

/** @param {string[]} args */
function parse(args) {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const written = args.flatMap((word, index) => {
    // What follows belongs to another program.
    if (index >= end) return [word]
    if (word === '--no-color') return ['--color=never']
    // The name alone means always.
    return word === '--color' && !WHEN.includes(args[index + 1]) ? ['--color=always'] : [word]
  })
  try {
    return parseArgs({ args: written, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    const unknown = /^Unknown option '--?([^']+)'/.exec(describe(error))?.[1]
    if (unknown === undefined) throw new UsageError(describe(error))
    throw new UsageError(`There is no option \`${unknown.length > 1 ? '--' : '-'}${unknown}\`.${meant(unknown, Object.keys(OPTIONS), '--')}`)
  }
}

/** @typedef {ReturnType<typeof parse>['values']} Values */

/** @param {ReturnType<typeof parse>} parsed */
async function run({ values, positionals: [command, ...rest] }) {
  if (command === 'help') return print(rest[0] === undefined ? help() : helpOf(known(rest[0])))
  if (values.help) return print(command === undefined ? help() : helpOf(known(command)))
  if (values.version) return print(`${require('../package.json').version}\n`)
  if (command === undefined) throw new UsageError('A command is missing.')
  const { most, options } = COMMANDS[known(command)]
  if (rest.length > most) throw new UsageError(`Unexpected argument \`${rest[most]}\`.`)
  requireOptions(command, options, values)
  switch (command) {
    case 'tools':
      return rest[0] === undefined ? listTools(values) : showTool(rest[0], values)
    case 'call':
      return callTool(rest, values)
    case 'explain':
      return explain(rest, values)
    case 'inspect':
      return require('./cli/inspect.js').inspect(rest[0], values)
    case 'log':
      if (rest[0] === undefined) throw new UsageError('The file of the record is missing.')
      await require('./cli/log.js').log(rest[0], values)
      return values.follow ? INTERRUPTED : OK
    case 'replay':
      return require('./cli/replay.js').replayRecord(rest[0], values)
    case 'mcp':
      return serve(values)
    case 'acp':
      return proxy(values, rest)
    case 'vscode-manifest':
      return manifest(values)
    case 'init':
      return print(require('./cli/init.js').init(rest[0], values.workspace, values.json))
    case 'completion':
      return print(require('./cli/completion.js').completion(rest[0]))
    default:
      return examine(values)
  }
}

/** @param {string} command */
function known(command) {
  if (Object.hasOwn(COMMANDS, command)) return command
  throw new UsageError(`There is no command \`${command}\`.${meant(command, Object.keys(COMMANDS))}`)
}

/**
 * Options that a command does not have are mistakes, not decoration.
 *
 * @param {string} command
 * @param {readonly string[]} options
 * @param {Values} values
 */
function requireOptions(command, options, values) {
  for (const [name, value] of Object.entries(values)) {
    const byDefault = /** @type {any} */ (OPTIONS)[name].default
    if (value === undefined || value === byDefault || options.includes(name)) continue
    throw new UsageError(`The command \`${command}\` has no option \`--${name}\`.`)
  }
  const { color } = values
  if (color !== undefined && !WHEN.includes(color)) throw new UsageError(`\`--color\` must be one of ${WHEN.join(', ')}, not \`${color}\`.`)
}

/**
 * A toolkit over the directory of the command line. A user who types a command approves it.
 *
 * @param {Values} values
 * @param {Pick<import('../index.d.ts').ToolkitOptions<any>, 'host' | 'onApproval' | 'taint'>} [parts]
 */
function open({ workspace, dialect, settings, canvas }, parts) {
  try {
    return new Toolkit({ workspace, canvas, ...parts, ...(dialect !== undefined && { dialect }), ...(settings !== undefined && { settings }) })
  } catch (error) {
    if (ToolError.is(error) && error.error_type !== 'execution_failed') throw new UsageError(error.message)
    throw error
  }
}

/** What an extension of VS Code says of the tools. @param {Values} values */
async function manifest(values) {
  const toolkit = open(values)
  try {
    return print(`${JSON.stringify(require('./vscode/tools.js').vsCodeManifest(/** @type {any} */ (toolkit)), null, 2)}\n`)
  } finally {
    await toolkit.close()
  }
}

/** @param {Values} values */
async function listTools(values) {
  const toolkit = open(values)
  try {
    const tools = toolkit.listTools()
    if (values.json) return print(`${JSON.stringify(toolkit.definitions(), null, 2)}\n`)
    const { paint } = painter(process.stdout, values.color)
    const width = Math.max(...tools.map((tool) => tool.name.length))
    return print(tools.map(({ name, description }) => `${paint('bold', name)}${' '.repeat(width - name.length)}  ${firstSentence(description)}\n`).join(''))
  } finally {
    await toolkit.close()
  }
}

/**
 * @param {string} name
 * @param {Values} values
 */
async function showTool(name, values) {
  const toolkit = open(values)
  try {
    const names = toolkit.listTools().map((tool) => tool.name)
    if (!names.includes(name)) throw new UsageError(`There is no tool \`${name}\`.${meant(name, names)} Tools: ${names.join(', ')}.`)
    const [definition] = toolkit.definitions([name])
    if (values.json) return print(`${JSON.stringify(definition, null, 2)}\n`)
    const { paint } = painter(process.stdout, values.color)
    const { properties = {}, required = [] } = definition.inputSchema
    const lines = Object.entries(properties).map(([param, schema]) => {
      const facts = [kindOf(schema), required.includes(param) ? 'required' : schema.default !== undefined ? `default: ${JSON.stringify(schema.default)}` : '']
      return `  ${paint('bold', param)} (${facts.filter(Boolean).join(', ')})${schema.description ? `\n      ${schema.description.replace(/\s+/g, ' ')}` : ''}\n`
    })
    return print(`${paint('bold', name)}\n\n${definition.description.trim()}\n\nParameters:\n${lines.join('') || '  none\n'}`)
  } finally {
    await toolkit.close()
  }
}

/** What a parameter takes. @param {any} schema @returns {string} */
function kindOf(schema) {
  if (schema.enum) return schema.enum.join(' | ')
  if (schema.type === 'array') return `list of ${kindOf(schema.items ?? {})}`
  return (schema.anyOf ?? schema.oneOf)?.map(kindOf).join(' or ') ?? [schema.type ?? 'any'].flat().join(' or ')
}

/** @param {string} text */
function firstSentence(text) {
  return (/^.*?[.:](?=\s|$)/s.exec(text)?.[0] ?? text).replace(/\s+/g, ' ').replace(/:$/, '.')
}

/**
 * @param {string[]} words
 * @param {Values} values
 */
async function callTool([name, ...words], values) {
  if (name === undefined) throw new UsageError('The name of a tool is missing.')
  requireApprover('call', values.approvals)
  const toolkit = open(values)
  try {
    const params = await paramsOf(toolkit, name, words)
    return await require('./cli/call.js').call(toolkit, name, params, values)
  } finally {
    await toolkit.close()
  }
}

/**
 * The parameters of a call.
 *
 * @param {any} toolkit
 * @param {string} name
 * @param {string[]} words
 */
async function paramsOf(toolkit, name, words) {
  const { readParams } = require('./cli/params.js')
  try {
    return await readParams(words, toolkit.getTool(name)?.parameters)
  } catch (error) {
    requireTool(toolkit, name)
    throw error
  }
}

/**
 * A tool that does not exist is a mistake in the command line, and no verdict about it.
 *
 * @param {any} toolkit
 * @param {string} name
 */
function requireTool(toolkit, name) {
  if (toolkit.getTool(name)) return
  const { errors = [] } = toolkit.validateParams(name, {})
  const unknown = errors.find((/** @type {any} */ { code }) => code === 'TOOL_NOT_FOUND')
  if (unknown) throw new UsageError(unknown.message)
}

/**
 * @param {string[]} words
 * @param {Values} values
 */
async function explain([name, ...words], values) {
  if (values.program !== undefined) return explainProgram(values.program, name, values)
  if (name === undefined) throw new UsageError('The name of a tool is missing.')
  const toolkit = open(values, values.after === undefined ? undefined : { taint: 'record' })
  try {
    for (const source of values.after?.split(',') ?? []) await readBefore(toolkit, source.trim())
    const params = await paramsOf(toolkit, name, words)
    requireTool(toolkit, name)
    const decision = toolkit.explain(name, params)
    print(values.json ? `${JSON.stringify(decision, null, 2)}\n` : explained(decision, painter(process.stdout, values.color)))
    return VERDICTS[/** @type {keyof typeof VERDICTS} */ (decision.verdict)]
  } finally {
    await toolkit.close()
  }
}

/**
 * @param {string} name
 * @param {string | undefined} tool
 * @param {Values} values
 */
function explainProgram(name, tool, values) {
  if (tool !== undefined) throw new UsageError('`--program` explains a program. Leave the tool out.')
  const described = require('./policy.js').describeProgram(name)
  if (described === null) {
    throw new UsageError(`\`${name}\` is not in the catalogue of programs. The option \`programs\` of a toolkit or of a settings file adds it.`)
  }
  print(values.json ? `${JSON.stringify(described.program, null, 2)}\n` : described.text)
  return OK
}

/**
 * @param {Toolkit} toolkit
 * @param {string} source
 */
async function readBefore(toolkit, source) {
  try {
    await toolkit.addSource(/** @type {any} */ (source), { from: '--after' })
  } catch (error) {
    throw ToolError.is(error) ? new UsageError(error.message) : error
  }
}

/**
 * @param {import('../index.d.ts').PolicyExplanation} decision
 * @param {ReturnType<typeof painter>} colours
 */
function explained({ verdict, reason, parts = [], matched = [], suggestion = [], commands = [], sources = [] }, { paint }) {
  const styles = /** @type {const} */ ({ allow: 'green', ask: 'yellow', deny: 'red' })
  const rule = (/** @type {import('../index.d.ts').PolicyPart} */ { matched_rule, list }) =>
    matched_rule === null ? '' : `  (${list === undefined ? '' : `${list}: `}${matched_rule})`
  return [
    `${paint(styles[verdict], verdict)}: ${seen(reason)}`,
    ...parts.map((part) => `  ${paint(styles[part.verdict], part.verdict.padEnd(5))}  ${seen(`${part.kind.padEnd(8)}  ${part.subject}${rule(part)}`)}`),
    ...matched.map(({ list, rule, because }) => seen(`matched: ${list} ${rule}${because === undefined ? '' : ` because ${because}`}`)),
    ...(sources.length > 0 ? [seen(`read before: ${require('./sources.js').placesOf(sources)}`)] : []),
    ...commands.flatMap((command) => [`  ${seen(command.command)}`, ...doneBy(command).map((line) => `    ${seen(line)}`)]),
    ...(suggestion.length > 0 ? [seen(`to allow it: ${suggestion.join(', ')}`)] : []),
    '',
  ].join('\n')
}

/**
 * What a command does, one line each.
 *
 * @param {import('../index.d.ts').CommandEffects} command
 */
function doneBy({ program, directories, files = [], hosts = [], runs = [], sets = [], unknown_option: option }) {
  return [
    ...(program === undefined ? ['not in the catalogue of programs'] : []),
    ...(directories === undefined ? ['in an unknown directory'] : directories.filter((name) => name !== '.').map((name) => `in ${name}`)),
    ...files.map(({ kind, name, below }) => `${kind} ${name}${below ? ' and below' : ''}`),
    ...hosts.map((host) => `reach ${host}`),
    ...runs.map((what) => `run ${what}`),
    ...sets.map((name) => `set ${name}`),
    ...(option === undefined ? [] : [`unknown option ${option}`]),
  ]
}

/**
 * Serves until the client closes the input or a signal arrives. Standard output is for the protocol only.
 *
 * @param {Values} values
 */
async function serve(values) {
  const { mcpHost } = require('./mcp/calls.js')
  // Standard input is in use: questions go to the user of the client.
  const toolkit = open(values, { host: mcpHost.host, ...approverOf(values), ...servedOf(values) })
  if (values.servers !== undefined) await require('./cli/servers.js').settled(/** @type {any} */ (toolkit))
  const { serveMcp } = require('./mcp/stdio.js')
  const { closed, close } = serveMcp(toolkit, { structured: values.structured, contentOnly: values['content-only'] })
  let wasInterrupted = false
  const onInterrupt = () => {
    wasInterrupted = true
    close()
  }
  process.once('SIGINT', onInterrupt)
  process.once('SIGTERM', close)
  if (process.stdin.isTTY) process.stderr.write(seen(hintFor(toolkit.listTools().length, values.workspace)))
  await closed
  process.off('SIGINT', onInterrupt)
  process.off('SIGTERM', close)
  await toolkit.close()
  return wasInterrupted ? INTERRUPTED : OK
}

/**
 * The tools that are served: of which servers beside the own ones, and which of all.
 *
 * @param {Values} values
 * @returns {Pick<import('../index.d.ts').ToolkitOptions<any>, 'mcpServers' | 'tools'>}
 */
function servedOf({ servers, only }) {
  return {
    ...(servers !== undefined && { mcpServers: require('./cli/servers.js').serversIn(servers) }),
    ...(only !== undefined && { tools: { allow: only.split(',').map((name) => name.trim()) } }),
  }
}

/**
 * Who approves what policy asks. Where that is not said, there is nobody to ask.
 *
 * @param {Values} values
 * @returns {Pick<import('../index.d.ts').ToolkitOptions<any>, 'onApproval'>}
 */
function approverOf({ approvals }) {
  if (approvals === undefined) return {}
  requireApprover('mcp', approvals)
  const { mcpHost } = require('./mcp/calls.js')
  /** @type {Record<string, NonNullable<import('../index.d.ts').ToolkitOptions<any>['onApproval']>>} */
  const approvers = { elicit: mcpHost.onApproval, deny: () => 'never', allow: () => 'once' }
  return { onApproval: approvers[approvals] }
}

/**
 * @param {keyof typeof APPROVERS} command
 * @param {string | undefined} approvals
 */
function requireApprover(command, approvals) {
  if (approvals === undefined || APPROVERS[command].includes(approvals)) return
  throw new UsageError(`\`--approvals\` must be one of ${APPROVERS[command].join(', ')}, not \`${approvals}\`.`)
}

/**
 * Stands between an editor, which starts this program as its agent, and the agent.
 *
 * @param {Values} values
 * @param {string[]} command
 */
function proxy(values, command) {
  if (command.length === 0) throw new UsageError('The command of the agent is missing: `tenon acp -- <agent> [<args>]`.')
  const { mcpHost } = require('./mcp/calls.js')
  const { runProxy } = require('./acp/proxy.js')
  const record = values.record === undefined ? undefined : require('node:path').resolve(values.record)
  const { dialect, settings, canvas } = values
  return runProxy({
    command,
    record,
    open: (workspace, additionalDirectories, onApproval) =>
      new Toolkit({
        workspace,
        additionalDirectories: [...additionalDirectories],
        canvas,
        onApproval,
        host: mcpHost.host,
        ...(dialect !== undefined && { dialect: /** @type {any} */ (dialect) }),
        ...(settings !== undefined && { settings }),
        ...(record !== undefined && { record }),
      }),
  })
}

/**
 * What a user reads who starts the server by hand: it waits for messages.
 *
 * @param {number} count
 * @param {string} workspace
 */
function hintFor(count, workspace) {
  const directory = require('node:path').resolve(workspace)
  return (
    `tenon: serving ${count} tools for ${directory} over MCP on standard input and output; ` +
    `MCP clients start this program themselves, for example: claude mcp add tenon -- npx tenon mcp --workspace ${JSON.stringify(directory)}\n`
  )
}

/** @param {Values} values */
function examine(values) {
  const { doctor } = require('./doctor.js')
  const { text, isUsable } = doctor(values.json)
  print(text)
  return isUsable ? OK : FAILED
}

/** @param {string} text */
function print(text) {
  process.stdout.write(text)
  return OK
}

module.exports = { main }
