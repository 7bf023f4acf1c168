// Adapters over an engine that is elsewhere: it answers nothing at once, and approvals are bound to what was shown all the same.

import { describe, expect, test } from 'vitest'

import { pendingApprovals, runToolUses } from '../../anthropic.js'
import { toAISDKTools, toNativeTools, toolApproval } from '../../ai-sdk.js'
import { toCanUseTool } from '../../claude.js'
import { mcpHost } from '../../mcp.js'
import agents from '../../js/adapters/openai-agents.js'
import langchain from '../../js/adapters/langchain.js'
import { toBeforeToolCall, toPiTools } from '../../pi.js'
import { unix } from '../../remote.js'
import { packagesOf } from '../support/frameworks.js'
import { connected, ELICITS, modern } from '../support/mcp.js'
import { engineOf, remoteOf } from '../support/remote.js'
import { failureOf } from '../support/workspace.js'

const PERMISSIONS = { permissions: { ask: ['Bash'], allow: ['Read'], deny: ['Bash(git push:*)'] } }
const textOf = ({ content }: any) => content.map(({ text }: any) => text).join('')
const APPROVED = { command: 'echo yes' }

/** A toolkit whose engine is a process of its own. */
async function elsewhere(options: object = {}) {
  const { socket } = await engineOf()
  const { toolkit } = remoteOf(unix(socket), { 'notes.txt': 'one\ntwo\n' }, { ...PERMISSIONS, ...options } as any)
  await toolkit.ready()
  return toolkit
}

test('the AI SDK asks and is answered by promises', async () => {
  const toolkit = await elsewhere()
  const status = toolApproval(toolkit)
  const of = (input: object, toolCallId = '1') => status({ toolCall: { toolName: 'exec', toolCallId, input } })
  expect(await of({ command: 'git push' })).toMatchObject({ type: 'denied' })
  expect(await of(APPROVED)).toMatchObject({ type: 'user-approval' })
  const tools: any = toAISDKTools(toolkit, { progress: false, version: 7 })
  expect(textOf(await tools.exec.execute(APPROVED, { toolCallId: '1' }))).toBe('yes\n')
  expect((await failureOf(tools.exec.execute(APPROVED, { toolCallId: '1' }))).error_type).toBe('permission_denied')
  const { shell } = toNativeTools(toolkit, { version: 6 })
  const call = { toolCallId: 's' }
  const action = { commands: ['echo native'] }
  expect(await shell.needsApproval({ action }, call)).toBe(true)
  expect((await shell.execute({ action }, call)).output).toMatchObject([{ stdout: 'native\n' }])
  const { textEditor } = toNativeTools(await elsewhere({ permissions: { ask: ['Edit'], allow: ['Read'] } }), { version: 7 })
  const insert = { command: 'insert', path: 'notes.txt', insert_line: 1, insert_text: 'between\n' }
  expect(await textEditor.needsApproval(insert, { toolCallId: 'e' })).toBe(true)
  expect(textOf(await textEditor.execute(insert, { toolCallId: 'e' }))).toContain('has been edited')
  expect((await failureOf(textEditor.execute(insert, { toolCallId: 'e' }))).message).toContain('approv')
})

test('answers by the ids of calls count for what was shown', async () => {
  const toolkit = await elsewhere()
  const content = [{ type: 'tool_use', id: 't', name: 'exec', input: APPROVED }]
  const [request] = await pendingApprovals(toolkit, { content })
  expect(request).toMatchObject({ toolCallId: 't', digest: expect.any(String) })
  expect(await runToolUses(toolkit, { content }, { approvals: { t: request!.digest } })).toMatchObject([{ content: 'yes\n' }])
  expect(await runToolUses(toolkit, { content })).toMatchObject([{ is_error: true }])
})

test('pi and the Claude Agent SDK ask their users', async () => {
  const toolkit = await elsewhere()
  const [exec] = toPiTools(toolkit, { names: ['exec'] })
  const before = toBeforeToolCall(toolkit, () => true)
  expect(await before({ toolCall: { id: '1', name: 'exec' }, args: { command: 'git push' } })).toMatchObject({ block: true })
  expect(await before({ toolCall: { id: '2', name: 'exec' }, args: APPROVED })).toBeUndefined()
  expect(textOf(await exec!.execute('2', APPROVED))).toBe('yes\n')
  const can: any = toCanUseTool(toolkit, { ask: () => false })
  expect(await can('mcp__tenon__exec', APPROVED, {})).toMatchObject({ behavior: 'deny' })
  expect(await can('mcp__tenon__read', { file_path: 'notes.txt' }, {})).toMatchObject({ behavior: 'allow' })
})

test('a client of MCP is asked before the call begins', async () => {
  const toolkit = await elsewhere(mcpHost)
  const { ask } = connected(toolkit as any)
  const params = { name: 'exec', arguments: APPROVED }
  const first = (await ask(modern(1, 'tools/call', params, ELICITS))).result
  expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { approval: { method: 'elicitation/create' } } })
  expect(await toolkit.promises.history()).toEqual([])
  const answers = { inputResponses: { approval: { action: 'accept', content: { decision: 'once' } } }, requestState: first.requestState }
  expect((await ask(modern(2, 'tools/call', { ...params, ...answers }, ELICITS))).result.content).toMatchObject([{ text: 'yes\n' }])
})

const sdk = packagesOf('openai-agents')

describe.skipIf(sdk.missing)(`OpenAI Agents (${sdk.missing ?? 'installed'})`, () => {
  test('a tool says whether it needs approval, and runs', async () => {
    const { tool, RunContext } = (sdk as any).load('@openai/agents')
    const toolkit = await elsewhere()
    const [exec] = agents.adapterOver({ tool }).toAgentsTools(toolkit as any, { names: ['exec'] }) as any[]
    expect(await exec.needsApproval(new RunContext(), { command: 'git push' }, '0')).toBe(false)
    expect(await exec.needsApproval(new RunContext(), APPROVED, '1')).toBe(true)
    const details = { toolCall: { callId: '1' } }
    expect(await exec.invoke(new RunContext(), JSON.stringify(APPROVED), details)).toBe('yes\n')
  })
})

const core = packagesOf('langchain')

describe.skipIf(core.missing)(`LangChain (${core.missing ?? 'installed'})`, () => {
  test('a tool runs, and what is wrong with a call is said', async () => {
    const load = (name: string) => (core as any).load(name)
    const toolkit = await elsewhere()
    const [read] = langchain
      .adapterOver({ ...load('@langchain/core/tools'), ...load('@langchain/core/messages') })
      .toLangChainTools(toolkit as any, { names: ['read'] })
    const call = (args: object) => read!.invoke({ type: 'tool_call', id: '1', name: 'read', args } as any)
    expect(await call({ file_path: 'notes.txt' })).toMatchObject({ content: 'one\ntwo\n', status: 'success' })
    expect(await call({ frob: 1 })).toMatchObject({ content: expect.stringContaining('Invalid parameters for `read`'), status: 'error' })
  })
})
