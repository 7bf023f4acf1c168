// @ts-check
'use strict'

const { describe } = require('./tool-error.js')

/** `SpanKind.INTERNAL` and `SpanStatusCode.ERROR` of OpenTelemetry. */
const INTERNAL = 0
const ERROR = 2

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
    return (/** @type {any} */ error) => this.#end(span, error)
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
