// Sub-agents run by frameworks: the option `host` of a toolkit, or members of it.

import type { AgentContext, AgentKind, AgentReport, AgentTask, SessionEvent, Toolkit } from './index.js'

/** Members of the option `host`: `new Toolkit({ workspace, host: piAgents({ … }) })`. */
export interface AgentHost {
  /** The kinds that models may choose among. */
  agents: AgentKind[]
  /** Runs one of them. */
  runAgent(request: AgentTask, context: AgentContext): Promise<AgentReport>
}

/** What every framework needs to know of a kind of agent. Further members are settings of the framework. */
export interface AgentDefinition {
  /** What it is for: the model that starts it reads that. */
  description?: string
  /** The tools that it may have, of those that the session has that starts it. Default: the same. */
  tools?: readonly string[]
  /** The system prompt. Default: none. */
  systemPrompt?: string
  /** Default: that of all agents. */
  model?: any
  [setting: string]: any
}

/** Options of `piAgents`. */
export interface PiAgentsOptions {
  /** The kinds of agents, by their names. */
  agents: Record<string, AgentDefinition>
  /** As for `new Agent` of pi. */
  streamFn?: ((...args: any[]) => any) | undefined
  /** The model of agents that name none. */
  model?: any
  /** The class. Default: `Agent` of the installed `@earendil-works/pi-agent-core`. */
  Agent?: (new (options: any) => any) | undefined
  /** Further options of `new Agent`. */
  [option: string]: any
}

/** Sub-agents that pi runs. Messages steer them; their transcripts are the `state` of the next run. */
export declare function piAgents(options: PiAgentsOptions): AgentHost

/** For `host.onSessionEvent`: the end of a sub-agent, and messages, become follow-ups of an agent of pi. */
export declare function piFollowUps(agent: { followUp(message: any): void }): (event: SessionEvent) => boolean

/** Options of `aiAgents`. */
export interface AIAgentsOptions {
  /** Further members are settings of `ToolLoopAgent`, such as `stopWhen`. */
  agents: Record<string, AgentDefinition>
  /** The model of agents that name none. */
  model?: any
  /** The class. Default: that of the installed `ai`. */
  ToolLoopAgent?: (new (settings: any) => any) | undefined
  /** Further settings of all agents. */
  [setting: string]: any
}

/** Sub-agents that the AI SDK runs (`ToolLoopAgent`). A message that comes while one runs waits for its end. */
export declare function aiAgents(options: AIAgentsOptions): AgentHost

/** Options of `claudeAgents`. */
export interface ClaudeAgentsOptions {
  /** Further members are options of `query`, such as `maxTurns`. */
  agents: Record<string, AgentDefinition>
  /** Options of `query` with the tools of a toolkit: `toClaudeOptions`. */
  optionsFor(toolkit: Toolkit<any>): Record<string, any>
  /** Default: that of the installed `@anthropic-ai/claude-agent-sdk`. */
  query?: ((request: any) => AsyncIterable<any>) | undefined
  /** Further options of `query`. */
  [option: string]: any
}

/** Sub-agents that the Claude Agent SDK runs. Its session is resumed by the next run. */
export declare function claudeAgents(options: ClaudeAgentsOptions): AgentHost
