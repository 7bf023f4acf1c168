// @ts-check
'use strict'

const { describe } = require('./tool-error.js')

/** `SpanKind.INTERNAL` and `SpanStatusCode.ERROR` of OpenTelemetry. */
const INTERNAL = 0
const ERROR = 2
/** The events of a call that its span notes. */
const NOTED = ['repaired', 'hooked', 'asked', 'answered']

/** Tracers that have failed once: a warning each is enough. */
const failed = new WeakSet()

/**
 * Spans of calls, through a tracer of the host in the shape of OpenTelemetry, named by its conventions for generative AI.
 * What a tracer throws does not affect the call.
 */
class Tracing {
  #tracer

  /** @param {import('../index.d.ts').Tracer} tracer */
  constructor(tracer) {
    this.#tracer = tracer
  }

  /** @type {Map<string, any>} the spans of running calls, by the ids of the calls */
  #spans = new Map()

  /**
   * Notes an event of the stream in the span of its call.
   *
   * @param {any} event
   */
  take({ type, toolCallId, tool: _tool, seq: _seq, at, session: _session, ...details }) {
    const span = this.#spans.get(toolCallId)
    if (!span) return
    if (type === 'finished') {
      this.#attribute(span, 'tenon.decision', details.decision)
      this.#attribute(span, 'tenon.result.bytes', details.bytes)
      this.#attribute(span, 'tenon.result.estimated_tokens', details.estimatedTokens)
      return
    }
    if (!NOTED.includes(type)) return
    const plain = Object.entries(details).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    const attributes = Object.fromEntries(plain.map(([name, value]) => [`tenon.${name}`, value]))
    this.#guarded(() => span.addEvent?.(`tenon.${type}`, attributes, at))
  }

  /**
   * @param {any} span
   * @param {string} name
   * @param {unknown} value
   */
  #attribute(span, name, value) {
    if (value !== undefined) this.#guarded(() => span.setAttribute(name, value))
  }

  /**
   * Begins the span of a call, as a child of whatever span is active where the call is made.
   *
   * @param {string} tool
   * @param {string} toolCallId
   */
  start(tool, toolCallId) {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': toolCallId,
      'gen_ai.tool.type': 'function',
    }
    const span = this.#guarded(() => this.#tracer.startSpan(`execute_tool ${tool}`, { kind: INTERNAL, attributes, startTime: Date.now() }))
    if (span) this.#spans.set(toolCallId, span)
    return (/** @type {any} */ error) => {
      if (this.#spans.get(toolCallId) === span) this.#spans.delete(toolCallId)
      this.#end(span, error)
    }
  }

  /**
   * @param {any} span
   * @param {any} error what the call was rejected with; nothing when it went well
   */
  #end(span, error) {
    if (!span) return
    if (error !== undefined) {
      this.#guarded(() => span.setAttribute('error.type', error?.error_type ?? error?.name ?? '_OTHER'))
      this.#guarded(() => span.recordException(error))
      this.#guarded(() => span.setStatus({ code: ERROR, message: String(error?.message ?? error) }))
    }
    this.#guarded(() => span.end())
  }

  /**
   * @template T
   * @param {() => T} work
   * @returns {T | undefined}
   */
  #guarded(work) {
    try {
      return work()
    } catch (error) {
      if (!failed.has(this.#tracer)) {
        failed.add(this.#tracer)
        process.emitWarning(`\`telemetry.tracer\` failed: ${describe(error)}. The tools are not affected.`, 'TenonWarning')
      }
      return undefined
    }
  }
}

module.exports = { Tracing }
