import { getEventListeners } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { expect, onTestFinished, test, vi } from 'vitest'

import { ToolError, Toolkit } from '../index.js'
import { failureOf, isAlive, toolkitOf, until, workspaceOf } from './support/workspace.js'

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

test('a signal that is aborted already rejects before any work', async () => {
  const toolkit = toolkitOf()
  const reason = new Error('no more')
  const params = {
    get file_path(): string {
      throw new Error('was read')
    },
    content: 'x',
  }
  const failure = await failureOf(toolkit.tool('write').execute('1', params, AbortSignal.abort(reason)))
  expect(failure).toBeInstanceOf(ToolError)
  expect(failure).toMatchObject({ tool: 'write', error_type: 'aborted', details: { code: 'cancelled' }, cause: reason })
  expect(toolkit.history()).toEqual([])
})

test('one signal aborts several parallel calls', async () => {
  const exec = toolkitOf().tool('exec')
  const abort = new AbortController()
  const calls = [1, 2, 3].map((id) => failureOf(exec.execute(String(id), { command: 'sleep 60' }, abort.signal)))
  await new Promise((resolve) => setTimeout(resolve, 100))
  const start = performance.now()
  abort.abort(new Error('enough'))
  const failures = await Promise.all(calls)
  expect(failures.map((failure) => failure.error_type)).toEqual(['aborted', 'aborted', 'aborted'])
  expect(failures[0].cause).toMatchObject({ message: 'enough' })
  expect(performance.now() - start).toBeLessThan(1000)
})

test('a signal outlives the calls: a finished one does not silence it for the others', async () => {
  const toolkit = toolkitOf()
  const abort = new AbortController()
  const slow = failureOf(toolkit.tool('exec').execute('1', { command: 'sleep 60' }, abort.signal))
  await toolkit.tool('ls').execute('2', {}, abort.signal)
  await toolkit.tool('exec').execute('3', { command: 'true' }, abort.signal)
  abort.abort()
  expect(await slow).toMatchObject({ error_type: 'aborted' })
})

test('many calls leave no listener, warn of none and keep the onabort of the user', async () => {
  const toolkit = toolkitOf()
  const warnings = vi.spyOn(process, 'emitWarning')
  onTestFinished(() => warnings.mockRestore())
  const abort = new AbortController()
  const onabort = vi.fn()
  abort.signal.onabort = onabort
  const before = listenersOf(abort.signal)
  const calls = Array.from({ length: 30 }, (_, id) => toolkit.tool('exec').execute(String(id), { command: 'true' }, abort.signal))
  expect(listenersOf(abort.signal)).toBe(before + 1)
  await Promise.all(calls)
  for (let id = 0; id < 100; id += 1) await toolkit.tool('ls').execute(String(id), {}, abort.signal)
  expect(listenersOf(abort.signal)).toBe(before)
  expect(abort.signal.onabort).toBe(onabort)
  abort.abort()
  expect(onabort).toHaveBeenCalledOnce()
  expect(warnings).not.toHaveBeenCalled()
})

test('an abort in the middle of a command leaves none of its processes', async () => {
  const workspace = workspaceOf()
  const toolkit = new Toolkit({ workspace })
  onTestFinished(() => toolkit.close())
  const abort = new AbortController()
  const command = 'sleep 61 & echo $! > child; echo $$ > shell; wait'
  const call = failureOf(toolkit.tool('exec').execute('1', { command }, abort.signal))
  const pidIn = (name: string) => Number(readFileSync(path.join(workspace, name), 'utf8'))
  await until(() => existsSync(path.join(workspace, 'shell')) && pidIn('shell') > 0)
  const start = performance.now()
  abort.abort()
  expect(await call).toMatchObject({ error_type: 'aborted' })
  expect(performance.now() - start).toBeLessThan(1000)
  await until(() => !isAlive(pidIn('child')) && !isAlive(pidIn('shell')))
})

test('an abort in the middle of a search stops it promptly', async () => {
  const text = 'abcdefghij '.repeat(20_000) + '\n'
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`dir${index % 10}/f${index}.txt`, text]))
  const toolkit = toolkitOf(files)
  const whole = performance.now()
  const pattern = '(a.*b.*c.*d.*e.*){5}[x-z]{3}$'
  const abort = new AbortController()
  const call = failureOf(toolkit.tool('grep').execute('1', { pattern }, abort.signal))
  setTimeout(() => abort.abort(), 20)
  await new Promise((resolve) => abort.signal.addEventListener('abort', resolve))
  const start = performance.now()
  const failure = await call
  expect(failure).toMatchObject({ error_type: 'aborted' })
  expect(performance.now() - start).toBeLessThan(500)
  expect(performance.now() - whole).toBeLessThan(5000)
})

test('AbortSignal.timeout and AbortSignal.any work', async () => {
  const exec = toolkitOf().tool('exec')
  const failure = await failureOf(exec.execute('1', { command: 'sleep 60' }, AbortSignal.timeout(50)))
  expect(failure).toMatchObject({ error_type: 'aborted', cause: { name: 'TimeoutError' } })
  const abort = new AbortController()
  const any = failureOf(exec.execute('2', { command: 'sleep 60' }, AbortSignal.any([abort.signal, AbortSignal.timeout(60_000)])))
  setTimeout(() => abort.abort(), 20)
  expect(await any).toMatchObject({ error_type: 'aborted' })
})

test('a frozen signal and one of another make work; something else is refused', async () => {
  const toolkit = toolkitOf()
  expect(await toolkit.tool('ls').execute('1', {}, Object.freeze(new AbortController().signal))).toBeTruthy()
  const foreign = Object.assign(new EventTarget(), { aborted: false, reason: undefined })
  const call = failureOf(toolkit.tool('exec').execute('2', { command: 'sleep 60' }, foreign as never))
  foreign.aborted = true
  foreign.dispatchEvent(new Event('abort'))
  expect(await call).toMatchObject({ error_type: 'aborted' })
  expect(await toolkit.tool('ls').execute('3', {}, null as never)).toBeTruthy()
  expect(await failureOf(toolkit.tool('ls').execute('4', {}, {} as never))).toMatchObject({ error_type: 'invalid_input' })
})

test('an abort after the call has settled changes nothing', async () => {
  const abort = new AbortController()
  const result = await toolkitOf().tool('exec').execute('1', { command: 'echo done' }, abort.signal)
  abort.abort()
  expect(result.details.status).toBe('completed')
})
