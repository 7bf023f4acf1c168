/** Whose rules `importRules` reads: `settings.json`, `opencode.json`, policy files (TOML), rule files. */
export type RuleFormat = 'claude-code' | 'opencode' | 'gemini-cli' | 'codex'

/** Rules of another agent, and what could not be carried over. */
export interface ImportedRules {
  /** For the option `permissions` of a toolkit. Every rule in it compiles. */
  permissions: NonNullable<ToolkitDataOptions['permissions']>
  /** What was left out, or carried over narrower. */
  report: {
    /** The rule as its file writes it. */
    rule: string
    /** Why, and what to do. */
    why: string
    /** Whether it denied or asked, or is not known, so that something may be open without it. */
    restricts: boolean
  }[]
}

/**
 * Reads the rules of another agent. Nothing is widened: a rule that says more than ours can is carried over narrower
 * or not at all, and the report says so.
 * @throws {ToolError} for a text that is no rule file of this format, with its line where that is known
 */
export declare function importRules(format: RuleFormat, text: string): ImportedRules

/**
 * Whether a profile with its lists exposes the tool of this name: `deny` wins, an empty `allow` means all of the
 * profile. Names mean the operation, in any dialect's spelling, so that denying `exec` denies `Bash` as well. A name
 * that no dialect has is that of a tool of the host or an MCP server; only the profile `full` includes those by itself.
 * @throws {ToolError} for a policy that cannot be used, such as one with an unknown group
 */
export declare function isToolAllowedByPolicy(name: string, policy?: ToolkitDataOptions['tools']): boolean

/** The built-in groups: `group:fs` to the names of its tools, in the `agent` vocabulary. */
export declare const TOOL_GROUPS: Readonly<Record<string, readonly string[]>>

/**
 * A list of tools with its groups replaced by their members: names as `normalizeToolName` returns them, each once. A group
 * that is not known stays as it is.
 * @param groups more groups, with or without `group:` before their names
 * @throws {ToolError} for a group that contains itself
 */
export declare function expandToolGroups(names?: readonly string[], groups?: Readonly<Record<string, readonly string[]>>): string[]

/** A name of a tool, in any usual spelling, as the `agent` vocabulary spells it: `Bash` is `exec`. Other names are returned in lower case. */
export declare function normalizeToolName(name: string): string

/** A platform whose files name tools. */
export type PlatformName = 'claude-code' | 'opencode' | 'vscode'

/**
 * The API of a platform for each tool of the `canonical` vocabulary: `platformNames('opencode').Read` is
 * `'opencode.file.read()'`. With `inverse`, that vocabulary's name for each tool that the files of the platform name:
 * `platformNames('opencode', { inverse: true }).bash` is `'Bash'`.
 * @throws {ToolError} for a platform that is not known
 */
export declare function platformNames(platform: PlatformName, options?: { inverse?: boolean | undefined }): Record<string, string>

/**
 * How many tokens a text is for `o200k_base`, without its vocabulary: within 1 % on code, prose and JSON, within 4 % in other
 * scripts and on random characters. Other models differ as their vocabularies do, usually by 10 to 20 %. Takes about 0.5 ms for 50 KB.
 */
export declare function estimateTokens(text: string): number

/**
 * Client tools as definitions for a host that keeps its own list: a call returns at once as pending. Within a toolkit it is
 * `registerClientTool`.
 */
export declare function toClientToolDefinitions(tools: readonly ClientTool[], options?: Pick<ClientToolOptions, 'onCall'>): ClientToolDefinition[]

/** A result whose text is the payload as JSON, indented by 2, and whose details are the payload. */
export declare function jsonResult<T>(payload: T): AgentToolResult<T>

/**
 * The same tools for hosts that want results: an error becomes
 * `jsonResult({status: 'error', tool, error})`, but is thrown when the signal is aborted.
 */
export declare function toToolDefinitions(tools: readonly AgentTool[]): ToolDefinition[]
