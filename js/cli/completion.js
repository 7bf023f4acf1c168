// @ts-check
'use strict'

const { COMMANDS, OPTIONS, UsageError, meant } = require('./usage.js')

const SHELLS = { bash, zsh, fish }
const DIALECTS = 'agent canonical coder manager acp'
/** What follows an option. */
const VALUES = /** @type {Record<string, string>} */ ({ dialect: DIALECTS, color: 'always never auto', approvals: 'elicit ask deny allow' })

/** @param {string | undefined} shell */
function completion(shell) {
  if (shell === undefined) throw new UsageError('The name of a shell is missing: bash, zsh or fish.')
  if (!Object.hasOwn(SHELLS, shell))
    throw new UsageError(`There are no completions for \`${shell}\`, only for bash, zsh and fish.${meant(shell, Object.keys(SHELLS))}`)
  return SHELLS[/** @type {keyof typeof SHELLS} */ (shell)]()
}

const names = () => Object.keys(COMMANDS).join(' ')
const flagsOf = (/** @type {string} */ command) => [...COMMANDS[command].options, 'help'].map((name) => `--${name}`).join(' ')

function bash() {
  return `# Completions of tenon for bash: source <(tenon completion bash)
_tenon() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  case "$before" in
${Object.entries(VALUES)
  .map(([name, values]) => `    --${name}) COMPREPLY=($(compgen -W '${values}' -- "$word")); return ;;`)
  .join('\n')}
    --workspace|-w) COMPREPLY=($(compgen -d -- "$word")); return ;;
    --settings|-s|--html) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names()} --help --version' -- "$word"))
    return
  fi
  case "$word" in
    -*)
      case "$command" in
${Object.keys(COMMANDS)
  .map((command) => `        ${command}) COMPREPLY=($(compgen -W '${flagsOf(command)}' -- "$word")) ;;`)
  .join('\n')}
      esac
      return ;;
  esac
  case "$command" in
    call|explain|tools)
      if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" tools 2>/dev/null | cut -d' ' -f1)" -- "$word")); fi ;;
    inspect|log) COMPREPLY=($(compgen -f -- "$word")) ;;
    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word")) ;;
  esac
}
complete -o filenames -F _tenon tenon
`
}

function zsh() {
  const described = Object.entries(COMMANDS).map(([name, { about }]) => `    '${name}:${about.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`)
  return `#compdef tenon
# Completions of tenon for zsh: source <(tenon completion zsh)
_tenon() {
  local -a commands tools
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[CURRENT-1]" in
${Object.entries(VALUES)
  .map(([name, values]) => `    --${name}) compadd ${values}; return ;;`)
  .join('\n')}
    --workspace|-w) _files -/; return ;;
    --settings|-s|--html) _files; return ;;
  esac
  if [[ "$words[CURRENT]" == -* ]]; then
    case "$words[2]" in
${Object.keys(COMMANDS)
  .map((command) => `      ${command}) compadd -- ${flagsOf(command)} ;;`)
  .join('\n')}
    esac
    return
  fi
  case "$words[2]" in
    call|explain|tools)
      if (( CURRENT == 3 )); then
        tools=(\${(f)"$("$words[1]" tools 2>/dev/null | cut -d' ' -f1)"})
        compadd -a tools
      fi ;;
    inspect|log) _files ;;
    completion) compadd bash zsh fish ;;
  esac
}
compdef _tenon tenon
`
}

function fish() {
  const quoted = (/** @type {string} */ text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = Object.entries(COMMANDS).flatMap(([command, { about, options }]) => [
    `complete -c tenon -f -n __fish_use_subcommand -a ${command} -d ${quoted(about)}`,
    ...options.map((name) => {
      const option = /** @type {{ type: string, short?: string, help: string }} */ (OPTIONS[name])
      const values = VALUES[name] ? ` -x -a ${quoted(VALUES[name])}` : option.type === 'string' ? ' -r' : ''
      return `complete -c tenon -n '__fish_seen_subcommand_from ${command}' -l ${name}${option.short ? ` -s ${option.short}` : ''}${values} -d ${quoted(option.help)}`
    }),
  ])
  return `# Completions of tenon for fish: tenon completion fish | source
${lines.join('\n')}
complete -c tenon -f -n '__fish_seen_subcommand_from call explain tools; and test (count (commandline -opc)) -eq 2' -a "(tenon tools 2>/dev/null | string split -f1 ' ')"
complete -c tenon -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'
complete -c tenon -F -n '__fish_seen_subcommand_from inspect log'
`
}

module.exports = { completion }
