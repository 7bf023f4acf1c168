import { expect, test } from 'vitest'

import { Agent, fauxAssistantMessage, fauxText, fauxToolCall, registerFauxProvider, streamSimple } from '../examples/pi.mjs'
import type { Host } from '../index.js'
import { toolkitOf } from './support/workspace.js'

const question = { question: 'Which one?', header: 'Choice', options: ['red', 'blue'].map((label) => ({ label, description: '' })) }

test('an agent of pi plans, asks, delegates, and hears what came of it', async () => {
  const host: Host = {
    askUser: async () => ({ answers: { 'Which one?': 'blue' } }),
    async runAgent({ agent, objective }, { onUpdate }) {
      onUpdate('reading')
      return { summary: `${agent} painted it: ${objective}` }
    },
  }
  const toolkit = toolkitOf({}, { host })
  const todos = (status: string) => [{ content: 'Paint the shed', status, activeForm: 'Painting the shed' }]
  const seen: string[] = []
  const lastSeen = (context: any) =>
    seen.push(
      context.messages
        .at(-1)
        .content.map((part: any) => part.text)
        .join(''),
    )
  const script = [
    () => fauxToolCall('todo_write', { todos: todos('in_progress') }),
    (context: any) => (lastSeen(context), fauxToolCall('ask_user', { questions: [question] })),
    (context: any) => (lastSeen(context), fauxToolCall('task', { agent: 'painter', objective: seen.at(-1)!.split(': ')[1]! })),
    (context: any) => (lastSeen(context), fauxToolCall('todo_write', { todos: todos('completed') })),
    (context: any) => (lastSeen(context), fauxToolCall('todo_read', {})),
    (context: any) => (lastSeen(context), fauxText('Done.')),
  ]
  const provider = registerFauxProvider()
  const steps: any = script.map((step) => (context: any) => {
    const block = step(context)
    return fauxAssistantMessage(block, { stopReason: block.type === 'toolCall' ? 'toolUse' : 'stop' })
  })
  provider.setResponses(steps)
  const agent = new Agent({ streamFn: streamSimple as any, initialState: { systemPrompt: '', model: provider.getModel(), tools: toolkit.tools() } } as any)
  const details: any[] = []
  agent.subscribe((event: any) => {
    if (event.type === 'tool_execution_end') details.push([event.toolName, event.isError, event.result.details])
  })
  await agent.prompt('Paint the shed.')
  provider.unregister()

  expect(seen).toEqual([
    'The task list was updated: 1 in progress.',
    'The user answered: blue',
    'painter painted it: blue',
    'The task list was updated: 1 done.',
    '[x] Paint the shed',
  ])
  expect(details.map(([name, isError]) => [name, isError])).toEqual(['todo_write', 'ask_user', 'task', 'todo_write', 'todo_read'].map((name) => [name, false]))
  expect(details[1]![2]).toEqual({ answers: { 'Which one?': 'blue' } })
  expect(details[2]![2]).toMatchObject({ ok: true, agent: 'painter', status: 'completed', summary: 'painter painted it: blue' })
  expect(details[4]![2]).toMatchObject({ ok: true, count: 1, inProgress: null })
})
