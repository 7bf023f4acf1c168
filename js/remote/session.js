// @ts-check
'use strict'

const { randomBytes } = require('node:crypto')

const { describe } = require('../tool-error.js')
const { Decoder, jsonFrame } = require('./frames.js')
const { Link } = require('./link.js')

/** The versions of the protocol that this side speaks. */
const PROTOCOL = { min: 1, max: 1 }
const KEEP_ALIVE_MS = 20_000
const SILENCE_MAX_MS = 60_000
const OPEN_TIMEOUT_MS = 30_000
/** How long a first connection is tried that ends before the engine says anything. */
const FIRST_PATIENCE_MS = 1000
/** Longest waits between attempts to connect again. Each is a random part of it: hosts that lost one engine must not come back at once. */
const RETRIES_MS = [50, 100, 200, 500, 1000, 2000, 5000]
/** Of JSON-RPC: what was said is no request. */
const INVALID_REQUEST = -32600
/** JSON-RPC errors after which another attempt would end the same way. `engine.rs` has the numbers. */
const FINAL = [-32000, -32001, -32002, -32003, -32004, -32005, INVALID_REQUEST]

/**
 * One way to the engine.
 *
 * @typedef {object} Pipe
 * @property {(bytes: Buffer) => boolean} write whether more may be written at once
 * @property {() => void} close
 * @property {() => void} ref keeps the process alive
 * @property {() => void} unref
 * @typedef {object} PipeEvents
 * @property {(bytes: Buffer) => void} data
 * @property {() => void} drain
 * @property {(reason?: string) => void} end once, with what is known of the reason
 * @typedef {object} Transport
 * @property {string} name for errors
 * @property {string} [token]
 * @property {boolean} [isOnce] whether another connection would reach another engine
 * @property {(events: PipeEvents) => Promise<Pipe>} open
 */

/** The engine refused, or cannot be reached any more. */
class RemoteError extends Error {
  /**
   * @param {string} message
   * @param {{ code?: number, data?: any, cause?: unknown }} [fields]
   */
  constructor(message, { code, data, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.data = data
  }
}

/** What is said with one engine: over one connection after the other. */
class Session {
  #transport
  #open
  #listener
  #link = new Link()
  #id = randomBytes(16).toString('hex')
  #secret = randomBytes(32).toString('hex')
  /** @type {Pipe | undefined} */
  #pipe
  /** Whether the messages of the session may cross on it. */
  #isAttached = false
  #mayWrite = true
  #isPumping = false
  #isReferred = false
  /** What the process has to stay alive for. */
  #held = 0
  #lingerMs = 60_000
  /** Whether a connection was there at all, though nothing may have been said on it. */
  #wasOpened = false
  /** @type {RemoteError | undefined} */
  #fault
  #isOver = false
  /** @type {NodeJS.Timeout | undefined} */
  #keepAlive
  #receivedAt = 0
  /** What the engine said of the toolkit. @type {Promise<any>} */
  ready

  /**
   * @param {Transport} transport
   * @param {any} open options and parts of the first toolkit
   * @param {{ message: (message: any) => void, ended: (error: RemoteError) => void }} listener
   */
  constructor(transport, open, listener) {
    this.#transport = transport
    this.#open = open
    this.#listener = listener
    this.ready = this.#connect(undefined)
    // Who does not wait for it hears of it from the first call.
    this.ready.catch(() => {})
  }

  /** Why there is no engine any more. */
  get fault() {
    return this.#fault
  }

  /**
   * @param {string} lane
   * @param {string} body
   */
  send(lane, body) {
    if (this.#fault) return
    this.#link.send(lane, body)
    this.#pump()
  }

  /** Keeps the process alive until `release`. */
  hold() {
    this.#held += 1
    this.#refer()
  }

  release() {
    this.#held -= 1
    this.#refer()
  }

  /** Whether something may cross now. */
  get isConnected() {
    return this.#isAttached
  }

  /** Gives the engine up: it ends the session by itself. */
  abandon() {
    this.#isOver = true
    this.#fail(new RemoteError('the toolkit was closed while there was no connection'), undefined)
  }

  /** Ends the session; the engine ends what it runs. */
  end() {
    if (this.#isOver) return
    this.send('', '"method":"end","params":{}}')
    this.#isOver = true
    this.#fault ??= new RemoteError('The toolkit is closed. Create a new one.')
    clearTimeout(this.#keepAlive)
    const pipe = this.#pipe
    this.#pipe = undefined
    // What was written is on its way; the engine closes its side.
    pipe?.unref()
    setTimeout(() => pipe?.close(), 200).unref()
  }

  #refer() {
    const isNeeded = this.#held > 0
    if (isNeeded === this.#isReferred) return
    this.#isReferred = isNeeded
    if (isNeeded) this.#pipe?.ref()
    else this.#pipe?.unref()
  }

  /**
   * Connects, and again for as long as the engine keeps the session.
   *
   * @param {string | undefined} reason why the connection before has ended
   */
  async #connect(reason) {
    const since = performance.now()
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attach()
      } catch (error) {
        const code = error instanceof RemoteError ? error.code : undefined
        const isLost = this.#isOver || (code !== undefined && FINAL.includes(code)) || performance.now() - since >= this.#patience(reason)
        if (isLost) throw this.#fail(error, reason)
        if (this.#receivedAt > 0) reason ??= describe(error)
      }
      const timer = retryAfter(attempt)
      await new Promise((resolve) => {
        const waiting = setTimeout(resolve, timer)
        if (this.#held === 0) waiting.unref()
      })
    }
  }

  /**
   * How long another attempt makes sense.
   *
   * @param {string | undefined} reason
   */
  #patience(reason) {
    if (this.#transport.isOnce && this.#receivedAt > 0) return -1
    if (this.#receivedAt > 0 || reason !== undefined) return this.#lingerMs
    return this.#wasOpened ? FIRST_PATIENCE_MS : 0
  }

  /**
   * @param {unknown} error
   * @param {string | undefined} reason
   */
  #fail(error, reason) {
    if (this.#fault) return this.#fault
    const given = error instanceof RemoteError ? error : new RemoteError(describe(error), { cause: error })
    const how = reason === undefined || reason === given.message ? '' : ` The connection before it ended: ${reason.replace(/\.$/, '')}.`
    const message = given.code === -32000 ? given.message : `The engine (${this.#transport.name}) cannot be reached: ${given.message.replace(/\.$/, '')}.${how}`
    this.#fault = new RemoteError(message, { code: given.code, data: given.data, cause: error })
    clearTimeout(this.#keepAlive)
    this.#listener.ended(this.#fault)
    return this.#fault
  }

  /** One connection, up to its greeting. */
  async #attach() {
    const decoder = new Decoder()
    /** @type {{ resolve: (frame: import('./frames.js').Frame) => void, reject: (error: unknown) => void } | undefined} */
    let waiting
    /** Frames that nobody waits for yet: those of the session may come with the answer to `attach`. @type {import('./frames.js').Frame[]} */
    const early = []
    const take = (/** @type {import('./frames.js').Frame} */ frame) => {
      const message = this.#link.take(frame)
      if (message !== undefined) this.#listener.message(message)
    }
    /** @type {Pipe | undefined} */
    let pipe
    let ended = ''
    const end = (/** @type {string | undefined} */ reason = undefined, /** @type {number | undefined} */ code = undefined) => {
      if (ended !== '') return
      const preamble = decoder.preamble.trim()
      ended = `${reason ?? 'it was closed'}${preamble === '' || this.#isKnown ? '' : `; before that it said \`${preamble}\``}`
      waiting?.reject(new RemoteError(ended, { code }))
      if (pipe && this.#pipe === pipe) this.#cut(ended)
    }
    const opening = this.#transport.open({
      data: (bytes) => {
        try {
          decoder.push(bytes)
          if (decoder.hasBegun) this.#receivedAt = performance.now()
          for (let frame = decoder.next(); frame; frame = decoder.next()) {
            if (this.#isAttached && this.#pipe === pipe) take(frame)
            else if (waiting) waiting.resolve(frame)
            else early.push(frame)
          }
          if (this.#isAttached && this.#pipe === pipe) this.#pump()
        } catch (error) {
          pipe?.close()
          // What has never spoken the protocol will not learn it.
          end(`it said what makes no sense (${describe(error)})`, this.#isKnown ? undefined : INVALID_REQUEST)
        }
      },
      drain: () => {
        this.#mayWrite = true
        this.#pump()
      },
      end,
    })
    pipe = await opening
    this.#wasOpened = true
    if (ended !== '') throw new RemoteError(ended)
    if (this.#isReferred) pipe.ref()
    else pipe.unref()
    const ask = (/** @type {string} */ method, /** @type {any} */ params) => {
      const answer = new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new RemoteError(`it did not answer \`${method}\` within ${OPEN_TIMEOUT_MS / 1000} s`)), OPEN_TIMEOUT_MS)
        if (this.#held === 0) timer.unref?.()
        const settle = (/** @type {(value: any) => void} */ done) => (/** @type {any} */ value) => {
          clearTimeout(timer)
          waiting = undefined
          done(value)
        }
        waiting = { resolve: settle(resolve), reject: settle(reject) }
        const [frame] = early.splice(0, 1)
        if (frame) waiting.resolve(frame)
        if (ended !== '') waiting?.reject(new RemoteError(ended))
      })
      pipe?.write(jsonFrame(JSON.stringify({ jsonrpc: '2.0', id: method, method, params })))
      return answer.then(({ payload }) => JSON.parse(payload.toString('utf8')))
    }
    try {
      const { version } = require('../../package.json')
      const { token } = this.#transport
      opened(await ask('hello', { protocol: PROTOCOL, client: { name: 'tenon', version }, ...(token !== undefined && { token }) }))
      const attached = opened(
        await ask('attach', { session: this.#id, secret: this.#secret, lastSeen: this.#link.seen, open: this.#isKnown ? null : this.#open }),
      )
      this.#isKnown = true
      this.#lingerMs = attached.lingerMs ?? this.#lingerMs
      this.#link.begin(attached.lastSeen)
      this.#pipe = pipe
      this.#isAttached = true
      this.#mayWrite = true
      for (const frame of early) take(frame)
      if (ended !== '') this.#cut(ended)
      this.#stayAlive()
      this.#pump()
      return attached.facts
    } catch (error) {
      pipe.close()
      throw error
    }
  }

  /** Whether the engine has the session: one that has ended is not to be opened again. */
  #isKnown = false

  /** @param {string} reason */
  #cut(reason) {
    this.#pipe = undefined
    this.#isAttached = false
    clearTimeout(this.#keepAlive)
    if (this.#isOver || this.#fault) return
    this.#connect(reason).catch(() => {})
  }

  #stayAlive() {
    clearTimeout(this.#keepAlive)
    this.#keepAlive = setTimeout(() => {
      const pipe = this.#pipe
      if (!pipe) return
      if (performance.now() - this.#receivedAt > SILENCE_MAX_MS) {
        pipe.close()
        return this.#cut('it was silent')
      }
      this.#link.control('{"jsonrpc":"2.0","method":"ping"}')
      this.#pump()
      this.#stayAlive()
    }, KEEP_ALIVE_MS)
    this.#keepAlive.unref?.()
  }

  /** Writes what there is at the end of this step of the program: many messages become one write. */
  #pump() {
    if (this.#isPumping || !this.#isAttached) return
    this.#isPumping = true
    queueMicrotask(() => {
      this.#isPumping = false
      const pipe = this.#pipe
      if (!pipe || !this.#isAttached) return
      /** @type {Buffer[]} */
      const frames = []
      let size = 0
      while (this.#mayWrite && size < 256 * 1024) {
        const frame = this.#link.nextFrame()
        if (!frame) break
        frames.push(frame)
        size += frame.length
      }
      if (frames.length === 0) return
      this.#mayWrite = pipe.write(frames.length === 1 ? frames[0] : Buffer.concat(frames))
      if (this.#mayWrite && size >= 256 * 1024) this.#pump()
    })
  }
}

/**
 * How long to wait before another attempt, in milliseconds: anything up to a limit that grows. Waiting the same for all would only move a
 * storm.
 *
 * @param {number} attempt those that have failed before it
 * @param {() => number} [random] at least 0, less than 1
 */
function retryAfter(attempt, random = Math.random) {
  return Math.floor(random() * (RETRIES_MS[Math.min(attempt, RETRIES_MS.length - 1)] + 1))
}

/**
 * The result of a request of the greeting.
 *
 * @param {any} message
 */
function opened({ result, error }) {
  if (!error) return result
  throw new RemoteError(String(error.message), { code: error.code, data: error.data })
}

module.exports = { RETRIES_MS, RemoteError, Session, retryAfter }
