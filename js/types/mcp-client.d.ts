/** An MCP server: a program, or an address. `${NAME}` and `${NAME:-default}` in its texts are environment variables. */
export interface McpServerOptions {
  /** The program: a name that is searched in `PATH`, or a path from `cwd`. */
  command?: string | undefined
  /** Its arguments. */
  args?: readonly string[] | undefined
  /** Its variables, over the filtered environment that commands get. */
  env?: Record<string, string> | readonly { name: string; value: string }[] | undefined
  /** The directory it starts in, from the workspace. Default: the workspace. */
  cwd?: string | undefined
  /** Its sandbox. Default: `off`. */
  sandbox?: ToolkitDataOptions['sandbox']
  /** The address of a server that speaks streamable HTTP. */
  url?: string | URL | undefined
  /** Headers of every request. */
  headers?: Record<string, string> | readonly { name: string; value: string }[] | undefined
  /** How the toolkit is authorized at an address. Default: `none`. */
  auth?: 'none' | 'oauth' | McpOauthOptions | undefined
  /** How it is reached, as other clients write it (`stdio`, `http`). Not needed: `command` or `url` says it. */
  type?: string | undefined
  /** The same under another name. */
  transport?: string | undefined
  /** Which of its tools there are, by the names of the server; `*` stands for any text. */
  tools?: { allow?: readonly string[] | undefined; deny?: readonly string[] | undefined } | undefined
  /** Whether models see its tools at once, find them with `find_tools`, or not at all. Default: `auto`, see `mcp.search`. */
  load?: 'auto' | 'eager' | 'search' | 'off' | { always: readonly string[] } | undefined
  /** What its tools do, so that rules on paths and domains bind them: `{ read_file: { reads: ['path'] } }`. */
  effects?: Record<string, EffectKind | ToolEffects> | undefined
  /** Whether a tool that says it only reads is believed. Default: false. */
  trustAnnotations?: boolean | undefined
  /** Whether `toolkit.mcp.ready()` rejects when it cannot be used. */
  required?: boolean | undefined
  /** Whether it is left alone. Default: false. */
  disabled?: boolean | undefined
  /** Longest time until it can be asked. Default: 30,000. */
  startMs?: number | undefined
  /** Longest silence of a call; progress begins it again. Default: 60,000. */
  callMs?: number | undefined
  /** Longest time of a call. Default: 600,000. */
  maxCallMs?: number | undefined
  /** Most bytes of text of a result; the rest is kept in a file. Default: 51,200. */
  outputLimitBytes?: number | undefined
  /** Which era of the protocol it speaks. Default: found out, once for each configuration. */
  protocol?: 'auto' | 'legacy' | 'modern' | undefined
}

/** A client of OAuth. */
export interface McpOauthOptions {
  /** A client that was registered beforehand. */
  clientId?: string | undefined
  /** Its secret, for a client that has one. */
  clientSecret?: string | undefined
  /** The `https` address of a metadata document that names the client. */
  clientMetadataUrl?: string | undefined
  /** Where users are led back to. Default: `http://127.0.0.1:33418/callback`. */
  redirectUri?: string | undefined
  /** Scopes instead of those that the server names. */
  scopes?: readonly string[] | undefined
}

/** What holds for all MCP servers. */
export interface McpClientOptions {
  /**
   * Whether tools are found with `find_tools` and run with `use_tool` instead of being shown. Default: `auto`, when all
   * definitions together have more than about 8,000 tokens.
   */
  search?: 'auto' | 'on' | 'off' | undefined
  /**
   * Where the definitions of tools are kept that were there when a server was first used. A call of a tool whose definition
   * changed requires approval, with the difference. Default: `session`.
   */
  pins?:
    | 'session'
    | 'off'
    | {
        /** The file. */
        file: string
      }
    | { load(): MaybePromise<string | null | undefined>; save(pins: string): MaybePromise<void> }
    | undefined
  /** Where tokens are kept. Default: nowhere, they last as long as the toolkit. */
  credentials?:
    | {
        /** The file, for its user alone. */
        file: string
      }
    | { load(key: string): MaybePromise<string | null | undefined>; save(key: string, value: string): MaybePromise<void> }
    | undefined
  /** Whether servers learn the path of the workspace. Default: false. */
  exposeRoots?: boolean | undefined
}

/** An MCP server, as far as it is known. */
export interface McpServerStatus {
  /** Its name in `mcpServers`. */
  id: string
  /** `known`: its tools are, and it was not started for that. */
  state: 'configured' | 'known' | 'starting' | 'ready' | 'needs-auth' | 'failed' | 'disabled'
  /** `modern` from revision 2026-07-28 on; null before it was asked. */
  era: 'legacy' | 'modern' | null
  /** The revision that it speaks. */
  protocolVersion: string | null
  /** What it calls itself. */
  server: { name: string; version: string } | null
  /** How many tools there are. */
  tools: number | null
  /** How often it was started again. */
  restarts: number
  /** Why it cannot be used, in a sentence. */
  error: string | null
  /** The last words of its program. */
  stderrTail: string | null
}

/** What only the host does with MCP servers. */
export interface McpClients {
  /** Resolves when the tools of every server are known; calls wait for that by themselves. @throws when a `required` server cannot be used */
  ready(): Promise<void>
  /** The status of each server. */
  status(): McpServerStatus[]
  /** Ends the connection and makes another one. @throws {ToolError} */
  reconnect(id: string): Promise<void>
  /** Begins an authorization: the address for the user's browser. @throws {ToolError} */
  authorize(id: string): Promise<{ url: string; redirectUri: string }>
  /** Ends it, with the address that the browser was led back to. @throws {ToolError} */
  authorize(id: string, callbackUrl: string): Promise<{ authorized: true }>
  /** The prompts of a server, as it lists them. */
  prompts(id: string): Promise<any[]>
  /** The messages of a prompt. @throws {ToolError} */
  getPrompt(id: string, name: string, args?: Record<string, string>): Promise<any>
  /** The resources of a server, as it lists them. */
  resources(id: string): Promise<any[]>
  /** The templates of resources of a server, as it lists them. */
  resourceTemplates(id: string): Promise<any[]>
  /** The content of a resource, as the server returns it. @throws {ToolError} */
  readResource(id: string, uri: string, signal?: AbortSignal): Promise<any>
  /** The skills of a server, as it lists them (SEP-2640). Models load them with the tool `skill`, as `server:name`. */
  skills(id: string): Promise<any[]>
  /** What a server says about its use. It is never shown to models by this package. */
  instructions(id: string): string | undefined
}

/** Whose servers `importMcpServers` reads: `.mcp.json`, `config.toml`, `opencode.json`, `settings.json`, `.vscode/mcp.json`. */
export type McpServersFormat = 'claude-code' | 'codex' | 'opencode' | 'gemini-cli' | 'vscode'

/**
 * Servers as another program configures them, for the option `mcpServers`; `warnings` names what was not imported.
 * @throws {ToolError} for texts that cannot be read
 */
export declare function importMcpServers(format: McpServersFormat, text: string): { servers: Record<string, McpServerOptions>; warnings: string[] }
