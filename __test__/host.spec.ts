import { AsyncLocalStorage } from 'node:async_hooks'
import vm from 'node:vm'

import { describe, expect, test, vi } from 'vitest'

import { ToolError, Toolkit, type Host } from '../index.js'
import { runScript } from './support/run.js'
import { readOptions } from '../js/options.js'
import { failureOf, toolkitOf, until, workspaceOf } from './support/workspace.js'

const options = ['a', 'b'].map((label) => ({ label, description: `take ${label}` }))
const ask = (question = 'Which one?') => ({ questions: [{ question, header: 'Choice', options }] })
const task = { agent: 'tester', objective: 'Run the tests.' }
const forever = () => new Promise<never>(() => {})

describe('what is missing', () => {
  test.each([
    ['ask_user', ask(), 'askUser', 'This application cannot ask the user questions: it does not provide `host.askUser`. Continue without it.'],
    ['task', task, 'runAgent', 'This application cannot run another agent: it does not provide `host.runAgent`. Continue without it.'],
  ])('%s says which part of the host it needs', async (tool, params, host, message) => {
    const failure = await failureOf(toolkitOf().execute(tool, params))
    expect(failure).toBeInstanceOf(ToolError)
    expect(failure).toMatchObject({ tool, error_type: 'execution_failed', message, details: { code: 'unavailable', host } })
  })

  test.each<[object, string]>([
    [{ host: { askuser: () => '' } }, 'Unknown option `host.askuser`. Did you mean `host.askUser`?'],
    [{ host: { agents: 'explorer' } }, 'The option `host.agents` must be a list of `{ name, description }`, or a function that returns one.'],
    [{ host: { agents: [{ name: 'explorer' }, { title: 'x' }] } }, 'The option `host.agents[1]` must be `{ name, description }`, both strings.'],
    [{ host: { askUser: 'yes' } }, 'The option `host.askUser` must be a function; got string.'],
    [{ host: () => {} }, 'The option `host` must be an object with functions; got function.'],
    [{ web: { fetch: { resolve: '1.1.1.1' } } }, 'The option `web.fetch.resolve` must be a function; got string.'],
    [
      { web: { search: { provider: () => [], apiKey: 'secret' } } },
      '`web.search.apiKey` is for a built-in search provider, but `web.search.provider` is a function. Remove one of them.',
    ],
    [
      { web: { search: { provider: 'brave', apiKey: ' ' } } },
      'The search provider `brave` needs a key: set `web.search.apiKey` or the environment variable `BRAVE_API_KEY`.',
    ],
  ])('%o is refused when the toolkit is made', (wrong, message) => {
    expect(() => new Toolkit({ workspace: workspaceOf(), ...wrong } as never)).toThrow(message)
  })
})

describe('how the host is asked', () => {
  test('with what the model asked, the id of the call, and a signal', async () => {
    const askUser = vi.fn(async () => ({ answers: { 'Which one?': 'a' } }))
    const { details, content } = await toolkitOf({}, { host: { askUser } }).execute('ask_user', ask(), { toolCallId: 'q1' })
    expect(details).toEqual({ answers: { 'Which one?': 'a' } })
    expect(content).toEqual([{ type: 'text', text: 'The user answered: a' }])
    const questions = [{ question: 'Which one?', header: 'Choice', options, multiSelect: false }]
    expect(askUser.mock.calls).toEqual([[{ questions, toolCallId: 'q1' }, { signal: expect.objectContaining({ aborted: false }) }]])
  })

  test('as a method of its object, which may be of a class', async () => {
    class Application {
      name = 'app'
      askUser() {
        return this.name
      }
    }
    const host: Host = new Application()
    expect((await toolkitOf({}, { host }).execute('ask_user', ask())).details).toEqual({ answers: { 'Which one?': 'app' } })
  })

  test('in the asynchronous context of the caller', async () => {
    const storage = new AsyncLocalStorage<string>()
    const toolkit = toolkitOf({}, { host: { runAgent: async () => storage.getStore() ?? 'lost' } })
    const call = (name: string) => storage.run(name, async () => (await toolkit.execute('task', task)).details.summary)
    expect(await Promise.all([call('one'), call('two')])).toEqual(['one', 'two'])
  })

  test('fifty at once, each answered by itself', async () => {
    const waiting = new Map<string, (answer: string) => void>()
    const host: Host = { askUser: ({ questions: [{ question }] }) => new Promise<string>((resolve) => waiting.set(question, resolve)) }
    const toolkit = toolkitOf({}, { host })
    const numbers = Array.from({ length: 50 }, (_, index) => `${index}?`)
    const calls = numbers.map((question) => toolkit.execute('ask_user', ask(question)))
    await until(() => waiting.size === 50)
    for (const question of numbers.toReversed()) waiting.get(question)!(`answer to ${question}`)
    const answers = (await Promise.all(calls)).map(({ details }) => details.answers)
    expect(answers).toEqual(numbers.map((question) => ({ [question]: `answer to ${question}` })))
  })

  test('partial answers of an agent are updates, and none comes after the last', async () => {
    let late: (partial: string) => void = () => {}
    const host: Host = {
      async runAgent(_, { onUpdate }) {
        late = onUpdate
        onUpdate('half way')
        onUpdate({ summary: 'nearly' })
        onUpdate(5 as never)
        return { summary: 'done', ok: false }
      },
    }
    const summaries: string[] = []
    const toolkit = toolkitOf({}, { host })
    const { details, content } = await toolkit.execute('task', task, { onUpdate: ({ details }) => summaries.push(details.summary) })
    late('too late')
    expect(details).toMatchObject({ ok: false, agent: 'tester', status: 'failed', summary: 'done' })
    expect(content).toEqual([{ type: 'text', text: '`tester` failed: done' }])
    expect(summaries.at(-1)).toBe('nearly')
    expect(summaries.every((summary) => ['half way', 'nearly'].includes(summary))).toBe(true)
  })
})

describe('what the host may get wrong', () => {
  test.each<[string, any, object]>([
    [
      'throws',
      () => {
        throw new Error('no screen')
      },
      { error_type: 'execution_failed', message: '`host.askUser` failed: no screen.', details: { code: 'handler_failed', host: 'askUser' } },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no screen.')
      },
      { error_type: 'execution_failed', message: '`host.askUser` failed: no screen.' },
    ],
    [
      'throws a text',
      () => {
        throw 'no screen'
      },
      { message: '`host.askUser` failed: no screen.' },
    ],
    [
      'throws what cannot be shown',
      () => {
        throw { toString: null }
      },
      { message: '`host.askUser` failed: a value that cannot be shown.' },
    ],
    [
      'names the kind of its failure',
      () => {
        throw new ToolError('Not at this hour.', { tool: 'x', error_type: 'permission_denied', details: { code: 'late', hour: 3 } })
      },
      { error_type: 'permission_denied', message: 'Not at this hour.', details: { code: 'late', hour: 3 } },
    ],
    ['answers nothing', () => undefined, { error_type: 'execution_failed', message: expect.stringContaining('The user did not answer') }],
    ['answers a number', () => 5, { error_type: 'execution_failed', message: expect.stringContaining('it returned a number') }],
    ['answers another question', () => ({ answers: { 'Other?': 'a' } }), { message: expect.stringContaining('there is no answer to `Which one?`') }],
    ['answers no text', () => ({ 'Which one?': { label: 'a' } }), { message: expect.stringContaining('is an object and must be a string') }],
    [
      'answers a thenable that throws',
      () => ({
        then() {
          throw new Error('odd')
        },
      }),
      { message: '`host.askUser` failed: odd.' },
    ],
  ])('a part that %s is a failed call, and the next one works', async (_, askUser, expected) => {
    const toolkit = toolkitOf({}, { host: { askUser: vi.fn().mockImplementationOnce(askUser).mockReturnValue('a') } })
    expect(await failureOf(toolkit.execute('ask_user', ask()))).toMatchObject({ tool: 'ask_user', ...expected })
    expect((await toolkit.execute('ask_user', ask())).details).toEqual({ answers: { 'Which one?': 'a' } })
  })

  test.for<[string, unknown, string]>([
    ['half a character', 'cut \ud83d', 'cut \ufffd'],
    ['a BigInt', 5n, '5'],
  ])('an answer of a part with %s is read all the same', async ([, answer, read]) => {
    const toolkit = toolkitOf({}, { host: { askUser: () => ({ 'Which one?': answer }) } as any })
    expect((await toolkit.execute('ask_user', ask())).details).toEqual({ answers: { 'Which one?': read } })
  })

  test.each<[string, any, string]>([
    ['nothing', () => undefined, 'it returned nothing'],
    ['an object without a summary', () => ({ text: 'x' }), '`summary` is nothing and must be a string'],
    ['a list', () => ['x'], 'it returned a list'],
  ])('an agent that answers %s is a failed call', async (_, runAgent, problem) => {
    const failure = await failureOf(toolkitOf({}, { host: { runAgent } }).execute('task', task))
    expect(failure).toMatchObject({
      error_type: 'execution_failed',
      message: expect.stringContaining(problem),
      details: { code: 'handler_failed', host: 'runAgent' },
    })
  })

  test('a long summary is cut, and says so', async () => {
    const { details, content } = await toolkitOf({}, { host: { runAgent: () => 'x'.repeat(60_000) } }).execute('task', task)
    expect(details.summary).toHaveLength(51_200)
    expect(content[0]).toMatchObject({ text: expect.stringMatching(/x\n\n\[8\.6KB more was cut off\. Ask for a shorter summary\]$/) })
  })
})

describe('who stops waiting', () => {
  test('an abort rejects at once, and the host hears of it with its reason', async () => {
    let received: AbortSignal | undefined
    const toolkit = toolkitOf({}, { host: { runAgent: (_, { signal }) => ((received = signal), forever()) } })
    const abort = new AbortController()
    const call = failureOf(toolkit.execute('task', task, { signal: abort.signal }))
    await until(() => received !== undefined)
    abort.abort(new Error('enough'))
    expect(await call).toMatchObject({ error_type: 'aborted', cause: { message: 'enough' } })
    await until(() => received!.aborted)
    expect(received!.reason).toMatchObject({ message: 'enough' })
  })

  test('a signal of another realm does the same', async () => {
    const context = vm.createContext({ AbortController })
    const abort = vm.runInContext('new AbortController()', context)
    const askUser = vi.fn(forever)
    const call = failureOf(toolkitOf({}, { host: { askUser } }).execute('ask_user', ask(), { signal: abort.signal }))
    await until(() => askUser.mock.calls.length === 1)
    abort.abort()
    expect(await call).toMatchObject({ error_type: 'aborted' })
  })

  test('closing ends every wait', async () => {
    const signals: AbortSignal[] = []
    const hang = (_: unknown, { signal }: { signal: AbortSignal }) => (signals.push(signal), forever())
    const toolkit = new Toolkit({ workspace: workspaceOf(), host: { askUser: hang, runAgent: hang } })
    const calls = [toolkit.execute('ask_user', ask()), toolkit.execute('task', task)].map(failureOf)
    await until(() => signals.length === 2)
    await toolkit.close()
    expect(await Promise.all(calls)).toMatchObject([{ error_type: 'aborted' }, { error_type: 'aborted' }])
    await until(() => signals.every(({ aborted }) => aborted))
    expect(await failureOf(toolkit.execute('ask_user', ask()))).toMatchObject({ error_type: 'aborted', message: expect.stringContaining('closed') })
  })

  test('an answer that comes too late changes nothing', async () => {
    let answer: (text: string) => void = () => {}
    const toolkit = toolkitOf({}, { host: { askUser: () => new Promise<string>((resolve) => (answer = resolve)) } })
    const abort = new AbortController()
    const call = failureOf(toolkit.execute('ask_user', ask(), { signal: abort.signal }))
    await new Promise((resolve) => setTimeout(resolve, 20))
    abort.abort()
    await call
    answer('a')
    expect((await toolkit.execute('todo_read', {})).details).toMatchObject({ count: 0 })
  })

  test("the limit of every call is the host's to set; the default one is not for people", async () => {
    const failure = await failureOf(toolkitOf({}, { limits: { timeoutMs: 30 }, host: { askUser: forever } }).execute('ask_user', ask()))
    expect(failure).toMatchObject({ error_type: 'timeout', details: { timeout_ms: 30 } })
  })
})

describe('what keeps Node alive', () => {
  const script = (host: string, then: string) =>
    `const toolkit = new tenon.Toolkit({ workspace: ${JSON.stringify(workspaceOf())}, ${host} });
     toolkit.execute('ask_user', ${JSON.stringify(ask())}).then(() => console.log('answered'), (error) => console.log(error.error_type));\n${then}`

  test('not a question that nobody will ever answer', async () => {
    const { code, stdout, stderr } = await runScript(script('host: { askUser: () => new Promise(() => {}) }', ''))
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('but whatever the host itself waits for', async () => {
    const { stdout } = await runScript(script('host: { askUser: () => new Promise((resolve) => setTimeout(resolve, 200, "a")) }', ''))
    expect(stdout).toBe('answered\n')
  })

  test('and a time limit that will end the wait', async () => {
    const { stdout } = await runScript(script('limits: { timeoutMs: 200 }, host: { askUser: () => new Promise(() => {}) }', ''))
    expect(stdout).toBe('timeout\n')
  })

  test('and other calls', async () => {
    const then = "toolkit.execute('exec', { command: 'sleep 0.3' }).then(() => console.log('ran'))"
    const { stdout } = await runScript(script('host: { askUser: () => new Promise(() => {}) }', then))
    expect(stdout).toBe('ran\n')
  })

  test('without a terminal nobody is prompted, and nothing is read from standard input', async () => {
    const { code, stdout } = await runScript(script('', ''), { input: '1\n' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'execution_failed\n' })
  })
})

test.each([[[{ name: 'explorer', description: 'Looks around.' }, 'fixer']], [() => [{ name: 'explorer', description: 'Looks around.' }, { name: 'fixer' }]]])(
  'the agents of the host are data of the toolkit',
  (agents) => {
    const { data } = readOptions({ workspace: '/', host: { agents, runAgent: () => '' } })
    expect(JSON.parse(data)).toMatchObject({
      agents: [
        { name: 'explorer', description: 'Looks around.' },
        { name: 'fixer', description: '' },
      ],
    })
    expect(JSON.parse(readOptions({ workspace: '/', host: { runAgent: () => '' } }).data)).not.toHaveProperty('agents')
  },
)
