// @ts-check
'use strict'

const { chmodSync, mkdtempSync, rmSync } = require('node:fs')
const net = require('node:net')
const { tmpdir } = require('node:os')
const path = require('node:path')

const { requireOptions, requireToolkit } = require('../adapters/calls.js')
const { serveMcp } = require('../mcp/stdio.js')
const { hide } = require('../schema.js')
const { invalidInput } = require('../tool-error.js')

/**
 * The tools of a toolkit as a server for `mcpServers` of `session/new`. The agent starts a small program, which is connected to this
 * process: the calls are judged and kept here.
 *
 * @param {any} toolkit
 * @param {import('../../acp.d.ts').AcpMcpServerOptions} [options]
 * @returns {import('../../acp.d.ts').AcpMcpServer}
 */
function acpMcpServer(toolkit, options = {}) {
  requireToolkit('acpMcpServer', toolkit)
  requireOptions('acpMcpServer', options, ['name', 'protocolVersion', 'instructions'])
  const { name = 'tenon', protocolVersion = 1, instructions } = options
  if (protocolVersion !== 1 && protocolVersion !== 2) throw invalidInput('acpMcpServer', 'The option `protocolVersion` must be 1 or 2.')
  const { address, remove } = addressOf()
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy())
    const { closed } = serveMcp(toolkit, { input: socket, output: socket, name, ...(instructions !== undefined && { instructions }) })
    void closed.then(() => socket.end())
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  /** @type {Set<import('node:net').Socket>} */
  const connections = new Set()
  server.on('error', (error) => process.emitWarning(`The MCP server for an ACP agent failed: ${error.message}. Its tools are not available.`, 'TenonWarning'))
  server.listen(address)
  // The agent keeps the process alive, not this.
  server.unref()
  const entry = {
    ...(protocolVersion === 2 && { type: 'stdio' }),
    name,
    command: process.execPath,
    args: [path.join(__dirname, 'bridge.js'), address],
    env: [],
  }
  const close = () => {
    for (const socket of connections) socket.destroy()
    process.off('exit', remove)
    return /** @type {Promise<void>} */ (
      new Promise((resolve) =>
        server.close(() => {
          remove()
          resolve()
        }),
      )
    )
  }
  process.once('exit', remove)
  hide(entry, 'close', close)
  return /** @type {any} */ (entry)
}

/** An address that nobody but this user can connect to. */
function addressOf() {
  if (process.platform === 'win32') return { address: `\\\\.\\pipe\\tenon-${require('node:crypto').randomUUID()}`, remove: () => {} }
  const directory = mkdtempSync(path.join(tmpdir(), 'tenon-acp-'))
  chmodSync(directory, 0o700)
  return { address: path.join(directory, 'mcp'), remove: () => rmSync(directory, { recursive: true, force: true }) }
}

module.exports = { acpMcpServer }
