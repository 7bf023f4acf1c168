// The tools as a plugin of OpenClaw (`openclaw`).

import type { ToolkitOptions } from './index.js'

/** Options of `openclawPlugin`. */
export interface OpenClawOptions {
  /** The id of the plugin. Default: `tenon`. */
  id?: string | undefined
  /** The name of the plugin. Default: `tenon`. */
  name?: string | undefined
  /** What the plugin is, for its users. Default: a sentence about files, search and commands. */
  description?: string | undefined
  /** What the names of the tools begin with, so that none clashes with one of OpenClaw. Default: `tenon_`. */
  prefix?: string | undefined
  /** The options of the toolkits. `workspace` is that of each agent unless it is given. */
  toolkit?: Partial<ToolkitOptions<any>> | undefined
}

/** A plugin: the default export of its entry. Calls that require approval are approved where OpenClaw asks its users. */
export declare function openclawPlugin(options?: OpenClawOptions): {
  id: string
  name: string
  description: string
  register(api: any): void
}

/** Its manifest, for `openclaw.plugin.json`: with the names of the same options. */
export declare function openclawManifest(options?: OpenClawOptions): {
  id: string
  name: string
  description: string
  categories: string[]
  contracts: { tools: string[] }
  toolMetadata: Record<string, { profiles: string[] }>
  activation: { onStartup: boolean }
  configSchema: object
}
