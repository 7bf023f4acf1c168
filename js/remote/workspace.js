// @ts-check
'use strict'

const { ToolError, invalidInput } = require('../tool-error.js')

/** Options that name files of this machine, or run something on it. */
const LOCAL = {
  mcpServers: 'Servers run on this machine: connect a client and use `toolkit.registerMcpClient(client, { id })`.',
  mcp: 'Servers run on this machine: connect a client and use `toolkit.registerMcpClient(client, { id })`.',
  record: "Listen to `toolkit.on('*', …)` and write the events where you want them.",
}

/** The option `workspace` where it is elsewhere: what `remote()` returns. */
class RemoteWorkspace {
  /**
   * @param {string} path
   * @param {import('./session.js').Transport} transport
   * @param {'off' | 'engine'} web
   */
  constructor(path, transport, web) {
    this.path = path
    this.transport = transport
    this.web = web
    Object.freeze(this)
  }
}

/**
 * A workspace that is elsewhere.
 *
 * @param {{ path: string, via: import('./session.js').Transport, web?: 'off' | 'engine' }} options
 */
function remote({ path, via, web = 'off', ...unknown }) {
  const [other] = Object.keys(unknown)
  if (other !== undefined) throw invalidInput('remote', `Unknown option \`${other}\` of \`remote\`. Known options: \`path\`, \`via\`, \`web\`.`)
  if (typeof path !== 'string' || path === '')
    throw invalidInput('remote', 'The option `path` of `remote` must be the directory of the workspace, where the engine is.')
  if (typeof via?.open !== 'function')
    throw invalidInput('remote', 'The option `via` of `remote` must be a way to the engine, such as `docker(id)` or `unix(path)`.')
  if (web !== 'off' && web !== 'engine') throw invalidInput('remote', 'The option `web` of `remote` must be `off` or `engine`.')
  return new RemoteWorkspace(path, via, web)
}

/**
 * The options of a toolkit as the engine gets them. What would mean something else there is refused.
 *
 * @param {any} options
 * @param {RemoteWorkspace} workspace
 */
function remoteOptions(options, workspace) {
  for (const [name, hint] of Object.entries(LOCAL)) {
    if (options[name] === undefined || options[name] === null) continue
    throw invalidInput('toolkit', `The option \`${name}\` cannot be used with a workspace that is elsewhere. ${hint}`)
  }
  const { settings, exec, tools } = options
  const isInline =
    settings === undefined || settings === null || (typeof settings === 'object' && !Array.isArray(settings) && !('file' in settings) && !('files' in settings))
  if (!isInline) throw invalidInput('toolkit', 'The option `settings` must be the settings themselves where the workspace is elsewhere, not a file.')
  if (exec?.state !== undefined && exec.state !== null) {
    throw invalidInput('toolkit', 'The option `exec.state` cannot be used with a workspace that is elsewhere.')
  }
  const denied = workspace.web === 'engine' ? tools : { ...tools, deny: [...(tools?.deny ?? []), 'group:web'] }
  return { ...options, workspace: workspace.path, ...(denied && { tools: denied }) }
}

/** Why a sub-agent gets no tools. */
function noChild() {
  const message = 'Sub-agents cannot use the tools of a workspace that is elsewhere. Give them a toolkit of their own: `new Toolkit({ workspace: remote(…) })`.'
  return new ToolError(message, { tool: 'runAgent', error_type: 'execution_failed', details: { code: 'unavailable' } })
}

module.exports = { RemoteWorkspace, noChild, remote, remoteOptions }
