// Agents and clients of the official SDK, connected in memory, in both versions of the protocol.

import * as v1 from '@agentclientprotocol/sdk'
import * as v2 from '@agentclientprotocol/sdk/experimental/v2'
import { onTestFinished } from 'vitest'

import { acpSession, type AcpSession, type AcpSessionOptions } from '../../acp.js'
import { Toolkit, type ToolkitOptions } from '../../index.js'
import { workspaceOf } from './workspace.js'

/** What a test does in the place of a model. */
export type Turn = (toolkit: Toolkit<any>, acp: AcpSession, context: { sessionId: string; signal: AbortSignal }) => Promise<unknown>

export interface Pair {
  workspace: string
  /** The updates of the session, in order. */
  updates: any[]
  /** Runs a turn of the agent. */
  prompt(turn: Turn): Promise<any>
  cancel(): Promise<void>
}

export interface PairOptions {
  version?: 1 | 2
  files?: Record<string, string | Uint8Array>
  capabilities?: any
  options?: Partial<ToolkitOptions<any>>
  session?: Partial<AcpSessionOptions>
  /** Answers requests of the agent, by method. */
  answers?: Record<string, (params: any, context: { signal: AbortSignal }) => any>
}

export const until = async (is: () => unknown): Promise<void> => {
  for (const end = Date.now() + 30_000; !is(); ) {
    if (Date.now() > end) throw new Error('waited for 30 s in vain')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** An agent over a toolkit, and an editor that keeps what it receives. */
export async function pairOf(given: PairOptions = {}): Promise<Pair> {
  const { version = 1, capabilities = {}, answers = {} } = given
  const sdk: any = version === 1 ? v1 : v2
  const workspace = workspaceOf(given.files)
  const updates: any[] = []
  let turn: Turn = async () => {}
  const agent = agentOf(sdk, version, workspace, given, () => turn)
  const client = sdk.client({ name: 'editor' })
  client.onNotification('session/update', ({ params }: any) => void updates.push(params.update))
  for (const [method, answer] of Object.entries(answers)) client.onRequest(method, ({ params, signal }: any) => answer(params, { signal }))
  const connection = client.connect(agent)
  onTestFinished(() => connection.close())
  const info = { name: 'editor', version: '1' }
  await connection.agent.request(
    'initialize',
    version === 1 ? { protocolVersion: 1, clientCapabilities: capabilities, clientInfo: info } : { protocolVersion: 2, capabilities, info },
  )
  const { sessionId } = await connection.agent.request('session/new', { cwd: workspace, mcpServers: [] })
  return {
    workspace,
    updates,
    prompt: async (next) => {
      turn = next
      let failure: unknown
      const wrapped: Turn = async (...args) => {
        try {
          return await next(...args)
        } catch (error) {
          failure = error
          throw error
        }
      }
      turn = wrapped
      const answer = await connection.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go.' }] }).catch((error: unknown) => {
        throw failure ?? error
      })
      return answer
    },
    cancel: () => connection.agent.notify('session/cancel', { sessionId }),
  }
}

function agentOf(sdk: any, version: 1 | 2, workspace: string, given: PairOptions, turn: () => Turn) {
  let capabilities: any
  let toolkit: Toolkit<any>
  let acp: AcpSession
  const agent = sdk.agent({ name: 'agent' })
  agent.onRequest('initialize', ({ params }: any) => {
    capabilities = params.clientCapabilities ?? params.capabilities
    return version === 1
      ? { protocolVersion: 1, agentCapabilities: {} }
      : { protocolVersion: 2, info: { name: 'agent', version: '1' }, capabilities: { session: {} } }
  })
  agent.onRequest('session/new', ({ client }: any) => {
    acp = acpSession({ ctx: client, sessionId: 's1', clientCapabilities: capabilities, protocolVersion: version, ...given.session })
    toolkit = new Toolkit({ workspace, permissions: { defaultMode: 'allow' }, ...acp.options, ...given.options } as ToolkitOptions<any>)
    onTestFinished(() => toolkit.close())
    return { sessionId: 's1' }
  })
  agent.onNotification('session/cancel', () => acp.cancel())
  agent.onRequest('session/prompt', async ({ params, signal }: any) => {
    await turn()(toolkit, acp, { sessionId: params.sessionId, signal })
    return version === 1 ? { stopReason: 'end_turn' } : { messageId: 'm1' }
  })
  return agent
}
