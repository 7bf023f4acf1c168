import { AsyncLocalStorage } from 'node:async_hooks'

import { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, trace, type Context, type ContextManager } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

import type { Tracer } from '../index.js'
import { failureOf, toolkitOf } from './support/workspace.js'

/** The smallest context manager: what a host gets from OpenTelemetry's SDK for Node. */
class Contexts implements ContextManager {
  #storage = new AsyncLocalStorage<Context>()
  active = () => this.#storage.getStore() ?? ROOT_CONTEXT
  with = ((active: Context, work: (...args: any[]) => any, thisArg?: any, ...args: any[]) =>
    this.#storage.run(active, () => work.apply(thisArg, args))) as ContextManager['with']
  bind = <T>(_: Context, target: T) => target
  enable = () => this
  disable = () => this
}

beforeAll(() => void context.setGlobalContextManager(new Contexts()))
afterAll(() => context.disable())

function traced() {
  const exporter = new InMemorySpanExporter()
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test')
  return { tracer, spans: () => exporter.getFinishedSpans() }
}

test('each call is a span, named by the conventions for generative AI', async () => {
  const { tracer, spans } = traced()
  const toolkit = toolkitOf({ 'a.txt': 'x' }, { telemetry: { tracer } })
  await toolkit.execute('read', { file_path: 'a.txt' }, { toolCallId: 'mine' })
  const [span] = spans()
  expect(span).toMatchObject({
    name: 'execute_tool read',
    kind: SpanKind.INTERNAL,
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'read', 'gen_ai.tool.call.id': 'mine', 'gen_ai.tool.type': 'function' },
    status: { code: SpanStatusCode.UNSET },
    ended: true,
    events: [],
  })
})

test('a failed call is a span with its kind of error, those that never began too', async () => {
  const { tracer, spans } = traced()
  const toolkit = toolkitOf({}, { telemetry: { tracer }, permissions: { deny: ['Bash'] } })
  await failureOf(toolkit.execute('read', { file_path: 'nope.txt' }))
  await failureOf(toolkit.execute('read', {} as never))
  await failureOf(toolkit.execute('exec', { command: 'ls' }))
  await failureOf(toolkit.execute('nope', {}))
  await failureOf(toolkit.execute('ls', {}, { signal: AbortSignal.abort() }))
  const statuses = spans().map(({ attributes, status, events }) => [attributes['error.type'], status.code, events[0]?.name])
  const failed = (type: string) => [type, SpanStatusCode.ERROR, 'exception']
  expect(statuses).toEqual(['not_found', 'invalid_input', 'permission_denied', 'not_found', 'aborted'].map(failed))
  expect(spans()[0].status.message).toContain('nope.txt')
})

test('the id in the span is that of history, when the host gave none as well', async () => {
  const { tracer, spans } = traced()
  const toolkit = toolkitOf({}, { telemetry: { tracer } })
  await toolkit.execute('ls', {})
  expect(spans()[0].attributes['gen_ai.tool.call.id']).toBe(toolkit.history()[0].id)
})

test('its parent is the span that is active where the call is made', async () => {
  const { tracer, spans } = traced()
  const toolkit = toolkitOf({}, { telemetry: { tracer } })
  const turn = tracer.startSpan('turn')
  await context.with(trace.setSpan(context.active(), turn), () => Promise.all([toolkit.execute('ls', {}), toolkit.tool('ls').execute('2', {})]))
  turn.end()
  expect(spans().map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([turn.spanContext().spanId, turn.spanContext().spanId, undefined])
})

test('a tracer that throws, anywhere, harms nothing and is reported once', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const broken = (): never => {
    throw new Error('the tracer is broken')
  }
  const span = { setAttribute: broken, setStatus: broken, recordException: broken, end: broken }
  for (const tracer of [{ startSpan: broken }, { startSpan: () => span }, { startSpan: () => undefined as never }] as Tracer[]) {
    const toolkit = toolkitOf({ 'a.txt': 'x' }, { telemetry: { tracer } })
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'x' }])
    expect(await failureOf(toolkit.execute('read', { file_path: 'b.txt' }))).toMatchObject({ error_type: 'not_found' })
  }
  expect(warned.mock.calls.map(([text]) => text)).toEqual(Array(2).fill('`telemetry.tracer` failed: the tracer is broken. The tools are not affected.'))
  warned.mockRestore()
})

test('what is no tracer is refused when the toolkit is made', () => {
  const options = (telemetry: unknown) => () => toolkitOf({}, { telemetry } as never)
  expect(options({ tracer: {} })).toThrow('has no `startSpan`')
  expect(options({ tracers: [] })).toThrow('Unknown option `telemetry.tracers`. Did you mean `telemetry.tracer`?')
  expect(options('otel')).toThrow('must be an object with a `tracer`')
  expect(options({})).not.toThrow()
  expect(options(null)).not.toThrow()
})

test('a listener that is slow or never ends holds no call up', async () => {
  const toolkit = toolkitOf({}, { onTelemetry: () => new Promise(() => {}) })
  for (let count = 0; count < 50; count += 1) await toolkit.execute('ls', {})
  expect(toolkit.history()).toHaveLength(50)
})

test('history keeps the last calls and no more', async () => {
  const toolkit = toolkitOf()
  for (let count = 0; count < 1200; count += 1) await failureOf(toolkit.execute('nope', {}, { toolCallId: `c${count}` }))
  const history = toolkit.history()
  expect(history.length).toBeLessThanOrEqual(1000)
  expect(history.at(-1)).toMatchObject({ id: 'c1199' })
})
