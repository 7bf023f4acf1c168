// `acpSession` over `AgentSideConnection`, which the SDK had before its version 2, with the real packages.

import { readFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { acpSession, type AcpSession } from '../../acp.js'
import { Toolkit } from '../../index.js'
import { packagesOf } from '../support/frameworks.js'
import { failureOf, until, workspaceOf } from '../support/workspace.js'

const VERSIONS = [
  ['acp-1', '@agentclientprotocol/sdk'],
  ['acp-0', '@zed-industries/agent-client-protocol'],
] as const
const CAPABILITIES = { fs: { readTextFile: true, writeTextFile: true } }

describe.each(VERSIONS)('%s', (name, specifier) => {
  const packages = packagesOf(name)
  const title = (text: string) => `${text} (${packages.missing ?? 'installed'})`

  /** An agent and an editor, each with its connection; `answer` is what the user says. */
  async function pair(answer: (params: any) => any, files: Record<string, string> = {}) {
    const sdk = await import((packages as any).load.resolve(specifier))
    const workspace = workspaceOf(files)
    const updates: any[] = []
    const [toEditor, toAgent] = [new TransformStream(), new TransformStream()]
    let connection: any
    new sdk.AgentSideConnection((given: any) => ((connection = given), {}), sdk.ndJsonStream(toEditor.writable, toAgent.readable))
    const editor = {
      sessionUpdate: ({ update }: any) => void updates.push(update),
      requestPermission: answer,
      readTextFile: ({ path: file }: any) => ({ content: readFileSync(file, 'utf8') }),
    }
    new sdk.ClientSideConnection(() => editor, sdk.ndJsonStream(toAgent.writable, toEditor.readable))
    const acp: AcpSession = acpSession({ ctx: connection, sessionId: 's', clientCapabilities: CAPABILITIES, files: 'editor' })
    const toolkit = new Toolkit({ workspace, permissions: { ask: ['Bash', 'Edit'], defaultMode: 'allow' }, ...acp.options })
    onTestFinished(() => toolkit.close())
    return { workspace, updates, acp, toolkit }
  }

  test.skipIf(packages.missing)(title('calls are reported, and what policy asks is put to the user'), async () => {
    const asked: any[] = []
    const answer = (params: any) => (asked.push(params), { outcome: { outcome: 'selected', optionId: asked.length === 1 ? 'allow_once' : 'reject_once' } })
    const { toolkit, updates, workspace } = await pair(answer, { 'a.txt': 'one\n' })
    await toolkit.execute('edit', { file_path: 'a.txt', oldText: 'one', newText: '1' }, { toolCallId: 't1' })
    expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('1\n')
    const error = await failureOf(toolkit.execute('exec', { command: 'echo no' }))
    expect(error).toMatchObject({ error_type: 'permission_denied' })
    expect(asked).toMatchObject([
      { sessionId: 's', toolCall: { toolCallId: 't1', kind: 'edit' } },
      { sessionId: 's', toolCall: { kind: 'execute' } },
    ])
    await until(() => updates.some(({ toolCallId, status }) => toolCallId === 't1' && status === 'completed'))
    expect(updates[0]).toMatchObject({ sessionUpdate: 'tool_call', toolCallId: 't1', kind: 'edit' })
  })

  test.skipIf(packages.missing)(title('nobody waits for an answer after the turn was cancelled'), async () => {
    const { toolkit, acp } = await pair(() => (acp.cancel(), new Promise(() => {})))
    expect(await failureOf(toolkit.execute('exec', { command: 'echo no' }))).toMatchObject({ error_type: 'aborted' })
  })
})
