// @ts-check
'use strict'

// Ways to an engine in a sandbox for rent, over the object that its SDK gives. The SDKs are not loaded here.

const { Buffer } = require('node:buffer')
const { randomUUID } = require('node:crypto')
const { PassThrough, Writable } = require('node:stream')

const { describe, invalidInput } = require('../tool-error.js')
const { textTransport } = require('./text-channel.js')
const { attach, quoted } = require('./transports.js')

/** @typedef {import('./session.js').Transport} Transport */
/** @typedef {{ program?: string, socket?: string }} EngineOptions the program in the sandbox, and the socket that it listens on */

/** Writes a line into a pipe with a name, if it is still there. */
const FEED = '[ -p "$0" ] && printf %s "$1" > "$0"'
/** Runs what follows with a pipe as its input, and removes the pipe. Opened for both, so that it has no end while nobody writes. */
const FED = 'mkfifo -m 600 "$0" && { "$@" <>"$0"; code=$?; rm -f "$0"; exit $code; }'

/**
 * A sandbox of E2B.
 *
 * @param {any} sandbox
 * @param {EngineOptions & { user?: string }} [options]
 * @returns {Transport}
 */
function e2b(sandbox, { user, ...engine } = {}) {
  requireMethods('e2b', sandbox?.commands, ['run', 'sendStdin', 'kill'])
  return textTransport(`E2B ${sandbox.sandboxId ?? ''}`.trim(), async ({ data, fault, end }) => {
    // Without a limit of time: the connection is to stay.
    const options = { background: true, stdin: true, timeoutMs: 0, onStdout: data, onStderr: fault, ...(user !== undefined && { user }) }
    const command = await sandbox.commands.run(lineOf(engine), options)
    ending(command.wait(), end)
    return { write: (line) => sandbox.commands.sendStdin(command.pid, line), stop: () => sandbox.commands.kill(command.pid) }
  })
}

/**
 * A sandbox of Daytona.
 *
 * @param {any} sandbox
 * @param {EngineOptions} [engine]
 * @returns {Transport}
 */
function daytona(sandbox, engine = {}) {
  requireMethods('daytona', sandbox?.process, ['createSession', 'executeSessionCommand', 'getSessionCommandLogs', 'sendSessionCommandInput', 'deleteSession'])
  const { process } = sandbox
  return textTransport(`Daytona ${sandbox.id ?? ''}`.trim(), async ({ data, fault, end }) => {
    const session = `tenon-${randomUUID()}`
    await process.createSession(session)
    // What is written must not come back as output.
    const { cmdId } = await process.executeSessionCommand(session, { command: lineOf(engine), runAsync: true, suppressInputEcho: true })
    ending(process.getSessionCommandLogs(session, cmdId, data, fault), end)
    return { write: (line) => process.sendSessionCommandInput(session, cmdId, line), stop: () => process.deleteSession(session) }
  })
}

/**
 * A sandbox of Modal, whose commands take and give bytes.
 *
 * @param {any} sandbox
 * @param {EngineOptions} [engine]
 * @returns {Transport}
 */
function modal(sandbox, engine = {}) {
  requireMethods('modal', sandbox, ['exec'])
  return {
    name: `Modal ${sandbox.sandboxId ?? ''}`.trim(),
    open: async (events) => {
      const command = await sandbox.exec(attach(engine.program, engine.socket), { mode: 'binary' })
      let told = ''
      const decoder = new TextDecoder()
      reading(command.stderr, (bytes) => void (told = (told + decoder.decode(bytes, { stream: true })).slice(-4096))).catch(() => {})
      const finished = reading(command.stdout, (bytes) => events.data(Buffer.from(bytes))).then(() => command.wait())
      ending(finished, (reason) => events.end(told.trim() === '' ? reason : `${reason ?? 'it ended'}: ${told.trim()}`))
      const input = command.stdin.getWriter()
      return {
        write: (bytes) => {
          input.write(bytes).catch(() => {})
          if ((input.desiredSize ?? 1) > 0) return true
          input.ready.then(events.drain, () => {})
          return false
        },
        close: () => void input.close().catch(() => {}),
        ref: () => {},
        unref: () => {},
      }
    },
  }
}

/**
 * A sandbox of Vercel, whose commands have no input: it comes through a pipe with a name.
 *
 * @param {any} sandbox
 * @param {EngineOptions} [engine]
 * @returns {Transport}
 */
function vercel(sandbox, engine = {}) {
  requireMethods('vercel', sandbox, ['runCommand'])
  return textTransport(`Vercel ${sandbox.name ?? sandbox.sandboxId ?? ''}`.trim(), async ({ data, fault, end }) => {
    const pipe = pipeName()
    const shell = (/** @type {string[]} */ ...args) => ({ cmd: 'sh', args: ['-c', ...args] })
    const command = await sandbox.runCommand({ ...shell(FED, pipe, ...textAttach(engine)), detached: true })
    const logs = async () => {
      for await (const { stream, data: text } of command.logs()) (stream === 'stdout' ? data : fault)(text)
      return command.wait()
    }
    ending(logs(), end)
    const write = repeated(async (line) => exitOf(await sandbox.runCommand(shell(FEED, pipe, line))))
    return { write, stop: () => command.kill() }
  })
}

/**
 * A sandbox of Cloudflare, whose commands have no input either.
 *
 * @param {any} sandbox
 * @param {EngineOptions} [engine]
 * @returns {Transport}
 */
function cloudflare(sandbox, engine = {}) {
  requireMethods('cloudflare', sandbox, ['startProcess', 'exec'])
  return textTransport('Cloudflare', async ({ data, fault, end }) => {
    const pipe = pipeName()
    const shell = (/** @type {string[]} */ ...args) => ['sh', '-c', ...args].map(quoted).join(' ')
    const started = await sandbox.startProcess(shell(FED, pipe, ...textAttach(engine)), {
      onOutput: (/** @type {string} */ stream, /** @type {string} */ text) => (stream === 'stdout' ? data : fault)(text),
      onExit: (/** @type {number | null} */ code) => end(`it ended with code ${code}`),
      onError: (/** @type {Error} */ error) => end(describe(error)),
    })
    const write = repeated(async (line) => exitOf(await sandbox.exec(shell(FEED, pipe, line))))
    return { write, stop: () => started.kill() }
  })
}

/**
 * A container of a pod, over the class `Exec` of `@kubernetes/client-node`.
 *
 * @param {any} exec
 * @param {EngineOptions & { pod: string, namespace?: string, container?: string }} options
 * @returns {Transport}
 */
function kubernetes(exec, { pod, namespace = 'default', container = '', ...engine }) {
  requireMethods('kubernetes', exec, ['exec'])
  if (typeof pod !== 'string' || pod === '') throw invalidInput('remote', '`kubernetes` needs `pod`, a string.')
  return { name: `pod ${pod}`, open: (events) => executed(exec, async () => ({ pod, namespace, container }), engine, events) }
}

/**
 * A `Sandbox` of Kubernetes' agent-sandbox: its pod, which may be one of a warm pool and another one after a pause.
 *
 * @param {{ exec: any, objects: any }} clients `Exec` and `CustomObjectsApi` of `@kubernetes/client-node`
 * @param {EngineOptions & { name: string, namespace?: string, container?: string, version?: string }} options
 * @returns {Transport}
 */
function agentSandbox({ exec, objects }, { name, namespace = 'default', container = '', version = 'v1beta1', ...engine }) {
  requireMethods('agentSandbox', exec, ['exec'])
  requireMethods('agentSandbox', objects, ['getNamespacedCustomObject'])
  if (typeof name !== 'string' || name === '') throw invalidInput('remote', '`agentSandbox` needs `name`, a string.')
  const where = async () => {
    const found = await objects.getNamespacedCustomObject({ group: 'agents.x-k8s.io', version, namespace, plural: 'sandboxes', name })
    const ready = found.status?.conditions?.find((/** @type {any} */ { type }) => type === 'Ready')
    if (ready && ready.status !== 'True') throw new Error(`the sandbox \`${name}\` is not ready: ${ready.message || ready.reason || 'no reason is given'}`)
    return { pod: found.metadata?.annotations?.['agents.x-k8s.io/pod-name'] || name, namespace, container }
  }
  return { name: `sandbox ${name}`, open: (events) => executed(exec, where, engine, events) }
}

/**
 * @param {any} exec
 * @param {() => Promise<{ pod: string, namespace: string, container: string }>} where
 * @param {EngineOptions} engine
 * @param {import('./session.js').PipeEvents} events
 */
async function executed(exec, where, engine, events) {
  const { pod, namespace, container } = await where()
  const input = new PassThrough()
  let told = ''
  let status = ''
  const into = (/** @type {(bytes: Buffer) => void} */ take) =>
    new Writable({
      write: (bytes, _, done) => {
        take(bytes)
        done()
      },
    })
  const output = into(events.data)
  const faults = into((bytes) => void (told = (told + bytes.toString('utf8')).slice(-4096)))
  const argv = attach(engine.program, engine.socket)
  const socket = await exec.exec(namespace, pod, container, argv, output, faults, input, false, (/** @type {any} */ told) => {
    status = told?.status === 'Failure' ? (told.message ?? told.reason ?? '') : ''
    socket?.close()
  })
  input.on('drain', events.drain)
  const end = () => events.end([status, told.trim()].filter(Boolean).join(': ') || undefined)
  if (typeof socket.on === 'function') socket.on('close', end).on('error', end)
  else socket.onclose = end
  return { write: (/** @type {Buffer} */ bytes) => input.write(bytes), close: () => socket.close(), ref: () => {}, unref: () => {} }
}

/** @param {EngineOptions} engine */
function textAttach({ program, socket }) {
  return [...attach(program, socket), '--text']
}

/** @param {EngineOptions} engine */
function lineOf(engine) {
  return textAttach(engine).map(quoted).join(' ')
}

function pipeName() {
  return `/tmp/tenon-${randomUUID()}`
}

/**
 * The pipe appears with the command, which may take a moment.
 *
 * @param {(line: string) => Promise<number>} feed answers the exit code
 */
function repeated(feed) {
  let isThere = false
  return async (/** @type {string} */ line) => {
    for (let attempt = 0; ; attempt += 1) {
      const code = await feed(line)
      if (code === 0) {
        isThere = true
        return
      }
      if (isThere || attempt === 20) throw new Error(`the command that reads the input is gone (code ${code})`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** @param {{ exitCode: number }} finished */
function exitOf({ exitCode }) {
  return exitCode
}

/**
 * @param {Promise<any>} finished
 * @param {(reason?: string) => void} end
 */
function ending(finished, end) {
  finished.then(
    (done) => {
      const code = typeof done === 'number' ? done : done?.exitCode
      end(typeof code === 'number' ? `it ended with code ${code}` : undefined)
    },
    (error) => end(describe(error)),
  )
}

/**
 * @param {ReadableStream<Uint8Array>} stream
 * @param {(bytes: Uint8Array) => void} take
 */
async function reading(stream, take) {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    take(value)
  }
}

/**
 * @param {string} what
 * @param {any} given
 * @param {string[]} methods
 */
function requireMethods(what, given, methods) {
  const missing = methods.find((method) => typeof given?.[method] !== 'function')
  if (missing !== undefined) throw invalidInput('remote', `\`${what}\` takes the object of its SDK; this one has no \`${missing}\`.`)
}

module.exports = { agentSandbox, cloudflare, daytona, e2b, kubernetes, modal, vercel }
