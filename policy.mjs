// The policy alone, as a module for WebAssembly: no addon, no process, no disk. Runs in browsers, workers and on the edge.

/** What a decision does not depend on, though a preview has it. */
const PREVIEW = ['parts', 'changes', 'diff', 'diffOmittedBytes', 'planHash', 'problem', 'inputs', 'message', 'plan', 'definition']
const OPTIONS = ['permissions', 'workspace', 'additionalDirectories', 'home', 'shell', 'dialect', 'tools', 'hasApprover', 'sources']
const FILE = './wasm/tenon-policy.wasm'

/** What cannot be used: rules that do not compile, options and calls that are not valid. */
export class PolicyError extends Error {
  name = 'PolicyError'
}

/**
 * Loads the engine.
 *
 * @param {any} [source] the module, its bytes, its address or a response with it; by default the file of this package
 */
export async function loadPolicyEngine(source) {
  const module = await moduleOf(await (source ?? defaultSource()))
  return new PolicyEngine(module, await WebAssembly.instantiate(module, {}))
}

/** Where the file of this package is: for bundlers, the address is written out. */
function defaultSource() {
  const url = new URL('./wasm/tenon-policy.wasm', import.meta.url)
  if (url.protocol !== 'file:') return url
  const { readFileSync } = globalThis.process?.getBuiltinModule?.('node:fs') ?? {}
  if (readFileSync === undefined) throw new PolicyError(`\`${FILE}\` cannot be read here. Hand its bytes or its module to \`loadPolicyEngine\`.`)
  try {
    return readFileSync(url)
  } catch (cause) {
    throw new PolicyError(`\`${FILE}\` is missing from this package. In a clone of the project, build it: node scripts/wasm.mjs`, { cause })
  }
}

/** @param {any} source */
async function moduleOf(source) {
  if (source instanceof WebAssembly.Module) return source
  if (source instanceof URL || typeof source === 'string') {
    const response = await fetch(source)
    if (!response.ok) throw new PolicyError(`\`${source}\` could not be loaded: status ${response.status}.`)
    return WebAssembly.compile(await response.arrayBuffer())
  }
  if (typeof source?.arrayBuffer === 'function') return WebAssembly.compile(await source.arrayBuffer())
  return WebAssembly.compile(source)
}

class PolicyEngine {
  #module
  #exports
  /** The policies that are open in the present instance; a failure of the module takes them all. */
  #open = new Set()

  /** @param {WebAssembly.Module} module @param {WebAssembly.Instance} instance */
  constructor(module, instance) {
    this.#module = module
    this.#exports = instance.exports
  }

  /**
   * @param {any} [options]
   */
  compile(options = {}) {
    const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name))
    if (unknown !== undefined) throw new PolicyError(`Unknown option \`${unknown}\`. Known options: ${OPTIONS.map((name) => `\`${name}\``).join(', ')}.`)
    const request = JSON.stringify({ do: 'open', options })
    const open = () => {
      const answer = this.#ask(request)
      this.#open.add(answer.policy)
      return answer
    }
    const { policy, remarks } = open()
    const held = { number: policy }
    return new Policy(remarks, {
      ask: (/** @type {object} */ call) => {
        if (!this.#open.has(held.number)) held.number = open().policy
        return this.#ask(JSON.stringify({ ...call, policy: held.number }))
      },
      close: () => {
        if (this.#open.delete(held.number)) this.#ask(JSON.stringify({ do: 'close', policy: held.number }))
      },
    })
  }

  /** @param {string} request */
  #ask(request) {
    const bytes = new TextEncoder().encode(request)
    let answer
    try {
      const { memory, reserve, answer: answerTo, release } = /** @type {any} */ (this.#exports)
      const address = reserve(bytes.length)
      new Uint8Array(memory.buffer, address, bytes.length).set(bytes)
      const packed = BigInt.asUintN(64, answerTo(address, bytes.length))
      const [place, length] = [Number(packed >> 32n), Number(packed & 0xffff_ffffn)]
      answer = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, place, length)))
      release(place, length)
    } catch (cause) {
      // Its memory is not to be trusted after a trap.
      this.#open.clear()
      this.#exports = new WebAssembly.Instance(this.#module, {}).exports
      throw new PolicyError('The policy engine failed on this call, so it is not decided. Treat it as denied.', { cause })
    }
    if (answer.error !== undefined) throw new PolicyError(answer.error)
    return answer
  }
}

class Policy {
  #engine
  #isClosed = false

  /** @param {any[]} remarks @param {{ ask: (call: object) => any, close: () => void }} engine */
  constructor(remarks, engine) {
    this.remarks = remarks
    this.#engine = engine
  }

  /** @param {string} tool @param {any} effects */
  decide(tool, effects) {
    return this.#judge('decide', tool, effects)
  }

  /** @param {string} tool @param {any} effects */
  explain(tool, effects) {
    return this.#judge('explain', tool, effects)
  }

  close() {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#engine.close()
  }

  /** @param {'decide' | 'explain'} what @param {string} tool @param {any} effects */
  #judge(what, tool, effects) {
    if (this.#isClosed) throw new PolicyError('The policy was closed.')
    if (typeof tool !== 'string') throw new PolicyError('The first argument must be the name of a tool.')
    if (typeof effects !== 'object' || effects === null)
      throw new PolicyError('The second argument must be an object with what the call touches, such as `{ command }`.')
    const { hosts = [], urls = [], ...rest } = effects
    const stated = Object.fromEntries(Object.entries(rest).filter(([name, value]) => value !== undefined && !PREVIEW.includes(name)))
    return this.#engine.ask({ do: what, tool, effects: { ...stated, hosts: hostsOf(hosts, urls) } })
  }
}

/**
 * The hosts of addresses, and those that are named without one.
 *
 * @param {string[]} hosts
 * @param {string[]} urls
 */
function hostsOf(hosts, urls) {
  const known = urls.map((url) => ({ host: hostOf(url, url), url: String(url) }))
  const named = hosts.map((host) => ({ host: hostOf(`https://${host}/`, host), url: `https://${host}/` }))
  return [...known, ...named.filter(({ host }) => known.every((one) => one.host !== host))]
}

/** @param {string} url @param {string} written */
function hostOf(url, written) {
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: '' }
  if (hostname === '') throw new PolicyError(`\`${written}\` is not an address of the form \`https://host/path\`.`)
  return hostname.replace(/^\[|\]$/g, '')
}
