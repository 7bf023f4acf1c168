// Tools in an agent of pi, driven by its scripted provider.

import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { ROOT } from './run.js'

const tools = path.join(ROOT, 'node_modules/@earendil-works/pi-coding-agent/dist/core/tools')
// 0.87 asks for Node 22; its tools alone, and the agent of 0.74, run on 20.
const isNew = Number(process.versions.node.split('.')[0]) >= 22
const core = () => (isNew ? import('pi-agent-core-0.87') : import('@earendil-works/pi-agent-core')) as Promise<any>
const ai = () => (isNew ? import('pi-ai-0.87/compat') : import('@earendil-works/pi-ai')) as Promise<any>

/** A call and what came of it. */
export interface Answer {
  isError: boolean
  /** Texts as they are, images as `<type>`. */
  content: string[]
  details: any
}

/** Pi's own tools over a directory, by name. */
export async function piTools(cwd: string): Promise<Record<string, any>> {
  // Without it, pi downloads programs that are not there.
  process.env.PI_OFFLINE = '1'
  const names = ['read', 'write', 'edit', 'bash', 'grep', 'find', 'ls']
  const made = names.map(async (name) => {
    const module = await import(/* @vite-ignore */ pathToFileURL(path.join(tools, `${name}.js`)).href)
    return [name, module[`create${name[0]!.toUpperCase()}${name.slice(1)}Tool`](cwd)]
  })
  return Object.fromEntries(await Promise.all(made))
}

/** Lets an agent of pi make the calls, one after the other, and answers what its tools answered. */
export async function runInPi(tools: object[], calls: readonly (readonly [name: string, params: object])[]): Promise<Answer[]> {
  const [{ Agent }, { fauxAssistantMessage, fauxText, fauxToolCall, registerFauxProvider, streamSimple }] = await Promise.all([core(), ai()])
  const provider = registerFauxProvider()
  const turns = calls.map(([name, params]) => fauxAssistantMessage(fauxToolCall(name, params), { stopReason: 'toolUse' }))
  provider.setResponses([...turns, fauxAssistantMessage(fauxText('Done.'), { stopReason: 'stop' })])
  const agent = new Agent({ streamFn: streamSimple, initialState: { systemPrompt: '', model: provider.getModel(), tools } })
  const answers: Answer[] = []
  agent.subscribe((event: any) => {
    if (event.type !== 'tool_execution_end') return
    const { content, details } = event.result
    answers.push({ isError: event.isError, content: content.map((part: any) => (part.type === 'text' ? part.text : `<${part.mimeType}>`)), details })
  })
  await agent.prompt('Go.')
  return answers
}
