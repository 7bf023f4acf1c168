// @ts-check
'use strict'

const { createHash, randomBytes, timingSafeEqual } = require('node:crypto')
const { existsSync, readFileSync } = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { gzipSync } = require('node:zlib')

const { diffOf, rowOf } = require('./model.js')
const { sentenceOf } = require('./lab.js')

/** Most bytes of a request. */
const BODY_MAX = 1024 * 1024
/** Most bytes that wait for a page to read them. */
const UNREAD_MAX = 16 * 1024 * 1024
const LOOPBACK = '127.0.0.1'
/** A page receives changes from this long before its last request, in milliseconds. */
const OVERLAP_MS = 1000

/**
 * What the page shows, live or recorded.
 *
 * @typedef {object} Source
 * @property {string} title
 * @property {boolean} isLive
 * @property {import('./model.js').Model} model
 * @property {import('./lab.js').Laboratory} lab
 * @property {(changed: () => void) => () => void} watch
 * @property {() => any[]} [inbox]
 * @property {(id: string, answer: string) => boolean} [answer]
 * @property {(call: import('./model.js').Call, force: boolean) => Promise<any>} [undo]
 * @property {() => string[]} [tools] the names of tools that calls can be tried with
 */

/** A mistake in a request. */
class RequestFault extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** The page over HTTP, for users of this machine who know its address. */
class PageServer {
  #source
  #token = randomBytes(24).toString('base64url')
  /** @type {http.Server} */
  #server
  /** @type {Set<http.ServerResponse>} */
  #listeners = new Set()
  #port = 0
  #unwatch = () => {}

  /** @param {Source} source */
  constructor(source) {
    this.#source = source
    this.#server = http.createServer((request, response) => {
      this.#serve(request, response).catch((error) => {
        const status = error instanceof RequestFault ? error.status : 422
        reply(response, status, 'application/json', JSON.stringify({ error: sentenceOf(error) }))
      })
    })
  }

  /** @param {number} [port] @returns {Promise<string>} the address of the page */
  async listen(port = 0) {
    await new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, LOOPBACK, () => resolve(undefined))
    })
    this.#port = /** @type {import('node:net').AddressInfo} */ (this.#server.address()).port
    this.#source.model.changed()
    this.#unwatch = this.#source.watch(() => this.#push())
    return `http://${LOOPBACK}:${this.#port}/${this.#token}/`
  }

  /** Lets Node end while the page is open. */
  unref() {
    this.#server.unref()
  }

  close() {
    this.#unwatch()
    for (const listener of this.#listeners) listener.end()
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve(undefined)))
  }

  #push() {
    // Read in any case: a page that comes later has what was before from `session`.
    const changed = this.#source.model.changed()
    if (this.#listeners.size === 0) return
    const message = `data: ${JSON.stringify({ ...changed, ...stateOf(this.#source) })}\n\n`
    for (const listener of this.#listeners) {
      listener.write(message)
      // A page that does not read, as on a machine that sleeps, connects again later.
      if (listener.writableLength > UNREAD_MAX) listener.destroy()
    }
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  async #serve(request, response) {
    this.#admit(request)
    const url = new URL(request.url ?? '/', `http://${LOOPBACK}`)
    const [, token, name = '', ...rest] = url.pathname.split('/')
    if (!isSame(token, this.#token) || rest.length > 0) throw new RequestFault(404, 'There is no such page.')
    if (request.method === 'GET' && name === '') return page(response)
    if (request.method === 'GET' && name === 'policy.wasm') return policyModule(response)
    if (request.method === 'GET' && name === 'events') return this.#listen(response, url.searchParams)
    if (request.method === 'GET') return json(response, this.#read(name, url.searchParams))
    if (request.method === 'POST') return json(response, await this.#act(name, await bodyOf(request)))
    throw new RequestFault(405, 'Only GET and POST are supported.')
  }

  /**
   * A page of the web may lead its name to this machine, or send forms here: neither gets an answer.
   *
   * @param {http.IncomingMessage} request
   */
  #admit({ method, headers }) {
    const own = `${LOOPBACK}:${this.#port}`
    if (headers.host !== own) throw new RequestFault(403, 'The request names another host.')
    if (headers.origin !== undefined && headers.origin !== `http://${own}`) throw new RequestFault(403, 'The request comes from another page.')
    const site = headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new RequestFault(403, 'The request comes from another page.')
    if (method === 'POST' && headers['content-type'] !== 'application/json') throw new RequestFault(415, 'A request must be JSON.')
  }

  /**
   * @param {http.ServerResponse} response
   * @param {URLSearchParams} query how many calls the page has, and when it got them
   */
  #listen(response, query) {
    const { model } = this.#source
    const [from, since] = [Number(query.get('from')), Number(query.get('since'))]
    head(response, 200, 'text/event-stream')
    // The first message has what has changed since the page got the rest.
    const missed = model.calls.filter(({ n, endAt }) => n >= from || endAt === undefined || endAt >= since - OVERLAP_MS).map(rowOf)
    response.write(`data: ${JSON.stringify({ rows: missed, processes: [...model.processes.values()], ...stateOf(this.#source) })}\n\n`)
    this.#listeners.add(response)
    response.on('close', () => this.#listeners.delete(response))
  }

  /** @param {string} name @param {URLSearchParams} query */
  #read(name, query) {
    switch (name) {
      case 'session':
        return overviewOf(this.#source)
      case 'call':
        return detailOf(this.#callOf(Number(query.get('n'))))
      case 'changes':
        return changesOf(this.#source.model)
      case 'tools':
        return this.#source.lab.tools()
      case 'machine':
        return require('../doctor.js').findings()
      default:
        throw new RequestFault(404, 'There is no such page.')
    }
  }

  /** @param {string} name @param {any} body */
  async #act(name, body) {
    const { lab, model, answer, undo } = this.#source
    switch (name) {
      case 'decide':
        return lab.decide(String(body.tool), body.params, body.permissions)
      case 'simulate':
        return lab.simulate(model.calls, body.permissions ?? {})
      case 'import':
        return require('../policy.js').importRules(body.format, String(body.text))
      case 'answer':
        if (answer?.(String(body.id), String(body.answer))) return { ok: true }
        throw new RequestFault(409, 'This question was answered already, or nobody waits for it any more.')
      case 'undo':
        if (undo) return { changes: await undo(this.#callOf(Number(body.n)), body.force === true) }
        throw new RequestFault(409, 'Changes of a record cannot be undone.')
      default:
        throw new RequestFault(404, 'There is no such page.')
    }
  }

  /** @param {number} n */
  #callOf(n) {
    const call = this.#source.model.calls[n]
    if (call) return call
    throw new RequestFault(404, 'There is no such call.')
  }
}

/** @param {Source} source */
function overviewOf(source) {
  const { model, title, isLive, lab, tools } = source
  return {
    title,
    isLive,
    canApprove: source.answer !== undefined,
    canUndo: source.undo !== undefined,
    rows: model.rows(),
    processes: [...model.processes.values()],
    permissions: lab.permissions,
    tools: tools?.() ?? [...new Set(model.calls.map((call) => call.tool))],
    unreadable: model.unreadable,
    lost: model.lost,
    answers: answersOf(model),
    now: Date.now(),
    ...stateOf(source),
  }
}

/** @param {Source} source */
function stateOf({ model, inbox }) {
  return { sessions: [...model.sessions.values()], mode: model.mode, isClosed: model.isClosed, inbox: inbox?.() ?? [] }
}

/** Who answered what. @param {import('./model.js').Model} model */
function answersOf(model) {
  return model.calls
    .filter(({ asked, answered, finished }) => asked && (answered || finished))
    .map(({ n, tool, asked, answered, decisions }) => ({
      n,
      tool,
      reason: asked.reason,
      danger: asked.danger,
      answered,
      suggestion: decisions[decisions.length - 1]?.suggestion,
    }))
}

/** @param {import('./model.js').Call} call */
function detailOf(call) {
  return { ...call, diff: diffOf(call) }
}

/** What the calls of a session changed, in order. @param {import('./model.js').Model} model */
function changesOf(model) {
  return model.calls
    .filter(({ finished }) => finished?.changes?.length > 0)
    .map((call) => ({
      n: call.n,
      tool: call.tool,
      at: call.at,
      changes: call.finished.changes,
      diff: diffOf(call),
      canUndo: call.checkpoint !== undefined,
      match: (call.result?.details ?? call.finished.details)?.match?.strategy,
    }))
}

/** The page as it is in the package, with the loader of the policy engine. */
function template() {
  if (typeof __dirname !== 'string') throw new Error('The page is a file of the package: load `tenon` from `node_modules`, outside of the bundle')
  const loader = readFileSync(path.join(__dirname, '..', '..', 'policy.mjs'), 'utf8')
  const script = `<script type="module">\n${loader}globalThis.loadPolicyEngine = loadPolicyEngine\n</script>`
  return readFileSync(path.join(__dirname, 'page.html'), 'utf8').replace('<!--policy-->', () => script)
}

/** The policy engine for WebAssembly. A project that was not built for it has none. @returns {Buffer | undefined} */
function policyEngine() {
  const file = path.join(__dirname, '..', '..', 'wasm', 'tenon-policy.wasm')
  return existsSync(file) ? readFileSync(file) : undefined
}

/** @param {http.ServerResponse} response */
function policyModule(response) {
  const module = policyEngine()
  if (module === undefined) throw new RequestFault(404, 'The policy engine for WebAssembly is not part of this installation.')
  head(response, 200, 'application/wasm')
  response.end(module)
}

/** The scripts and styles of the page may run, and compile the policy engine; nothing else, from nowhere. @param {string} html @param {boolean} isConnected */
function policyOf(html, isConnected) {
  const hashes = (/** @type {string} */ tag) =>
    [...html.matchAll(new RegExp(`<${tag}(?: type="module")?>([^]*?)</${tag}>`, 'g'))]
      .map(([, text]) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
      .join(' ')
  return `default-src 'none'; script-src ${hashes('script')} 'wasm-unsafe-eval'; style-src ${hashes('style')}; img-src data:; connect-src ${isConnected ? "'self'" : "'none'"}; base-uri 'none'; form-action 'none'`
}

/** @param {http.ServerResponse} response */
function page(response) {
  const html = template()
  response.setHeader('content-security-policy', `${policyOf(html, true)}; frame-ancestors 'none'`)
  reply(response, 200, 'text/html; charset=utf-8', html)
}

/**
 * The page with all that it shows, in one file.
 *
 * @param {Source} source
 */
function standalone(source) {
  const html = template()
  const data = {
    session: { ...overviewOf(source), isLive: false, canApprove: false, canUndo: false },
    calls: source.model.calls.map(detailOf).map(({ checkpoint: _, ...call }) => call),
    changes: changesOf(source.model).map((change) => ({ ...change, canUndo: false })),
    tools: source.lab.tools(),
    machine: require('../doctor.js').findings(),
  }
  // A record is untrusted: nothing in it may end the element that it is in, or change how the source is read.
  const text = JSON.stringify(data).replace(
    /[<>&\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policyOf(html, false)}">`
  const module = policyEngine()
  const engine = module ? `<script type="application/octet-stream" id="engine">${gzipSync(module, { level: 9 }).toString('base64')}</script>` : ''
  // A function: `$` in the data means nothing.
  return html.replace('<meta name="policy">', () => meta).replace('<!--data-->', () => `<script type="application/json" id="data">${text}</script>${engine}`)
}

/** @param {http.IncomingMessage} request */
async function bodyOf(request) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > BODY_MAX) throw new RequestFault(413, 'The request is too long.')
  }
  let body
  try {
    body = JSON.parse(text)
  } catch {
    throw new RequestFault(400, 'The request is not valid JSON.')
  }
  if (typeof body === 'object' && body !== null) return body
  throw new RequestFault(400, 'The request must be a JSON object.')
}

/** @param {http.ServerResponse} response @param {unknown} value */
function json(response, value) {
  reply(response, 200, 'application/json', JSON.stringify(value))
}

/** @param {http.ServerResponse} response @param {number} status @param {string} type @param {string} text */
function reply(response, status, type, text) {
  head(response, status, type)
  response.end(text)
}

/** @param {http.ServerResponse} response @param {number} status @param {string} type */
function head(response, status, type) {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
}

/** @param {string | undefined} given @param {string} expected */
function isSame(given, expected) {
  const digest = (/** @type {string} */ text) => createHash('sha256').update(text).digest()
  return given !== undefined && timingSafeEqual(digest(given), digest(expected))
}

module.exports = { PageServer, standalone }
