// @ts-check
'use strict'

const { INVALID_PARAMS, RequestError, isObject } = require('./protocol.js')
const { invalidInput } = require('../tool-error.js')

/** Most values that one completion may have. */
const VALUES_MAX = 100
const ROLES = ['user', 'assistant']

/**
 * @typedef {import('../../index.d.ts').McpPrompt} McpPrompt
 * @typedef {import('../../index.d.ts').McpRequestContext} McpRequestContext
 */

/** The prompts of a server. */
class Prompts {
  #all

  /** @param {readonly McpPrompt[]} all */
  constructor(all) {
    this.#all = all.map(checkedPrompt)
    const names = this.#all.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw invalidInput('prompts', `Two prompts are called \`${twice}\`. Rename one of them.`)
  }

  get isEmpty() {
    return this.#all.length === 0
  }

  /** Whether an argument of any prompt can be completed. */
  get isCompleted() {
    return this.#all.some(({ arguments: args = [] }) => args.some(({ complete }) => complete))
  }

  list() {
    return this.#all.map(({ get: _, arguments: args, ...description }) => ({
      ...description,
      ...(args && { arguments: args.map(({ complete: _, ...argument }) => argument) }),
    }))
  }

  /**
   * The messages of a prompt.
   *
   * @param {any} params
   * @param {McpRequestContext} context
   */
  async get({ name, arguments: given = {} }, context) {
    const prompt = this.#named(name)
    if (!isObject(given)) throw new RequestError(INVALID_PARAMS, '`params.arguments` must be an object.')
    const wrong = Object.keys(given).find((key) => typeof given[key] !== 'string')
    if (wrong !== undefined) throw new RequestError(INVALID_PARAMS, `The argument \`${wrong}\` of the prompt \`${name}\` must be a text.`)
    const missing = prompt.arguments?.find(({ name, required }) => required && !Object.hasOwn(given, name))
    if (missing) throw new RequestError(INVALID_PARAMS, `The prompt \`${name}\` needs the argument \`${missing.name}\`.`)
    return messagesOf(name, await prompt.get(given, context))
  }

  /**
   * What an argument of a prompt may be.
   *
   * @param {any} name
   * @param {any} argument
   * @param {Record<string, string>} others
   */
  async complete(name, argument, others) {
    return completed(this.#named(name).arguments?.find((one) => one.name === argument.name)?.complete, argument.value, others)
  }

  /**
   * @param {any} name
   * @returns {McpPrompt}
   */
  #named(name) {
    if (typeof name !== 'string') throw new RequestError(INVALID_PARAMS, '`params.name` must be the name of a prompt.')
    const prompt = this.#all.find((one) => one.name === name)
    if (!prompt) throw new RequestError(INVALID_PARAMS, `There is no prompt \`${name}\`.`)
    return prompt
  }
}

/** @param {McpPrompt} prompt */
function checkedPrompt(prompt) {
  const { name, arguments: args = [], get } = prompt ?? {}
  const isNamed = Array.isArray(args) && args.every((argument) => typeof argument?.name === 'string')
  if (typeof name === 'string' && name !== '' && typeof get === 'function' && isNamed) return prompt
  throw invalidInput('prompts', 'A prompt must have a `name` and a function `get`, and its `arguments` must be a list in which each has a `name`.')
}

/**
 * The result of a prompt: a text is one message of the user.
 *
 * @param {string} name
 * @param {any} given
 */
function messagesOf(name, given) {
  const { messages, ...rest } = typeof given === 'string' ? { messages: [{ content: given }] } : Array.isArray(given) ? { messages: given } : (given ?? {})
  const isRight =
    Array.isArray(messages) && messages.every(({ role = 'user', content } = {}) => ROLES.includes(role) && (typeof content === 'string' || isObject(content)))
  if (!isRight) throw new Error(`the prompt \`${name}\` returned neither a text nor a list of messages`)
  return {
    ...rest,
    messages: messages.map((/** @type {any} */ { role = 'user', content }) => ({
      role,
      content: typeof content === 'string' ? { type: 'text', text: content } : content,
    })),
  }
}

/**
 * The values that a function of the host suggests, as many as the protocol allows.
 *
 * @param {import('../../index.d.ts').McpCompleter | undefined} complete
 * @param {string} value what was typed so far
 * @param {Record<string, string>} others the arguments that are known
 */
async function completed(complete, value, others) {
  const found = complete ? await complete(value, others) : []
  if (typeof found?.[Symbol.iterator] !== 'function' || typeof found === 'string')
    throw new Error(`\`complete\` returned a ${typeof found}; it must return a list of texts`)
  const all = [...found].map(String)
  return { completion: { values: all.slice(0, VALUES_MAX), total: all.length, hasMore: all.length > VALUES_MAX } }
}

module.exports = { Prompts, completed }
