// Approvals and questions through the user of an MCP client: in another round of the call (revision 2026-07-28), or by a request of
// the server (before).

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import type { Toolkit } from '../index.js'
import { askClient, mcpHost } from '../mcp.js'
import { connected, ELICITS, eventually, headersOf, modern, post, served } from './support/mcp.js'
import { ROOT, run } from './support/run.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const write = { name: 'write', arguments: { file_path: 'a.txt', content: 'new\n' } }
const accept = (decision: string) => ({ approval: { action: 'accept', content: { decision } } })

/** A toolkit whose approver is the user of the client that calls. */
function elicited(files: Record<string, string> = {}, options: object = {}) {
  const workspace = workspaceOf(files)
  return { workspace, toolkit: toolkitOf({}, { workspace, ...mcpHost, ...options }) as Toolkit<any> }
}

const textOf = ({ result }: any) => result.content[0].text

test('a call that requires approval returns the question with its preview, and runs when the user has allowed it', async () => {
  const { toolkit, workspace } = elicited({ 'a.txt': 'old\n' })
  const { ask } = connected(toolkit)
  const { result } = await ask(modern(1, 'tools/call', write, ELICITS))
  expect(result).toEqual({
    resultType: 'input_required',
    inputRequests: {
      approval: {
        method: 'elicitation/create',
        params: {
          message: expect.stringMatching(/^Allow `write`\? .*Writes: a\.txt.*-old\n\+new\n/s),
          requestedSchema: {
            type: 'object',
            properties: {
              decision: { type: 'string', title: 'Decision', enum: ['once', 'always', 'never'], enumNames: ['Allow once', 'Always allow', 'Never allow'] },
            },
            required: ['decision'],
          },
        },
      },
    },
    requestState: expect.any(String),
    _meta: expect.any(Object),
  })
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('old\n')
  expect(toolkit.history()).toEqual([])
  const retried = await ask(modern(2, 'tools/call', { ...write, inputResponses: accept('once'), requestState: result.requestState }, ELICITS))
  expect(retried.result).toMatchObject({ resultType: 'complete', content: [{ type: 'text' }] })
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('new\n')
  expect(toolkit.history()).toMatchObject([{ tool: 'write', outcome: 'ok', decision: 'ask' }])
})

test('an approval counts once, for the same call, the same client and what was shown', async () => {
  const { toolkit, workspace } = elicited({ 'a.txt': 'old\n' })
  const url = await served(toolkit)
  const call = async (params: object, token?: string) => {
    const message = modern(1, 'tools/call', params as any, ELICITS)
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'write', ...(token && { authorization: token }) }
    return (await post(url, message, headers)).messages[0]
  }
  const first = await call(write, 'Bearer one')
  const retry = { ...write, inputResponses: accept('once'), requestState: first.result.requestState }
  const other = { name: 'write', arguments: { file_path: 'b.txt', content: 'new\n' } }
  expect((await call({ ...retry, arguments: other.arguments }, 'Bearer one')).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining('another call'),
  })
  expect((await call(retry, 'Bearer other')).error).toMatchObject({ code: -32602 })
  expect((await call({ ...retry, requestState: `${retry.requestState}x` }, 'Bearer one')).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining('not valid'),
  })
  // The file is another one than the user was shown.
  writeFileSync(path.join(workspace, 'a.txt'), 'older\n')
  const again = await call(retry, 'Bearer one')
  expect(again.result).toMatchObject({ resultType: 'input_required', inputRequests: { approval: { params: { message: expect.stringContaining('-older') } } } })
  expect(existsSync(path.join(workspace, 'b.txt'))).toBe(false)
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('older\n')

  const second = { ...write, inputResponses: accept('once'), requestState: again.result.requestState }
  expect((await call(second, 'Bearer one')).result).toMatchObject({ resultType: 'complete' })
  writeFileSync(path.join(workspace, 'a.txt'), 'older\n')
  // The same state a second time is a new question.
  expect((await call(second, 'Bearer one')).result).toMatchObject({ resultType: 'input_required' })
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('older\n')
})

test('an approval of one user is not taken from another who runs the same program', async () => {
  const { toolkit, workspace } = elicited()
  const url = await served(toolkit, {}, (request) => {
    const userId = request.headers.authorization
    request.auth = { token: userId, clientId: 'https://client.example/oauth/client.json', scopes: [], extra: { userId } }
  })
  const call = async (authorization: string, params: object) => {
    const message = modern(1, 'tools/call', { ...write, ...params }, ELICITS)
    return (await post(url, message, { ...headersOf(message), authorization })).messages[0]
  }
  const { requestState } = (await call('alice', {})).result
  const answered = { requestState, inputResponses: accept('once') }
  expect((await call('mallory', answered)).error).toMatchObject({ code: -32602, message: expect.stringContaining('caller differ') })
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(false)
  expect((await call('alice', answered)).result).toMatchObject({ resultType: 'complete' })
})

test.for([
  ['declines', { approval: { action: 'decline' } }, 'the user declined it'],
  ['cancels', { approval: { action: 'cancel' } }, 'the user dismissed the question and decided nothing'],
  ['accepts without a decision', { approval: { action: 'accept', content: {} } }, 'returned no `decision`, which is not one of `once`, `always`, `never`'],
  ['accepts with another decision', { approval: { action: 'accept', content: { decision: 'yes' } } }, 'returned the `decision` "yes", which is not one of'],
  ['says never', accept('never'), 'The user declined this call'],
] as const)('a user who %s is a refusal, and nothing runs', async ([, inputResponses, reason]) => {
  const { toolkit, workspace } = elicited()
  const { ask } = connected(toolkit)
  const { result } = await ask(modern(1, 'tools/call', write, ELICITS))
  const refused = await ask(modern(2, 'tools/call', { ...write, inputResponses, requestState: result.requestState }, ELICITS))
  expect(refused.result).toMatchObject({ isError: true, _meta: { 'tenon/error_type': 'permission_denied' } })
  expect(textOf(refused)).toContain(reason)
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(false)
})

test('answers without the state of their question approve nothing', async () => {
  const { toolkit, workspace } = elicited()
  const { ask } = connected(toolkit)
  expect((await ask(modern(1, 'tools/call', { ...write, inputResponses: accept('once') }, ELICITS))).result).toMatchObject({ resultType: 'input_required' })
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(false)
})

test('always and never hold for the session', async () => {
  const { toolkit } = elicited()
  const { ask } = connected(toolkit)
  const run = (command: string) => ({ name: 'exec', arguments: { command } })
  const answered = async (command: string, decision: string) => {
    const { result } = await ask(modern(`${command}-1`, 'tools/call', run(command), ELICITS))
    return ask(modern(`${command}-2`, 'tools/call', { ...run(command), inputResponses: accept(decision), requestState: result.requestState }, ELICITS))
  }
  expect((await answered('touch a.txt', 'always')).result.resultType).toBe('complete')
  expect((await ask(modern(3, 'tools/call', run('touch a.txt'), ELICITS))).result).toMatchObject({
    resultType: 'complete',
    _meta: { 'tenon/details': { exitCode: 0 } },
  })
  expect((await answered('touch b.txt', 'never')).result.isError).toBe(true)
  expect(textOf(await ask(modern(4, 'tools/call', run('touch b.txt'), ELICITS)))).toContain('for the rest of the session')
})

test('what policy denies is denied, and what it allows asks nobody', async () => {
  const { toolkit } = elicited({ '.env': 'KEY=1\n', 'a.txt': 'one\n' }, { permissions: { deny: ['Read(.env)'], allow: ['Read'] } })
  const { ask } = connected(toolkit)
  expect((await ask(modern(1, 'tools/call', { name: 'read', arguments: { file_path: '.env' } }, ELICITS))).result).toMatchObject({
    isError: true,
    resultType: 'complete',
  })
  expect(textOf(await ask(modern(2, 'tools/call', { name: 'read', arguments: { file_path: 'a.txt' } }, ELICITS)))).toBe('one\n')
})

test.for([{}, { elicitation: { url: {} } }, { elicitation: true }])(
  'a client that declares %j cannot approve, so the call is refused',
  async (capabilities) => {
    const { toolkit, workspace } = elicited()
    const { ask } = connected(toolkit)
    const refused = await ask(modern(1, 'tools/call', write, capabilities))
    expect(refused.result).toMatchObject({ isError: true, resultType: 'complete' })
    expect(textOf(refused)).toContain('does not support elicitation')
    await ask({ jsonrpc: '2.0', id: 2, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'x', version: '1' } } })
    expect(textOf(await ask({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: write }))).toContain('does not support elicitation')
    expect(existsSync(path.join(workspace, 'a.txt'))).toBe(false)
  },
)

test.for([
  ['accept', { decision: 'once' }, true],
  ['accept', { decision: 'maybe' }, false],
  ['decline', undefined, false],
] as const)('before that revision the server asks while the call waits: %s %j', async ([action, content, isWritten]) => {
  const { toolkit, workspace } = elicited()
  const { ask, send, until } = connected(toolkit)
  await ask({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo: { name: 'x', version: '1' } },
  })
  const called = ask({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: write })
  const question = await until(({ method }) => method === 'elicitation/create')
  expect(question.params).toMatchObject({ message: expect.stringContaining('Allow `write`?'), requestedSchema: { required: ['decision'] } })
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(false)
  send({ jsonrpc: '2.0', id: question.id, result: { action, ...(content && { content }) } })
  expect((await called).result.isError === true).toBe(!isWritten)
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(isWritten)
})

test('a call that is cancelled while its user is asked takes the question back', async () => {
  const { toolkit } = elicited()
  const { ask, send, until, messages } = connected(toolkit)
  await ask({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'x', version: '1' } },
  })
  send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: write })
  const { id } = await until(({ method }) => method === 'elicitation/create')
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
  expect(await until(({ method }) => method === 'notifications/cancelled')).toMatchObject({ params: { requestId: id } })
  await ask({ jsonrpc: '2.0', id: 3, method: 'ping' })
  expect(messages.filter((message) => message.id === 2)).toEqual([])
})

test('a question of the model is one round of the call, its answer the next', async () => {
  const questions = [
    {
      question: 'Which?',
      header: 'Which',
      options: [
        { label: 'a', description: 'the first' },
        { label: 'b', description: 'the second' },
      ],
      multiSelect: false,
    },
    {
      question: 'What?',
      header: 'What',
      options: [
        { label: 'x', description: 'this' },
        { label: 'y', description: 'that' },
      ],
      multiSelect: true,
    },
  ]
  const { toolkit } = elicited({}, { dialect: 'canonical' })
  const { ask } = connected(toolkit)
  const call = { name: 'AskUserQuestion', arguments: { questions } }
  const { result } = await ask(modern(1, 'tools/call', call, ELICITS))
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { questions: { method: 'elicitation/create', params: { requestedSchema: { required: ['q1', 'q2'] } } } },
  })
  const inputResponses = { questions: { action: 'accept', content: { q1: 'b', q2: ['x', 'y'] } } }
  const retried = await ask(modern(2, 'tools/call', { ...call, inputResponses, requestState: result.requestState }, ELICITS))
  expect(retried.result._meta['tenon/details']).toEqual({ answers: { 'Which?': 'b', 'What?': 'x, y' } })
  expect(textOf(await ask(modern(3, 'tools/call', call, {})))).toContain('does not support elicitation')
})

test('a tool of the host that is approved and asks further keeps its approval over the rounds', async () => {
  const runs: string[] = []
  const handler = async (_params: unknown, context: any) => {
    const one = await askClient('elicitation/create', { message: 'One?', requestedSchema: { type: 'object', properties: {} } }, context)
    const two = await askClient('elicitation/create', { message: 'Two?', requestedSchema: { type: 'object', properties: {} } }, context)
    runs.push(`${one.action} ${two.action}`)
    return 'done'
  }
  const { toolkit } = elicited({}, { customTools: [{ name: 'deploy', handler }] })
  const { ask } = connected(toolkit)
  let requestState: unknown
  const rounds = [undefined, accept('once'), { input_1: { action: 'accept', content: {} } }, { input_2: { action: 'decline' } }]
  const keys = []
  for (const [index, inputResponses] of rounds.entries()) {
    const { result }: any = await ask(
      modern(index, 'tools/call', { name: 'deploy', arguments: {}, ...(inputResponses && { inputResponses, requestState }) }, ELICITS),
    )
    requestState = result.requestState
    keys.push(result.inputRequests ? Object.keys(result.inputRequests) : result.content)
  }
  expect(keys).toEqual([['approval'], ['input_1'], ['input_2'], [{ type: 'text', text: 'done' }]])
  expect(runs).toEqual(['accept decline'])
})

test('a tool of the host that words its question later is asked about in its own words, and then runs', async () => {
  const approvalRequest = async ({ to }: any) => ({ reason: `Mails ${to}.` })
  const { toolkit } = elicited(
    {},
    { customTools: [{ name: 'mail', parameters: { type: 'object', properties: { to: { type: 'string' } } }, handler: () => 'sent', approvalRequest }] },
  )
  const { ask } = connected(toolkit)
  const call = { name: 'mail', arguments: { to: 'Ann' } }
  const messages: string[] = []
  let more: object = {}
  for (let round = 0; round < 5; round += 1) {
    const { result } = await ask(modern(round, 'tools/call', { ...call, ...more }, ELICITS))
    if (result.resultType === 'complete') {
      expect(result.content).toEqual([{ type: 'text', text: 'sent' }])
      break
    }
    messages.push(result.inputRequests.approval.params.message)
    more = { inputResponses: accept('once'), requestState: result.requestState }
  }
  expect(messages.at(-1)).toContain('Mails Ann.')
  expect(messages.length).toBeLessThan(3)
  expect(toolkit.history().filter(({ outcome }) => outcome === 'ok')).toHaveLength(1)
})

test('a tool of the host that needs what its client cannot do is a fault of the request, with what is missing', async () => {
  const handler = (_params: unknown, context: any) => askClient('sampling/createMessage', { messages: [], maxTokens: 1 }, context)
  const toolkit = toolkitOf({}, { customTools: [{ name: 'think', handler }] }) as Toolkit<any>
  const { ask } = connected(toolkit)
  expect((await ask(modern(1, 'tools/call', { name: 'think' }))).error).toMatchObject({ code: -32021, data: { requiredCapabilities: { sampling: {} } } })
  expect((await ask({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'think' } })).result).toMatchObject({ isError: true })
  await expect(toolkit.execute('think', {})).rejects.toThrow(/askClient/)
})

test('processes that share a key take each other’s questions for theirs', async () => {
  const { toolkit, workspace } = elicited()
  const [one, other, stranger] = [connected(toolkit, { stateKey: 'secret' }), connected(toolkit, { stateKey: 'secret' }), connected(toolkit)]
  const { result } = await one.ask(modern(1, 'tools/call', write, ELICITS))
  const retry = { ...write, inputResponses: accept('once'), requestState: result.requestState }
  expect((await stranger.ask(modern(1, 'tools/call', retry, ELICITS))).error).toMatchObject({ code: -32602 })
  expect((await other.ask(modern(1, 'tools/call', retry, ELICITS))).result.resultType).toBe('complete')
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(true)
})

test('calls that no MCP client made are refused by its approver', async () => {
  const { toolkit, workspace } = elicited()
  await expect(toolkit.execute('write', write.arguments)).rejects.toThrow('`write` was not approved: no MCP client made this call')
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(false)
})

test.for([
  ['deny', { isError: true, _meta: { 'tenon/error_type': 'permission_denied' } }, false],
  ['allow', { content: [{ type: 'text' }] }, true],
] as const)('with `--approvals %s` the command line decides what policy asks', { timeout: 60_000 }, async ([how, expected, isWritten]) => {
  const workspace = workspaceOf({ '.env': 'KEY=1\n' })
  const directory = workspaceOf({ 'policy.json': '{"permissions": {"ask": ["Edit"], "deny": ["Read(.env)"]}}' })
  const calls = [write, { name: 'read', arguments: { file_path: '.env' } }].map((params, id) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  )
  const args = [path.join(ROOT, 'bin/tenon.js'), 'mcp', '-w', workspace, '-s', path.join(directory, 'policy.json'), '--approvals', how]
  const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void server.kill())
  let text = ''
  server.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  server.stdin.write(`${calls.join('\n')}\n`)
  await eventually(() => text.trimEnd().split('\n').length === calls.length && text.endsWith('\n'))
  const answers = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .sort((one, other) => one.id - other.id)
  expect(answers[0].result).toMatchObject(expected)
  expect(answers[1].result).toMatchObject({ isError: true, _meta: { 'tenon/error_type': 'permission_denied' } })
  expect(existsSync(path.join(workspace, 'a.txt'))).toBe(isWritten)
})

test('another way to approve is a usage error that names those that there are', async () => {
  const { code, stderr } = await run(process.execPath, [path.join(ROOT, 'bin/tenon.js'), 'mcp', '-w', workspaceOf(), '--approvals', 'maybe'])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('`--approvals` must be one of elicit, deny, allow, not `maybe`.') })
})
