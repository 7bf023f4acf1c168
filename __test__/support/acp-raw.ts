// `tenon acp` between an editor and an agent that write messages as they are given, line by line.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { onTestFinished } from 'vitest'

import { until } from './acp.js'
import { ROOT } from './run.js'
import { workspaceOf } from './workspace.js'

const AGENT = path.join(ROOT, '__test__/support/acp-raw-agent.mjs')

export interface RawScene {
  workspace: string
  /** Requests and notifications that the editor got, but what the agent shows. */
  toEditor: any[]
  /** Lines that the agent got. */
  toAgent: string[]
  /** Writes a line of the editor. */
  editor(message: unknown): void
  /** Writes a line of the agent. */
  agent(message: unknown): void
  /** A request of the editor. */
  ask(method: string, params: unknown): Promise<any>
  /** A request of the agent, and the response that it got or the request that the editor got. */
  request(method: string, params: unknown): Promise<any>
  /** Permission answers and refusals of the record. */
  record(): any[]
  stderr(): string
}

/** Starts the three, with one open session `s1`. */
export async function rawScene(permissions: object, files: Record<string, string> = {}, answers: Record<string, unknown> = {}): Promise<RawScene> {
  const workspace = workspaceOf(files)
  const home = workspaceOf({ 'policy.json': JSON.stringify({ permissions }) })
  const record = path.join(home, 'record.jsonl')
  const given = ['acp', '--settings', path.join(home, 'policy.json'), '--record', record, '--', process.execPath, AGENT, JSON.stringify(answers)]
  const child = spawn(process.execPath, [path.join(ROOT, 'bin/tenon.js'), ...given], { stdio: 'pipe', cwd: home })
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const toEditor: any[] = []
  const toAgent: string[] = []
  const responses: any[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = JSON.parse(line)
      if (message.params?.got !== undefined) toAgent.push(message.params.got)
      else if (message.method === undefined && !Array.isArray(message)) responses.push(message)
      // Numbers that JavaScript cannot read stand in the line.
      else toEditor.push(Object.defineProperty(message, 'line', { value: line }))
    }
  })
  let count = 0
  const editor = (message: unknown) => void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  const agent = (message: unknown) =>
    editor({ jsonrpc: '2.0', method: 'say', params: { line: typeof message === 'string' ? message : JSON.stringify(message) } })
  const ask = async (method: string, params: unknown) => {
    const id = `editor-${++count}`
    editor({ jsonrpc: '2.0', id, method, params })
    const answer = () => responses.find((response) => response.id === id)
    await until(answer)
    return answer()
  }
  const request = async (method: string, params: unknown) => {
    const id = ++count
    agent({ jsonrpc: '2.0', id, method, params })
    const answer = () => toEditor.find((message) => message.id === id) ?? toAgent.map((line) => JSON.parse(line)).find((message) => message.id === id)
    await until(answer)
    return answer()
  }
  await ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
  await ask('session/new', { cwd: workspace, mcpServers: [] })
  const kept = () => (existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []).map((line) => JSON.parse(line))
  return { workspace, toEditor, toAgent, editor, agent, ask, request, record: () => kept().filter(({ type }) => type === 'permission'), stderr: () => stderr }
}
