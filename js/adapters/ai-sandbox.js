// @ts-check
'use strict'

const { Buffer } = require('node:buffer')
const { posix } = require('node:path')

const { ToolError } = require('../tool-error.js')
const { requireOptions, requireToolkit } = require('./calls.js')
const { SandboxCommands } = require('./sandbox-commands.js')
const { SandboxFiles } = require('./sandbox-files.js')

/** @typedef {import('../../index.d.ts').Toolkit<any>} Toolkit */

/**
 * A toolkit as the sandbox of the AI SDK: what its tools do with files and commands there goes through the policy of the toolkit.
 *
 * @param {Toolkit} toolkit
 * @param {{ description?: string }} [options]
 * @returns {import('ai-7').Experimental_SandboxSession}
 */
function toSandboxSession(toolkit, options = {}) {
  requireToolkit('toSandboxSession', toolkit)
  requireOptions('toSandboxSession', options, ['description'])
  return sandboxSession(toolkit, options)
}

/**
 * The same, where `signal` stops what has no signal of its own.
 *
 * @param {Toolkit} toolkit
 * @param {{ description?: string, signal?: AbortSignal }} [options]
 * @returns {import('ai-7').Experimental_SandboxSession}
 */
function sandboxSession(toolkit, options = {}) {
  const { description = 'A workspace whose files and commands are under the permissions of its user. Relative paths are those of the workspace.' } = options
  const files = (/** @type {any} */ { abortSignal }) => new SandboxFiles(toolkit, { signal: abortSignal ?? options.signal })
  const commands = (/** @type {any} */ { abortSignal }) => new SandboxCommands(toolkit, { signal: abortSignal ?? options.signal })
  const readBinaryFile = async (/** @type {any} */ call) => {
    const bytes = await files(call).bytes(call.path)
    return bytes ? new Uint8Array(bytes) : null
  }
  const writeBinaryFile = async (/** @type {any} */ call) => void (await files(call).write(call.path, call.content))
  const asked = (/** @type {any} */ { command, workingDirectory, env }) => ({ command, cwd: workingDirectory, env })
  return {
    description,
    readBinaryFile,
    readFile: async (call) => streamOf(await readBinaryFile(call)),
    readTextFile: async (call) => {
      const bytes = await readBinaryFile(call)
      return bytes && linesOf(new TextDecoder(call.encoding ?? 'utf-8').decode(bytes), call)
    },
    writeBinaryFile,
    writeFile: async (call) => writeBinaryFile({ ...call, content: await collected(call.content) }),
    writeTextFile: async (call) => writeBinaryFile({ ...call, content: Buffer.from(call.content, /** @type {BufferEncoding} */ (call.encoding ?? 'utf8')) }),
    stat: async (call) => {
      const found = await files(call).stat(call.path)
      return found ? { type: found.type, size: found.size } : null
    },
    listDirectory: async (call) => (await files(call).list(call.path))?.map(({ name, type }) => ({ name, type })) ?? null,
    deleteFile: (call) => files(call).remove(call.path),
    run: async (call) => {
      const { output, exitCode } = await commands(call).run(asked(call))
      return { exitCode, stdout: output, stderr: '' }
    },
    spawn: /** @type {any} */ (async (/** @type {any} */ call) => spawned(await commands(call).start(asked(call)), call)),
  }
}

/**
 * @param {import('./sandbox-commands.js').SandboxProcess} process
 * @param {{ stdin?: boolean, abortSignal?: AbortSignal }} call
 */
async function spawned(process, { stdin = false, abortSignal }) {
  const encoder = new TextEncoder()
  const stdout = new ReadableStream({
    start: (controller) => {
      process.listen((text) => controller.enqueue(encoder.encode(text)))
      process.done.then(
        () => controller.close(),
        (error) => controller.error(error),
      )
    },
  })
  const aborted = new Promise((_, reject) => {
    const stop = () => {
      process.kill().catch(() => {})
      reject(abortSignal?.reason)
    }
    if (abortSignal?.aborted) stop()
    else abortSignal?.addEventListener('abort', stop, { once: true })
  })
  aborted.catch(() => {})
  const decoder = new TextDecoder()
  const input = stdin
    ? new WritableStream({
        write: (/** @type {Uint8Array} */ bytes) => process.input(decoder.decode(bytes, { stream: true })),
        close: () => process.input('', true),
      })
    : undefined
  if (!stdin) await process.input('', true).catch(() => {})
  return {
    pid: process.pid,
    stdout,
    // Both streams are in the one, in the order in which they were written.
    stderr: new ReadableStream({ start: (controller) => controller.close() }),
    wait: () => Promise.race([process.done, aborted]).then((/** @type {any} */ { exitCode }) => ({ exitCode })),
    kill: async () => void (await process.kill()),
    ...(input && { stdin: input }),
  }
}

/** @param {Uint8Array | null} bytes */
function streamOf(bytes) {
  return (
    bytes &&
    new ReadableStream({
      start: (controller) => {
        if (bytes.length > 0) controller.enqueue(bytes)
        controller.close()
      },
    })
  )
}

/** @param {ReadableStream<Uint8Array>} stream */
async function collected(stream) {
  const pieces = []
  for await (const piece of /** @type {any} */ (stream)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/**
 * @param {string} text
 * @param {{ startLine?: number, endLine?: number, path: string }} range
 */
function linesOf(text, { startLine, endLine, path }) {
  if (startLine === undefined && endLine === undefined) return text
  if ((startLine ?? 1) < 1 || (endLine ?? Number.MAX_SAFE_INTEGER) < (startLine ?? 1)) {
    throw new ToolError(`\`${posix.basename(path)}\` has no lines from ${startLine ?? 1} to ${endLine}.`, {
      tool: 'readTextFile',
      error_type: 'invalid_input',
      details: { code: 'invalid_params' },
    })
  }
  return text
    .split('\n')
    .slice((startLine ?? 1) - 1, endLine)
    .join('\n')
}

module.exports = { sandboxSession, toSandboxSession }
