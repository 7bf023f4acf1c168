// @ts-check
'use strict'

// Ways to an engine in a sandbox for rent, over the object that its SDK gives. The SDKs are not loaded here.

const { Buffer } = require('node:buffer')
const { randomUUID } = require('node:crypto')
const { PassThrough, Writable } = require('node:stream')

const { describe, invalidInput } = require('../tool-error.js')
const { textTransport } = require('./text-channel.js')
const { pushing } = require('./push.js')
const { PROGRAM, attach, quoted } = require('./transports.js')

/** @typedef {import('./session.js').Transport} Transport */
/** @typedef {{ program?: string, socket?: string, push?: import('./push.js').Push }} EngineOptions the program in the sandbox, the socket that it listens on, whether it is brought there */

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
  const as = user !== undefined && { user }
  const run = async (/** @type {string[]} */ argv) => {
    // What fails is thrown there.
    const done = await sandbox.commands
      .run(wordsOf(argv), { ...as })
      .catch((/** @type {any} */ error) => (error.exitCode === undefined ? thrown(error) : error))
    return { code: done.exitCode, output: done.stdout, fault: done.stderr }
  }
  const upload = (/** @type {string} */ path, /** @type {Buffer} */ bytes) => sandbox.files.write(path, arrayOf(bytes), { ...as })
  return texting(`E2B ${sandbox.sandboxId ?? ''}`.trim(), engine, run, upload, async (engine, { data, fault, end }) => {
    // Without a limit of time: the connection is to stay.
    const options = { background: true, stdin: true, timeoutMs: 0, onStdout: data, onStderr: fault, ...as }
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
  const run = async (/** @type {string[]} */ argv) => {
    const { exitCode, result } = await process.executeCommand(wordsOf(argv))
    return { code: exitCode, output: result, fault: '' }
  }
  const upload = (/** @type {string} */ path, /** @type {Buffer} */ bytes) => sandbox.fs.uploadFile(bytes, path)
  return texting(`Daytona ${sandbox.id ?? ''}`.trim(), engine, run, upload, async (engine, { data, fault, end }) => {
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
  const start = async (/** @type {string} */ program) => {
    const command = await sandbox.exec(attach(program, engine.socket), { mode: 'binary' })
    // There is no way to end it but its input.
    return { ...streamsOf(command), wait: () => command.wait(), kill: () => {} }
  }
  const run = async (/** @type {string[]} */ argv, /** @type {Buffer} */ input) => collected(await sandbox.exec(argv, { mode: 'binary' }), input)
  return streaming(`Modal ${sandbox.sandboxId ?? ''}`.trim(), start, engine, run)
}

/**
 * A sandbox of the AI SDK, whichever its provider is: one that starts commands with an input.
 *
 * @param {any} session its type is `Experimental_SandboxSession`
 * @param {EngineOptions} [engine]
 * @returns {Transport}
 */
function sandboxSession(session, engine = {}) {
  requireMethods('sandboxSession', session, ['spawn', 'run', 'writeBinaryFile'])
  const start = (/** @type {string} */ program) => session.spawn({ command: wordsOf(attach(program, engine.socket)), stdin: true })
  const run = async (/** @type {string[]} */ argv) => {
    const { exitCode, stdout, stderr } = await session.run({ command: wordsOf(argv) })
    return { code: exitCode, output: stdout, fault: stderr }
  }
  const upload = (/** @type {string} */ path, /** @type {Buffer} */ content) => session.writeBinaryFile({ path, content: new Uint8Array(content) })
  return streaming('a sandbox', start, engine, run, upload)
}

/** @param {any} command */
function streamsOf({ stdin, stdout, stderr }) {
  return { stdin, stdout, stderr }
}

/**
 * A way over a command whose input and output are streams of bytes.
 *
 * @param {string} name
 * @param {(program: string) => Promise<any>} start
 * @param {EngineOptions} engine
 * @param {import('./push.js').Run} run
 * @param {import('./push.js').Upload} [upload]
 * @returns {Transport}
 */
function streaming(name, start, engine, run, upload) {
  const connect = (/** @type {string} */ program = PROGRAM) => ({
    name,
    open: async (/** @type {import('./session.js').PipeEvents} */ events) => streamPipe(await start(program), events),
  })
  return pushing(connect(engine.program), engine, run, connect, upload)
}

/**
 * @param {any} command
 * @param {import('./session.js').PipeEvents} events
 * @returns {import('./session.js').Pipe}
 */
function streamPipe(command, events) {
  let errors = ''
  const decoder = new TextDecoder()
  reading(command.stderr, (bytes) => void (errors = (errors + decoder.decode(bytes, { stream: true })).slice(-4096))).catch(() => {})
  const finished = reading(command.stdout, (bytes) => events.data(Buffer.from(bytes))).then(() => command.wait())
  ending(finished, (reason) => events.end(errors.trim() === '' ? reason : `${reason ?? 'it ended'}: ${errors.trim()}`))
  const input = command.stdin.getWriter()
  return {
    write: (bytes) => {
      input.write(bytes).catch(() => {})
      if ((input.desiredSize ?? 1) > 0) return true
      input.ready.then(events.drain, () => {})
      return false
    },
    close: () => {
      input.close().catch(() => {})
      Promise.resolve(command.kill()).catch(() => {})
    },
    ref: () => {},
    unref: () => {},
  }
}

/**
 * What a command with streams answers to an input.
 *
 * @param {any} command
 * @param {Buffer} input
 */
async function collected(command, input) {
  const { stdin, stdout, stderr } = command
  const texts = { output: '', fault: '' }
  const take = (/** @type {'output' | 'fault'} */ which) => (/** @type {Uint8Array} */ bytes) => void (texts[which] += Buffer.from(bytes).toString('utf8'))
  const all = Promise.all([reading(stdout, take('output')), reading(stderr, take('fault'))])
  const writer = stdin.getWriter()
  if (input.length > 0) await writer.write(new Uint8Array(input))
  await writer.close()
  await all
  return { ...texts, code: await command.wait() }
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
  const run = async (/** @type {string[]} */ [cmd, ...args]) => {
    const done = await sandbox.runCommand({ cmd, args })
    return { code: done.exitCode, output: await done.stdout(), fault: await done.stderr() }
  }
  const upload = (/** @type {string} */ path, /** @type {Buffer} */ content) => sandbox.writeFiles([{ path, content }])
  return texting(`Vercel ${sandbox.name ?? sandbox.sandboxId ?? ''}`.trim(), engine, run, upload, async (engine, { data, fault, end }) => {
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
  const run = async (/** @type {string[]} */ argv) => {
    const { exitCode, stdout, stderr } = await sandbox.exec(wordsOf(argv))
    return { code: exitCode, output: stdout, fault: stderr }
  }
  const upload = (/** @type {string} */ path, /** @type {Buffer} */ bytes) => sandbox.writeFile(path, bytes.toString('base64'), { encoding: 'base64' })
  return texting('Cloudflare', engine, run, upload, async (engine, { data, fault, end }) => {
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
  return inPod(`pod ${pod}`, exec, async () => ({ pod, namespace, container }), engine)
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
  return inPod(`sandbox ${name}`, exec, where, engine)
}

/**
 * @param {string} name
 * @param {any} exec
 * @param {Where} where
 * @param {EngineOptions} engine
 * @returns {Transport}
 */
function inPod(name, exec, where, { socket, ...engine }) {
  const connect = (/** @type {string | undefined} */ program) => ({
    name,
    open: (/** @type {import('./session.js').PipeEvents} */ events) => executed(exec, where, attach(program, socket), events),
  })
  const run = (/** @type {string[]} */ argv, /** @type {Buffer} */ bytes) => {
    const texts = { output: '', fault: '' }
    const into = (/** @type {'output' | 'fault'} */ which) =>
      new Writable({
        write: (some, _, done) => {
          texts[which] += some.toString('utf8')
          done()
        },
      })
    return new Promise((resolve, reject) => {
      const input = new PassThrough()
      const ended = (/** @type {any} */ status) => resolve({ ...texts, code: codeOf(status) })
      where()
        .then(({ pod, namespace, container }) => exec.exec(namespace, pod, container, argv, into('output'), into('fault'), input, false, ended))
        .catch(reject)
      input.end(bytes)
    })
  }
  return pushing(connect(engine.program), engine, /** @type {any} */ (run), connect)
}

/**
 * The exit code in the status that the API of Kubernetes ends a command with.
 *
 * @param {any} status
 */
function codeOf(status) {
  if (status?.status !== 'Failure') return 0
  const cause = status.details?.causes?.find((/** @type {any} */ { reason }) => reason === 'ExitCode')
  return Number(cause?.message ?? 1)
}

/** @typedef {() => Promise<{ pod: string, namespace: string, container: string }>} Where */

/**
 * @param {any} exec
 * @param {Where} where
 * @param {string[]} argv
 * @param {import('./session.js').PipeEvents} events
 */
async function executed(exec, where, argv, events) {
  const { pod, namespace, container } = await where()
  const input = new PassThrough()
  let errors = ''
  let status = ''
  const into = (/** @type {(bytes: Buffer) => void} */ take) =>
    new Writable({
      write: (bytes, _, done) => {
        take(bytes)
        done()
      },
    })
  const output = into(events.data)
  const faults = into((bytes) => void (errors = (errors + bytes.toString('utf8')).slice(-4096)))
  const socket = await exec.exec(namespace, pod, container, argv, output, faults, input, false, (/** @type {any} */ end) => {
    status = end?.status === 'Failure' ? (end.message ?? end.reason ?? '') : ''
    socket?.close()
  })
  input.on('drain', events.drain)
  const end = () => events.end([status, errors.trim()].filter(Boolean).join(': ') || undefined)
  if (typeof socket.on === 'function') socket.on('close', end).on('error', end)
  else socket.onclose = end
  return { write: (/** @type {Buffer} */ bytes) => input.write(bytes), close: () => socket.close(), ref: () => {}, unref: () => {} }
}

/**
 * A way over commands whose input and output are text.
 *
 * @param {string} name
 * @param {EngineOptions} engine
 * @param {import('./push.js').Run} run
 * @param {import('./push.js').Upload} upload
 * @param {(engine: EngineOptions, output: import('./text-channel.js').Output) => Promise<import('./text-channel.js').Running>} start
 * @returns {Transport}
 */
function texting(name, engine, run, upload, start) {
  const connect = (/** @type {string | undefined} */ program) => textTransport(name, (output) => start({ ...engine, program }, output))
  return pushing(connect(engine.program), engine, run, connect, upload)
}

/** @param {Buffer} bytes */
function arrayOf(bytes) {
  return new Uint8Array(bytes).buffer
}

/**
 * @param {unknown} error
 * @returns {never}
 */
function thrown(error) {
  throw error
}

/** @param {string[]} argv */
function wordsOf(argv) {
  return argv.map(quoted).join(' ')
}

/** @param {EngineOptions} engine */
function textAttach({ program, socket }) {
  return [...attach(program, socket), '--text']
}

/** @param {EngineOptions} engine */
function lineOf(engine) {
  return wordsOf(textAttach(engine))
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

module.exports = { agentSandbox, cloudflare, daytona, e2b, kubernetes, modal, sandboxSession, vercel }
