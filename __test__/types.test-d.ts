// What TypeScript knows of tools; checked by `tsc`, never run.

import type { AgentTool as OldPiTool } from '@earendil-works/pi-agent-core'
import { trace } from '@opentelemetry/api'
import { Type as OldType } from '@sinclair/typebox'
import type { AgentTool as PiAgentTool } from 'pi-agent-core-0.87'
import { Type } from 'typebox'
import { z } from 'zod'

import {
  TOOL_GROUPS,
  ToolCategory,
  ToolManager,
  ToolNotFoundError,
  ToolRegistry,
  Toolkit,
  createReadTool,
  createTools,
  expandToolGroups,
  forRegistry,
  forToolManager,
  isToolAllowedByPolicy,
  normalizeToolName,
  platformNames,
  toClientToolDefinitions,
  toToolDefinitions,
  type AgentReadDetails,
  type AgentReadParams,
  type AgentTaskDetails,
  type AgentTool,
  type AgentToolResult,
  type CanonicalBashParams,
  type CanonicalReadDetails,
  type CoderBashDetails,
  type HistoryEntry,
  type ManagerSearchFilesDetails,
  type TelemetryEvent,
  type ToolDetails,
  type ToolError,
  type ToolName,
  type UserQuestion,
} from '../index.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function holds<_T extends true>(): void {}

declare const signal: AbortSignal

export async function toolsAreTypedByName() {
  const toolkit = new Toolkit({ workspace: '.' })
  const read = toolkit.tool('read')
  holds<Equal<Parameters<typeof read.execute>[1], AgentReadParams>>()
  const result = await read.execute('1', { file_path: 'a.txt', offset: 1 }, signal, (partial) => {
    holds<Equal<typeof partial.details, AgentReadDetails>>()
  })
  holds<Equal<typeof result, AgentToolResult<AgentReadDetails>>>()
  const byName = await toolkit.execute('read', { file_path: 'a.txt' }, { signal })
  holds<Equal<typeof byName.details, AgentReadDetails>>()
  // @ts-expect-error an offset is no text
  await read.execute('1', { file_path: 'a.txt', offset: '1' })
  // @ts-expect-error the path is no number
  await toolkit.execute('read', { file_path: 5 })
  // @ts-expect-error `Read` is of another dialect, and typed there
  const { title }: { title: never } = toolkit.tool('Read').annotations
  return title
}

/** The functions for single tools, and no other than those of the vocabulary. */
type Creator = Extract<keyof typeof import('../index.js'), `create${string}Tool`>
type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Capitalize<Head>}${CamelCase<Tail>}` : Capitalize<S>

export function thereIsAFunctionForEachTool() {
  holds<Equal<Creator, `create${CamelCase<ToolName>}Tool`>>()
}

export async function dialectsHaveTheirOwnNames() {
  const toolkit = new Toolkit({ workspace: '.', dialect: 'canonical' })
  holds<Equal<Parameters<ReturnType<typeof toolkit.tool<'Bash'>>['execute']>[1], CanonicalBashParams>>()
  const name: ToolName<'canonical'> = 'Grep'
  await toolkit.execute('Grep', { pattern: 'x', '-i': true })
  // @ts-expect-error no tool of this dialect
  const other: ToolName<'canonical'> = 'grep'
  return [name, other]
}

export async function namesThatAreKnownAtRunTimeOnly(name: string, params: unknown) {
  const toolkit = new Toolkit({ workspace: '.' })
  const { details } = await toolkit.execute(name, params)
  const tool: AgentTool = toolkit.tool(name)
  return [details, tool]
}

export async function toolsCanBeDisposed() {
  await using tools = createTools({ workspace: '.', onApproval: async () => 'once' })
  const list: AgentTool[] = tools
  // @ts-expect-error no answer of an approver
  createTools({ workspace: '.', onApproval: () => 'yes' })
  // @ts-expect-error a dialect that does not exist
  createTools({ workspace: '.', dialect: 'klingon' })
  return list
}

/** Lists of tools as pi 0.74 and 0.87 declare them. */
export function singleToolsGoIntoListsOfPi() {
  const toolkit = new Toolkit({ workspace: '.' })
  const old: OldPiTool[] = [toolkit.tool('read'), toolkit.tool('exec'), createReadTool({ workspace: '.' })]
  const now: PiAgentTool[] = [toolkit.tool('read'), toolkit.tool('edit'), ...toolkit.tools()]
  return [old, now]
}

/** The interface that pi-agent-core 0.74 asks for, in its own words. */
interface PiTool {
  name: string
  label: string
  description: string
  parameters: any
  execute: (toolCallId: string, params: any, signal?: AbortSignal, onUpdate?: (partial: any) => void) => Promise<any>
}

export function toolsAreToolsOfPi(): PiTool[] {
  return createTools({ workspace: '.' })
}

export async function partsOfTheHostAreTyped() {
  const toolkit = new Toolkit({
    workspace: '.',
    host: {
      askUser({ questions, toolCallId }, { signal }) {
        holds<Equal<typeof questions, UserQuestion[]>>()
        return { answers: { [questions[0]!.question + toolCallId]: signal.aborted ? 'a' : ['a', 'b'] } }
      },
      async runAgent({ agent, objective }, { onUpdate }) {
        onUpdate({ summary: objective })
        return agent
      },
      summarise: async ({ prompt, content, url }) => prompt + content + url,
    },
    web: {
      fetch: { resolve: async (host) => [{ address: host }], timeoutMs: 1 },
      search: { provider: async (query, { count }) => [{ title: query, url: String(count) }], timeoutMs: 1 },
    },
    skills: { directories: ['skills'] },
    session: { id: 's' },
  })
  const { details } = await toolkit.execute('ask_user', { questions: [] })
  holds<Equal<typeof details.answers, Record<string, string>>>()
  const list = await toolkit.execute('todo_write', { todos: [{ content: 'x', status: 'pending' }] })
  holds<Equal<typeof list.details.count, number>>()
  const task = await toolkit.execute('task', { agent: 'a', objective: 'b' })
  holds<Equal<typeof task.details, AgentTaskDetails>>()
  holds<Equal<typeof task.details.summary, string>>()
  await toolkit.execute('skill', { action: 'load', name: 'pdf' }, { auto: true })
  // @ts-expect-error a status that does not exist
  await toolkit.execute('todo_write', { todos: [{ content: 'x', status: 'done' }] })
  // @ts-expect-error a provider that does not exist
  createTools({ workspace: '.', web: { search: { provider: 'altavista' } } })
  // @ts-expect-error a summary is a text
  createTools({ workspace: '.', host: { summarise: () => 5 } })
  return details
}

export function errorsAreTyped(error: ToolError) {
  const type: 'permission_denied' | 'not_found' | 'timeout' | 'invalid_input' | 'execution_failed' | 'aborted' = error.error_type
  return [type, error.details.code, error.details.errors?.[0]?.param]
}

export async function everyDialectIsTyped() {
  const coder = new Toolkit({ workspace: '.', dialect: 'coder' })
  const { details } = await coder.execute('bash', { command: 'ls' })
  holds<Equal<typeof details, CoderBashDetails>>()
  const manager = new Toolkit({ workspace: '.', dialect: 'manager' })
  holds<Equal<Awaited<ReturnType<ReturnType<typeof manager.tool<'search_files'>>['execute']>>['details'], ManagerSearchFilesDetails>>()
  const acp = new Toolkit({ workspace: '.', dialect: 'acp' })
  await acp.execute('edit_file', { path: 'a', edits: [{ type: 'insert', line: 1, text: 'x' }] })
  // @ts-expect-error no kind of edit
  await acp.execute('edit_file', { path: 'a', edits: [{ type: 'append' }] })
  holds<Equal<ToolDetails<'canonical', 'Read'>, CanonicalReadDetails>>()
}

export function tracersAreThoseOfOpenTelemetry() {
  const toolkit = new Toolkit({
    workspace: '.',
    telemetry: { tracer: trace.getTracer('host') },
    onTelemetry: (event: TelemetryEvent) => event.decision?.toString(),
  })
  // @ts-expect-error a tracer begins spans
  createTools({ workspace: '.', telemetry: { tracer: {} } })
  const history: HistoryEntry[] = toolkit.history()
  return history[0]?.outcome
}

export function schemasOfToolsMayBeAnything() {
  const toolkit = new Toolkit({ workspace: '.' })
  toolkit.registerTool({
    name: 'raw',
    description: '',
    parameters: { path: z.string(), depth: z.number().optional() },
    handler: ({ path }: { path: string }) => path,
  })
  toolkit.registerTool({ name: 'object', description: '', inputSchema: z.object({ path: z.string() }), execute: async ({ path }: { path: string }) => path })
  // @ts-expect-error without a function
  toolkit.registerTool({ name: 'none', description: '', parameters: {} })
  const valid: boolean = toolkit.validateParams('raw', {}).valid
  return valid
}

/** What a function gets is what its schema says. */
export function handlersAreTypedByTheirSchemas() {
  const toolkit = new Toolkit({ workspace: '.' })
  type Deploy = { target: 'staging' | 'production'; dry: boolean; note?: string | undefined }
  const schema = z.object({ target: z.enum(['staging', 'production']), dry: z.boolean().default(false), note: z.string().optional() })
  toolkit.registerTool({
    name: 'deploy',
    parameters: schema,
    handler: async (params, { signal }) => {
      holds<Equal<typeof params, Deploy>>()
      // @ts-expect-error a target is no number
      const number: number = params.target
      return [number, signal.aborted]
    },
  })
  toolkit.registerTool({
    name: 'deploy',
    inputSchema: schema,
    execute: (params, { abortSignal }) => (holds<Equal<typeof params, Deploy>>(), abortSignal.aborted),
  })
  toolkit.registerTool({ name: 'deploy', parameters: schema, execute: (id, params) => (holds<Equal<typeof params, Deploy>>(), id.length) })
  toolkit.registerTool({
    name: 'shape',
    parameters: { path: z.string(), depth: z.number().optional() },
    handler: ({ path, depth }) => (holds<Equal<typeof path, string>>(), holds<Equal<typeof depth, number | undefined>>(), path),
  })
  toolkit.registerTool({ name: 'box', parameters: OldType.Object({ a: OldType.String() }), handler: ({ a }) => (holds<Equal<typeof a, string>>(), a) })
  toolkit.registerTool({
    name: 'json',
    parameters: { type: 'object', properties: { a: { type: 'string' } } },
    handler: (params) => (holds<Equal<typeof params, any>>(), params),
  })
  toolkit.registerTool({ name: 'none', handler: (params) => (holds<Equal<typeof params, any>>(), params) })
  toolkit.registerTool({ name: 'typebox', parameters: Type.Object({ a: Type.String() }), handler: (params) => params })
  return new Toolkit({ workspace: '.', customTools: [{ name: 'deploy', parameters: schema, handler: async ({ target }) => target }] })
}

export async function toolsGoIntoOtherManagers() {
  const tools = createTools({ workspace: '.' })
  const [definition] = toToolDefinitions(tools)
  await definition!.execute('1', {}, undefined, undefined, AbortSignal.timeout(1))
  const managed: unknown = await forToolManager(tools)[0]!.handler({})
  const said: string = await forRegistry(tools)[0]!.execute({})
  const manager = new ToolManager({ workspace: '.' })
  const details: unknown = await manager.execute('read_file', { path: 'a' })
  const allowed: boolean = isToolAllowedByPolicy('exec', { allow: ['group:fs'] })
  const names: Record<string, string> = platformNames('opencode', { inverse: true })
  const category: ToolCategory = ToolCategory.GIT
  const handled: unknown = await new ToolManager().getTool('read_file')!.handler({ path: 'a' })
  const registry = new ToolRegistry()
  registry.register(tools[0]!)
  registry.register(forRegistry(tools)[0]!)
  const text: string = await registry.execute('read', {})
  const groups: readonly string[] | undefined = TOOL_GROUPS['group:fs']
  const expanded: string[] = expandToolGroups(['group:fs', normalizeToolName('Bash')], { mine: ['exec'] })
  const [client] = toClientToolDefinitions([{ function: { name: 'pick' } }])
  const status: 'pending' = (await client!.execute('1', {})).details.status
  const error = new ToolManager().execute('x', {}).catch((error: unknown) => error instanceof ToolNotFoundError && error.context.availableTools.join())
  const { issues = [] } = new Toolkit({ workspace: '.' }).decide('read', {})
  return [managed, said, details, allowed, names, category, handled, text, groups, expanded, status, error, issues[0]?.param]
}

export async function sourcesAreTyped() {
  const toolkit = new Toolkit({ workspace: '.', taint: 'record', permissions: { ask: ['Bash after network, mcp'] } })
  toolkit.on('source_added', ({ source, from, tool }) => (holds<Equal<typeof source, 'network' | 'mcp' | 'untracked'>>(), [from, tool]))
  await toolkit.addSource('network', { from: 'an e-mail' })
  // @ts-expect-error There is no such source.
  await toolkit.addSource('web')
  const { details } = await toolkit.execute('read', { file_path: 'a' })
  const [read] = await toolkit.sources()
  return [details.sources?.[0]?.from, read?.at, toolkit.decide('exec', { command: 'ls' }).sources, new Toolkit({ workspace: '.', taint: true })]
}
