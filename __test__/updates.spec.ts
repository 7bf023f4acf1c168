import { expect, onTestFinished, test, vi } from 'vitest'

import type { AgentToolResult } from '../index.js'
import { failureOf, toolkitOf } from './support/workspace.js'

const COUNT = 'for i in $(seq 1 40); do echo line $i; sleep 0.02; done'

function textOf(result: AgentToolResult<unknown>): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function silenceWarnings() {
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warnings.mockRestore())
  return warnings
}

test('updates of a command come in order, thinned, each the whole so far', async () => {
  const texts: string[] = []
  const times: number[] = []
  const result = await toolkitOf()
    .tool('exec')
    .execute('1', { command: COUNT }, undefined, (update) => {
      texts.push(textOf(update))
      times.push(performance.now())
    })
  expect(texts.length).toBeGreaterThan(3)
  expect(texts.length).toBeLessThan(30)
  const counts = texts.map((text) => text.split('line').length)
  expect(counts).toEqual([...counts].sort((a, b) => a - b))
  for (const text of texts.slice(1)) expect(text).toContain('line 1\n')
  // The last may follow at once: it is flushed when the call ends.
  const gaps = times.slice(1, -1).map((time, index) => time - times[index]!)
  for (const gap of gaps) expect(gap).toBeGreaterThan(40)
  expect(textOf(result)).toContain('line 40')
})

test('none comes after the promise has settled', async () => {
  let isSettled = false
  const late: unknown[] = []
  const listener = (update: unknown) => isSettled && late.push(update)
  const toolkit = toolkitOf()
  await toolkit.tool('exec').execute('1', { command: COUNT }, undefined, listener)
  isSettled = true
  await new Promise((resolve) => setTimeout(resolve, 150))
  isSettled = false
  const abort = new AbortController()
  setTimeout(() => abort.abort(), 150)
  await failureOf(toolkit.tool('exec').execute('2', { command: 'yes' }, abort.signal, listener))
  isSettled = true
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(late).toEqual([])
})

test.each([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('broken')
    },
  ],
  [
    'answers a broken thenable',
    () => ({
      then() {
        throw new Error('broken')
      },
    }),
  ],
  [
    'throws nothing at all',
    () => {
      throw undefined
    },
  ],
])('a listener that %s hurts neither the call nor the process', async (_, listener) => {
  const warnings = silenceWarnings()
  const rejections = vi.fn()
  process.on('unhandledRejection', rejections)
  onTestFinished(() => void process.off('unhandledRejection', rejections))
  const result = await toolkitOf()
    .tool('exec')
    .execute('1', { command: COUNT }, undefined, listener as never)
  expect(result.details.status).toBe('completed')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(rejections).not.toHaveBeenCalled()
  expect(warnings).toHaveBeenCalledOnce()
})

test('a slow listener slows the updates, not the tool', async () => {
  let updates = 0
  const block = () => {
    updates += 1
    const end = performance.now() + 60
    while (performance.now() < end);
  }
  const start = performance.now()
  await toolkitOf().tool('exec').execute('1', { command: 'for i in $(seq 1 50); do echo $i; sleep 0.01; done' }, undefined, block)
  expect(updates).toBeGreaterThan(1)
  expect(updates).toBeLessThan(20)
  expect(performance.now() - start).toBeLessThan(5000)
})

test('what is written just before a long silence is received at once', async () => {
  const updates: { text: string; at: number }[] = []
  const start = performance.now()
  const listener = (partial: { content: { text?: string }[] }) => updates.push({ text: partial.content[0]?.text ?? '', at: performance.now() - start })
  const command = 'echo a; sleep 0.02; echo b; sleep 2'
  await toolkitOf()
    .tool('exec')
    .execute('1', { command }, undefined, listener as never)
  expect(updates.find(({ text }) => text.includes('b'))?.at).toBeLessThan(1500)
})

test('something that is no function is no listener', async () => {
  const result = await toolkitOf()
    .tool('exec')
    .execute('1', { command: 'echo a' }, undefined, 'listener' as never)
  expect(result.details.exitCode).toBe(0)
})
