// Toolkits with servers of the Model Context Protocol: fakes that do what a test says.

import path from 'node:path'

import type { McpServerOptions, Toolkit, ToolkitOptions } from '../../index.js'
import { ROOT } from './run.js'
import { toolkitOf } from './workspace.js'

export const FAKE = path.join(ROOT, '__test__/support/mcp-fake.mjs')
/** Nothing here is timed: a machine under load may take long. */
export const LONG = { timeout: 90_000 }

export interface Orders {
  era?: 'legacy' | 'modern'
  faults?: string[]
  tools?: (string | { name: string; [member: string]: unknown })[]
  note?: string
  resources?: boolean
  prompts?: boolean
  /** How many more resources there are. */
  more?: number
  /** Skills by their names: the text of each, and what is served in its place. */
  skills?: Record<string, { text: string; served?: string; description?: string }>
  instructions?: string
  /** What `initialize` is answered with, in place of a result. */
  initialize?: object
}

/** A fake server that does what the test says. */
export function fake({ tools = [], ...orders }: Orders = {}, more: McpServerOptions = {}): McpServerOptions {
  const listed = tools.map((tool) =>
    typeof tool === 'string' ? { name: tool, description: `The tool ${tool}.`, inputSchema: { type: 'object' } } : { inputSchema: { type: 'object' }, ...tool },
  )
  return { command: process.execPath, args: [FAKE, JSON.stringify({ ...orders, tools: listed })], ...more }
}

/** A toolkit with these servers, ready. */
export async function ready(mcpServers: ToolkitOptions['mcpServers'], options: Partial<ToolkitOptions<'agent'>> = {}) {
  const toolkit = toolkitOf({}, { permissions: { defaultMode: 'allow' }, mcpServers, ...options })
  await toolkit.mcp.ready()
  return toolkit
}

export function textOf(result: any): string {
  return result.content.map((part: any) => part.text ?? '').join('\n')
}

export function mcpTools(toolkit: Toolkit<any>): string[] {
  return toolkit
    .tools()
    .map(({ name }) => name)
    .filter((name) => name.startsWith('mcp__'))
}
