// @ts-check
'use strict'

const { Buffer } = require('node:buffer')
const { spawn: spawnProgram } = require('node:child_process')
const { connect } = require('node:net')

const { invalidInput } = require('../tool-error.js')
const { pushing } = require('./push.js')

/** The program of the engine, where nothing else is said: found by the PATH of the other side. */
const PROGRAM = 'tenon-engine'
/** What is kept of what a command says to its standard error. */
const STDERR_MAX = 4096
/** What a WebSocket may hold back before nothing more is written. */
const SOCKET_MAX_BYTES = 1024 * 1024

/** @typedef {import('./session.js').Transport} Transport */
/** @typedef {import('./session.js').PipeEvents} PipeEvents */
/** @typedef {import('./push.js').Push} Push */

/**
 * A Unix socket that `tenon serve --listen unix:…` listens on.
 *
 * @param {string} path
 * @returns {Transport}
 */
function unix(path) {
  requireText('unix', 'path', path)
  return { name: `unix ${path}`, open: (events) => socketPipe({ socket: connect(path), connected: 'connect' }, events) }
}

/**
 * A port that `tenon serve --listen tls:…` listens on; `tcp:` on loopback.
 *
 * @param {{ host?: string, port: number, token: string, tls?: boolean | import('node:tls').ConnectionOptions }} options `tls`: options of
 *   `tls.connect`, such as `ca`, or `cert` and `key` where the engine wants a certificate
 * @returns {Transport}
 */
function tcp({ host = '127.0.0.1', port, token, tls = false }) {
  requireText('tcp', 'host', host)
  requireText('tcp', 'token', token)
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw invalidInput('remote', '`tcp` needs `port`, a number from 1 to 65535.')
  if (!tls && !isLoopback(host)) throw invalidInput('remote', `The host \`${host}\` needs \`tls\`: without it others could read the token.`)
  const started = () => {
    if (!tls) return { socket: connect(port, host), connected: 'connect' }
    const own = typeof tls === 'object' ? tls : {}
    return { socket: require('node:tls').connect({ ...own, host, port }), connected: 'secureConnect' }
  }
  return { name: `${tls ? 'tls' : 'tcp'} ${host}:${port}`, token, open: (events) => socketPipe(started(), events) }
}

/** @param {string} host */
function isLoopback(host) {
  return host === 'localhost' || host === '::1' || host === '[::1]' || host.startsWith('127.')
}

/**
 * @param {{ socket: import('node:net').Socket, connected: string }} started
 * @param {PipeEvents} events
 * @returns {Promise<import('./session.js').Pipe>}
 */
function socketPipe({ socket, connected }, events) {
  return new Promise((resolve, reject) => {
    /** @type {string | undefined} */
    let reason
    socket.setNoDelay(true)
    socket.once(connected, () => resolve(pipeOf(socket, () => socket.destroy(), [socket])))
    socket.on('error', (error) => {
      reason = error.message
      reject(error)
    })
    socket.on('data', events.data)
    socket.on('drain', events.drain)
    socket.on('close', () => events.end(reason))
  })
}

/**
 * A command whose standard input and output are the connection, such as `[…, 'tenon-engine', 'attach']`.
 *
 * @param {readonly string[]} argv
 * @param {{ name?: string }} [options]
 * @returns {Transport}
 */
function command(argv, { name } = {}) {
  if (!Array.isArray(argv) || argv.length === 0 || !argv.every((word) => typeof word === 'string')) {
    throw invalidInput('remote', '`command` takes a list of the program and its arguments.')
  }
  const [program, ...args] = argv
  const isOnce = args.includes('--stdio')
  return { ...spawn(() => spawnProgram(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })), name: name ?? argv.join(' '), isOnce }
}

/**
 * Standard input and output of what a function starts: an object like that of `child_process.spawn`.
 *
 * @param {() => any} start
 * @returns {Transport}
 */
function spawn(start) {
  if (typeof start !== 'function') throw invalidInput('remote', '`spawn` takes a function that starts a program and returns it.')
  return { name: 'a program of the host', open: (events) => opened(start(), events) }
}

/**
 * The listeners of a program are there before it can say that it failed.
 *
 * @param {any} started a program, or a promise of one
 * @param {PipeEvents} events
 */
function opened(started, events) {
  return typeof started?.then === 'function' ? started.then((/** @type {any} */ child) => childPipe(child, events)) : childPipe(started, events)
}

/**
 * @param {any} child
 * @param {PipeEvents} events
 * @returns {Promise<import('./session.js').Pipe>}
 */
function childPipe(child, events) {
  const { stdin, stdout, stderr } = child
  let errors = ''
  stderr?.on('data', (/** @type {Buffer} */ bytes) => void (errors = (errors + bytes.toString('utf8')).slice(-STDERR_MAX)))
  const reasonOf = (/** @type {unknown} */ code, /** @type {unknown} */ signal) => {
    const said = errors.trim()
    const how = signal ? `it was killed by ${signal}` : `it ended with code ${code}`
    return said === '' ? how : `${how}: ${said}`
  }
  stdout.on('data', events.data)
  stdin.on('drain', events.drain)
  // A program that has ended does not read what is written.
  stdin.on('error', () => {})
  stdout.on('error', () => {})
  return new Promise((resolve, reject) => {
    child.once('error', (/** @type {Error} */ error) => {
      events.end(error.message)
      reject(error)
    })
    child.once('close', (/** @type {unknown} */ code, /** @type {unknown} */ signal) => events.end(reasonOf(code, signal)))
    const close = () => {
      stdin.end()
      child.kill?.()
    }
    const open = () => resolve(pipeOf(stdin, close, [child, stdin, stdout, stderr]))
    // Objects like it may lack the event.
    if (child.spawnfile === undefined) open()
    else child.once('spawn', open)
  })
}

/**
 * @param {any} writable
 * @param {() => void} close
 * @param {any[]} handles what keeps the process alive
 * @returns {import('./session.js').Pipe}
 */
function pipeOf(writable, close, handles) {
  return {
    write: (bytes) => writable.write(bytes),
    close,
    ref: () => handles.forEach((handle) => handle?.ref?.()),
    unref: () => handles.forEach((handle) => handle?.unref?.()),
  }
}

/**
 * A port that `tenon serve --listen wss:…` listens on. A connection over it keeps the process alive until the toolkit is closed.
 *
 * @param {string} url
 * @param {{ token: string, WebSocket?: any }} options `WebSocket`: the class, where the runtime has none (Node.js before 22)
 * @returns {Transport}
 */
function websocket(url, { token, WebSocket = /** @type {any} */ (globalThis).WebSocket }) {
  requireText('websocket', 'url', url)
  requireText('websocket', 'token', token)
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'wss:' && !(protocol === 'ws:' && isLoopback(hostname)))
    throw invalidInput('remote', `The address \`${url}\` must begin with \`wss:\`: without TLS others could read the token.`)
  if (typeof WebSocket !== 'function')
    throw invalidInput('remote', '`websocket` needs the class `WebSocket`: Node.js 22 has it; before, pass that of the package `ws` as `WebSocket`.')
  return { name: url, token, open: (events) => openSocket(new WebSocket(url), events) }
}

/**
 * @param {any} socket
 * @param {PipeEvents} events
 * @returns {Promise<import('./session.js').Pipe>}
 */
function openSocket(socket, events) {
  socket.binaryType = 'arraybuffer'
  /** @type {NodeJS.Timeout | undefined} */
  let draining
  const isFull = () => socket.bufferedAmount > SOCKET_MAX_BYTES
  const drain = () => {
    draining = undefined
    if (isFull()) draining = setTimeout(drain, 5)
    else events.drain()
  }
  socket.onmessage = (/** @type {{ data: ArrayBuffer }} */ { data }) => events.data(Buffer.from(data))
  return new Promise((resolve, reject) => {
    let reason = 'it was closed'
    socket.onerror = (/** @type {any} */ event) => {
      reason = event.message || event.error?.message || 'the connection failed'
      reject(new Error(reason))
    }
    socket.onclose = () => {
      clearTimeout(draining)
      events.end(reason)
      reject(new Error(reason))
    }
    socket.onopen = () =>
      resolve({
        write: (bytes) => {
          if (socket.readyState === 1) socket.send(bytes)
          if (isFull()) draining ??= setTimeout(drain, 5)
          return !isFull()
        },
        close: () => socket.close(),
        // The standard has no way to say that a socket is no reason to stay.
        ref: () => {},
        unref: () => {},
      })
  })
}

/**
 * A container of Docker or Podman, with the engine in its image, or brought there.
 *
 * @param {string} container its name or id
 * @param {{ program?: string, docker?: string, user?: string, socket?: string, push?: Push }} [options] `docker`: the client program; `socket`: of the engine, there
 */
function docker(container, { docker: client = 'docker', user, socket, ...engine } = {}) {
  requireName('docker', 'container', container)
  const as = user === undefined ? [] : ['--user', user]
  return executing(`docker ${container}`, (argv) => [client, 'exec', '-i', ...as, container, ...argv], { socket, ...engine })
}

/**
 * A container of a pod.
 *
 * @param {{ pod: string, namespace?: string, container?: string, context?: string, program?: string, kubectl?: string, socket?: string, push?: Push }} options
 */
function kubectl({ pod, namespace, container, context, kubectl: client = 'kubectl', ...engine }) {
  requireName('kubectl', 'pod', pod)
  const flag = (/** @type {string} */ name, /** @type {string | undefined} */ value) => (value === undefined ? [] : [name, value])
  const where = [...flag('--context', context), 'exec', '-i', ...flag('-n', namespace), pod, ...flag('-c', container)]
  return executing(`pod ${pod}`, (argv) => [client, ...where, '--', ...argv], engine)
}

/**
 * Another machine over the `ssh` of this one, with its configuration and keys.
 *
 * @param {string} host such as `dev@build-1`
 * @param {{ options?: readonly string[], program?: string, ssh?: string, socket?: string, push?: Push }} [options] `options`: more arguments, before the host
 */
function ssh(host, { options = [], ssh: client = 'ssh', ...engine } = {}) {
  requireName('ssh', 'host', host)
  const all = [client, '-T', '-o', 'BatchMode=yes', '-o', 'ServerAliveInterval=20', ...options, host]
  return executing(`ssh ${host}`, (argv) => [...all, ...argv.map(quoted)], engine)
}

/**
 * A way over a program that runs commands elsewhere.
 *
 * @param {string} name
 * @param {(argv: string[]) => string[]} elsewhere what runs a command there
 * @param {{ program?: string, socket?: string, push?: Push }} engine
 * @returns {Transport}
 */
function executing(name, elsewhere, { socket, ...engine }) {
  const connect = (/** @type {string | undefined} */ program) => command(elsewhere(attach(program, socket)), { name })
  return pushing(connect(engine.program), engine, (argv, input) => ran(elsewhere(argv), input), connect)
}

/**
 * Runs a program to its end, with this as its input.
 *
 * @param {string[]} argv
 * @param {Buffer} input
 * @returns {Promise<{ code: number, output: string, fault: string }>}
 */
function ran([program, ...args], input) {
  return new Promise((resolve, reject) => {
    const child = spawnProgram(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    let [output, fault] = ['', '']
    child.stdout.on('data', (bytes) => void (output = (output + bytes).slice(-STDERR_MAX)))
    child.stderr.on('data', (bytes) => void (fault = (fault + bytes).slice(-STDERR_MAX)))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 128, output, fault }))
    // A program that has ended does not read what is written.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/**
 * @param {string} [program]
 * @param {string} [socket]
 */
function attach(program = PROGRAM, socket = undefined) {
  return [program, 'attach', ...(socket === undefined ? [] : ['--socket', socket])]
}

/** A word for the shell of the other side. @param {string} word */
function quoted(word) {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/**
 * @param {string} what
 * @param {string} name
 * @param {unknown} value
 */
function requireText(what, name, value) {
  if (typeof value !== 'string' || value === '') throw invalidInput('remote', `\`${what}\` needs \`${name}\`, a string.`)
}

/**
 * The name of a host, a container or a pod, which no program may take for an option.
 *
 * @param {string} what
 * @param {string} name
 * @param {unknown} value
 */
function requireName(what, name, value) {
  requireText(what, name, value)
  if (String(value).startsWith('-')) throw invalidInput('remote', `\`${value}\` is not the name of a ${name}.`)
}

module.exports = { PROGRAM, attach, command, docker, kubectl, quoted, spawn, ssh, tcp, unix, websocket }
